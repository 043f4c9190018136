"""The state's record of a request for generalisation as it starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from ordermade.methods.generalization.open_request import OpenGeneralization
from ordermade.methods.shared.notes import as_started, requested_models
from ordermade.requests.numbers import as_fraction, decimal_text
from ordermade.state.records import RequestedAttribute, StartedRequest


def searched_as_started(question: OpenGeneralization, algorithm: str, version_id: int | None) -> StartedRequest:
    """The state's record of the request from its start: the accepted levels, and the requirements beyond k."""
    resolved, request = question.resolved, question.resolved.request
    started = as_started(
        question,
        version_id,
        algorithm=algorithm,
        objective=request.search.objective,
        quasi_identifiers=tuple(
            RequestedAttribute(
                each.column, each.hierarchy.name, each.hierarchy.content_hash, each.accepted[0], each.accepted[-1]
            )
            for each in resolved.qis
        ),
    )
    return replace(
        started,
        suppression_limit=decimal_text(resolved.limit),
        suppressed=request.suppressed if resolved.limit else None,
        recoding=request.recoding_name,
        risk=None if resolved.risk is None else _listed(resolved.risk.model_dump(exclude_none=True)),
        weights=_listed(resolved.weights),
        sensitive=requested_models(resolved.sensitive),
    )


def _listed(numbers: Mapping[str, Fraction | Decimal]) -> str | None:
    """Numbers by name, in words; None where there are none."""
    return ", ".join(f"{name} {decimal_text(as_fraction(number))}" for name, number in numbers.items()) or None
