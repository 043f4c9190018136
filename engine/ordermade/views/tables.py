"""The output of `ordermade request` for tables with totals: a check, an answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ordermade.methods.tables.report import cells_in_words
from ordermade.records.cells import counted
from ordermade.views.screen import from_here

if TYPE_CHECKING:
    from ordermade.methods.tables.result import TablesResult
    from ordermade.requests.resolve_table import ResolvedTable, ResolvedTables

RELEASED_HEADINGS = ("table", "cells", "suppressed")


def sound(file: str, resolved: ResolvedTables) -> str:
    """A check without mistakes, and the tables, in one line."""
    tables = "; ".join(map(_shape, resolved.tables))
    parts = [f"{file} is sound: {tables}", f"cells: {', '.join(resolved.request.cells)}"]
    return "; ".join([*parts, f"zeros {resolved.request.zeros}, k = {resolved.request.k:,}"])


def _shape(table: ResolvedTable) -> str:
    """`prefecture by sex and age, totals of sex`."""
    across = f" by {' and '.join(table.columns)}" if table.columns else ""
    totals = [column for column in table.every if column in table.totals]
    return f"{' and '.join(table.rows)}{across}" + (f", totals of {', '.join(totals)}" if totals else ", no totals")


def answer_facts(result: TablesResult) -> Iterator[tuple[str, Any]]:
    """The cells of a released request, with places as they are typed from here."""
    for name, value in cells_in_words(result.tables):
        yield name, [from_here(each) for each in value] if name == "beside" and value else value


def released_rows(result: TablesResult) -> list[tuple[Any, ...]]:
    """The cells of each table."""
    found = () if result.tables is None else result.tables.tables
    return [(each.name, each.cells, each.suppressed) for each in found]


def cost_facts(result: TablesResult) -> Iterator[tuple[str, Any]]:
    """The cost of a released request."""
    if result.tables is not None:
        yield "linear programs", counted(result.tables.programs, "program")
    yield "source queries", result.cost.source_queries
    yield "seconds", round(result.cost.seconds, 2)
