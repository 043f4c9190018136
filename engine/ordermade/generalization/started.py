"""What the state is told of a request when it starts."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

from ordermade import __version__
from ordermade.generalization.goal import models_of
from ordermade.generalization.question import Question
from ordermade.privacy.models import decimal_text, exact
from ordermade.requests.identity import request_hash
from ordermade.requests.model import SourceTable
from ordermade.state.records import RequestedAttribute, RequestedModels, StartedRequest


def as_started(question: Question, algorithm: str, version_id: int) -> StartedRequest:
    """The request as the state keeps it from its start: what was asked, columns as stored and levels by number."""
    resolved, request = question.resolved, question.resolved.request
    target = request.release.to
    into_table = isinstance(target, SourceTable)
    return StartedRequest(
        title=request.title,
        request_hash=request_hash(request, resolved.filter_text),
        engine_version=__version__,
        dataset_name=question.opened.name,
        filter=resolved.filter_text,
        k=request.k,
        algorithm=algorithm,
        objective=request.search.objective,
        shape=request.release.shape,
        target_path=None if into_table else str(target),
        target_table=target.table if isinstance(target, SourceTable) else None,
        quasi_identifiers=tuple(
            RequestedAttribute(
                each.column,
                each.hierarchy.name,
                each.hierarchy.content_hash,
                each.accepted[0],
                each.accepted[-1],
            )
            for each in resolved.qis
        ),
        identifiers=resolved.identifiers,
        keep=resolved.keep,
        dataset_version_id=version_id,
        method=request.method,
        suppression_limit=decimal_text(resolved.limit),
        withheld=request.withheld if resolved.limit else None,
        recoding=request.recoding,
        risk=None if resolved.risk is None else _listed(resolved.risk.model_dump(exclude_none=True)),
        weights=_listed(resolved.weights),
        entity_column=resolved.entity,
        sensitive=tuple(
            RequestedModels(column, ", ".join(model.written for model in models))
            for column, models in models_of(resolved).items()
        ),
    )


def _listed(numbers: Mapping[str, Fraction | Decimal]) -> str | None:
    """Numbers by name, in words; None where there are none."""
    return ", ".join(f"{name} {decimal_text(exact(number))}" for name, number in numbers.items()) or None
