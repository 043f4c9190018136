"""Comments in a browser: made where a page has what they are about, and listed there."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from fastapi.responses import Response

from ordermade.errors import InputError
from ordermade.phrases import phrase
from ordermade.portal.routing import Pages
from ordermade.portal.visits import Visit, Visiting
from ordermade.service.comment_subjects import WHOLE
from ordermade.service.comments import LONGEST_COMMENT, MOST_COMMENTS
from ordermade.service.lifecycle import ENDED
from ordermade.service.shown import ShownRequest
from ordermade.state.records.submissions import Comment
from ordermade.state.submissions import SubmissionDetails

pages = Pages()

_OF = ("requests", "reviews")
"""The pages of a request that have comments: its user's, and the reviewers'."""


@dataclass(frozen=True, slots=True)
class CommentsShown:
    """The comments on a request as a page has them; `of`: which page it is, `token`: of its forms."""

    of: str
    token: str
    details: SubmissionDetails

    @classmethod
    def on(cls, visit: Visit, of: str, details: SubmissionDetails) -> CommentsShown:
        """Those of a request, on a page of this visit."""
        return cls(of, visit.csrf, details)

    @property
    def number(self) -> int:
        """The number of the request."""
        return self.details.submission.id

    @property
    def revision(self) -> int:
        """The last revision, which the forms are checked against."""
        return self.details.revisions[-1].revision

    @property
    def longest(self) -> int:
        """The characters that a comment has at most."""
        return LONGEST_COMMENT

    @property
    def is_open(self) -> bool:
        """Whether another may be made."""
        has_text = bool(self.details.in_force.request)
        is_going_on = self.details.submission.status not in ENDED
        return is_going_on and has_text and len(self.details.comments) < MOST_COMMENTS

    def about(self, what: str) -> tuple[Comment, ...]:
        """The comments on one thing; a column is named in whatever letters."""
        return tuple(each for each in self.details.comments if each.about.casefold() == what.casefold())

    def beside(self, shown: Collection[str]) -> tuple[Comment, ...]:
        """Those on nothing that the page has a place for, nor on the whole: of earlier revisions, or of a check."""
        there = {each.casefold() for each in (*shown, WHOLE)}
        return tuple(each for each in self.details.comments if each.about.casefold() not in there)


@pages.action("/requests/{number}/comment", "submissions.comment")
def comment(visit: Visiting, number: int) -> Response:
    """Says something about the revision that the page showed."""
    noun, of = visit.engine.submissions, visit.entry("of", 20)
    if of not in _OF:
        raise InputError(
            phrase("a field of the form is not as the page has it"), where="of", next_step=phrase("Load it again.")
        )
    shown = ShownRequest(visit.number("revision"))
    noun.comment(number, visit.entry("text"), visit.entry("about", 300), shown=shown)
    return visit.see_other(f"/{of}/{number}#comments")
