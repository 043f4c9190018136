"""A release measured again in its place, and compared with its record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ordermade.catalogue.sources import opened
from ordermade.errors import Refused, ReleaseFault, UnknownName
from ordermade.files.private import sha256_of
from ordermade.lattice.observation import Observation
from ordermade.records.cards import HasSummary
from ordermade.records.printed import NOT_PRINTED, printed_as
from ordermade.release.files import read_manifest
from ordermade.release.measure import MeasuredRelease, measure_file, measured_table
from ordermade.release.plan import IN_MEMORY
from ordermade.release.verify import RecordedRelease, noted
from ordermade.sources.backend import Backend, find_table
from ordermade.sources.limits import Limits
from ordermade.sources.workspace import Interrupt
from ordermade.state import releases as stored
from ordermade.state import requests, versions
from ordermade.state import sources as stored_sources
from ordermade.state.database import StateFile
from ordermade.state.releases import ReleaseRecord, require_standing

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection
    from ordermade.state.records.requests import RequestRecord


@dataclass(frozen=True, slots=True, repr=False)
class VerifiedRelease(HasSummary):
    """A release measured again in its place."""

    release: ReleaseRecord = field(metadata=NOT_PRINTED)
    """The release on record."""
    measured: Observation = field(metadata=NOT_PRINTED)
    """Its classes, in persons where a pseudonym links their rows."""
    findings: tuple[str, ...]
    """The differences from the release on record."""
    rows: int
    """Its rows, measured again, without those of `*`."""
    persons: int | None = None
    """Its persons, where it has pseudonyms."""
    star_rows: int = 0
    """Its rows of `*`."""
    models: tuple[str, ...] = ()
    """The models that were measured again, with their figures."""
    untold: tuple[str, ...] = ()
    """Facts that the release alone does not show."""
    vouched_by: str | None = None
    """The SHA-256 of the provider's query that vouched for the dataset's version, or `fingerprint`."""

    @property
    @printed_as("release")
    def number(self) -> int:
        """Its number."""
        return self.release.id

    @property
    @printed_as("where")
    def where(self) -> str:
        """Its file or table."""
        return self.release.name

    @property
    @printed_as("intact")
    def intact(self) -> bool:
        """Whether it is as it was released; if not, the exit status is 3."""
        return not self.findings

    @property
    @printed_as("k")
    def k(self) -> int:
        """Its k, measured again."""
        return self.measured.k

    @property
    @printed_as("classes")
    def classes(self) -> int:
        """Its equivalence classes, measured again."""
        return self.measured.divisions


@dataclass(frozen=True, slots=True)
class RecountedCells:
    """What was found of the cells of released tables, counted again from the source.

    `findings`: differences of the file from them. `untold`: what could not be counted, and why.
    """

    findings: tuple[str, ...]
    untold: tuple[str, ...]


Recount = Callable[[ReleaseRecord, "RequestRecord"], RecountedCells]
"""Counts the cells of released tables again."""


def verified(state: StateFile, limits: Limits, number: int, recount: Recount | None = None) -> VerifiedRelease:
    """Measures a release again in its place. `recount`: counts the cells of tables again.

    Raises UnknownName, ReleaseFault if it is no longer there, Refused if it no longer has its name, SourceFault.
    """
    with state.reading() as connection:
        release = stored.get(connection, number)
        request = requests.get(connection, release.request_id)
        vouched_by = _vouched_by(connection, request)
    require_standing(release, "verify")
    if release.kind.partition(" ")[0] == IN_MEMORY:
        raise Refused(
            f"release {number} was a frame, measured and handed to the program that asked: it is not kept here",
            where=release.name,
            next_step="Measure the frame itself with `ordermade.measure`.",
        )
    if release.path is not None:
        found = replace(verified_file(release, request, limits), vouched_by=vouched_by)
        if request.method != TABLES or recount is None:
            return found
        cells = recount(release, request)
        return replace(found, findings=(*found.findings, *cells.findings), untold=cells.untold)
    name = release.name.partition(".")[0]
    with state.reading() as connection:
        source = stored_sources.get(connection, name)
    with opened(source, limits) as backend:
        return replace(verified_table(release, request, backend), vouched_by=vouched_by)


def _vouched_by(connection: StateConnection, request: RequestRecord) -> str | None:
    """The SHA-256 of the query that vouched for the version of a request's dataset, where one did."""
    number = request.dataset_version_id
    version = None if number is None else versions.find(connection, number)
    return None if version is None else version.vouched_by


def verified_file(
    release: ReleaseRecord,
    request: RequestRecord,
    limits: Limits,
    interrupt: Interrupt | None = None,
) -> VerifiedRelease:
    """Measures a released file again and compares it with its record. Raises ReleaseFault if it is gone.

    `interrupt`: as in `measure_file`.
    """
    path = Path(release.name)
    if not path.exists():
        raise _gone(str(path))
    if request.method == TABLES:
        return _as_written(release, path)
    was = noted(release, request)
    escaped = read_manifest(path).get("formulas") == "escape"
    found = measure_file(path, was.reading, limits, escaped=escaped, interrupt=interrupt)
    return _verified(was, found, _differing_hashes(release, path))


TABLES = "table"
"""The method whose files have cells: every one was read back and compared before the file got its name."""


def _as_written(release: ReleaseRecord, path: Path) -> VerifiedRelease:
    """A file of tables with totals, which is the one that was compared cell by cell if its SHA-256 is the same."""
    return VerifiedRelease(
        release=release,
        measured=Observation(release.rows, release.divisions, release.k, 0, ()),
        findings=tuple(_differing_hashes(release, path)),
        rows=release.rows,
        persons=None,
        star_rows=0,
        models=(),
        untold=("cells: they were read back and compared before the file got its name; its SHA-256 is held to that",),
    )


def verified_table(release: ReleaseRecord, request: RequestRecord, backend: Backend) -> VerifiedRelease:
    """Measures a release into a source again. Raises ReleaseFault if it is gone, SourceFault."""
    was, name = noted(release, request), release.name
    try:
        table = find_table(backend, name.partition(".")[2])
    except UnknownName:
        raise _gone(name) from None
    return _verified(was, measured_table(backend, table.reference, was.reading), [])


def _gone(name: str) -> ReleaseFault:
    step = "It was moved, dropped or deleted after its release."
    return ReleaseFault("the release is no longer there", where=name, next_step=step)


def _verified(was: RecordedRelease, found: MeasuredRelease, besides: list[str]) -> VerifiedRelease:
    return VerifiedRelease(
        release=was.release,
        measured=found.classes,
        findings=(*was.differences(found), *besides),
        rows=found.classes.rows if was.reading.pseudonym is None else found.rows,
        persons=None if was.reading.pseudonym is None else found.classes.rows,
        star_rows=found.stars,
        models=tuple(each.words for each in found.models),
        untold=was.untold,
    )


def _differing_hashes(release: ReleaseRecord, path: Path) -> list[str]:
    manifest: dict[str, Any] = read_manifest(path)
    now = sha256_of(path)
    found = [] if now == release.sha256 else ["the file's SHA-256 is not the one noted in the state"]
    return found if now == manifest.get("sha256") else [*found, "the file's SHA-256 is not the one in its manifest"]
