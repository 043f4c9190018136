"""The cache of frequency sets: personal data as level codes and counts, in a file beside the state.

With the hierarchies the codes give values back, so the file is private (mode 0600), is never part of a backup
of the state, and is dropped with its dataset version. It only ever saves time: where it is locked, damaged or
on a full disk, `find`, `load` and `store` say so through `notice` and answer None or False, and the request
goes on without it.

The file is attached without a write-ahead log (which would be another file with the same data, readable by
others): a checkpoint makes each change lasting, and a process killed before it leaves the file as it was.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from ordermade.errors import StateFault, StateLocked
from ordermade.state import cache_tables as tables
from ordermade.state.cached_set import CachedSet, CacheEntry, GroundedColumn, shortest_that_serves, to_evict
from ordermade.state.faults import state_fault
from ordermade.state.opening import (
    FILE_MODE,
    alone_beside,
    bare_connection,
    beside,
    discard_left_beside,
    make_folder,
    put_in_place,
    transaction,
)
from ordermade.state.statements import run
from ordermade.state.waiting import Notice, when_free

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

DEFAULT_SIZE_CAP = 2 * 1024**3
_WORTH_NOTING = timedelta(minutes=1)
"""A set's last use is noted again after this time only: noting takes the file's lock."""


@dataclass(frozen=True)
class Cache:
    """The cache file at `path`.

    Its sets take `size_cap_bytes` at most (before compression); the wait for its lock is bounded by
    `wait_seconds`; `notice` is told why it could not be used.
    """

    path: Path
    size_cap_bytes: int = DEFAULT_SIZE_CAP
    wait_seconds: float = 5.0
    notice: Notice | None = None

    def find(self, version_id: int, wanted: Sequence[GroundedColumn]) -> CachedSet | None:
        """The shortest stored set of this version that the wanted columns can be rolled up from, or None."""
        try:
            return shortest_that_serves(self.entries(), version_id, wanted)
        except StateFault as error:
            self._tell(error.what)
            return None

    def load(self, connection: DuckDBPyConnection, cached: CachedSet, table: str) -> bool:
        """Copy a stored set into the new temporary table `table` (c1, c2, … and n); whether it was.

        `connection` must not be in a transaction. The set's use is noted afterwards as far as that is
        possible.
        """
        try:
            with self._attached(connection, read_only=True):
                entry = next((each for each in tables.entries(connection) if each.id == cached.id), None)
                if entry is None or entry.columns != cached.columns or entry.length != cached.length:
                    self._tell("a set of the cache was dropped meanwhile")
                    return False
                tables.copy_out(connection, cached, table)
        except (duckdb.Error, OSError, StateFault) as error:
            self._tell(self._fault(error).what)
            return False
        self._note_use(entry)
        return True

    def store(
        self,
        connection: DuckDBPyConnection,
        table: str,
        version_id: int,
        columns: Sequence[GroundedColumn],
        source_rows: int,
    ) -> bool:
        """Keep `table` of `connection` (c1, c2, … in the order of `columns`, and n); whether it is kept now.

        Sets used longest ago make room; one larger than the cap is not kept. `connection` must not be in a
        transaction. Raises ValueError if the table has other columns than codes and counts.
        """
        length, size = tables.measured(connection, table, len(columns))
        if size > self.size_cap_bytes:
            self._tell(f"a frequency set of {size:,} bytes is above the cap of {self.size_cap_bytes:,}: not kept")
            return False
        now = datetime.now(UTC)
        bare = tuple(GroundedColumn(each.column, each.hierarchy_hash, each.base) for each in columns)
        entry = CacheEntry(secrets.randbits(60), version_id, bare, source_rows, length, size, now, now)
        try:
            self._make_if_missing()
            with self._attached(connection, read_only=False):
                with transaction(connection):
                    present = tables.entries(connection)
                    if not any(each.dataset_version_id == version_id and each.columns == bare for each in present):
                        tables.forget(connection, to_evict(present, size, self.size_cap_bytes))
                        tables.copy_in(connection, entry, table)
                run(connection, "cache/checkpoint")
        except (duckdb.Error, OSError, StateFault) as error:
            self._tell(self._fault(error).what)
            return False
        return True

    def entries(self) -> tuple[CacheEntry, ...]:
        """The stored sets, the one used longest ago first; none if there is no file. Raises StateFault."""
        try:
            if not self.path.exists():
                return ()
            with bare_connection() as connection, self._attached(connection, read_only=True):
                return tables.entries(connection)
        except (duckdb.Error, OSError) as error:
            raise self._fault(error) from error

    def purge(self, version_ids: Collection[int] | None = None) -> int:
        """Drop the sets of these dataset versions, or all with their file; the number dropped.

        What is dropped is on no page of the file afterwards: the sets that stay are copied to a new one.
        Raises StateFault.
        """
        try:
            if not self.path.exists():
                return 0
            with bare_connection() as connection, self._attached(connection, read_only=False):
                # A purge that was killed may have left a copy.
                discard_left_beside(self.path)
                present = tables.entries(connection)
                dropped = [each.id for each in present if version_ids is None or each.dataset_version_id in version_ids]
                if version_ids is None or len(dropped) == len(present):
                    # Unlinked while its lock is held, so no other process has it open.
                    self.path.unlink()
                elif dropped:
                    self._rewrite_without(connection, dropped)
                return len(dropped)
        except (duckdb.Error, OSError) as error:
            if version_ids is None and tables.is_unusable(error):
                self.path.unlink(missing_ok=True)
                return 0
            raise self._fault(error) from error

    def drop_missing_versions(self, live_version_ids: Collection[int]) -> int:
        """Drop the sets of all other dataset versions; the number dropped (0, and told, if it could not)."""
        try:
            gone = {each.dataset_version_id for each in self.entries()} - set(live_version_ids)
            return self.purge(gone) if gone else 0
        except StateFault as error:
            self._tell(error.what)
            return 0

    @contextmanager
    def _attached(self, connection: DuckDBPyConnection, *, read_only: bool) -> Iterator[None]:
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
            yield
        finally:
            run(connection, "cache/detach")

    def _make_if_missing(self) -> None:
        if self.path.exists():
            self.path.chmod(FILE_MODE)
            return
        make_folder(self.path.parent)
        with beside(self.path) as made:
            with bare_connection() as connection:
                run(connection, "cache/attach", path=str(made))
                run(connection, "cache/create_frequency_sets")
                run(connection, "cache/create_frequency_set_columns")
                run(connection, "cache/checkpoint")
                run(connection, "cache/detach")
            # Another process may have made it meanwhile: then that one is the cache.
            put_in_place(made, self.path)

    def _rewrite_without(self, connection: DuckDBPyConnection, dropped: Sequence[int]) -> None:
        with transaction(connection):
            tables.forget(connection, dropped)
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

    def _note_use(self, entry: CacheEntry) -> None:
        now = datetime.now(UTC)
        if now - entry.last_used_at < _WORTH_NOTING:
            return
        try:
            with bare_connection() as connection, self._attached(connection, read_only=False):
                tables.note_use(connection, entry.id, now)
                run(connection, "cache/checkpoint")
        except (duckdb.Error, OSError, StateFault) as error:
            self._tell(f"a set was used, but that could not be noted: {self._fault(error).what}")

    def _fault(self, error: Exception) -> StateFault:
        if isinstance(error, StateLocked):
            return error
        if isinstance(error, duckdb.Error) and tables.is_unusable(error):
            return StateFault(
                "the cache is damaged and was not used",
                where=str(self.path),
                next_step="`ordermade cache purge` makes it anew.",
            )
        if isinstance(error, duckdb.Error | OSError):
            return state_fault(error, self.path, "cache")
        return error if isinstance(error, StateFault) else StateFault(str(error))

    def _tell(self, reason: str) -> None:
        if self.notice is not None:
            self.notice(f"cache: {reason}")
