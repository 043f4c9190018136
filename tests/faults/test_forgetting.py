"""kill -9 between the statements that forget or migrate: table C is as it was before, or as it is after."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from ordermade.lattice.observation import Observation, PersonSizes
from ordermade.resources import folder
from ordermade.state import observations, versions
from ordermade.state.database import StateFile, initialise, migrate, status
from ordermade.state.inspection import verify
from ordermade.state.records import MeasuredLevel, MeasuredNode

KILLED_AT = """
import os, signal, sys
from pathlib import Path
from ordermade.state import database, observations, statements
from ordermade.state.database import StateFile
path, version, fatal = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
run = statements.run
def run_until_killed(connection, name, /, **values):
    run(connection, name, **values)
    if name == fatal:
        os.kill(os.getpid(), signal.SIGKILL)
database.run = observations.run = run_until_killed
"""
FORGET = "with StateFile(path).writing() as connection:\n    observations.forget(connection, version)\n"
PRUNE = "with StateFile(path).writing() as connection:\n    observations.prune(connection, observations.Selection())\n"
MIGRATE = "database.migrate(path)\n"
COMMITTED = """
from contextlib import contextmanager
from ordermade.state import database
transaction = database.transaction
@contextmanager
def killed_after(connection):
    with transaction(connection):
        yield
    os.kill(os.getpid(), signal.SIGKILL)
database.transaction = killed_after
"""
NODES = [
    MeasuredNode(
        (MeasuredLevel("age", level, "some", f"a{level}"),),
        replace(Observation.from_histogram([(level + 1, 2)]), persons=PersonSizes(((level + 1, 2),))),
    )
    for level in range(3)
]


def learnt(path: Path) -> int:
    """Make a state whose table C knows three nodes of a version; the number of the version."""
    initialise(path)
    with StateFile(path).writing() as connection:
        version = versions.register(connection, "d", None, None, 10, 5, "c", {"age": "BIGINT"}).id
        observations.record(connection, version, None, NODES)
    return version


def kill(path: Path, version: int, what: str, statement: str) -> None:
    """Do it in a process that is killed right after a statement."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED_AT + what, str(path), str(version), statement], capture_output=True, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "statement"),
    [
        (FORGET, "state/observations_forget_levels"),
        (FORGET, "state/observations_forget_models"),
        (FORGET, "state/observations_forget"),
        (PRUNE, "state/observations_prune_levels"),
        (PRUNE, "state/observations_prune_models"),
        (PRUNE, "state/observations_prune"),
    ],
)
def test_what_is_half_forgotten_is_known_as_before(tmp_path: Path, what: str, statement: str) -> None:
    path = tmp_path / "state.duckdb"
    version = learnt(path)
    with StateFile(path).reading() as connection:
        before = observations.known(connection, version)
    kill(path, version, what, statement)
    with StateFile(path).reading() as connection:
        assert observations.known(connection, version) == before
    assert verify(path) == ()
    with StateFile(path).writing() as connection:
        observations.forget(connection, version)
        assert observations.known(connection, version) == {}


def test_what_was_forgotten_stays_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "state.duckdb"
    version = learnt(path)
    kill(path, version, COMMITTED + FORGET, "")
    with StateFile(path).writing() as connection:
        assert observations.known(connection, version) == {}
        assert observations.record(connection, version, None, NODES) == 3
    assert verify(path) == ()


@pytest.mark.parametrize(
    ("what", "statement", "applied"), [(MIGRATE, "state/migration_insert", 1), (COMMITTED + MIGRATE, "", 2)]
)
def test_a_killed_migration_is_wholly_there_or_not_at_all(
    tmp_path: Path, what: str, statement: str, applied: int
) -> None:
    first = tmp_path / "first"
    first.mkdir()
    (first / "0001_state.sql").write_bytes((folder("migrations") / "0001_state.sql").read_bytes())
    path = tmp_path / "state.duckdb"
    initialise(path, migrations_folder=first)
    kill(path, 0, what, statement)
    assert len(status(path).applied) == applied
    migrate(path)
    assert verify(path) == ()
