"""The output of commands: tables and JSON on stdout, messages on stderr. Names are always shown literally."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from operator import attrgetter
from pathlib import Path
from typing import Any, TextIO

from ordermade.records.cells import cell, columns_of, literal, width_of
from ordermade.records.listing import Columns, Record
from ordermade.records.printed import FORMAT, json_of

_NUMBER = re.compile(
    r"(?:(?:fewer than|more than|less than|at most|at least|about) )?[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]\d+)?(?: ?%| s)?"
)
_WORD = re.compile(r"[^\s/]*/+|[^\s/]+")
"""A word, or a part of a path with the slash after it."""
_GAP = 3
"""Columns between those of a table."""
_MAX_LINES = 5
"""Lines of one cell, about, beyond which a table is not read any more."""

UNFOLDED = 10_000
"""Columns of text on a pipe or in a file, where there is no edge to fold at."""


def notify(message: str) -> None:
    """A message on stderr, control characters shown as escapes."""
    sys.stderr.write(_folded(literal(message), sys.stderr) + "\n")
    sys.stderr.flush()


def notices() -> Callable[[str], None]:
    """A `notify` that shows a message once: a step of the service opens the same request several times."""
    shown: set[str] = set()

    def notify_once(message: str) -> None:
        if message not in shown:
            shown.add(message)
            notify(message)

    return notify_once


def say(message: str) -> None:
    """A line on stdout, control characters shown as escapes."""
    sys.stdout.write(_folded(literal(message), sys.stdout) + "\n")


def hand_over(text: str, stream: TextIO | None = None) -> None:
    """A text for use elsewhere (SQL, YAML), as it is; on a terminal without the characters that would control it.

    `stream`: where to; None: stdout.
    """
    to = sys.stdout if stream is None else stream
    shown = literal(text) if to.isatty() else text
    to.write(shown if shown.endswith("\n") else shown + "\n")


_PRINTED: ContextVar[bool] = ContextVar("printed", default=False)


@contextmanager
def one_document() -> Iterator[None]:
    """A command, of which `document_is_printed` speaks, while the block runs."""
    token = _PRINTED.set(False)
    try:
        yield
    finally:
        _PRINTED.reset(token)


def document_is_printed() -> bool:
    """Whether the command printed its JSON document, or began to."""
    return _PRINTED.get()


def print_document(command: str, record: Any) -> None:
    """The one JSON document of a command, on stdout: what it found, a record, after its version and its name."""
    print_json({"format": FORMAT, "command": command, **json_of(record)})


def print_json(document: Mapping[str, Any]) -> None:
    """A JSON document on stdout, its records as `json_of` has them."""
    _PRINTED.set(True)
    unicode = (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")
    sys.stdout.write(json.dumps(json_of(document), ensure_ascii=not unicode, indent=2, allow_nan=False) + "\n")


def print_table(
    headings: Sequence[str], rows: Iterable[Sequence[Any]], *, title: str = "", empty: str = "", piped: int = UNFOLDED
) -> None:
    """A table on stdout: numbers to the right, long cells folded between words and never cut; `empty` without rows.

    On a terminal too narrow for the longest word of each column it is a list of records instead. Nothing is an empty
    cell there, and `-` in a file, whose lines are folded at `piped` columns.
    """
    # In a file every field is filled, so that programs can part them; people see at once that a cell is empty.
    nothing = "" if sys.stdout.isatty() else cell(None)
    listed = [tuple(nothing if value is None else cell(value) for value in row) for row in rows]
    if not listed:
        say(empty or "none")
        return
    sys.stdout.write("\n")
    if title:
        say(title)
    columns = list(zip(*listed, strict=True))
    room = _width(piped) - _GAP * (len(headings) - 1)
    widths = _column_widths([[heading, *column] for heading, column in zip(headings, columns, strict=True)], room)
    if widths is None:
        for number, row in enumerate(listed):
            if number:
                sys.stdout.write("\n")
            print_facts(pair for pair in zip(headings, row, strict=True) if pair[1])
        return

    from ordermade.views.laid_out import table_lines

    right = [is_numeric(column) for column in columns]
    cells = [[_at_slashes(text, width) for text, width in zip(row, widths, strict=True)] for row in listed]
    _print(table_lines(headings, cells, widths, right, _width(piped)))


def print_list(
    columns: Columns,
    records: Iterable[Record],
    *,
    instead: Mapping[str, Callable[[Record], Any]] | None = None,
    empty: str = "",
) -> None:
    """Records on stdout as a table of the columns that Python shows of them, some by what is shown `instead`."""
    cells = [(instead or {}).get(heading, attrgetter(each)) for heading, each in columns.items()]
    print_table(tuple(columns), [tuple(each(record) for each in cells) for record in records], empty=empty)


def print_facts(facts: Iterable[tuple[str, Any]], *, piped: int = UNFOLDED) -> None:
    """Names with their values, one a line, on stdout; facts that are None are left out."""
    from ordermade.views.laid_out import fact_lines

    shown = [(name, cell(value)) for name, value in facts if value is not None]
    _print(fact_lines(shown, _width(piped)))


def is_numeric(column: Iterable[str]) -> bool:
    """Whether every cell of a column that is not empty is a number, with its unit or bound, and some cell is one."""
    filled = [each for each in column if each not in ("", cell(None))]
    return bool(filled) and all(_NUMBER.fullmatch(each) for each in filled)


def _at_slashes(text: str, width: int) -> str:
    """A path that is wider than its column, broken after slashes; any other text as it is."""
    if " " in text or "/" not in text or width_of(text) <= width:
        return text
    lines = [""]
    for part in _WORD.findall(text):
        if lines[-1] and width_of(lines[-1]) + width_of(part) > width:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def _column_widths(columns: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """The width of each column, so that all fit in `room` and no word is broken; None where there is no such width."""
    most = [max(map(width_of, column)) for column in columns]
    if sum(most) <= room:
        return most
    least = [max((width_of(word) for text in column for word in _WORD.findall(text)), default=1) for column in columns]
    if sum(least) > room:
        return None
    # Headings fold before the cells beneath them do, where that suffices.
    whole = [max(word, *map(width_of, column[1:])) for word, column in zip(least, columns, strict=True)]
    widths = whole if sum(whole) <= room else list(least)
    left = room - sum(widths)
    while left:
        # The column that lacks most gets the next place: texts share the room, numbers stay whole.
        lacking = max(range(len(widths)), key=lambda place: most[place] - widths[place])
        if most[lacking] == widths[lacking]:
            break
        widths[lacking] += 1
        left -= 1
    return None if any(full > _MAX_LINES * width for full, width in zip(most, widths, strict=True)) else widths


def open_closed_streams() -> None:
    """Lets output go nowhere where the program was started with its streams closed, as `>&-` does.

    Their descriptors are taken at once: a file that is opened later would get what is printed.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("r+", encoding="utf-8"))  # noqa: SIM115 (open to the end)


def forgive_encoding(*streams: TextIO) -> None:
    """Lets streams show `?` for characters outside their encoding, instead of failing."""
    for stream in streams:
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def _folded(text: str, stream: TextIO) -> str:
    """The text with its lines broken between words where a terminal would break them anywhere."""
    return folded(text, columns_of(stream)) if stream.isatty() else text


def folded(text: str, columns: int) -> str:
    """The text with its lines broken between words, further lines indented by two more; a longer word stays whole."""
    return "\n".join(line for each in text.split("\n") for line in _folded_line(each, columns))


def _folded_line(line: str, columns: int) -> Iterator[str]:
    if width_of(line) <= columns:
        yield line
        return
    indent = line[: len(line) - len(line.lstrip())]
    start, *words = line[len(indent) :].split(" ")
    filled = indent + start
    for word in words:
        if width_of(filled) + 1 + width_of(word) <= columns:
            filled += f" {word}"
        else:
            yield filled.rstrip()
            filled = f"{indent}  {word}"
    yield filled


def _width(piped: int) -> int:
    """The columns that lines are laid out in: those of the terminal, else `piped`."""
    return columns_of(sys.stdout) if sys.stdout.isatty() else piped


def _print(lines: Sequence[str]) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def from_here(name: str) -> str:
    """A path as it is typed from the working directory, where it lies below it; the name of a table as it is."""
    path = Path(name)
    return str(path.relative_to(Path.cwd())) if path.is_absolute() and path.is_relative_to(Path.cwd()) else name
