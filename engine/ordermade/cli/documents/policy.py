"""The documents of `ordermade policy`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from ordermade.cli.documents.opening import FORMAT
from ordermade.cli.screen import plain

if TYPE_CHECKING:
    from ordermade.catalogue.policies import CheckedPolicy, PolicyDifference, StoredPolicy
    from ordermade.cli.documents.types.policy import (
        ListedPolicy,
        PolicyChange,
        PolicyChecked,
        PolicyCompared,
        PolicyInForce,
        PolicyList,
        PolicySet,
        PolicyShown,
    )
    from ordermade.state.policies import PolicyRecord


def checked(found: CheckedPolicy) -> PolicyChecked:
    """The document of `policy check`."""
    return {
        "format": FORMAT,
        "command": "policy check",
        "dataset": found.policy.dataset,
        "content": found.policy.canonical,
        "notes": list(found.notes),
    }


def put(found: StoredPolicy) -> PolicySet:
    """The document of `policy set`."""
    return {"format": FORMAT, "command": "policy set", "policy": _in_force(found)}


def shown(found: StoredPolicy) -> PolicyShown:
    """The document of `policy show`."""
    return {"format": FORMAT, "command": "policy show", "policy": _in_force(found)}


def listed(policies: Sequence[PolicyRecord]) -> PolicyList:
    """The document of `policy list`."""
    return {
        "format": FORMAT,
        "command": "policy list",
        "policies": [cast("ListedPolicy", _listed(each)) for each in policies],
    }


def compared(found: PolicyDifference) -> PolicyCompared:
    """The document of `policy diff`."""
    return {
        "format": FORMAT,
        "command": "policy diff",
        "dataset": found.dataset,
        "before": found.before,
        "after": found.after,
        "changes": [cast("PolicyChange", plain(each)) for each in found.changes],
    }


def _listed(record: PolicyRecord) -> object:
    return {
        "id": record.id,
        "dataset": record.dataset_name,
        "version": record.version,
        "hash": record.policy_hash,
        "set_at": plain(record.set_at),
    }


def _in_force(found: StoredPolicy) -> PolicyInForce:
    return {
        "id": found.id,
        "dataset": found.policy.dataset,
        "version": found.version,
        "hash": found.hash,
        "set_at": plain(found.set_at),
        "terms_hash": found.policy.terms_hash,
        "content": found.policy.canonical,
    }
