"""Who acts: the provider's own shell, or the user whose token was given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ordermade.service.lifecycle import PROVIDER, Actor
from ordermade.state import audit
from ordermade.state.authority import accepted

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection


@dataclass(frozen=True, slots=True)
class Credential:
    """What a command acts by: the hash of a token, or None at the provider's own shell."""

    token_hash: str | None = None

    def actor(self, connection: StateConnection) -> Actor:
        """Who acts, as the state has it now. Raises Refused for a token that is unknown, expired or revoked.

        It is looked up in the transaction of each step: a token that expires between two steps ends there.
        """
        if self.token_hash is None:
            return Actor(audit.actor(), frozenset({PROVIDER}))
        return Actor(*accepted(connection, self.token_hash))
