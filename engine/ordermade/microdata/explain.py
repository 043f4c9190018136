"""The SQL of every step of a request for microaggregation, as it would run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ordermade.answering.explain import Step, as_steps, grounding_steps, opening_steps, writing_steps
from ordermade.measuring.grounding import outline
from ordermade.measuring.steps import Statement
from ordermade.microaggregation.options import Rounding
from ordermade.microdata.aggregated import Aggregated
from ordermade.microdata.question import Question
from ordermade.microdata.statements import classes_statement, decided_statement, held_columns, pulled_statement
from ordermade.release.columns import sorted_statement
from ordermade.release.plan import DECIDED, SORTED, Plan
from ordermade.release.settle import shown_statement
from ordermade.slices.numbers import missing_statement, numbers_statement
from ordermade.slices.tables import ASSIGNED, GROUPS, MICRODATA


def steps(question: Question) -> tuple[Step, ...]:
    """The statements of the request in order.

    The groups are made outside the database, between the records and the release: the tables `GROUPS` and `ASSIGNED`
    hold them.
    """
    plan, aggregated = question.plan(outline), question.aggregated(outline)
    grounded = (*plan.attributes, *(each.grounded for each in aggregated if each.grounded is not None))
    return (
        *opening_steps(question),
        *(step for each in grounded for step in grounding_steps(question, each)),
        *as_steps(_statements(plan, aggregated, question.request.microaggregation.round)),
        *writing_steps(question, plan),
    )


def _statements(plan: Plan, aggregated: Sequence[Aggregated], rounding: Rounding) -> Iterator[Statement]:
    held = held_columns(aggregated)
    yield Statement("the records, in the order of their values", True, MICRODATA, pulled_statement(plan, aggregated))
    if any(each.may_be_missing for each in held):
        yield Statement("values that are no numbers", False, None, missing_statement(held))
    yield Statement("the classes that groups are within", False, None, classes_statement(plan))
    yield Statement("the records as numbers, to be grouped", False, None, numbers_statement(held))
    title = f"release, the shared values of each group ({GROUPS}{f', {ASSIGNED}' if plan.kept else ''} hold the groups)"
    yield Statement(title, False, DECIDED, decided_statement(plan, aggregated, rounding))
    yield Statement("release, sorted", False, SORTED, sorted_statement(plan, shown_statement(plan, 0)))
