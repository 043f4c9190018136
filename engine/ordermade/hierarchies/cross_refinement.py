"""Refinement between the levels of two hierarchies on the same column, as far as their contents alone prove it.

Hierarchies of one column come and go, and nodes measured with one bound the nodes of another. Only what holds whatever
the column's values are is said: every value is known to be covered by both hierarchies, because a request checks that
before it counts. Levels of different kinds are compared by nothing but the original values, which refine every level,
and `*`, which every level refines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ordermade.hierarchies.column_types import is_text, is_whole
from ordermade.hierarchies.dates import PARTS, DateHierarchy
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.hierarchies.intervals import GridRule, IntervalHierarchy, grid_scale, on_grid
from ordermade.hierarchies.prefixes import PrefixHierarchy


@dataclass(frozen=True, slots=True)
class OriginalValues:
    """Level 0 of every hierarchy: the values themselves."""


@dataclass(frozen=True, slots=True)
class SuppressedLevel:
    """The top level of every hierarchy: one class."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A level of an explicit hierarchy: the label of each leaf by its text.

    None, the leaf of NULL, is always among them; where the hierarchy has no path for it, its label is None, a class of
    its own.
    """

    labels: Mapping[str | None, str | None]


@dataclass(frozen=True, slots=True)
class IntervalClasses:
    """A level of an interval hierarchy, in whole units of a grid of so many decimals."""

    scale: int
    rule: GridRule


@dataclass(frozen=True, slots=True)
class DatePartLevel:
    """A level of a date hierarchy."""

    part: str


@dataclass(frozen=True, slots=True)
class PrefixLevel:
    """A level of a prefix hierarchy: how many characters it keeps, and how it shows the rest."""

    keep: int
    mask: str
    length: int | None


LevelContent: TypeAlias = OriginalValues | SuppressedLevel | Listed | IntervalClasses | DatePartLevel | PrefixLevel
"""The content of a level, apart from its hierarchy. Levels with one content hash have one content."""


def contents(hierarchy: Hierarchy) -> tuple[LevelContent, ...]:
    """The content of every level of a hierarchy, in order. Raises TypeError for a species not known here."""
    between: tuple[LevelContent, ...]
    match hierarchy:
        case ExplicitHierarchy():
            leaves = hierarchy.leaves
            between = tuple(
                Listed({None: None, **dict(zip(leaves, labels, strict=True))}) for labels in hierarchy.labels[:-1]
            )
        case IntervalHierarchy():
            scale = grid_scale(hierarchy.intervals)
            between = tuple(IntervalClasses(scale, rule) for rule in on_grid(hierarchy.intervals))
        case DateHierarchy():
            between = tuple(DatePartLevel(part) for part in hierarchy.parts)
        case PrefixHierarchy():
            between = tuple(PrefixLevel(kept, hierarchy.mask, hierarchy.length) for kept in hierarchy.keep)
        case _:
            raise TypeError(f"the levels of a {type(hierarchy).__name__} cannot be compared")
    return (OriginalValues(), *between, SuppressedLevel())


def contents_by_hash(hierarchy: Hierarchy) -> dict[str, LevelContent]:
    """The content of every level of a hierarchy by its content hash. Raises TypeError for a species not known here."""
    return {level.content_hash: each for level, each in zip(hierarchy.levels, contents(hierarchy), strict=True)}


def refines(fine: LevelContent, coarse: LevelContent, column_type: str) -> bool:
    """True if it is proved that every class of `fine` lies inside one class of `coarse`, on a column of this SQL type.

    False means that it is not known.
    """
    match fine, coarse:
        case (OriginalValues(), _) | (_, SuppressedLevel()):
            return True
        case Listed(), Listed():
            return _listed(fine.labels, coarse.labels, as_text=is_text(column_type))
        case IntervalClasses(), IntervalClasses():
            return _intervals(fine, coarse, column_type)
        case DatePartLevel(), DatePartLevel():
            return PARTS.index(fine.part) <= PARTS.index(coarse.part)
        case PrefixLevel(), PrefixLevel():
            return _prefixes(fine, coarse)
    return False


def _listed(fine: Mapping[str | None, str | None], coarse: Mapping[str | None, str | None], *, as_text: bool) -> bool:
    """True if no class of `fine` has two labels in `coarse`, over every leaf that a value of the column can be.

    A value covered by both hierarchies is a leaf of both. Of a text column it has one text. Of any other the two may
    write it differently (1 and 01): then each leaf that only one lists may be any leaf that only the other lists.
    """
    lies_in: dict[str | None, str | None] = {}
    for leaf, label in fine.items():
        if leaf in coarse and lies_in.setdefault(label, coarse[leaf]) != coarse[leaf]:
            return False
    only_fine = {label for leaf, label in fine.items() if leaf not in coarse}
    only_coarse = {label for leaf, label in coarse.items() if leaf not in fine}
    if as_text or not only_fine or not only_coarse:
        return True
    return len(only_coarse) == 1 and all(lies_in.get(label, *only_coarse) in only_coarse for label in only_fine)


def _intervals(fine: IntervalClasses, coarse: IntervalClasses, column_type: str) -> bool:
    """By arithmetic on one grid.

    A value is rounded to its grid before it is placed, so two grids may part values that are not whole numbers
    differently: those are compared on one grid only.
    """
    if fine.scale != coarse.scale and not is_whole(column_type):
        return False
    scale = max(fine.scale, coarse.scale)
    finer, coarser = int(10 ** (scale - fine.scale)), int(10 ** (scale - coarse.scale))
    return fine.rule.scaled(finer).refines(coarse.rule.scaled(coarser))


def _prefixes(fine: PrefixLevel, coarse: PrefixLevel) -> bool:
    """By the characters kept; padding to a length may make one label of two values that end in the mask."""
    padded_alike = fine.length is None or (coarse.length is not None and fine.mask == coarse.mask)
    return fine.keep >= coarse.keep and padded_alike
