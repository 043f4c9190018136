"""The types of the documents of `ordermade dataset opt-out`."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from typing_extensions import TypedDict

from ordermade.cli.documents.types.opening import Opening


class OptOutAdded(Opening):
    """Persons were added to the list of a dataset."""

    command: Literal["dataset opt-out add"]
    """`dataset opt-out add`."""
    dataset: str
    """Name of the dataset."""
    unmatched: int | None
    """Values given that no person of the data has now; null below the least k of the dataset."""


class OptOutRemoved(Opening):
    """Persons were taken off the list of a dataset."""

    command: Literal["dataset opt-out remove"]
    """`dataset opt-out remove`."""
    dataset: str
    """Name of the dataset."""


class OptOutsOfDataset(TypedDict):
    """The list of a dataset."""

    dataset: str
    """Name of the dataset."""
    persons: int | None
    """Persons on the list; null below the least k."""
    least_k: int
    """The least k of the dataset."""
    last_added_at: datetime
    """When persons were last added, in UTC."""


class OptOutList(Opening):
    """The datasets with persons who opted out."""

    command: Literal["dataset opt-out list"]
    """`dataset opt-out list`."""
    datasets: list[OptOutsOfDataset]
    """The lists, by dataset."""
