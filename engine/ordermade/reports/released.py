"""A release opened where it is, measured again before anything is said of it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from ordermade import sql
from ordermade.catalogue.sources import opened
from ordermade.errors import Refused, ReleaseFault
from ordermade.files.private import sha256_of
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.hierarchies.stored import restore
from ordermade.privacy.requirement import Risk
from ordermade.release.files import ending_of, format_of, read_manifest
from ordermade.release.measure import READ_BACK, MeasuredRelease, apart_statement, file_statement, measured
from ordermade.release.plan import IN_MEMORY
from ordermade.release.verify import RecordedRelease, noted
from ordermade.sources.backend import find_table
from ordermade.sources.executor import Executor, Purpose
from ordermade.sources.limits import Limits
from ordermade.sources.spill_folder import SpillFolder
from ordermade.sources.workspace import connect
from ordermade.state import hierarchies as stored_hierarchies
from ordermade.state import releases, requests, submissions, versions
from ordermade.state import sources as stored_sources
from ordermade.state.database import StateFile
from ordermade.state.releases import ReleaseRecord, require_standing

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyConnection

    from ordermade.state.connection import StateConnection
    from ordermade.state.records.requests import RequestRecord
    from ordermade.state.sources import Source

_FRAME = "reported_frame"


@dataclass(frozen=True, slots=True)
class Record:
    """The state's record of a release: its request, the types of the dataset's columns, the request's hierarchies.

    `hierarchies`: by column, those that still have the content that the request noted. `dataset_rows` and
    `dataset_persons` of the version that was released from, None where nothing is known of it. `earlier`: how many
    other releases of the dataset stand. `request_number`: that which everybody sees, of the submitted request where the
    release came out of one.
    """

    release: ReleaseRecord
    request: RequestRecord
    types: Mapping[str, str]
    hierarchies: Mapping[str, Hierarchy]
    dataset_rows: int | None
    dataset_persons: int | None
    earlier: int
    request_number: int
    source: Source | None = None

    @property
    def risk(self) -> Risk:
        """The bounds of the request on risks, and its sampling fraction."""
        words = self.request.risk
        pairs = (each.rpartition(" ") for each in words.split(", ")) if words else ()
        return Risk(**{name: Fraction(number) for name, _, number in pairs})


def recorded(state: StateFile, number: int) -> Record:
    """The record of a release that stands under its name. Raises UnknownName, Refused, StateFault."""
    with state.reading() as connection:
        release = releases.get(connection, number)
        require_standing(release, "report on")
        request = requests.get(connection, release.request_id)
        of_version = request.dataset_version_id
        version = None if of_version is None else versions.find(connection, of_version)
        return Record(
            release=release,
            request=request,
            types={} if of_version is None else versions.columns(connection, of_version),
            hierarchies=_hierarchies(connection, request),
            dataset_rows=None if version is None else version.rows,
            dataset_persons=None if version is None else version.persons,
            earlier=_others(connection, release, request.dataset_name),
            request_number=submissions.of_release(connection, number) or request.id,
            source=_source(connection, release),
        )


def _hierarchies(connection: StateConnection, request: RequestRecord) -> dict[str, Hierarchy]:
    quasi = [(each.column, each.hierarchy, each.hierarchy_hash) for each in request.quasi_identifiers]
    grouped = [(each.column, each.hierarchy, each.hierarchy_hash) for each in request.attributes]
    split = [(each.column, each.hierarchy, each.hierarchy_hash) for each in request.splits]
    named = [(column, name, said) for column, name, said in (*quasi, *grouped, *split) if name is not None]
    names = {name for _, name, _ in named}
    known = [each for each in stored_hierarchies.listed(connection) if each.name in names]
    hashes = {each.name: each.content_hash for each in known}
    loaded = stored_hierarchies.of_records(connection, known)
    return {
        column: restore(name, loaded[name])
        for column, name, content_hash in named
        if name in loaded and hashes[name] == content_hash
    }


def _others(connection: StateConnection, release: ReleaseRecord, dataset: str) -> int:
    of_dataset = requests.of_dataset(connection, dataset)
    return sum(
        each.id != release.id and each.ended in (None, "erased") and each.request_id in of_dataset
        for each in releases.listed(connection)
    )


def _source(connection: StateConnection, release: ReleaseRecord) -> Source | None:
    if release.path is not None or _is_in_memory(release):
        return None
    return stored_sources.get(connection, release.name.partition(".")[0])


def _is_in_memory(release: ReleaseRecord) -> bool:
    return release.kind.partition(" ")[0] == IN_MEMORY


@dataclass(frozen=True, slots=True)
class OpenRelease:
    """A release that is open: its rows without star rows as `relation`, and the figures measured on it again.

    `manifest`: empty where it is no file.
    """

    executor: Executor
    relation: exp.Expr
    was: RecordedRelease
    found: MeasuredRelease
    manifest: Mapping[str, Any] = field(default_factory=dict)


@contextlib.contextmanager
def opened_release(record: Record, limits: Limits, rows: pa.Table | None = None) -> Iterator[OpenRelease]:
    """The release, open and measured again; `rows`: those of one that a program got.

    Raises ReleaseFault where it is gone, Refused where it is not what was released, SourceFault.
    """
    release = record.release
    was = noted(release, record.request)
    manifest: Mapping[str, Any] = {}
    with contextlib.ExitStack() as closing:
        if release.path is not None:
            manifest = intact_manifest(release)
            executor, relation = _of_file(closing, release, manifest, limits)
        elif rows is not None:
            executor, connection = _embedded(closing, limits)
            connection.register(_FRAME, rows)
            relation = sql.table(_FRAME)
        elif record.source is None:
            raise Refused(
                f"release {release.id} was a frame, measured and handed to the program that asked: it is not kept here",
                where=release.name,
                next_step='Report on it while the program has it: `anonymize(…, report="provider")`.',
            )
        else:
            executor, relation = _of_table(closing, record, limits)
        found = measured(executor, relation, was.reading)
        differences = tuple(was.differences(found))
        if differences:
            raise Refused(
                f"release {release.id} is not what was released: {differences[0]}",
                where=release.name,
                next_step=f"`ordermade release verify {release.id}` says what differs; run its request again.",
            )
        if was.reading.starred:
            relation = apart_statement(relation, was.reading.starred)
        yield OpenRelease(executor, relation, was, found, manifest)


def intact_manifest(release: ReleaseRecord) -> Mapping[str, Any]:
    """The manifest of a released file. Raises ReleaseFault where the file is gone, Refused where it is another one."""
    path = Path(release.name)
    if not path.is_file():
        raise ReleaseFault(
            "the release is no longer there",
            where=str(path),
            next_step="It was moved or deleted after its release: run its request again.",
        )
    if sha256_of(path) != release.sha256:
        raise Refused(
            f"release {release.id} is not what was released: the file's SHA-256 is not the one noted in the state",
            where=str(path),
            next_step=f"`ordermade release verify {release.id}` says what differs; run its request again.",
        )
    return read_manifest(path)


def _of_file(
    closing: contextlib.ExitStack, release: ReleaseRecord, manifest: Mapping[str, Any], limits: Limits
) -> tuple[Executor, exp.Expr]:
    path = Path(release.name)
    ending = ending_of(path)
    private = closing.enter_context(SpillFolder())
    readable = format_of(ending).readable(path, private.path)
    executor, _ = _embedded(closing, limits, readable)
    return executor, file_statement(readable, ending, escaped=manifest.get("formulas") == "escape")


def _embedded(closing: contextlib.ExitStack, limits: Limits, *reads: Path) -> tuple[Executor, DuckDBPyConnection]:
    spill = closing.enter_context(SpillFolder())
    connection = connect(None, spill, limits, reads=reads)
    closing.callback(connection.close)
    return Executor(connection, "released file", fault=ReleaseFault), connection


def _of_table(closing: contextlib.ExitStack, record: Record, limits: Limits) -> tuple[Executor, exp.Expr]:
    if record.source is None:
        raise TypeError("a release into a source has one")
    backend = closing.enter_context(opened(record.source, limits))
    table = find_table(backend, record.release.name.partition(".")[2]).reference
    return backend.workspace, backend.workspace_table(Purpose.MEASURE, table, READ_BACK)
