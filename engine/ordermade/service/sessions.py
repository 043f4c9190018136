"""Sessions in a browser: begun by a password or by the name that a trusted proxy gives, used, and ended.

An engine whose token is the id of a session acts for its user as by a token of all the user's roles: what a user may
do is decided in `service/permissions.py`, whichever of the two it is.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from dataclasses import dataclass, field, replace

from ordermade.errors import Refused, StateFault
from ordermade.phrases import phrase
from ordermade.service.lifecycle import Actor
from ordermade.service.mail_address import shortened
from ordermade.service.passwords import is_password
from ordermade.state import sessions as stored
from ordermade.state import users
from ordermade.state.authority import SHELL, hash_of
from ordermade.state.changes import StateChanges
from ordermade.state.database import SharedConnection, StateFile

ID_BYTES = 32
"""The random bytes of the id of a session."""

NOT_LOGGED_IN = "name or password is wrong"
"""What whoever is not let in reads, whatever the reason is."""


@dataclass(frozen=True, slots=True)
class UsedSession:
    """A session that is used now: its number, and who acts in it, with the roles of this moment."""

    id: int
    actor: Actor


@dataclass(frozen=True, slots=True)
class BrowserSessions:
    """The sessions of a state, which the portal opens with the provider's rights for this alone."""

    state: StateFile = field(repr=False)

    def of_visit(self, visit: str, connection: SharedConnection | None = None) -> BrowserSessions:
        """The same for a visit of the portal, whose id the audit has, by the connection of its page."""
        return BrowserSessions(replace(self.state.of_visit(visit), shared=connection))

    def log_in(self, name: str, password: str) -> str:
        """Begins a session of a user who gives the password; the id of the session.

        Raises Refused in the same words for an unknown name, a user without a password and a wrong password.
        """
        with self.state.reading() as connection:
            number = _number_of(users.listed(connection), name)
            hashed = None if number is None else stored.password_hash(connection, number)
        if not is_password(hashed, password) or number is None:
            raise Refused(NOT_LOGGED_IN, next_step=phrase("Try again, or ask the provider."))
        return self._begun(name, hashed)

    def enter(self, name: str) -> str:
        """Begins a session of the user whom a trusted proxy names; the id of the session. Raises Refused for others."""
        return self._begun(name, None)

    def _begun(self, name: str, hashed: str | None) -> str:
        secret = secrets.token_urlsafe(ID_BYTES)
        with self.state.writing() as connection:
            number = _number_of(users.listed(connection), name)
            if number is None or (hashed is not None and stored.password_hash(connection, number) != hashed):
                raise Refused(NOT_LOGGED_IN, next_step=phrase("Try again, or ask the provider."))
            changes = StateChanges(connection, name)
            stored.begin(changes, number, hash_of(secret))
            changes.audited("user login", name)
        return secret

    def use(self, secret: str) -> UsedSession | None:
        """The session of an id, which is noted as used; None where there is none, or it is over.

        A use that cannot be noted, for the disk is full or another process writes, does not keep the page waiting:
        the session is idle so much sooner.
        """
        with self.state.reading() as connection:
            found = stored.presented(connection, hash_of(secret))
        if found is None or found.is_over:
            return None
        if stored.is_to_note(found):
            with suppress(StateFault), replace(self.state, wait_seconds=0.0).writing() as connection:
                stored.note_use(connection, found.id)
        return UsedSession(found.id, Actor(found.name, frozenset(found.roles)))

    def mail_of(self, session: UsedSession) -> str:
        """The address that mail to the user of a session goes to, shortened; empty where there is none."""
        with self.state.reading() as connection:
            address = users.mail_of(connection, session.actor.name)
        return shortened(address) if address else ""

    def log_out(self, secret: str) -> None:
        """Ends the session of an id; nothing where it is over."""
        with self.state.writing() as connection:
            found = stored.presented(connection, hash_of(secret))
            if found is None or found.ended_at is not None:
                return
            changes = StateChanges(connection, found.name)
            stored.end(changes, found.id)
            changes.audited("user logout", found.name)


def sessions_of(state: StateFile) -> BrowserSessions:
    """The sessions of a state, opened with the provider's rights."""
    return BrowserSessions(StateFile(state.path, SHELL, state.wait_seconds, state.notice))


def _number_of(listed: tuple[users.User, ...], name: str) -> int | None:
    return next((each.id for each in listed if each.name == name), None)
