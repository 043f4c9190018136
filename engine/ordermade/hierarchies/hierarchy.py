"""A generalisation hierarchy: its levels with content hashes and names, whatever file it came from."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, count
from typing import TYPE_CHECKING

from ordermade.errors import HierarchyError
from ordermade.lattice.lattice import LevelOrder
from ordermade.phrases import phrase
from ordermade.records.cards import Card, Grid, HasSummary

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


class Hierarchy(HasSummary, ABC):
    """A generalisation hierarchy of one attribute: level 0 = the original values, the last level = `*`."""

    name: str
    levels: tuple[Level, ...]
    order: LevelOrder

    @property
    def top(self) -> int:
        """The number of the top level."""
        return len(self.levels) - 1

    def _card(self) -> Card:
        # Values stay out of it: they may be those of persons.
        levels = [(number, level.name) for number, level in enumerate(self.levels)]
        return Card.of(f"Hierarchy {self.name}: {self.kind}", (), Grid(("level", "level name"), levels))

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

    def span_of(self, label: str, level: int) -> tuple[Fraction | None, Fraction | None] | None:  # noqa: ARG002
        """From where up to where (not included) the class of that label at a level between 0 and `*` reaches.

        Exact, in the unit of the column, of dates in days since 1970-01-01 began; an end is None where the class has
        none. None where a class is not all numbers or moments between two ends, but the values that are listed for it
        or that occur.
        """
        return None

    def coarser_classes(self, labels: Sequence[str | None], level: int, to: int) -> tuple[Hashable, ...] | None:
        """What is the same for two labels of a level exactly where their classes lie in one class of the level `to`.

        By the hierarchy alone: no data are read. None where the labels do not say it: of a level that does not refine
        the other one, of values that a rule places, of dates, of labels that several classes share. Missing values are
        a class of their own below `*`.
        """
        if level == to:
            return tuple(labels)
        if not self.order.refines(level, to):
            return None
        return (None,) * len(labels) if to == self.top else self._classes_of(labels, level, to)

    def _classes_of(
        self,
        labels: Sequence[str | None],  # noqa: ARG002
        level: int,  # noqa: ARG002
        to: int,  # noqa: ARG002
    ) -> tuple[Hashable, ...] | None:
        """The same, of a level that refines the other one, which is not the top."""
        return None

    def level_number(self, level: int | str) -> int | None:
        """The number of a level given by number or name; None if there is none."""
        if isinstance(level, bool):
            return None
        if isinstance(level, int):
            return level if 0 <= level <= self.top else None
        return next((number for number, each in enumerate(self.levels) if each.name == level), None)


MAX_LEVELS = 64
"""The most levels of a hierarchy above its values."""

VALUE = "value"
"""The name of level 0 where none is given."""


def check_count(levels: int, *, where: str) -> None:
    """Raise HierarchyError where there are more levels above the values than a request could choose from."""
    if levels > MAX_LEVELS:
        raise HierarchyError(
            phrase(
                "there are %(levels)s levels, and a hierarchy has at most %(maxlevels)s: the order of the "
                "levels is found by comparing each with each, and every level more multiplies the nodes of "
                "every search",
                levels=format(levels, ","),
                maxlevels=MAX_LEVELS,
            ),
            where=where,
            next_step=phrase("Keep the levels that a request would choose."),
        )


def content_hash(*lines: str) -> str:
    """The SHA-256, in hexadecimal, of the lines, each ended by a line feed."""
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line.encode("utf-8") + b"\n")
    return digest.hexdigest()


VALUE_HASH = content_hash("ordermade level: original value")
"""The hash of level 0 of every hierarchy: the original value, however its hierarchy goes on."""

TOP_HASH = content_hash("ordermade level: *")
"""The hash of the top level of every hierarchy."""


def content_hash_of(stretches: Iterable[str]) -> str:
    """Compute `content_hash` of many lines, of stretches of them in which every line is ended by a line feed."""
    digest = hashlib.sha256()
    for stretch in stretches:
        digest.update(stretch.encode("utf-8"))
    return digest.hexdigest()


def canonical(*parts: str | int | None) -> str:
    """One line of canonical text: ASCII JSON without spaces."""
    return json.dumps(parts, separators=(",", ":"))


def hierarchy_hash(kind: str, levels: Sequence[Level], further: Iterable[str] = ()) -> str:
    """The hash of a whole hierarchy: kind, levels in order (names and hashes), and stretches of what else it holds."""
    lines = (kind, *(canonical(level.name, level.content_hash) for level in levels))
    return content_hash_of(chain((f"{line}\n" for line in lines), further))


def numbered(
    names: Sequence[str | None],
    hashes: Sequence[str],
    *,
    value_name: str = VALUE,
    top_name: str = STAR,
    where: str = "",
) -> tuple[Level, ...]:
    """All levels of a hierarchy from the names and hashes of those between level 0 and the top.

    A level without a name is called `level` and its number. Raises HierarchyError where a name cannot be
    used.
    """
    between = [f"level{number}" if name is None else name for number, name in enumerate(names, start=1)]
    all_names = [value_name, *between, top_name]
    check_names(all_names, where=where)
    return tuple(map(Level, all_names, [VALUE_HASH, *hashes, TOP_HASH]))


def unnamed(name: str) -> int | None:
    """The number of a level that got its name from `numbered`, 0 of the original value; None of any other name."""
    if name == VALUE:
        return 0
    digits = name.removeprefix("level")
    return int(digits) if digits != name and digits.isdecimal() else None


def check_names(names: Sequence[str], *, where: str) -> None:
    """Raise HierarchyError unless the names are distinct and no numbers, and `*` is the top's alone."""
    if STAR in names[:-1]:
        raise HierarchyError(
            phrase("a level below the top is named '*'"),
            where=where,
            next_step=phrase("Only the last level may be named '*'."),
        )
    seen: dict[str, int] = {}
    for number, name in enumerate(names):  # no name is shown: a file read by mistake may have a record there
        if not name.strip():
            raise HierarchyError(phrase("a level has an empty name"), where=where, next_step=phrase("Give it a name."))
        if name.strip().isdecimal():
            raise HierarchyError(
                phrase("the name of level %(number)s is a number", number=number),
                where=where,
                next_step=phrase("Requests give levels by number or name: use a name with a letter in it."),
            )
        if name.casefold() in seen:
            raise HierarchyError(
                phrase("levels %(seen)s and %(number)s have the same name", seen=seen[name.casefold()], number=number),
                where=where,
                next_step=phrase("Rename one of them; upper and lower case count as the same."),
            )
        seen[name.casefold()] = number


def numbering(refines: Sequence[Sequence[bool]]) -> tuple[int, ...]:
    """The positions of the levels from finest to coarsest: an order consistent with `refines`.

    `refines[i][j]` says that the level given at position i refines the one at j. The given order stays
    wherever refinement allows: the next level is always the first of those left that no other one left has
    to precede.
    """
    left = list(range(len(refines)))
    order: list[int] = []
    while left:
        chosen = next(j for j in left if not any(_precedes(refines, i, j) for i in left if i != j))
        order.append(chosen)
        left.remove(chosen)
    return tuple(order)


def _precedes(refines: Sequence[Sequence[bool]], i: int, j: int) -> bool:
    # Levels with equal classes refine each other: the one given first counts as the finer.
    return refines[i][j] and (i < j or not refines[j][i])


def level_order(refines: Sequence[Sequence[bool]]) -> LevelOrder:
    """The order of a whole hierarchy from that of its numbered levels between level 0 and the top."""
    top = len(refines) + 1

    def finer(i: int, j: int) -> bool:
        if i == 0 or j == top:
            return i <= j
        return 0 < i <= j < top and (i == j or refines[i - 1][j - 1])

    return LevelOrder(tuple(tuple(finer(i, j) for j in range(top + 1)) for i in range(top + 1)))


def moves(order: Sequence[int], called: Sequence[str]) -> tuple[str, ...]:
    """A note for each level whose number is not its place in the file: `order` as `numbering` gives it."""
    return tuple(
        f"{called[given]} is now number {number}, by refinement"
        for number, given in enumerate(order, start=1)
        if given + 1 != number
    )


def written_out(
    base: int, keys: Sequence[Key], labels: Mapping[int, Sequence[str | None]], *, leaves: int
) -> Grounding:
    """The grounding from the label of each key at each level from the base up.

    Keys that no level separates share a cell; cells are numbered as the keys first meet them. Within a
    level equal labels are one class, and a label of None is NULL, a class of its own. The first `leaves`
    keys are leaves of the hierarchy and are counted per cell.
    """
    by_level: Mapping[int, tuple[str | None, ...]]
    finest = min(labels)
    if len(set(labels[finest])) == len(keys):  # each has a cell: a million need no path each
        cell_of_key = tuple(range(len(keys)))
        by_level = {level: tuple(of_keys) for level, of_keys in labels.items()}
    else:
        cells: dict[tuple[str | None, ...], int] = {}
        cell_of_key = tuple(cells.setdefault(path, len(cells)) for path in zip(*labels.values(), strict=True))
        by_level = dict(zip(labels, zip(*cells, strict=True), strict=True))
    leaves_of_cell = [0] * len(by_level[finest])
    for cell in cell_of_key[:leaves]:
        leaves_of_cell[cell] += 1
    return Grounding(
        base=base,
        keys=tuple(keys),
        cell_of_key=cell_of_key,
        classes={level: first_of_each(of_cells) for level, of_cells in by_level.items()},
        labels={level: of_cells for level, of_cells in by_level.items() if level > 0},
        leaves=tuple(leaves_of_cell),
    )


def first_of_each(entries: Iterable[str | None]) -> tuple[int, ...]:
    """For each place the first place with an equal entry: a class is numbered by its least member."""
    first: dict[str | None, int] = {}
    return tuple(map(first.setdefault, entries, count()))
