"""The rows of a sheet as a typed Parquet file: a column of one kind of value has its type, any other is of texts.

Numbers that are all whole are BIGINT, others DOUBLE, which is what a workbook stores; their format (percent, currency)
is not theirs. Days are DATE, with a time of day in one of them TIMESTAMP; times of a day are TIME, durations texts.
Empty cells and empty texts are NULL.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ordermade.files.workbook_cells import MAX_WHOLE, Cell, address, text_of
from ordermade.files.workbooks import SheetGrid
from ordermade.sources.executor import arrow, arrow_type

if TYPE_CHECKING:
    import pyarrow as pa

_NUMBERS: frozenset[type] = frozenset({int, float})
_TYPES: dict[frozenset[type], str] = {
    frozenset({bool}): "BOOLEAN",
    frozenset({date}): "DATE",
    frozenset({datetime}): "TIMESTAMP",
    frozenset({date, datetime}): "TIMESTAMP",
    frozenset({time}): "TIME",
}
_TEXT = "VARCHAR"


@dataclass(slots=True)
class SheetColumn:
    """A named column of a sheet, as far as its cells were seen: its place in a row, from 0, and their kinds."""

    name: str
    place: int
    kinds: set[type] = field(default_factory=set)
    is_whole: bool = True

    def see(self, cells: Sequence[Cell]) -> None:
        """Notes the kinds of further cells; whether their numbers are whole."""
        kinds = set(map(type, cells))
        if str in kinds and str not in self.kinds and not any(cell for cell in cells if type(cell) is str):
            kinds.discard(str)  # empty cells
        self.kinds |= kinds
        if self.is_whole and float in kinds:
            floats = [cell for cell in cells if type(cell) is float]
            self.is_whole = all(map(float.is_integer, floats)) and max(map(abs, floats)) <= MAX_WHOLE

    @property
    def type(self) -> str:
        """The type that holds each of its cells, as DuckDB names it."""
        if self.kinds and self.kinds <= _NUMBERS:
            return "BIGINT" if self.is_whole else "DOUBLE"
        return _TYPES.get(frozenset(self.kinds), _TEXT)


@dataclass(frozen=True, slots=True)
class SheetRead:
    """Observations of a sheet that was read: its columns, their types, the number of its rows.

    `unnamed`: the address of a first column that has no name and is left out.
    """

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: int
    unnamed: tuple[str, ...] = ()


def read_sheet(grid: SheetGrid, loaded: Path, *, header: bool) -> SheetRead:
    """Writes the rows of a sheet below its first, which has the names, as the Parquet file `loaded`.

    `header`: the names may be numbers, days or truth values. Blank rows and columns are no part of the table, and no
    more is a first column without a name, in which programs number their rows. Raises SourceFault for a sheet that is
    no table, by the address of what is wrong; none of its texts is shown.
    """
    grid.require_plain()
    number, names = next(grid.rows())
    columns = [SheetColumn("", place) for place in range(len(names))]
    for batch in grid.batches(skip=1):
        for column, cells in zip(columns, zip(*batch, strict=True), strict=True):
            column.see(cells)
    found = [each for each, name in zip(columns, names, strict=True) if each.kinds or name != ""]
    unnamed: tuple[str, ...] = ()
    if len(found) > 1 and not text_of(names[found[0].place]).strip():
        unnamed = (f"{grid.sheet.name}!{address(number, grid.first_column + found.pop(0).place)}",)
    for each in found:
        each.name = _name(grid, number, each.place, names[each.place], header=header)
    _require_distinct(grid, number, found)
    return replace(_written(grid, loaded, found, [each.type for each in found], skip=1), unnamed=unnamed)


def read_texts(grid: SheetGrid, loaded: Path) -> tuple[str, ...]:
    """Writes every row of a sheet below its first as texts; the names of its columns, which the first row has.

    Blank rows between others are rows. Raises SourceFault for cells that hold no value that may be read.
    """
    grid.require_plain()
    _, names = next(grid.rows())
    columns = [SheetColumn(text_of(name), place) for place, name in enumerate(names)]
    return _written(grid, loaded, columns, [_TEXT] * len(columns), skip=1, blank=True).columns


def _name(grid: SheetGrid, row: int, place: int, name: Cell, *, header: bool) -> str:
    where = f"{grid.where}, cell {address(row, grid.first_column + place)}"
    if not isinstance(name, str) and not header:
        raise grid.fault(
            "the first row holds a number, a day or a truth value where the name of a column is expected",
            where=where,
            next_step="Write the names of the columns in the first row, or say with `--header` that it holds them.",
        )
    text = text_of(name)
    if not text.strip():
        raise grid.fault(
            "a column with values has no name",
            where=where,
            next_step="Write the names of the columns in the first row that is not empty.",
        )
    return text


def _require_distinct(grid: SheetGrid, row: int, columns: Sequence[SheetColumn]) -> None:
    """By address: without a header, the first row is a person's."""
    folded = [each.name.casefold() for each in columns]
    alike = [
        address(row, grid.first_column + each.place)
        for each, key in zip(columns, folded, strict=True)
        if folded.count(key) > 1
    ]
    if alike:
        raise grid.fault(
            f"the columns at {', '.join(alike)} share a name",
            where=grid.where,
            next_step="Give every column a name of its own.",
        )


def _written(
    grid: SheetGrid,
    loaded: Path,
    columns: Sequence[SheetColumn],
    types: Sequence[str],
    *,
    skip: int,
    blank: bool = False,
) -> SheetRead:
    from pyarrow import parquet

    schema = arrow().schema([(each.name, _arrow_type(kind)) for each, kind in zip(columns, types, strict=True)])
    converted = [_CONVERTED.get(kind) for kind in types]
    rows = 0
    with parquet.ParquetWriter(loaded, schema, compression="snappy") as writer:
        for batch in grid.batches(skip=skip, blank=blank):
            by_column = list(zip(*batch, strict=True))
            arrays = [
                _array(by_column[column.place], convert, each.type)
                for column, convert, each in zip(columns, converted, schema, strict=True)
            ]
            writer.write_batch(arrow().record_batch(arrays, schema=schema))
            rows += len(batch)
    return SheetRead(tuple(each.name for each in columns), tuple(types), rows)


def _array(cells: Sequence[Cell], convert: Callable[[Any], Any] | None, kind: pa.DataType) -> pa.Array:
    if convert is None:
        values = [None if cell == "" else cell for cell in cells]
    else:
        values = [None if cell == "" else convert(cell) for cell in cells]
    return arrow().array(values, kind)


def _moment(cell: date) -> datetime:
    return cell if isinstance(cell, datetime) else datetime(cell.year, cell.month, cell.day)


_CONVERTED: dict[str, Callable[[Any], Any]] = {
    "BIGINT": int,
    "DOUBLE": float,
    "TIMESTAMP": _moment,
    _TEXT: text_of,
}


def _arrow_type(kind: str) -> pa.DataType:
    return arrow_type(kind)
