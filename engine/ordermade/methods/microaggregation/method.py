"""The method as the engine calls it: check, explain, answer, sweep."""

from __future__ import annotations

from collections.abc import Iterator

from ordermade.counting.coverage import encode_counted
from ordermade.counting.encoding import encode_column
from ordermade.methods.microaggregation.open_request import OpenMicroaggregation
from ordermade.methods.microaggregation.records import (
    group_values,
    record_statements,
)
from ordermade.methods.shared.explain import Step, as_steps, grounding_steps, writing_steps
from ordermade.methods.shared.method import Method, Recipe
from ordermade.methods.shared.open_request import RunContext
from ordermade.methods.shared.sweep import Curve
from ordermade.release.rows import sorting
from ordermade.requests.resolve_microaggregation import resolve_microaggregation


class MicroaggregationMethod(Method[OpenMicroaggregation]):
    """Microaggregation: groups of k records share their values."""

    open_request = OpenMicroaggregation
    resolve = staticmethod(resolve_microaggregation)

    def cover(self, open_request: OpenMicroaggregation) -> object:
        """Hold the hierarchies against their columns."""
        return open_request.plan(encode_counted), open_request.aggregated(encode_counted)

    def steps(self, open_request: OpenMicroaggregation, context: RunContext) -> Iterator[Step]:  # noqa: ARG002
        """The steps after the dataset version.

        The groups are made outside the database, between the records and the release: the tables `GROUPS` and
        `ASSIGNED` hold them.
        """
        plan, aggregated = open_request.plan(encode_column), open_request.aggregated(encode_column)
        for each in (*plan.attributes, *(each.grounded for each in aggregated if each.grounded is not None)):
            yield from grounding_steps(open_request, each)
        yield from as_steps(open_request, record_statements(plan, aggregated))
        yield from as_steps(open_request, [group_values(plan, aggregated, open_request.request.microaggregation.round)])
        yield from as_steps(open_request, [sorting(plan)])
        yield from writing_steps(open_request, plan)

    def recipe(self) -> Recipe[OpenMicroaggregation]:
        """The release of groups of k records, or the reason why there is none."""
        # The compiler of its functions is slow to import, and no other method needs it.
        from ordermade.methods.microaggregation.answer import answer_microaggregation

        return answer_microaggregation

    def curve(self, open_request: OpenMicroaggregation, context: RunContext) -> Curve[OpenMicroaggregation]:
        """The losses of the request by its k."""
        from ordermade.methods.microaggregation.sweep import GroupCurve

        return GroupCurve(open_request, context)


MICROAGGREGATION = MicroaggregationMethod()
"""The method as the engine calls it: check, explain, answer, sweep."""
