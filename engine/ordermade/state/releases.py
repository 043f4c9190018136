"""Releases in the state, as measured after writing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ordermade.errors import Refused, UnknownName
from ordermade.records.cards import HasSummary
from ordermade.records.printed import CLASSES
from ordermade.state.documents import Fields, JsonFields, tuple_of
from ordermade.state.records.requests import UNNUMBERED
from ordermade.state.statements import Row, rows, utc_now
from ordermade.state.table import NOT_STORED, Table

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection


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


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class ReleaseRecord(HasSummary):
    """A release on record with its columns and measured figures: a file (`path`, `sha256`) or a `table_name`."""

    id: int = UNNUMBERED
    """Its number."""
    request_id: int = UNNUMBERED
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
    ended: str | None = field(default=None, metadata=NOT_STORED)
    """`superseded`, `withdrawn` or `erased` (by policy); null while it stands under its name."""
    superseded_by: int | None = field(default=None, metadata=NOT_STORED)
    """The release that took its place."""
    published_as: str | None = field(default=None, metadata=NOT_STORED)
    """Its title in the catalogue, for everybody; null while it is not there."""
    columns: tuple[ReleaseColumn, ...] = ()
    """Its columns, in their order."""
    losses: Mapping[str, float] = field(default_factory=dict)
    """Its losses by metric; those of a column as `metric.column`."""
    privacy: tuple[PrivacyFigure, ...] = ()
    """Its measured models and risks."""

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


def _with_figure(said: Fields) -> PrivacyFigure:
    value = said["value"]
    return PrivacyFigure(**{"column": None, **said, "value": None if value is None else float(value)})


DOCUMENT = JsonFields(
    "release",
    "measured",
    in_columns=frozenset({"id", "request_id", "kind", "path", "table_name", "sha256", "released_at"}),
    parts={
        "columns": tuple_of(ReleaseColumn),
        "losses": lambda stored: {metric: float(value) for metric, value in stored.items()},
        "privacy": lambda stored: tuple(map(_with_figure, stored)),
    },
)
"""What was measured on a release, its infinite figures as words."""

RELEASES = Table("releases", ReleaseRecord, document=DOCUMENT)
RELEASE_ENDS = Table("release_ends", ReleaseEnd, key=("release_id",))
ERASED_RELEASES = Table("erased_releases", ErasedRelease, key=("release_id",))


def record(connection: StateConnection, request_id: int, release: ReleaseRecord) -> int:
    """Note a release that came out of a request now; its number."""
    losses: dict[str, Any] = {metric: as_number(value) for metric, value in release.losses.items()}
    figures: list[Any] = [as_number(each.value) for each in release.privacy]
    privacy = tuple(replace(each, value=value) for each, value in zip(release.privacy, figures, strict=True))
    noted = replace(release, request_id=request_id, released_at=utc_now(), losses=losses, privacy=privacy)
    values = RELEASES.values_of(noted)
    del values["id"]
    return RELEASES.insert(connection, **values).id


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
    """Note that a release never got its name; with `restore` those that it superseded stand again.

    One that came to its end meanwhile, because another process took its request, stays as that noted it.
    """
    if RELEASE_ENDS.find(connection, release_id=number) is None:
        RELEASE_ENDS.add(connection, ReleaseEnd(number, "withdrawn", None, utc_now()))
    if restore:
        RELEASE_ENDS.delete(connection, superseded_by=number)


def standing(connection: StateConnection, *, path: str | None = None, table: str | None = None) -> int | None:
    """The number of the release that stands under a path or a table's name; None where none does."""
    return next(iter(_standing(connection, path, table)), None)


def ended_in(connection: StateConnection, folder: str) -> list[str]:
    """The files of releases below a folder that came to their end, unless another release stands under the name."""
    return [str(path) for (path,) in rows(connection, "state/releases_ended", folder=folder)]


def reached(connection: StateConnection, folder: str) -> frozenset[int]:
    """The releases that reached their recipients; `folder`: that of the releases of submitted requests."""
    return frozenset(int(number) for (number,) in rows(connection, "state/releases_reached", folder=folder))


def of_request(connection: StateConnection, request_id: int) -> int | None:
    """The number of the release that came out of a request; None where none did."""
    found = RELEASES.read(connection, ("id",), request_id=request_id, order_by=("-id",), most=1)
    return next((int(number) for (number,) in found), None)


def _standing(connection: StateConnection, path: str | None, table: str | None) -> list[int]:
    return [int(row[0]) for row in rows(connection, "state/releases_standing", path=path, table_name=table)]


def of_dataset(connection: StateConnection, dataset: str) -> tuple[tuple[int, int, str | None], ...]:
    """The releases of a dataset, whatever became of them: their numbers, those of their requests, and their runs."""
    return tuple(
        (int(n), int(request), run)
        for n, request, run in rows(connection, "state/releases_of_dataset", dataset_name=dataset)
    )


def older_than(connection: StateConnection, dataset: str, before: datetime) -> tuple[ReleaseRecord, ...]:
    """The releases of a dataset that were made, or delivered, before a moment (UTC, without a zone) and stand.

    Those that were delivered until a moment of their own are left out: they end then.
    """
    found = rows(connection, "state/releases_old", dataset_name=dataset, before=before)
    return tuple(get(connection, int(number)) for (number,) in found)


def note_erased(connection: StateConnection, numbers: list[int]) -> None:
    """Note that the files of releases were erased; their records stay."""
    now = utc_now()
    ERASED_RELEASES.add_all(connection, (ErasedRelease(each, now) for each in numbers))


def listed(connection: StateConnection) -> tuple[ReleaseRecord, ...]:
    """Every release, the latest first."""
    return tuple(map(_made, rows(connection, "state/releases")))


def get(connection: StateConnection, number: int) -> ReleaseRecord:
    """The release of a number. Raises UnknownName."""
    found = rows(connection, "state/release_by_id", id=number)
    if not found:
        raise UnknownName("release", str(number), next_step="`ordermade release list` shows them.")
    return _made(found[0])


def _made(row: Row) -> ReleaseRecord:
    """A release of its row, its end, and its title in the catalogue, where none is that has ended."""
    *stored, ended, superseded_by, title = row
    published_as = title if ended is None else None
    return replace(RELEASES.made(tuple(stored)), ended=ended, superseded_by=superseded_by, published_as=published_as)


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
