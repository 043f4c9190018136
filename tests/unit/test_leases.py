"""Leases of submitted requests: taken one after the other, renewed, over; whoever lost one publishes nothing."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from ordermade.errors import Refused, StateFault, UnknownName
from ordermade.service import running
from ordermade.service.lifecycle import MOVES
from ordermade.state import leases, submissions
from ordermade.state.changes import StateChanges
from ordermade.state.leases import LASTS, Lease, has_process, is_held, renew, require_held, take
from ordermade.state.runs import Run
from ordermade.state.statements import utc_now
from tests.service_office import Service, clock, made, text

NOON = datetime(2026, 3, 1, 12)


@pytest.fixture
def service(tmp_path: Path) -> Service:
    found = made(tmp_path)
    for name, role in (("ann", "data-user"), ("bob", "data-user"), ("rei", "reviewer")):
        found.add(name, role)
    return found


def approved(service: Service, title: str = "one") -> int:
    number = service.of("ann").submit(text(title)).id
    service.of("rei").review(number, "approve")
    return number


def taken(service: Service, number: int, claim: str, now: datetime) -> Lease:
    with service.state.writing() as connection:
        changes = StateChanges(connection, "a test")
        lease = take(changes, submissions.get(connection, number).submission, claim, now)
        changes.audited("request claim", str(number))
        return lease


def test_each_lease_has_the_next_number_and_the_last_one_alone_holds(service: Service) -> None:
    number = approved(service)
    first, second = taken(service, number, "a", NOON), taken(service, number, "b", NOON)
    assert [first.number, second.number] == [1, 2]
    with service.state.reading() as connection:
        assert not is_held(connection, first)
        assert is_held(connection, second)
        require_held(connection, second)
        require_held(connection, None)
        with pytest.raises(Refused, match="another process has taken"):
            require_held(connection, first)
    assert service.unlike_the_audit() == ()


def test_a_lease_of_the_same_number_and_another_run_does_not_hold(service: Service) -> None:
    number = approved(service)
    lease = taken(service, number, "a", NOON)
    with service.state.reading() as connection:
        assert not is_held(connection, Lease(number, lease.number, "b"))


def test_a_process_has_a_request_while_it_lives_and_its_lease_is_not_over(service: Service) -> None:
    number = approved(service)
    taken(service, number, "a", NOON)
    with service.state.reading() as connection:
        at = submissions.get(connection, number).submission
    ends = NOON + LASTS
    assert has_process(at, {"a"}, ends - timedelta(microseconds=1))
    assert not has_process(at, {"a"}, ends)
    assert not has_process(at, {"b"}, NOON)
    assert not has_process(at, (), NOON)


def test_a_renewal_puts_the_end_off_and_only_of_ones_own(service: Service) -> None:
    number = approved(service)
    lease = taken(service, number, "a", NOON)
    later = NOON + timedelta(minutes=5)
    with service.state.writing() as connection:
        assert renew(connection, lease, later)
        assert not renew(connection, Lease(number, lease.number + 1, "a"), later)
        assert not renew(connection, Lease(number, lease.number, "b"), later)
    with service.state.reading() as connection:
        at = submissions.get(connection, number).submission
    assert has_process(at, {"a"}, later + LASTS / 2)
    assert service.unlike_the_audit() == ()


@pytest.mark.parametrize("move", ["withdraw", "refuse", "revise"])
def test_what_is_moved_while_its_runner_sleeps_is_no_longer_its_own(service: Service, move: str) -> None:
    number = approved(service)
    run = Run(service.state.path)
    run.begin()
    lease = taken(service, number, run.name or "", utc_now())
    moves: dict[str, Any] = {
        "withdraw": lambda: service.of("ann").withdraw(number),
        "refuse": lambda: service.of().refuse(number, "not now"),
        "revise": lambda: service.of("ann").revise(number, text("two")),
    }
    with pytest.raises(Refused, match="it is running now"):
        moves[move]()
    with clock() as passing:
        passing.passed = LASTS
        moves[move]()
    run.end()
    with service.state.reading() as connection:
        assert not is_held(connection, lease)


def test_whoever_wakes_late_notes_nothing_and_the_other_answer_stands(service: Service) -> None:
    number, inner = approved(service), service.office.run

    def sleeps(*arguments: Any, **options: Any) -> Any:
        service.office.run = inner  # type: ignore[method-assign]
        found = inner(*arguments, **options)
        with clock() as passing:
            passing.passed = LASTS
            assert service.of().run(number).submission.status == "run"
        return found

    service.office.run = sleeps  # type: ignore[method-assign]
    with pytest.raises(Refused, match="another process has taken"):
        service.of().run(number)
    assert service.of().get(number).submission.status == "run"
    steps = [each.action for each in service.of().history(number)]
    assert steps.count("request claim") == 2
    assert steps.count("request run") == 1
    assert service.unlike_the_audit() == ()


def test_a_late_fault_sends_nothing_back_that_another_has(service: Service) -> None:
    number, inner = approved(service), service.office.run

    def fails_late(*arguments: Any, **options: Any) -> Any:
        service.office.run = inner  # type: ignore[method-assign]
        with clock() as passing:
            passing.passed = LASTS
            taken(service, number, "another", passing.now())
        raise StateFault("the disk is full")

    service.office.run = fails_late  # type: ignore[method-assign]
    with pytest.raises(StateFault):
        service.of().run(number)
    assert service.of().get(number).submission.status == "approved"


def test_an_interrupted_run_is_as_approved_as_before(service: Service) -> None:
    number = approved(service)
    service.office.data.ran = KeyboardInterrupt()
    for _ in range(2 * running.MOST_TRIES):
        with pytest.raises(KeyboardInterrupt):
            service.of().run(number)
    at = service.of().get(number).submission
    assert (at.status, at.claim, at.lease) == ("approved", None, 2 * running.MOST_TRIES)
    service.office.data.ran = None
    assert service.of().run(number).submission.status == "run"


def test_what_was_killed_again_and_again_goes_back_to_its_reviewers(service: Service) -> None:
    number = approved(service)
    for tried in range(running.MOST_TRIES):
        taken(service, number, f"gone {tried}", utc_now())
    found = service.of().run(number)
    assert found.submission.status == "in_review"
    assert "in a row were killed" in found.returned
    assert service.of("ann").progress(number).why == "the provider looks at it"
    assert "killed" in service.of().refused_by_data(number)[-1].reason
    service.of("rei").review(number, "approve")
    assert service.of().run(number).submission.status == "run"


def test_a_fault_of_the_disk_sends_it_back_in_the_words_that_say_nothing(service: Service) -> None:
    number = approved(service)
    service.office.data.ran = OSError(28, "No space left on device")
    with pytest.raises(OSError, match="No space"):
        service.of().run(number)
    found = service.of("ann").progress(number)
    assert (found.status, found.why, found.is_running) == ("in_review", "the provider looks at it", False)


def test_progress_says_who_waits_behind_how_many_and_what_runs(service: Service) -> None:
    numbers = [approved(service, title) for title in ("one", "two", "three")]
    assert [service.of("ann").progress(each).before for each in numbers] == [0, 1, 2]
    run = Run(service.state.path)
    run.begin()
    taken(service, numbers[0], run.name or "", utc_now())
    found = service.of("ann").progress(numbers[0])
    assert (found.is_running, found.before, found.why) == (True, None, "1 of 1 approvals")
    assert found.since == service.of("ann").get(numbers[0]).submission.moved_at
    assert [service.of("ann").progress(each).before for each in numbers[1:]] == [0, 1]
    run.end()
    assert service.of("ann").progress(numbers[0]).is_running is False


def test_progress_is_seen_by_whoever_sees_the_request(service: Service) -> None:
    number = approved(service)
    assert {service.of(each).progress(number).before for each in ("ann", "rei", None)} == {0}
    with pytest.raises(UnknownName):
        service.of("bob").progress(number)


def test_a_request_of_another_counts_in_the_queue_without_being_named(service: Service) -> None:
    approved(service, "of ann")
    number = service.of("bob").submit(text("of bob")).id
    service.of("rei").review(number, "approve")
    assert service.of("bob").progress(number).before == 1


def test_no_move_of_the_lifecycle_is_made_by_progress(service: Service) -> None:
    number = approved(service)
    before = service.of().history(number)
    for name in ("ann", "rei", None):
        service.of(name).progress(number)
    assert service.of().history(number) == before
    assert "claim" not in {each.name for each in MOVES}
    assert leases.RENEWED_EVERY * 3 < LASTS
