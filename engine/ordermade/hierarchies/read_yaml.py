"""Hierarchies from YAML: intervals, date parts, prefixes, value mappings, ordered lists cut into ranges."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from ordermade.errors import HierarchyError, did_you_mean, quoted
from ordermade.hierarchies.dates import date_hierarchy
from ordermade.hierarchies.explicit import ExplicitHierarchy, GivenLevel, explicit_hierarchy
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.hierarchies.intervals import Interval, interval_hierarchy
from ordermade.hierarchies.levels import check_count
from ordermade.hierarchies.prefixes import prefix_hierarchy
from ordermade.hierarchies.text_file import read_text
from ordermade.hierarchies.yaml_rules import Intervals, Ordered, Prefix, Range, rules
from ordermade.hierarchies.yaml_text import PlainYaml, plain_yaml

MOST_BYTES = 10 * 2**20
Notes = tuple[str, ...]


def read_yaml(path: Path, name: str) -> tuple[Hierarchy, Notes]:
    """The hierarchy in a YAML file, and notes of what was renumbered or added.

    Raises HierarchyError with file and line.
    """
    return parse_yaml(read_text(path, most_bytes=MOST_BYTES), name, where=str(path))


def parse_yaml(text: str, name: str, *, where: str) -> tuple[Hierarchy, Notes]:
    """The same of a text; `where` is what messages call it."""
    document = plain_yaml(text, where)
    checked = rules(document, where)
    if checked.intervals:
        return _intervals(checked.intervals, name, _at(document, where, "intervals"))
    if checked.date is not None:
        parts, names = [each.part for each in checked.date], [each.name for each in checked.date]
        return date_hierarchy(name, parts, names, where=_at(document, where, "date"))
    if checked.prefix:
        return _prefix(checked.prefix, name, _at(document, where, "prefix"))
    if checked.ordered:
        return _ordered(checked.ordered, name, document, where)
    return _mapping(checked.mapping or {}, checked.levels, name, document, where)


def _at(document: PlainYaml, where: str, *path: str | int | None) -> str:
    return f"{where}:{document.lines[path]}"


def _intervals(given: Intervals, name: str, where: str) -> tuple[Hierarchy, Notes]:
    intervals = [Interval(each.width, given.origin if each.origin is None else each.origin) for each in given.levels]
    return interval_hierarchy(name, intervals, [each.name for each in given.levels], where=where)


def _prefix(given: Prefix, name: str, where: str) -> tuple[Hierarchy, Notes]:
    names = _names(given.names, len(given.keep), where)
    return prefix_hierarchy(name, given.keep, names, mask=given.mask, length=given.length, where=where)


def _names(names: Sequence[str | None] | None, levels: int, where: str) -> Sequence[str | None]:
    if names is None:
        return [None] * levels
    if len(names) != levels:
        raise HierarchyError(
            f"there are {len(names)} names for {levels} levels",
            where=where,
            next_step="Give one name a level.",
        )
    return names


def _mapping(
    mapping: dict[str | None, list[str]],
    names: Sequence[str | None] | None,
    name: str,
    document: PlainYaml,
    where: str,
) -> tuple[ExplicitHierarchy, Notes]:
    levels = len(next(iter(mapping.values()), []))
    check_count(levels, where=where)
    for leaf, labels in mapping.items():
        if len(labels) != levels:
            raise HierarchyError(
                f"the value has {len(labels)} labels where the first has {levels}",
                where=_at(document, where, "mapping", leaf),
                next_step="Give each value one label a level.",
            )
    names = _names(names, levels, where)
    return explicit_hierarchy(
        name,
        tuple(mapping),
        [GivenLevel(names[i], tuple(labels[i] for labels in mapping.values())) for i in range(levels)],
        where=where,
        lines=[document.lines[("mapping", leaf)] for leaf in mapping],
    )


def _ordered(given: Ordered, name: str, document: PlainYaml, where: str) -> tuple[ExplicitHierarchy, Notes]:
    check_count(len(given.levels), where=_at(document, where, "ordered"))
    position = {value: number for number, value in reversed(list(enumerate(given.values)))}
    levels = [
        GivenLevel(
            each.name,
            _labels(each, given.values, position, _at(document, where, "ordered", "levels", number)),
        )
        for number, each in enumerate(given.levels)
    ]
    lines = [document.lines[("ordered", "values", number)] for number in range(len(given.values))]
    return explicit_hierarchy(name, given.values, levels, where=where, lines=lines)


def _labels(level: Range, values: Sequence[str], position: dict[str, int], where: str) -> tuple[str, ...]:
    """The label of each value: of the range that it lies in."""
    for cut in level.cuts:
        if cut not in position:
            raise HierarchyError(
                f"the cut {quoted(cut)} is not one of the values",
                where=where,
                next_step=did_you_mean(cut, position),
            )
    starts = sorted({0, *(position[cut] for cut in level.cuts)})
    ranges = [(start, end - 1) for start, end in pairwise([*starts, len(values)])]
    labels = level.labels
    if labels is None:
        labels = [values[a] if a == b else f"{values[a]}..{values[b]}" for a, b in ranges]
    if len(labels) != len(ranges):
        raise HierarchyError(
            f"there are {len(labels)} labels for {len(ranges)} ranges",
            where=where,
            next_step="Each cut starts a new range: give one label more than there are cuts.",
        )
    if len(set(labels)) < len(labels):
        raise HierarchyError(
            "two ranges have the same label", where=where, next_step="Give each range a label of its own."
        )
    return tuple(labels[bisect_right(starts, number) - 1] for number in range(len(values)))
