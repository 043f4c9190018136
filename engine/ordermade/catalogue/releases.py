"""The releases of a state by their numbers: list, get, report, verify."""

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
    from ordermade.catalogue.verified_releases import Recount, VerifiedRelease
    from ordermade.reports.figures import Audience, CitedRelease
    from ordermade.reports.file import Report, ReportOfTables
    from ordermade.reports.of_results import ReportableRelease

SHOWN = {
    "id": "id",
    "request": "request_id",
    "k": "k",
    "classes": "divisions",
    "rows": "rows",
    "released": "released_at",
    "stands": "standing",
    "where": "name",
}
"""The columns of the list, in Python and on the screen."""


@typed_methods
@dataclass(frozen=True, slots=True)
class Releases:
    """The releases of a state."""

    state: StateFile
    limits: Limits = field(repr=False)
    recount: Recount | None = field(default=None, repr=False)

    def list(self) -> tuple[ReleaseRecord, ...]:
        """Every release, the latest first. Raises StateFault."""
        with self.state.reading() as connection:
            return Listing(stored.listed(connection), "releases", SHOWN)

    def get(self, number: int) -> ReleaseRecord:
        """One release with its columns and losses. Raises UnknownName, StateFault."""
        with self.state.reading() as connection:
            return stored.get(connection, number)

    def report(self, number: int, audience: Audience = "provider") -> Report | ReportOfTables:
        """The figures of the report of a release, for a provider or for a user; `ReportOfTables` of tables with totals.

        A report for a user shows no count below k, and nothing of the original that was not released.

        Raises UnknownName, Refused if the release was replaced or changed, ReleaseFault if it is gone, SourceFault,
        StateFault.
        """
        from ordermade.reports.gathering import gathered

        return gathered(self.state, self.limits, number, audience)

    def cited(self, number: int, audience: Audience = "provider") -> CitedRelease | ReportOfTables:
        """A release as it is cited, with the level of each column; no row of it is read. Of tables their report.

        Raises UnknownName, Refused if the release was replaced, ReleaseFault if it is gone, StateFault.
        """
        from ordermade.reports.citing import cited_release

        return cited_release(self.state, number, audience)

    def report_of(
        self,
        result: ReportableRelease,
        audience: Audience = "provider",
        *,
        data: object = None,
        entity: str | None = None,
    ) -> Report | ReportOfTables:
        """The figures of the report of a `Result`, also of one whose release is a frame.

        `data`, `entity`: the arguments of `Engine.run`, so that the report compares the release with the original.
        Raises Refused if nothing was released, and the errors of `report`.
        """
        from ordermade.reports.of_results import reported

        return reported(self.state, self.limits, result, audience, data, entity)

    def verify(self, number: int) -> VerifiedRelease:
        """The figures of a release, measured again where it was written; cells of tables are counted again.

        Raises UnknownName, ReleaseFault if it is gone, Refused if another has replaced it, SourceFault.
        """
        from ordermade.catalogue.verified_releases import verified

        return verified(self.state, self.limits, number, self.recount)
