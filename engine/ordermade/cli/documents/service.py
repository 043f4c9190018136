"""The documents of `ordermade user`, and of the requests that users submit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ordermade.cli.documents.opening import FORMAT
from ordermade.cli.screen import plain

if TYPE_CHECKING:
    from ordermade.cli.documents.types import service as types
    from ordermade.offers.offer import Offers
    from ordermade.service.running import Delivered, Ran
    from ordermade.service.users import MadeToken, RemovedUser
    from ordermade.state.data_refusals import DataRefusal
    from ordermade.state.records.audit import AuditEntry
    from ordermade.state.records.submissions import Revision, Submission
    from ordermade.state.submissions import Dossier
    from ordermade.state.users import Token, User


def _opened(command: str, **content: Any) -> Any:
    return {"format": FORMAT, "command": command, **content}


def user_added(user: User) -> types.UserAdded:
    """The document of `user add`."""
    return cast("types.UserAdded", _opened("user add", user=plain(user)))


def users(found: Sequence[User], tokens: Sequence[Token]) -> types.UserList:
    """The document of `user list`."""
    listed = {"users": [plain(each) for each in found], "tokens": [plain(each) for each in tokens]}
    return cast("types.UserList", _opened("user list", **listed))


def token_made(made: MadeToken) -> types.TokenMade:
    """The document of `user token`: the one place that the token is in."""
    return cast("types.TokenMade", _opened("user token", token=made.secret, record=plain(made.record)))


def tokens_revoked(numbers: Sequence[int]) -> types.TokensRevoked:
    """The document of `user revoke`."""
    return cast("types.TokensRevoked", _opened("user revoke", revoked=list(numbers)))


def user_removed(gone: RemovedUser) -> types.UserRemoved:
    """The document of `user remove`."""
    content = {"user": gone.name, "tokens_revoked": gone.tokens, "providers_left": gone.providers_left}
    return cast("types.UserRemoved", _opened("user remove", **content))


def submission(found: Submission) -> types.Submission:
    """A submitted request, without the folder of its run."""
    content = {key: value for key, value in plain(found).items() if key != "claim"}
    return cast("types.Submission", content)


def moved(command: str, found: Submission, revision: Revision | None = None) -> Any:
    """The document of a move; `revision`: the one it made."""
    return _opened(command, submission=submission(found), revision=None if revision is None else plain(revision))


def delivered(done: Delivered) -> types.Delivered:
    """The document of `request deliver`."""
    content = {
        "submission": submission(done.submission),
        "release": done.release,
        "where": done.where,
        "copy": None if done.copy is None else str(done.copy),
    }
    return cast("types.Delivered", _opened("request deliver", **content))


def collected(number: int, copy: Path) -> types.Collected:
    """The document of `request collect`."""
    return cast("types.Collected", _opened("request collect", request=number, copy=str(copy)))


def history(number: int, steps: Sequence[AuditEntry]) -> types.History:
    """The document of `request history`."""
    listed = [
        {
            "at": plain(each.happened_at),
            "actor": each.actor,
            "step": each.action.removeprefix("request "),
            "why": each.detail,
        }
        for each in steps
    ]
    return cast("types.History", _opened("request history", request=number, steps=listed))


def offers(number: int, found: Offers) -> types.OffersToPropose:
    """The document of `request propose` without an offer."""
    content = {"request": number, "status": found.status, "offers": found.as_dict()["offers"]}
    return cast("types.OffersToPropose", _opened("request propose", **content))


def ran(found: Ran) -> types.SubmittedRun:
    """The document of `request run` with a number."""
    result = found.result
    content = {
        "submission": submission(found.submission),
        "returned": found.returned or None,
        "status": None if result is None else result.status,
        "reason": None if result is None else result.reason,
        "k": None if result is None else result.k,
        "rows": None if result is None or result.release is None else result.release.rows,
    }
    return cast("types.SubmittedRun", _opened("request run", **content))


def shown(
    dossier: Dossier, moves: Sequence[str], where: str | None, by_data: Sequence[DataRefusal]
) -> types.SubmissionShown:
    """The document of `request show` of a submitted request."""
    content = {
        "submission": submission(dossier.submission),
        "revisions": [plain(each) for each in dossier.revisions],
        "reviews": [plain(each) for each in dossier.reviews],
        "possible": list(moves),
        "where": where,
        "refused_by_data": [plain(each) for each in by_data],
    }
    return cast("types.SubmissionShown", _opened("request show", **content))
