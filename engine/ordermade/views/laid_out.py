"""Tables and facts as the lines of a screen, laid out by Rich."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text


def table_lines(
    headings: Sequence[str], rows: Iterable[Sequence[str]], widths: Sequence[int], right: Sequence[bool], room: int
) -> list[str]:
    """The lines of a table with columns of these widths; `right`: whose cells stand to the right."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading, width, to_the_right in zip(headings, widths, right, strict=True):
        table.add_column(Text(heading), justify="right" if to_the_right else "left", overflow="fold", width=width)
    for row in rows:
        table.add_row(*map(Text, row))
    return _lines(table, room)


def fact_lines(facts: Iterable[tuple[str, str]], room: int) -> list[str]:
    """The lines of names with their values, which fold at the end of the line."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in facts:
        table.add_row(Text(name), Text(value))
    return _lines(table, room)


def _lines(table: Table, room: int) -> list[str]:
    """Rich pads every line to the table's width; nobody wants the spaces at its end."""
    console = Console(width=room)
    with console.capture() as captured:
        console.print(table)
    return [line.rstrip() for line in captured.get().splitlines()]
