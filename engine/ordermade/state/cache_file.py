"""The file of a cache: attached to a connection of its own, made, rewritten; the faults of what goes wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from ordermade.errors import StateFault, StateLocked
from ordermade.exhaustion import exhausted
from ordermade.private_files import FILE_MODE, private_umask
from ordermade.state.database import spare_database
from ordermade.state.faults import is_damage, state_fault
from ordermade.state.statements import alone_beside, beside, make_folder, put_in_place, run, when_free
from ordermade.waiting import Notice

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

UNUSABLE = (duckdb.Error, OSError, StateFault)
"""The errors that may be raised where a cache cannot be used."""


@dataclass(frozen=True)
class CacheFile:
    """The file at `path`; the wait for its lock is bounded by `wait_seconds`, `notice` receives faults."""

    path: Path
    wait_seconds: float
    notice: Notice | None

    @contextmanager
    def attached(self, connection: DuckDBPyConnection, *, read_only: bool) -> Iterator[None]:
        """The cache attached to `connection` while the block runs, detached whatever happens in it."""
        attach = "cache/attach_read_only" if read_only else "cache/attach"
        when_free(
            lambda: run(connection, attach, path=str(self.path)),
            self.path,
            what="cache",
            wait_seconds=self.wait_seconds,
            notice=self.notice,
        )
        try:
            # DuckDB makes a write-ahead log all the same, though it writes nothing into it.
            with nullcontext() if read_only else private_umask():
                yield
        finally:
            run(connection, "cache/detach")

    @contextmanager
    def opened(self, *, read_only: bool) -> Iterator[DuckDBPyConnection]:
        """A connection of its own with the cache attached while the block runs."""
        with spare_database("cache") as own, self.attached(own, read_only=read_only):
            yield own

    def make_if_missing(self) -> None:
        """Make an empty cache, private, unless there is one."""
        if self.path.exists():
            self.path.chmod(FILE_MODE)
            return
        make_folder(self.path.parent)
        with beside(self.path) as made:
            with spare_database("cache") as connection:
                run(connection, "cache/attach", path=str(made))
                run(connection, "cache/create_frequency_sets")
                run(connection, "cache/create_frequency_set_columns")
                run(connection, "cache/create_marginals")
                run(connection, "cache/create_value_counts")
                run(connection, "cache/checkpoint")
                run(connection, "cache/detach")
            # Another process may have made it meanwhile: then that one is the cache.
            put_in_place(made, self.path)

    def rewrite(self, connection: DuckDBPyConnection) -> None:
        """Copy the content of the attached cache to a new file in its place: deleted content is on no page of it."""
        run(connection, "cache/checkpoint")
        with alone_beside(self.path) as made:
            run(connection, "cache/attach_compacted", path=str(made))
            try:
                run(connection, "cache/copy_to_compacted")
                run(connection, "cache/checkpoint_compacted")
            finally:
                run(connection, "cache/detach_compacted")
            made.chmod(FILE_MODE)
            made.replace(self.path)

    def fault(self, error: Exception) -> StateFault:
        """The fault that an error of `UNUSABLE` becomes."""
        if isinstance(error, StateLocked):
            return error
        if is_unusable(error):
            return StateFault(
                "the cache is damaged and was not used",
                where=str(self.path),
                next_step="`ordermade cache purge` makes it anew.",
            )
        if isinstance(error, duckdb.Error | OSError):
            return state_fault(error, self.path, "cache")
        return error if isinstance(error, StateFault) else StateFault(str(error))

    def tell(self, reason: str) -> None:
        """Say why the cache could not be used."""
        if self.notice is not None:
            self.notice(f"cache: {reason}")


def is_unusable(error: Exception) -> bool:
    """True if an error says that the file is no cache, or no longer one."""
    if exhausted(error) is not None:
        return False
    return isinstance(error, duckdb.Error) and (is_damage(error) or isinstance(error, duckdb.CatalogException))
