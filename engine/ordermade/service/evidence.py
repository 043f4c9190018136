"""What reviewers go by besides the request: each rule of the policy, and what the ledger decides without any count.

Nothing here depends on data that its user did not receive, so that reviewers may tell it to the user.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ordermade.catalogue.ledger import DisclosedBits, RememberedReleases
from ordermade.errors import InputError, PolicyBroken
from ordermade.methods.shared.judged import ForeseenBeside
from ordermade.phrases import TwoPhrases
from ordermade.policies.decision import rules_of
from ordermade.requests.read import read_request, require_predictable
from ordermade.service.effective_policy import governing
from ordermade.service.submitted import seen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ordermade.policies.decision import BrokenRule
    from ordermade.policies.policy import Policy
    from ordermade.service.desk import Desk


@dataclass(frozen=True, slots=True)
class PolicyRuleCheck:
    """A rule of the policy, and whether the revision in force keeps it."""

    rule: str
    """Its name, as `never.keep`."""
    kept: bool
    """Whether it is kept."""
    why: tuple[str, ...] = ()
    """Why it is not, in words, with what to write instead."""


@dataclass(frozen=True, slots=True)
class ReviewEvidence:
    """What reviewers go by, of the revision in force."""

    rules: tuple[PolicyRuleCheck, ...]
    """Every rule of the policy of today that is decided without counting, in its order; none of an erased text."""
    beside: ForeseenBeside | None
    """What the releases of its user decide whatever the data are; null: none, or no policy."""
    told: DisclosedBits | None
    """What answers so far tell its user, and those who may join with the user, in bits; null: none was given."""


def evidence(of: Desk, number: int) -> ReviewEvidence:
    """The evidence on a submitted request. Raises UnknownName, StateFault."""
    with of.state.reading() as connection:
        dossier = seen(connection, number, of.credential.actor(connection))
        at, text = dossier.submission, dossier.in_force.request
        read = read_request(text) if text else None
        policy = governing(connection, at.dataset_name)
        standing = policy.standing_of(connection, at.submitted_by, submits=False)
        broken = () if read is None else policy.broken(connection, read.request, standing)
        rules = () if read is None else tuple(_rules(policy.rules, broken))
    beside: ForeseenBeside | None = None
    if read is not None:
        with suppress(InputError, PolicyBroken):  # nothing is predicted of its method, or it is not allowed as it is
            require_predictable(read)
            beside = of.office.foreseen(read, (at.submitted_by,))
    found = RememberedReleases(of.state).bits(at.dataset_name, at.submitted_by)
    return ReviewEvidence(rules, beside, max(found, key=lambda each: each.bits, default=None))


def _rules(policy: Policy, broken: tuple[BrokenRule, ...]) -> Iterator[PolicyRuleCheck]:
    for rule in rules_of(policy, {each.rule for each in broken}):
        why = tuple(
            TwoPhrases(f"{each.message}. {each.next_step}", each.message, each.next_step)
            for each in broken
            if each.rule == rule
        )
        yield PolicyRuleCheck(rule, not why, why)
