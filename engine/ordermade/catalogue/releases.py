"""Releases by number: list, show, verify."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ordermade.catalogue.sources import opened
from ordermade.errors import ReleaseFault
from ordermade.lattice.observation import Observation
from ordermade.release.files import sha256_of
from ordermade.release.manifest import read_manifest
from ordermade.release.measure import Reading, Written, measure_file, measured
from ordermade.release.noted import Noted, noted
from ordermade.sources.backend import find_table
from ordermade.sources.workspace import Limits
from ordermade.state import releases as stored
from ordermade.state import requests
from ordermade.state import sources as stored_sources
from ordermade.state.database import StateFile
from ordermade.state.release_records import ReleaseDetails, ReleaseRecord


@dataclass(frozen=True, slots=True)
class VerifiedRelease:
    """A release measured again: what was found, and every finding that is not as it was noted (none: it is intact).

    `measured`: its classes, in persons where a pseudonym tells them apart; `rows`: what they hold, withheld ones that
    stay as `*` apart, which are the `star_rows` (both as a statistical table counts them). `persons`: None where
    nothing tells them apart. `models`: those that were checked again, in words. `untold`: what the release alone does
    not tell.
    """

    release: ReleaseRecord
    measured: Observation
    findings: tuple[str, ...]
    rows: int
    persons: int | None = None
    star_rows: int = 0
    models: tuple[str, ...] = ()
    untold: tuple[str, ...] = ()

    @property
    def intact(self) -> bool:
        """Whether the release is what it was when it was released."""
        return not self.findings


@dataclass(frozen=True, slots=True)
class Releases:
    """The releases of a state."""

    state: StateFile
    limits: Limits

    def list(self) -> tuple[ReleaseRecord, ...]:
        """Every release, in order."""
        with self.state.reading() as connection:
            return stored.listed(connection)

    def get(self, number: int) -> ReleaseDetails:
        """One release with its columns and losses. Raises UnknownName."""
        with self.state.reading() as connection:
            return stored.get(connection, number)

    def verify(self, number: int) -> VerifiedRelease:
        """Measures a release again where it stands. Raises ReleaseFault if it is not there."""
        with self.state.reading() as connection:
            details = stored.get(connection, number)
            asked = requests.get(connection, details.release.request_id)
        was = noted(details, asked)
        if details.release.path is None:
            found = self._measure_table(details.release, was.reading)
            return _verified(was, found, [])
        path = Path(details.release.path)
        if not path.is_file():
            raise ReleaseFault(
                "the release is no longer there",
                where=str(path),
                next_step="It was moved or deleted after its release.",
            )
        return _verified(was, measure_file(path, was.reading, self.limits), _differing_hashes(details.release, path))

    def _measure_table(self, release: ReleaseRecord, reading: Reading) -> Written:
        name, _, table = (release.table_name or "").partition(".")
        with self.state.reading() as connection:
            source = stored_sources.get(connection, name)
        with opened(source, self.limits) as backend:
            reference = find_table(backend, table.partition(".")[2]).reference
            return measured(backend.door, reference, reading)


def _verified(was: Noted, found: Written, besides: list[str]) -> VerifiedRelease:
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
