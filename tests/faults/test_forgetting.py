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
from ordermade.state import database, migrations, observations, versions
from ordermade.state.authority import SHELL
from ordermade.state.backup import backup, restore
from ordermade.state.database import StateFile, initialise, migrate, status
from ordermade.state.inspection import verify
from ordermade.state.records.observations import MeasuredLevel
from ordermade.state.table import Table

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


def killed_at(name: str, deed: Deed, path: Path, version: int) -> None:
    """Do it, in a process that dies right after it wrote to a table."""
    written = Table._written

    def written_until_killed(table: Table[Any], *of: Any, **how: Any) -> list[Any]:
        found = written(table, *of, **how)
        if table.name == name:
            die()
        return found

    Table._written = written_until_killed  # type: ignore[method-assign]
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
    (
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
    ("deed", "table"),
    [
        (forget, "observation_models"),
        (forget, "observations"),
        (prune, "observation_models"),
        (prune, "observations"),
    ],
)
def test_what_is_half_forgotten_is_known_as_before(tmp_path: Path, deed: Deed, table: str) -> None:
    path = tmp_path / "state.sqlite"
    version = learnt(path)
    with StateFile(path, SHELL).reading() as connection:
        before = observations.known(connection, version)
    kill(killed_at, table, deed, path, version)
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
    [(partial(killed_at, "migrations"), 0), (killed_once_committed, 1)],
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


@pytest.mark.slow
def test_what_was_forgotten_is_not_restored_where_another_node_has_its_number(tmp_path: Path) -> None:
    path, copy = tmp_path / "state.sqlite", tmp_path / "copy.sqlite"
    version = learnt(path)
    backup(path, copy, SHELL)
    with StateFile(path, SHELL).writing() as connection:
        before = observations.known(connection, version)
        observations.forget(connection, version)
        level = MeasuredLevel("city", 1, "some", "c1")
        assert observations.record(connection, version, None, [((level,), NODES[0][1]), NODES[1]]) == 2
        numbers = [each.id for each in observations.OBSERVATIONS.select(connection)]
    assert numbers == [1, 2]  # which forgotten nodes had
    assert restore(path, copy, SHELL).undone == ("2 measured nodes of table C",)
    with StateFile(path, SHELL).reading() as connection:
        assert observations.known(connection, version) == {} != before
    assert verify(path, SHELL) == ()
