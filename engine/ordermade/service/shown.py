"""A submitted request as its caller saw it: a move goes through where it still stands so, and is refused elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ordermade.errors import Refused
from ordermade.phrases import phrase

if TYPE_CHECKING:
    from ordermade.state.submissions import SubmissionDetails


@dataclass(frozen=True, slots=True)
class ShownRequest:
    """What a caller saw of a submitted request: `revision`, the number of the last one; `status`, None: not looked at.

    A move compares it within its transaction, so that nothing gets in between.
    """

    revision: int
    status: str | None = None

    def require(self, dossier: SubmissionDetails) -> None:
        """Raises Refused where the last revision is another one by now, or the request stands elsewhere."""
        is_last = dossier.revisions[-1].revision == self.revision
        if not is_last or self.status not in (None, dossier.submission.status):
            number = dossier.submission.id
            raise Refused(
                phrase("it was moved or revised since it was shown"),
                where=f"request {number}",
                next_step=phrase("Look at it again: `ordermade request show %(n)s`.", n=number),
            )
