"""The method as the engine calls it: check, explain, answer, sweep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ordermade.counting.counts import NARROW, outline_sensitive
from ordermade.counting.coverage import encode_counted
from ordermade.counting.encoding import encode_column
from ordermade.counting.frequency_set import frequency_set_statement, share_of
from ordermade.counting.numeric_records import missing_statement, numbers_statement
from ordermade.counting.record_tables import ASSIGNED, GROUPS, MICRODATA, OWN, PLACED
from ordermade.counting.steps import Statement, person_statements, value_statements
from ordermade.methods.mondrian.coded_columns import (
    beside,
    by_record,
    decided_statement,
    held_columns,
    pulled_statement,
)
from ordermade.methods.mondrian.combination import Combination, combination_of, is_counted, numbers_of
from ordermade.methods.mondrian.open_request import Form, OpenMondrian, PlannedColumn
from ordermade.methods.mondrian.own_values import (
    from_combinations,
    of_combinations_statement,
    of_rows_statement,
    placed_statement,
)
from ordermade.methods.shared.explain import (
    Step,
    as_steps,
    grounding_steps,
    sensitive_steps,
    writing_steps,
)
from ordermade.methods.shared.method import Method
from ordermade.methods.shared.open_request import RunContext
from ordermade.methods.shared.result import Result
from ordermade.methods.shared.sweep import Curve
from ordermade.release.plan import DECISIONS, SORTED, Plan
from ordermade.release.rows import PSEUDONYMS, pseudonyms_statement, shown_statement, sorted_statement
from ordermade.release.steps import class_statements
from ordermade.release.suppress import Counted, failing_classes_statement
from ordermade.requests.read import ReadRequest


def steps(open_request: OpenMondrian) -> Iterator[Step]:
    """The statements of the request in order.

    Between the records and the release the classes are split, outside the database: the tables `GROUPS` and `ASSIGNED`
    hold them.
    """
    plan, wanted = open_request.plan(outline_sensitive), open_request.wanted(encode_column)
    combination = None
    if is_counted(wanted, strict=open_request.resolved.strict):
        combination = combination_of(plan, wanted, open_request.resolved.target)
    yield from as_steps(open_request, person_statements(open_request.dataset))
    for one in wanted:
        if one.grounded is not None:
            yield from grounding_steps(open_request, one.grounded)
    for each in plan.sensitive:
        yield from sensitive_steps(open_request, each)
    yield from as_steps(open_request, _records(open_request, plan, wanted, combination))
    yield from as_steps(open_request, _release(open_request, plan, wanted, combination))
    yield from writing_steps(open_request, plan)


def _records(
    open_request: OpenMondrian, plan: Plan, wanted: Sequence[PlannedColumn], combination: Combination | None
) -> Iterator[Statement]:
    if combination is None:
        yield from _rows(open_request, plan, wanted)
        return
    rows = replace(plan.dataset, entity=None)
    for each in combination.values:
        yield from value_statements(rows, each)
    for one in wanted:
        held = one.held("key")
        if held.may_be_missing:
            missing = missing_statement([held], combination.numbers[one.column].values)
            yield Statement(f"rows without a value of {one.column}", False, None, missing)
    attributes, counting = combination.attributes, combination.counting
    counted = frequency_set_statement(open_request.dataset, attributes, counting)
    yield Statement("frequency set", True, NARROW, counted, share=share_of(attributes, counting))
    yield Statement("the combinations, to be split", False, None, numbers_of(combination))


def _rows(open_request: OpenMondrian, plan: Plan, wanted: Sequence[PlannedColumn]) -> Iterator[Statement]:
    ordered, target = not open_request.resolved.strict, open_request.resolved.target
    title = "the records, in the order of their values" if ordered else "the records"
    yield Statement(title, True, MICRODATA, pulled_statement(plan, wanted, ordered=ordered, target=target))
    held = held_columns(wanted)
    if any(each.may_be_missing for each in held):
        missing = missing_statement([each for each in held if each.may_be_missing])
        yield Statement("rows without a value", False, None, missing)
    yield Statement("the records, to be split", False, None, numbers_statement([*held, *beside(plan, target)]))


def _release(
    open_request: OpenMondrian, plan: Plan, wanted: Sequence[PlannedColumn], combination: Combination | None
) -> Iterator[Statement]:
    """The release, as if every column that may have rows at several levels had them."""
    numbers = open_request.resolved.labels in ("mean", "median")
    forms: list[Form] = ["numbers" if numbers and each.kind == "ordered" else "texts" for each in wanted]
    if by_record(plan) and combination is not None:
        title = f"release, the rows of each class ({ASSIGNED} holds the class of each combination)"
        if from_combinations(plan):
            yield Statement(title, False, OWN, of_combinations_statement(plan))
        else:
            placed = placed_statement(combination, wanted)
            yield Statement(title, False, PLACED, placed)
            own = of_rows_statement(plan, combination, wanted)
            yield Statement("release, the rows of the source by class", True, OWN, own, part="pulled")
    holds = f", {ASSIGNED}" if by_record(plan) and combination is None else ""
    title = f"release, the labels of each class ({GROUPS}{holds} hold{'' if holds else 's'} the classes)"
    decided = decided_statement(plan, wanted, forms, counted=combination is not None)
    yield Statement(title, False, DECISIONS, decided)
    if plan.entity and plan.sensitive:
        counted = replace(Counted.of(plan), table=DECISIONS)
        yield from class_statements(counted)
        failing = failing_classes_statement(counted, plan.k)
        yield Statement("release, classes that fail: there are none", False, None, failing)
    if plan.pseudonym is not None:
        yield Statement("release, pseudonyms", False, PSEUDONYMS, pseudonyms_statement())
    yield Statement("release, sorted", False, SORTED, sorted_statement(plan, shown_statement(plan, 0)))


class Mondrian(Method[OpenMondrian]):
    """Mondrian: classes split as often as they may be."""

    open_request = OpenMondrian

    def cover(self, open_request: OpenMondrian) -> object:
        """Hold the hierarchies against their columns."""
        return open_request.wanted(encode_counted)

    def steps(self, open_request: OpenMondrian, context: RunContext) -> Iterator[Step]:  # noqa: ARG002
        """The steps after the dataset version."""
        return steps(open_request)

    def answer(self, read: ReadRequest[Any], context: RunContext) -> Result:
        """The release of classes that were split, or the reason why there is none."""
        # The compiler of its functions is slow to import, and no other method needs it.
        from ordermade.methods.mondrian.answer import answer_mondrian

        return answer_mondrian(read, context)

    def curve(self, open_request: OpenMondrian, context: RunContext) -> Curve[OpenMondrian]:
        """The losses of the request by its k."""
        from ordermade.methods.mondrian.sweep import SplitCurve

        return SplitCurve(open_request, context)


MONDRIAN = Mondrian()
"""The method as the engine calls it: check, explain, answer, sweep."""
