"""The cells of released tables with totals, and what protects them, in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ordermade.records.cells import counted, percent


@dataclass(frozen=True, slots=True)
class TableCounts:
    """The cells of one of the tables."""

    name: str
    """Its name."""
    cells: int
    """Its cells that are not empty."""
    suppressed: int
    """Those of them that are suppressed."""


@dataclass(frozen=True, slots=True)
class TablesReport:
    """The cells of released tables with totals, and what protects them."""

    cells: int
    """The cells that are not empty, each once over all tables."""
    primary: int
    """Those that the rules do not let be published."""
    secondary: int
    """Those that are suppressed beside them."""
    zeros: str
    """`shown` or `hidden`."""
    least_width: int | None
    """The least width of a suppressed cell that its witness proves, in units; null where none is suppressed."""
    programs: int
    """The linear programs that were solved."""
    tables: tuple[TableCounts, ...]
    """The tables."""
    files: tuple[str, ...] = ()
    """The files that were written beside the release."""

    @property
    def suppressed(self) -> int:
        """The suppressed cells."""
        return self.primary + self.secondary


def cells_in_words(report: TablesReport | None) -> Iterator[tuple[str, Any]]:
    """The cells, the suppressed ones, and what their witnesses prove."""
    if report is None:
        return
    empty = "" if report.zeros == "shown" else "; empty ones look like them"
    yield "cells", counted(report.cells, "cell")
    share = "" if not report.suppressed else f" ({percent(report.suppressed / report.cells)})"
    parts = f": {report.primary:,} by the rules, {report.secondary:,} with them" if report.suppressed else ""
    yield "suppressed", (f"{counted(report.suppressed, 'cell')}{share}{parts}{empty}" if report.suppressed else "none")
    if report.least_width is not None:
        yield (
            "proved",
            f"every suppressed cell may be {report.least_width:,} or more apart, by all that is shown",
        )
    yield "beside", list(report.files) or None
