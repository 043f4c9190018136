"""Hierarchies as flat rows, so that the state keeps them in real columns; the round trip is exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypedDict, TypeVar, cast

from ordermade.errors import StateDamaged, quoted
from ordermade.hierarchies.dates import DateHierarchy, date_hashes
from ordermade.hierarchies.explicit import ExplicitHierarchy, level_hashes, refinement
from ordermade.hierarchies.hierarchy import STAR, TOP_HASH, VALUE_HASH, Hierarchy, Level, first_of_each, level_order
from ordermade.hierarchies.intervals import Interval, IntervalHierarchy, interval_hashes, interval_order
from ordermade.hierarchies.prefixes import PrefixHierarchy, prefix_hashes
from ordermade.lattice.lattice import LevelOrder


@dataclass(frozen=True, slots=True)
class StoredLevel:
    """One level as a row; the columns that its kind does not use are None.

    `origin`, `width`, `below`, `above` and `bounds` (interval) are exact decimal texts, `unit` is that of their labels,
    `part` (date) is `day`, `month`, `quarter`, `year` or `decade`, `keep` (prefix) is the number of characters kept,
    `mask` and `length` (prefix) how the rest is shown. Level 0 and the top have no rule of their own.
    """

    level: int
    name: str
    content_hash: str
    origin: str | None
    width: str | None
    part: str | None
    keep: int | None
    mask: str | None
    length: int | None
    below: str | None = None
    above: str | None = None
    bounds: tuple[str, ...] | None = None
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class StoredLabels:
    """The labels of one level of an explicit hierarchy, from 1 up: parallel lists, a place for each row.

    There is a row for every leaf at level 1. At a level that the one below it refines, one row for each class of the
    level below is enough, that of its first leaf (states of before have one for every leaf). `leaf_numbers` count the
    leaves from 0 in the order of their file; in `leaves` None is the path of NULL, which has labels like any other.
    Level 0 is not stored: its label is the leaf itself.
    """

    level: int
    leaf_numbers: tuple[int, ...]
    leaves: tuple[str | None, ...]
    labels: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class StoredHierarchy:
    """A hierarchy as rows. The kind is `explicit`, `interval`, `date` or `prefix`; levels are in order."""

    kind: str
    levels: tuple[StoredLevel, ...]
    labels: tuple[StoredLabels, ...]


Present = TypeVar("Present")


class _Rule(TypedDict, total=False):
    """The columns of its row that a level's rule fills."""

    origin: str
    width: str
    part: str
    keep: int
    mask: str
    length: int | None
    below: str | None
    above: str | None
    bounds: tuple[str, ...]
    unit: str | None


def store(hierarchy: Hierarchy) -> StoredHierarchy:
    """The hierarchy as rows. Raises TypeError for a species that this module does not know."""
    labels: tuple[StoredLabels, ...] = ()
    rules: Sequence[_Rule]
    match hierarchy:
        case ExplicitHierarchy():
            rules = [_Rule() for _ in hierarchy.levels[1:-1]]
            labels = _labels(hierarchy)
        case IntervalHierarchy():
            rules = [_of_interval(each) for each in hierarchy.intervals]
        case DateHierarchy():
            rules = [_Rule(part=part) for part in hierarchy.parts]
        case PrefixHierarchy():
            rules = [_Rule(keep=kept, mask=hierarchy.mask, length=hierarchy.length) for kept in hierarchy.keep]
        case _:
            raise TypeError(f"a {type(hierarchy).__name__} cannot be stored")
    levels = tuple(
        _level(number, level, rule)
        for number, (level, rule) in enumerate(zip(hierarchy.levels, [_Rule(), *rules, _Rule()], strict=True))
    )
    return StoredHierarchy(hierarchy.kind, levels, labels)


def restore(name: str, stored: StoredHierarchy) -> Hierarchy:
    """The hierarchy that was stored, exactly: its levels are not numbered anew.

    Raises StateDamaged where the rows do not hold a hierarchy with the hashes stored with them.
    """
    try:
        hierarchy = _restored(name, stored)
    except (LookupError, ValueError, TypeError, ArithmeticError) as fault:
        raise _damaged(name, "what is stored of it is not a hierarchy") from fault
    if [level.content_hash for level in hierarchy.levels] != [each.content_hash for each in stored.levels]:
        raise _damaged(name, "what is stored of it does not have the hashes stored with it")
    return hierarchy


def _restored(name: str, stored: StoredHierarchy) -> Hierarchy:
    numbers = [each.level for each in stored.levels]
    if len(numbers) < 2 or numbers != list(range(len(numbers))):
        raise ValueError("a level is missing or out of order")
    between = stored.levels[1:-1]
    chain = LevelOrder.chain(len(stored.levels))
    match stored.kind:
        case "explicit":
            leaves, paths = _leaves_and_paths(stored)
            levels = _named(stored, level_hashes(leaves, paths[:-1]))
            return ExplicitHierarchy(name, levels, level_order(refinement(paths[:-1])), leaves, paths)
        case "interval":
            intervals = tuple(map(_interval, between))
            levels = _named(stored, interval_hashes(intervals))
            return IntervalHierarchy(name, levels, interval_order(intervals), intervals)
        case "date":
            parts = tuple(_present(each.part) for each in between)
            return DateHierarchy(name, _named(stored, date_hashes(parts)), chain, parts)
        case "prefix":
            keep = tuple(_present(each.keep) for each in between)
            mask, length = _present(between[0].mask), between[0].length
            levels = _named(stored, prefix_hashes(keep, mask, length))
            return PrefixHierarchy(name, levels, chain, keep, mask, length)
    raise ValueError(f"there is no kind of hierarchy {quoted(stored.kind)}")


def _of_interval(rule: Interval) -> _Rule:
    if rule.width is None:
        return _Rule(bounds=tuple(map(str, rule.bounds)), unit=rule.unit or None)
    below, above = (None if each is None else str(each) for each in (rule.below, rule.above))
    return _Rule(origin=str(rule.origin), width=str(rule.width), below=below, above=above, unit=rule.unit or None)


def _interval(stored: StoredLevel) -> Interval:
    if stored.bounds:
        return Interval(None, bounds=tuple(map(Decimal, stored.bounds)), unit=stored.unit or "")
    below, above = (None if each is None else Decimal(each) for each in (stored.below, stored.above))
    width, origin = Decimal(_present(stored.width)), Decimal(_present(stored.origin))
    return Interval(width, origin, below, above, unit=stored.unit or "")


def _level(number: int, level: Level, rule: _Rule) -> StoredLevel:
    return StoredLevel(
        level=number,
        name=level.name,
        content_hash=level.content_hash,
        origin=rule.get("origin"),
        width=rule.get("width"),
        part=rule.get("part"),
        keep=rule.get("keep"),
        mask=rule.get("mask"),
        length=rule.get("length"),
        below=rule.get("below"),
        above=rule.get("above"),
        bounds=rule.get("bounds"),
        unit=rule.get("unit"),
    )


def _labels(hierarchy: ExplicitHierarchy) -> tuple[StoredLabels, ...]:
    leaves = hierarchy.leaves
    every = tuple(range(len(leaves)))
    below: Sequence[int] = every
    found: list[StoredLabels] = []
    for level, labels in enumerate(hierarchy.labels, start=1):
        if level == 1 or not hierarchy.order.refines(level - 1, level):
            found.append(StoredLabels(level, every, leaves, labels))
        else:
            numbers = tuple(sorted(set(below)))
            of_each = tuple(map(leaves.__getitem__, numbers)), tuple(map(labels.__getitem__, numbers))
            found.append(StoredLabels(level, numbers, *of_each))
        if level < hierarchy.top:
            below = first_of_each(labels)
    return tuple(found)


def _leaves_and_paths(stored: StoredHierarchy) -> tuple[tuple[str | None, ...], tuple[tuple[str, ...], ...]]:
    """The leaves in order, and the labels of each level from 1 to the top."""
    if not stored.labels or [each.level for each in stored.labels] != list(range(1, len(stored.levels))):
        raise ValueError("a level has no labels")
    leaves = stored.labels[0].leaves
    every = tuple(range(len(leaves)))
    if not every or stored.labels[0].leaf_numbers != every:
        raise ValueError("a leaf has no label at level 1")
    paths: list[tuple[str, ...]] = []
    for each in stored.labels:
        path = each.labels
        if each.leaf_numbers != every:
            labels, below = dict(zip(each.leaf_numbers, each.labels, strict=True)), first_of_each(paths[-1])
            # A leaf without a label of its own has that of the first leaf of its class at the level below.
            path = tuple(map(labels.__getitem__, [n if n in labels else below[n] for n in every]))
        if None in path or len(path) != len(every):
            raise ValueError("a leaf has no label")
        paths.append(cast("tuple[str, ...]", path))
    if set(paths[-1]) != {STAR}:
        raise ValueError("the top level is not one '*'")
    return leaves, tuple(paths)


def _named(stored: StoredHierarchy, hashes: Sequence[str]) -> tuple[Level, ...]:
    names = [each.name for each in stored.levels]
    return tuple(Level(name, computed) for name, computed in zip(names, [VALUE_HASH, *hashes, TOP_HASH], strict=True))


def _present(stored: Present | None) -> Present:
    if stored is None:
        raise ValueError("a column that the kind of hierarchy needs is empty")
    return stored


def _damaged(name: str, what: str) -> StateDamaged:
    return StateDamaged(
        what,
        where=f"hierarchy {quoted(name)}",
        next_step="Restore the state from a backup, or add the hierarchy again.",
    )
