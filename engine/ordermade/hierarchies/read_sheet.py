"""Hierarchies from a sheet of a workbook, in the two forms that CSV has: with the names of levels above, or without.

A cell is the text that DuckDB writes of its value: a whole number `12`, a day `2020-02-29`, a truth value `true`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ordermade.errors import HierarchyError, UnknownName
from ordermade.files.workbook_cells import text_of
from ordermade.files.workbooks import OpenWorkbook, SheetGrid, workbook
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.hierarchy import STAR
from ordermade.hierarchies.read_csv import MAX_BYTES, Style, in_columns, listed_hierarchy


def read_sheet(
    path: Path, name: str, style: Style = "auto", sheet: str | None = None
) -> tuple[ExplicitHierarchy, tuple[str, ...]]:
    """The hierarchy in a sheet, the only one with values unless it is named, and notes of what was renumbered or added.

    `arx`: no header, levels named `level1`, `level2`, …. `header`: the first row names the levels, level 0 included.
    `auto`: `arx` where the last cell of the first row is `*`, which ends every row of that form, else `header`. An
    empty first cell is the path of NULL. Raises HierarchyError with the sheet and the row.
    """
    _require_small(path)
    with workbook(path, HierarchyError) as opened:
        grid = _grid(opened, sheet)
        grid.require_plain()
        numbered = [(number, tuple(map(text_of, row))) for number, row in grid.rows()]
    lines, rows = [number for number, _ in numbered], [row for _, row in numbered]
    names: Sequence[str] = ()
    columns = in_columns(rows, lines.__getitem__, grid.where)
    if style == "header" or (style == "auto" and rows[0][-1] != STAR):
        names, lines = [column.pop(0) for column in columns], lines[1:]
    return listed_hierarchy(name, names, columns, lines, grid.where)


def _require_small(path: Path) -> None:
    try:
        size = path.stat().st_size
    except OSError:  # opening it says what is wrong
        return
    if size > MAX_BYTES:
        raise HierarchyError(
            f"the file is larger than {MAX_BYTES // 2**20} MiB",
            where=str(path),
            next_step="A hierarchy lists each value once; give a rule where the values are too many to list.",
        )


def _grid(opened: OpenWorkbook, named: str | None) -> SheetGrid:
    """The cells of the named sheet, or of the only visible one that has some. Raises HierarchyError, UnknownName."""
    where = str(opened.path)
    sheets = [each for each in opened.sheets if named is not None or not each.is_hidden]
    if named is not None:
        wanted = named.casefold()
        sheets = [each for each in sheets if each.name == named] or [
            each for each in sheets if each.name.casefold() == wanted
        ]
        if len(sheets) != 1:
            raise UnknownName("sheet", named, [each.name for each in opened.sheets], where=where)
    grids = [grid for grid in map(opened.grid, sheets) if grid is not None]
    if len(grids) == 1:
        return grids[0]
    if not grids:
        step = "Give a sheet that lists a value a row."
        raise HierarchyError("the sheet has no value" if named else "no sheet has a value", where=where, next_step=step)
    listed = ", ".join(f"'{each.sheet.name}'" for each in grids[:8])
    step = f"Say which with --sheet: {listed}{', …' if len(grids) > 8 else ''}."
    raise HierarchyError(f"there are {len(grids):,} sheets with values in it", where=where, next_step=step)
