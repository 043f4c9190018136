"""The state's record of a request from its start, whatever the method."""

from __future__ import annotations

from collections.abc import Iterable

from ordermade import __version__
from ordermade.answering.question import OpenRequest
from ordermade.privacy.asked import required_models
from ordermade.requests.identity import request_hash
from ordermade.requests.model import SourceTable
from ordermade.requests.resolving import ResolvedRequest
from ordermade.requests.sensitive import ResolvedSensitive
from ordermade.state.records import StartedRequest
from ordermade.state.requested import RequestedAttribute, RequestedModels


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
    )


def requested_models(sensitive: Iterable[ResolvedSensitive]) -> tuple[RequestedModels, ...]:
    """The sensitive columns with their models in words."""
    return tuple(
        RequestedModels(column, ", ".join(model.written for model in models))
        for column, models in required_models(sensitive).items()
    )
