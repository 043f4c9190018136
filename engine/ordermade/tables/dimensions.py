"""A dimension of a table: its codes as a tree, from the leaves over subtotals to the total."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ordermade.errors import InputError


@dataclass(frozen=True)
class Dimension:
    """The codes of one dimension: the parent of code i is `parents[i]`, -1 for a root (a total, or one of several).

    A parent stands before its children. Raises InputError where it does not.
    """

    name: str
    codes: tuple[str, ...]
    parents: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.codes) != len(self.parents) or not self.codes:
            raise InputError(
                f"{len(self.codes)} codes and {len(self.parents)} parents",
                where=f"dimension {self.name}",
                next_step="Give each code its parent, -1 to a code that has none.",
            )
        for code, parent in enumerate(self.parents):
            if not -1 <= parent < code:
                raise InputError(
                    f"code number {code} has the parent number {parent}",
                    where=f"dimension {self.name}",
                    next_step="Put each parent before its children (dimension_of_parents does so).",
                )

    @cached_property
    def _children(self) -> tuple[tuple[int, ...], ...]:
        found: list[list[int]] = [[] for _ in self.codes]
        for code, parent in enumerate(self.parents):
            if parent >= 0:
                found[parent].append(code)
        return tuple(tuple(each) for each in found)

    def children(self, code: int) -> tuple[int, ...]:
        """The codes right below a code, in their order; none below a leaf."""
        return self._children[code]

    @cached_property
    def leaves(self) -> tuple[int, ...]:
        """The codes with nothing below them."""
        return tuple(code for code, below in enumerate(self._children) if not below)

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """The codes with nothing above them: one where the dimension has a total."""
        return tuple(code for code, parent in enumerate(self.parents) if parent < 0)

    def path(self, code: int) -> tuple[int, ...]:
        """The code, its parent and so on up to the root."""
        found = [code]
        while (above := self.parents[found[-1]]) >= 0:
            found.append(above)
        return tuple(found)

    @cached_property
    def _leaves_under(self) -> tuple[tuple[int, ...], ...]:
        found: list[tuple[int, ...]] = [()] * len(self.codes)
        for code in reversed(range(len(self.codes))):
            below = self._children[code]
            found[code] = tuple(leaf for each in below for leaf in found[each]) if below else (code,)
        return tuple(found)

    def leaves_under(self, code: int) -> tuple[int, ...]:
        """The leaves at or below a code."""
        return self._leaves_under[code]


@dataclass(frozen=True)
class PlacedDimension:
    """A dimension, and where the names it was made of stand in it: `places[i]` is the code of name i.

    Two names have one place where the same leaves are below both: their cells are the same cells.
    """

    dimension: Dimension
    places: tuple[int, ...]


@dataclass(frozen=True)
class LevelledDimension:
    """A dimension made of levels: `places[level][leaf]` is the code that the leaf has at the level.

    `labels[level][leaf]` is its label there: a code that several levels share is called by that of the lowest.
    """

    dimension: Dimension
    places: tuple[tuple[int, ...], ...]
    labels: tuple[tuple[str, ...], ...]


def dimension_of_parents(name: str, codes: Sequence[str], parents: Sequence[int]) -> PlacedDimension:
    """The dimension of codes in any order, where `parents[i]` is the number of code i's parent or -1.

    A code with a single child has the same cells as the child: the two are one code, by the name of the lower one.
    Raises InputError where a parent is not there, codes are below themselves, or a name stands twice below one parent.
    """
    if len(codes) != len(parents):
        raise InputError(
            f"{len(codes)} codes and {len(parents)} parents",
            where=f"dimension {name}",
            next_step="Give each code its parent, -1 to a code that has none.",
        )
    below: list[list[int]] = [[] for _ in codes]
    roots: list[int] = []
    for code, parent in enumerate(parents):
        if not -1 <= parent < len(codes):
            raise InputError(
                f"code number {code} has the parent number {parent}, which is not there",
                where=f"dimension {name}",
                next_step=f"Give a number from 0 to {len(codes) - 1}, or -1 to a code that has no parent.",
            )
        (roots if parent < 0 else below[parent]).append(code)
    for siblings in (roots, *below):
        if len({codes[each] for each in siblings}) < len(siblings):
            raise InputError(
                "a code stands twice below the same parent",
                where=f"dimension {name}",
                next_step="Name each code once.",
            )
    kept: list[str] = []
    kept_parents: list[int] = []
    places = [-1] * len(codes)
    waiting = [(root, -1) for root in reversed(roots)]
    while waiting:
        code, parent = waiting.pop()
        merged = [code]
        while len(below[merged[-1]]) == 1:
            merged.append(below[merged[-1]][0])
        for each in merged:
            places[each] = len(kept)
        waiting += [(child, len(kept)) for child in reversed(below[merged[-1]])]
        kept.append(codes[merged[-1]])
        kept_parents.append(parent)
    if -1 in places:
        raise InputError(
            f"{places.count(-1)} codes are below themselves",
            where=f"dimension {name}",
            next_step="Let each code's parents end at a code that has none.",
        )
    return PlacedDimension(Dimension(name, tuple(kept), tuple(kept_parents)), tuple(places))


def dimension_of_levels(name: str, levels: Sequence[Sequence[str]], *, total: str | None = None) -> LevelledDimension:
    """The dimension of levels, each a label per leaf, the leaves first; `total` adds a code above all others.

    Levels, or labels of them, with the same leaves below them are one code. Raises InputError where levels do not nest
    or a leaf stands twice.
    """
    if not levels or not levels[0] or len({len(each) for each in levels}) != 1:
        raise InputError(
            "the levels have unequal numbers of labels, or none",
            where=f"dimension {name}",
            next_step="Give each level one label for each leaf.",
        )
    if total is not None:
        levels = [*levels, [total] * len(levels[0])]
    numbers: dict[tuple[int, str], int] = {}
    for level, labels in enumerate(levels):
        for label in labels:
            numbers.setdefault((level, label), len(numbers))
    if len(set(levels[0])) < len(levels[0]):
        raise InputError("a leaf stands twice", where=f"dimension {name}", next_step="Name each leaf once.")
    parents = [-1] * len(numbers)
    for level, labels in enumerate(levels[:-1]):
        for label, above in zip(labels, levels[level + 1], strict=True):
            number, parent = numbers[level, label], numbers[level + 1, above]
            if parents[number] not in (-1, parent):
                raise InputError(
                    f"a label of level {level} is below two labels of level {level + 1}",
                    where=f"dimension {name}",
                    next_step="Let each level be made of whole labels of the level before.",
                )
            parents[number] = parent
    found = dimension_of_parents(name, [label for _, label in numbers], parents)
    places = tuple(
        tuple(found.places[numbers[level, label]] for label in labels) for level, labels in enumerate(levels)
    )
    return LevelledDimension(found.dimension, places, tuple(map(tuple, levels)))
