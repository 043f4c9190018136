"""A submitted request as it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ordermade.service.comment_subjects import in_words
from ordermade.service.lifecycle import words
from ordermade.views.screen import hand_over, print_facts, print_table, say

if TYPE_CHECKING:
    from ordermade.state.data_refusals import DataRefusal
    from ordermade.state.submissions import SubmissionDetails


def print_submission(
    dossier: SubmissionDetails,
    moves: Sequence[str],
    where: str | None,
    refusal: str | None = None,
    by_data: Sequence[DataRefusal] = (),
) -> None:
    """Prints where a request stands, its revisions, votes and text; `where`: the file of its release, if shown.

    `refusal`: the reason why it was refused, if it was; `by_data`: what the data refused of it, for the provider.
    """
    at, revision, proposal = dossier.submission, dossier.in_force, dossier.proposed
    title = f", {at.title}" if at.title else ""
    say(f"Request {at.id}, {words(at.status)}{title}")
    print_facts(
        (
            ("dataset", at.dataset_name),
            ("submitted", f"by {at.submitted_by}, {at.submitted_at:%Y-%m-%d %H:%M}"),
            ("revision", f"{at.revision}, by {revision.made_by}"),
            ("why", revision.reason),
            ("predicted", revision.prediction),
            ("proposed", None if proposal is None else proposal.reason or "another request"),
            ("predicted of that", None if proposal is None else proposal.prediction),
            ("refused", refusal),
            ("expires", at.expires_at),
            ("release", None if where is None else f"{at.release_id}, {where}"),
            ("possible now", ", ".join(moves) or None),
        )
    )
    if by_data:
        print_table(
            ("revision", "refused by the data", "counts", "why"),
            [(each.revision, each.refused_at, "yes" if each.counts else "no", each.reason) for each in by_data],
        )
    if dossier.votes:
        print_table(
            ("reviewer", "vote", "why", "when"),
            [(each.reviewer, each.vote, each.reason or "", each.voted_at) for each in dossier.votes],
        )
    if dossier.comments:
        print_table(
            ("about", "revision", "who", "comment", "when"),
            [
                (in_words(each.about), each.revision, each.made_by, each.text or "(erased)", each.made_at)
                for each in dossier.comments
            ],
        )
    say("")
    hand_over((proposal or revision).request)
