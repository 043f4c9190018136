"""What a user reads of the policy of a dataset: the keys that are listed here, and no other. Pure."""

from __future__ import annotations

from typing import Any, cast

from pydantic import BaseModel

from ordermade.policies.policy import Policy

READ_OF_POLICY = frozenset(
    {
        *("dataset", "k", "ks", "suppression", "models", "finest", "labels", "terms", "reviews", "expiry"),
        *(f"scales.{name}" for name in ("suppression", "risks", "sampling", "t", "c", "alpha", "l")),
        *("never.ask", "never.keep", "never.filter"),
        *("filters.persons", "filters.apart", "filters.values", "filters.borders", "filters.released_only"),
        *("quota.requests", "quota.per", "refusals.most", "refusals.per", "forecasts.most", "forecasts.per"),
        *("automatic.k", "automatic.suppression", "automatic.columns"),
        *("retention.releases", "retention.requests"),
        *("beside.breach", "beside.undecided", "beside.bits"),
        *("recipients.k", "recipients.columns", "recipients.requests", "recipients.per"),
    }
)
"""The keys of a policy that a user reads, for they bear on the user's own requests; of `recipients` the own ones.

A key that is not here is not shown: `filters.confirmed` has the filters of others, `pools` their names.
"""


def policy_for(policy: Policy, recipient: str) -> Policy:
    """What a user reads of a policy."""
    own = {name: _read_of(terms, "recipients.") for name, terms in policy.recipients.items() if name == recipient}
    return cast("Policy", _read_of(policy, "").model_copy(update={"recipients": own}))


def _read_of(part: BaseModel, path: str) -> BaseModel:
    shown: dict[str, Any] = {}
    for name in type(part).model_fields:
        value = getattr(part, name)
        if isinstance(value, BaseModel):
            shown[name] = _read_of(value, f"{path}{name}.")
        elif f"{path}{name}" in READ_OF_POLICY:
            shown[name] = value
    return type(part).model_construct(**shown)
