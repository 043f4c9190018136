"""The documents of `ordermade release`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from ordermade.reports.figures import ReportFigures
    from ordermade.reports.table_figures import TablesFigures
    from ordermade.state.releases import ReleaseRecord


@dataclass(frozen=True, slots=True)
class ReleaseList:
    """The releases so far."""

    releases: Sequence[ReleaseRecord]
    """The releases, the latest first."""


@dataclass(frozen=True, slots=True)
class ReleaseReported:
    """The report of a release, for its audience."""

    report: ReportFigures | TablesFigures
    """The figures of the report."""
    path: Path | None
    """The page that was written; null without `--html`."""
