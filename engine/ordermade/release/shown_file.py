"""Released tables as their file alone shows them: axes and figures read from it, nothing counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from ordermade.release.shown_read_back import read_back
from ordermade.release.shown_tables import ShownForm
from ordermade.requests.table_options import Zeros
from ordermade.tables.dimensions import Dimension
from ordermade.tables.shown import Cells, Codes, ShownTable, TableAxis, TableMeasure

DepthOf = Callable[[str, str], int]
"""Gives how many shown codes a label of a column is below."""


@dataclass(frozen=True, slots=True)
class TableOutline:
    """The heads of a table that a file has: its name, the columns down and across, its measures, and its mark."""

    name: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    measures: tuple[str, ...]
    mark: str
    zeros: Zeros


def tables_in(
    path: Path, form: ShownForm, outlines: Sequence[TableOutline], depth_of: DepthOf
) -> tuple[ShownTable, ...]:
    """The tables of a file that was written by `write_shown`; labels stand in the order that the file has them in.

    A cell that looks suppressed is: an empty one with the mark, too. Raises ReleaseFault where the file cannot be read,
    ReleaseMismatch where it does not have these tables.
    """
    bare = [_bare(each) for each in outlines]
    found = read_back(path, form, bare)
    return tuple(_filled(table, cells, depth_of) for table, cells in zip(bare, found, strict=True))


def _bare(outline: TableOutline) -> ShownTable:
    """The table with its heads alone."""
    rows, columns = (tuple(_axis(name, ("",), (0,)) for name in names) for names in (outline.rows, outline.columns))
    measures = tuple(TableMeasure(name, {}, has_zeros=False) for name in outline.measures)
    return ShownTable(outline.name, rows, columns, measures, outline.mark, outline.zeros)


def _axis(name: str, labels: tuple[str, ...], depths: tuple[int, ...]) -> TableAxis:
    return TableAxis(name, Dimension(name, labels, (-1,) * len(labels)), tuple(range(len(labels))), labels, depths)


def _filled(table: ShownTable, cells: Cells, depth_of: DepthOf) -> ShownTable:
    labels = [dict[str, int]() for _ in table.axes]
    values: dict[str, dict[Codes, Decimal | int | None]] = {each.name: {} for each in table.measures}
    for (measure, *place), value in cells.items():
        codes = tuple(known.setdefault(label, len(known)) for known, label in zip(labels, place, strict=True))
        values[measure][codes] = value
    axes = [
        _axis(axis.name, tuple(known), tuple(depth_of(axis.name, label) for label in known))
        for axis, known in zip(table.axes, labels, strict=True)
    ]
    return ShownTable(
        table.name,
        tuple(axes[: len(table.rows)]),
        tuple(axes[len(table.rows) :]),
        tuple(TableMeasure(name, found, has_zeros=False) for name, found in values.items()),
        table.mark,
        "shown",  # what is hidden has its mark in the file
    )
