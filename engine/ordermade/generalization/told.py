"""The record of a generalised release: levels of the quasi-identifiers, suppression, rounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ordermade.answering.released import MIXED, OfMethod, level_in_manifest, level_noted
from ordermade.generalization.question import Question
from ordermade.privacy.risk import risk_of
from ordermade.release.plan import Plan
from ordermade.requests.numbers import plain
from ordermade.state.release_records import ReleaseColumn

if TYPE_CHECKING:
    from ordermade.generalization.publish import Chosen


def of_method(question: Question, plan: Plan, chosen: Chosen) -> OfMethod:
    """Return the record of the release of a chosen node, or of rounds, for the state and the manifest."""
    request, risk = question.resolved.request, risk_of(question.resolved.request.risk)
    record = OfMethod(
        request_id=chosen.request_id,
        version=chosen.version,
        losses=chosen.losses,
        columns=tuple(_columns(plan, chosen)),
        manifest={
            "quasi_identifiers": list(_levels(plan, chosen)),
            "suppression_limit": plain(request.suppression_limit),
            "withheld": "star" if plan.stars else "drop" if plan.local or request.suppression_limit else None,
            "recoding": "local" if plan.local else "full-domain",
            "rounds": [dict(each) for each in chosen.local.rounds] if chosen.local else [],
        },
    )
    return record if risk is None else replace(record, sampling_fraction=risk.sampling_fraction)


def _columns(plan: Plan, chosen: Chosen) -> Iterator[ReleaseColumn]:
    for each, level in zip(plan.attributes, chosen.node, strict=True):
        if plan.local:
            yield ReleaseColumn(each.column, "quasi-identifier", None, MIXED)
        else:
            yield level_noted(each.column, each.hierarchy, level)


def _levels(plan: Plan, chosen: Chosen) -> Iterator[Mapping[str, Any]]:
    for each, level in zip(plan.attributes, chosen.node, strict=True):
        if plan.local:
            yield {
                "column": each.column,
                "hierarchy": each.hierarchy.name,
                "level_name": MIXED,
                "hierarchy_hash": each.hierarchy.content_hash,
            }
        else:
            yield level_in_manifest(each.column, each.hierarchy, level)
