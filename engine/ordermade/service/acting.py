"""Who acts: the provider's own shell, or the user whose token was given."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ordermade.errors import Refused
from ordermade.service.lifecycle import PROVIDER, Actor
from ordermade.state import statements, users

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def hash_of(token: str) -> str:
    """The SHA-256 of a token, in hex: all that is kept of it."""
    return hashlib.sha256(token.strip().encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Credential:
    """What a command acts by: the hash of a token, or None at the provider's own shell."""

    token_hash: str | None = None

    def actor(self, connection: DuckDBPyConnection) -> Actor:
        """Who acts, as the state has it now. Raises Refused for a token that is unknown, expired or revoked.

        It is looked up in the transaction of each step: a token that expires between two steps ends there.
        """
        if self.token_hash is None:
            return Actor(statements.actor(), frozenset({PROVIDER}))
        found = users.presented(connection, self.token_hash)
        if found is None:
            raise Refused("this token is not one of this state", next_step=_ANOTHER)
        if found.removed_at is not None:
            raise Refused("the user of this token was removed", next_step=_ANOTHER)
        if found.revoked_at is not None:
            raise Refused(f"token {found.id} was revoked", next_step=_ANOTHER)
        if statements.without_zone(found.expires_at) <= statements.utc_now():
            raise Refused(f"token {found.id} expired on {found.expires_at:%Y-%m-%d}", next_step=_ANOTHER)
        return Actor(found.name, frozenset(found.roles) & frozenset(found.scope))


_ANOTHER = "The provider makes another with `ordermade user token`."
