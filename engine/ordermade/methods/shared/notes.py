"""The notes of the state on an open request besides its end: how it starts, and the version of its dataset."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from ordermade import __version__
from ordermade.measuring.dataset import Version
from ordermade.methods.shared.open_request import OpenRequest
from ordermade.privacy.requirement import required_models
from ordermade.requests.model import SourceTable
from ordermade.requests.read import as_json
from ordermade.requests.resolving import ResolvedRequest, ResolvedSensitive, request_hash
from ordermade.state import observations, offer_lists, versions
from ordermade.state.cache import Cache
from ordermade.state.database import StateFile
from ordermade.state.records import DatasetVersion, RequestedAttribute, RequestedModels, StartedRequest

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def as_started(
    question: OpenRequest[ResolvedRequest],
    version_id: int | None,
    *,
    algorithm: str,
    objective: str,
    quasi_identifiers: tuple[RequestedAttribute, ...],
) -> StartedRequest:
    """Record the request, columns as stored and levels by number. Each method fills in its own fields."""
    resolved, request = question.resolved, question.read.request
    target = request.release.to
    return StartedRequest(
        title=request.title,
        request_hash=request_hash(request, resolved.filter_text, resolved.said_by_files),
        engine_version=__version__,
        dataset_name=question.opened.name,
        filter=resolved.filter_text,
        k=request.k,
        algorithm=algorithm,
        objective=objective,
        shape=request.release.shape,
        target_path=None if request.release.path is None else str(request.release.path),
        target_table=target.table if isinstance(target, SourceTable) else None,
        quasi_identifiers=quasi_identifiers,
        identifiers=resolved.identifiers,
        keep=resolved.keep,
        dataset_version_id=version_id,
        suppression_limit=None,
        recoding=None,
        entity_column=resolved.entity,
        method=request.method,
        text=as_json(request),
    )


def requested_models(sensitive: Iterable[ResolvedSensitive]) -> tuple[RequestedModels, ...]:
    """The sensitive columns with their models in words."""
    return tuple(
        RequestedModels(column, ", ".join(model.written for model in models))
        for column, models in required_models(sensitive).items()
    )


def noted_version(
    connection: DuckDBPyConnection,
    question: OpenRequest[ResolvedRequest],
    version: Version,
    persons: int | None = None,
) -> DatasetVersion:
    """The version of the request's dataset, noted in the state as seen now, and those of its parts."""
    if question.dataset.parts is not None:
        from ordermade.state import parts

        parts.note(connection, question.identity, question.dataset.parts.rows_by_content())
        for columns in question.counted_by:
            parts.note_columns(connection, question.identity, columns)
    return versions.register(
        connection,
        question.identity,
        question.opened.dataset_id,
        question.resolved.filter_text,
        version.rows,
        version.hash_sum,
        version.columns_hash,
        {each.name: each.type for each in question.dataset.columns},
        persons,
        version.vouched_by,
    )


def forget_version(state: StateFile, cache: Cache | None, version_id: int) -> None:
    """Drops all that is known of a dataset version, the cached frequency sets with it."""
    with state.writing() as connection:
        observations.forget(connection, version_id)
        offer_lists.forget(connection, version_id)
    if cache is not None:
        cache.purge([version_id])


def current_cache(cache: Cache | None, current: Collection[int] | None) -> Cache | None:
    """The cache, rid of the sets of versions that are not `current` (None: all are); None where it is not used."""
    if cache is not None and current is not None:
        cache.drop_missing_versions(current)
    return cache
