"""Writers and readers of one state, killed at random: nothing is lost or done twice, and no reader sees half of it."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import time
from collections.abc import Callable
from multiprocessing.context import ForkServerProcess as Process
from pathlib import Path

import pytest

from ordermade import initialise
from ordermade.state import forecasts
from ordermade.state.audit import add_audit_entry
from ordermade.state.authority import SHELL
from ordermade.state.connection import StateConnection
from ordermade.state.database import StateFile
from ordermade.state.forecasts import NewForecast
from ordermade.state.inspection import verify
from tests.long import rounds

PROCESSES = multiprocessing.get_context("forkserver")
WRITERS = READERS = 8
SEED = 20261127


def jobs(connection: StateConnection) -> list[int]:
    """The jobs that were done, in their order."""
    return [int(job) for (job,) in connection.execute("SELECT subject FROM audit WHERE action = 'job' ORDER BY id")]


def write(state: StateFile, began: float) -> dict[str, float]:
    """Does the next job: its number, and how long it waited."""
    with state.writing() as connection:
        waited = time.monotonic() - began
        last = connection.execute("SELECT COUNT(*) FROM audit WHERE action = 'job'").fetchone()
        job = int(last[0]) + 1
        forecasts.note(connection, NewForecast(f"job {job}", "d", None, None, 0.5, False, 1, 2, 3, {}))
        add_audit_entry(connection, "job", str(job))
    return {"job": job, "waited": waited}


def read(state: StateFile, began: float) -> dict[str, float]:
    """Reads what was done: how long it waited, there and on a state of its own that nobody writes to.

    Raises ValueError where it saw no one moment of the state.
    """
    with state.reading() as connection:
        waited = time.monotonic() - began
        done = jobs(connection)
        (noted,) = connection.execute("SELECT COUNT(*) FROM forecasts").fetchone()
    if done != list(range(1, len(done) + 1)) or noted != len(done):
        raise ValueError(f"half of a job: {len(done)}, {noted}")
    began = time.monotonic()
    with StateFile(state.path.with_name(ALONE), SHELL).reading():
        return {"waited": waited, "alone": time.monotonic() - began}


ALONE = "alone.sqlite"
"""The state that is only read: what its readers wait for is the processor."""


PAUSES: dict[Callable[[StateFile, float], dict[str, float]], float] = {write: 0.1, read: 0.05}
"""What the processes do, with the longest seconds between two times."""


def work(deed: Callable[[StateFile, float], dict[str, float]], path: Path, notes: Path, stop: Path, seed: int) -> None:
    """Does it until it is time to stop, and notes on the disk each time what came of it."""
    chance = random.Random(seed)
    with notes.open("a", encoding="utf-8") as file:
        while not stop.exists():
            said: dict[str, object]
            try:
                said = {**deed(StateFile(path, SHELL), time.monotonic())}
            except Exception as error:  # noqa: BLE001 - whatever reaches a user is a finding
                said = {"fault": f"{type(error).__name__}: {error}"}
            file.write(json.dumps(said) + "\n")
            file.flush()
            os.fsync(file.fileno())
            time.sleep(chance.uniform(0, PAUSES[deed]))


@pytest.mark.slow
@pytest.mark.long
def test_writers_and_readers_that_are_killed_lose_nothing(tmp_path: Path) -> None:
    seconds = int(os.environ.get("ORDERMADE_SECONDS", rounds(4, 600)))
    print(f"seed {SEED}, {seconds} s")
    path, stop, chance = tmp_path / "state.sqlite", tmp_path / "stop", random.Random(SEED)
    initialise(path)
    initialise(path.with_name(ALONE))
    PROCESSES.set_forkserver_preload([__name__])

    def begun(number: int) -> Process:
        deed = write if number % 2 else read
        notes = tmp_path / f"{deed.__name__}-{number}-{chance.random()}.jsonl"
        process = PROCESSES.Process(target=work, args=(deed, path, notes, stop, number))
        process.start()
        return process

    running, kills = [begun(number) for number in range(WRITERS + READERS)], 0
    while not all(_notes(tmp_path, kind) for kind in ("write", "read")):  # the first of them has begun
        time.sleep(0.1)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        time.sleep(chance.uniform(0, 0.5))
        place = chance.randrange(len(running))
        os.kill(running[place].pid or 0, signal.SIGKILL)
        running[place].join()
        running[place] = begun(place)
        kills += 1
    stop.touch()
    for each in running:
        each.join()

    said = {kind: _notes(tmp_path, kind) for kind in ("write", "read")}
    assert [each["fault"] for notes in said.values() for each in notes if "fault" in each] == []
    assert verify(path, SHELL) == ()
    with StateFile(path, SHELL).reading() as connection:
        done = jobs(connection)
    noted = [each["job"] for each in said["write"]]
    assert done == list(range(1, len(done) + 1))
    assert len(set(noted)) == len(noted)  # nothing twice
    assert set(noted) <= set(done)  # nothing lost
    assert len(done) - len(noted) <= kills  # one was killed between the end of its job and its note
    assert len(noted) > 1
    for kind, what in (("write", "waited"), ("read", "waited"), ("read", "alone")):
        waits = sorted(each[what] for each in said[kind])
        at = {share: waits[min(int(len(waits) * share), len(waits) - 1)] * 1000 for share in (0.5, 0.99, 0.999, 1)}
        print(kind, what, len(waits), ", ".join(f"p{share * 100:g} {value:.1f} ms" for share, value in at.items()))
    print(f"{len(done)} jobs, {kills} kills")


def _notes(folder: Path, kind: str) -> list[dict[str, float]]:
    lines = [line for each in folder.glob(f"{kind}-*.jsonl") for line in each.read_text(encoding="utf-8").splitlines()]
    return [json.loads(line) for line in lines if line.endswith("}")]  # a kill may cut the last one short
