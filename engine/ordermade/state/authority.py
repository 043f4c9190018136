"""By what authority a state is opened: there is no default, and none opens more than it says.

`SHELL` is the provider, at the shell or in Python without a token: roles bind at the border of the process alone, where
users give commands by their tokens and can read neither the state nor the source. `OfUser` is a token that was given:
the state is looked at whether its user is a provider, each time it is opened, and is closed to everybody else.
`OfProvider` stands for a token that `service/`, which alone makes it, has accepted at the door for the provider's own
calls; `OfService`, made there, too, for what the service does for one submission of a user.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ordermade.errors import Refused
from ordermade.state import sessions, statements, users
from ordermade.state.bounds import StoredBounds

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection

PROVIDER = "provider"
"""The role of a user who may open the state as the provider does."""
REVIEWER = "reviewer"
"""The role of a user who reads the submissions of others."""


@dataclass(frozen=True, slots=True)
class Authority:
    """By what a state is opened. `token_hash`: of the token under whose user's name it is noted; None: the shell's.

    `visit`: the id of the visit of the portal in which it is opened, which the audit has; None: in none.
    """

    token_hash: str | None = field(default=None, repr=False)
    visit: str | None = field(default=None, kw_only=True)

    @property
    def is_looked_up(self) -> bool:
        """Whether the state says what it opens, so that the state must be one of this engine."""
        return False

    @property
    def is_bound(self) -> bool:
        """Whether statements have bounds, so that it puts nothing of others in order."""
        return False

    def of_visit(self, visit: str) -> Authority:
        """The same in a visit of the portal."""
        return replace(self, visit=visit)

    def of_submission(self, number: int) -> Authority:  # noqa: ARG002
        """What opens the state for the steps of a submission: itself, but for the service."""
        return self

    def bounds(self, connection: StateConnection) -> StoredBounds | None:  # noqa: ARG002
        """The bounds of statements; None: there are none."""
        return None

    def require(self, connection: StateConnection) -> None:
        """Raises Refused where it does not open this state."""
        self.require_provider(connection)

    def require_provider(self, connection: StateConnection | None) -> None:  # noqa: ARG002
        """Raises Refused where it does not have this state as a whole, as a file; by default it never does."""
        raise Refused("the file of the state is the provider's", next_step=_SEEN)


@dataclass(frozen=True, slots=True)
class OfProvider(Authority):
    """The provider, at the shell; or by a token that was accepted in that role, until what it began has ended."""

    def require_provider(self, connection: StateConnection | None) -> None:
        """Nothing: it has the state as a whole."""


@dataclass(frozen=True, slots=True)
class OfUser(Authority):
    """The user of a token, who opens the state in the role of a provider alone."""

    @property
    def is_looked_up(self) -> bool:
        """Whether the state says what it opens: it does."""
        return True

    def require_provider(self, connection: StateConnection | None) -> None:
        """Raises Refused for a token that is not accepted now, or not as a provider's."""
        if connection is None:
            raise Refused("a token is of a state, and there is none", next_step=_ANOTHER)
        name, roles = accepted(connection, self.token_hash or "")
        if PROVIDER not in roles:
            acts = " and ".join(sorted(roles)) or "nobody"
            raise Refused(f"the state is the provider's, and {name} acts as {acts}", next_step=_SEEN)


@dataclass(frozen=True, slots=True)
class OfService(Authority):
    """The service acting for a submission of a token's user, or with None for a check or a submission that is new.

    Made in `service/` alone. It reads and writes the rows of the user and the submission: `StoredBounds`. A
    token of a provider is accepted as that.
    """

    submission: int | None = None

    @property
    def is_bound(self) -> bool:
        """Whether statements have bounds: they do."""
        return True

    def of_submission(self, number: int) -> Authority:
        """The service for this submission of the user."""
        return replace(self, submission=number)

    def require(self, connection: StateConnection) -> None:
        """Raises Refused for a token that is not accepted now."""
        accepted(connection, self.token_hash or "")

    def bounds(self, connection: StateConnection) -> StoredBounds | None:
        """The rows of the user and of the submission; None for a token that is accepted as a provider's."""
        name, roles = accepted(connection, self.token_hash or "")
        if PROVIDER in roles:
            return None
        return StoredBounds(name, self.token_hash or "", self.submission, reads_all=REVIEWER in roles)


SHELL = OfProvider()
"""The provider's own shell."""


def authority_of(token: str | None) -> Authority:
    """What the state is opened by where this token was given; None: the provider's shell."""
    return SHELL if token is None else OfUser(hash_of(token))


def hash_of(token: str) -> str:
    """The SHA-256 of a token, in hex: all that is kept of it."""
    return hashlib.sha256(token.strip().encode()).hexdigest()


@contextmanager
def accepting(connection: StateConnection, *, once: bool) -> Iterator[None]:
    """Until the end of the block a credential is looked up once, in a transaction that reads; else each time."""
    connection.accepted = {} if once else None
    try:
        yield
    finally:
        connection.accepted = None


def accepted(connection: StateConnection, token_hash: str) -> tuple[str, frozenset[str]]:
    """The name of the user of a token or of a session, and the roles in which it acts.

    Raises Refused for one that is unknown, expired or revoked, as the state has it now.
    """
    known = connection.accepted
    if known is None:
        return _looked_up(connection, token_hash)
    if token_hash not in known:
        known[token_hash] = _looked_up(connection, token_hash)
    return known[token_hash]


def _looked_up(connection: StateConnection, token_hash: str) -> tuple[str, frozenset[str]]:
    found = users.presented(connection, token_hash)
    if found is None:
        return _of_session(connection, token_hash)
    if found.removed_at is not None:
        raise Refused("the user of this token was removed", next_step=_ANOTHER)
    if found.revoked_at is not None:
        raise Refused(f"token {found.id} was revoked", next_step=_ANOTHER)
    if statements.without_zone(found.expires_at) <= statements.utc_now():
        raise Refused(f"token {found.id} expired on {found.expires_at:%Y-%m-%d}", next_step=_ANOTHER)
    return found.name, frozenset(found.roles) & frozenset(found.scope)


def _of_session(connection: StateConnection, session_hash: str) -> tuple[str, frozenset[str]]:
    found = sessions.presented(connection, session_hash)
    if found is None:
        raise Refused("this token is not one of this state", next_step=_ANOTHER)
    if found.is_over:
        raise Refused("this session is over", next_step="Log in again.")
    return found.name, frozenset(found.roles)


_SEEN = "`ordermade request list` shows the requests that you may see."
_ANOTHER = "The provider makes another with `ordermade user token`."
