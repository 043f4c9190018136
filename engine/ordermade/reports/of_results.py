"""The report of a result that a program has: of a release that stands, or of the rows that it got."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from ordermade.errors import Refused
from ordermade.reports.figures import Audience
from ordermade.reports.file import Report, ReportOfTables
from ordermade.reports.gathering import gathered
from ordermade.sources.limits import Limits
from ordermade.state import releases, requests
from ordermade.state.database import StateFile

if TYPE_CHECKING:
    import pyarrow as pa


class ReportableRelease(Protocol):
    """As much of a result as a report needs."""

    @property
    def request(self) -> int:
        """The number of its request."""

    @property
    def reason(self) -> str | None:
        """The reason why nothing was released."""

    @property
    def release(self) -> Any:
        """The report of its release; None where there is none."""


def reported(
    state: StateFile,
    limits: Limits,
    result: ReportableRelease,
    audience: Audience,
    data: object = None,
    entity: str | None = None,
) -> Report | ReportOfTables:
    """The report of a result; `data`, `entity`: the frame that it was made of, so that its original is compared.

    Raises Refused where nothing was released, and as `gathered`.
    """
    if result.release is None:
        raise Refused(result.reason or "nothing was released", next_step="Ask for a smaller k.")
    with state.reading() as connection:
        number = releases.of_request(connection, result.request)
        dataset = requests.get(connection, result.request).dataset_name
    if number is None:
        raise Refused("nothing was released", next_step="Run the request again.")
    if data is not None:
        limits = _holding(limits, dataset, data, entity)
    return gathered(state, limits, number, audience, _rows(result))


def _rows(result: ReportableRelease) -> pa.Table | None:
    """The rows that the program got back; None where the release is a file or a table."""
    frame = result.release.frame
    rows: pa.Table | None = None if frame is None or result.release.sha256 is not None else frame.table()
    return rows


def _holding(limits: Limits, dataset: str, data: object, entity: str | None) -> Limits:
    """Limits that hold a frame, or frames by name, as they were given with the request."""
    from ordermade.sources import frames
    from ordermade.sources.frame_columns import FrameTables

    named = data if isinstance(data, Mapping) and not frames.is_frame(data) else {dataset: data}
    tables = {str(name): frames.given(frame, f"the frame '{name}'") for name, frame in named.items()}
    return replace(limits, frames=FrameTables(tables, entity))
