"""Comments on a submitted request: said by its user or by reviewers at one thing in it, and no decision.

They are read by everybody who may see the request. Their texts go with the texts of the request by policy, so the audit
has what each is about alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ordermade.errors import InputError, Refused
from ordermade.phrases import phrase
from ordermade.policies.uses import uses
from ordermade.service.comment_subjects import COLUMN, PARTS
from ordermade.service.lifecycle import ENDED
from ordermade.service.step import request_of
from ordermade.service.submitted import as_now
from ordermade.state import submissions as stored

if TYPE_CHECKING:
    from ordermade.service.shown import ShownRequest
    from ordermade.service.step import ServiceStep
    from ordermade.state.records.submissions import Comment
    from ordermade.state.submissions import SubmissionDetails

LONGEST_COMMENT = 500
"""Characters of a comment, which is a line."""
MOST_COMMENTS = 200
"""The comments that one request has at most."""


def about(at: str, dossier: SubmissionDetails) -> str:
    """What a comment is about, as it is noted. Raises InputError where the revision in force has nothing of the name.

    A column is named in the letters of the request, whatever their case.
    """
    if at in PARTS:
        return at
    text = dossier.in_force.request
    named = list(dict.fromkeys(each.column for each in uses(request_of(text)))) if text else []
    name = at.removeprefix(COLUMN).casefold() if at.startswith(COLUMN) else None
    found = next((each for each in named if each.casefold() == name), None)
    if found is None:
        listed = ", ".join((*PARTS, *(f"{COLUMN}{each}" for each in named)))
        what = phrase("the request has nothing of this name to comment on")
        raise InputError(what, where="at", next_step=phrase("Write one of %(listed)s.", listed=listed))
    return f"{COLUMN}{found}"


def said(text: str) -> str:
    """The text of a comment in one line. Raises InputError for one that is empty, too long or does not print."""
    line = " ".join(text.split())
    if not line or len(line) > LONGEST_COMMENT or not line.isprintable():
        what = phrase("a comment is one line of at most %(n)s printable characters", n=LONGEST_COMMENT)
        raise InputError(what, where="text", next_step=phrase("Shorten it, or make several."))
    return line


def comment(under_way: ServiceStep, number: int, text: str, at: str, shown: ShownRequest | None) -> Comment:
    """Notes a comment of who acts on the revision in force; nothing is moved, and no vote reset.

    Raises Refused for a request that ended, has no text any more or is not as it was `shown`, and for one comment too
    many; InputError.
    """
    dossier = under_way.dossier(number, shown)
    submission = as_now(dossier.submission)
    if submission.status in ENDED or not dossier.in_force.request:
        raise Refused(
            phrase("nothing is said about a request any more that has ended, or whose text was erased"),
            next_step=phrase("Ask the provider."),
        )
    if len(dossier.comments) >= MOST_COMMENTS:
        what = phrase("a request has at most %(n)s comments, and this one has so many", n=MOST_COMMENTS)
        raise Refused(what, next_step=phrase("Revise it, or vote."))
    found = stored.comment(under_way.changes, dossier, about(at, dossier), said(text))
    under_way.changes.audited("request comment", str(number), found.about)
    return found
