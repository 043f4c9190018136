"""Submitted requests with a row filter of an earlier version, which calculated: back to their users, rewritten."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ordermade.errors import FilterError, PolicyBroken, Refused, RequestError
from ordermade.policies.uses import filter_tree
from ordermade.requests.earlier_filters import of_any_column
from ordermade.service.lifecycle import move
from ordermade.service.revising import PredictionSummary, WrittenRevision, outlook, submittable, text_of, written
from ordermade.service.step import named, request_of, step
from ordermade.state import submissions as stored

if TYPE_CHECKING:
    from ordermade.service.desk import Desk
    from ordermade.state.submissions import SubmissionDetails

REWRITTEN = "its row filter is written as this version reads it, and lets the same rows pass"


def carry_over(of: Desk, dossier: SubmissionDetails) -> None:
    """Proposes a request with its filter rewritten, if it needs that and the provider acts; raises Refused then.

    The proposal counts as its user's own, so that those who looked at the request may review it. Where the policy does
    not allow it, its user reads the text all the same, with what the policy says: it is not accepted, but revised.
    """
    text = _rewritten(dossier.in_force.request)
    number, recipient = dossier.submission.id, dossier.submission.submitted_by
    if text is None or not of.acting().is_provider:
        return
    why, predicted = REWRITTEN, None
    try:
        asked = of.written(text, recipient)
        predicted = outlook(of.office, asked.read)
    except PolicyBroken as broken:
        asked = _unallowed(of, text)
        why = f"{REWRITTEN}; the policy does not allow it: {' '.join(broken.problems)}"
    except RequestError:
        return  # the step that follows says what is wrong
    with step(of.state, of.credential) as under_way:
        dossier = under_way.dossier(number)
        if dossier.submission.status == "approved":
            back = move(replace(under_way.standing(dossier), changed=REWRITTEN), "return", under_way.acting)
            stored.reset(under_way.changes, dossier.reviews)
            under_way.made(dossier, back, REWRITTEN, claim=None)
            dossier = under_way.dossier(number)
        proposing = named(under_way, dossier, "propose")
        place = dossier.revisions[-1].revision + 1
        under_way.revise(
            number, place, asked, predicted or PredictionSummary("the policy does not allow it"), why, by=recipient
        )
        under_way.made(dossier, proposing, why)
    what = f"the row filter of request {number} is of an earlier version: it goes back to its user, rewritten"
    raise Refused(what, next_step="Go on with it once its user has accepted the proposal, or revised it.")


def _unallowed(of: Desk, text: str) -> WrittenRevision:
    """A request that breaks the policy, checked as far as may be: one that is accepted later means the same then."""
    try:
        return written(of.office, submittable(text))
    except PolicyBroken:
        return WrittenRevision(submittable(text), text)


def of_today(text: str) -> str:
    """A request with its filter as this version reads it, if it can be rewritten; else as it is."""
    return _rewritten(text) or text


def _rewritten(text: str) -> str | None:
    """The request with its filter as this version reads it; None where it reads it as it is, or cannot rewrite it."""
    request = request_of(text) if text else None
    if request is None or request.where is None:
        return None

    if filter_tree(request.where) is not None:
        return None
    try:
        found = of_any_column(request.where)
    except FilterError:
        return None
    return None if found is None else text_of(request.model_copy(update={"where": found}))
