"""The policy that governs the requests on a dataset, as far as the lifecycle goes by it: the one place that reads it.

Without a policy a request needs one independent review, never expires, and has no terms to accept; what a policy that
says nothing forbids is forbidden, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from ordermade.catalogue.registered import LoadedHierarchies, named_hierarchies
from ordermade.errors import quoted
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.phrases import phrase
from ordermade.policies.amounts import days_of
from ordermade.policies.decision import BrokenRule, Requester, broken_rules, is_automatic, over_since
from ordermade.policies.enforcement import refused
from ordermade.policies.filter_borders import border_names
from ordermade.policies.own_hierarchies import OWN, broken_by_own
from ordermade.policies.policy import Policy, stored_policy
from ordermade.policies.uses import filter_tree
from ordermade.service.columns_of_hierarchies import registered_for
from ordermade.service.own_hierarchies import lists_the_same
from ordermade.state import data_refusals, submissions
from ordermade.state import hierarchies as stored_hierarchies
from ordermade.state.statements import rows, utc_now

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ordermade.requests.model import Request
    from ordermade.requests.read import ReadRequest
    from ordermade.state.connection import StateConnection

DEFAULT_REVIEWS = 1
"""The independent reviews that a request needs where no policy says another number."""
_MAX_KEPT = 64


@dataclass(frozen=True, slots=True)
class EffectivePolicy:
    """What governs the requests on a dataset: its policy and the policy's number; both None where there is none."""

    dataset: str
    policy_id: int | None = None
    policy: Policy | None = None

    @property
    def rules(self) -> Policy:
        """The policy; where there is none, the one that says nothing."""
        return _silent(self.dataset) if self.policy is None else self.policy

    @property
    def reviews(self) -> int:
        """The independent approvals that a request needs."""
        return DEFAULT_REVIEWS if self.policy is None else self.policy.reviews

    @property
    def expires_after(self) -> timedelta | None:
        """The time after which a request that was not delivered expires; None: never."""
        return None if self.policy is None else self.policy.expires_after()

    @property
    def releases_kept_for(self) -> timedelta | None:
        """The time for which a delivered release stands; None: always."""
        return None if self.policy is None else self.policy.kept_for("releases")

    @property
    def terms_hash(self) -> str | None:
        """The SHA-256 of the terms that a recipient accepts first; None where there are none."""
        return None if self.policy is None else self.policy.terms_hash

    def broken(
        self, connection: StateConnection, request: Request, standing: Requester | None
    ) -> tuple[BrokenRule, ...]:
        """Every rule that the request breaks; without a `standing` those about recipients do not apply."""
        tree = None if standing is None else filter_tree(request.where)
        borders = frozenset(border_names(tree, self.rules.filters.borders) if tree else ())
        names = {*request.hierarchy_names, *borders}
        if not names:
            return broken_rules(self.rules, request, standing)
        found = named_hierarchies(connection, names)
        own = found.owners.keys() & borders  # no user says where a filter may part a column
        broken = broken_rules(self.rules, request, standing, {name: found[name] for name in found.loaded.keys() - own})
        if standing is None:
            return broken
        own_ones = broken_by_own(self.rules, request, standing.recipient, found.owners)
        return (*broken, *own_ones, *(() if own_ones else self._stale(connection, found)))

    def _stale(self, connection: StateConnection, found: LoadedHierarchies) -> Iterator[BrokenRule]:
        """The rules that hierarchies of users break whose values everybody may not know now, or are others by now."""
        public = {each.casefold() for each in self.rules.labels}
        for name, owner in found.owners.items():
            own = found[name]
            if not isinstance(own, ExplicitHierarchy):
                continue
            is_public = owner.column.casefold() in public
            if not is_public or not lists_the_same(own, registered_for(connection, owner.column)):
                what = phrase(
                    "the values of %(column)s are not those of %(name)s now",
                    column=quoted(owner.column),
                    name=quoted(name),
                )
                yield BrokenRule(OWN, what, phrase("Upload it again."))

    def require(
        self,
        connection: StateConnection,
        read: ReadRequest[Request],
        recipient: str,
        *,
        submits: bool = False,
        revises: bool = False,
        accepts: bool = False,
    ) -> None:
        """Raises PolicyBroken with every rule that a request breaks.

        `recipient`: who is to get the release. `submits`: whether it is a new one, which a quota counts; `revises`:
        whether the recipient asks for something else. `accepts`: whether the recipient accepts the terms with it.
        """
        standing = self.standing_of(connection, recipient, submits=submits, revises=revises, accepts=accepts)
        broken = self.broken(connection, read.request, standing)
        if broken:
            raise refused(self.rules, broken, read.where, read)

    def standing_of(
        self,
        connection: StateConnection,
        recipient: str,
        *,
        submits: bool,
        revises: bool = False,
        accepts: bool = False,
    ) -> Requester:
        """A recipient, with the terms accepted so far; `accepts`: those of this policy, too.

        `submits`: whether a request is submitted now, for which alone the earlier ones count: a quota is of
        submissions, and no later step of a request is one. Refusals by the data count for what `revises` one, too.
        """
        now = utc_now()
        since = now - days_of("year")  # the longest period of a quota
        earlier = submissions.submitted_since(connection, self.dataset, recipient, since) if submits else ()
        accepted = submissions.accepted_by(connection, self.dataset, recipient)
        own = {self.terms_hash} if accepts and self.terms_hash is not None else set()
        tries = submits or revises
        refused = data_refusals.since(connection, self.dataset, recipient, since) if tries else ()
        return Requester(recipient, now.replace(tzinfo=UTC), earlier, frozenset({*accepted, *own}), _zoned(refused))

    def refused_too_often(self, connection: StateConnection, recipient: str) -> bool:
        """Whether the data refused the recipient as often as the policy bears."""
        return over_since(self.rules, self.standing_of(connection, recipient, submits=False, revises=True)) is not None

    def reviews_of(self, connection: StateConnection, recipient: str, request: Request | None) -> int:
        """The independent approvals that a request of the recipient needs.

        One at least after too many refusals, and where it names a hierarchy of the recipient's own; `request`: None
        where its text was erased.
        """
        is_reviewed = self.refused_too_often(connection, recipient) or names_own(connection, request)
        return max(1, self.reviews) if is_reviewed else self.reviews

    def automatic(self, connection: StateConnection, request: Request, recipient: str) -> bool:
        """Whether a request of the recipient is approved without a review."""
        if self.policy is None or self.refused_too_often(connection, recipient) or names_own(connection, request):
            return False

        return self.reviews == 0 or is_automatic(self.policy, request)


def names_own(connection: StateConnection, request: Request | None) -> bool:
    """Whether a request names a hierarchy that a user uploaded, which no bounds of a policy were written for."""
    names = frozenset[str]() if request is None else request.hierarchy_names
    return bool(names and stored_hierarchies.named(connection, names).owners.keys() & names)


def _zoned(moments: tuple[datetime, ...]) -> tuple[datetime, ...]:
    return tuple(each.replace(tzinfo=UTC) for each in moments)


def moment_after(start: datetime, length: timedelta | None) -> datetime | None:
    """The moment so long after another; None, which is never, without a length or past the last moment there is."""
    try:
        return None if length is None else start + length
    except OverflowError:
        return None


def governing(connection: StateConnection, dataset: str) -> EffectivePolicy:
    """What governs the requests on a dataset now: of its policy and its own least k the stricter."""
    for number, text, least_k in rows(connection, "state/policy_in_force", dataset_name=dataset):
        return EffectivePolicy(dataset, int(number), _policy(text, int(least_k)))
    return EffectivePolicy(dataset)


@lru_cache(_MAX_KEPT)
def _policy(text: str, least_k: int) -> Policy:
    policy = stored_policy(text)
    return policy.with_least_k(least_k) if least_k else policy


@lru_cache(_MAX_KEPT)
def _silent(dataset: str) -> Policy:
    return Policy(dataset=dataset)
