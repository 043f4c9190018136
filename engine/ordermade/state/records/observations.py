"""Measured nodes, as they come into table C and as it lists them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ordermade.display.cards import Carded

if TYPE_CHECKING:
    from ordermade.lattice.observation import Observation


@dataclass(frozen=True, slots=True)
class MeasuredLevel:
    """One attribute of a measured node, below `*`: `level_hash` identifies it, the rest is for readers."""

    column: str
    level: int
    level_name: str
    level_hash: str


@dataclass(frozen=True, slots=True)
class MeasuredNode:
    """A node by its levels (attributes at `*` left out) with what was measured there."""

    levels: tuple[MeasuredLevel, ...]
    observation: Observation


@dataclass(frozen=True, slots=True, repr=False)
class ListedObservation(Carded):
    """A node of table C in a list.

    `dataset` is what its dataset is called (several names where several were registered, None where nothing is known
    of it), `filter` the row filter, `is_latest` whether the dataset was seen with this version last. `levels` are by
    column, attributes at `*` left out; `request_id` is the request that measured it (None: none did).
    """

    id: int
    dataset: str | None
    filter: str | None
    dataset_version_id: int
    is_latest: bool
    levels: tuple[MeasuredLevel, ...]
    rows: int
    divisions: int
    k: int
    sum_of_squares: int
    request_id: int | None
    measured_at: datetime

    @property
    def node(self) -> str:
        """The node in words: each column with its level name; `*` for the root."""
        return ", ".join(f"{each.column}: {each.level_name}" for each in self.levels) or "*"
