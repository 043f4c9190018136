"""The requests that users had forecasts of while they chose: distinct ones are counted, for each user and dataset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ordermade.state.statements import utc_now
from ordermade.state.table import Since, Table

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection


@dataclass(frozen=True, slots=True)
class LiveForecastCount:
    """The row of a request that a user had a forecast of: the hash of its meaning, and when."""

    id: int
    dataset_name: str
    user_name: str
    request_hash: str
    asked_at: datetime


LIVE_FORECASTS = Table("live_forecasts", LiveForecastCount)


def since(connection: StateConnection, dataset: str, user: str, moment: datetime) -> Mapping[str, datetime]:
    """The requests of a user that were counted since a moment (UTC, without a zone), with when each was first."""
    found: dict[str, datetime] = {}
    columns = ("request_hash", "asked_at")
    for request_hash, asked_at in LIVE_FORECASTS.read(
        connection, columns, order_by=("id",), dataset_name=dataset, user_name=user, asked_at=Since(moment)
    ):
        found.setdefault(request_hash, asked_at)
    return found


def count(connection: StateConnection, dataset: str, user: str, request_hash: str, before: datetime) -> None:
    """Counts a request of a user; what the user asked `before` a moment counts no more, and goes."""
    LIVE_FORECASTS.insert(
        connection, dataset_name=dataset, user_name=user, request_hash=request_hash, asked_at=utc_now()
    )
    LIVE_FORECASTS.run(
        connection, "state/live_forecasts_over", erased=True, dataset_name=dataset, user_name=user, before=before
    )
