"""Measured nodes, as they come into table C and as it lists them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from ordermade.records.cards import HasSummary
from ordermade.records.printed import CLASSES, NOT_PRINTED


@dataclass(frozen=True, slots=True)
class MeasuredLevel:
    """The level of one attribute of a measured node."""

    column: str
    """The attribute."""
    level: int
    """The number of the level."""
    level_name: str
    """The name of the level."""
    level_hash: str
    """The hash of its content."""


@dataclass(frozen=True, slots=True, repr=False)
class ListedObservation(HasSummary):
    """A measured node of table C."""

    id: int
    """Its number."""
    dataset: str | None
    """The name of its dataset; null where nothing is known of it."""
    dataset_hash: str = field(metadata=NOT_PRINTED)
    """The hash of source, relation and row filter."""
    filter: str | None
    """The row filter."""
    dataset_version_id: int
    """The number of the dataset version."""
    is_latest: bool
    """Whether the dataset was seen with this version last."""
    levels: tuple[MeasuredLevel, ...]
    """The levels of the node; attributes at `*` are left out."""
    rows: int
    """The rows of the dataset version."""
    divisions: int = field(metadata=CLASSES)
    """The number of equivalence classes."""
    k: int
    """The size of the smallest class."""
    sum_of_squares: int
    """The sum of the squares of the class sizes."""
    class_sizes: list[int] = field(metadata=NOT_PRINTED)
    """The sizes of its classes, ascending."""
    class_counts: list[int] = field(metadata=NOT_PRINTED)
    """The number of classes of each size."""
    request_id: int | None
    """The request that measured it."""
    measured_at: datetime
    """The time it was measured."""

    @property
    def node(self) -> str:
        """The node in words: each column with its level name; `*` for the root."""
        return ", ".join(f"{each.column}: {each.level_name}" for each in self.levels) or "*"
