"""The method as the engine calls it: check, explain, answer, sweep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlglot import exp

from ordermade import sql
from ordermade.counting.encoding import EncodedColumn, encode_column
from ordermade.counting.numeric_records import missing_statement
from ordermade.counting.record_tables import MICRODATA
from ordermade.counting.steps import Statement
from ordermade.methods.histories.answer import answer_history
from ordermade.methods.histories.open_request import OpenHistory
from ordermade.methods.histories.records import (
    arrays_statement,
    categories_of,
    customers_statement,
    goods_statement,
    held_columns,
    items_statement,
    moments_statement,
    pulled_statement,
    purchases_statement,
    ranges_statement,
)
from ordermade.methods.histories.release import (
    PSEUDONYMS,
    SORTED_SLOTS,
    classes_statement,
    pseudonyms_statement,
    released_statement,
    sorted_statement,
)
from ordermade.methods.histories.slots import (
    clusters_statement,
    losses_statement,
    placed_as_matched_statement,
    placed_by_rank_statement,
    shown_statement,
    slots_statement,
    viewed,
)
from ordermade.methods.histories.sweep import HistoryCurve
from ordermade.methods.histories.units import (
    CLUSTERS,
    CUSTOMERS,
    GOODS,
    ITEMS,
    MATCHED,
    PLACED,
    PURCHASES,
    SHOWN,
    SLOTS,
    Measure,
    measures_of,
    tried,
    uneven_statement,
)
from ordermade.methods.shared.explain import (
    Step,
    as_steps,
    grounding_steps,
    stored_text,
    writing_steps,
)
from ordermade.methods.shared.method import Method
from ordermade.methods.shared.open_request import RunContext
from ordermade.methods.shared.result import Result
from ordermade.release.plan import SORTED
from ordermade.release.rows import labels_statement, labels_table
from ordermade.requests.read import ReadRequest


def steps(open_request: OpenHistory) -> Iterator[Step]:
    """The statements of the request in order.

    Where similar customers are clustered, or purchases are matched so that they lose least, that is done outside the
    database: the tables `CLUSTERS` and `MATCHED` hold it. Floating-point numbers without a given unit are shown as if
    it were 1.
    """
    resolved = open_request.resolved
    measures = measures_of(resolved)
    taxonomy, categories = resolved.taxonomy, None
    if taxonomy is not None:
        categories = encode_column(open_request.dataset, 1, resolved.item.column, taxonomy.hierarchy, 0)
    if categories is not None:
        yield from grounding_steps(open_request, categories)
    yield from as_steps(open_request, _records(open_request, measures, categories))
    yield from _placed(open_request, measures)
    yield from _released(open_request, measures)
    yield from writing_steps(open_request, open_request.plan)


def _records(
    open_request: OpenHistory, measures: Sequence[Measure], categories: EncodedColumn | None
) -> Iterator[Statement]:
    resolved = open_request.resolved
    if categories is not None and resolved.taxonomy is not None:
        labels = labels_statement(categories, resolved.taxonomy.level)
        yield Statement("the category of each item", False, labels_table(categories), labels)
    yield Statement(
        "the purchases", True, MICRODATA, pulled_statement(open_request.plan, resolved, measures), part="pulled"
    )
    yield Statement("purchases without a value", False, None, missing_statement(held_columns(resolved, measures)))
    tested = tried(measures, resolved)
    if tested:
        yield Statement("numbers that are no whole number of units", False, None, uneven_statement(tested))
    yield Statement("the customers, by their number of purchases", False, CUSTOMERS, customers_statement())
    yield Statement("the goods", False, GOODS, goods_statement(categories))
    yield Statement("the items released for goods", False, ITEMS, items_statement())
    title = "the purchases in whole numbers of units, customer by customer"
    yield Statement(title, False, PURCHASES, purchases_statement(resolved, measures))
    yield Statement("the ranges of the numbers", False, None, ranges_statement(measures))
    yield Statement("the sums for standard deviations", False, None, moments_statement(measures))


def _placed(open_request: OpenHistory, measures: Sequence[Measure]) -> Iterator[Step]:
    resolved = open_request.resolved
    outside = [CLUSTERS] if resolved.cluster == "similar" else []
    outside += [MATCHED] if resolved.match == "optimal" else []
    if outside:
        title = f"the purchases as arrays, out of which {' and '.join(outside)} are made outside the database"
        yield from as_steps(open_request, [Statement(title, False, None, arrays_statement(measures))])
    if CLUSTERS not in outside:
        clusters = Statement("clusters of customers", False, CLUSTERS, clusters_statement(open_request.request.k))
        yield from as_steps(open_request, [clusters])
    matched = placed_as_matched_statement(measures) if MATCHED in outside else placed_by_rank_statement(measures)
    yield _view("which purchases become alike", PLACED, matched)


def _released(open_request: OpenHistory, measures: Sequence[Measure]) -> Iterator[Step]:
    delete_costly = open_request.resolved.delete_costly
    slots = slots_statement(measures, delete_costly=delete_costly)
    yield Step("the shared values of each slot", "workspace", stored_text(SLOTS, slots))
    yield _view("the released values of each slot", SHOWN, shown_statement(measures))
    goods = open_request.resolved.taxonomy is not None
    plan = open_request.plan
    yield from as_steps(
        open_request,
        (
            Statement("the losses", False, None, losses_statement(measures, goods=goods)),
            Statement("release, pseudonyms", False, PSEUDONYMS, pseudonyms_statement()),
            Statement("release, slots in their order", False, SORTED_SLOTS, sorted_statement(plan)),
        ),
    )
    yield _view("release, the purchases of every customer", SORTED, released_statement(plan))
    yield from as_steps(
        open_request, [Statement("release, clusters with the same history", False, None, classes_statement(plan))]
    )


def _view(title: str, name: str, query: exp.Query) -> Step:
    return Step(title, "workspace", sql.text(viewed(name, query), pretty=True))


class History(Method[OpenHistory]):
    """Histories that k customers share."""

    open_request = OpenHistory

    def cover(self, open_request: OpenHistory) -> object:
        """Hold the taxonomy against the items."""
        return categories_of(open_request.plan, open_request.resolved)

    def steps(self, open_request: OpenHistory, context: RunContext) -> Iterator[Step]:  # noqa: ARG002
        """The steps after the dataset version."""
        return steps(open_request)

    def answer(self, read: ReadRequest[Any], context: RunContext) -> Result:
        """The release of histories that k customers or more share, or the reason why there is none."""
        return answer_history(read, context)

    def curve(self, open_request: OpenHistory, context: RunContext) -> HistoryCurve:
        """The losses of the request by its k."""
        return HistoryCurve(open_request, context)


HISTORY = History()
"""The method as the engine calls it: check, explain, answer, sweep."""
