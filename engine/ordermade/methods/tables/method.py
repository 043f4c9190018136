"""The method `table`: its steps for `request explain`, and what check, answer and sweep call."""

from __future__ import annotations

from collections.abc import Iterator

from ordermade.counting.steps import person_statements
from ordermade.methods.shared.explain import Step, as_steps, grounding_steps
from ordermade.methods.shared.method import Method, Recipe
from ordermade.methods.shared.open_request import RunContext
from ordermade.methods.shared.sweep import Curve
from ordermade.methods.tables.open_request import OpenTables
from ordermade.methods.tables.records import cover, statements_of
from ordermade.requests.resolve_table import resolve_table


class TablesMethod(Method[OpenTables]):
    """Tables with totals, in which every suppressed cell is proved to be k wide or more."""

    open_request = OpenTables
    resolve = staticmethod(resolve_table)

    def cover(self, open_request: OpenTables) -> object:
        """Hold the hierarchies against their columns."""
        return cover(open_request)

    def steps(self, open_request: OpenTables, context: RunContext) -> Iterator[Step]:  # noqa: ARG002
        """The steps after the dataset version: the finest cells are counted, all else is worked out from them."""
        if open_request.resolved.entity is not None:
            yield from as_steps(open_request, person_statements(open_request.dataset))
        for each in open_request.outlined():
            yield from grounding_steps(open_request, each)
        yield from as_steps(open_request, statements_of(open_request))

    def recipe(self) -> Recipe[OpenTables]:
        """The tables, or the reason why there are none."""
        # Linear programs are slow to import, and no other method needs them.
        from ordermade.methods.tables.answer import answer_tables

        return answer_tables

    def curve(self, open_request: OpenTables, context: RunContext) -> Curve[OpenTables]:
        """The suppressed cells of the request by its k."""
        from ordermade.methods.tables.sweep import TablesCurve

        return TablesCurve(open_request, context)


TABLES = TablesMethod()
"""The method as the engine calls it: check, explain, answer, sweep."""
