"""The encoding, header and separator of a CSV file, read before the database reads it."""

from __future__ import annotations

import csv
import gzip
import io
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from ordermade.encodings.detected import decoded, decodes, detected
from ordermade.encodings.named import AUTO
from ordermade.errors import SourceFault

SEPARATORS = (",", ";", "\t", "|")
LONGEST_HEADER = 1 << 20
_AS_IT_IS = ("utf-8", "utf-8-sig", "ascii")
"""Encodings whose files are read where they are."""


@dataclass(frozen=True, slots=True)
class CsvReading:
    """The way CSV files are read: in `encoding`, a codec of Python or `auto`; `header`: their first line has names."""

    encoding: str = AUTO
    header: bool = False


@dataclass(frozen=True, slots=True)
class CsvFile:
    """A CSV file ready to be read as UTF-8: `path` may be a recoded copy of the `original`, in `encoding`."""

    path: Path
    original: Path
    encoding: str
    columns: tuple[str, ...]
    separator: str


def prepared(path: Path, encoding: str, spill: Path) -> CsvFile:
    """The file's columns and separator; what is not UTF-8 is recoded into the private folder `spill`.

    Raises SourceFault if it is not text in the encoding, if none is clearly its own, or if it has no header of
    distinct names.
    """
    try:
        found = _encoding_of(path, encoding)
        readable = path if found in _AS_IT_IS else _recoded(path, found, spill)
        with _opened(readable) as file:
            head = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
            columns, separator = _header(head.read(LONGEST_HEADER), path)
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or "the file is cut short"
        raise SourceFault(
            f"the file cannot be read ({reason})", where=str(path), next_step="Check that it is whole and readable."
        ) from None
    return CsvFile(readable, path, found, columns, separator)


def _header(head: str, path: Path) -> tuple[tuple[str, ...], str]:
    parsed = {separator: _first_record(head, separator) for separator in SEPARATORS}
    separator = max(SEPARATORS, key=lambda each: len(parsed[each]))
    columns = tuple(parsed[separator])
    folded = [name.casefold() for name in columns]
    if not head:
        raise SourceFault("the file is empty", where=str(path), next_step="Give a file with a header and rows.")
    if not columns or any(not name.strip() for name in columns):
        raise SourceFault(
            "the first line is not a header: a column has no name",
            where=str(path),
            next_step="Write the names of the columns in the first line.",
        )
    alike = [str(place) for place, key in enumerate(folded, start=1) if folded.count(key) > 1]
    if alike:  # by place: without a header, the first line is a person's
        raise SourceFault(
            f"columns {', '.join(alike)} share a name",
            where=str(path),
            next_step="Give every column a name of its own.",
        )
    return columns, separator


def _first_record(head: str, separator: str) -> list[str]:
    try:
        return next(csv.reader(io.StringIO(head, newline=""), delimiter=separator, strict=True), [])
    except csv.Error:
        return []


def _encoding_of(path: Path, encoding: str) -> str:
    """The encoding that the whole file is text in: the named one, or that which is found."""
    opened = partial(_opened, path)
    if encoding == AUTO:
        found = detected(opened)
        if found.encoding is None:
            step = "Save it as UTF-8, or give its --encoding."
            raise SourceFault(found.open_question, where=str(path), next_step=step)
        return found.encoding
    if not decodes(opened, encoding):
        raise SourceFault(
            f"the file is not text in {encoding}",
            where=str(path),
            next_step="Give another --encoding, or auto to have it found.",
        )
    return encoding


def _recoded(path: Path, encoding: str, spill: Path) -> Path:
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="", dir=spill, suffix=".csv", delete=False) as copy:
        copy.writelines(decoded(partial(_opened, path), encoding))
    return Path(copy.name)


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    with path.open("rb") as file:
        if path.suffix.lower() == ".gz":
            with gzip.GzipFile(fileobj=file) as unpacked:
                yield unpacked  # type: ignore[misc]  # it reads bytes as any file does
        else:
            yield file
