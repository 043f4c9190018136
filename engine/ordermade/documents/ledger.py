"""The documents of `ordermade ledger`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ordermade.catalogue.ledger import Remembered


@dataclass(frozen=True, slots=True)
class LedgerShown:
    """What was released so far."""

    entries: Sequence[Remembered]
    """The entries, the latest first."""
