"""The documents of `ordermade ledger`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ordermade.catalogue.ledger import DisclosedBits, Remembered


@dataclass(frozen=True, slots=True)
class LedgerShown:
    """What was released so far."""

    entries: Sequence[Remembered]
    """The entries, the latest first."""
    disclosed: Sequence[DisclosedBits]
    """What answers to requests told each pool of recipients besides."""
