"""Users and their tokens in the state. A token is kept as its SHA-256 alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from ordermade.records.cards import HasSummary
from ordermade.state.changes import StateChanges
from ordermade.state.statements import rows, utc_now
from ordermade.state.table import PRESENT, Table

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection


@dataclass(frozen=True, slots=True, repr=False)
class User(HasSummary):
    """A user."""

    id: int
    """The number."""
    name: str
    """The name."""
    roles: tuple[str, ...]
    """`data-user`, `provider`, `reviewer`."""
    added_at: datetime
    """The time the user was added."""
    tokens: int = 0
    """The number of tokens that are accepted now."""
    has_mail: bool = False
    """Whether mail goes to the user; the address is not shown."""


@dataclass(frozen=True, slots=True, repr=False)
class Token(HasSummary):
    """A token on record, without its secret."""

    id: int
    """Its number."""
    name: str
    """Its user."""
    user_id: int
    """The number of the user."""
    scope: tuple[str, ...]
    """The roles that it acts in."""
    made_at: datetime
    """The time it was made."""
    expires_at: datetime
    """The time it expires."""
    revoked_at: datetime | None
    """The time it was revoked."""


@dataclass(frozen=True, slots=True)
class UserRow:
    """The row of a user."""

    id: int
    name: str
    roles: list[str]
    added_at: datetime
    removed_at: datetime | None
    mail: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class TokenRow:
    """The row of a token: its SHA-256, and what a `Token` says."""

    id: int
    user_id: int
    token_hash: str
    scope: list[str]
    made_at: datetime
    expires_at: datetime
    revoked_at: datetime | None


USERS = Table("users", UserRow)
TOKENS = Table("tokens", TokenRow)


@dataclass(frozen=True, slots=True)
class PresentedToken:
    """A token as a command gave it: its number, its user, and whether it may still act."""

    id: int
    name: str
    roles: tuple[str, ...]
    scope: tuple[str, ...]
    expires_at: datetime
    revoked_at: datetime | None
    removed_at: datetime | None


def listed(connection: StateConnection) -> tuple[User, ...]:
    """Every user that was not removed, by name."""
    found = rows(connection, "state/users", now=utc_now())
    return tuple(
        User(number, name, tuple(roles), added, tokens, bool(has_mail))
        for number, name, roles, added, tokens, has_mail in found
    )


def past(connection: StateConnection) -> frozenset[str]:
    """The names of the users that were removed."""
    return frozenset(str(name) for (name,) in USERS.read(connection, ("name",), removed_at=PRESENT))


def add(changes: StateChanges, name: str, roles: tuple[str, ...]) -> int:
    """Adds a user; the number."""
    return changes.add(USERS, {"name": name, "roles": list(roles), "added_at": utc_now()}).id


def remove(changes: StateChanges, number: int) -> None:
    """Notes that a user was removed; the address goes."""
    changes.put(USERS, {"id": number}, {"removed_at": utc_now()}, {"mail": None})


def mail_of(connection: StateConnection, name: str) -> str | None:
    """The address that mail to a user goes to; None where there is none."""
    found = USERS.find(connection, name=name, removed_at=None)
    return None if found is None else found.mail


def set_mail(changes: StateChanges, number: int, address: str | None) -> None:
    """Stores the address that mail to a user goes to, in the place of the one before; None: there is none."""
    changes.put(USERS, {"id": number}, {}, {"mail": address})


def tokens(connection: StateConnection) -> tuple[Token, ...]:
    """Every token, in the order they were made."""
    found = rows(connection, "state/tokens")
    return tuple(Token(number, name, user, tuple(scope), *rest) for number, name, user, scope, *rest in found)


def add_token(changes: StateChanges, user: User, token_hash: str, scope: tuple[str, ...], expires_at: datetime) -> int:
    """Adds a token by its hash; its number. `expires_at` in UTC, without a zone."""
    values = {"user_id": user.id, "scope": list(scope), "made_at": utc_now(), "expires_at": expires_at}
    return changes.add(TOKENS, values, {"token_hash": token_hash}).id


def revoke(changes: StateChanges, number: int) -> None:
    """Notes that a token was revoked."""
    changes.put(TOKENS, {"id": number}, {"revoked_at": utc_now()})


def presented(connection: StateConnection, token_hash: str) -> PresentedToken | None:
    """The token of a hash; None where there is none."""
    for number, name, roles, scope, *rest in rows(connection, "state/token_by_hash", token_hash=token_hash):
        return PresentedToken(number, name, tuple(roles), tuple(scope), *rest)
    return None
