"""What of a CSV file is read before the database reads it: its encoding, its header, its separator."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ordermade.errors import SourceFault

ENCODINGS = ("auto", "utf-8", "cp932")
SEPARATORS = (",", ";", "\t", "|")
LONGEST_HEADER = 1 << 20
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class CsvFile:
    """A CSV file ready to be read as UTF-8: `path` may be a recoded copy of the `original`."""

    path: Path
    original: Path
    columns: tuple[str, ...]
    separator: str


def prepared(path: Path, encoding: str, spill: Path) -> CsvFile:
    """The file's columns and separator; a file in CP932 is recoded into the private folder `spill`.

    Raises SourceFault if it is not text in the encoding, or has no header of distinct names.
    """
    try:
        readable = _as_utf8(path, encoding, spill)
        with _opened(readable) as file:
            head = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
            columns, separator = _header(head.read(LONGEST_HEADER), path)
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or "the file is cut short"
        raise SourceFault(
            f"the file cannot be read ({reason})", where=str(path), next_step="Check that it is whole and readable."
        ) from None
    return CsvFile(readable, path, columns, separator)


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
    if alike:  # told by place: without a header, the first line is a person's
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


def _as_utf8(path: Path, encoding: str, spill: Path) -> Path:
    if encoding != "cp932" and _decodes(path, "utf-8"):
        return path
    if encoding != "utf-8" and _decodes(path, "cp932"):
        return _recoded(path, spill)
    tried = "UTF-8 or CP932" if encoding == "auto" else encoding.upper()
    raise SourceFault(
        f"the file is not text in {tried}", where=str(path), next_step="Save it as UTF-8, or give its --encoding."
    )


def _decodes(path: Path, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)(errors="strict")
    with _opened(path) as file:
        try:
            while block := file.read(_BLOCK):
                if "\0" in decoder.decode(block):
                    return False  # UTF-16 decodes as CP932, with a NUL at every other place
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def _recoded(path: Path, spill: Path) -> Path:
    with (
        _opened(path) as packed,
        io.TextIOWrapper(packed, encoding="cp932", newline="") as source,
        tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="", dir=spill, suffix=".csv", delete=False) as copy,
    ):
        while block := source.read(_BLOCK):
            copy.write(block)
    return Path(copy.name)


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    with path.open("rb") as file:
        if path.suffix.lower() == ".gz":
            with gzip.GzipFile(fileobj=file) as unpacked:
                yield unpacked  # type: ignore[misc]  # it reads bytes as any file does
        else:
            yield file
