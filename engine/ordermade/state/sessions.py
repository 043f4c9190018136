"""Sessions of users in a browser, and the passwords that begin them. Of a session the SHA-256 of its id is stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ordermade.state.changes import StateChanges
from ordermade.state.statements import rows, utc_now, without_zone
from ordermade.state.table import Table

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection

IDLE = timedelta(minutes=30)
"""The time without a page after which a session is over."""
LONGEST = timedelta(hours=12)
"""The time after which a session is over, however much it is used."""
_NOTED_EVERY = timedelta(minutes=1)
"""Uses of a session within this time are noted once, so that most pages write nothing."""


@dataclass(frozen=True, slots=True)
class PasswordRow:
    """The row of a password: whose it is, and its hash."""

    user_id: int
    password_hash: str
    set_at: datetime


@dataclass(frozen=True, slots=True)
class SessionRow:
    """The row of a session."""

    id: int
    user_id: int
    session_hash: str
    began_at: datetime
    used_at: datetime
    expires_at: datetime
    ended_at: datetime | None


PASSWORDS = Table("passwords", PasswordRow, key=("user_id",))
SESSIONS = Table("sessions", SessionRow)


@dataclass(frozen=True, slots=True)
class PresentedSession:
    """A session as a browser gave its id: its number, its user, and whether it may still act."""

    id: int
    user_id: int
    name: str
    roles: tuple[str, ...]
    used_at: datetime
    expires_at: datetime
    ended_at: datetime | None
    removed_at: datetime | None

    @property
    def is_over(self) -> bool:
        """Whether it was ended, its user was removed, or its time is over."""
        if self.ended_at is not None or self.removed_at is not None:
            return True
        now = utc_now()
        return without_zone(self.expires_at) <= now or without_zone(self.used_at) + IDLE <= now


def password_hash(connection: StateConnection, user_id: int) -> str | None:
    """The hash of a user's password; None where there is none."""
    found = PASSWORDS.find(connection, user_id=user_id)
    return None if found is None else found.password_hash


def set_password(changes: StateChanges, user_id: int, hashed: str) -> None:
    """Stores the hash of a user's password in the place of the one before."""
    values, hidden = {"set_at": utc_now()}, {"password_hash": hashed}
    if PASSWORDS.find(changes.connection, user_id=user_id) is None:
        changes.add(PASSWORDS, {"user_id": user_id, **values}, hidden)
    else:
        changes.put(PASSWORDS, {"user_id": user_id}, values, hidden)


def begin(changes: StateChanges, user_id: int, session_hash: str) -> int:
    """Adds a session by the hash of its id; its number."""
    now = utc_now()
    values = {"user_id": user_id, "began_at": now, "expires_at": now + LONGEST}
    return changes.add(SESSIONS, values, {"session_hash": session_hash, "used_at": now}).id


def presented(connection: StateConnection, session_hash: str) -> PresentedSession | None:
    """The session of a hash; None where there is none."""
    for number, user, name, roles, *rest in rows(connection, "state/session_by_hash", session_hash=session_hash):
        return PresentedSession(number, user, name, tuple(roles), *rest)
    return None


def is_to_note(session: PresentedSession) -> bool:
    """Whether the use of a session now is to be noted."""
    return without_zone(session.used_at) + _NOTED_EVERY <= utc_now()


def note_use(connection: StateConnection, number: int) -> None:
    """Notes that a session is used now. The audit does not say so: it has its beginning and its end."""
    SESSIONS.update(connection, {"id": number}, used_at=utc_now())


def end(changes: StateChanges, number: int) -> None:
    """Notes that a session was ended."""
    changes.put(SESSIONS, {"id": number}, {"ended_at": utc_now()})


def end_all(changes: StateChanges, user_id: int | None = None) -> int:
    """Ends the sessions of a user that were not ended, or of everybody (None); the number of them."""
    of_user = {} if user_id is None else {"user_id": user_id}
    found = SESSIONS.read(changes.connection, ("id",), order_by=("id",), ended_at=None, **of_user)
    for (number,) in found:
        end(changes, int(number))
    return len(found)
