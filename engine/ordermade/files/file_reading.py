"""How the text of files is read: their encoding, the line of names, and the lines that are no part of the table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ordermade.errors import InputError
from ordermade.files.encodings import AUTO

MAX_SKIPPED = 1_000
"""The most lines that are left out of a file."""


@dataclass(frozen=True, slots=True)
class FileReading:
    """The options of reading CSV files and the sheets of a workbook.

    `encoding`: a Python codec or `auto`. `header`: the first line has names, whatever it looks like. `skipped`: the
    numbers of lines, of a sheet rows, from 1, that are no part of the table, such as a title, a second line of names
    or a total.
    """

    encoding: str = AUTO
    header: bool = False
    skipped: tuple[int, ...] = ()


AS_DETECTED = FileReading()
"""Everything is found out, and every line is of the table."""


def skipped_lines(first: int = 0, lines: Iterable[int] = ()) -> tuple[int, ...]:
    """The first lines, so many, and further ones by number, in order. Raises InputError for numbers that are none."""
    further = set(lines)
    if first < 0 or any(each < 1 for each in further):
        raise InputError(
            "lines are counted from 1", where="--skip", next_step="Write --skip 2 for the first two lines of a file."
        )
    if first + len(further) > MAX_SKIPPED:
        raise InputError(
            f"more than {MAX_SKIPPED:,} lines are to be skipped",
            where="--skip",
            next_step="Write a file without them, or filter their rows by --where.",
        )
    return tuple(sorted({*range(1, first + 1), *further}))
