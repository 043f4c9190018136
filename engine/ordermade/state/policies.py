"""Policies in the state: every version of each dataset's, the last one being in force."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from ordermade.records.cards import HasSummary
from ordermade.records.printed import NOT_PRINTED, printed
from ordermade.state.requests import REQUESTS
from ordermade.state.statements import rows, utc_now
from ordermade.state.table import PRESENT, Table

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection


@dataclass(frozen=True, slots=True, repr=False)
class PolicyRecord(HasSummary):
    """A version of the policy of a dataset."""

    id: int
    """Its number."""
    dataset_name: str = field(metadata=printed("dataset"))
    """The dataset it is for."""
    version: int
    """Its version, from 1."""
    policy: str = field(metadata=NOT_PRINTED)
    """Its canonical JSON."""
    policy_hash: str = field(metadata=printed("hash"))
    """The SHA-256 of its canonical JSON."""
    set_at: datetime
    """The time it was set."""


POLICIES = Table("policies", PolicyRecord)


def put(connection: StateConnection, dataset: str, policy: str, policy_hash: str) -> PolicyRecord:
    """Put a policy in force, as the next version of the dataset's."""
    before = versions(connection, dataset)
    return POLICIES.insert(
        connection,
        dataset_name=dataset,
        version=1 + (before[0].version if before else 0),
        policy=policy,
        policy_hash=policy_hash,
        set_at=utc_now(),
    )


def every(connection: StateConnection) -> tuple[PolicyRecord, ...]:
    """Every version of every policy, by dataset, the latest first."""
    return tuple(POLICIES.select(connection, order_by=("dataset_name", "-version")))


def in_force(connection: StateConnection) -> tuple[PolicyRecord, ...]:
    """The policy in force of each dataset that has one, by dataset."""
    found: dict[str, PolicyRecord] = {}
    for each in every(connection):
        found.setdefault(each.dataset_name, each)
    return tuple(found.values())


def versions(connection: StateConnection, dataset: str) -> tuple[PolicyRecord, ...]:
    """Every version of the policy of a dataset, the latest first; none where it has no policy."""
    return tuple(POLICIES.select(connection, dataset_name=dataset, order_by=("-version",)))


def requested_filters(connection: StateConnection, dataset: str) -> tuple[str, ...]:
    """The row filters of the requests of a dataset so far, each once."""
    found = REQUESTS.read(connection, ("filter",), dataset_name=dataset, filter=PRESENT)
    return tuple(dict.fromkeys(text for (text,) in found))


def released_filters(connection: StateConnection, dataset: str) -> tuple[str | None, ...]:
    """The row filters of the releases of a dataset so far, each once; None for every row."""
    return tuple(text for (text,) in rows(connection, "state/policy_filters", dataset_name=dataset))
