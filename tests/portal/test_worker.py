"""The worker: each job once, under a lease with a fence; killed, stopped and woken, it loses and doubles nothing."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine
from ordermade.demo.office import make_office
from ordermade.errors import SourceFault
from ordermade.service.worker import Worker
from ordermade.state.audit import AUDIT
from ordermade.state.authority import SHELL
from ordermade.state.inspection import verify
from ordermade.state.replay import unlike_their_steps
from tests.long import rounds
from tests.service_office import Service, StandIns, made, text

pytestmark = pytest.mark.slow


@pytest.fixture
def service(tmp_path: Path) -> Service:
    found = made(tmp_path)
    for name, role in (("ann", "data-user"), ("rei", "reviewer")):
        found.add(name, role)
    return found


def approved(service: Service, title: str = "a") -> int:
    number = service.of("ann").submit(text(title)).id
    service.of("rei").review(number, "approve")
    return number


def status(service: Service, number: int) -> str:
    return service.of().get(number).submission.status


def steps_of(service: Service, number: int) -> Counter[str]:
    with service.state.reading() as connection:
        return Counter(each.action for each in AUDIT.select(connection, subject=str(number)))


def test_what_is_approved_is_run_and_delivered_once(service: Service) -> None:
    number, worker = approved(service), Worker(service.of())
    assert [worker.step(), worker.step(), worker.step()] == [True, True, False]
    assert status(service, number) == "delivered"
    assert len(service.office.ran) == 1
    assert service.unlike_the_audit() == ()


def test_what_waits_longest_is_first(service: Service) -> None:
    numbers = [approved(service, title) for title in "abc"]
    assert [each.id for each in Worker(service.of()).waiting()] == numbers


def test_a_worker_that_does_not_deliver_leaves_it_to_the_provider(service: Service) -> None:
    number, worker = approved(service), Worker(service.of(), delivers=False)
    assert [worker.step(), worker.step()] == [True, False]
    assert status(service, number) == "run"


def test_a_run_that_ends_in_a_fault_goes_back_to_review_and_is_not_tried_again(service: Service) -> None:
    number = approved(service)
    service.office.data.ran = SourceFault("the server is away")
    worker = Worker(service.of())
    assert [worker.step(), worker.step()] == [True, False]
    assert status(service, number) == "in_review"


def test_a_delivery_that_fails_is_tried_again_later_and_later(service: Service) -> None:
    number = approved(service)
    Worker(service.of()).step()
    now = [0.0]

    class Away(StandIns):
        @property
        def releases(self) -> Any:
            raise SourceFault("the file cannot be read")

    away = Worker(replace(service.of(), office=Away(service.state)), clock=lambda: now[0])
    for pause in (5, 10, 20):
        assert away.step()
        now[0] += pause - 0.5
        assert not away.step()
        now[0] += 1
    away.noun = service.of()
    assert away.step()
    assert status(service, number) == "delivered"


def test_two_workers_at_once_do_each_thing_once(service: Service) -> None:
    """The second one looks while the first is in the middle of a run, and of a delivery."""
    number, second, looked = approved(service), Worker(service.of()), []

    class Watched(StandIns):
        def run(self, *given: Any, **named: Any) -> Any:
            looked.append(second.waiting())
            return super().run(*given, **named)

        @property
        def releases(self) -> Any:
            looked.append(second.step())
            return super().releases

    first = Worker(replace(service.of(), office=Watched(service.state, service.office.data)))
    assert first.step()
    assert first.step()  # which was delivered meanwhile
    assert looked == [[], True]
    assert status(service, number) == "delivered"
    steps = steps_of(service, number)
    assert (steps["request run"], steps["request deliver"]) == (1, 1)
    assert service.unlike_the_audit() == ()


@pytest.mark.long
def test_a_worker_killed_stopped_and_woken_at_random_loses_and_doubles_nothing(tmp_path: Path) -> None:
    """Real processes on real data: requests are approved while workers are killed, stopped and woken."""
    office = make_office(tmp_path / "demo", rows=2_000)
    engine = Engine(office.state)
    engine.policies.set({"dataset": "members", "k": 10, "reviews": 0, "refusals": {"most": 100}})
    chosen = random.Random(45)
    moments = ["kill", "stop"] * rounds(3, 100)
    chosen.shuffle(moments)
    words = [sys.executable, "-m", "tests.portal.working", str(office.state)]
    begin: Callable[[], subprocess.Popen[bytes]] = lambda: subprocess.Popen(words)  # noqa: E731
    workers, numbers = [begin(), begin()], []
    try:
        for moment, deed in enumerate(moments):
            if moment % 2 == 0:
                request = {
                    "title": f"number {moment}",
                    "dataset": "members",
                    "k": chosen.choice([10, 20, 50]),
                    "quasi_identifiers": {"sex": {"hierarchy": "sex"}, "joined": {"hierarchy": "joined", "from": 3}},
                    "release": {"to": f"{moment}.csv"},
                }
                numbers.append(engine.submissions.submit(request).id)
            time.sleep(chosen.uniform(0.1, 1.2))
            place = chosen.randrange(2)
            if deed == "kill":
                workers[place].kill()
                workers[place].wait()
                workers[place] = begin()
            else:
                workers[place].send_signal(signal.SIGSTOP)
                time.sleep(chosen.uniform(0.1, 1.5))
                workers[place].send_signal(signal.SIGCONT)
        until = time.monotonic() + 120
        while time.monotonic() < until:
            left = [each for each in engine.submissions.list() if each.status in ("approved", "run")]
            if not left:
                break
            time.sleep(0.5)
    finally:
        for each in workers:
            each.kill()
            each.wait()
    ended = Counter(engine.submissions.get(each).submission.status for each in numbers)
    print(f"{Counter(moments)}: {dict(ended)}")
    assert set(ended) <= {"delivered", "refused", "in_review"}
    assert ended["delivered"] > 0
    with engine.state_file.reading() as connection:
        steps = Counter((each.subject, each.action) for each in AUDIT.select(connection))
        assert list(unlike_their_steps(connection)) == []
    assert all(steps[str(each), "request deliver"] <= 1 for each in numbers)
    for each in numbers:
        if engine.submissions.get(each).submission.status == "delivered":
            assert engine.submissions.delivered_file(each).is_file()
    assert verify(office.state, SHELL) == ()
