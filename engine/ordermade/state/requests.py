"""Requests in the state: started, and then ended in one of three ways."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from ordermade.errors import UnknownName
from ordermade.state.records.request_columns import (
    HistoryColumn,
    MicroaggregatedAttribute,
    RequestedAttribute,
    RequestedModels,
    SplitColumn,
)
from ordermade.state.records.requests import RequestDetails, RequestRecord
from ordermade.state.statements import new_id, rows, run, utc_now

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection
    from ordermade.state.records.noted_requests import FinishedRequest, StartedRequest

log = logging.getLogger("ordermade.requests")


def start(connection: StateConnection, request: StartedRequest, ended: FinishedRequest | None = None) -> int:
    """Note that a request runs, until it ends or its run is found to be gone; its number.

    `ended`: why one was refused that is noted at its end alone, with nodes measured and seconds. Raises ValueError for
    another end.
    """
    if ended is not None and (ended.status != "refused" or ended.chosen):
        raise ValueError(f"a request that was {ended.status} is noted in two steps")
    now = utc_now()
    number = new_id(
        connection,
        "state/request_insert",
        id=next_number(connection),
        title=request.title,
        request_hash=request.request_hash,
        engine_version=request.engine_version,
        dataset_name=request.dataset_name,
        dataset_version_id=request.dataset_version_id,
        filter=request.filter,
        k=request.k,
        algorithm=request.algorithm,
        objective=request.objective,
        shape=request.shape,
        target_path=request.target_path,
        target_table=request.target_table,
        suppression_limit=request.suppression_limit,
        suppressed=request.suppressed,
        recoding=request.recoding,
        risk=request.risk,
        weights=request.weights,
        entity_column=request.entity_column,
        method=request.method,
        options=request.options,
        run=request.run,
        request=request.text,
        started_at=now,
        status="running" if ended is None else ended.status,
        reason=None if ended is None else ended.reason,
        finished_at=None if ended is None else now,
        nodes_measured=None if ended is None else ended.nodes_measured,
        seconds=None if ended is None else ended.seconds,
    )
    _note_columns(connection, number, request)
    log.info("request started", extra={"event": "request started", "request": number})
    if ended is not None:
        _tell_end(number, ended)
    return number


def next_number(connection: StateConnection) -> int:
    """The next number of a request, submitted or run: a number is one thing alone."""
    return int(rows(connection, "state/request_number")[0][0])


def _note_columns(connection: StateConnection, number: int, request: StartedRequest) -> None:
    """Notes the columns of a request in their order: every list of them has a table of its own."""
    _note(
        connection,
        "state/request_quasi_identifiers_insert",
        number,
        column_name=[each.column for each in request.quasi_identifiers],
        hierarchy_name=[each.hierarchy for each in request.quasi_identifiers],
        hierarchy_hash=[each.hierarchy_hash for each in request.quasi_identifiers],
        from_level=[each.from_level for each in request.quasi_identifiers],
        to_level=[each.to_level for each in request.quasi_identifiers],
    )
    for role, columns in (("identifier", request.identifiers), ("keep", request.keep)):
        _note(connection, "state/request_columns_insert", number, role=role, column_name=list(columns))
    _note(
        connection,
        "state/request_sensitive_insert",
        number,
        column_name=[each.column for each in request.sensitive],
        models=[each.models for each in request.sensitive],
    )
    _note(
        connection,
        "state/request_attributes_insert",
        number,
        column_name=[each.column for each in request.attributes],
        weight=[each.weight for each in request.attributes],
        hierarchy_name=[each.hierarchy for each in request.attributes],
        hierarchy_hash=[each.hierarchy_hash for each in request.attributes],
        aggregate=[each.aggregate for each in request.attributes],
    )
    _note(
        connection,
        "state/request_splits_insert",
        number,
        column_name=[each.column for each in request.splits],
        kind=[each.kind for each in request.splits],
        hierarchy_name=[each.hierarchy for each in request.splits],
        hierarchy_hash=[each.hierarchy_hash for each in request.splits],
        finest_level=[each.finest for each in request.splits],
    )
    _note(
        connection,
        "state/request_history_insert",
        number,
        column_name=[each.column for each in request.history],
        role=[each.role for each in request.history],
        unit=[each.unit for each in request.history],
        sort_place=[each.sort_place for each in request.history],
        taxonomy_file=[each.taxonomy for each in request.history],
        taxonomy_hash=[each.taxonomy_hash for each in request.history],
        taxonomy_level=[each.level for each in request.history],
    )


def _note(
    connection: StateConnection, statement: str, number: int, *, column_name: Sequence[str], **of_columns: object
) -> None:
    """Notes columns of a request with what is known of them, one place a column; nothing where there are none."""
    if column_name:
        places = list(range(len(column_name)))
        run(connection, statement, request_id=number, position=places, column_name=column_name, **of_columns)


def finish(connection: StateConnection, number: int, outcome: FinishedRequest) -> None:
    """Note how a request ended. Raises KeyError for no such request, ValueError for an unknown status."""
    if outcome.status not in ("released", "refused", "failed"):
        raise ValueError(f"a request does not end as {outcome.status!r}")
    if not rows(connection, "state/request_by_id", id=number):
        raise KeyError(number)
    run(
        connection,
        "state/request_finish",
        id=number,
        status=outcome.status,
        reason=outcome.reason,
        dataset_version_id=outcome.dataset_version_id,
        finished_at=utc_now(),
        nodes_in_lattice=outcome.nodes_in_lattice,
        nodes_measured=outcome.nodes_measured,
        divisions_measured=outcome.divisions_measured,
        source_queries=outcome.source_queries,
        version_queries=outcome.version_queries,
        coverage_queries=outcome.coverage_queries,
        release_queries=outcome.release_queries,
        seconds=outcome.seconds,
    )
    _tell_end(number, outcome)
    if outcome.chosen:
        run(
            connection,
            "state/request_level_chosen",
            request_id=number,
            column_name=list(outcome.chosen),
            level=[level for level, _ in outcome.chosen.values()],
            level_name=[level_name for _, level_name in outcome.chosen.values()],
        )


def _tell_end(number: int, outcome: FinishedRequest) -> None:
    log.info("request ended", extra={"event": "request ended", "request": number, "seconds": outcome.seconds})


def interrupt(connection: StateConnection, alive: Collection[str]) -> None:
    """Note that running requests are interrupted, except those of the runs that are `alive`."""
    _interrupt(connection, [int(row[0]) for row in rows(connection, "state/requests_left", alive=list(alive))])


def interrupt_run(connection: StateConnection, name: str) -> None:
    """Note that the request of a run is interrupted, if it is still running."""
    _interrupt(connection, [int(row[0]) for row in rows(connection, "state/request_of_run", run=name)])


def _interrupt(connection: StateConnection, numbers: list[int]) -> None:
    if numbers:
        run(connection, "state/requests_interrupted", id=numbers, interrupted_at=utc_now())


def text_of(connection: StateConnection, number: int) -> str | None:
    """A request as canonical JSON; None where it was noted before requests were kept whole. Raises UnknownName."""
    found = rows(connection, "state/request_text", id=number)
    if not found:
        raise UnknownName("request", str(number), next_step="`ordermade request list` shows them.")
    return None if found[0][0] is None else str(found[0][0])


def of_run(connection: StateConnection, name: str) -> tuple[int, str] | None:
    """The number and the status of the request of a run; None where it noted none."""
    return next(((int(row[0]), str(row[1])) for row in rows(connection, "state/request_of_run", run=name)), None)


def withdraw(connection: StateConnection, number: int, reason: str) -> None:
    """Note that a request failed after all: its release never got its name."""
    run(connection, "state/request_withdrawn", id=number, reason=reason)


def listed(
    connection: StateConnection, most: int | None = None, *, request_hash: str | None = None
) -> tuple[RequestRecord, ...]:
    """The requests, the latest first: `most` of them at most, of this hash if one is given."""
    found = rows(connection, "state/requests", request_hash=request_hash, most=most)
    return tuple(RequestRecord(*row) for row in found)


def count(connection: StateConnection) -> int:
    """The number of requests on record."""
    return int(rows(connection, "state/request_count")[0][0])


def covering(connection: StateConnection, version_id: int) -> frozenset[tuple[str, str]]:
    """(column, content hash) of the hierarchies that a request found to cover a column of this dataset version."""
    found = rows(connection, "state/hierarchies_covering", dataset_version_id=version_id)
    return frozenset((str(column), str(content_hash)) for column, content_hash in found)


def get(connection: StateConnection, number: int) -> RequestDetails:
    """A request with its columns. Raises UnknownName."""
    found = rows(connection, "state/request_by_id", id=number)
    if not found:
        raise UnknownName("request", str(number), next_step="`ordermade request list` shows them.")
    quasi_identifiers = rows(connection, "state/request_quasi_identifiers", request_id=number)
    columns = rows(connection, "state/request_columns", request_id=number)
    sensitive = rows(connection, "state/request_sensitive", request_id=number)
    attributes = rows(connection, "state/request_attributes", request_id=number)
    splits = rows(connection, "state/request_splits", request_id=number)
    history = rows(connection, "state/request_history", request_id=number)
    return RequestDetails(
        request=RequestRecord(*found[0]),
        quasi_identifiers=tuple(RequestedAttribute(*row) for row in quasi_identifiers),
        identifiers=tuple(str(column) for role, column in columns if role == "identifier"),
        keep=tuple(str(column) for role, column in columns if role == "keep"),
        sensitive=tuple(RequestedModels(*row) for row in sensitive),
        attributes=tuple(MicroaggregatedAttribute(*row) for row in attributes),
        splits=tuple(SplitColumn(*row) for row in splits),
        history=tuple(HistoryColumn(*row) for row in history),
    )
