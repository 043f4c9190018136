"""Sources by name: add, list, show, check, remove."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Event, Timer
from typing import TYPE_CHECKING

from ordermade.catalogue.arguments import typed_methods
from ordermade.catalogue.column_readings import ColumnsReader, ReadColumns, profiles_read, read_columns
from ordermade.catalogue.server_rights import RoleRights, rights_of
from ordermade.drafts.reading_options import ReadingLike, ReadingOptions, reading_of
from ordermade.errors import InputError, OrdermadeError, SourceFault
from ordermade.files.encodings import AUTO, named_encoding
from ordermade.files.file_reading import FileReading, skipped_lines
from ordermade.privacy.least_k import DEFAULT_LEAST_K
from ordermade.records.cards import HasSummary
from ordermade.records.listing import Listing
from ordermade.sources.backend import Backend, CatalogTable, Column, row_count
from ordermade.sources.executor import Listener
from ordermade.sources.kinds import kind_of
from ordermade.sources.limits import Limits
from ordermade.sources.open import expanded, kind_of_source, open_source
from ordermade.state import audit, datasets
from ordermade.state import sources as stored
from ordermade.state.authority import SHELL
from ordermade.state.database import StateFile
from ordermade.state.location import cache_path

if TYPE_CHECKING:
    from ordermade.sources.server_facts import ServerFacts
    from ordermade.state.sources import Source


@dataclass(frozen=True, slots=True)
class DescribedTable:
    """A table of a source."""

    name: str
    """Its name."""
    schema: str
    """Its schema."""
    columns: tuple[Column, ...]
    """Its columns."""
    rows: int | None
    """The number of its rows; null where they were not counted."""


@dataclass(frozen=True, slots=True)
class EstimatedTable(DescribedTable):
    """A table of a server, whose rows are not counted."""

    about: int | None
    """The server's estimate of its rows; null where it has none."""


@dataclass(frozen=True, slots=True)
class UnreadTable(DescribedTable):
    """A table, view or sheet that cannot be read, and the reason."""

    reason: str
    """The reason."""


@dataclass(frozen=True, slots=True, repr=False)
class SourceDescription(HasSummary):
    """A source and its tables."""

    source: Source
    """The source."""
    tables: tuple[DescribedTable | EstimatedTable | UnreadTable, ...]
    """Its tables; of a server those of its own schema first."""


@dataclass(frozen=True, slots=True)
class ServerDescription(SourceDescription):
    """A server and its tables, as its role finds them."""

    schema: str
    """The schema that tables are looked for in first."""
    server: ServerFacts
    """Its version and the rights of the role."""
    rights: RoleRights | None = None
    """What the role needs for the datasets, and has beyond; null of a listing."""


_SHOWN = {
    "name": "name",
    "kind": "kind",
    "writable": "writable",
    "inline": "allow_inline",
    "external": "allow_external",
    "location": "location",
    "added": "added_at",
}


@typed_methods
@dataclass(frozen=True, slots=True)
class Sources:
    """The registered sources of a state."""

    state: StateFile
    limits: Limits = field(repr=False)

    def add(
        self,
        name: str,
        location: str,
        *,
        writable: bool = False,
        encoding: str = "auto",
        header: bool = False,
        skip: int = 0,
        skip_lines: Sequence[int] = (),
        allow_inline: bool = False,
        allow_external: bool = False,
    ) -> Source:
        """Registers a database or files after opening them.

        Args:
            name: The name of the source.
            location: A path, a glob, a URL, or `${ENV}` references in it.
            writable: Whether releases may be written into it.
            encoding: Of CSV files, a codec of Python, or "auto".
            header: Whether the first line (of a sheet, the first row) has names, whatever it looks like.
            skip: Of files, the first lines or rows that are left out.
            skip_lines: Further ones, by number.
            allow_inline: Whether requests may describe datasets of it inline, which is for a provider's own use.
            allow_external: Whether views of a DuckDB file may read other files, and foreign tables of a server are
                read.

        Returns:
            The source, with the encodings that files were read in.

        Raises:
            InputError: The location or the encoding is not understood.
            SourceFault: It cannot be opened.

        Example:
            >>> engine.sources.add("members", "patients.csv").kind
            'csv'
        """
        kind = kind_of_source(location)
        known = kind_of(kind)
        if writable and not known.takes_releases:
            raise InputError(
                f"a {kind} source cannot be written into",
                where="--writable",
                next_step="Leave --writable out.",
            )
        if allow_external and not known.reaches_out:
            raise InputError(
                f"a {kind} source reads nothing beyond itself",
                where="--allow-external",
                next_step="Leave --allow-external out.",
            )
        reading = FileReading(named_encoding(encoding), header, skipped_lines(skip, skip_lines))
        if reading.skipped and not known.may_lack_names:
            raise InputError(
                f"a {kind} source has no lines that could be left out", where="--skip", next_step="Leave --skip out."
            )
        is_as_given = "${" in location or known.is_server
        kept = location if is_as_given else str(Path(location).expanduser().absolute())
        stored.refuse_password(location)
        if not known.is_server:
            self._refuse_own_files(kept)
        twins = self.limits.twins()
        backend = open_source(
            kept,
            kind,
            writable=writable,
            reading=reading,
            limits=self.limits,
            twins=twins,
            allow_external=allow_external,
        )
        backend.close()
        try:
            with self.state.writing() as connection:
                source = stored.add(
                    connection,
                    name,
                    kind,
                    kept,
                    writable=writable,
                    encoding=reading.encoding,
                    header=header,
                    allow_inline=allow_inline,
                    allow_external=allow_external,
                    skipped_lines=reading.skipped,
                )
                audit.add_audit_entry(connection, "source add", name)
        except OrdermadeError:  # of a file that is not registered, nothing is kept
            self._forget_twin(kept)
            raise
        return _as_read(source, backend)

    def _refuse_own_files(self, location: str) -> None:
        own = (self.state.path, cache_path(self.state.path))
        named = Path(expanded(location))
        if named.exists() and any(each.exists() and each.samefile(named) for each in own):
            raise InputError(
                "this is the engine's own state or cache",
                where=location,
                next_step="Give the path of a database of yours.",
            )

    def list(self) -> tuple[Source, ...]:
        """Every source in use, by name. Raises StateFault."""
        with self.state.reading() as connection:
            return Listing(stored.listed(connection), "sources", _SHOWN)

    def get(self, name: str) -> Source:
        """The source of that name, as it was registered; it is not opened. Raises UnknownName, StateFault."""
        with self.state.reading() as connection:
            return stored.get(connection, name)

    def show(self, name: str) -> SourceDescription:
        """The source with its tables, their columns, types and rows; of a server's a `ServerDescription`.

        A table or view that cannot be read is listed with the reason, as are those that 10 seconds do not suffice for.
        Raises UnknownName, SourceFault, StateFault.
        """
        return self._described(name, LONGEST_LISTING)

    def _described(self, name: str, seconds: float | None, *, with_rights: bool = False) -> SourceDescription:
        source = self.get(name)
        with opened(source, self.limits) as backend:
            with _ending(backend, seconds) as ended:
                facts = _facts(backend, ended)
                if facts is not None:
                    found = _of_server(source, backend, facts, ended)
                    return replace(found, rights=self._rights(source, backend, facts)) if with_rights else found
                tables = _listing(backend.tables(), partial(_described, backend), ended)
            return SourceDescription(_as_read(source, backend), tables)

    def _rights(self, source: Source, backend: Backend, facts: ServerFacts) -> RoleRights:
        with self.state.reading() as connection:
            registered = [each for each in datasets.listed(connection) if each.source_id == source.id]
        return rights_of(backend, facts, registered, writable=source.writable)

    def readings(
        self, name: str, table: str | None = None, reading: ReadingLike | None = None
    ) -> Mapping[str, ReadColumns]:
        """How the texts of a table could be read, or of every table of the source, by the names of the tables.

        `reading`: what is said of the texts, as for `datasets.add`.
        With the cells that keep columns from being read as numbers or dates, which are values of persons: they are for
        the process that calls, and nothing else: by a token there are none. Raises UnknownName, SourceFault,
        StateFault.
        """
        source, options = self.get(name), reading_of(reading or {})
        with opened(source, self.limits) as backend:
            names = [each.name for each in backend.tables() if each.fault is None] if table is None else [table]
        found = {each: columns_read(source, self.limits, each, options) for each in names}
        is_opener = self.state.authority is SHELL
        return found if is_opener else {each: replace(read, odd=()) for each, read in found.items()}

    def check(self, name: str) -> SourceDescription:
        """Opens the source and reads every table once, of a server its catalogue. Raises UnknownName, SourceFault."""
        found = self._described(name, None, with_rights=True)
        unread = [each for each in found.tables if isinstance(each, UnreadTable)]
        if unread and not kind_of(found.source.kind).holds_sheets:  # of which any sheet may be no table
            others = f" (and {len(unread) - 1} more, by `ordermade source show`)" if len(unread) > 1 else ""
            step = "Mend or drop it; datasets of other tables and views are not affected."
            raise SourceFault(f"{unread[0].reason.rstrip('.')}{others}", where=name, next_step=step)
        return found

    def remove(self, name: str) -> Source:
        """Takes a source out of use. Its history stays.

        Raises:
            UnknownName: There is no such source.
            InputError: A dataset uses it, or a hierarchy that comes from a code list in it.
        """
        with self.state.writing() as connection:
            source = stored.remove(connection, name)
            audit.add_audit_entry(connection, "source remove", name)
        self._forget_twin(source.location)
        return source

    def _forget_twin(self, location: str) -> None:
        twins = self.limits.twins()
        if twins is not None:
            twins.forget_twin(location)


def _as_read(source: Source, backend: Backend) -> Source:
    """The source with what reading its files showed."""
    return replace(source, read_in=backend.encodings, unnamed=backend.unnamed, names_shown=not backend.unvouched)


LONGEST_LISTING = 10.0
"""Seconds. What is not listed by then is said to be so."""


@dataclass(frozen=True, slots=True)
class _Ended:
    """Whether a listing has taken as long as it may, and the words for that."""

    event: Event
    what: str


@contextlib.contextmanager
def _ending(backend: Backend, seconds: float | None) -> Iterator[_Ended]:
    """Ends the statements of a listing after that time; None: never."""
    ended = _Ended(Event(), f"the listing took longer than {seconds or 0:g} seconds and ended")

    def end() -> None:
        ended.event.set()
        backend.interrupt()

    timer = Timer(seconds or 0, end)
    timer.daemon = True
    if seconds is not None:
        timer.start()
    try:
        yield ended
    finally:
        timer.cancel()


def _listing(
    tables: Iterable[CatalogTable], describe: Callable[[CatalogTable], DescribedTable], ended: _Ended
) -> tuple[DescribedTable, ...]:
    """Every table and view, or the reason why one is not read: a bad one spoils none beside it."""
    late = f"{ended.what}; a dataset can be made of it all the same"
    found: list[DescribedTable] = []
    for each in tables:
        try:
            described = None if ended.event.is_set() else describe(each)
        except KeyboardInterrupt:
            if not ended.event.is_set():
                raise
            described = None
        except SourceFault as fault:
            reason = late if ended.event.is_set() else fault.message
            described = UnreadTable(each.name, each.schema, (), None, reason)
        found.append(described or UnreadTable(each.name, each.schema, (), None, late))
    return tuple(found)


def _described(backend: Backend, table: CatalogTable) -> DescribedTable:
    columns = tuple(table.readable().columns)
    return DescribedTable(table.name, table.schema, columns, row_count(backend, table.reference))


def _facts(backend: Backend, ended: _Ended) -> ServerFacts | None:
    """The facts of a server; None of any other source. Raises SourceFault, also where they are `ended`."""
    try:
        return backend.facts()
    except SourceFault as fault:
        if not ended.event.is_set():
            raise
        step = "Datasets can be made of its tables all the same."
        raise SourceFault(ended.what, where=fault.where, next_step=step) from None


def _of_server(source: Source, backend: Backend, found: ServerFacts, ended: _Ended) -> ServerDescription:
    own = backend.capabilities.schema
    rights = {(each.schema, each.name): each for each in found.tables}

    def estimated(table: CatalogTable) -> EstimatedTable:
        about = rights.get((table.schema, table.name))
        rows = None if about is None else about.about
        return EstimatedTable(table.name, table.schema, tuple(table.columns), None, rows)

    listed = (
        each
        for each in sorted(backend.tables(), key=lambda each: each.schema != own)
        if (each.schema, each.name) not in rights or rights[each.schema, each.name].readable
    )
    return ServerDescription(source, _listing(listed, estimated, ended), own, found)


def columns_read(source: Source, limits: Limits, table: str, options: ReadingOptions) -> ReadColumns:
    """The columns of a table of a source, as its texts could be read. Raises InputError, SourceFault."""

    def open_source() -> AbstractContextManager[Backend]:
        return opened(source, limits)

    return read_columns(open_source, ColumnsReader(table, source.kind, DEFAULT_LEAST_K, options), profiles_read)


def file_reading(source: Source) -> FileReading:
    """How the files of a source are read."""
    return FileReading(source.encoding or AUTO, source.header, source.skipped_lines)


@contextlib.contextmanager
def opened(source: Source, limits: Limits, listener: Listener | None = None) -> Iterator[Backend]:
    """The source, open for reading, closed at the end."""
    backend = open_source(
        source.location,
        source.kind,
        writable=source.writable,
        reading=file_reading(source),
        limits=limits,
        listener=listener,
        twins=limits.twins(),
        allow_external=source.allow_external,
    )
    try:
        yield backend
    finally:
        backend.close()
