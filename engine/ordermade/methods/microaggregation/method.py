"""The method as the engine calls it: check, explain, answer, sweep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ordermade.counting.coverage import encode_counted
from ordermade.counting.encoding import encode_column
from ordermade.counting.numeric_records import missing_statement, numbers_statement
from ordermade.counting.record_tables import ASSIGNED, GROUPS, MICRODATA
from ordermade.counting.steps import Statement
from ordermade.methods.microaggregation.algorithm.methods import Rounding
from ordermade.methods.microaggregation.open_request import Aggregated, OpenMicroaggregation
from ordermade.methods.microaggregation.records import (
    classes_statement,
    decided_statement,
    held_columns,
    pulled_statement,
)
from ordermade.methods.shared.explain import Step, as_steps, grounding_steps, writing_steps
from ordermade.methods.shared.method import Method
from ordermade.methods.shared.open_request import RunContext
from ordermade.methods.shared.result import Result
from ordermade.methods.shared.sweep import Curve
from ordermade.release.plan import DECISIONS, SORTED, Plan
from ordermade.release.rows import shown_statement, sorted_statement
from ordermade.requests.read import ReadRequest


def steps(open_request: OpenMicroaggregation) -> Iterator[Step]:
    """The statements of the request in order.

    The groups are made outside the database, between the records and the release: the tables `GROUPS` and `ASSIGNED`
    hold them.
    """
    plan, aggregated = open_request.plan(encode_column), open_request.aggregated(encode_column)
    grounded = (*plan.attributes, *(each.grounded for each in aggregated if each.grounded is not None))
    for each in grounded:
        yield from grounding_steps(open_request, each)
    yield from as_steps(open_request, _statements(plan, aggregated, open_request.request.microaggregation.round))
    yield from writing_steps(open_request, plan)


def _statements(plan: Plan, aggregated: Sequence[Aggregated], rounding: Rounding) -> Iterator[Statement]:
    held = held_columns(aggregated)
    yield Statement("the records, in the order of their values", True, MICRODATA, pulled_statement(plan, aggregated))
    if any(each.may_be_missing for each in held):
        yield Statement("values that are no numbers", False, None, missing_statement(held))
    yield Statement("the classes that groups are within", False, None, classes_statement(plan))
    yield Statement("the records as numbers, to be grouped", False, None, numbers_statement(held))
    title = f"release, the shared values of each group ({GROUPS}{f', {ASSIGNED}' if plan.kept else ''} hold the groups)"
    yield Statement(title, False, DECISIONS, decided_statement(plan, aggregated, rounding))
    yield Statement("release, sorted", False, SORTED, sorted_statement(plan, shown_statement(plan, 0)))


class Microaggregation(Method[OpenMicroaggregation]):
    """Microaggregation: groups of k records share their values."""

    open_request = OpenMicroaggregation

    def cover(self, open_request: OpenMicroaggregation) -> object:
        """Hold the hierarchies against their columns."""
        return open_request.plan(encode_counted), open_request.aggregated(encode_counted)

    def steps(self, open_request: OpenMicroaggregation, context: RunContext) -> Iterator[Step]:  # noqa: ARG002
        """The steps after the dataset version."""
        return steps(open_request)

    def answer(self, read: ReadRequest[Any], context: RunContext) -> Result:
        """The release of groups of k records, or the reason why there is none."""
        # The compiler of its functions is slow to import, and no other method needs it.
        from ordermade.methods.microaggregation.answer import answer_microaggregation

        return answer_microaggregation(read, context)

    def curve(self, open_request: OpenMicroaggregation, context: RunContext) -> Curve[OpenMicroaggregation]:
        """The losses of the request by its k."""
        from ordermade.methods.microaggregation.sweep import GroupCurve

        return GroupCurve(open_request, context)


MICROAGGREGATION = Microaggregation()
"""The method as the engine calls it: check, explain, answer, sweep."""
