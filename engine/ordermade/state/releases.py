"""Releases in the state, as measured after writing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ordermade.display.cards import Carded
from ordermade.errors import Refused, UnknownName
from ordermade.records import CLASSES
from ordermade.state.documents import Document, Fields
from ordermade.state.statements import Row, rows, utc_now
from ordermade.state.table import Table

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection


DOCUMENT = Document("release", in_columns=frozenset({"kind", "path", "table_name", "sha256"}))
"""What was measured on a release: what `NewRelease` has beside the columns of the table."""


@dataclass(frozen=True, slots=True)
class ReleaseColumn:
    """A column of a release."""

    column: str
    """Its name."""
    role: str
    """`quasi-identifier`, `sensitive`, `keep`, `pseudonym` or `count`."""
    level: int | None = None
    """The level of its hierarchy; null where rows are at several, or it has none."""
    level_name: str | None = None
    """The name of the level, `mixed`, or the aggregate of groups."""
    loss_share: float | None = None
    """Its loss, from 0 (as it was) to 1 (all gone); null where none is known."""


@dataclass(frozen=True, slots=True)
class PrivacyFigure:
    """A measure of a release beyond k: of a model of a sensitive column, or a risk."""

    column: str | None
    """The sensitive column; null of the whole release."""
    figure: str
    """The model as it is written, or the name of the risk."""
    value: float | None
    """The figure of the worst class; null where the release alone does not show it."""
    model: str | None = None
    """The name of the model."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    """The parameters of the model, as a request writes them."""


@dataclass(frozen=True, slots=True)
class NewRelease:
    """The record of a release: a file (`path`, `sha256`) or a `table_name`, and its measured figures.

    `persons` released and `suppressed_persons` are None where a row is a person; `star_rows`: suppressed rows kept as
    `*` in every column.
    """

    kind: str
    path: str | None
    table_name: str | None
    sha256: str | None
    rows: int
    k: int
    divisions: int
    suppressed_rows: int
    columns: tuple[ReleaseColumn, ...]
    losses: Mapping[str, float]
    persons: int | None = None
    suppressed_persons: int | None = None
    star_rows: int | None = None
    privacy: tuple[PrivacyFigure, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class ReleaseRecord(Carded):
    """A release on record."""

    id: int
    """Its number."""
    request_id: int
    """The number of the request that it came out of."""
    kind: str
    """`file of rows`, `file of classes`, `table of rows` …"""
    path: str | None
    """Its file; null of a table."""
    table_name: str | None
    """Its table; null of a file."""
    sha256: str | None
    """The hash of its file."""
    rows: int
    """The rows written, `*` rows included."""
    k: int
    """Its measured k."""
    divisions: int = field(metadata=CLASSES)
    """The number of its equivalence classes."""
    suppressed_rows: int
    """The rows of the dataset that were suppressed."""
    released_at: datetime
    """The time it was released."""
    persons: int | None = None
    """The persons in it; null where a row is a person."""
    suppressed_persons: int | None = None
    """The persons with a suppressed row; null where a row is a person."""
    star_rows: int | None = None
    """Suppressed rows that stay as `*`; null where none may."""
    ended: str | None = None
    """`superseded`, `withdrawn` or `erased` (by policy); null while it stands under its name."""
    superseded_by: int | None = None
    """The release that took its place."""

    @property
    def name(self) -> str:
        """The path of its file, or the name of its table."""
        return self.path or self.table_name or ""

    @property
    def standing(self) -> str:
        """In words, whether it stands under its name: `stands`, `superseded by 2`, `withdrawn` or `erased`."""
        if self.ended is None:
            return "stands"
        return self.ended if self.superseded_by is None else f"{self.ended} by {self.superseded_by}"


@dataclass(frozen=True, slots=True, repr=False)
class ReleaseDetails(Carded):
    """A release, its columns and figures."""

    release: ReleaseRecord
    """The release."""
    columns: tuple[ReleaseColumn, ...]
    """Its columns, in their order."""
    losses: Mapping[str, float]
    """Its losses by metric; those of a column as `metric.column`."""
    privacy: tuple[PrivacyFigure, ...] = ()
    """Its measured models and risks."""


@dataclass(frozen=True, slots=True)
class ReleaseRow:
    """The row of a release; `measured`: the document."""

    id: int
    request_id: int
    kind: str
    path: str | None
    table_name: str | None
    sha256: str | None
    released_at: datetime
    measured: str


@dataclass(frozen=True, slots=True)
class ReleaseEnd:
    """The end of a release under its name: `how` is superseded, by a later one, or withdrawn."""

    release_id: int
    how: str
    superseded_by: int | None
    ended_at: datetime


@dataclass(frozen=True, slots=True)
class ErasedRelease:
    """A release whose files were erased by policy, and when."""

    release_id: int
    erased_at: datetime


RELEASES = Table("releases", ReleaseRow)
RELEASE_ENDS = Table("release_ends", ReleaseEnd, key=("release_id",))
ERASED_RELEASES = Table("erased_releases", ErasedRelease, key=("release_id",))


def record(connection: StateConnection, request_id: int, release: NewRelease) -> int:
    """Note a release; its number."""
    added = RELEASES.insert(
        connection,
        request_id=request_id,
        kind=release.kind,
        path=release.path,
        table_name=release.table_name,
        sha256=release.sha256,
        released_at=utc_now(),
        measured=DOCUMENT.text(_said(release)),
    )
    return added.id


def _said(release: NewRelease) -> Fields:
    """What the document of a release says: its infinite figures are words."""
    said = DOCUMENT.fields(release)
    said["losses"] = {metric: as_number(value) for metric, value in release.losses.items()}
    said["privacy"] = [{**DOCUMENT.fields(each), "value": as_number(each.value)} for each in release.privacy]
    return said


def as_number(value: float | None) -> float | str | None:
    """A figure as JSON can say it, which has no infinity."""
    return value if value is None or math.isfinite(value) else str(value)


def supersede(connection: StateConnection, number: int) -> None:
    """Note that a release takes the place of those that stood under its name."""
    RELEASE_ENDS.run(connection, "state/release_supersedes", id=number, ended_at=utc_now())


def replaced(connection: StateConnection, number: int, by: int) -> None:
    """Note that a release was superseded by another one, under another name."""
    RELEASE_ENDS.add(connection, ReleaseEnd(number, "superseded", by, utc_now()))


def withdraw(connection: StateConnection, number: int, *, restore: bool) -> None:
    """Note that a release never got its name; with `restore` those that it superseded stand again."""
    RELEASE_ENDS.add(connection, ReleaseEnd(number, "withdrawn", None, utc_now()))
    if restore:
        RELEASE_ENDS.delete(connection, superseded_by=number)


def standing(connection: StateConnection, *, path: str | None = None, table: str | None = None) -> int | None:
    """The number of the release that stands under a path or a table's name; None where none does."""
    return next(iter(_standing(connection, path, table)), None)


def ended_in(connection: StateConnection, folder: str) -> list[str]:
    """The files of releases below a folder that came to their end, unless another release stands under the name."""
    return [str(path) for (path,) in rows(connection, "state/releases_ended", folder=folder)]


def of_request(connection: StateConnection, request_id: int) -> int | None:
    """The number of the release that came out of a request; None where none did."""
    found = RELEASES.read(connection, ("id",), request_id=request_id, order_by=("-id",), most=1)
    return next((int(number) for (number,) in found), None)


def _standing(connection: StateConnection, path: str | None, table: str | None) -> list[int]:
    return [int(row[0]) for row in rows(connection, "state/releases_standing", path=path, table_name=table)]


def older_than(connection: StateConnection, dataset: str, before: datetime) -> tuple[ReleaseRecord, ...]:
    """The releases of a dataset that were made, or delivered, before a moment (UTC, without a zone) and stand.

    Those that were delivered until a moment of their own are left out: they end then.
    """
    found = rows(connection, "state/releases_old", dataset_name=dataset, before=before)
    return tuple(get(connection, int(number)).release for (number,) in found)


def note_erased(connection: StateConnection, numbers: list[int]) -> None:
    """Note that the files of releases were erased; their records stay."""
    now = utc_now()
    ERASED_RELEASES.add_all(connection, (ErasedRelease(each, now) for each in numbers))


def listed(connection: StateConnection) -> tuple[ReleaseRecord, ...]:
    """Every release, the latest first."""
    return tuple(_record(row, DOCUMENT.read(row[-1])) for row in rows(connection, "state/releases"))


def get(connection: StateConnection, number: int) -> ReleaseDetails:
    """A release with its columns and losses. Raises UnknownName."""
    found = rows(connection, "state/release_by_id", id=number)
    if not found:
        raise UnknownName("release", str(number), next_step="`ordermade release list` shows them.")
    said = DOCUMENT.read(found[0][-1])
    return ReleaseDetails(
        release=_record(found[0], said),
        columns=tuple(ReleaseColumn(**each) for each in said.get("columns", ())),
        losses={metric: float(value) for metric, value in said["losses"].items()},
        privacy=tuple(
            PrivacyFigure(**{"column": None, **each, "value": None if each["value"] is None else float(each["value"])})
            for each in said["privacy"]
        ),
    )


def _record(row: Row, said: Fields) -> ReleaseRecord:
    number, request, kind, path, table, sha256, released_at, ended, superseded_by, _ = row
    figures: dict[str, Any] = {name: said.get(name) for name in _FIGURES}
    return ReleaseRecord(
        id=number,
        request_id=request,
        kind=kind,
        path=path,
        table_name=table,
        sha256=sha256,
        released_at=released_at,
        ended=ended,
        superseded_by=superseded_by,
        **figures,
    )


_FIGURES = ("rows", "k", "divisions", "suppressed_rows", "persons", "suppressed_persons", "star_rows")


def require_standing(release: ReleaseRecord, wanted: str) -> None:
    """Raises Refused where a release no longer has its name; `wanted` is what was to be done with it."""
    if release.ended == "superseded":
        raise Refused(
            f"release {release.id} was superseded by release {release.superseded_by}, which has its name",
            where=release.name,
            next_step=f"{wanted.capitalize()} release {release.superseded_by}.",
        )
    if release.ended == "erased":
        raise Refused(
            f"the file of release {release.id} was erased as the policy of its dataset says",
            where=release.name,
            next_step="Run its request again.",
        )
    if release.ended is not None:
        raise Refused(
            f"release {release.id} was withdrawn: it never got its name",
            where=release.name,
            next_step="Run its request again.",
        )
