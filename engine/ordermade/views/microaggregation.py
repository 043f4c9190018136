"""The output of `ordermade request` for microaggregation: a check, an answer, a refusal, a request on record."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ordermade.methods.microaggregation.result import (
        CorrelationReport,
        MicroaggregationReport,
        MicroaggregationResult,
    )
    from ordermade.requests.microaggregation import MicroaggregationRequest
    from ordermade.requests.resolve_microaggregation import ResolvedMicroaggregation
    from ordermade.state.records.requests import RequestRecord

RELEASED_HEADINGS = ("attribute", "aggregate", "loss", "mean", "variance ratio")
REQUEST_HEADINGS = ("attribute", "weight", "hierarchy", "aggregate")
WITHIN_HEADINGS = ("within", "hierarchy", "level", "released at", "level name")
MAX_CORRELATIONS = 3
"""Correlations on the screen; all of them are in the JSON document."""


def sound(file: str, resolved: ResolvedMicroaggregation) -> str:
    """A check without mistakes, and the request, in one line."""
    request = resolved.request
    columns = ", ".join(
        each.column if each.hierarchy is None else f"{each.column} ({each.hierarchy.name})"
        for each in resolved.attributes
    )
    parts = [f"{file} is sound: groups of {request.k:,} rows or more, near in {columns}"]
    if resolved.within:
        parts.append("inside each class of " + ", ".join(_level(each) for each in resolved.within))
    return "; ".join([*parts, f"algorithm {request.microaggregation.algorithm}"])


def _level(within: Any) -> str:
    return f"{within.column} (level {within.level}, {within.hierarchy.levels[within.level].name})"


def released_rows(report: MicroaggregationReport) -> list[tuple[Any, ...]]:
    """The released form of each attribute, and its loss."""
    return [
        (each.column, each.aggregate, _share(each.loss), _mean(each.mean_before, each.mean_after), each.variance_ratio)
        for each in report.attributes
    ]


def _mean(before: float | None, after: float | None) -> str | None:
    """A mean before and after, once where it was kept to the digits shown."""
    if before is None or after is None:
        return None
    shown = [f"{mean:,.{_decimals(before)}f}" for mean in (before, after)]
    return f"{shown[0]} kept" if shown[0] == shown[1] else f"{shown[0]} -> {shown[1]}"


def _decimals(number: float) -> int:
    """As many decimals as make six digits, at least none."""
    size = math.floor(math.log10(abs(number))) if number else 0
    return min(max(5 - size, 0), 12)


def answer_facts(result: MicroaggregationResult, request: MicroaggregationRequest) -> Iterator[tuple[str, Any]]:
    """The figures of a released request."""
    report = result.microaggregation
    if report is None:
        return
    yield "groups", f"{report.groups:,} of {report.smallest:,} to {report.largest:,} rows"
    yield "classes of within", report.classes if request.within else None
    yield "blocks", _blocks(report)
    yield "algorithm", _algorithm(report, request)
    tried = [f"{each.algorithm} ({each.seconds:.2f} s)" for each in report.tried]
    yield "tried", tried if len(tried) > 1 else None
    yield "rounds", report.rounds or None
    rounding = f"SSE/SST {_share(report.rounding_over_sst)} of it"
    yield "rounding", rounding if request.microaggregation.round == "integer" else None
    yield "correlations", correlations(report.correlations)
    yield "source queries", result.cost.source_queries
    yield "seconds", round(result.cost.seconds, 2)


def _algorithm(report: MicroaggregationReport, request: MicroaggregationRequest) -> str:
    requested = request.microaggregation.algorithm
    improved = ", improved" if request.microaggregation.improve and report.algorithm != "optimal" else ""
    if not report.tried:
        return f"none was needed: fewer than {2 * request.k:,} rows are one group"
    return report.algorithm + (f", chosen by {requested}" if report.algorithm != requested else "") + improved


def _blocks(report: MicroaggregationReport) -> str | None:
    """The number of parts that were grouped by themselves, if that was not each class as a whole."""
    if report.blocks == report.classes:
        return None
    return f"{report.blocks:,}, each grouped by itself: there are too many rows to compare them all"


def _share(value: Any) -> str:
    return f"{100 * float(value):.4g} %"


def correlations(found: Iterable[CorrelationReport]) -> str | None:
    """The pairs whose correlation changed most, in words; None where there is none."""
    known = [(each, each.before, each.after) for each in found if each.before is not None and each.after is not None]
    known.sort(key=lambda each: -abs(each[2] - each[1]))
    shown = [
        f"{' and '.join(each.columns)} {before:.3f} -> {after:.3f}" for each, before, after in known[:MAX_CORRELATIONS]
    ]
    more = len(known) - len(shown)
    return "; ".join([*shown, *([f"{more:,} more changed less"] if more > 0 else [])]) or None


def request_rows(request: RequestRecord) -> list[tuple[Any, ...]]:
    """The attributes of a request on record."""
    return [(each.column, each.weight, each.hierarchy, each.aggregate) for each in request.attributes]


def within_rows(request: RequestRecord) -> list[tuple[Any, ...]]:
    """The columns inside whose classes a request on record groups."""
    return [
        (each.column, each.hierarchy, each.from_level, each.chosen_level, each.chosen_level_name)
        for each in request.quasi_identifiers
    ]
