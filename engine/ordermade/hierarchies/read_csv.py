"""Hierarchies from CSV: ARX's form (`;`, no header) and tables with a header (a column a level).

Both list one value a line: the value, then its label at each level. An empty value is the path of NULL, and one in
quotes (`""`) the empty text.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from itertools import islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from ordermade.errors import HierarchyError
from ordermade.files.encodings import decoded, detected
from ordermade.hierarchies.explicit import ExplicitHierarchy, ListedLevel, explicit_hierarchy
from ordermade.hierarchies.hierarchy import VALUE, check_count
from ordermade.phrases import phrase

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
        raise HierarchyError(
            phrase("there is no such file"), where=where, next_step=phrase("Check the path.")
        ) from None
    except (OSError, ValueError) as fault:
        reason = (getattr(fault, "strerror", None) or "not a file name").lower()
        raise HierarchyError(
            phrase("the file cannot be read: %(reason)s", reason=reason),
            where=where,
            next_step=phrase("Give a readable file."),
        ) from fault
    if len(data) > most_bytes:
        raise HierarchyError(
            phrase("the file is larger than %(mostbytes)s MiB", mostbytes=most_bytes // 2**20),
            where=where,
            next_step=phrase("A hierarchy lists each value once; give a rule where the values are too many to list."),
        )
    return text_of(data, where)


def text_of(content: bytes, where: str) -> str:
    """The text of a file by its content, as `read_text` has it. Raises HierarchyError where the encoding is open."""
    opened = partial(io.BytesIO, content)
    found = detected(opened)
    if found.encoding is None:
        raise HierarchyError(found.open_question, where=where, next_step=phrase("Save it as UTF-8 and read it again."))
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
    return parse_csv(read_text(path, most_bytes=MAX_BYTES), name, style, where=str(path))


def parse_csv(text: str, name: str, style: Style = "auto", *, where: str) -> tuple[ExplicitHierarchy, tuple[str, ...]]:
    """The same of a text; `where` is what messages call it."""
    names, columns, lines, empty = _listed(text, style, where)
    return listed_hierarchy(name, names, columns, lines, where, empty=empty)


def listed_hierarchy(
    name: str,
    names: Sequence[str],
    columns: Sequence[Sequence[str]],
    lines: Sequence[int],
    where: str,
    *,
    empty: Collection[int] = (),
) -> tuple[ExplicitHierarchy, tuple[str, ...]]:
    """The hierarchy of a column of values and one of labels for each level, and notes of what was renumbered or added.

    `names`: of the levels, level 0 included, or none. `lines`: the number of each row. `empty`: the places of the rows
    whose value is the empty text, in place of NULL. Raises HierarchyError with the line.
    """
    if not lines:
        raise HierarchyError(phrase("it lists no values"), where=where, next_step=phrase("List each value once."))
    check_count(len(columns) - 1, where=where)
    values, above = columns[0], enumerate(columns[1:], start=1)
    return explicit_hierarchy(
        name,
        tuple(values)
        if all(values)
        else tuple(value if value or place in empty else None for place, value in enumerate(values)),
        [ListedLevel(names[number] if names else None, tuple(labels)) for number, labels in above],
        value_name=names[0] if names else VALUE,
        where=where,
        lines=lines,
    )


def in_columns(rows: Iterable[Sequence[str]], line_of: Callable[[int], int], where: str) -> list[list[str]]:
    """The columns of rows, which have as many fields as the first one.

    `line_of`: the number of the line of a row, by the row's place. Raises HierarchyError with it.
    """
    columns: list[list[str]] = []
    once: dict[str, str] = {}
    before, found = 0, iter(rows)
    while stretch := list(islice(found, _ROWS_AT_ONCE)):
        columns = columns or [[] for _ in stretch[0]]
        uneven = next((place for place, fields in enumerate(map(len, stretch)) if fields != len(columns)), None)
        if uneven is not None:
            raise HierarchyError(
                phrase(
                    "the line has %(stretch)s fields where the first has %(columns)s",
                    stretch=len(stretch[uneven]),
                    columns=len(columns),
                ),
                where=f"{where}:{line_of(before + uneven)}",
                next_step=phrase("Give each value one label a level; quote a label that holds the delimiter."),
            )
        values, *of_levels = zip(*stretch, strict=True)
        columns[0].extend(values)
        for column, labels in zip(columns[1:], of_levels, strict=True):
            column.extend(map(once.setdefault, labels, labels))  # a label that many values have is one text
        before += len(stretch)
    return columns


_ROWS_AT_ONCE = 200
"""Rows that are lists at one time: fewer than the collector of garbage lets be made before it visits all of them."""


def _listed(
    text: str, style: Style, where: str
) -> tuple[Sequence[str], Sequence[Sequence[str]], Sequence[int], Collection[int]]:
    """The names of the levels or none, the columns of a file, the number of each line, the places of empty texts."""
    first_line = text.lstrip("\r\n").split("\n", 1)[0]
    chosen = _style(first_line, where) if style == "auto" else style
    lines, columns = _columns(text, ";" if chosen == "arx" else _delimiter(first_line), where)
    names: Sequence[str] = ()
    if chosen == "header":
        names, lines = [column.pop(0) for column in columns], lines[1:]
    return names, tuple(map(tuple, columns)), lines, _empty_texts(text, columns[0] if columns else (), lines)


def _empty_texts(text: str, values: Sequence[str], lines: Sequence[int]) -> frozenset[int]:
    """The places of the rows that begin with two quotes, which `csv` reads as it reads no text at all."""
    if all(values):
        return frozenset()
    places = {lines[place]: place for place, value in enumerate(values) if not value}
    found = enumerate(io.StringIO(text, newline=""), start=1)
    return frozenset(places[number] for number, line in found if number in places and line.startswith('""'))


def _style(first_line: str, where: str) -> Style:
    if ";" in first_line:
        return "arx"
    if "," in first_line:
        return "header"
    raise HierarchyError(
        phrase("the first line has neither ';' nor ','"),
        where=where,
        next_step=phrase("Say which style it is, arx or header, or part the fields with one of them."),
    )


def _delimiter(header: str) -> str:
    return next((delimiter for delimiter in (",", ";", "\t") if delimiter in header), ",")


def _columns(text: str, delimiter: str, where: str) -> tuple[Sequence[int], list[list[str]]]:
    """The number of each line, and the columns; empty lines at the end are let pass."""
    reader = _reader(text, delimiter)
    try:
        columns = in_columns(takewhile(bool, reader), partial(_line_of, text, delimiter), where)
        rows, last = len(columns[0]) if columns else 0, reader.line_num
        if any(reader):
            raise HierarchyError(
                phrase("the line is empty"),
                where=f"{where}:{_line_of(text, delimiter, rows)}",
                next_step=phrase("Remove the line."),
            )
    except csv.Error as fault:
        raise HierarchyError(
            phrase("the line is not CSV: %(fault)s", fault=fault),
            where=f"{where}:{reader.line_num}",
            next_step=phrase('Put a label that holds a quote in quotes, and write the quote twice: "a ""b"" c".'),
        ) from fault
    return range(1, rows + 1) if last == rows else _line_numbers(text, delimiter)[:rows], columns


def _line_numbers(text: str, delimiter: str) -> Sequence[int]:
    """The number of the line that each row begins with: some reach over several lines."""
    reader = _reader(text, delimiter)
    return [1, *(reader.line_num + 1 for _ in reader)]


def _line_of(text: str, delimiter: str, row: int) -> int:
    """The number of the line that a row begins with, by its place."""
    reader = _reader(text, delimiter)
    for _ in islice(reader, row):
        pass
    return reader.line_num + 1


def _reader(text: str, delimiter: str) -> Reader:
    # A StringIO would hold four bytes a character.
    data = io.BytesIO(text.encode("utf-8", "surrogatepass"))
    lines = io.TextIOWrapper(data, "utf-8", "surrogatepass", newline="")
    return csv.reader(lines, delimiter=delimiter, strict=True)
