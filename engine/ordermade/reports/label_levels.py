"""The level of a hierarchy that a released label is of."""

from __future__ import annotations

from collections.abc import Sequence

from ordermade.hierarchies.dates import DateHierarchy
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.hierarchy import STAR, Hierarchy
from ordermade.hierarchies.interval_labels import label_in_mathematics, read_label
from ordermade.hierarchies.intervals import IntervalHierarchy
from ordermade.hierarchies.prefixes import PrefixHierarchy


def levels_of_label(hierarchy: Hierarchy, label: str) -> Sequence[int]:
    """The finest level that has a label, in a list; none where that cannot be known."""
    if label == STAR:
        return (hierarchy.top,)
    if isinstance(hierarchy, ExplicitHierarchy):
        known = (hierarchy.leaves, *hierarchy.labels)
        return [level for level, of_level in enumerate(known) if label in of_level][:1]
    if isinstance(hierarchy, IntervalHierarchy):
        return sorted(hierarchy.levels_of(label))[:1] or (0,)
    if isinstance(hierarchy, DateHierarchy | PrefixHierarchy):
        return (hierarchy.level_of(label),)
    return ()


def without_unit(label: str) -> str:
    """The label of an interval that a Japanese table shows with a unit, as its hierarchy has it; any other stays."""
    span, unit = read_label(label)
    if span is None or not unit or any(end is not None and end.denominator > 1 for end in span):
        return label
    low, high = (None if end is None else int(end) for end in span)
    return label_in_mathematics(low, high, 0)
