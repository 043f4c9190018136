"""The documents of `ordermade policy`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ordermade.catalogue.policies import StoredPolicy
    from ordermade.state.policies import PolicyRecord


@dataclass(frozen=True, slots=True)
class PolicyShown:
    """The policy of a dataset, as it is or as it was put in force."""

    policy: StoredPolicy
    """The policy."""


@dataclass(frozen=True, slots=True)
class PolicyList:
    """The policies in force."""

    policies: Sequence[PolicyRecord]
    """The policies, by dataset."""
