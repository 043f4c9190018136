"""Requests in the state: started, and then ended in one of three ways."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ordermade.errors import UnknownName
from ordermade.state.documents import JsonFields, tuple_of
from ordermade.state.records.request_columns import (
    HistoryColumn,
    MicroaggregatedAttribute,
    RequestedAttribute,
    RequestedModels,
    SplitColumn,
    TabulatedCells,
)
from ordermade.state.records.requests import RequestRecord
from ordermade.state.statements import rows, utc_now
from ordermade.state.table import PRESENT, Among, Table

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection

log = logging.getLogger("ordermade.requests")

DOCUMENT = JsonFields(
    "request",
    "record",
    in_columns=frozenset(
        {
            *("id", "request_hash", "dataset_name", "dataset_version_id", "filter", "run", "request", "started_at"),
            *("status", "reason", "finished_at", "interrupted_at", "erased_at"),
        }
    ),
    parts={
        "quasi_identifiers": tuple_of(RequestedAttribute),
        "sensitive": tuple_of(RequestedModels),
        "attributes": tuple_of(MicroaggregatedAttribute),
        "splits": tuple_of(SplitColumn),
        "history": tuple_of(HistoryColumn),
        "tabulated": lambda stored: TabulatedCells(**stored),
    },
)
"""A request but for its columns in the table."""


@dataclass(frozen=True, slots=True)
class CoveringHierarchy:
    """A hierarchy, by its hash, that a request found to cover every value of a column of a dataset version."""

    dataset_version_id: int
    column_name: str
    hierarchy_hash: str


REQUESTS = Table("requests", RequestRecord, document=DOCUMENT)
COVERING = Table("covering_hierarchies", CoveringHierarchy, key=("dataset_version_id", "column_name", "hierarchy_hash"))


def start(connection: StateConnection, request: RequestRecord) -> RequestRecord:
    """Note that a request runs, until it ends or its run is found to be gone; the request with its number.

    One that is refused already is noted at its end alone. Raises ValueError for another end.
    """
    if request.status not in ("running", "refused") or request.chosen:
        raise ValueError(f"a request that was {request.status} is noted in two steps")
    ended = None if request.status == "running" else utc_now()
    noted = replace(request, id=next_number(connection), finished_at=ended)
    REQUESTS.add(connection, noted)
    log.info("request started", extra={"event": "request started", "request": noted.id})
    if noted.status == "refused":
        _log_end(noted)
    return noted


def next_number(connection: StateConnection) -> int:
    """The next number of a request, submitted or run: a number is one thing alone."""
    return int(rows(connection, "state/request_number")[0][0])


def finish(connection: StateConnection, request: RequestRecord) -> None:
    """Note how a request ended. Raises KeyError for no such request, ValueError for an unknown status."""
    if request.status not in ("released", "refused", "failed"):
        raise ValueError(f"a request does not end as {request.status!r}")
    values = REQUESTS.values_of(replace(request, finished_at=utc_now()))
    changed = {name: values[name] for name in ("status", "reason", "dataset_version_id", "finished_at", "record")}
    if not REQUESTS.update(connection, {"id": request.id}, **changed):
        raise KeyError(request.id)
    note_covering(connection, request)
    _log_end(request)


def _log_end(request: RequestRecord) -> None:
    log.info("request ended", extra={"event": "request ended", "request": request.id, "seconds": request.seconds})


def interrupt(connection: StateConnection, alive: Collection[str]) -> None:
    """Note that running requests are interrupted, except those of the runs that are `alive`."""
    left: dict[str, Any] = {"status": "running", "interrupted_at": None, "run": PRESENT}
    found = REQUESTS.read(connection, ("id", "run"), **left)
    _interrupt(connection, [int(number) for number, name in found if name not in alive])


def interrupt_run(connection: StateConnection, name: str) -> None:
    """Note that the request of a run is interrupted, if it is still running."""
    _interrupt(connection, [int(number) for (number,) in REQUESTS.read(connection, ("id",), run=name)])


def _interrupt(connection: StateConnection, numbers: list[int]) -> None:
    if numbers:
        running: dict[str, Any] = {"id": Among(numbers), "status": "running", "interrupted_at": None}
        REQUESTS.update(connection, running, interrupted_at=utc_now())


def of_run(connection: StateConnection, name: str) -> tuple[int, str] | None:
    """The number and the status of the request of a run; None where it noted none."""
    return next(iter(REQUESTS.read(connection, ("id", "status"), run=name)), None)


def withdraw(connection: StateConnection, number: int, reason: str) -> None:
    """Note that a request failed after all: its release never got its name."""
    REQUESTS.update(connection, {"id": number}, status="failed", reason=reason)


def listed(
    connection: StateConnection, most: int | None = None, *, request_hash: str | None = None
) -> tuple[RequestRecord, ...]:
    """The requests, the latest first: `most` of them at most, of this hash if one is given."""
    of_hash: dict[str, Any] = {} if request_hash is None else {"request_hash": request_hash}
    found = REQUESTS.select(connection, order_by=("-id",), most=most, **of_hash)
    return tuple(map(_as_it_stands, found))


def of_dataset(connection: StateConnection, dataset: str) -> frozenset[int]:
    """The numbers of the requests of a dataset."""
    return frozenset(int(number) for (number,) in REQUESTS.read(connection, ("id",), dataset_name=dataset))


def count(connection: StateConnection) -> int:
    """The number of requests on record."""
    return REQUESTS.count(connection)


def note_covering(connection: StateConnection, request: RequestRecord) -> None:
    """Note the hierarchies that a request found to cover its columns, if it came so far before it ended."""
    version = request.dataset_version_id
    if version is None or request.status not in ("released", "refused") or not request.coverage_queries:
        return
    found = {(each.column, each.hierarchy_hash): None for each in request.quasi_identifiers}
    COVERING.add_all(connection, (CoveringHierarchy(version, *each) for each in found), of_known_key="ignored")


def covering(connection: StateConnection, version_id: int) -> frozenset[tuple[str, str]]:
    """(column, content hash) of the hierarchies that a request found to cover a column of this dataset version."""
    return frozenset(COVERING.read(connection, ("column_name", "hierarchy_hash"), dataset_version_id=version_id))


def get(connection: StateConnection, number: int) -> RequestRecord:
    """The request of a number. Raises UnknownName."""
    found = REQUESTS.find(connection, id=number)
    if found is None:
        raise UnknownName("request", str(number), next_step="`ordermade request list` shows them.")
    return _as_it_stands(found)


def _as_it_stands(request: RequestRecord) -> RequestRecord:
    """A request as it is stored, with the levels released, and interrupted where its process was found to be gone."""
    gone = request.status == "running" and request.interrupted_at is not None
    return replace(
        request,
        status="interrupted" if gone else request.status,
        quasi_identifiers=tuple(
            replace(each, chosen_level=request.chosen[each.column][0], chosen_level_name=request.chosen[each.column][1])
            if each.column in request.chosen
            else each
            for each in request.quasi_identifiers
        ),
    )
