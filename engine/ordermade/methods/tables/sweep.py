"""The share of suppressed cells of a request for tables by its k, of cells that are counted once."""

from __future__ import annotations

from ordermade.counting.counts import Units, units_of
from ordermade.methods.shared.sweep import Curve, Point
from ordermade.methods.tables.open_request import OpenTables
from ordermade.methods.tables.protection import protected, refusal
from ordermade.methods.tables.records import CountedCells, counted_cells
from ordermade.methods.tables.result import losses_of
from ordermade.sources.backend import row_count


class TablesCurve(Curve[OpenTables]):
    """The suppressed cells of tables with totals by their k."""

    metric = "suppressed_cells"
    meaning = "the share of the cells that are suppressed"
    _cells: CountedCells | None = None

    def count(self, least: int) -> Units:
        """Count the rows of the dataset, and its persons where they count."""
        dataset = self.open_request.dataset
        return units_of(dataset, row_count(dataset.backend, dataset.relation), least)

    def prepare(self) -> None:
        """Count the finest cells, which every k shares."""
        self.context.progress.step("cells")
        self._cells = counted_cells(self.open_request, None)

    def point(self, open_request: OpenTables) -> Point:
        """The suppressed cells with this k. Raises InputError for cells that it cannot fix."""
        if self._cells is None:
            raise ValueError("the cells are counted first")
        found = protected(open_request, self._cells)
        k = open_request.request.k
        refused = refusal(found, open_request.request)
        if refused:
            return Point(k=k, reason=refused)
        lost = losses_of(found)
        published = len(found.tabulation.units) - len(found.suppressed) - len(found.table.hidden)
        return Point(k=k, measured_k=k, loss=lost["suppressed_cells"], losses=lost, divisions=published)
