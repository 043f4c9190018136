"""The result of a request for tables with totals: cells, suppressed ones, and how they are proved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from ordermade.loss.shapes import NoLoss, TableLoss
from ordermade.loss.shares import LossValues
from ordermade.methods.shared.open_request import Costs
from ordermade.methods.shared.result import Result, cost
from ordermade.methods.tables.report import TableCounts, TablesReport, cells_in_words
from ordermade.records.cards import Grid
from ordermade.tables.protected import ProtectedTables


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TablesResult(Result):
    """The answer to one request for tables with totals."""

    loss: Annotated[LossValues, TableLoss | NoLoss] = field(default_factory=dict)
    """The losses by metric; none of a refusal."""
    method: Annotated[str, Literal["table"]] = ""
    """`table`."""
    tables: TablesReport | None = None
    """The cells of the release; null of a refusal."""
    cost: Costs
    """The statements that ran in the source."""

    def _own_facts(self) -> Iterator[tuple[str, Any]]:
        yield from cells_in_words(self.tables)
        yield "cost", cost(self.cost.source_queries, self.cost.seconds)

    def _grids(self) -> Iterator[Grid]:
        if self.tables is not None and len(self.tables.tables) > 1:
            yield Grid(("table", "cells", "suppressed"), [(e.name, e.cells, e.suppressed) for e in self.tables.tables])


def report_of(found: ProtectedTables, names: tuple[str, ...], files: tuple[Path, ...] = ()) -> TablesReport:
    """The report of protected tables, called by these names in order."""
    shown, suppressed = found.shown, np.zeros(len(found.shown), dtype=np.bool_)
    suppressed[list(found.suppressed)] = True
    layouts = found.table.layouts[: len(names)]  # after those of the tables, what binds them
    of_tables = [_in_layout(found, layout) & shown for layout in layouts] or [shown]
    primary = np.zeros(len(shown), dtype=np.bool_)
    primary[list(found.primary)] = True
    widths = [witness.width(cell) for each in found.guarded[:1] for cell, witness in each.pattern.witnesses.items()]
    return TablesReport(
        cells=int(np.count_nonzero(shown)),
        primary=len(found.primary),
        secondary=len(found.suppressed) - int(np.count_nonzero(primary & suppressed)),
        zeros=found.rules.zeros,
        least_width=min(widths, default=None),
        programs=sum(each.pattern.programs for each in found.guarded),
        tables=tuple(
            TableCounts(name, int(np.count_nonzero(own)), int(np.count_nonzero(own & suppressed)))
            for name, own in zip(names, of_tables, strict=True)
        ),
        files=tuple(map(str, files)),
    )


def _in_layout(found: ProtectedTables, layout: tuple[frozenset[int], ...]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """The cells of a linked table."""
    inside = np.ones(len(found.table.values), dtype=np.bool_)
    for place, codes in enumerate(layout):
        inside &= np.isin(found.table.cells[:, place], sorted(codes))
    return inside


def losses_of(found: ProtectedTables) -> dict[str, float]:
    """The share of the cells that are suppressed, and of the units that they count."""
    units, shown, hidden = found.tabulation.units, found.shown, list(found.suppressed)
    cells, every = int(np.count_nonzero(shown)), int(units[shown].sum())
    return {
        "suppressed_cells": len(hidden) / cells if cells else 0.0,
        "suppressed_units": int(units[hidden].sum()) / every if every else 0.0,
    }
