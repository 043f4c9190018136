"""The output of commands: tables and JSON on stdout, messages on stderr. Names are always shown literally."""

from __future__ import annotations

import json
import math
import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TextIO

from ordermade.display.cells import cell, is_number, literal

UNFOLDED = 10_000
"""Columns of text on a pipe or in a file, where there is no edge to fold at."""


def notify(message: str) -> None:
    """A message on stderr, control characters shown as escapes."""
    sys.stderr.write(_folded(literal(message), sys.stderr) + "\n")
    sys.stderr.flush()


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


def print_json(document: Mapping[str, Any]) -> None:
    """The one JSON document of a command, on stdout."""
    _PRINTED.set(True)
    unicode = (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")
    sys.stdout.write(json.dumps(plain(document), ensure_ascii=not unicode, indent=2, allow_nan=False) + "\n")


def print_table(headings: Sequence[str], rows: Iterable[Sequence[Any]], *, title: str = "", empty: str = "") -> None:
    """A table on stdout: numbers to the right, long cells folded and never cut; `empty` where there are no rows."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    listed = [tuple(row) for row in rows]
    if not listed:
        say(empty or "none")
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for place, heading in enumerate(headings):
        numeric = all(is_number(row[place]) or row[place] is None for row in listed)
        table.add_column(Text(heading), justify="right" if numeric else "left", overflow="fold")
    for row in listed:
        table.add_row(*(Text(cell(value)) for value in row))
    sys.stdout.write("\n")
    if title:
        say(title)
    _print(Console(width=None if sys.stdout.isatty() else UNFOLDED), table)


def print_facts(facts: Iterable[tuple[str, Any]]) -> None:
    """Names with their values, one a line, on stdout; facts that are None are left out."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in facts:
        if value is not None:
            table.add_row(Text(name), Text(cell(value)))
    _print(Console(width=None if sys.stdout.isatty() else UNFOLDED), table)


def plain(value: Any) -> Any:
    """A record in JSON's types: dataclasses as objects, times in ISO 8601, other values as text or null."""
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    match value:
        case Mapping():
            return {str(key): plain(each) for key, each in value.items()}
        case tuple() | list():
            return [plain(each) for each in value]
        case float() if not math.isfinite(value):
            return None
        case None | bool() | int() | float() | str():
            return value
        case datetime():
            return value.isoformat()
        case _:
            return str(value)


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
    if not stream.isatty():
        return text
    width = max(shutil.get_terminal_size().columns, 20)
    return "\n".join(
        line
        if len(line) <= width
        else textwrap.fill(
            line, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False, drop_whitespace=True
        )
        for line in text.split("\n")
    )


def _print(console: Any, table: Any) -> None:
    """Rich pads every line to the table's width; nobody wants the spaces at its end in a file."""
    with console.capture() as captured:
        console.print(table)
    text = captured.get() if sys.stdout.isatty() else "\n".join(line.rstrip() for line in captured.get().splitlines())
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


def from_here(name: str) -> str:
    """A path as it is typed from the working directory, where it lies below it; the name of a table as it is."""
    path = Path(name)
    return str(path.relative_to(Path.cwd())) if path.is_absolute() and path.is_relative_to(Path.cwd()) else name
