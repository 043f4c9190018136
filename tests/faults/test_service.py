"""Four processes submit, review, run and deliver on one state, and one of them is killed again and again."""

from __future__ import annotations

import collections
import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ordermade import Engine, initialise
from ordermade.files.private import sha256_of
from ordermade.state.authority import SHELL
from ordermade.state.inspection import verify
from ordermade.state.replay import unlike_their_steps
from ordermade.state.seals import audit_chain
from tests.cli.conftest import write_hierarchies, write_members
from tests.long import rounds

PROCESSES = 4
REPOSITORY = Path(__file__).resolve().parents[2]


def provider(folder: Path) -> Engine:
    write_members(folder / "members.csv")
    write_hierarchies(folder)
    initialise(folder / "state.sqlite")
    engine = Engine(folder / "state.sqlite")
    engine.sources.add("shop", str(folder / "members.csv"))
    engine.datasets.add("members", "shop", table="members", least_k=2)
    for name in ("sex", "age"):
        engine.hierarchies.add(name, folder / f"{name}.csv")
    engine.users.add("ann", ["data-user"])
    engine.users.add("rei", ["reviewer"])
    tokens = {name: engine.users.token(name).secret for name in ("ann", "rei")}
    (folder / "tokens.json").write_text(json.dumps(tokens))
    return engine


def start(folder: Path, number: int, seconds: float) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-m", "tests.faults.service_worker", folder, folder / f"{number}.log", number, seconds]
    return subprocess.Popen([str(each) for each in words], cwd=REPOSITORY)


@pytest.mark.slow
@pytest.mark.long
def test_four_processes_lose_nothing_and_run_nothing_twice_while_one_is_killed(tmp_path: Path) -> None:
    seconds, between = rounds(6, 600), rounds(2, 10)
    engine = provider(tmp_path)
    chosen, kills, until = random.Random(24), 0, time.monotonic() + seconds
    running = [start(tmp_path, number, seconds) for number in range(PROCESSES)]
    while time.monotonic() + between < until:
        time.sleep(between)
        place = chosen.randrange(PROCESSES)
        running[place].send_signal(signal.SIGKILL)
        running[place].wait()
        kills += 1
        running[place] = start(tmp_path, PROCESSES + kills, max(until - time.monotonic(), 1))
    assert [each.wait() for each in running] == [0] * PROCESSES
    lines = [line for log in tmp_path.glob("*.log") for line in log.read_text().splitlines()]
    done = [line.split() for line in lines if line.count(" ") == 2]  # a kill may have cut the last one
    kinds = collections.Counter(kind for kind, _, _ in done)
    print(f"{seconds} s, {kills} kills: {dict(kinds)}, the longest step {max(float(each[2]) for each in done):.1f} s")
    assert kinds["locked"] == 0
    assert kinds["submit"] > 0

    assert engine.submissions.expire() == ()
    assert verify(tmp_path / "state.sqlite", SHELL) == ()
    with engine.state_file.reading() as connection:
        steps = [each for each in audit_chain(connection) if each.data is not None]
        assert list(unlike_their_steps(connection)) == []
    noted = {(each.action.removeprefix("request "), each.subject) for each in steps}
    assert not [each for each in done if each[0] != "locked" and (each[0], each[1]) not in noted]

    runs = collections.Counter(each.subject for each in steps if each.action == "request run")
    assert set(runs.values()) <= {1}
    released = [each for each in engine.releases.list() if each.ended is None]
    assert len({each.path for each in released}) == len(released)
    by_number = {each.release_id: each for each in engine.submissions.list() if each.release_id is not None}
    for each in released:
        if each.id in by_number:
            assert each.path is not None
            assert sha256_of(Path(each.path)) == each.sha256
