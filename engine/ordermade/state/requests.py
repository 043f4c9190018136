"""Requests in the state: started, and then ended in one of three ways."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ordermade.errors import UnknownName
from ordermade.state.documents import Document, Fields, as_text
from ordermade.state.records.request_columns import (
    HistoryColumn,
    MicroaggregatedAttribute,
    RequestedAttribute,
    RequestedModels,
    SplitColumn,
)
from ordermade.state.records.requests import RequestDetails, RequestRecord
from ordermade.state.statements import Row, rows, utc_now
from ordermade.state.table import PRESENT, Among, Table

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection
    from ordermade.state.records.noted_requests import FinishedRequest, StartedRequest

log = logging.getLogger("ordermade.requests")

DOCUMENT = Document(
    "request",
    in_columns=frozenset(
        {
            *("id", "request_hash", "dataset_name", "dataset_version_id", "filter", "run", "text"),
            *("started_at", "status", "reason", "finished_at"),
        }
    ),
)
"""A request but for its columns in the table: what `StartedRequest` and `FinishedRequest` have."""


@dataclass(frozen=True, slots=True)
class RequestRow:
    """The row of a request: `run` is the random name of its run, `request` its canonical JSON, `record` the document.

    `status` is as it was written: that of a request without a process stays `running`, and is `interrupted_at`.
    """

    id: int
    request_hash: str
    dataset_name: str
    dataset_version_id: int | None
    filter: str | None
    run: str | None
    started_at: datetime
    status: str
    reason: str | None
    finished_at: datetime | None
    interrupted_at: datetime | None
    erased_at: datetime | None
    request: str | None
    record: str


@dataclass(frozen=True, slots=True)
class CoveringHierarchy:
    """A hierarchy, by its hash, that a request found to cover every value of a column of a dataset version."""

    dataset_version_id: int
    column_name: str
    hierarchy_hash: str


REQUESTS = Table("requests", RequestRow)
COVERING = Table("covering_hierarchies", CoveringHierarchy, key=("dataset_version_id", "column_name", "hierarchy_hash"))


def start(connection: StateConnection, request: StartedRequest, ended: FinishedRequest | None = None) -> int:
    """Note that a request runs, until it ends or its run is found to be gone; its number.

    `ended`: why one was refused that is noted at its end alone, with nodes measured and seconds. Raises ValueError for
    another end.
    """
    if ended is not None and (ended.status != "refused" or ended.chosen):
        raise ValueError(f"a request that was {ended.status} is noted in two steps")
    now = utc_now()
    number = next_number(connection)
    REQUESTS.insert(
        connection,
        id=number,
        request_hash=request.request_hash,
        dataset_name=request.dataset_name,
        dataset_version_id=request.dataset_version_id,
        filter=request.filter,
        run=request.run,
        started_at=now,
        status="running" if ended is None else ended.status,
        reason=None if ended is None else ended.reason,
        finished_at=None if ended is None else now,
        request=request.text,
        record=DOCUMENT.text(DOCUMENT.fields(request) | ({} if ended is None else DOCUMENT.fields(ended))),
    )
    log.info("request started", extra={"event": "request started", "request": number})
    if ended is not None:
        _tell_end(number, ended)
    return number


def next_number(connection: StateConnection) -> int:
    """The next number of a request, submitted or run: a number is one thing alone."""
    return int(rows(connection, "state/request_number")[0][0])


def finish(connection: StateConnection, number: int, outcome: FinishedRequest) -> None:
    """Note how a request ended. Raises KeyError for no such request, ValueError for an unknown status."""
    if outcome.status not in ("released", "refused", "failed"):
        raise ValueError(f"a request does not end as {outcome.status!r}")
    found = REQUESTS.run(
        connection,
        "state/request_finish",
        id=number,
        status=outcome.status,
        reason=outcome.reason,
        dataset_version_id=outcome.dataset_version_id,
        finished_at=utc_now(),
        finished=as_text(DOCUMENT.fields(outcome)),
    )
    if not found:
        raise KeyError(number)
    if outcome.coverage_queries:
        note_covering(connection, number)
    _tell_end(number, outcome)


def _tell_end(number: int, outcome: FinishedRequest) -> None:
    log.info("request ended", extra={"event": "request ended", "request": number, "seconds": outcome.seconds})


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


def text_of(connection: StateConnection, number: int) -> str | None:
    """A request as canonical JSON; None where it was noted before requests were kept whole. Raises UnknownName."""
    found = REQUESTS.read(connection, ("request",), id=number)
    if not found:
        raise UnknownName("request", str(number), next_step="`ordermade request list` shows them.")
    return None if found[0][0] is None else str(found[0][0])


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
    found = REQUESTS.read(connection, _LISTED, order_by=("-id",), most=most, **of_hash)
    return tuple(_record(row, DOCUMENT.read(row[-1])) for row in found)


def count(connection: StateConnection) -> int:
    """The number of requests on record."""
    return REQUESTS.count(connection)


def note_covering(connection: StateConnection, number: int) -> None:
    """Note the hierarchies that a request found to cover its columns, if it came so far before it ended."""
    COVERING.run(connection, "state/covering_hierarchies_insert", id=number)


def covering(connection: StateConnection, version_id: int) -> frozenset[tuple[str, str]]:
    """(column, content hash) of the hierarchies that a request found to cover a column of this dataset version."""
    return frozenset(COVERING.read(connection, ("column_name", "hierarchy_hash"), dataset_version_id=version_id))


def get(connection: StateConnection, number: int) -> RequestDetails:
    """A request with its columns. Raises UnknownName."""
    found = REQUESTS.read(connection, _LISTED, id=number)
    if not found:
        raise UnknownName("request", str(number), next_step="`ordermade request list` shows them.")
    said = DOCUMENT.read(found[0][-1])
    chosen = said.get("chosen", {})
    return RequestDetails(
        request=_record(found[0], said),
        quasi_identifiers=tuple(
            RequestedAttribute(**each) if each["column"] not in chosen else _released(each, *chosen[each["column"]])
            for each in said.get("quasi_identifiers", ())
        ),
        identifiers=tuple(said.get("identifiers", ())),
        keep=tuple(said.get("keep", ())),
        sensitive=tuple(RequestedModels(**each) for each in said.get("sensitive", ())),
        attributes=tuple(MicroaggregatedAttribute(**each) for each in said.get("attributes", ())),
        splits=tuple(SplitColumn(**each) for each in said.get("splits", ())),
        history=tuple(HistoryColumn(**each) for each in said.get("history", ())),
    )


def _record(row: Row, said: Fields) -> RequestRecord:
    number, request_hash, dataset, version, where, started_at, status, interrupted_at, reason, finished_at, _ = row
    rest: dict[str, Any] = {name: said.get(name) for name in _IN_DOCUMENT}
    return RequestRecord(
        id=number,
        request_hash=request_hash,
        dataset_name=dataset,
        dataset_version_id=version,
        filter=where,
        started_at=started_at,
        status="interrupted" if status == "running" and interrupted_at is not None else status,
        reason=reason,
        finished_at=finished_at,
        **rest,
    )


def _released(column: Fields, level: int, level_name: str) -> RequestedAttribute:
    return RequestedAttribute(**{**column, "chosen_level": level, "chosen_level_name": level_name})


_IN_DOCUMENT = tuple(each.name for each in fields(RequestRecord) if each.name not in DOCUMENT.in_columns)

_LISTED = (
    *("id", "request_hash", "dataset_name", "dataset_version_id", "filter", "started_at", "status", "interrupted_at"),
    *("reason", "finished_at", "record"),
)
"""The columns of a request that a list has, the document last."""
