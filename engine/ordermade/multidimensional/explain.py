"""The SQL of every step of a request for Mondrian, as it would run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ordermade.answering.explain import (
    Step,
    as_steps,
    grounding_steps,
    opening_steps,
    sensitive_steps,
    writing_steps,
)
from ordermade.measuring.grounding import outline
from ordermade.measuring.sensitive import outline_sensitive
from ordermade.measuring.steps import Statement, person_statements
from ordermade.multidimensional.columns import Form, Wanted
from ordermade.multidimensional.question import Question
from ordermade.multidimensional.statements import (
    beside,
    by_record,
    decided_statement,
    held_columns,
    pulled_statement,
)
from ordermade.release.columns import sorted_statement
from ordermade.release.decide import Counted, failing_classes_statement
from ordermade.release.plan import DECIDED, SORTED, Plan
from ordermade.release.settle import PSEUDONYMS, pseudonyms_statement, shown_statement
from ordermade.release.steps import class_statements
from ordermade.slices.numbers import missing_statement, numbers_statement
from ordermade.slices.tables import ASSIGNED, GROUPS, MICRODATA


def steps(question: Question) -> tuple[Step, ...]:
    """The statements of the request in order.

    Between the records and the release the classes are split, outside the database: the tables `GROUPS` and `ASSIGNED`
    hold them.
    """
    plan, wanted = question.plan(outline_sensitive), question.wanted(outline)
    return (
        *opening_steps(question),
        *as_steps(person_statements(question.dataset)),
        *(step for each in wanted if each.grounded is not None for step in grounding_steps(question, each.grounded)),
        *(step for each in plan.sensitive for step in sensitive_steps(question, each)),
        *as_steps(_records(question, plan, wanted)),
        *as_steps(_release(question, plan, wanted)),
        *writing_steps(question, plan),
    )


def _records(question: Question, plan: Plan, wanted: Sequence[Wanted]) -> Iterator[Statement]:
    ordered, target = not question.resolved.strict, question.resolved.target
    title = "the records, in the order of their values" if ordered else "the records"
    yield Statement(title, True, MICRODATA, pulled_statement(plan, wanted, ordered=ordered, target=target))
    held = held_columns(wanted)
    if any(each.may_be_missing for each in held):
        missing = missing_statement([each for each in held if each.may_be_missing])
        yield Statement("rows without a value", False, None, missing)
    yield Statement("the records, to be split", False, None, numbers_statement([*held, *beside(plan, target)]))


def _release(question: Question, plan: Plan, wanted: Sequence[Wanted]) -> Iterator[Statement]:
    """The release, as if every column that may have rows at several levels had them."""
    numbers = question.resolved.labels in ("mean", "median")
    forms: list[Form] = ["numbers" if numbers and each.kind == "ordered" else "texts" for each in wanted]
    title = f"release, the labels of each class ({GROUPS}{f', {ASSIGNED}' if by_record(plan) else ''} hold the classes)"
    yield Statement(title, False, DECIDED, decided_statement(plan, wanted, forms))
    if plan.entity and plan.sensitive:
        counted = replace(Counted.of(plan), table=DECIDED)
        yield from class_statements(counted)
        failing = failing_classes_statement(counted, plan.k)
        yield Statement("release, classes that fail: there are none", False, None, failing)
    if plan.pseudonym is not None:
        yield Statement("release, pseudonyms", False, PSEUDONYMS, pseudonyms_statement())
    yield Statement("release, sorted", False, SORTED, sorted_statement(plan, shown_statement(plan, 0)))
