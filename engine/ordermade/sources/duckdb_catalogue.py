"""The catalogue of a DuckDB file: its tables and views, with the texts that made them; no macro of it is in the way.

DuckDB describes 3,000 functions of its own to say which a file has: 50 ms of the processor, a third of what a request
takes that was answered before. So a process reads the catalogue of a file once for each state of the file.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ordermade import sql
from ordermade.errors import SourceFault
from ordermade.sources.executor import Executor, Purpose

_SETTLED = 0.1
"""Seconds. A file that changed later than that may change again without another time of change: a kernel's clock ticks
every hundredth of a second."""
_SETTLED_IN_SECONDS = 2.0
"""As much for a file system that notes whole seconds, or every other one."""
_SECOND = 1_000_000_000
_MAX_FILES = 64

Place = tuple[str, str]
"""The schema and the name of a table or view."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The tables and views of the open database, by schema and name, with the texts that made them."""

    database: str
    tables: Mapping[Place, str]
    views: Mapping[Place, str]

    @property
    def names(self) -> list[tuple[str, str, bool]]:
        """Every schema and name, in order, with whether it is a view."""
        return sorted((*at, at in self.views) for at in (*self.tables, *self.views))

    @property
    def collated(self) -> dict[Place, str]:
        """Those that may compare texts by a collation."""
        return {at: text for at, text in {**self.tables, **self.views}.items() if "COLLATE" in text.upper()}


def catalogue_of(path: Path, executor: Executor) -> Catalogue:
    """The catalogue of the file of an open connection, to which nobody writes while it is open.

    What a writer that was killed had committed is in a log beside the file, which stays as it was: then none is kept.

    Raises SourceFault for a macro of the file that takes the place of a function in the engine's statements.
    """
    seen = _seen(path)
    known = _known(seen)
    if not known or _has_log(path):
        _require_own_functions(path, executor)
        found = _read(executor)
        if _is_unsettled(seen) or _has_log(path):
            return found
        known.append(found)
    return known[0]


class _Seen(NamedTuple):
    """What tells a state of a file from its other ones; `changed`: when it last was, in seconds since 1970."""

    path: Path
    device: int
    inode: int
    size: int
    modified_ns: int
    changed_ns: int

    @property
    def changed(self) -> float:
        return max(self.modified_ns, self.changed_ns) / _SECOND

    @property
    def is_finely_timed(self) -> bool:
        """Whether both times have a part of a second."""
        return self.modified_ns % _SECOND > 0 and self.changed_ns % _SECOND > 0


def _seen(path: Path) -> _Seen:
    found = path.stat()
    return _Seen(path.absolute(), found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def _is_unsettled(seen: _Seen) -> bool:
    return time.time() - seen.changed < (_SETTLED if seen.is_finely_timed else _SETTLED_IN_SECONDS)


def _has_log(path: Path) -> bool:
    """Whether DuckDB has a write-ahead log of the file, whose tables are not in the file yet."""
    return any(path.with_name(f"{path.name}.wal{each}").exists() for each in ("", ".checkpoint", ".recovery"))


@lru_cache(maxsize=_MAX_FILES)
def _known(seen: _Seen) -> list[Catalogue]:
    """The place of the catalogue of a file in this state: empty until it is read."""
    del seen
    return []


def _require_own_functions(path: Path, executor: Executor) -> None:
    found = executor.rows(Purpose.CATALOG, sql.as_written("duckdb/functions_made"))
    own = {str(name).casefold() for name, is_own in found if is_own}
    for name in sorted({str(name) for name, is_own in found if not is_own}):
        if name.casefold() in own:
            raise SourceFault(
                f"the database has a macro called as DuckDB's own function {name}(), which statements would use",
                where=str(path),
                next_step="Give the macro another name, or make a copy of the file without it.",
            )


def _read(executor: Executor) -> Catalogue:
    found = executor.rows(Purpose.CATALOG, sql.as_written("duckdb/catalog"))
    tables = {(schema, name): text for _, schema, name, is_view, text in found if not is_view}
    views = {(schema, name): text for _, schema, name, is_view, text in found if is_view}
    return Catalogue(found[0][0] if found else "", tables, views)
