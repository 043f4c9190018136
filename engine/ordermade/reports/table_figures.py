"""The figures of a report on tables with totals: codes, counts of cells, released labels, no words.

A user gets what the released file shows. The widths that are proved, the small cells apart from those beside them, and
the share of units that is suppressed, which is an equation more on the suppressed cells, are the provider's alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ordermade.records.printed import NOT_PRINTED
from ordermade.reports.figures import Caution, DescribedRelease, Unit
from ordermade.requests.table_options import Costs, Zeros
from ordermade.tables.shown import ShownTable

MAX_SHOWN = 2_000
"""The most cells of tables that stand on the page of a report."""


def counts_units(kind: str, *, of_persons: bool) -> bool:
    """Whether a kind of figure shows the units that k counts."""
    return kind in ("count", "share") or (kind == "rows" and not of_persons)


@dataclass(frozen=True, slots=True)
class TablesRequested:
    """The request for tables with totals."""

    k: int
    """The requested k."""
    unit: Unit
    """The unit that k counts."""
    figures: tuple[str, ...]
    """The figures of a cell, as the request has them."""
    zeros: Zeros
    """`shown`: empty cells are 0. `hidden`: they have the mark of suppressed ones."""
    mark: str
    """The mark of suppressed cells."""
    costs: Costs
    """The cells that are suppressed beside the small ones: `inner`, `equal` or `units`."""
    p_percent: float | None
    """Of sums and means, the p of the p % rule; null where nothing is added up."""
    dominance: tuple[int, float] | None
    """The number of largest contributors, and the share in percent that they have at most; null without the rule."""
    rounding: int | None
    """The base that figures are rounded to; null: they are exact."""
    filter: str | None
    """The row filter, as it was written; null where there was none, or it is not for this audience."""


@dataclass(frozen=True, slots=True)
class TableColumnReported:
    """A column of the tables."""

    name: str
    """Its name."""
    hierarchy: str
    """Its hierarchy."""
    levels: tuple[str, ...]
    """The names of its levels that are shown, from finest to coarsest."""
    has_total: bool
    """Whether a table has its grand total."""
    labels: int
    """The number of its released labels, the total among them."""


@dataclass(frozen=True, slots=True)
class ReportedTable:
    """A released table, as its file shows it."""

    name: str
    """Its name."""
    rows: tuple[str, ...]
    """Its columns down the side."""
    columns: tuple[str, ...]
    """Those across the top."""
    cells: int
    """Its cells, empty ones among them."""
    marked: int
    """Those of them that have the mark: suppressed ones, and empty ones where these are hidden."""


@dataclass(frozen=True, slots=True)
class CellsProtected:
    """The cells of the tables that are not empty, each once, and their protection: for the provider alone."""

    cells: int
    """The cells that are not empty."""
    primary: int
    """Those that the rules do not let be published."""
    secondary: int
    """Those that are suppressed beside them."""
    share_of_units: float | None
    """The share of the units in suppressed cells, from 0 to 1, totals counted, too; null where it is not known."""
    least_width: int | None
    """The least width of a suppressed cell that its witness proves; null where none is suppressed, or not known."""


@dataclass(frozen=True, slots=True)
class TablesFigures(DescribedRelease):
    """A release of tables with totals, for a provider or for a user: no count below k, no suppressed value."""

    asked: TablesRequested
    """The request."""
    columns: tuple[TableColumnReported, ...]
    """The columns of the tables."""
    tables: tuple[ReportedTable, ...]
    """The tables."""
    protected: CellsProtected | None
    """Its cells and their protection; null for a user."""
    cautions: tuple[Caution, ...] = ()
    """What the suppression of cells does not protect against."""
    language: str = "en"
    """The language of the heads of the tables."""
    shown: tuple[ShownTable, ...] = field(default=(), metadata=NOT_PRINTED)
    """The tables as their file has them, for the page; none where they have more than `MAX_SHOWN` cells."""

    @property
    def cells(self) -> int:
        """The cells of all tables."""
        return sum(each.cells for each in self.tables)

    @property
    def marked(self) -> int:
        """Those with the mark."""
        return sum(each.marked for each in self.tables)
