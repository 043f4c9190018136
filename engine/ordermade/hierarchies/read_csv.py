"""Hierarchies from CSV: ARX's form (`;`, no header) and tables with a header (a column a level).

Both list one value a line: the value, then its label at each level. An empty value is the path of NULL.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from ordermade.errors import HierarchyError
from ordermade.files.encodings import decoded, detected
from ordermade.hierarchies.explicit import ExplicitHierarchy, ListedLevel, explicit_hierarchy
from ordermade.hierarchies.hierarchy import VALUE, check_count

if TYPE_CHECKING:
    from _csv import Reader


def read_text(path: Path, *, most_bytes: int) -> str:
    """The file's text: UTF-8 or UTF-16 by their marks, UTF-8 without one, else in the encoding that reads it best.

    Raises HierarchyError where there is no such file, it cannot be read, is too large, or may be in several
    encodings.
    """
    where = str(path)
    try:
        with path.open("rb") as file:
            data = file.read(most_bytes + 1)
    except FileNotFoundError:
        raise HierarchyError("there is no such file", where=where, next_step="Check the path.") from None
    except (OSError, ValueError) as fault:
        reason = (getattr(fault, "strerror", None) or "not a file name").lower()
        raise HierarchyError(
            f"the file cannot be read: {reason}", where=where, next_step="Give a readable file."
        ) from fault
    if len(data) > most_bytes:
        raise HierarchyError(
            f"the file is larger than {most_bytes // 2**20} MiB",
            where=where,
            next_step="A hierarchy lists each value once; give a rule where the values are too many to list.",
        )
    opened = partial(io.BytesIO, data)
    found = detected(opened)
    if found.encoding is None:
        raise HierarchyError(found.open_question, where=where, next_step="Save it as UTF-8 and read it again.")
    return "".join(decoded(opened, found.encoding)).removeprefix("\ufeff")


Style: TypeAlias = Literal["arx", "header", "auto"]
MAX_BYTES = 64 * 2**20


def read_csv(path: Path, name: str, style: Style = "auto") -> tuple[ExplicitHierarchy, tuple[str, ...]]:
    """The hierarchy in a CSV file, and notes of what was renumbered or added.

    `arx`: fields parted by `;`, no header, levels named `level1`, `level2`, …. `header`: the first line
    names the levels, level 0 included; fields are parted by `,`, or by `;` or a tab where the header has no
    `,`. `auto`: `arx` where the first line has a `;`, `header` where it has a `,`. Raises HierarchyError
    with file and line.
    """
    where = str(path)
    text = read_text(path, most_bytes=MAX_BYTES)
    first_line = text.lstrip("\r\n").split("\n", 1)[0]
    chosen = _style(first_line, where) if style == "auto" else style
    lines, rows = _rows(text, ";" if chosen == "arx" else _delimiter(first_line), where)
    names: Sequence[str] = ()
    if chosen == "header" and rows:
        names, lines, rows = rows[0], lines[1:], rows[1:]
    return listed_hierarchy(name, names, rows, lines, where)


def listed_hierarchy(
    name: str, names: Sequence[str], rows: Sequence[tuple[str, ...]], lines: Sequence[int], where: str
) -> tuple[ExplicitHierarchy, tuple[str, ...]]:
    """The hierarchy of rows that each list a value and its labels, and notes of what was renumbered or added.

    `names`: of the levels, level 0 included, or none. `lines`: the number of each row. Raises HierarchyError with it.
    """
    if not rows:
        raise HierarchyError("it lists no values", where=where, next_step="List each value once.")
    columns = len(names) or len(rows[0])
    check_count(columns - 1, where=where)
    uneven = next((place for place, fields in enumerate(map(len, rows)) if fields != columns), None)
    if uneven is not None:
        raise HierarchyError(
            f"the line has {len(rows[uneven])} fields where the first has {columns}",
            where=f"{where}:{lines[uneven]}",
            next_step="Give each value one label a level; quote a label that holds the delimiter.",
        )
    by_column = list(zip(*rows, strict=True))
    above = enumerate(by_column[1:], start=1)
    return explicit_hierarchy(
        name,
        tuple(leaf or None for leaf in by_column[0]),
        [ListedLevel(names[number] if names else None, labels) for number, labels in above],
        value_name=names[0] if names else VALUE,
        where=where,
        lines=lines,
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


def _rows(text: str, delimiter: str, where: str) -> tuple[Sequence[int], list[tuple[str, ...]]]:
    """Each line's number, and its fields; empty lines at the end are let pass."""
    reader = _reader(text, delimiter)
    try:
        # Tuples: the collector of garbage need not visit them again, as it does lists. A label that many values have
        # is one text.
        once: dict[str, str] = {}
        rows = [(*row[:1], *[once.setdefault(label, label) for label in row[1:]]) for row in reader]
    except csv.Error as fault:
        raise HierarchyError(
            f"the line is not CSV: {fault}",
            where=f"{where}:{reader.line_num}",
            next_step='Put a label that holds a quote in quotes, and write the quote twice: "a ""b"" c".',
        ) from fault
    lines: Sequence[int] = range(1, len(rows) + 1)
    if reader.line_num != len(rows):
        lines = _line_numbers(text, delimiter)
    while rows and not rows[-1]:
        rows.pop()
    lines = lines[: len(rows)]
    if () in rows:
        empty = lines[rows.index(())]
        raise HierarchyError("the line is empty", where=f"{where}:{empty}", next_step="Remove the line.")
    return lines, rows


def _line_numbers(text: str, delimiter: str) -> Sequence[int]:
    """The number of the line that each row begins with, where some reach over several lines."""
    reader = _reader(text, delimiter)
    return [1, *(reader.line_num + 1 for _ in reader)]


def _reader(text: str, delimiter: str) -> Reader:
    # A StringIO would hold four bytes a character.
    data = io.BytesIO(text.encode("utf-8", "surrogatepass"))
    lines = io.TextIOWrapper(data, "utf-8", "surrogatepass", newline="")
    return csv.reader(lines, delimiter=delimiter, strict=True)
