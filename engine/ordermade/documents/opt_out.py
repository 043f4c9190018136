"""The documents of `ordermade dataset opt-out`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ordermade.catalogue.opt_outs import OptedOut


@dataclass(frozen=True, slots=True)
class OptOutAdded:
    """Persons were added to the list of a dataset."""

    dataset: str
    """Name of the dataset."""
    unmatched: int | None
    """Values given that no person of the data has now; null below the least k of the dataset."""


@dataclass(frozen=True, slots=True)
class OptOutRemoved:
    """Persons were taken off the list of a dataset."""

    dataset: str
    """Name of the dataset."""


@dataclass(frozen=True, slots=True)
class OptOutList:
    """The datasets with persons who opted out."""

    datasets: Sequence[OptedOut]
    """The lists, by dataset."""
