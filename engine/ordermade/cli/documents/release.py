"""The documents of `ordermade release`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from ordermade.cli.documents.opening import FORMAT
from ordermade.cli.screen import plain

if TYPE_CHECKING:
    from pathlib import Path

    from ordermade.catalogue.releases import VerifiedRelease
    from ordermade.cli.documents.types.release import (
        PrivacyFigure,
        Release,
        ReleasedColumn,
        ReleaseList,
        ReleaseReported,
        ReleaseShown,
        ReleaseVerified,
    )
    from ordermade.reports.file import Report
    from ordermade.state.releases import ReleaseDetails, ReleaseRecord


def listed(releases: Sequence[ReleaseRecord]) -> ReleaseList:
    """The document of `release list`."""
    return {
        "format": FORMAT,
        "command": "release list",
        "releases": [cast("Release", plain(each)) for each in releases],
    }


def shown(found: ReleaseDetails) -> ReleaseShown:
    """The document of `release show`."""
    return {
        "format": FORMAT,
        "command": "release show",
        "release": cast("Release", plain(found.release)),
        "columns": [cast("ReleasedColumn", plain(each)) for each in found.columns],
        "losses": dict(found.losses),
        "privacy": [cast("PrivacyFigure", plain(each)) for each in found.privacy],
    }


def verified(found: VerifiedRelease) -> ReleaseVerified:
    """The document of `release verify`."""
    return {
        "format": FORMAT,
        "command": "release verify",
        "release": found.release.id,
        "where": found.release.name,
        "intact": found.intact,
        "k": found.measured.k,
        "classes": found.measured.divisions,
        "rows": found.rows,
        "persons": found.persons,
        "star_rows": found.star_rows,
        "models": list(found.models),
        "untold": list(found.untold),
        "vouched_by": found.vouched_by,
        "findings": list(found.findings),
    }


def reported(found: Report, path: Path | None) -> ReleaseReported:
    """The document of `release report`; `path` of the page, None where none was written."""
    return {
        "format": FORMAT,
        "command": "release report",
        "report": cast("Report", found.as_dict()),
        "path": None if path is None else str(path),
    }
