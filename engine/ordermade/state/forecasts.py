"""Forecasts in the state: what was expected of a request, and what came out when it ran."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ordermade.state.records.request_columns import TabulatedCells
from ordermade.state.statements import rows, utc_now
from ordermade.state.table import Table

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection

MAX_MET = 1_000
"""Forecasts that calibration is measured on, the latest: enough for two digits, and soon read."""
MAX_NOTED = 10_000
"""Forecasts that are looked through for those, the latest of a dataset: most may be of requests that never ran."""
MAX_RUNS = 50
"""Earlier runs that questions and seconds are expected from, the latest."""
NEWEST_REQUESTS = 5_000
"""Requests that are looked through for those before all are: of a hundred thousand that takes a quarter of the time."""
ALL_REQUESTS = 2**62


@dataclass(frozen=True, slots=True)
class NewForecast:
    """A forecast of the request of a hash, as the table `forecasts` has it.

    `levels`: by column in the order of the request, the number and the name of the level expected; empty where no node
    is expected to pass.
    """

    request_hash: str
    dataset_name: str
    dataset_version_id: int | None
    predictor: str | None
    chance: float | None
    proved: bool
    k: float | None
    questions: float | None
    seconds: float | None
    levels: Mapping[str, tuple[int, str]]


@dataclass(frozen=True, slots=True)
class ForecastRow:
    """The row of a forecast: what a `NewForecast` says, `levels` as JSON."""

    id: int
    request_hash: str
    dataset_name: str
    dataset_version_id: int | None
    predictor: str | None
    chance: float | None
    proved: bool
    k: float | None
    questions: float | None
    seconds: float | None
    levels: str
    made_at: datetime


FORECASTS = Table("forecasts", ForecastRow)


@dataclass(frozen=True, slots=True)
class MetForecast:
    """A forecast and the request that it met, which ran to its end: the chance given, and whether it was released."""

    forecast_id: int
    request_id: int
    chance: float | None
    proved: bool
    passed: bool


@dataclass(frozen=True, slots=True)
class MetFigures:
    """The figures of a forecast beside the chance, each with what came out; None where there was none.

    `k` of the node expected, `released_k` of the release; `questions` expected, `nodes_measured`; `seconds` expected,
    those that the run `took`. `levels`: columns with a level expected that were released at one; `levels_right` of them
    at that one.
    """

    k: float | None
    released_k: int | None
    questions: float | None
    nodes_measured: int | None
    seconds: float | None
    took: float | None
    levels: int
    levels_right: int


@dataclass(frozen=True, slots=True)
class EarlierRun:
    """What the search of an earlier request took: accepted nodes, nodes measured, seconds, and the rows there were."""

    nodes_in_lattice: int
    nodes_measured: int
    seconds: float
    rows: int


def note(connection: StateConnection, forecast: NewForecast) -> int:
    """Note a forecast as given now; its number."""
    added = FORECASTS.insert(
        connection,
        request_hash=forecast.request_hash,
        dataset_name=forecast.dataset_name,
        dataset_version_id=forecast.dataset_version_id,
        predictor=forecast.predictor,
        chance=forecast.chance,
        proved=forecast.proved,
        k=forecast.k,
        questions=forecast.questions,
        seconds=forecast.seconds,
        levels=json.dumps(forecast.levels, ensure_ascii=False, separators=(",", ":")),
        made_at=utc_now(),
    )
    return added.id


def met(connection: StateConnection, dataset: str | None) -> tuple[MetForecast, ...]:
    """The forecasts of a dataset's requests (None: of all) that ran to their end, the latest first."""
    found = rows(connection, "state/forecasts_met", dataset_name=dataset, noted=MAX_NOTED, most=MAX_MET)
    return tuple(MetForecast(*row) for row in found)


def figures(connection: StateConnection, met: Sequence[MetForecast]) -> tuple[MetFigures, ...]:
    """The figures of these forecasts beside the chance, and what came out."""
    found = rows(
        connection,
        "state/forecast_figures",
        forecast_id=[each.forecast_id for each in met],
        request_id=[each.request_id for each in met],
    )
    return tuple(MetFigures(*row) for row in found)


def earlier_runs(connection: StateConnection, dataset: str) -> tuple[EarlierRun, ...]:
    """What the last searches on a dataset took, the latest first."""
    found: list[EarlierRun] = []
    for newest in (NEWEST_REQUESTS, ALL_REQUESTS):  # most often the first has enough of them
        if len(found) < MAX_RUNS:
            read = rows(connection, "state/runs_of_dataset", dataset_name=dataset, newest=newest, most=MAX_RUNS)
            found = [EarlierRun(*row) for row in read]
    return tuple(found)


@dataclass(frozen=True, slots=True)
class TabulatedRequest:
    """A request for tables with totals that ran to its end, with its k and the numbers of its cells."""

    request_hash: str
    dataset_version_id: int | None
    k: int
    tabulated: TabulatedCells
    seconds: float | None


def tabulated_of_dataset(connection: StateConnection, dataset: str, most: int) -> tuple[TabulatedRequest, ...]:
    """How the last tables of a dataset came out, the latest first."""
    found = rows(connection, "state/tabulated_of_dataset", dataset_name=dataset, most=most)
    return tuple(
        TabulatedRequest(hashed, version, k, TabulatedCells(**json.loads(tabulated)), seconds)
        for hashed, version, k, tabulated, seconds in found
    )
