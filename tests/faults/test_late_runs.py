"""A run that is stopped at a step, and wakes late or is killed, after another process has run its request."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ordermade import Engine
from ordermade.files.private import sha256_of
from ordermade.state.authority import SHELL
from ordermade.state.inspection import verify
from ordermade.state.leases import LASTS
from tests.faults.service_worker import request
from tests.faults.test_service import REPOSITORY, provider
from tests.service_office import clock

pytestmark = pytest.mark.slow

STEPS = {
    "before the entry of the ledger": "ordermade.methods.shared.recorder:Recorder._intended",
    "before it is decided": "ordermade.methods.shared.recorder:Recorder._decided",
    "before it has its name": "ordermade.methods.shared.recorder:Recorder._carry_out",
    "once it has its name": "ordermade.methods.shared.recorder:Recorder._settle",
    "before the request says so": "ordermade.engine:Engine.run",
}
RUN = """
import importlib, os, signal, sys
from ordermade import Engine

state, number, step = sys.argv[1:]
module, _, name = step.partition(":")
owner, _, name = name.rpartition(".")
of = importlib.import_module(module)
of = getattr(of, owner) if owner else of
inner = getattr(of, name)

def stopped(*arguments, **options):
    if name == "run":
        found = inner(*arguments, **options)
    os.kill(os.getpid(), signal.SIGSTOP)
    if name == "run":
        return found
    return inner(*arguments, **options)

setattr(of, name, stopped)
try:
    Engine(state).submissions.run(int(number))
except Exception as error:
    print(error)
    sys.exit(1)
"""


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    found = provider(tmp_path)
    found.policies.set({"dataset": "members", "beside": {"breach": "review", "undecided": "review"}})
    return found


@pytest.fixture
def number(engine: Engine, tmp_path: Path) -> int:
    found = Engine(engine.state, token=engine.users.token("ann").secret).submissions.submit(request(1)).id
    Engine(engine.state, token=engine.users.token("rei").secret).submissions.review(found, "approve")
    return found


def stopped_at(step: str, engine: Engine, number: int) -> subprocess.Popen[str]:
    """A process that runs the request and has stopped itself at a step."""
    words = [sys.executable, "-c", RUN, str(engine.state), str(number), STEPS[step]]
    process = subprocess.Popen(words, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True)
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status), f"it ended before it was stopped: {status}"
    return process


@pytest.fixture
def passed() -> Iterator[None]:
    with clock() as passing:
        passing.passed = LASTS
        yield


@pytest.mark.parametrize(
    ("step", "end"),
    [
        *((step, signal.SIGCONT) for step in STEPS),
        *((step, signal.SIGKILL) for step in ("before it has its name", "once it has its name")),
    ],
)
def test_a_late_run_publishes_nothing_beside_the_other(
    engine: Engine, number: int, step: str, end: signal.Signals, passed: None
) -> None:
    late = stopped_at(step, engine, number)
    try:
        assert engine.submissions.progress(number).is_running is False
        assert engine.submissions.run(number).submission.status == "run"
    finally:
        late.send_signal(end)
        said = late.communicate(timeout=60)[0]
    if end == signal.SIGCONT:
        assert late.returncode == 1
        assert ("another process has taken" in said) or ("came out meanwhile" in said and "ledger" in step)
    found = engine.submissions.deliver(number)
    (standing,) = [each for each in engine.releases.list() if each.ended is None]
    assert standing.id == found.release
    assert sha256_of(Path(found.where)) == standing.sha256
    assert engine.releases.verify(found.release).intact
    actions = [each.action for each in engine.submissions.history(number)]
    assert (actions.count("request run"), actions.count("request deliver")) == (1, 1)
    assert {each.status for each in engine.ledger.list()} <= {"released", "absent"}
    assert [each.release for each in engine.ledger.list() if each.status == "released"].count(found.release) == 1
    assert {each.status for each in engine.requests.list()} <= {"released", "failed", "interrupted"}
    assert verify(engine.state_file.path, SHELL) == ()


@pytest.mark.parametrize("step", ["before it is decided", "before it has its name", "once it has its name"])
def test_a_late_run_of_what_was_refused_leaves_no_file(engine: Engine, number: int, step: str, passed: None) -> None:
    late = stopped_at(step, engine, number)
    try:
        engine.submissions.refuse(number, "not now")
    finally:
        late.send_signal(signal.SIGCONT)
        assert "another process has taken the request" in late.communicate(timeout=60)[0]
    assert engine.submissions.get(number).submission.status == "refused"
    assert [each for each in engine.releases.list() if each.ended is None] == []
    assert not list(engine.state_file.path.parent.glob("**/members.csv.manifest.json"))
    assert verify(engine.state_file.path, SHELL) == ()
