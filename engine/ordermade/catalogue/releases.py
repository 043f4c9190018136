"""Releases by number: list, show, verify."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ordermade.catalogue.sources import opened
from ordermade.errors import ReleaseFault
from ordermade.lattice.observation import Observation
from ordermade.release.files import sha256_of
from ordermade.release.manifest import read_manifest
from ordermade.release.measure import Shape, measure_file, measure_statement
from ordermade.sources.backend import find_table
from ordermade.sources.door import Purpose
from ordermade.sources.workspace import Limits
from ordermade.state import releases as stored
from ordermade.state import requests
from ordermade.state import sources as stored_sources
from ordermade.state.database import StateFile
from ordermade.state.records import ReleaseDetails, ReleaseRecord


@dataclass(frozen=True, slots=True)
class VerifiedRelease:
    """A release measured again: what was found, and every finding that is not as it was noted (none: it is intact)."""

    release: ReleaseRecord
    measured: Observation
    findings: tuple[str, ...]

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
            asked = requests.get(connection, details.release.request_id).request
        shape: Shape = "rows" if asked.shape == "rows" else "table"
        columns = [each.column for each in details.columns if each.role == "quasi-identifier"]
        if details.release.path is None:
            measured = self._measure_table(details.release, columns, shape)
            return VerifiedRelease(
                details.release, measured, tuple(_differences(details.release, measured, asked.k, shape))
            )
        path = Path(details.release.path)
        if not path.is_file():
            raise ReleaseFault(
                "the release is no longer there",
                where=str(path),
                next_step="It was moved or deleted after its release.",
            )
        measured = measure_file(path, columns, shape, self.limits)
        findings = [
            *_differences(details.release, measured, asked.k, shape),
            *_differing_hashes(details.release, path),
        ]
        return VerifiedRelease(details.release, measured, tuple(findings))

    def _measure_table(self, release: ReleaseRecord, columns: Sequence[str], shape: Shape) -> Observation:
        name, _, table = (release.table_name or "").partition(".")
        with self.state.reading() as connection:
            source = stored_sources.get(connection, name)
        with opened(source, self.limits) as backend:
            reference = find_table(backend, table.partition(".")[2]).reference
            rows = backend.door.rows(Purpose.MEASURE, measure_statement(reference, columns, shape))
            return Observation.from_histogram((int(size), int(classes)) for size, classes in rows)


def _differences(release: ReleaseRecord, measured: Observation, k: int, shape: Shape) -> list[str]:
    rows = release.rows if shape == "rows" else None
    found = []
    if rows is not None and measured.rows != rows:
        found.append(f"rows are {measured.rows}, noted were {rows}")
    if not measured.passes(k):
        found.append(f"k is {measured.k}, asked for were {k}")
    for name, now, noted in (
        ("k", measured.k, release.k),
        ("divisions", measured.divisions, release.divisions),
    ):
        if now != noted:
            found.append(f"{name} is {now}, noted were {noted}")
    return found


def _differing_hashes(release: ReleaseRecord, path: Path) -> list[str]:
    manifest: dict[str, Any] = read_manifest(path)
    now = sha256_of(path)
    found = [] if now == release.sha256 else ["the file's SHA-256 is not the one noted in the state"]
    return found if now == manifest.get("sha256") else [*found, "the file's SHA-256 is not the one in its manifest"]
