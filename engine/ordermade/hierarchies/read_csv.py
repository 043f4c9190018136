"""Hierarchies from CSV: ARX's form (`;`, no header) and tables with a header (a column a level).

Both list one value a line: the value, then its label at each level. An empty value is the path of NULL.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Literal, TypeAlias

from ordermade.errors import HierarchyError
from ordermade.hierarchies.explicit import ExplicitHierarchy, GivenLevel, explicit_hierarchy
from ordermade.hierarchies.levels import VALUE
from ordermade.hierarchies.text_file import read_text

Style: TypeAlias = Literal["arx", "header", "auto"]
MOST_BYTES = 64 * 2**20


def read_csv(path: Path, name: str, style: Style = "auto") -> tuple[ExplicitHierarchy, tuple[str, ...]]:
    """The hierarchy in a CSV file, and notes of what was renumbered or added.

    `arx`: fields parted by `;`, no header, levels named `level1`, `level2`, …. `header`: the first line
    names the levels, level 0 included; fields are parted by `,`, or by `;` or a tab where the header has no
    `,`. `auto`: `arx` where the first line has a `;`, `header` where it has a `,`. Raises HierarchyError
    with file and line.
    """
    where = str(path)
    text = read_text(path, most_bytes=MOST_BYTES)
    first_line = text.lstrip("\r\n").split("\n", 1)[0]
    chosen = _style(first_line, where) if style == "auto" else style
    rows = _rows(text, ";" if chosen == "arx" else _delimiter(first_line), where)
    names = rows.pop(0)[1] if chosen == "header" and rows else []
    if not rows:
        raise HierarchyError("it lists no values", where=where, next_step="List each value once.")
    columns = len(names) or len(rows[0][1])
    for line, fields in rows:
        if len(fields) != columns:
            raise HierarchyError(
                f"the line has {len(fields)} fields where the first has {columns}",
                where=f"{where}:{line}",
                next_step="Give each value one label a level; quote a label that holds the delimiter.",
            )
    by_column = list(zip(*(fields for _, fields in rows), strict=True))
    above = enumerate(by_column[1:], start=1)
    return explicit_hierarchy(
        name,
        tuple(leaf or None for leaf in by_column[0]),
        [GivenLevel(names[number] if names else None, labels) for number, labels in above],
        value_name=names[0] if names else VALUE,
        where=where,
        lines=[line for line, _ in rows],
    )


def _style(first_line: str, where: str) -> Style:
    if ";" in first_line:
        return "arx"
    if "," in first_line:
        return "header"
    raise HierarchyError(
        "the first line has neither ';' nor ','",
        where=where,
        next_step="Say which style it is, arx or header, or part the fields with one of them.",
    )


def _delimiter(header: str) -> str:
    return next((delimiter for delimiter in (",", ";", "\t") if delimiter in header), ",")


def _rows(text: str, delimiter: str, where: str) -> list[tuple[int, list[str]]]:
    """Each line's number and fields; empty lines at the end are let pass."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[tuple[int, list[str]]] = []
    try:
        line = 1
        for fields in reader:
            rows.append((line, fields))
            line = reader.line_num + 1
    except csv.Error as fault:
        raise HierarchyError(
            f"the line is not CSV: {fault}",
            where=f"{where}:{reader.line_num}",
            next_step='Put a label that holds a quote in quotes, and write the quote twice: "a ""b"" c".',
        ) from fault
    while rows and not rows[-1][1]:
        rows.pop()
    for number, fields in rows:
        if not fields:
            raise HierarchyError("the line is empty", where=f"{where}:{number}", next_step="Remove the line.")
    return rows
