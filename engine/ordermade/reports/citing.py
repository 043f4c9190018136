"""A release as it is cited, with the level of each column: as the state notes it, so that no row of it is read."""

from __future__ import annotations

from pathlib import Path

from ordermade.catalogue.verified_releases import TABLES
from ordermade.errors import ReleaseFault
from ordermade.release.entitled import Entitled
from ordermade.reports.figures import Audience, CitedColumn, CitedRelease
from ordermade.reports.file import ReportOfTables
from ordermade.reports.gathering_tables import gathered_tables
from ordermade.reports.released import Record, recorded
from ordermade.state.database import StateFile


def cited_release(state: StateFile, number: int, audience: Audience) -> CitedRelease | ReportOfTables:
    """A release as it is cited; of tables with totals their report, which reads no data either.

    Raises UnknownName, Refused where it was replaced or changed, ReleaseFault where it is gone, StateFault.
    """
    record = recorded(state, number)
    if record.request.method == TABLES:
        return gathered_tables(record, audience)
    path = record.release.path
    if path is not None and not Path(path).is_file():
        raise ReleaseFault(
            "the release is no longer there",
            where=path,
            next_step="It was moved or deleted after its release: run its request again.",
        )
    return cited_of(record, audience)


def cited_of(record: Record, audience: Audience) -> CitedRelease:
    """A release as it is cited, by its record; of tables with totals, too."""
    release, request = record.release, record.request
    for_user = audience == "user"
    entitled = Entitled.of_record(release, request, release.columns)
    hierarchies = {column: each.name for column, each in record.hierarchies.items()}
    return CitedRelease(
        audience=audience,
        floor=request.k,
        release=release.id,
        request=record.request_number,
        title=request.title,
        dataset=request.dataset_name,
        method=request.method or "generalization",
        file=Path(release.name).name if for_user and release.path is not None else release.name,
        sha256=release.sha256,
        released_at=release.released_at,
        engine_version=request.engine_version,
        standing=release.standing,
        k=entitled.smallest_class(release.k) if for_user else release.k,
        columns=tuple(
            CitedColumn(each.column, each.role, hierarchies.get(each.column), each.level, each.level_name)
            for each in release.columns
            if each.role != "pseudonym"
        ),
    )
