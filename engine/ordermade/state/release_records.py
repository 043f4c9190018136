"""The state's records of releases: the outcome of requests, as it was measured after writing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class ReleaseColumn:
    """A column of a release: its role and a quasi-identifier's level.

    Roles: quasi-identifier, sensitive, keep, pseudonym, count. A microaggregated quasi-identifier has no level; its
    aggregate (mean, median, mode, ancestor) stands in `level_name`.
    """

    column: str
    role: str
    level: int | None = None
    level_name: str | None = None


@dataclass(frozen=True, slots=True)
class PrivacyFigure:
    """A figure of a release beyond k: of a sensitive column's model, or (column None) of the whole release."""

    column: str | None
    figure: str
    value: float | None


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


@dataclass(frozen=True, slots=True)
class ReleaseRecord:
    """A release as the state keeps it.

    `ended`: `superseded` (by the release `superseded_by`) or `withdrawn`, where it no longer stands under its name.
    """

    id: int
    request_id: int
    kind: str
    path: str | None
    table_name: str | None
    sha256: str | None
    rows: int
    k: int
    divisions: int
    suppressed_rows: int
    released_at: datetime
    persons: int | None = None
    suppressed_persons: int | None = None
    star_rows: int | None = None
    ended: str | None = None
    superseded_by: int | None = None

    @property
    def name(self) -> str:
        """The path of its file, or the name of its table."""
        return self.path or self.table_name or ""

    @property
    def standing(self) -> str:
        """In words, whether it stands under its name: `stands`, `superseded by 2` or `withdrawn`."""
        if self.ended is None:
            return "stands"
        return self.ended if self.superseded_by is None else f"{self.ended} by {self.superseded_by}"


@dataclass(frozen=True, slots=True)
class ReleaseDetails:
    """A release with its columns in order and its losses by metric."""

    release: ReleaseRecord
    columns: tuple[ReleaseColumn, ...]
    losses: Mapping[str, float]
    privacy: tuple[PrivacyFigure, ...] = ()
