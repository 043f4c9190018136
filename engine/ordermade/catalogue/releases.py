"""Releases by number: list, show, verify."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ordermade.catalogue.arguments import typed_methods
from ordermade.records.listing import Listing
from ordermade.sources.limits import Limits
from ordermade.state import releases as stored
from ordermade.state.database import StateFile
from ordermade.state.releases import ReleaseRecord

if TYPE_CHECKING:
    from ordermade.catalogue.verified_releases import VerifiedRelease
    from ordermade.reports.figures import Audience
    from ordermade.reports.file import Report
    from ordermade.reports.of_results import ReportableRelease

_SHOWN = {
    "id": "id",
    "request": "request_id",
    "k": "k",
    "classes": "divisions",
    "rows": "rows",
    "released": "released_at",
    "stands": "standing",
    "where": "name",
}


@typed_methods
@dataclass(frozen=True, slots=True)
class Releases:
    """The releases of a state."""

    state: StateFile
    limits: Limits = field(repr=False)

    def list(self) -> tuple[ReleaseRecord, ...]:
        """Every release, the latest first. Raises StateFault."""
        with self.state.reading() as connection:
            return Listing(stored.listed(connection), "releases", _SHOWN)

    def get(self, number: int) -> ReleaseRecord:
        """One release with its columns and losses. Raises UnknownName, StateFault."""
        with self.state.reading() as connection:
            return stored.get(connection, number)

    def report(self, number: int, audience: Audience = "provider") -> Report:
        """The figures of the report of a release, for a provider or for a user.

        For a user there is nothing of fewer than k rows or persons, and nothing of the original that was not released.
        Raises UnknownName, Refused where the release no longer has its name or is not what was released, ReleaseFault
        where it is gone, SourceFault, StateFault.
        """
        from ordermade.reports.gathering import gathered

        return gathered(self.state, self.limits, number, audience)

    def report_of(
        self,
        result: ReportableRelease,
        audience: Audience = "provider",
        *,
        data: object = None,
        entity: str | None = None,
    ) -> Report:
        """The figures of the report of a `Result`, also of a frame that a program got back and that is not kept.

        `data`, `entity`: as they were given to `Engine.run`, so that the report compares with the original. Raises
        Refused where nothing was released, and as `report`.
        """
        from ordermade.reports.of_results import reported

        return reported(self.state, self.limits, result, audience, data, entity)

    def verify(self, number: int) -> VerifiedRelease:
        """Measures a release again in its place.

        Raises UnknownName, ReleaseFault if it is no longer there, Refused if it no longer has its name, SourceFault.
        """
        from ordermade.catalogue.verified_releases import verified

        return verified(self.state, self.limits, number)
