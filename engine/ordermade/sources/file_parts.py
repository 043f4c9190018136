"""Files as they were when a source was opened: their fingerprints, and Parquet files that are parts of a dataset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlglot import exp

from ordermade.sources.parquet_format import parquet_query

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
        return parquet_query([self.path])

    def changed(self) -> bool:
        """True if it is gone, or no longer the file that was opened."""
        return fingerprint([self.path]) != ((str(self.path), *self.seen, *self.inode),)


def fingerprint(paths: Sequence[Path]) -> Fingerprint:
    """The size, time of change, device and inode of each file, by its path; empty where one cannot be looked at."""
    try:
        looked_at = [(str(path), path.stat()) for path in paths]
    except OSError:
        return ()
    return tuple((path, each.st_size, each.st_mtime_ns, each.st_dev, each.st_ino) for path, each in looked_at)
