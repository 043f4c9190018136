"""The method as the engine calls it: check, explain, answer, sweep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ordermade.counting.counts import outline_sensitive
from ordermade.counting.coverage import encode_counted
from ordermade.counting.encoding import encode_column
from ordermade.counting.statements import Statement
from ordermade.counting.steps import person_statements
from ordermade.methods.mondrian.coded_columns import (
    by_record,
    class_labels,
    classes_together,
)
from ordermade.methods.mondrian.combination import (
    Combination,
    combination_of,
    combination_statements,
    is_counted,
)
from ordermade.methods.mondrian.open_request import Form, OpenMondrian, PlannedColumn
from ordermade.methods.mondrian.own_values import own_values
from ordermade.methods.mondrian.records import row_statements
from ordermade.methods.shared.explain import (
    Step,
    as_steps,
    grounding_steps,
    sensitive_steps,
    writing_steps,
)
from ordermade.methods.shared.method import Method, Recipe
from ordermade.methods.shared.open_request import RunContext
from ordermade.methods.shared.sweep import Curve
from ordermade.release.plan import Plan
from ordermade.release.rows import (
    giving_pseudonyms,
    sorting,
)
from ordermade.requests.resolve_mondrian import resolve_mondrian


def release_statements(
    open_request: OpenMondrian, plan: Plan, wanted: Sequence[PlannedColumn], combination: Combination | None
) -> Iterator[Statement]:
    """The statements of the release, as if every column that may have rows at several levels had them."""
    numbers = open_request.resolved.labels in ("mean", "median")
    forms: list[Form] = ["numbers" if numbers and each.kind == "ordered" else "texts" for each in wanted]
    if by_record(plan) and combination is not None:
        yield from own_values(plan, combination, wanted)
    yield class_labels(plan, wanted, forms, counted=combination is not None)
    if plan.entity and plan.sensitive:
        yield from classes_together(plan)
    yield from giving_pseudonyms(plan)
    yield sorting(plan)


class MondrianMethod(Method[OpenMondrian]):
    """Mondrian: classes split as often as they may be."""

    open_request = OpenMondrian
    resolve = staticmethod(resolve_mondrian)

    def cover(self, open_request: OpenMondrian) -> object:
        """Hold the hierarchies against their columns."""
        return open_request.wanted(encode_counted)

    def steps(self, open_request: OpenMondrian, context: RunContext) -> Iterator[Step]:  # noqa: ARG002
        """The steps after the dataset version.

        Between the records and the release the classes are split, outside the database: the tables `GROUPS` and
        `ASSIGNED` hold them.
        """
        plan, wanted, resolved = (
            open_request.plan(outline_sensitive),
            open_request.wanted(encode_column),
            open_request.resolved,
        )
        yield from as_steps(open_request, person_statements(open_request.dataset))
        for one in wanted:
            if one.grounded is not None:
                yield from grounding_steps(open_request, one.grounded)
        for each in plan.sensitive:
            yield from sensitive_steps(open_request, each)
        combination = None
        if is_counted(wanted, strict=resolved.strict):
            combination = combination_of(plan, wanted, resolved.target)
            yield from as_steps(open_request, combination_statements(plan.dataset, wanted, combination))
        else:
            ordered = not resolved.strict
            yield from as_steps(open_request, row_statements(plan, wanted, ordered=ordered, target=resolved.target))
        yield from as_steps(open_request, release_statements(open_request, plan, wanted, combination))
        yield from writing_steps(open_request, plan)

    def recipe(self) -> Recipe[OpenMondrian]:
        """The release of classes that were split, or the reason why there is none."""
        # The compiler of its functions is slow to import, and no other method needs it.
        from ordermade.methods.mondrian.answer import answer_mondrian

        return answer_mondrian

    def curve(self, open_request: OpenMondrian, context: RunContext) -> Curve[OpenMondrian]:
        """The losses of the request by its k."""
        from ordermade.methods.mondrian.sweep import SplitCurve

        return SplitCurve(open_request, context)


MONDRIAN = MondrianMethod()
"""The method as the engine calls it: check, explain, answer, sweep."""
