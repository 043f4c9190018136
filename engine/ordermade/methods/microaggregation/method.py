"""The method as the engine calls it: check, explain, answer, sweep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ordermade.counting.coverage import ground
from ordermade.counting.encoding import outline
from ordermade.counting.numeric_records import missing_statement, numbers_statement
from ordermade.counting.record_tables import ASSIGNED, GROUPS, MICRODATA
from ordermade.counting.steps import Statement
from ordermade.methods.microaggregation.algorithm.methods import Rounding
from ordermade.methods.microaggregation.open_request import Aggregated, OpenMicroaggregation, open_request
from ordermade.methods.microaggregation.records import (
    classes_statement,
    decided_statement,
    held_columns,
    pulled_statement,
)
from ordermade.methods.shared.explain import Step, as_steps, grounding_steps, opening_steps, writing_steps
from ordermade.methods.shared.open_request import Examined, RunContext, checked_request, examined
from ordermade.methods.shared.result import Result
from ordermade.methods.shared.sweep import RequestMethod, Sweep
from ordermade.release.plan import DECIDED, SORTED, Plan
from ordermade.release.rows import shown_statement, sorted_statement
from ordermade.requests.microaggregation import MicroaggregationRequest
from ordermade.requests.read import ReadRequest
from ordermade.requests.resolve_microaggregation import ResolvedMicroaggregation, resolve_microaggregation


def steps(question: OpenMicroaggregation) -> tuple[Step, ...]:
    """The statements of the request in order.

    The groups are made outside the database, between the records and the release: the tables `GROUPS` and `ASSIGNED`
    hold them.
    """
    plan, aggregated = question.plan(outline), question.aggregated(outline)
    grounded = (*plan.attributes, *(each.grounded for each in aggregated if each.grounded is not None))
    return (
        *opening_steps(question),
        *(step for each in grounded for step in grounding_steps(question, each)),
        *as_steps(question, _statements(plan, aggregated, question.request.microaggregation.round)),
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


def checked(read: ReadRequest[MicroaggregationRequest], setting: RunContext) -> ResolvedMicroaggregation:
    """Resolve the request against its dataset. Raises RequestError with every mistake."""
    return checked_request(setting.state, setting.limits, read, resolve_microaggregation)


def looked_at(read: ReadRequest[MicroaggregationRequest], setting: RunContext) -> Examined:
    """Check the request against its data too. Raises RequestError, HierarchyError, Refused."""
    with open_request(setting.state, setting.limits, read) as question:
        return examined(question, lambda: (question.plan(ground), question.aggregated(ground)))


def explained(read: ReadRequest[MicroaggregationRequest], setting: RunContext) -> tuple[Step, ...]:
    """The SQL of every step. Raises RequestError with every mistake."""
    with open_request(setting.state, setting.limits, read) as question:
        return steps(question)


def answered(read: ReadRequest[MicroaggregationRequest], setting: RunContext) -> Result:
    """The release, or the reason why there is none. Raises InputError, SourceFault, StateFault, ReleaseFault."""
    # The compiler of the methods is slow to import, and no other method needs it.
    from ordermade.methods.microaggregation.answer import answer_microaggregation

    return answer_microaggregation(read, setting)


def swept(read: ReadRequest[MicroaggregationRequest], ks: Sequence[int], setting: RunContext) -> Sweep:
    """The loss at each k, nothing released. Raises InputError, SourceFault, StateFault."""
    from ordermade.methods.microaggregation.sweep import microaggregation_swept

    return microaggregation_swept(read, ks, setting)


MICROAGGREGATION = RequestMethod(checked, looked_at, explained, answered, swept)
