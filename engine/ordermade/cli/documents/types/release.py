"""The types of the documents of `ordermade release`."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from typing_extensions import TypedDict

from ordermade.cli.documents.types.opening import Opening
from ordermade.reports.figures import ReportFigures


class Release(TypedDict):
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
    classes: int
    """The number of its equivalence classes."""
    suppressed_rows: int
    """The rows of the dataset that were suppressed."""
    released_at: datetime
    """The time it was released."""
    persons: int | None
    """The persons in it; null where a row is a person."""
    suppressed_persons: int | None
    """The persons with a suppressed row; null where a row is a person."""
    star_rows: int | None
    """Suppressed rows that stay as `*`; null where none may."""
    ended: str | None
    """`superseded`, `withdrawn` or `erased` (by policy); null while it stands under its name."""
    superseded_by: int | None
    """The release that took its place."""


class ReleasedColumn(TypedDict):
    """A column of a release."""

    column: str
    """Its name."""
    role: str
    """`quasi-identifier`, `sensitive`, `keep`, `pseudonym` or `count`."""
    level: int | None
    """The level of its hierarchy; null where rows are at several, or it has none."""
    level_name: str | None
    """The name of the level, `mixed`, or the aggregate of groups."""
    loss_share: float | None
    """Its loss, from 0 (as it was) to 1 (all gone); null where none is known."""


class PrivacyFigure(TypedDict):
    """A measure of a release beyond k: of a model of a sensitive column, or a risk."""

    column: str | None
    """The sensitive column; null of the whole release."""
    figure: str
    """The model as it is written, or the name of the risk."""
    value: float | None
    """The figure of the worst class; null where the release alone does not show it."""
    model: str | None
    """The name of the model."""
    parameters: dict[str, str]
    """The parameters of the model, as a request writes them."""


class ReleaseList(Opening):
    """The releases so far."""

    command: Literal["release list"]
    """`release list`."""
    releases: list[Release]
    """The releases, the latest first."""


class ReleaseShown(Opening):
    """A release, its columns and figures."""

    command: Literal["release show"]
    """`release show`."""
    release: Release
    """The release."""
    columns: list[ReleasedColumn]
    """Its columns, in their order."""
    losses: dict[str, float]
    """Its losses by metric; those of a column as `metric.column`."""
    privacy: list[PrivacyFigure]
    """Its measured models and risks."""


class ReleaseVerified(Opening):
    """A release measured again in its place."""

    command: Literal["release verify"]
    """`release verify`."""
    release: int
    """Its number."""
    where: str
    """Its file or table."""
    intact: bool
    """Whether it is as it was released; if not, the exit status is 3."""
    k: int
    """Its k, measured again."""
    classes: int
    """Its equivalence classes, measured again."""
    rows: int
    """Its rows, measured again."""
    persons: int | None
    """Its persons, where it has pseudonyms."""
    star_rows: int
    """Its rows of `*`."""
    models: list[str]
    """The models that were measured again, with their figures."""
    untold: list[str]
    """Facts that the release alone does not show."""
    vouched_by: str | None
    """The SHA-256 of the provider's query that vouched for the dataset's version, or `fingerprint`."""
    findings: list[str]
    """The differences from the release on record."""


class ReleaseReported(Opening):
    """The report of a release, for its audience."""

    command: Literal["release report"]
    """`release report`."""
    report: ReportFigures
    """The figures of the report."""
    path: str | None
    """The page that was written; null without `--html`."""
