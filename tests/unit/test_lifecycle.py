"""Every move from every state by every role, against a table written by hand from the description of the service."""

from __future__ import annotations

import itertools

import pytest

from ordermade.errors import Refused
from ordermade.service.lifecycle import (
    ENDED,
    GUARDS,
    MOVES,
    ROLES,
    STATES,
    Actor,
    SubmissionState,
    allowed,
    automatic_move,
    move,
)

# A line a state: the moves that a data user (the one who submitted it), a reviewer and a provider may make, where every
# guard lets them. The moves that the engine makes by itself are under `engine`.
BY_HAND = """
draft:      data-user submit; provider submit
submitted:  engine predict
predicted:  data-user revise withdraw; reviewer review; provider propose review approve refuse; engine restore expire
proposed:   data-user accept revise withdraw; provider propose refuse; engine restore expire
revised:    data-user revise withdraw; reviewer review; provider propose review approve refuse; engine restore expire
in_review:  data-user revise withdraw; reviewer review; provider propose review approve refuse; engine restore expire
approved:   data-user revise withdraw; provider refuse run; engine return restore expire
refused:    data-user revise withdraw; engine expire
run:        data-user withdraw; provider deliver refuse; engine restore expire
delivered:  provider withdraw; engine expire
withdrawn:
expired:
"""
TARGETS = {
    "submit": "submitted",
    "predict": "predicted",
    "propose": "proposed",
    "accept": "revised",
    "revise": "revised",
    "review": "in_review",
    "approve": "approved",
    "refuse": "refused",
    "return": "in_review",
    "restore": "in_review",
    "run": "run",
    "deliver": "delivered",
    "withdraw": "withdrawn",
    "expire": "expired",
}
# A provider who did not submit the request is no user of it.
OF_THE_USER = ("submit", "accept", "revise", "withdraw")


def table() -> dict[tuple[str, str], set[str]]:
    found: dict[tuple[str, str], set[str]] = {}
    for line in BY_HAND.strip().splitlines():
        state, _, rest = line.partition(":")
        for part in filter(None, map(str.strip, rest.split(";"))):
            role, *names = part.split()
            found[(state, role)] = set(names)
    return found


WRITTEN = table()


def standing(state: str, **others: object) -> SubmissionState:
    return SubmissionState(state, "ann", frozenset({"ann"}), approvals=1, needed=1, **others)  # type: ignore[arg-type]


def refusal(at: SubmissionState, name: str, actor: Actor) -> Refused | None:
    """Why a move is refused; nothing where it is made."""
    try:
        move(at, name, actor)
    except Refused as refused:
        return refused
    return None


@pytest.mark.parametrize("state", STATES)
def test_a_move_is_made_exactly_where_the_table_has_it(state: str) -> None:
    at, by_engine = standing(state), WRITTEN.get((state, "engine"), set())
    for role, name in itertools.product(ROLES, [each for each in TARGETS if each not in by_engine]):
        actor = Actor("ann" if role == "data-user" else role, frozenset({role}))
        own = WRITTEN.get((state, role), set())
        case = f"{role} {name} from {state}"
        if name in own:
            assert move(at, name, actor).target == TARGETS[name], case
            assert name in {each.name for each in allowed(at, actor)}, case
        else:
            refused = refusal(at, name, actor)
            assert refused is not None, case
            assert name in str(refused), case
            said = refused.next_step
            assert said == "Nothing is allowed now." if not own else all(each in said for each in own), case


@pytest.mark.parametrize("state", STATES)
def test_the_engine_makes_its_own_moves_where_they_are_due(state: str) -> None:
    due = standing(state, due=True, changed="the data changed")
    for name in ("predict", "return", "expire"):
        found = automatic_move(due, name)
        assert (found is not None) == (name in WRITTEN.get((state, "engine"), set()))
    quiet = standing(state)
    assert automatic_move(quiet, "expire") is None
    assert automatic_move(quiet, "return") is None


def test_nobody_reviews_an_own_request_in_whatever_role() -> None:
    at = SubmissionState("in_review", "ann", frozenset({"ann", "pro"}))
    for name, roles in (("ann", {"data-user", "reviewer"}), ("pro", {"provider", "reviewer"})):
        with pytest.raises(Refused, match="nobody reviews"):
            move(at, "review", Actor(name, frozenset(roles)))
    assert move(at, "review", Actor("rei", frozenset({"reviewer"}))).target == "in_review"


@pytest.mark.parametrize(
    ("others", "name", "reason"),
    [
        ({"approvals": 1, "needed": 2}, "approve", "1 of the 2 approvals"),
        ({"claimed": True}, "refuse", "running now"),
    ],
)
def test_a_guard_says_why_not(others: dict[str, object], name: str, reason: str) -> None:
    at = SubmissionState("in_review", "ann", frozenset({"ann"}), **others)  # type: ignore[arg-type]
    with pytest.raises(Refused, match=reason):
        move(at, name, Actor("pro", frozenset({"provider"})))


def test_a_claimed_request_is_neither_run_again_nor_withdrawn_nor_revised_nor_expired() -> None:
    at = standing("approved", claimed=True, due=True)
    provider, user = Actor("pro", frozenset({"provider"})), Actor("ann", frozenset({"data-user"}))
    for name, actor in (("run", provider), ("refuse", provider), ("withdraw", user), ("revise", user)):
        with pytest.raises(Refused, match="running now"):
            move(at, name, actor)
    assert automatic_move(at, "expire") is None


def test_a_request_that_is_not_what_was_reviewed_is_not_run() -> None:
    at = standing("approved", changed="the data have changed since the review")
    with pytest.raises(Refused, match="data have changed"):
        move(at, "run", Actor("pro", frozenset({"provider"})))


def test_an_approval_against_a_vote_is_not_made_by_itself_and_only_by_somebody_independent() -> None:
    at = standing("in_review", refusals=1)
    assert automatic_move(at, "approve") is None
    assert automatic_move(standing("in_review"), "approve") is not None
    assert move(at, "approve", Actor("pro", frozenset({"provider"}))).target == "approved"
    with pytest.raises(Refused, match="nobody reviews"):
        move(at, "approve", Actor("ann", frozenset({"provider"})))


def test_a_vote_to_refuse_stands_where_the_policy_has_come_to_need_no_review() -> None:
    at = standing("in_review", refusals=1, automatic=True)
    assert automatic_move(at, "approve") is None
    assert move(at, "approve", Actor("pro", frozenset({"provider"}))).target == "approved"
    with pytest.raises(Refused, match="nobody reviews"):
        move(at, "approve", Actor("ann", frozenset({"provider"})))


def test_a_release_that_has_changed_is_not_delivered() -> None:
    with pytest.raises(Refused, match="does not measure"):
        move(standing("run", intact=False), "deliver", Actor("pro", frozenset({"provider"})))


def test_there_is_no_move_that_nobody_knows() -> None:
    with pytest.raises(ValueError, match="no move"):
        move(standing("run"), "fly", Actor("pro", frozenset({"provider"})))


def test_states_moves_and_guards_are_used_and_described() -> None:
    assert {each.target for each in MOVES} | {"draft"} == set(STATES)
    assert {each.guard for each in MOVES if each.guard} == set(GUARDS)
    assert not [each for each in MOVES if set(each.sources) & set(ENDED)]
    assert {each.name: each.target for each in MOVES} == TARGETS
