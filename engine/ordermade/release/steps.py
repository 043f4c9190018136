"""Every statement of a release up to the one that writes it, in order: what `explain` shows."""

from __future__ import annotations

from collections.abc import Iterator

from ordermade.counting.steps import Statement
from ordermade.release.plan import COUNTED, DECISIONS, SORTED, Plan
from ordermade.release.rows import (
    PSEUDONYMS,
    ROWS,
    counted_statement,
    labels_statement,
    labels_table,
    pseudonyms_statement,
    shown_statement,
    sorted_statement,
)
from ordermade.release.suppress import (
    CLASSES,
    FAILING,
    NUMBERED,
    Counted,
    all_released_statement,
    class_values,
    class_values_statement,
    decided_statement,
    failing_classes_statement,
    numbered_statement,
    sizes_statement,
)


def release_statements(plan: Plan) -> Iterator[Statement]:
    """The statements that make a release of one node, up to the table that is written.

    Where suppressed rows stay, the last is shown as if as few stayed as may.
    """
    for attribute, level in zip(plan.attributes, plan.node, strict=True):
        if 0 < level < attribute.hierarchy.top:
            title = f"what is released for {attribute.column}"
            yield Statement(title, False, labels_table(attribute), labels_statement(attribute, level))
    yield Statement("release, counted", True, COUNTED, counted_statement(plan), share=ROWS)
    if not plan.decides:
        yield Statement("release, sorted", False, SORTED, sorted_statement(plan))
        return
    yield from _decided(Counted.of(plan), plan)
    if plan.pseudonym is not None:
        yield Statement("release, pseudonyms", False, PSEUDONYMS, pseudonyms_statement())
    stars = plan.k if plan.stars and plan.suppresses else 0
    yield Statement("release, sorted", False, SORTED, sorted_statement(plan, shown_statement(plan, stars)))


def _decided(counted: Counted, plan: Plan) -> Iterator[Statement]:
    if not plan.checks_classes:
        yield Statement("release, nothing suppressed", False, DECISIONS, all_released_statement(counted))
        return
    yield from class_statements(counted)
    yield Statement("release, suppressed classes", False, FAILING, failing_classes_statement(counted, plan.k))
    yield Statement("release, decided", False, DECISIONS, decided_statement(counted))


def class_statements(counted: Counted) -> Iterator[Statement]:
    """The statements that number the classes of a release, and count what their models go by."""
    yield Statement("release, its classes", False, CLASSES, sizes_statement(counted))
    yield Statement("release, each combination's class", False, NUMBERED, numbered_statement(counted))
    for sensitive, column in counted.sensitive:
        statement = class_values_statement(sensitive, column, persons=counted.persons)
        yield Statement(f"release, the values of {sensitive.column} by class", False, class_values(column), statement)
