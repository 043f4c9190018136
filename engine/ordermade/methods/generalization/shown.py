"""The classes that a release by generalisation shows, as the ledger takes them up."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ordermade.counting.joint_cells import AS_THEY_ARE, PartedColumn
from ordermade.ledger.entries import ShownClasses, ShownColumn, ShownRelease, known_of_suppressed
from ordermade.methods.generalization.open_request import OpenGeneralization
from ordermade.methods.generalization.requested_levels import of_no_level
from ordermade.methods.shared.beside import Coarser
from ordermade.release.plan import Plan
from ordermade.release.rows import ReleaseCounts, classes_statement, suppressed_classes_statement
from ordermade.sources.executor import Purpose


def shown_release(open_request: OpenGeneralization, plan: Plan, settled: ReleaseCounts) -> ShownRelease:
    """What a plan releases, once it is decided which rows are suppressed: its classes with their rows.

    A reader knows of suppressed classes that each has fewer than k rows, and how many rows they are together where
    these are k or more, or stay as `*`.
    """
    resolved = open_request.resolved
    below = [
        (each, level, label)
        for each, level, label in zip(plan.attributes, plan.node, plan.labels[: len(plan.node)], strict=True)
        if level < each.hierarchy.top
    ]
    levels = tuple(f"{each.column}: {each.hierarchy.levels[level].name}" for each, level, _ in below)
    unjudged = _unjudged(open_request, settled)
    if unjudged:
        return ShownRelease((), unjudged, resolved.with_values, () if plan.local else levels)
    starred = {each.column: each.missing_as_star for each in resolved.qis}
    columns = [
        ShownColumn(each.column, each.hierarchy.content_hash, level, starred[each.column]) for each, level, _ in below
    ]
    places = [label for _, _, label in below]
    rows = plan.dataset.backend.workspace.rows(Purpose.STORE, classes_statement(plan, places))
    others_most, rest = known_of_suppressed(settled.suppressed_rows, plan.k, stay=settled.stars > 0)
    classes = ShownClasses.of(columns, [row[:-1] for row in rows], [int(row[-1]) for row in rows], others_most, rest)
    every = (classes, *_with_values(plan, columns, places, others_most))
    follows = rest is not None and _follows(plan, classes, places, rest)
    return ShownRelease(every, "", resolved.with_values, levels, _required(plan), follows)


def _follows(plan: Plan, classes: ShownClasses, places: Sequence[str], rest: tuple[int, int]) -> bool:
    """Whether it follows from the rows of all suppressed classes that each has somebody, and fewer than k.

    There are as many as combinations of the labels that occur, less those that are shown: with k - 1 rows in all but
    one of them some rows are left.
    """
    least, most = rest
    if least != most:
        return False
    gone = plan.dataset.backend.workspace.rows(Purpose.STORE, suppressed_classes_statement(places))
    occurring = [{*labels, *(row[place] for row in gone)} for place, labels in enumerate(classes.labels)]
    unlisted = math.prod(map(len, occurring)) - len(classes.least)
    return least > (unlisted - 1) * (plan.k - 1)


MOST_VALUES = 200_000
"""The most combinations of classes and values that the ledger takes up; a release of more is not judged by them."""


def _with_values(
    plan: Plan, columns: Sequence[ShownColumn], places: Sequence[str], others_most: int
) -> Iterator[ShownClasses]:
    """The classes by the values that their rows are released with; none where there are none, or too many."""
    first = len(plan.quasi_identifiers)
    if plan.shape != "rows" or not plan.carried[first:]:
        return
    statement = classes_statement(plan, [*places, *plan.values[first:]])
    rows = plan.dataset.backend.workspace.rows(Purpose.STORE, statement.limit(MOST_VALUES + 1))
    if len(rows) > MOST_VALUES:
        return
    own = [ShownColumn(each, AS_THEY_ARE, 0) for each in plan.carried[first:]]
    yield ShownClasses.of([*columns, *own], [row[:-1] for row in rows], [int(row[-1]) for row in rows], others_most)


def _required(plan: Plan) -> tuple[tuple[str, int], ...]:
    """How many values of each sensitive column every class has, by the models: l of those that have one, else 2."""
    return tuple(
        (each.column, max(math.ceil(getattr(model, "l", 2)) for model in each.models))
        for each in plan.sensitive
        if each.models
    )


def coarser_than(open_request: OpenGeneralization, plan: Plan, rows: int) -> Coarser | None:
    """The levels at which a release may be offered instead; None where more than the size of a class decides."""
    resolved = open_request.resolved
    if plan.local or resolved.entity is not None or resolved.with_values or resolved.risk is not None:
        return None
    columns = tuple(
        PartedColumn(each.column, each.hierarchy, tuple(range(level, each.hierarchy.top + 1)), each.missing_as_star)
        for each, level in zip(resolved.qis, plan.node, strict=True)
    )
    return Coarser(columns, plan.k, int(resolved.limit * rows))


def _unjudged(open_request: OpenGeneralization, settled: ReleaseCounts) -> str:
    """Why the classes are of no one level, or of unknown bounds; empty where they are not."""
    resolved = open_request.resolved
    unjudged = of_no_level(resolved)
    if unjudged:
        return unjudged
    if settled.suppressed_rows and (resolved.sensitive or resolved.risk is not None):
        return "suppressed classes by more than their size"
    return ""
