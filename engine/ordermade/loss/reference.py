"""The tables of `docs/reference/losses.md`, made from the registry of metrics: the page cannot say anything else."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ordermade.loss.metrics import METRICS, Metric

_COLUMNS: Mapping[str, Callable[[Metric], str]] = {
    "name": lambda each: f"`{each.name}`",
    "what it is": lambda each: each.meaning,
    "what it says of suppressed rows": lambda each: each.withheld,
    "at a node and all that is coarser, never below": lambda each: each.bound,
    "`weights`": lambda each: "yes" if each.weighted else "no",
    "never lower at a coarser passing node": lambda each: _never_lower(each),
}


def losses_reference() -> str:
    """The Markdown of every metric: its definition, and its treatment of suppressed rows."""
    return _table(*list(_COLUMNS)[:3])


def conclusions_reference() -> str:
    """The Markdown of what a search may conclude from each metric."""
    return _table("name", *list(_COLUMNS)[3:])


def _table(*headings: str) -> str:
    rows = ([_COLUMNS[heading](each) for heading in headings] for each in METRICS.values())
    lines = (list(headings), ["---"] * len(headings), *rows)
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def _never_lower(each: Metric) -> str:
    if each.monotone_under_limit:
        return "yes" if each.monotone_of_persons else "where rows are counted"
    return "if nothing is suppressed" if each.monotone_of_persons else "if nothing is suppressed and rows are counted"
