"""Files as they were when a source was opened: their fingerprints, and Parquet files that are parts of a dataset."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlglot import exp

from ordermade.errors import SourceFault
from ordermade.sources import csv_format

Fingerprint = tuple[tuple[str, int, int, int, int], ...]


@dataclass(frozen=True, slots=True)
class FilePart:
    """A Parquet file that is read by itself: its path, and as it was when opened.

    `seen`: its size in bytes and its time of change in nanoseconds; `inode`: its device and its number there.
    """

    path: Path
    seen: tuple[int, int]
    inode: tuple[int, int]

    @property
    def query(self) -> exp.Query:
        """The query that reads it."""
        return csv_format.parquet([self.path])

    def changed(self) -> bool:
        """True if it is gone, or no longer the file that was opened."""
        return fingerprint([self.path]) != ((str(self.path), *self.seen, *self.inode),)


def footer_of(path: Path) -> str:
    """The SHA-256 of the footer of a Parquet file. Raises OSError, and SourceFault for a file without one."""
    with path.open("rb") as file:
        file.seek(0, os.SEEK_END)
        size = file.tell()
        file.seek(max(0, size - 8))
        end = file.read(8)
        length = int.from_bytes(end[:4], "little") + 8
        if end[4:] not in (b"PAR1", b"PARE") or length > size:
            step = "Check that it was written whole."
            raise SourceFault("this is not a Parquet file", where=str(path), next_step=step)
        file.seek(size - length)
        return hashlib.sha256(file.read(length)).hexdigest()


def fingerprint(paths: Sequence[Path]) -> Fingerprint:
    """The size, time of change, device and inode of each file, by its path; empty where one cannot be looked at."""
    try:
        looked_at = [(str(path), path.stat()) for path in paths]
    except OSError:
        return ()
    return tuple((path, each.st_size, each.st_mtime_ns, each.st_dev, each.st_ino) for path, each in looked_at)
