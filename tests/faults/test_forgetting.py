"""kill -9 between the statements that forget or migrate: table C is as it was before, or as it is after."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ordermade.lattice.observation import Observation, PersonSizes
from ordermade.state import database, migrations, observations, statements, versions
from ordermade.state.authority import SHELL
from ordermade.state.database import StateFile, initialise, migrate, status
from ordermade.state.inspection import verify
from ordermade.state.records.observations import MeasuredLevel, MeasuredNode

PROCESSES = multiprocessing.get_context("forkserver")
"""Processes of their own that have imported the state: only what is killed is run in them."""
PRELOADED = ("ordermade.state.database", "ordermade.state.observations", "ordermade.state.inspection", "pytest")


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def forget(path: Path, version: int) -> None:
    with StateFile(path, SHELL).writing() as connection:
        observations.forget(connection, version)


def prune(path: Path, _: int) -> None:
    with StateFile(path, SHELL).writing() as connection:
        observations.prune(connection, observations.Selection())


def migrated(path: Path, _: int) -> None:
    migrate(path, SHELL)


Deed = Callable[[Path, int], None]


def killed_at(statement: str, deed: Deed, path: Path, version: int) -> None:
    """Do it, in a process that dies right after a statement."""
    run = statements.run

    def run_until_killed(connection: Any, name: str, /, **values: object) -> None:
        run(connection, name, **values)
        if name == statement:
            die()

    for module in (migrations, observations):
        assert module.run is run
        module.run = run_until_killed  # type: ignore[attr-defined]
    deed(path, version)


def killed_once_committed(deed: Deed, path: Path, version: int) -> None:
    """Do it, in a process that dies right after its transaction."""
    transaction = migrations.transaction  # type: ignore[attr-defined]

    @contextmanager
    def killed_after(connection: Any, *until_free: Any) -> Iterator[None]:
        with transaction(connection, *until_free):
            yield
        die()

    database.transaction = migrations.transaction = killed_after  # type: ignore[attr-defined]
    deed(path, version)


NODES = [
    MeasuredNode(
        (MeasuredLevel("age", level, "some", f"a{level}"),),
        replace(Observation.from_histogram([(level + 1, 2)]), persons=PersonSizes(((level + 1, 2),))),
    )
    for level in range(3)
]


def learnt(path: Path) -> int:
    """Make a state whose table C knows three nodes of a version; the number of the version."""
    initialise(path, SHELL)
    with StateFile(path, SHELL).writing() as connection:
        version = versions.register(connection, "d", None, None, 10, 5, "c", {"age": "BIGINT"}).id
        observations.record(connection, version, None, NODES)
    return version


def kill(work: Callable[..., None], *arguments: object) -> None:
    """Do the work in a process that is killed in the middle of it."""
    PROCESSES.set_forkserver_preload(list(PRELOADED))
    process = PROCESSES.Process(target=work, args=arguments)
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL


@pytest.mark.slow
@pytest.mark.parametrize(
    ("deed", "statement"),
    [
        (forget, "state/observations_forget_models"),
        (forget, "state/observations_forget"),
        (prune, "state/observations_prune_models"),
        (prune, "state/observations_prune"),
    ],
)
def test_what_is_half_forgotten_is_known_as_before(tmp_path: Path, deed: Deed, statement: str) -> None:
    path = tmp_path / "state.sqlite"
    version = learnt(path)
    with StateFile(path, SHELL).reading() as connection:
        before = observations.known(connection, version)
    kill(killed_at, statement, deed, path, version)
    with StateFile(path, SHELL).reading() as connection:
        assert observations.known(connection, version) == before
    assert verify(path, SHELL) == ()
    with StateFile(path, SHELL).writing() as connection:
        observations.forget(connection, version)
        assert observations.known(connection, version) == {}


@pytest.mark.slow
def test_what_was_forgotten_stays_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    version = learnt(path)
    kill(killed_once_committed, forget, path, version)
    with StateFile(path, SHELL).writing() as connection:
        assert observations.known(connection, version) == {}
        assert observations.record(connection, version, None, NODES) == 3
    assert verify(path, SHELL) == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("work", "applied"),
    [(partial(killed_at, "state/migration_insert"), 0), (killed_once_committed, 1)],
    ids=["before", "after"],
)
def test_a_killed_migration_is_wholly_there_or_not_at_all(
    tmp_path: Path, work: Callable[[Deed, Path, int], None], applied: int
) -> None:
    none = tmp_path / "none"
    none.mkdir()
    path = tmp_path / "state.sqlite"
    initialise(path, SHELL, migrations_folder=none)
    kill(work, migrated, path, 0)
    assert len(status(path, SHELL).applied) == applied
    migrate(path, SHELL)
    assert verify(path, SHELL) == ()
