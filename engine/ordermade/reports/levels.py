"""The levels of hierarchies as a report shows them: which are released, each with a label that was."""

from __future__ import annotations

from collections.abc import Sequence

from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.hierarchy import STAR, Hierarchy
from ordermade.hierarchies.intervals import IntervalHierarchy
from ordermade.reports.figures import LevelShown, ReportedHierarchy
from ordermade.state.releases import ReleaseColumn


def hierarchy_shown(
    column: ReleaseColumn, hierarchy: Hierarchy, labels: Sequence[tuple[str, int]], *, for_user: bool
) -> ReportedHierarchy:
    """The hierarchy of a released column; for a user its released levels alone.

    `labels`: released ones, with their rows. Where rows are at several levels, a level is called released that has one
    of these labels.
    """
    released = _released(column, hierarchy, [label for label, _ in labels])
    levels = tuple(
        LevelShown(level.name, _number_of_labels(hierarchy, number), number in released, released.get(number))
        for number, level in enumerate(hierarchy.levels)
        if not for_user or number in released
    )
    return ReportedHierarchy(column.column, hierarchy.name, hierarchy.kind, levels)


def _released(column: ReleaseColumn, hierarchy: Hierarchy, labels: Sequence[str]) -> dict[int, str | None]:
    """The released levels, each with a released label."""
    if column.level is not None:
        return {column.level: next(iter(labels), None)}
    found: dict[int, str | None] = {}
    for label in labels:
        for level in _levels_of(hierarchy, label):
            found.setdefault(level, label)
    return found


def _levels_of(hierarchy: Hierarchy, label: str) -> Sequence[int]:
    """The finest level that has a label, in a list; none where that cannot be known."""
    if label == STAR:
        return (hierarchy.top,)
    if isinstance(hierarchy, ExplicitHierarchy):
        known = (hierarchy.leaves, *hierarchy.labels)
        return [level for level, of_level in enumerate(known) if label in of_level][:1]
    if isinstance(hierarchy, IntervalHierarchy):
        return sorted(hierarchy.levels_of(label))[:1]
    return ()


def _number_of_labels(hierarchy: Hierarchy, level: int) -> int | None:
    if level == hierarchy.top:
        return 1
    if not isinstance(hierarchy, ExplicitHierarchy):
        return None
    return len(set(hierarchy.leaves if level == 0 else hierarchy.labels[level - 1]))
