"""A cell of a workbook as Python has it: its address, and its text where a column or a hierarchy holds texts."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import TypeAlias

Cell: TypeAlias = int | float | str | bool | date | time | timedelta
"""A value as the workbook stores it, a formula's as it was last calculated; an empty cell is the empty text."""

MAX_WHOLE = 2**53
"""Whole numbers beyond it may not be the ones that were typed: a workbook holds every number as a float64."""
_LETTERS = 26


def address(row: int, column: int) -> str:
    """The address of a cell as a spreadsheet shows it: `B3` for row 3, column 2."""
    letters = ""
    while column:
        column, letter = divmod(column - 1, _LETTERS)
        letters = chr(ord("A") + letter) + letters
    return f"{letters}{row}"


def column_of(letters: bytes) -> int:
    """The number of a column by its letters: 28 for `AB`."""
    number = 0
    for letter in letters:
        number = number * _LETTERS + letter - ord("A") + 1
    return number


def text_of(cell: Cell) -> str:
    """The cell as DuckDB writes a value of its type: `12`, `1.5`, `2020-02-29`, `true`; a duration as `30:00:00`."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) <= MAX_WHOLE else repr(cell)
    if isinstance(cell, datetime):
        return cell.isoformat(" ")
    if isinstance(cell, timedelta):
        return _duration(cell)
    return str(cell)


def _duration(length: timedelta) -> str:
    seconds, microseconds = divmod(abs(length) // timedelta(microseconds=1), 1_000_000)
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    sign = "-" if length < timedelta(0) else ""
    fraction = f".{microseconds:06d}" if microseconds else ""
    return f"{sign}{hours}:{minute:02d}:{second:02d}{fraction}"
