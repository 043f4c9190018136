"""Random users make random moves, while policy, data and the clock change: nothing illegal happens."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import seed as with_seed
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from ordermade.errors import InputError, Refused, UnknownName
from ordermade.requests.read import read_request
from ordermade.service.submitted import as_now
from ordermade.state import submissions as stored
from ordermade.state.audit import actor, head_of
from ordermade.state.records.submissions import Revision
from ordermade.state.seals import broken_chain
from ordermade.state.submissions import SubmissionDetails
from tests.long import rounds
from tests.service_office import Service, clock, made, text

USERS: dict[str | None, frozenset[str]] = {
    "ann": frozenset({"data-user"}),
    "ben": frozenset({"data-user"}),
    "sue": frozenset({"data-user", "reviewer"}),
    "rei": frozenset({"reviewer"}),
    "ron": frozenset({"reviewer"}),
    "pro": frozenset({"provider", "reviewer"}),
    None: frozenset({"provider"}),
}
WRITERS = ("ann", "ben", "sue", "pro")
MOVES = (
    *("submit", "advance", "advance", "advance", "advance", "advance"),
    *(
        "propose",
        "accept",
        "revise",
        "approve_vote",
        "approve_vote",
        "approve_vote",
        "refuse_vote",
        "approve",
        "refuse",
    ),
    *("run", "run", "deliver", "deliver", "withdraw"),
)
"""Votes, runs and deliveries more often than the rest, and the move that is due, so that requests come to their end."""
DUE = {
    "predicted": ("approve_vote", "propose", "refuse_vote"),
    "proposed": ("accept", "accept", "accept"),
    "revised": ("approve_vote", "approve_vote", "refuse_vote"),
    "in_review": ("approve_vote", "refuse_vote", "approve"),
    "approved": ("run", "run", "refuse"),
    "refused": ("revise", "revise", "revise"),
    "run": ("deliver", "deliver", "refuse"),
    "delivered": ("rerun", "rerun", "withdraw"),
}
"""The moves that are due in a state: one of three, each drawn as often."""
CHIEF = {
    *("propose", "accept", "revise", "approve_vote", "refuse_vote", "approve", "refuse"),
    *("run", "deliver", "withdraw", "rerun"),
}
"""The moves of which each sample makes some."""
STEPS = 16
"""Groups of about ten moves that a history has at most."""
HISTORIES = rounds(5, 25)
"""Histories that are made before the moves are counted: the first of them has few kinds of moves."""
CHANGES = (None, None, None, "data", "file", "file", "reviews", "k", "expiry", "time", "few")
MOVE = st.tuples(
    st.sampled_from(sorted(USERS, key=str)),
    st.sampled_from(MOVES),
    st.integers(0, 2),
    st.sampled_from([5, 5, 5, 8]),
    st.integers(0, 2),
)
# From where a move may be seen to lead, written by hand: a review may approve at once, a run may send back or refuse.
LEADS_TO = {
    "propose": {"proposed"},
    "accept": {"revised", "approved"},
    "revise": {"revised", "approved"},
    "approve_vote": {"in_review", "approved"},
    "refuse_vote": {"in_review"},
    "approve": {"approved"},
    "refuse": {"refused"},
    "run": {"run", "in_review", "refused"},
    "deliver": {"delivered"},
    "withdraw": {"withdrawn"},
    "rerun": {"delivered", "withdrawn"},  # withdrawn: another one did it again, and that one is done again
}
BEGINS_IN = {
    "propose": {"predicted", "proposed", "revised", "in_review"},
    "accept": {"proposed"},
    "revise": {"predicted", "proposed", "revised", "in_review", "approved", "refused"},
    "approve_vote": {"predicted", "revised", "in_review"},
    "refuse_vote": {"predicted", "revised", "in_review"},
    "approve": {"predicted", "revised", "in_review"},
    "refuse": {"predicted", "proposed", "revised", "in_review", "approved", "run"},
    "run": {"approved"},
    "deliver": {"run"},
    "withdraw": {"predicted", "proposed", "revised", "in_review", "approved", "refused", "run", "delivered"},
    "rerun": {"delivered", "withdrawn"},  # withdrawn: another one did it again, and that one is done again
}
NEEDS = {
    "propose": {"provider"},
    "accept": {"data-user", "provider"},
    "revise": {"data-user", "provider"},
    "approve_vote": {"reviewer", "provider"},
    "refuse_vote": {"reviewer", "provider"},
    "approve": {"provider"},
    "refuse": {"provider"},
    "run": {"provider"},
    "deliver": {"provider"},
    "withdraw": {"data-user", "provider"},
    "rerun": {"data-user", "provider"},
}


@cache
def template() -> Path:
    """A state with the users; their tokens are in the file beside it."""
    folder = Path(tempfile.mkdtemp(dir=_quick()))
    service = made(folder)
    for name, roles in USERS.items():
        if name is not None:
            service.add(name, *sorted(roles))
    (folder / "tokens").write_text("\n".join(f"{name} {token}" for name, token in service.tokens.items()))
    return folder


def k_of(revision: Revision) -> int:
    """The k that a revision asks for."""
    return read_request(revision.request).request.k


def _quick() -> str | None:
    """A folder in memory, where there is one: what is tested is not the disk."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


class RandomMoves(RuleBasedStateMachine):
    """One state, its users, and the requests so far.

    Each request is as it was when its last move was over: what changes it beside its own moves shows in the next.
    """

    moves = 0
    done: dict[str, int] = {}  # noqa: RUF012
    made_by_name: dict[str, int] = {}  # noqa: RUF012 (counted over all runs, for the report)

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(dir=_quick()))
        self.service: Service = made(self.folder, template() / "state.sqlite")
        lines = (template() / "tokens").read_text().splitlines()
        self.service.tokens = dict(line.split() for line in lines)
        self.stack = ExitStack()
        self.clock = self.stack.enter_context(clock())
        self.reviews = 1
        self.k = 0
        self.titles = 0
        self.files: dict[tuple[int, int], str] = {}
        self.seen: dict[tuple[int, str], str] = {}
        self.numbers: list[int] = []
        self.known: dict[int, SubmissionDetails] = {}
        self.head = self._head()

    def teardown(self) -> None:
        if not hasattr(self, "service"):
            return
        try:
            self.service.of().expire()
            assert self.service.unlike_the_audit() == ()
            with self.service.state.reading() as connection:
                assert list(broken_chain(connection)) == []
        finally:
            self.stack.close()
            self.service.state.connection.close()  # type: ignore[attr-defined]
            shutil.rmtree(self.folder)

    def _title(self) -> str:
        self.titles += 1
        return str(self.titles)

    @rule(
        moves=st.lists(MOVE, min_size=8, max_size=12),
        change=st.sampled_from(CHANGES),
        number=st.integers(0, 2),
        looks=st.sampled_from([None, None, None, None, None, "ann", "ben"]),
    )
    def step(self, moves: list[Any], change: str | None, number: int, looks: str | None) -> None:
        """Some moves, perhaps a change of what they rest on, and a look: one rule, so that no run leaves one out."""
        if change is not None:
            self._change(change, number)
        if looks is not None:
            self._look(looks)
        for who, what, place, k, due in moves:
            if what == "submit" or not self.numbers:
                self._submit(who, k)
            else:
                self._move(who, what, self.numbers[-1 - place % min(len(self.numbers), 3)], k, due)

    def _submit(self, who: str | None, k: int) -> None:
        self._count("submit")
        with contextlib.suppress(Refused):
            found = self.service.of(who).submit(text(self._title(), k))
            self.numbers.append(found.id)
            self._dossier(found.id)
            self.done["submit"] = self.done.get("submit", 0) + 1
            assert who is None or who in WRITERS
            assert found.status == ("approved" if self.reviews == 0 else "predicted")
        self.head = self._head()

    def _move(self, who: str | None, what: str, number: int, k: int, due: int) -> None:
        before = self._before(number)
        if what == "advance":
            what = DUE.get(before.submission.status, ("submit",) * 3)[due]
            if before.submission.status == "in_review" and {each.vote for each in before.votes} == {
                "approve",
                "refuse",
            }:
                what = "approve"
            who = self._who_may(what, who, before)
            if what == "run" and k == 8:  # between approval and run, where it is seldom seen otherwise
                self._change("file", k)
        if what == "submit":
            self._submit(who, k)
            return
        self._count(what)
        refused: Exception | None = None
        try:
            self._make(who, what, number, k)
        except (Refused, UnknownName, InputError) as error:
            refused = error
        head_before, self.head = self.head, self._head()
        if refused is None:
            self.done[what] = self.done.get(what, 0) + 1
            after = self._dossier(number)
            self._votes_count(after)
            self._made(who, what, before, after)
            return
        assert self.head == head_before, refused  # and the tables are as the audit has them: see teardown
        assert self._may_be_refused(who, what, before, k), (who, what, before.submission.status, refused)
        if isinstance(refused, UnknownName):
            assert not USERS[who] & {"provider", "reviewer"}
            assert before.submission.submitted_by != who

    def _may_be_refused(self, who: str | None, what: str, before: SubmissionDetails, k: int) -> bool:
        """Whether there is a reason, by the tables above and the rules of the policy, not to make a move."""
        at, name = before.submission, who or actor()
        if at.status not in BEGINS_IN[what] or not USERS[who] & NEEDS[what]:
            return True
        is_own, votes = at.submitted_by == name, [each.vote for each in before.votes]
        match what:
            case "propose":
                return k < self.k
            case "revise":
                return not is_own or k < self.k
            case "accept":
                return not is_own or k_of(before.revisions[-1]) < self.k
            case "withdraw":
                return "provider" not in USERS[who] if at.status == "delivered" else not is_own
            case "approve_vote" | "refuse_vote":
                is_other = self.files[at.id, at.revision] != self.service.office.data.file
                return name in before.authors or is_other or (what == "approve_vote" and k_of(before.in_force) < self.k)
            case "approve":
                enough = votes.count("approve") >= self.reviews or self.reviews == 0
                return not enough or ("refuse" in votes and name in before.authors)
            case "deliver":
                return k_of(before.in_force) < self.k
            case "rerun":
                ended = ("refused", "withdrawn", "expired")
                again = [each for each in self.service.of().list() if each.supersedes == at.id]
                is_open = any(each.status not in ended for each in again)
                is_others = not is_own and "provider" not in USERS[who]
                return at.status == "withdrawn" or is_open or is_others or k_of(before.in_force) < self.k
            case _:
                return False

    @staticmethod
    def _who_may(what: str, who: str | None, before: SubmissionDetails) -> str | None:
        """Somebody who may make the move that is due; `who` where it is a vote."""
        submitter = before.submission.submitted_by
        if what in ("accept", "revise", "rerun"):
            return submitter if submitter in USERS else None
        if what in ("approve_vote", "refuse_vote"):
            return who
        return None if "pro" in before.authors and what == "approve" else "pro"

    def _head(self) -> Any:
        with self.service.state.reading() as connection:
            return head_of(connection)

    def _before(self, number: int) -> SubmissionDetails:
        """A request as its last move left it; read anew where its time may have ended since."""
        known = self.known.get(number)
        if known is None or as_now(known.submission).status == "expired":
            return self._dossier(number)
        return known

    def _dossier(self, number: int) -> SubmissionDetails:
        with self.service.state.reading() as connection:
            dossier = stored.get(connection, number)
        for each in dossier.revisions:  # each is looked at before the file can change again
            self.files.setdefault((number, each.revision), self.service.office.data.file)
        self.known[number] = replace(dossier, submission=as_now(dossier.submission))
        return self.known[number]

    def _make(self, who: str | None, what: str, number: int, k: int) -> Any:
        noun = self.service.of(who)
        match what:
            case "propose":
                return noun.propose(number, request=text(self._title(), k))
            case "revise":
                return noun.revise(number, text(self._title(), k))
            case "approve_vote" | "refuse_vote":
                return noun.review(number, what.removesuffix("_vote"), "because")
            case "refuse":
                return noun.refuse(number, "because")
            case "rerun":
                self.numbers.append(noun.rerun(number).id)
                return None
            case "run":
                return noun.run(number)
            case _:
                return getattr(noun, what)(number)

    def _made(self, who: str | None, what: str, before: SubmissionDetails, after: SubmissionDetails) -> None:
        state, now, submitter = before.submission.status, after.submission.status, before.submission.submitted_by
        assert state in BEGINS_IN[what], (state, what)
        assert now in LEADS_TO[what], (what, now)
        assert USERS[who] & NEEDS[what], (who, what)
        name = who or "the shell"
        if what in ("accept", "revise") or (what == "withdraw" and state != "delivered"):
            assert submitter == name or (who is None and submitter not in USERS)
        if what == "deliver":
            assert k_of(after.in_force) >= self.k
        if what == "rerun":
            again = self._dossier(self.numbers[-1]).submission
            assert again.supersedes is not None
            assert again.supersedes == before.submission.id or state == "withdrawn"
            assert self._dossier(again.supersedes).submission.status == "delivered"
            assert again.submitted_by == submitter
            assert again.status in ("predicted", "approved")
            assert submitter == name or "provider" in USERS[who]
        if what == "deliver" and after.submission.supersedes is not None:
            assert self._dossier(after.submission.supersedes).submission.status != "delivered"
        if what == "withdraw" and state == "delivered":
            assert "provider" in USERS[who]
        if what in ("approve_vote", "refuse_vote"):
            assert (who or actor()) not in before.authors
            self.seen[before.submission.id, who or actor()] = self.service.office.data.file
        if what in ("accept", "revise"):
            assert after.submission.revision > before.submission.revision
            assert not after.votes
        if now == "approved" and state != "approved":
            for_it = [each for each in after.votes if each.vote == "approve"]
            assert len(for_it) >= self.reviews
            assert len({each.reviewer for each in for_it}) == len(for_it)
            assert not {each.reviewer for each in for_it} & after.authors
        if now == "run":
            votes = [each for each in before.votes if each.vote == "approve"]
            assert len(votes) >= self.reviews
            data = self.service.office.data
            assert all(each.dataset_version_id == data.version for each in votes)
            assert all(self.seen[after.submission.id, each.reviewer] == data.file for each in votes)
            assert self.files[after.submission.id, after.submission.revision] == data.file
            assert k_of(after.in_force) >= self.k
            assert self.service.office.ran.count(f"{after.submission.id}-{after.submission.revision}") == 1

    def _change(self, change: str, number: int) -> None:
        data = self.service.office.data
        match change:
            case "data":
                data.version += number // 2
            case "file":
                data.file = f"another, {self._title()}"
            case "few":
                data.enough = number > 0
            case "time":
                self.clock.passed += timedelta(days=number)
            case _:
                self.reviews = number if change == "reviews" else max(self.reviews, 1)
                self.k = 8 if (change, number) == ("k", 2) else 5
                expiry = {"expiry": "20 days"} if change == "expiry" else {}
                self.service.set_policy(k=self.k, reviews=self.reviews, **expiry)
                self.head = self._head()  # the audit notes it

    @staticmethod
    def _votes_count(dossier: SubmissionDetails) -> None:
        """Where a request may still be approved, or was: a reviewer may propose, and what was proposed be refused."""
        counted = [vote for vote in dossier.reviews if vote.counts]
        if dossier.submission.status in {*BEGINS_IN["approve"], "approved", "run", "delivered"}:
            assert all(vote.revision == dossier.submission.revision for vote in counted)
            assert len({(vote.policy_id, vote.dataset_version_id, vote.meaning_hash) for vote in counted}) <= 1
            assert not {vote.reviewer for vote in counted} & dossier.authors

    def _look(self, who: str) -> None:
        noun, everybodys = self.service.of(who), self.service.of().list()
        own = [each.id for each in everybodys if each.submitted_by == who]
        assert [each.id for each in noun.list()] == own
        for each in everybodys[:3]:
            if each.id not in own:
                for seen in (noun.get, noun.history, noun.where, noun.allowed):
                    with pytest.raises(UnknownName, match="no submitted request"):
                        seen(each.id)

    def _count(self, what: str) -> None:
        type(self).moves += 1
        self.made_by_name[what] = self.made_by_name.get(what, 0) + 1


@pytest.mark.slow
@pytest.mark.long
def test_random_moves_of_random_users_do_nothing_illegal(seed: int) -> None:
    wanted = rounds(1_000, 100_000)
    RandomMoves.moves, RandomMoves.done, RandomMoves.made_by_name = 0, {}, {}
    for each in range(wanted):  # Hypothesis remembers every history of a round, and is slower the more there are
        run_state_machine_as_test(
            with_seed(seed + each)(RandomMoves),
            settings=settings(
                max_examples=HISTORIES,
                stateful_step_count=STEPS,
                deadline=None,
                database=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
        if RandomMoves.moves >= wanted:
            break
        if each % 4 == 3:
            print(f"{RandomMoves.moves:,} moves so far", flush=True)
    made = sum(RandomMoves.done.values())
    print(f"{RandomMoves.moves:,} moves tried with seed {seed}: {RandomMoves.made_by_name}")
    print(f"{made:,} of them made, the others refused: {RandomMoves.done}")
    assert RandomMoves.moves >= wanted
    assert set(RandomMoves.done) >= CHIEF
