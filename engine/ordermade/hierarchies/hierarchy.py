"""The noun: a generalisation hierarchy, whatever it was read from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ordermade.lattice.order import LevelOrder

if TYPE_CHECKING:
    from sqlglot import exp

STAR = "*"
"""The one label of the top level."""

NOT_COVERED = -9_007_199_254_740_992
"""The key a rule's expression gives to a value that the rule cannot place (NaN, infinities, out of range)."""

Key = str | int | None


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a hierarchy: its name (shown in requests and releases) and the hash of its content."""

    name: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class Grounding:
    """A hierarchy's levels from a base level up, written out for the keys that occur.

    `keys[i]` is a key and `cell_of_key[i]` the number of the cell it belongs to; a cell is a set of values that no
    level from the base up separates. `classes[level][cell]` is the number of the class that the cell belongs to at
    that level, given as the least cell number of the class, so that one map serves roll-ups from any finer level.
    `labels[level][cell]` is what is released for the cell at that level (None is NULL); the base level's own values
    (level 0) keep their type and have no label here. `leaves[cell]` is the number of leaves of the hierarchy under the
    cell, 0 where the hierarchy does not enumerate its values.
    """

    base: int
    keys: tuple[Key, ...]
    cell_of_key: tuple[int, ...]
    classes: Mapping[int, tuple[int, ...]]
    labels: Mapping[int, tuple[str | None, ...]]
    leaves: tuple[int, ...]

    @property
    def cells(self) -> int:
        """The number of cells."""
        return len(self.leaves)


class Hierarchy(ABC):
    """A generalisation hierarchy of one attribute: level 0 = the original values, the last level = `*`."""

    name: str
    levels: tuple[Level, ...]
    order: LevelOrder

    @property
    def top(self) -> int:
        """The number of the top level."""
        return len(self.levels) - 1

    @property
    @abstractmethod
    def kind(self) -> str:
        """`explicit`, `interval`, `date` or `prefix`."""

    @property
    @abstractmethod
    def enumerated(self) -> bool:
        """True if the hierarchy lists its values (explicit), so that keys need not be read from the data."""

    @property
    @abstractmethod
    def content_hash(self) -> str:
        """Hash of the whole content: kind, level names, levels in order. Not of the name."""

    @abstractmethod
    def check_type(self, column_type: str) -> str | None:
        """Return why this hierarchy cannot be used on a column of this SQL type (DuckDB's name), or None if it can."""

    @abstractmethod
    def code(self, column: exp.Expression, column_type: str, base: int) -> exp.Expression:
        """An expression in the portable subset: what the hierarchy needs to know of a value to place it from `base` up.

        Explicit hierarchies: the column itself (compared with the leaves). Rules: an integer or text key at the common
        refinement of the levels from max(base, 1) up; NULL for NULL, `NOT_COVERED` for what cannot be placed.
        """

    @abstractmethod
    def ground(self, base: int, codes: Sequence[Key]) -> Grounding:
        """The levels from `base` up, written out.

        Explicit hierarchies ignore `codes`: keys are the leaves' texts (None for a NULL path; a NULL cell is always
        added). Rules: `codes` are the distinct values of `code(…)` that occur in the data (with None added if absent),
        and the keys are those codes; `classes` and `labels` then cover levels max(base, 1) and up. The order of cells
        depends only on the set of codes.
        """

    def span_of(self, label: str, level: int) -> tuple[Fraction, Fraction] | None:  # noqa: ARG002
        """From where up to where (not included) the class of that label at a level between 0 and `*` reaches.

        Exact, in the unit of the column, of dates in days since 1970-01-01 began. None where a class is not all numbers
        or moments between two ends, but the values that are listed for it or that occur.
        """
        return None

    def level_number(self, level: int | str) -> int | None:
        """The number of a level given by number or name; None if there is none."""
        if isinstance(level, bool):
            return None
        if isinstance(level, int):
            return level if 0 <= level <= self.top else None
        return next((number for number, each in enumerate(self.levels) if each.name == level), None)
