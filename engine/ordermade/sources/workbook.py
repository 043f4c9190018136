"""A source that is a workbook: its tables are its sheets, each parsed once into a Parquet file of the source's own."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ordermade import sql
from ordermade.errors import SourceFault, quoted
from ordermade.files.file_reading import FileReading
from ordermade.files.private import new_private_file
from ordermade.files.workbooks import OpenWorkbook as OpenWorkbook
from ordermade.files.workbooks import Sheet, SheetGrid, workbook
from ordermade.sources.backend import Capabilities, CatalogTable
from ordermade.sources.csv_format import FirstLine, likeness
from ordermade.sources.duckdb_file import InDuckDB
from ordermade.sources.executor import Listener
from ordermade.sources.file_parts import fingerprint
from ordermade.sources.files import matching
from ordermade.sources.limits import Limits
from ordermade.sources.parquet_format import parquet_query
from ordermade.sources.sheet_format import SheetRead, read_sheet

HIDDEN = "hidden"
"""The schema of sheets that a spreadsheet program does not show: they are read where they are named."""


class Workbook(InDuckDB):
    """A workbook whose sheets are tables, named after them; sheets without a value are none.

    A sheet that cannot be read as a table is among the tables with the fault; the source is refused where all that are
    shown are such.
    """

    def __init__(self, pattern: str, *, reading: FileReading, limits: Limits, listener: Listener | None = None) -> None:
        self.paths = matching(pattern)
        if len(self.paths) > 1:
            raise SourceFault(
                f"{len(self.paths):,} workbooks match, and a source is one",
                where=pattern,
                next_step="Register each workbook as a source of its own.",
            )
        self.capabilities = Capabilities(releases_tables=False, collates=False, summed=self.summed)
        self._reading = reading
        self.line_called = "row"
        self._opened = fingerprint(self.paths)
        self.open_duckdb(None, limits, listener)
        try:
            self._tables = self._read(self.paths[0])
        except BaseException:
            self.close()
            raise

    def _read(self, path: Path) -> tuple[CatalogTable, ...]:
        tables: list[CatalogTable] = []
        with workbook(path, SourceFault) as opened:
            for sheet in opened.sheets:
                taken = {each.name.casefold() for each in tables}
                table = self._table(opened, sheet, len(tables), taken)
                tables += [table] if table is not None else []
        if not tables:
            step = "Give a workbook with the names of columns in the first row of a sheet, and rows below."
            raise SourceFault("no sheet has a value", where=str(path), next_step=step)
        shown = [each for each in tables if each.schema == self.capabilities.schema]
        if shown and all(each.fault for each in shown):
            shown[0].readable()
        return tuple(tables)

    def _table(self, opened: OpenWorkbook, sheet: Sheet, number: int, taken: set[str]) -> CatalogTable | None:
        """The sheet as a table, with its fault where it is none; None where it has no value.

        `taken`: the names of the tables before it, folded.
        """
        schema = HIDDEN if sheet.is_hidden else self.capabilities.schema
        reference = sql.table(sheet.name, schema=self.capabilities.schema, catalog="memory")
        try:
            grid = opened.grid(sheet)
            if grid is None:
                return None
            grid = grid.without(self._reading.skipped)
            if sheet.name.casefold() in taken:
                step = "Give every sheet a name of its own."
                raise SourceFault(f"another sheet is called {quoted(sheet.name)}", where=grid.where, next_step=step)
            loaded = self.spill.path / f"sheet-{number}.parquet"
            os.close(new_private_file(loaded))
            read = read_sheet(grid, loaded, header=self._reading.header)
            self._check_first_row(grid, read, loaded)
        except SourceFault as fault:
            return CatalogTable(sheet.name, schema, (), reference, fault=fault)
        table, load = self.viewed(reference, sheet.name, schema, parquet_query([loaded]))
        self.loads = (*self.loads, load)
        self.unnamed += read.unnamed
        return table

    def _check_first_row(self, grid: SheetGrid, read: SheetRead, loaded: Path) -> None:
        """Raises SourceFault where texts of the first row look like data; notes names that nothing shows to be some.

        A text over values that are none (numbers, days) is a name.
        """
        if self._reading.header:
            return
        texts = [name for name, kind in zip(read.columns, read.types, strict=True) if kind == "VARCHAR"]
        alike = likeness(self.executor, parquet_query([loaded]), texts)
        shown = [each.shown(name) for name, each in alike.items()]
        if FirstLine.DATA in shown:
            raise SourceFault(
                "the first row looks like data, not like names of columns",
                where=grid.where,
                next_step="Write the names of the columns in the first row, or say with `--header` that it holds them.",
            )
        if len(texts) == len(read.columns) and FirstLine.NAMES not in shown:
            self.unvouched |= frozenset(read.columns)

    def lines_by_form(self, table: CatalogTable, column: str, form: str, *, of_form: bool, most: int) -> Sequence[int]:
        """The rows of a sheet."""
        records = set(self.records_by_form(table, column, form, of_form=of_form, most=most))
        with workbook(self.paths[0], SourceFault) as opened:
            grid = next(filter(None, (opened.grid(each) for each in opened.sheets if each.name == table.name)), None)
            rows = () if grid is None else grid.without(self._reading.skipped).rows()
            return tuple(number for record, (number, _) in enumerate(rows) if record in records)

    def tables(self) -> tuple[CatalogTable, ...]:
        """Every sheet that has a value, in the order of the workbook."""
        return self._tables

    def changed(self) -> bool:
        """True if the file's size or time of change is no longer what it was when opened."""
        return fingerprint(self.paths) != self._opened
