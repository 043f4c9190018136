"""The cache of frequency sets and marginals: personal data as level codes and counts, in a file beside the state.

With the hierarchies the codes give values back, so the file is private (mode 0600), is never part of a backup
of the state, and its entries of a dataset version are dropped with that version. It only ever saves time: where
it is locked, damaged or on a full disk, `find`, `load`, `store`, `marginals` and `store_marginals` say so through
`notice` and answer None, False or nothing, and the request goes on without it.

The file is attached without a write-ahead log (which would be another file with the same data, readable by others): a
checkpoint makes each change lasting, and a process killed before it leaves the file as it was.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from ordermade.errors import StateFault, StateLocked
from ordermade.lattice.observation import Sizes
from ordermade.private_files import FILE_MODE, private_umask
from ordermade.state import cache_tables as tables
from ordermade.state.cache_tables import (
    CachedSet,
    CacheEntry,
    Contents,
    Dropped,
    GroundedColumn,
    LevelSizes,
    shortest_that_serves,
    to_evict,
)
from ordermade.state.statements import (
    alone_beside,
    bare_connection,
    beside,
    discard_left_beside,
    is_damage,
    make_folder,
    put_in_place,
    run,
    state_fault,
    transaction,
    when_free,
)
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
        with bare_connection() as connection, self.attached(connection, read_only=read_only):
            yield connection

    def make_if_missing(self) -> None:
        """Make an empty cache, private, unless there is one."""
        if self.path.exists():
            self.path.chmod(FILE_MODE)
            return
        make_folder(self.path.parent)
        with beside(self.path) as made:
            with bare_connection() as connection:
                run(connection, "cache/attach", path=str(made))
                run(connection, "cache/create_frequency_sets")
                run(connection, "cache/create_frequency_set_columns")
                run(connection, "cache/create_marginals")
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
    return isinstance(error, duckdb.Error) and (is_damage(error) or isinstance(error, duckdb.CatalogException))


DEFAULT_SIZE_CAP = 2 * 1024**3
_WORTH_NOTING = timedelta(minutes=1)
"""A last use is noted again after this time only: noting takes the file's lock."""


@dataclass(frozen=True)
class Cache:
    """The cache file at `path`.

    Its content takes `size_cap_bytes` at most (before compression); the wait for its lock is bounded by
    `wait_seconds`; `notice` receives the reason if it cannot be used.
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
            self._file.tell(error.what)
            return None

    def load(self, connection: DuckDBPyConnection, cached: CachedSet, table: str) -> bool:
        """Copy a stored set into the new temporary table `table` (c1, c2, … and n); whether it was.

        `connection` must not be in a transaction. The set's use is noted afterwards as far as that is
        possible.
        """
        try:
            with self._file.attached(connection, read_only=True):
                entry = next((each for each in tables.entries_of_sets(connection) if each.id == cached.id), None)
                if entry is None or entry.columns != cached.columns or entry.length != cached.length:
                    self._file.tell("a set of the cache was dropped meanwhile")
                    return False
                tables.copy_out(connection, cached, table)
        except UNUSABLE as error:
            self._file.tell(self._file.fault(error).what)
            return False
        self._note_use(entry.last_used_at, lambda connection, now: tables.note_use_of_set(connection, entry.id, now))
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

        The least recently used content makes room; a set larger than the cap is not kept. `connection` must not be
        in a transaction. Raises ValueError if the table has other columns than codes and counts.
        """
        length, size = tables.measured_set(connection, table, columns)
        if size > self.size_cap_bytes:
            return self._too_large("a frequency set", size)
        now = datetime.now(UTC)
        bare = tuple(GroundedColumn(each.column, each.hierarchy_hash, each.base) for each in columns)
        entry = CacheEntry(secrets.randbits(60), version_id, bare, source_rows, length, size, now, now)
        try:
            self._file.make_if_missing()
            with self._file.attached(connection, read_only=False):
                with transaction(connection):
                    present = _contents(connection)
                    if not any(each.dataset_version_id == version_id and each.columns == bare for each in present.sets):
                        _forget(connection, to_evict(present, size, self.size_cap_bytes))
                        tables.copy_in(connection, entry, table)
                run(connection, "cache/checkpoint")
        except UNUSABLE as error:
            self._file.tell(self._file.fault(error).what)
            return False
        return True

    def marginals(self, version_id: int) -> dict[tuple[str, str], Sizes]:
        """The stored marginals of a version: the class sizes of single columns, by column and level hash.

        Only read: a prediction changes no file.
        """
        try:
            return self._stored_marginals(version_id)[0]
        except UNUSABLE as error:
            self._file.tell(self._file.fault(error).what)
            return {}

    def store_marginals(self, version_id: int, marginals: LevelSizes) -> bool:
        """Keep the class sizes of single columns, by column and level hash; whether all are kept now.

        Those of this version that are kept already stay. The least recently used content makes room; marginals that
        take more than the cap are not kept. Raises ValueError for anything but whole histograms.
        """
        tables.require_histograms(marginals)
        try:
            present, last_used_at = self._stored_marginals(version_id)
            if marginals.keys() <= present.keys():
                if last_used_at is not None:
                    self._note_use(
                        last_used_at, lambda connection, now: tables.note_use_of_marginals(connection, version_id, now)
                    )
                return True
            size = tables.size_of_marginals({**present, **marginals})
            if size > self.size_cap_bytes:
                return self._too_large("marginals", size)
            self._file.make_if_missing()
            with self._file.opened(read_only=False) as connection:
                with transaction(connection):
                    have = tables.stored_marginals(connection, version_id)
                    others = _contents(connection).without_marginals_of(version_id)
                    _forget(connection, to_evict(others, size, self.size_cap_bytes))
                    new = {key: sizes for key, sizes in marginals.items() if key not in have}
                    tables.add_marginals(connection, version_id, new, datetime.now(UTC))
                run(connection, "cache/checkpoint")
        except UNUSABLE as error:
            self._file.tell(self._file.fault(error).what)
            return False
        return True

    def entries(self) -> tuple[CacheEntry, ...]:
        """The stored sets, the one used longest ago first; none if there is no file. Raises StateFault."""
        return self.contents().sets

    def contents(self) -> Contents:
        """The stored sets and marginals; nothing if there is no file. Raises StateFault."""
        try:
            if not self.path.exists():
                return Contents()
            with self._file.opened(read_only=True) as connection:
                return _contents(connection)
        except (duckdb.Error, OSError) as error:
            raise self._file.fault(error) from error

    def purge(self, version_ids: Collection[int] | None = None) -> Dropped:
        """Drop what is stored of these dataset versions, or everything with the file; how much was dropped.

        Dropped content is on no page of the file afterwards: the rest is copied to a new one.
        Raises StateFault.
        """
        try:
            if not self.path.exists():
                return Dropped()
            with self._file.opened(read_only=False) as connection:
                # A purge that was killed may have left a copy.
                discard_left_beside(self.path)
                present = _contents(connection)
                gone = present.of_versions(version_ids)
                if version_ids is None or gone == present:
                    # Unlinked while its lock is held, so no other process has it open.
                    self.path.unlink()
                elif gone.version_ids:
                    with transaction(connection):
                        _forget(connection, gone)
                    self._file.rewrite(connection)
                return gone.dropped
        except (duckdb.Error, OSError) as error:
            if version_ids is None and is_unusable(error):
                self.path.unlink(missing_ok=True)
                return Dropped()
            raise self._file.fault(error) from error

    def drop_missing_versions(self, live_version_ids: Collection[int]) -> Dropped:
        """Drop the content of all other dataset versions; return how much (nothing, with a notice, if it could not)."""
        try:
            gone = self.contents().version_ids - set(live_version_ids)
            return self.purge(gone) if gone else Dropped()
        except StateFault as error:
            self._file.tell(error.what)
            return Dropped()

    @property
    def _file(self) -> CacheFile:
        return CacheFile(self.path, self.wait_seconds, self.notice)

    def _stored_marginals(self, version_id: int) -> tuple[dict[tuple[str, str], Sizes], datetime | None]:
        """The stored marginals of a version, and when they were last used. Raises what is in `UNUSABLE`."""
        if not self.path.exists():
            return {}, None
        with self._file.opened(read_only=True) as connection:
            found = tables.stored_marginals(connection, version_id)
            entries = tables.entries_of_marginals(connection)
        return found, next((each.last_used_at for each in entries if each.dataset_version_id == version_id), None)

    def _too_large(self, what: str, size: int) -> bool:
        self._file.tell(f"{what} of {size:,} bytes above the cap of {self.size_cap_bytes:,}: not kept")
        return False

    def _note_use(self, last_used_at: datetime, note: Callable[[DuckDBPyConnection, datetime], None]) -> None:
        now = datetime.now(UTC)
        if now - last_used_at < _WORTH_NOTING:
            return
        try:
            with self._file.opened(read_only=False) as connection:
                note(connection, now)
                run(connection, "cache/checkpoint")
        except UNUSABLE as error:
            self._file.tell(f"that it was used could not be noted: {self._file.fault(error).what}")


def _contents(connection: DuckDBPyConnection) -> Contents:
    """List the content of the attached cache."""
    return Contents(tables.entries_of_sets(connection), tables.entries_of_marginals(connection))


def _forget(connection: DuckDBPyConnection, gone: Contents) -> None:
    """Drop part of what the attached cache holds."""
    tables.forget_sets(connection, [each.id for each in gone.sets])
    tables.forget_marginals(connection, [each.dataset_version_id for each in gone.marginals])
