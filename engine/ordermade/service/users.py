"""Users: added, listed, removed; tokens made and revoked, passwords and addresses set.

A token is shown once, when it is made, an address never.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from ordermade.catalogue.arguments import typed_methods
from ordermade.errors import InputError, did_you_mean, quoted
from ordermade.records.listing import Listing
from ordermade.records.printed import printed
from ordermade.service.authentication import Credential
from ordermade.service.lifecycle import PROVIDER, ROLES
from ordermade.service.mail_address import require_address
from ordermade.service.passwords import hash_of_password
from ordermade.service.permissions import require_call
from ordermade.state import sessions
from ordermade.state import users as stored
from ordermade.state.audit import actor
from ordermade.state.authority import hash_of
from ordermade.state.changes import StateChanges
from ordermade.state.database import StateFile
from ordermade.state.statements import checked_name, find, require_free, utc_now
from ordermade.state.users import Token, User

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection

TOKEN_BYTES = 32
"""The random bytes of a token: 256 bits, which nobody guesses from their hash."""
DEFAULT_DAYS = 90
"""The days after which a token expires, unless others are given."""
MAX_DAYS = 3650

_SHOWN = {"user": "name", "roles": "roles", "tokens": "tokens", "mail": "has_mail", "added": "added_at"}


@dataclass(frozen=True, slots=True)
class MadeToken:
    """A token was made."""

    record: Token
    """Its record."""
    secret: str = field(metadata=printed("token"))
    """The token, which is shown this once."""

    def __repr__(self) -> str:
        """The number of the token, and never the token."""
        return f"MadeToken({self.record.id})"


@dataclass(frozen=True, slots=True)
class RemovedUser:
    """A user was removed."""

    name: str = field(metadata=printed("user"))
    """The name of the user."""
    tokens: int = field(metadata=printed("tokens_revoked"))
    """The number of tokens that were revoked."""
    providers_left: int
    """The number of users who are providers."""


@dataclass(frozen=True, slots=True)
class SetPassword:
    """The password of a user was set."""

    name: str = field(metadata=printed("user"))
    """The name of the user."""
    sessions: int = field(metadata=printed("sessions_ended"))
    """The number of the user's sessions that were ended."""


@dataclass(frozen=True, slots=True)
class SetMail:
    """The address of a user was set, or removed."""

    name: str = field(metadata=printed("user"))
    """The name of the user."""
    has_mail: bool
    """Whether mail goes to the user; the address is not shown."""


@typed_methods
@dataclass(frozen=True, slots=True)
class Users:
    """The users of a state. All of it is the provider's."""

    state: StateFile
    credential: Credential

    def list(self) -> tuple[User, ...]:
        """Every user, by name. Raises Refused, StateFault."""
        with self.state.reading() as connection:
            self._provider(connection)
            return Listing(stored.listed(connection), "users", _SHOWN)

    def tokens(self) -> tuple[Token, ...]:
        """Every token, in the order they were made; no token is shown. Raises Refused, StateFault."""
        with self.state.reading() as connection:
            self._provider(connection)
            return stored.tokens(connection)

    def add(self, name: str, roles: Sequence[str]) -> User:
        """Adds a user with one role or more; nobody has the name of a user who was removed.

        Raises InputError, Refused, StateFault.
        """
        if checked_name("user", name).isdecimal():
            what = f"{quoted(name)} would be taken for the number of a token"
            raise InputError(what, next_step="Choose a name with a letter.")
        wanted = _roles(roles)
        with self.state.writing() as connection:
            changes = self._changes(connection)
            if name == actor():
                what = f"{quoted(name)} is the name of the provider's own shell: the audit could not tell them apart"
                raise InputError(what, next_step="Choose another name.")
            require_free("user", name, stored.listed(connection))
            if name in stored.past(connection):
                what = f"there was a user {quoted(name)}: requests and votes of that one would be of this one, too"
                raise InputError(what, next_step="Choose another name.")
            stored.add(changes, name, wanted)
            changes.audited("user add", name)
            return find("user", name, stored.listed(connection))

    def token(self, name: str, scope: Sequence[str] | None = None, days: int = DEFAULT_DAYS) -> MadeToken:
        """Makes a token of a user, which expires after so many days; `scope`: the roles it acts in, by default all.

        Raises UnknownName, InputError, Refused, StateFault.
        """
        if not 1 <= days <= MAX_DAYS:
            raise InputError(f"a token is accepted for 1 to {MAX_DAYS:,} days", where="days")
        with self.state.writing() as connection:
            changes = self._changes(connection)
            user = find("user", name, stored.listed(connection))
            wanted = user.roles if scope is None else _roles(scope)
            if foreign := [each for each in wanted if each not in user.roles]:
                raise InputError(f"{quoted(name)} is no {foreign[0]}", next_step=f"Roles: {', '.join(user.roles)}.")
            secret = secrets.token_urlsafe(TOKEN_BYTES)
            number = stored.add_token(changes, user, hash_of(secret), wanted, utc_now() + timedelta(days=days))
            changes.audited("user token", name, f"token {number}, {days} days, as {', '.join(wanted)}")
            return MadeToken(next(each for each in stored.tokens(connection) if each.id == number), secret)

    def password(self, name: str, password: str) -> SetPassword:
        """Sets the password by which a user logs in to the portal, and ends the user's sessions. Its hash is stored.

        Raises UnknownName, InputError, Refused, StateFault.
        """
        with self.state.reading() as connection:
            self._provider(connection)
            find("user", name, stored.listed(connection))
        hashed = hash_of_password(password)  # it takes its time, while nobody waits for the state
        with self.state.writing() as connection:
            changes = self._changes(connection)
            user = find("user", name, stored.listed(connection))
            sessions.set_password(changes, user.id, hashed)
            ended = sessions.end_all(changes, user.id)
            changes.audited("user password", name)
            return SetPassword(name, ended)

    def mail(self, name: str, address: str | None) -> SetMail:
        """Sets the address that mail on requests goes to; None: there is none, and what is not sent yet is left out.

        Raises UnknownName, InputError where it is no plain address, Refused, StateFault.
        """
        if address is not None:
            require_address(address, "address")
        with self.state.writing() as connection:
            changes = self._changes(connection)
            user = find("user", name, stored.listed(connection))
            stored.set_mail(changes, user.id, address)
            changes.audited("user mail", name, "set" if address is not None else "removed")
            return SetMail(name, address is not None)

    def revoke(self, named: str | int) -> tuple[int, ...]:
        """Revokes every token of a user and ends the user's sessions, or revokes the token of that number.

        Returns the numbers of the tokens that were revoked now.

        Raises UnknownName, Refused, StateFault.
        """
        with self.state.writing() as connection:
            changes = self._changes(connection)
            known = stored.tokens(connection)
            by_number = [each for each in known if str(each.id) == str(named)]
            if not by_number:
                find("user", str(named), stored.listed(connection))
            wanted = by_number or [each for each in known if each.name == named]
            open_ones = [each.id for each in wanted if each.revoked_at is None]
            for each in open_ones:
                stored.revoke(changes, each)
            users = () if by_number else stored.listed(connection)
            ended = sum(sessions.end_all(changes, each.id) for each in users if each.name == named)
            if open_ones or ended:
                changes.audited("user revoke", str(named))
            return tuple(open_ones)

    def remove(self, name: str) -> RemovedUser:
        """Removes a user and revokes the tokens; submitted requests stay. The last provider may be removed, too.

        The shell of the provider goes on: whoever can write the state can act. Raises UnknownName, Refused, StateFault.
        """
        with self.state.writing() as connection:
            changes = self._changes(connection)
            user = find("user", name, stored.listed(connection))
            mine = [each for each in stored.tokens(connection) if each.user_id == user.id and each.revoked_at is None]
            for each in mine:
                stored.revoke(changes, each.id)
            sessions.end_all(changes, user.id)
            stored.remove(changes, user.id)
            changes.audited("user remove", name)
            left = sum(PROVIDER in each.roles for each in stored.listed(connection))
            return RemovedUser(name, len(mine), left)

    def _changes(self, connection: StateConnection) -> StateChanges:
        return StateChanges(connection, self._provider(connection))

    def _provider(self, connection: StateConnection) -> str:
        acting = self.credential.actor(connection)
        require_call("users", acting)
        return acting.name


def _roles(roles: Sequence[str]) -> tuple[str, ...]:
    """The roles in their order. Raises InputError for none, and for one that there is not."""
    given = [roles] if isinstance(roles, str) else list(roles)
    for each in given:
        if each not in ROLES:
            raise InputError(f"{quoted(each)} is no role", where="role", next_step=did_you_mean(each, ROLES))
    if not given:
        raise InputError("a user has one role or more", where="role", next_step=f"Give {', '.join(ROLES)}.")
    return tuple(each for each in ROLES if each in given)
