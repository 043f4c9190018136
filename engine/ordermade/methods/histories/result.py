"""The result of a request for histories: clusters, deletions, losses of each column, warnings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from ordermade import sql
from ordermade.counting.dataset import Version
from ordermade.errors import quoted
from ordermade.loss.shapes import HistoryLoss, NoLoss
from ordermade.loss.shares import LossValues
from ordermade.methods.histories.open_request import OpenHistory
from ordermade.methods.histories.records import Purchases
from ordermade.methods.histories.release import HistoryCounts
from ordermade.methods.histories.slots import HistoryLosses, SlotLoss
from ordermade.methods.shared.open_request import Costs
from ordermade.methods.shared.release_record import MethodSummary
from ordermade.methods.shared.result import Result, cost
from ordermade.privacy.least_k import in_words, numbered
from ordermade.records.cards import Grid
from ordermade.records.cells import counted
from ordermade.records.printed import json_of
from ordermade.requests.filter_parser import in_a_request
from ordermade.state.releases import ReleaseColumn


@dataclass(frozen=True, slots=True)
class HistoryReport:
    """The clusters of a release of purchase histories."""

    match: str
    """The way purchases were put together."""
    cluster: str
    """The way customers were put together."""
    delete_costly: bool
    """Whether purchases that cost most are deleted."""
    customers: int
    """The customers of the dataset."""
    dropped: int
    """Those of them that are not released."""
    clusters: int
    """The clusters of k customers."""
    fewest: int
    """The fewest released purchases of a customer."""
    most: int
    """The most released purchases of a customer."""
    columns: tuple[SlotLoss, ...]
    """The columns."""
    taxonomy_level: str | None = None
    """The level of categories that are released instead of items."""
    map: str | None = None
    """The file of the truth."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class HistoryResult(Result):
    """The answer to one request for histories."""

    loss: Annotated[LossValues, HistoryLoss | NoLoss] = field(default_factory=dict)
    """The losses by metric; none of a refusal."""
    method: Annotated[str, Literal["history"]] = ""
    """`history`."""

    history: HistoryReport | None = None
    """The clusters of the release; null of a refusal."""
    cost: Costs
    """The statements that ran in the source."""

    def _own_facts(self) -> Iterator[tuple[str, Any]]:
        report = self.history
        if report is not None:
            yield "customers", f"{report.customers - report.dropped:,} in {counted(report.clusters, 'cluster')}"
            yield "method", f"matched by {report.match}, clustered by {report.cluster}"
        yield "cost", cost(self.cost.source_queries, self.cost.seconds)

    def _grids(self) -> Iterator[Grid]:
        columns = () if self.history is None else self.history.columns
        yield Grid(("column", "utility"), [(each.column, each.utility) for each in columns])


def losses_of(lost: HistoryLosses, k: int) -> LossValues:
    """The losses by name, as in `loss` of the answer (the PWSCUP paper, section 3): lower is better."""
    safety = 1 / k
    losses: dict[str, float | Mapping[str, float | None]] = {
        "utility": lost.utility,
        "utility_by_column": {each.column: each.utility for each in lost.columns},
        "deleted_share": lost.deleted_share,
        "safety": safety,
        "total": lost.utility + safety,
    }
    if lost.utility_as_categories is not None:
        losses["utility_as_categories"] = lost.utility_as_categories
    return losses


def report_of(open_request: OpenHistory, lost: HistoryLosses, figures: HistoryCounts) -> HistoryReport:
    """The report on how the histories of the release were made."""
    resolved = open_request.resolved
    return HistoryReport(
        match=resolved.match,
        cluster=resolved.cluster,
        delete_costly=resolved.delete_costly,
        customers=figures.customers,
        dropped=figures.customers - figures.clustered,
        clusters=figures.clustered // open_request.request.k,
        fewest=figures.fewest,
        most=figures.most,
        columns=lost.columns,
        taxonomy_level=None if resolved.taxonomy is None else resolved.taxonomy.level_name,
        map=None if resolved.map is None else str(resolved.map),
    )


def warnings_of(purchases: Purchases) -> Iterator[str]:
    """Warnings about the purchases, in counts."""
    least_k = purchases.plan.dataset.least_k
    for measure, negative in zip(purchases.measures[1:], purchases.negatives[1:], strict=True):
        if negative:
            condition = f"{sql.text(sql.column(measure.column))} >= 0"
            yield (
                f"{numbered(negative, 'row has', 'rows have', least_k)} a {quoted(measure.column)} below 0, as of "
                f"returned goods: they are released as purchases. Leave them out with `{in_a_request(condition)}`."
            )
    if 2 * purchases.most > purchases.rows:
        yield (
            f"one customer has {in_words(purchases.most, least_k)} of the {purchases.rows:,} rows, of which no more "
            "are released than the others in the cluster have. Leave the customer out with `where` if it is no person."
        )


def method_summary(
    open_request: OpenHistory, report: HistoryReport, losses: LossValues, request_id: int, version: Version
) -> MethodSummary:
    """The record of the release in the state and the manifest."""
    resolved = open_request.resolved
    item = "set" if resolved.taxonomy is None else f"set of {resolved.taxonomy.level_name}"
    as_released = {each.column: "interval" for each in resolved.columns} | {resolved.item.column: item}
    return MethodSummary(
        request_id=request_id,
        version=version,
        losses=losses,
        columns=tuple(
            ReleaseColumn(column, "quasi-identifier", None, released) for column, released in as_released.items()
        ),
        manifest={"history": _open(report)},
        open_losses=open_losses(losses),
        shares={each.column: each.utility for each in report.columns},
    )


def open_losses(losses: LossValues) -> LossValues:
    """The losses that the manifest may publish: without utilities.

    Where few purchases are deleted, exact utilities reveal their values: the ends of intervals and the standard
    deviation leave few values that fit the sum of errors.
    """
    return {name: losses[name] for name in ("deleted_share", "safety")}


def _open(report: HistoryReport) -> Mapping[str, Any]:
    """The report without the path of the map, and without utilities."""
    content: dict[str, Any] = json_of(report)
    del content["map"]
    for column in content["columns"]:
        del column["utility"]
    return content
