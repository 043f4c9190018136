"""The state that a restored backup replaces: what of it holds on, and what is undone.

Persons who opted out after the backup stay out, and a token that was revoked since stays so: nothing that protects
somebody comes undone by a restore without a word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias

from ordermade.errors import quoted
from ordermade.least_k import numbered
from ordermade.state import policies, users
from ordermade.state.changes import Changes
from ordermade.state.seals import NO_HASH
from ordermade.state.statements import rows, run, utc_now, without_zone

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

TokenKey: TypeAlias = tuple[int, int, datetime]
"""The number of a token, that of its user, and when it was made: of two tokens one differs."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """A state that is replaced.

    Number and hash of its last entry of the audit; salt and persons of each dataset that some opted out of; when each
    token was revoked that is no more accepted; the policies in force.
    """

    entries: int
    head: str
    opted_out: Mapping[str, tuple[str, frozenset[str]]]
    revoked: Mapping[TokenKey, datetime]
    policies: tuple[policies.PolicyRecord, ...]


def replaced(connection: DuckDBPyConnection, tables: set[str]) -> Replaced:
    """The state that is open; one that is older than this engine has not all of the tables."""
    entries, head = next(iter(rows(connection, "state/audit_head")), (0, NO_HASH))
    return Replaced(
        int(entries),
        str(head),
        opted_out(connection) if "opt_outs" in tables else {},
        _revoked(connection) if "tokens" in tables else {},
        policies.in_force(connection) if "policies" in tables else (),
    )


def opted_out(connection: DuckDBPyConnection) -> dict[str, tuple[str, frozenset[str]]]:
    """The salt and the hashes of the persons of each dataset that some opted out of."""
    found = {}
    for name, *_ in rows(connection, "state/opt_outs_listed"):
        pairs = rows(connection, "state/opt_outs", dataset_name=name)
        found[str(name)] = (str(pairs[0][0]), frozenset(str(each) for _, each in pairs))
    return found


def _revoked(connection: DuckDBPyConnection) -> dict[TokenKey, datetime]:
    """When each token was revoked; those of users who were removed count as revoked now."""
    there = {each.id for each in users.listed(connection)}
    return {
        _key(each): utc_now() if each.revoked_at is None else without_zone(each.revoked_at)
        for each in users.tokens(connection)
        if each.revoked_at is not None or each.user_id not in there
    }


def _key(token: users.Token) -> TokenKey:
    return token.id, token.user_id, token.made_at


def carry_over(before: Replaced, changes: Changes) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Brings what holds on into the open restored state; in words, what that is and what is undone."""
    connection = changes.connection
    carried, undone = [], [*_policies_undone(connection, before)]
    for name, (salt, persons) in before.opted_out.items():
        found = next((str(each) for (each,) in rows(connection, "state/opt_out_salt", dataset_name=name)), None)
        if found not in (None, salt):
            undone.append(f"the opt-outs of dataset {quoted(name)}: add them again, as both states hash them otherwise")
            continue
        if found is None:
            run(connection, "state/opt_out_salt_insert", dataset_name=name, salt=salt)
        new = persons - {str(each) for _, each in rows(connection, "state/opt_outs", dataset_name=name)}
        if new:
            hashes = sorted(new)
            run(connection, "state/opt_outs_insert", dataset_name=name, person_hash=hashes, added_at=utc_now())
            carried.append(f"{numbered(len(new), 'opt-out', 'opt-outs')} of dataset {quoted(name)}")
    revoked = [each for each in users.tokens(connection) if each.revoked_at is None and _key(each) in before.revoked]
    for each in revoked:
        changes.put("state/token_revoke", "tokens", {"id": each.id}, {"revoked_at": before.revoked[_key(each)]})
    if revoked:
        carried.append(numbered(len(revoked), "revocation of a token", "revocations of tokens"))
    return tuple(carried), tuple(undone)


def _policies_undone(connection: DuckDBPyConnection, before: Replaced) -> Iterator[str]:
    """The policies in force before that are not in the restored state."""
    now = {each.dataset_name: each for each in policies.in_force(connection)}
    for each in before.policies:
        again = now.get(each.dataset_name)
        if again is None or again.policy_hash != each.policy_hash:
            instead = "none is in force" if again is None else f"version {again.version} is in force again"
            yield f"the policy of dataset {quoted(each.dataset_name)}, version {each.version}: {instead}"
