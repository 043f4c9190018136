"""The head of a CSV file: its separator, the names of its columns, and the lines that stand above them. Pure."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ordermade.errors import SourceFault

SEPARATORS = (",", ";", "\t", "|")
LONGEST_HEADER = 1 << 20
"""So many characters of a file are looked at."""
_MAX_RECORDS = 50
_FEW = 3
"""Of fewer records, none shows how many fields the others have."""
_SAYS_SEPARATOR = re.compile(r"sep=.\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CsvHead:
    """The separator of a CSV file and its fields: the name of each, None for one that has none and is left out."""

    fields: tuple[str | None, ...]
    separator: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns that are read."""
        return tuple(name for name in self.fields if name is not None)

    @property
    def unnamed(self) -> tuple[int, ...]:
        """The places of the fields without a name, from 1."""
        return tuple(place for place, name in enumerate(self.fields, start=1) if name is None)


def says_separator(line: str) -> bool:
    """Whether a line is no part of the table but says its separator, such as `sep=;` of spreadsheet programs."""
    return _SAYS_SEPARATOR.fullmatch(line) is not None


def csv_head(text: str, where: str, skipped: Collection[int]) -> CsvHead:
    """The head of a file that begins with this text, from which the lines of the numbers `skipped` are left out.

    Programs that number the rows of a table write no name above the numbers, and others end each line with a separator:
    fields without a name are left out at both ends. Raises SourceFault, without a text of the file, where the first
    line does not hold distinct names of columns.
    """
    if not text.strip():
        raise SourceFault("the file is empty", where=where, next_step="Give a file with a header and rows.")
    separator = separator_of(text)
    records = _records(text, separator)
    above = _lines_above(records)
    if above:
        line = original_line(above + 1, skipped)
        raise SourceFault(
            f"line {line:,} and most of those below it have more fields than the first line",
            where=where,
            next_step=f"Give --skip {line - 1} if line {line:,} holds the names of the columns. Else write them in the "
            "first line.",
        )
    fields = _named(records[0].fields if records else ())
    if fields is None:
        before = next((each.before for each in records if all(field.strip() for field in each.fields)), None)
        line = 0 if before is None else original_line(before + 1, skipped)
        skipping = f"--skip {line - 1} if line {line:,} holds them" if line else "--skip N"
        raise SourceFault(
            "the first line is not a header: a column has no name",
            where=where,
            next_step=f"Write the names of the columns in the first line, or skip the lines above them by {skipping}.",
        )
    folded = [None if name is None else name.casefold() for name in fields]
    alike = [str(place) for place, key in enumerate(folded, start=1) if key is not None and folded.count(key) > 1]
    if alike:  # by place: without a header, the first line is a person's
        raise SourceFault(
            f"columns {', '.join(alike)} share a name",
            where=where,
            next_step="Give every column a name of its own.",
        )
    return CsvHead(fields, separator)


def separator_of(text: str) -> str:
    """The likeliest separator of a file that begins with this text."""
    return _separator({separator: _records(text, separator) for separator in SEPARATORS})


def original_line(number: int, skipped: Collection[int]) -> int:
    """The number of a line in its file, by its number among those that are not skipped."""
    found = number
    for each in sorted(skipped):
        found += each <= found
    return found


def records_begin(lines: Iterable[str], separator: str, most: int) -> Iterator[int]:
    """The line, from 1, at which each of the first records begins, the names of the columns as the first of them."""
    reader = csv.reader(lines, delimiter=separator)
    before = 0
    for fields in reader:
        if fields:
            yield before + 1
            most -= 1
        if not most:
            return
        before = reader.line_num


@dataclass(frozen=True, slots=True)
class _Record:
    """A record: its fields, and the number of lines before it."""

    fields: Sequence[str]
    before: int


def _records(text: str, separator: str) -> list[_Record]:
    """The first records, without empty lines, as far as they can be read."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    found: list[_Record] = []
    before = 0
    try:
        for fields in reader:
            if fields:
                found.append(_Record(fields, before))
            before = reader.line_num
            if len(found) == _MAX_RECORDS:
                return found
    except csv.Error:
        return found
    if len(text) == LONGEST_HEADER and len(found) > 1:
        found.pop()  # it may be cut short
    return found


def _width(records: Sequence[_Record]) -> int:
    """The number of fields that most of the records have; of as many the greater."""
    widths = Counter(len(each.fields) for each in records)
    return max(widths, key=lambda each: (widths[each], each), default=0)


def _separator(parsed: Mapping[str, Sequence[_Record]]) -> str:
    """The likeliest separator, by the records as each of them parts them.

    It parts the first record into as many fields as most, unless they are two, as a comma in a title and in each amount
    makes, and another parts nearly all records into many more.
    """

    def likelihood(separator: str) -> tuple[bool, int, int]:
        records = parsed[separator]
        first, width = len(records[0].fields) if records else 0, _width(records)
        return 1 < first == width, width, first

    found = max(parsed, key=likelihood)
    widest = max(parsed, key=lambda each: _width(parsed[each]))
    width = _width(parsed[widest])
    nearly_all = sum(len(each.fields) == width for each in parsed[widest]) >= NEARLY_ALL * len(parsed[widest])
    return widest if nearly_all and width > 2 * _width(parsed[found]) and _width(parsed[found]) <= 2 else found


NEARLY_ALL = 0.9
"""The share of the records that a separator must part alike to outweigh the first of them."""


def _lines_above(records: Sequence[_Record]) -> int:
    """The lines before the first record that is as wide as most, where the first record has fewer fields than they."""
    width = _width(records)
    if len(records) < _FEW or len(records[0].fields) >= width:
        return 0
    return next(each.before for each in records if len(each.fields) == width)


def _named(names: Sequence[str]) -> tuple[str | None, ...] | None:
    """The name of each field, None for those without one at both ends; None where others have none, or most."""
    found = tuple(name if name.strip() else None for name in names)
    first = 1 if found and found[0] is None else 0
    last = len(found)
    while last > first and found[last - 1] is None:
        last -= 1
    inside = found[first:last]
    return found if inside and None not in inside and len(found) - last < len(inside) else None
