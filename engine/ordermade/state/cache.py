"""The cache of frequency sets, marginals and counted values: personal data in a file beside the state.

Frequency sets are level codes and counts; counts of values are the values of single columns (or a rule's codes of
them), as the source counted them. So the file is private (mode 0600), is never part of a backup of the state, and its
entries of a dataset version are dropped with that version. It only ever saves time: where it is locked, damaged or on a
full disk, its methods say so through `notice` and answer None, False or nothing, and the request goes on without it.

The file is attached without a write-ahead log (which would be another file with the same data, readable by others): a
checkpoint makes each change lasting, and a process killed before it leaves the file as it was.

In a folder beside it are the twins of CSV files: their rows as Parquet, so that a file is parsed once. They count to
the same size, and make room for what was used later. One that is damaged is as one that is missing.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import duckdb

from ordermade.errors import StateFault, StateLocked
from ordermade.files.private import FILE_MODE, SharedFiles, own_folder, private_umask
from ordermade.lattice.observation import Sizes
from ordermade.machine.exhaustion import exhausted
from ordermade.progress.waiting import Notice
from ordermade.state import cache_contents
from ordermade.state import cache_tables as tables
from ordermade.state.cache_contents import (
    CachedSet,
    CacheEntry,
    Contents,
    CountedColumn,
    Dropped,
    GroundedColumn,
    LevelSizes,
)
from ordermade.state.cache_database import rows, run, spare_database, transaction
from ordermade.state.database import located
from ordermade.state.faults import is_damage, state_fault
from ordermade.state.files import (
    alone_beside,
    beside,
    discard_left_beside,
    make_folder,
    put_in_place,
    when_free,
)
from ordermade.state.location import cache_path

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Kept = TypeVar("Kept")

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
            return cache_contents.shortest_that_serves(self.entries(), version_id, wanted)
        except StateFault as error:
            self._file.tell(error.what)
            return None

    def load(self, connection: DuckDBPyConnection, cached: CachedSet, table: str) -> bool:
        """Copy a stored set into the new temporary table `table` (c1, c2, … and n); whether it was.

        `connection` must not be in a transaction. The set's use is noted afterwards as far as that is
        possible.
        """
        try:
            with crossing(connection) as way:
                with self._file.opened(read_only=True) as own, way.attached(own, read_only=False):
                    entry = next((each for each in tables.entries_of_sets(own) if each.id == cached.id), None)
                    if entry is None or entry.columns != cached.columns or entry.length != cached.length:
                        self._file.tell("a set of the cache was dropped meanwhile")
                        return False
                    tables.copy_out(own, cached, table)
                with way.attached(connection, read_only=True):
                    tables.arrive(connection, table)
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
            with crossing(connection) as way:
                with way.attached(connection, read_only=False):
                    tables.leave(connection, entry, table)
                with self._file.opened(read_only=False) as own, way.attached(own, read_only=True):
                    with transaction(own):
                        present = self._contents(own)
                        kept = ((each.dataset_version_id, each.columns) for each in present.sets)
                        if (version_id, bare) not in kept:
                            self._make_room(own, present, size)
                            tables.copy_in(own, entry, table)
                    run(own, "cache/checkpoint")
        except UNUSABLE as error:
            self._file.tell(self._file.fault(error).what)
            return False
        return True

    def marginals(self, version_id: int) -> dict[tuple[str, str], Sizes]:
        """The stored marginals of a version: the class sizes of single columns, by column and level hash.

        Only read: a prediction changes no file.
        """
        try:
            return dict(self._listed(lambda connection: tuple(tables.stored_marginals(connection, version_id).items())))
        except UNUSABLE as error:
            self._file.tell(self._file.fault(error).what)
            return {}

    def store_marginals(self, version_id: int, marginals: LevelSizes) -> bool:
        """Keep the class sizes of single columns, by column and level hash; whether all are kept now.

        Those of this version that are kept already stay. The least recently used content makes room; marginals that
        take more than the cap are not kept. Raises ValueError for anything but whole histograms.
        """
        cache_contents.require_histograms(marginals)
        try:
            present, last_used_at = self._stored_marginals(version_id)
            if marginals.keys() <= present.keys():
                if last_used_at is not None:
                    self._note_use(
                        last_used_at, lambda connection, now: tables.note_use_of_marginals(connection, version_id, now)
                    )
                return True
            size = cache_contents.size_of_marginals({**present, **marginals})
            if size > self.size_cap_bytes:
                return self._too_large("marginals", size)
            self._file.make_if_missing()
            with self._file.opened(read_only=False) as connection:
                with transaction(connection):
                    have = tables.stored_marginals(connection, version_id)
                    self._make_room(connection, self._contents(connection).without_marginals_of(version_id), size)
                    new = {key: sizes for key, sizes in marginals.items() if key not in have}
                    tables.add_marginals(connection, version_id, new, datetime.now(UTC))
                run(connection, "cache/checkpoint")
        except UNUSABLE as error:
            self._file.tell(self._file.fault(error).what)
            return False
        return True

    def counted(self, version_id: int) -> frozenset[GroundedColumn]:
        """The columns of a version whose counts of values are stored. Only read: a prediction changes no file."""
        try:
            found = self._listed(tables.entries_of_values)
        except UNUSABLE as error:
            self._file.tell(self._file.fault(error).what)
            return frozenset()
        return frozenset(each.column for each in found if each.dataset_version_id == version_id)

    def load_values(
        self, connection: DuckDBPyConnection, version_id: int, wanted: Mapping[str, CountedColumn], source_rows: int
    ) -> frozenset[str]:
        """Copy stored counts of values into the workspace, by the table that each is wanted as; the tables made.

        Counts that are not what was stored, or not of `source_rows` rows, are left out. `connection` must not be in a
        transaction. The use is noted afterwards as far as that is possible.
        """
        try:
            if not self.path.exists():
                return frozenset()
            with crossing(connection) as way:
                with self._file.opened(read_only=True) as own, way.attached(own, read_only=False):
                    found = cache_contents.serving(tables.entries_of_values(own), version_id, wanted)
                    for table, entry in found.items():
                        tables.copy_values_out(own, entry, table)
                if found:
                    with way.attached(connection, read_only=True):
                        for table in found:
                            tables.arrive(connection, table)
            measured = tables.measured_values(connection, list(found))
        except UNUSABLE as error:
            self._file.tell(self._file.fault(error).what)
            return frozenset()
        whole = {table: each for table, each in found.items() if measured[table].proves(each, source_rows)}
        if len(whole) < len(found):
            self._file.tell("counts of values are not what was stored, and were not used")
        if whole:
            ids, last_used_at = [each.id for each in whole.values()], min(each.last_used_at for each in whole.values())
            self._note_use(last_used_at, lambda connection, now: tables.note_use_of_values(connection, ids, now))
        return frozenset(whole)

    def store_values(
        self, connection: DuckDBPyConnection, version_id: int, counted: Mapping[str, CountedColumn]
    ) -> bool:
        """Keep tables of counted values of the workspace, instead of what was stored of them; whether all are kept now.

        The least recently used content makes room; counts that take more than the cap are not kept. `connection` must
        not be in a transaction.
        """
        if not counted:
            return True
        try:
            measured = tables.measured_values(connection, list(counted))
            size = sum(each.bytes for each in measured.values())
            if size > self.size_cap_bytes:
                return self._too_large("counts of values", size)
            self._file.make_if_missing()
            with crossing(connection) as way:
                with way.attached(connection, read_only=False):
                    for table in counted:
                        tables.leave_values(connection, table)
                with self._file.opened(read_only=False) as own, way.attached(own, read_only=True):
                    with transaction(own):
                        run(own, "cache/create_value_counts")
                        present = self._contents(own)
                        replaced = cache_contents.replaced_values(present.counts, version_id, counted.values())
                        tables.forget_values(own, [each.id for each in replaced])
                        self._make_room(own, present.without_counts(replaced), size)
                        for table, column in counted.items():
                            entry = cache_contents.new_counts(version_id, column, measured[table], datetime.now(UTC))
                            tables.copy_values_in(own, entry, table)
                    run(own, "cache/checkpoint")
        except UNUSABLE as error:
            self._file.tell(self._file.fault(error).what)
            return False
        return True

    def entries(self) -> tuple[CacheEntry, ...]:
        """The stored sets, the one used longest ago first; none if there is no file. Raises StateFault."""
        try:
            return self._listed(tables.entries_of_sets)
        except (duckdb.Error, OSError) as error:
            raise self._file.fault(error) from error

    def contents(self) -> Contents:
        """All that is stored, and the twins; nothing if there is no file. Raises StateFault."""
        try:
            if not self.path.exists():
                return Contents(twins=self._twins.listed())
            with self._file.opened(read_only=True) as connection:
                return self._contents(connection)
        except (duckdb.Error, OSError) as error:
            raise self._file.fault(error) from error

    def twin(self, location: str, key: str, to: Path) -> str | None:
        """The note of the twin of this key, copied into the file `to`; None where none can be used."""
        try:
            return self._twins.copied(location, key, to)
        except OSError as error:
            self._file.tell(self._file.fault(error).what)
            return None

    def keep_twin(self, location: str, key: str, note: str, twin: Path) -> bool:
        """Keep a twin with a note, one line, instead of the location's earlier one; whether it is kept now.

        The least recently used content makes room; a twin larger than the cap is not kept.
        """
        try:
            size = twin.stat().st_size + len(note)
            if size > self.size_cap_bytes:
                return self._too_large("a twin of a CSV file", size)
            earlier = self._twins.of_places([location])
            present = self.contents()
            others = replace(present, twins=tuple(each for each in present.twins if each not in earlier))
            gone = cache_contents.to_evict(others, size, self.size_cap_bytes)
            self._twins.drop(gone.twins)
            if gone.version_ids:
                with self._file.opened(read_only=False) as connection:
                    with transaction(connection):
                        _forget(connection, gone)
                    run(connection, "cache/checkpoint")
            self._twins.keep(location, key, note, twin)
        except UNUSABLE as error:
            self._file.tell(self._file.fault(error).what)
            return False
        return True

    def forget_twin(self, location: str) -> None:
        """Drop the twin of a location; say so where that is not possible."""
        try:
            self._twins.drop(self._twins.of_places([location]))
        except OSError as error:
            self._file.tell(self._file.fault(error).what)

    def purge(self, version_ids: Collection[int] | None = None, locations: Collection[str] = ()) -> Dropped:
        """Drop what is stored of these dataset versions, or everything with the file; how much was dropped.

        Of some versions, the twins of these `locations` go, too. Dropped content is on no page of the file afterwards:
        the rest is copied to a new one. Raises StateFault.
        """
        try:
            twins = self._twins.drop(self._twins.listed() if version_ids is None else self._twins.of_places(locations))
        except OSError as error:
            raise self._file.fault(error) from error
        return replace(self._purged(version_ids), twins=twins)

    def _purged(self, version_ids: Collection[int] | None) -> Dropped:
        """Drop frequency sets, marginals and counts of values, as `purge` does."""
        try:
            if not self.path.exists():
                return Dropped()
            with self._file.opened(read_only=False) as connection:
                # A purge that was killed may have left a copy.
                discard_left_beside(self.path)
                present = replace(self._contents(connection), twins=())
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

    @property
    def _twins(self) -> SharedFiles:
        return SharedFiles(self.path.with_suffix(".twins"))

    def _listed(self, entries: Callable[[DuckDBPyConnection], tuple[Kept, ...]]) -> tuple[Kept, ...]:
        """The entries of one kind; none if there is no file. Raises what is in `UNUSABLE`."""
        if not self.path.exists():
            return ()
        with self._file.opened(read_only=True) as connection:
            return entries(connection)

    def _contents(self, connection: DuckDBPyConnection) -> Contents:
        """List the content of the attached cache, and the twins beside it."""
        sets, marginals = tables.entries_of_sets(connection), tables.entries_of_marginals(connection)
        return Contents(sets, marginals, self._twins.listed(), tables.entries_of_values(connection))

    def _make_room(self, connection: DuckDBPyConnection, present: Contents, size: int) -> None:
        """Drop the content of the attached cache, and twins, that was used longest ago."""
        gone = cache_contents.to_evict(present, size, self.size_cap_bytes)
        _forget(connection, gone)
        self._twins.drop(gone.twins)

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


def _forget(connection: DuckDBPyConnection, gone: Contents) -> None:
    """Drop part of what the attached cache holds."""
    tables.forget_sets(connection, [each.id for each in gone.sets])
    tables.forget_marginals(connection, [each.dataset_version_id for each in gone.marginals])
    tables.forget_values(connection, [each.id for each in gone.counts])


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
        with spare_database() as own, self.attached(own, read_only=read_only):
            yield own

    def make_if_missing(self) -> None:
        """Make an empty cache, private, unless there is one."""
        if self.path.exists():
            self.path.chmod(FILE_MODE)
            return
        make_folder(self.path.parent)
        with beside(self.path) as made:
            with spare_database() as connection:
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


_PREFIX = "crossing-"


@dataclass(frozen=True, slots=True)
class Crossing:
    """The file in which tables cross."""

    path: Path

    @contextmanager
    def attached(self, connection: DuckDBPyConnection, *, read_only: bool) -> Iterator[None]:
        """The file attached to a connection while the block runs: to one at a time."""
        attach = "cache/attach_crossing_read_only" if read_only else "cache/attach_crossing"
        with private_umask():  # the file, and the log beside it, are made by DuckDB
            run(connection, attach, path=str(self.path))
            try:
                yield
            finally:
                run(connection, "cache/detach_crossing")


@contextmanager
def crossing(workspace: DuckDBPyConnection) -> Iterator[Crossing]:
    """A new file in the folder of a workspace, gone at the end. Raises OSError where none can be made there."""
    ((folder,),) = rows(workspace, "cache/workspace_folder")
    with own_folder(Path(folder), _PREFIX) as private:
        yield Crossing(private / "crossing.duckdb")


def cache_beside(state: Path | str | None, notice: Notice | None, *, used: bool) -> Cache | None:
    """The cache beside a state (None: the nearest); None where it is not `used`, or there is no state yet."""
    path = located(state)
    return Cache(cache_path(path), notice=notice) if used and path.exists() else None
