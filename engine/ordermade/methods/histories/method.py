"""The method `history`: its steps for `request explain`, and what check, answer and sweep call."""

from __future__ import annotations

from collections.abc import Iterator

from ordermade.counting.encoding import EncodedColumn, encode_column
from ordermade.counting.statements import Statement
from ordermade.counting.steps import person_statements
from ordermade.methods.histories.answer import answer_history
from ordermade.methods.histories.open_request import OpenHistory
from ordermade.methods.histories.records import (
    InUnits,
    Pulling,
    as_arrays,
    categories_of,
    item_labels,
    made_outside,
)
from ordermade.methods.histories.release import Settling
from ordermade.methods.histories.slots import (
    by_rank,
    filling,
    placing,
    summing_losses,
)
from ordermade.methods.histories.sweep import HistoryCurve
from ordermade.methods.histories.units import (
    CLUSTERS,
    MATCHED,
    measures_of,
)
from ordermade.methods.shared.explain import (
    Step,
    as_steps,
    grounding_steps,
    writing_steps,
)
from ordermade.methods.shared.method import Method, Recipe
from ordermade.methods.shared.open_request import RunContext
from ordermade.requests.resolve_history import ResolvedTaxonomy, resolve_history


def _categories(open_request: OpenHistory, taxonomy: ResolvedTaxonomy) -> EncodedColumn:
    """The column of items with its taxonomy, not yet counted."""
    return encode_column(open_request.dataset, 1, open_request.resolved.item.column, taxonomy.hierarchy, 0)


def statements_of(open_request: OpenHistory) -> Iterator[Statement]:
    """The statements of a request after the coverage of its taxonomy, up to the rows to write."""
    resolved, plan, measures = open_request.resolved, open_request.plan, measures_of(open_request.resolved)
    taxonomy, categories = resolved.taxonomy, None
    if taxonomy is not None:
        categories = _categories(open_request, taxonomy)
        yield item_labels(categories, taxonomy.level)
    yield from Pulling.of(plan, resolved)
    yield from InUnits.of(resolved, measures, categories)
    if made_outside(resolved):
        yield as_arrays(resolved, measures)
    if CLUSTERS not in made_outside(resolved):
        yield by_rank(plan.k)
    yield placing(measures, matched=MATCHED in made_outside(resolved))
    yield from filling(measures, delete_costly=resolved.delete_costly)
    yield summing_losses(measures, goods=taxonomy is not None)
    yield from Settling.of(plan)


class HistoryMethod(Method[OpenHistory]):
    """Purchase histories, each shared by k customers or more."""

    open_request = OpenHistory
    resolve = staticmethod(resolve_history)

    def cover(self, open_request: OpenHistory) -> object:
        """Check that the taxonomy lists every item of the dataset."""
        return categories_of(open_request.plan, open_request.resolved)

    def steps(self, open_request: OpenHistory, context: RunContext) -> Iterator[Step]:  # noqa: ARG002
        """The steps after the dataset version.

        Python clusters similar customers and matches purchases for the least loss; the tables `CLUSTERS` and `MATCHED`
        have its results. A column of floating-point numbers without a `unit` is shown with the unit 1.
        """
        yield from as_steps(open_request, person_statements(open_request.dataset))
        if open_request.resolved.taxonomy is not None:
            yield from grounding_steps(open_request, _categories(open_request, open_request.resolved.taxonomy))
        yield from as_steps(open_request, statements_of(open_request))
        yield from writing_steps(open_request, open_request.plan)

    def recipe(self) -> Recipe[OpenHistory]:
        """The release of histories that k customers or more share, or the reason why there is none."""
        return answer_history

    def curve(self, open_request: OpenHistory, context: RunContext) -> HistoryCurve:
        """The losses of the request by its k."""
        return HistoryCurve(open_request, context)


HISTORY = HistoryMethod()
