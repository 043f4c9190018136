"""Publications that are killed, that fail, and that meet other steps at the same moment: no file without its entry."""

from __future__ import annotations

import multiprocessing
import os
import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine, ReleasedMeanwhile
from ordermade.errors import OrdermadeError, Refused, StateFault
from ordermade.service import publishing
from ordermade.state import opt_outs, publications
from ordermade.state.authority import SHELL
from ordermade.state.backup import backup, restore
from ordermade.state.ledger import Ledger, ledger_of
from ordermade.state.replay import unlike_their_steps
from tests.bureau import BY_TENS, SHIFTED, TITLE, Bureau, asked, bureau_in

pytestmark = pytest.mark.slow

ENTRY = ("released", ("anyone",), 1)


@pytest.fixture
def bureau(tmp_path: Path) -> Bureau:
    made = bureau_in(tmp_path)
    assert made.delivered("ann", BY_TENS) == 1
    return made


def published(bureau: Bureau) -> list[int]:
    return [each.release for each in bureau.catalogue("bob").releases("people")]


def _killed(state: Path, where: str) -> None:
    def end(*_: Any, **__: Any) -> None:
        os._exit(9)

    if where == "before it is in the state":
        publications.add = end
    else:
        Ledger.settle = end  # type: ignore[method-assign]
    Engine(state).releases.publish(1, TITLE)


@pytest.mark.parametrize("where", ["before it is in the state", "after it is in the state"])
def test_a_killed_publication_counts_and_is_taken_up_again(bureau: Bureau, where: str) -> None:
    process = multiprocessing.get_context("fork").Process(target=_killed, args=(bureau.engine.state_file.path, where))
    process.start()
    process.join()
    assert process.exitcode == 9
    assert published(bureau) == ([] if where.startswith("before") else [1])
    assert bureau.entries()[1:] == [("intended", ("anyone",), 1)]
    number = bureau.approved("bob", SHIFTED)
    assert bureau.engine.submissions.run(number).submission.status == "refused"
    bureau.engine.releases.publish(1, TITLE)
    assert (published(bureau), bureau.entries()[1:]) == ([1], [ENTRY])


def test_a_publication_that_fails_leaves_nothing(bureau: Bureau, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise StateFault("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(publications, "add", fail)
        with pytest.raises(StateFault):
            bureau.engine.releases.publish(1, TITLE)
    assert (published(bureau), bureau.entries()[1:]) == ([], [("absent", ("anyone",), 1)])
    assert bureau.delivered("bob", SHIFTED) == 2
    with pytest.raises(Refused, match="fewer than k persons"):
        bureau.engine.releases.publish(1, TITLE)


@pytest.mark.parametrize("is_first", [True, False])
def test_a_restored_state_has_the_catalogue_of_the_one_replaced(bureau: Bureau, is_first: bool) -> None:
    path = bureau.engine.state_file.path
    if is_first:
        bureau.engine.releases.publish(1, TITLE)
    backup(path, path.with_name("copy.sqlite"), SHELL)
    if is_first:
        bureau.engine.releases.unpublish(1)
    else:
        bureau.engine.releases.publish(1, TITLE)
    restore(path, path.with_name("copy.sqlite"), SHELL)
    assert bool(bureau.engine.catalogue.releases("people")) != is_first
    with bureau.engine.state_file.reading() as connection:
        assert list(unlike_their_steps(connection)) == []


def test_without_the_state_of_before_the_catalogue_is_empty(bureau: Bureau) -> None:
    path = bureau.engine.state_file.path
    bureau.engine.releases.publish(1, TITLE)
    backup(path, path.with_name("copy.sqlite"), SHELL)
    path.unlink()
    restore(path, path.with_name("copy.sqlite"), SHELL)
    assert bureau.engine.catalogue.releases("people") == ()
    assert bureau.entries()[1:] == [ENTRY]
    bureau.engine.releases.publish(1, TITLE)
    assert len(bureau.engine.catalogue.releases("people")) == 1


@pytest.mark.parametrize("is_there", [True, False])
def test_a_ledger_of_before_a_publication_has_it_again(bureau: Bureau, is_there: bool) -> None:
    path = ledger_of(bureau.engine.state_file).path
    copy = path.read_bytes()
    bureau.engine.releases.publish(1, TITLE)
    if not is_there:
        bureau.engine.releases.unpublish(1)
    path.write_bytes(copy)
    number = bureau.approved("bob", SHIFTED)
    assert bureau.engine.submissions.run(number).submission.status == "refused"
    assert bureau.entries()[1:] == [ENTRY]


def test_what_is_in_the_catalogue_of_a_state_of_before_counts(bureau: Bureau) -> None:
    path = bureau.engine.state_file.path
    bureau.engine.releases.publish(1, TITLE)
    copy = path.read_bytes()
    bureau.engine.releases.unpublish(1)
    bureau.engine.ledger.destroyed(2)
    path.write_bytes(copy)
    assert published(bureau) == [1]
    number = bureau.approved("bob", SHIFTED)
    assert bureau.engine.submissions.run(number).submission.status == "refused"
    assert bureau.entries()[1:] == [ENTRY]


def between(bureau: Bureau, monkeypatch: pytest.MonkeyPatch, step: Callable[[], object]) -> None:
    """Lets a step come between the judgement on a publication and its transaction."""
    judge = publishing.judged_for_everybody

    def judged(*given: Any, **named: Any) -> Any:
        found = judge(*given, **named)
        step()
        return found

    monkeypatch.setattr(publishing, "judged_for_everybody", judged)


def test_what_is_withdrawn_meanwhile_is_not_published(bureau: Bureau, monkeypatch: pytest.MonkeyPatch) -> None:
    between(bureau, monkeypatch, lambda: bureau.engine.submissions.withdraw(bureau.submission_of(1)))
    with pytest.raises(Refused, match="is withdrawn"):
        bureau.engine.releases.publish(1, TITLE)
    assert (published(bureau), len(bureau.entries())) == ([], 1)


def test_a_release_that_came_meanwhile_was_not_judged_beside(bureau: Bureau, monkeypatch: pytest.MonkeyPatch) -> None:
    between(bureau, monkeypatch, lambda: bureau.delivered("bob", SHIFTED))
    with pytest.raises(ReleasedMeanwhile):
        bureau.engine.releases.publish(1, TITLE)
    assert (published(bureau), len(bureau.entries())) == ([], 2)


def test_a_policy_that_was_changed_meanwhile_stops_it(bureau: Bureau, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = {"dataset": "people", "k": 3, "pools": [["ann", "bob"]]}
    between(bureau, monkeypatch, lambda: bureau.engine.policies.set(policy))
    with pytest.raises(Refused, match="was changed meanwhile"):
        bureau.engine.releases.publish(1, TITLE)
    assert (published(bureau), len(bureau.entries())) == ([], 1)


def test_persons_who_opted_out_meanwhile_stop_it(bureau: Bureau, monkeypatch: pytest.MonkeyPatch) -> None:
    between(bureau, monkeypatch, lambda: monkeypatch.setattr(opt_outs, "number_of", lambda *_: 5))
    with pytest.raises(Refused, match="who opted out was changed meanwhile"):
        bureau.engine.releases.publish(1, TITLE)
    assert (published(bureau), len(bureau.entries())) == ([], 1)


def test_one_that_is_published_meanwhile_is_published_once(bureau: Bureau, monkeypatch: pytest.MonkeyPatch) -> None:
    other = Engine(bureau.engine.state_file.path).releases
    turns = [None, lambda: other.publish(1, TITLE)]

    def again() -> None:
        turn = turns.pop()
        if turn is not None:
            turn()

    between(bureau, monkeypatch, again)
    with pytest.raises(Refused, match="was changed meanwhile"):
        bureau.engine.releases.publish(1, TITLE)
    assert (published(bureau), bureau.entries()[1:]) == ([1], [ENTRY])


def test_what_is_published_while_it_is_noted_as_destroyed_counts(
    bureau: Bureau, monkeypatch: pytest.MonkeyPatch
) -> None:
    bureau.engine.releases.publish(1, TITLE)
    bureau.engine.releases.unpublish(1)
    settle, others = Ledger.settle, []

    def settled(ledger: Ledger, number: int, status: Any, release: int | None = None) -> None:
        if status == "destroyed":
            others.append(threading.Thread(target=bureau.engine.releases.publish, args=(1, TITLE)))
            others[0].start()
            others[0].join(2)  # it waits for the state, or is done
        settle(ledger, number, status, release)

    monkeypatch.setattr(Ledger, "settle", settled)
    bureau.engine.ledger.destroyed(2)
    others[0].join()
    assert (published(bureau), bureau.entries()[1:]) == ([1], [ENTRY])


@pytest.mark.parametrize("seed", range(4))
def test_published_and_withdrawn_at_once_it_is_in_no_catalogue(bureau: Bureau, seed: int) -> None:
    chance, number, found = random.Random(seed), bureau.submission_of(1), []
    waits, start = chance.uniform(0, 0.2), threading.Barrier(2)

    def publish() -> None:
        start.wait()
        try:
            found.append(bureau.engine.releases.publish(1, TITLE))
        except OrdermadeError as error:
            found.append(error)

    other = threading.Thread(target=publish)
    other.start()
    start.wait()
    threading.Event().wait(waits)
    bureau.engine.submissions.withdraw(number)
    other.join()
    assert published(bureau) == []
    is_in_ledger = [each for each in bureau.entries() if each[1] == ("anyone",)] == [ENTRY]
    assert is_in_ledger != isinstance(found[0], OrdermadeError)


KINDS = [asked(sex=0), asked(age=1), asked("shifted", age=1), asked(sex=0, age=1), asked("shifted", sex=0, age=1)]


@pytest.mark.parametrize("seed", range(8))
def test_what_is_published_is_a_breach_in_no_pool_and_only_then_refused(tmp_path: Path, seed: int) -> None:
    """The judgement on releases by their numbers, which knows no pools, is the same in each of them."""
    bureau, chance = bureau_in(tmp_path), random.Random(seed)
    kinds = chance.sample(KINDS, 4)
    release = bureau.delivered("ann", kinds[0])
    pools: dict[str, list[int]] = {"ann": [], "bob": [], "eve": []}
    for place, kind in enumerate(kinds[1:]):
        name = chance.choice(sorted(pools))
        found = bureau.engine.run({**kind, "release": {"to": str(tmp_path / f"{place}.csv")}}, recipients=(name,))
        if found.released:
            pools[name].append(bureau.engine.releases.list()[0].id)
    answers = [bureau.engine.judge_releases([release, *own], k=3).answer for own in pools.values() if own]
    try:
        bureau.engine.releases.publish(release, TITLE, reviewed=True)
    except Refused:
        assert "breach" in answers
    else:
        assert "breach" not in answers
