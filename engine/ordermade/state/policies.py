"""Policies in the state: every version of each dataset's, the last one being in force."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ordermade.display.cards import Carded
from ordermade.state.statements import rows, utc_now

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection


@dataclass(frozen=True, slots=True, repr=False)
class PolicyRecord(Carded):
    """A version of the policy of a dataset: `policy` is its canonical JSON, `policy_hash` the SHA-256 of that."""

    id: int
    dataset_name: str
    version: int
    policy: str
    policy_hash: str
    set_at: datetime


def put(connection: StateConnection, dataset: str, policy: str, policy_hash: str) -> PolicyRecord:
    """Put a policy in force, as the next version of the dataset's."""
    now = utc_now()
    number, version = rows(
        connection, "state/policy_insert", dataset_name=dataset, policy=policy, policy_hash=policy_hash, set_at=now
    )[0]
    return PolicyRecord(int(number), dataset, int(version), policy, policy_hash, now.replace(tzinfo=UTC))


def every(connection: StateConnection) -> tuple[PolicyRecord, ...]:
    """Every version of every policy, by dataset, the latest first."""
    return tuple(PolicyRecord(*row) for row in rows(connection, "state/policies"))


def in_force(connection: StateConnection) -> tuple[PolicyRecord, ...]:
    """The policy in force of each dataset that has one, by dataset."""
    found: dict[str, PolicyRecord] = {}
    for each in every(connection):
        found.setdefault(each.dataset_name, each)
    return tuple(found.values())


def versions(connection: StateConnection, dataset: str) -> tuple[PolicyRecord, ...]:
    """Every version of the policy of a dataset, the latest first; none where it has no policy."""
    return tuple(each for each in every(connection) if each.dataset_name == dataset)


def requested_filters(connection: StateConnection, dataset: str) -> tuple[str, ...]:
    """The row filters of the requests of a dataset so far, each once."""
    return tuple(text for (text,) in rows(connection, "state/filters_of_requests", dataset_name=dataset))


def released_filters(connection: StateConnection, dataset: str) -> tuple[str | None, ...]:
    """The row filters of the releases of a dataset so far, each once; None for every row."""
    return tuple(text for (text,) in rows(connection, "state/policy_filters", dataset_name=dataset))
