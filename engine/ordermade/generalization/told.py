"""What generalisation tells of its release: levels of the quasi-identifiers, what was withheld, rounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ordermade.answering.released import OfMethod
from ordermade.generalization.question import Question
from ordermade.privacy.risk import risk_of
from ordermade.release.plan import Plan
from ordermade.requests.numbers import plain
from ordermade.state.release_records import ReleaseColumn

if TYPE_CHECKING:
    from ordermade.generalization.publish import Chosen

MIXED = "mixed"
"""The level of a quasi-identifier where rows are at several."""


def of_method(question: Question, plan: Plan, chosen: Chosen) -> OfMethod:
    """What the state and the manifest are told of the release of a chosen node, or of rounds."""
    request, risk = question.resolved.request, risk_of(question.resolved.request.risk)
    told = OfMethod(
        request_id=chosen.request_id,
        version=chosen.version,
        losses=chosen.losses,
        columns=tuple(_columns(question, plan, chosen)),
        manifest={
            "quasi_identifiers": list(_levels(question, plan, chosen)),
            "suppression_limit": plain(request.suppression_limit),
            "withheld": "star" if plan.stars else "drop" if plan.local or request.suppression_limit else None,
            "recoding": "local" if plan.local else "full-domain",
            "rounds": [dict(each) for each in chosen.local.rounds] if chosen.local else [],
        },
    )
    return told if risk is None else replace(told, sampling_fraction=risk.sampling_fraction)


def _columns(question: Question, plan: Plan, chosen: Chosen) -> Iterator[ReleaseColumn]:
    names = question.level_names(chosen.node)
    for column, level in zip(plan.quasi_identifiers, chosen.node, strict=True):
        if plan.local:
            yield ReleaseColumn(column, "quasi-identifier", None, MIXED)
        else:
            yield ReleaseColumn(column, "quasi-identifier", level, names[column])


def _levels(question: Question, plan: Plan, chosen: Chosen) -> Iterator[Mapping[str, Any]]:
    names = question.level_names(chosen.node)
    for each, level in zip(plan.attributes, chosen.node, strict=True):
        found = {"column": each.column, "hierarchy": each.hierarchy.name}
        if plan.local:
            yield {**found, "level_name": MIXED, "hierarchy_hash": each.hierarchy.content_hash}
            continue
        yield {
            **found,
            "level": level,
            "level_name": names[each.column],
            "level_hash": each.hierarchy.levels[level].content_hash,
        }
