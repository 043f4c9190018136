"""The policy that governs the requests on a dataset, as far as the lifecycle goes by it: the one place that reads it.

Without a policy a request needs one independent review, never expires, and has no terms to accept.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from ordermade.state.statements import rows

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from ordermade.requests.model import Request

DEFAULT_REVIEWS = 1
"""The independent reviews that a request needs where no policy says another number."""
_DAYS: Mapping[str, int] = {"day": 1, "week": 7, "month": 30, "year": 365}


@dataclass(frozen=True, slots=True)
class Recipient:
    """The recipient of a request: how many they submitted for the dataset since a moment, and what they accepted."""

    name: str
    terms_accepted: bool
    submitted: int
    now: datetime


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the policy that a request breaks, and what to write instead."""

    rule: str
    message: str
    next_step: str


@dataclass(frozen=True, slots=True)
class Governing:
    """What governs the requests on a dataset: the number of its policy (None: there is none) and its content."""

    dataset: str
    policy_id: int | None = None
    policy: Mapping[str, Any] = field(default_factory=dict)

    @property
    def reviews(self) -> int:
        """The independent approvals that a request needs."""
        return int(self.policy.get("reviews", DEFAULT_REVIEWS))

    @property
    def expires_after(self) -> timedelta | None:
        """The time after which a request that was not delivered expires; None: never."""
        return _length(self.policy.get("expiry"))

    @property
    def releases_kept_for(self) -> timedelta | None:
        """The time for which a delivered release stands; None: always."""
        return _length(self.policy.get("retention", {}).get("releases"))

    @property
    def terms(self) -> str | None:
        """The terms that a recipient accepts first; None where there are none."""
        text = self.policy.get("terms")
        return None if text is None else str(text)

    @property
    def terms_hash(self) -> str | None:
        """The SHA-256 of the terms."""
        return None if self.terms is None else hashlib.sha256(self.terms.encode()).hexdigest()

    def broken(self, request: Request, recipient: Recipient | None) -> tuple[Rule, ...]:
        """Every rule that the request breaks; without a `recipient` those about recipients do not apply."""
        found = []
        least_k = self.policy.get("k")
        if least_k is not None and request.k < int(least_k):
            message = f"k of {request.k} is less than {least_k}, the least k of the policy of {self.dataset}"
            found.append(Rule("k", message, f"write a k of {least_k} or more"))
        if recipient is not None and self.terms is not None and not recipient.terms_accepted:
            message = f"{recipient.name} has not accepted the terms of {self.dataset}"
            found.append(Rule("terms", message, "read them and submit it with --accept-terms"))
        return tuple(found)

    def automatic(self, request: Request) -> bool:  # noqa: ARG002 (the bounds are of the policy's own module)
        """Whether the request is approved without a review."""
        return self.reviews == 0


def governing(connection: DuckDBPyConnection, dataset: str) -> Governing:
    """What governs the requests on a dataset now."""
    for number, _, text in rows(connection, "state/policy_in_force", dataset_name=dataset):
        return Governing(dataset, int(number), json.loads(text))
    return Governing(dataset)


def _length(text: str | None) -> timedelta | None:
    if text is None:
        return None
    number, unit = text.split()
    return timedelta(days=int(number) * _DAYS[unit.removesuffix("s")])
