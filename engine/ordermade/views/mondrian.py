"""The output of `ordermade request` for Mondrian: a check, an answer, a refusal, a request on record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ordermade.methods.mondrian.result import MondrianResult, RuleReport
    from ordermade.requests.resolve_mondrian import ResolvedMondrian
    from ordermade.state.records.requests import RequestRecord

RELEASED_HEADINGS = ("quasi-identifier", "loss", "kept below *", "rows by level")
RULE_HEADINGS = ("rule", "weight", "means", "serves", "recall", "precision")
REQUEST_HEADINGS = ("quasi-identifier", "split as", "hierarchy", "finest level")
RULES_SHOWN = 30
"""Rules on the screen; all of them are in the JSON document."""


def sound(file: str, resolved: ResolvedMondrian) -> str:
    """A check without mistakes, and the request, in one line."""
    request = resolved.request
    columns = ", ".join(
        each.column if each.hierarchy is None else f"{each.column} ({each.hierarchy.name})" for each in resolved.qis
    )
    units = "rows" if resolved.entity is None else f"persons, identified by {resolved.entity},"
    parts = [f"{file} is sound: classes of {request.k:,} {units} or more over {columns}"]
    parts.append(f"{resolved.variant} Mondrian, split by {resolved.split}")
    if resolved.rules is not None:
        parts.append(f"{len(resolved.rules.rules):,} rules")
    parts += [f"{each.column} satisfies {', '.join(part.model for part in each.models)}" for each in resolved.sensitive]
    return "; ".join(parts)


def released_rows(result: MondrianResult) -> list[tuple[Any, ...]]:
    """The loss and the released levels of each quasi-identifier."""
    if result.mondrian is None:
        return []
    return [
        (
            each.column,
            _share(each.loss),
            _share(each.kept / (result.rows or 1)),
            ", ".join(f"{name}: {rows:,}" for name, rows in each.rows.items() if rows) or None,
        )
        for each in result.mondrian.attributes
    ]


def rule_rows(result: MondrianResult, k: int) -> list[tuple[Any, ...]]:
    """The audience that each rule serves, for the first rules."""
    return [(each.item, f"{each.weight:g}", *_service(each, k)) for each in result.recommendation[:RULES_SHOWN]]


def _service(rule: RuleReport, k: int) -> tuple[Any, ...]:
    if rule.meant is None or rule.after is None:
        return (f"fewer than {k:,}", None, None, None)
    after = rule.after
    return (rule.meant, after.served, _share(after.recall), _share(after.precision))


def _share(value: float | None) -> str | None:
    """A share as it is read: `12.34 %`; None where there is none."""
    return None if value is None else f"{100 * value:.4g} %"


def answer_facts(result: MondrianResult) -> Iterator[tuple[str, Any]]:
    """The method's own figures of a released request."""
    report = result.mondrian
    if report is None:
        return
    yield "largest class", f"{report.largest:,} rows"
    strict = "" if report.strict else ", relaxed"
    yield "method", f"{report.variant} Mondrian{strict}, split by {report.split}"
    yield "splits", f"{report.made:,} made of {report.tried:,} looked at"
    more = len(result.recommendation) - RULES_SHOWN
    yield "more rules", f"{more:,} (all with --json)" if more > 0 else None
    yield "source queries", result.cost.source_queries
    yield "seconds", round(result.cost.seconds, 2)


def request_rows(request: RequestRecord) -> list[tuple[Any, ...]]:
    """The quasi-identifiers of a request on record."""
    return [(each.column, each.kind, each.hierarchy, each.finest) for each in request.splits]
