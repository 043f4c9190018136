"""The output of `ordermade request` for histories: a check, an answer, a refusal, a request on record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ordermade.methods.histories.result import HistoryReport, HistoryResult
    from ordermade.requests.resolve_history import ResolvedHistory
    from ordermade.state.records.requests import RequestRecord

REQUEST_HEADINGS = ("column", "is", "unit", "sorted", "taxonomy", "level")
RELEASED_HEADINGS = ("column", "utility", "as it was", "interval or set", "deleted")


def sound(file: str, resolved: ResolvedHistory) -> str:
    """A check without mistakes, and the request, in one line."""
    columns = ", ".join(each.column for each in resolved.columns)
    customers = f"{resolved.request.k:,} customers or more, identified by {resolved.customer.column},"
    parts = [f"{file} is sound: {customers} share each history of {columns}"]
    parts.append(f"matched by {resolved.match}, clustered by {resolved.cluster}")
    if resolved.taxonomy is not None:
        parts.append(f"items at the level {resolved.taxonomy.level_name} of {resolved.taxonomy.file}")
    if resolved.map is not None:
        parts.append(f"{resolved.request.history.map} will map released rows to customers, and is secret")
    return "; ".join(parts)


def released_rows(result: HistoryResult) -> list[tuple[Any, ...]]:
    """The utility of each column, and how the cells of the dataset are released."""
    report, rows = result.history, result.rows or 1
    if report is None:
        return []
    found = []
    for each in report.columns:
        gone = result.suppressed_rows + each.deleted
        shares = (each.kept / rows, (rows - gone - each.kept) / rows, gone / rows)
        found.append((each.column, f"{each.utility:.4f}", *(f"{100 * share:.1f} %" for share in shares)))
    return found


def answer_facts(result: HistoryResult) -> Iterator[tuple[str, Any]]:
    """The method's own figures of a released request."""
    report = result.history
    if report is None:
        return
    yield "customers", _customers(report)
    yield "purchases", f"{report.fewest:,} to {report.most:,} of a customer are released"
    yield "method", _method(report)
    yield "source queries", result.cost.source_queries
    yield "seconds", round(result.cost.seconds, 2)


def _customers(report: HistoryReport) -> str:
    dropped = f"; {report.dropped:,} left over and dropped" if report.dropped else ""
    return f"{report.customers - report.dropped:,} in {report.clusters:,} clusters{dropped}"


def _method(report: HistoryReport) -> str:
    costly = ", costly values deleted" if report.delete_costly else ""
    level = "" if report.taxonomy_level is None else f", items as {report.taxonomy_level}"
    return f"matched by {report.match}, clustered by {report.cluster}{costly}{level}"


def request_rows(request: RequestRecord) -> list[tuple[Any, ...]]:
    """The columns of a request on record."""
    return [
        (
            each.column,
            each.role,
            each.unit,
            None if each.sort_place is None else each.sort_place + 1,
            each.taxonomy,
            each.level,
        )
        for each in request.history
    ]
