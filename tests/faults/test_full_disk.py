"""A small file system that is full at every statement that writes: a clear error, and a state that is sound."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest

from ordermade import Engine, initialise
from ordermade.errors import OrdermadeError
from ordermade.state.audit import audit_entries
from ordermade.state.authority import SHELL
from ordermade.state.backup import backup, restore, rewrite
from ordermade.state.database import StateFile
from ordermade.state.inspection import verify
from tests.long import rounds
from tests.small_disk import small_disk

pytestmark = pytest.mark.slow

SIZE = 4 * 2**20
PAGE = 4096
MAX_LEFT = 320 * PAGE
POLICY = "dataset: members\nretention: {requests: 30 days}\n"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MiB in memory."""
    place = tmp_path / "disk"
    place.mkdir()
    with small_disk(place, SIZE) as found:
        yield found


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state with something registered, and a backup of it, to be copied."""
    folder = tmp_path_factory.mktemp("kept")
    with duckdb.connect(str(folder / "members.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE members AS SELECT i % 50 AS age, i % 37 AS height, i AS id FROM range(400) AS r (i)"
        )
    state = folder / "state" / "state.sqlite"
    initialise(state)
    engine = Engine(state, use_cache=False)
    engine.sources.add("shop", str(folder / "members.duckdb"))
    engine.datasets.add("members", "shop", table="members", least_k=2)
    for column in ("age", "height"):
        engine.hierarchies.add(column, "intervals:\n  levels: [{width: 10}, {width: 25}]\n")
    engine.policies.set(POLICY)
    engine.run(request(engine, 6) | {"release": {"to": str(folder / "earlier.csv")}})
    backup(state, folder / "state" / "copy.sqlite", SHELL)
    engine.users.add("rei", ["reviewer"])
    return folder


def request(engine: Engine, k: int) -> dict[str, object]:
    return {
        "title": "members " * 200,
        "dataset": "members",
        "k": k,
        "quasi_identifiers": {each: {"hierarchy": each} for each in ("age", "height")},
        "identifiers": ["id"],
        "release": {"to": str(engine.state_file.path.with_name("released.csv"))},
    }


DEEDS: dict[str, Callable[[Engine], object]] = {
    "source add": lambda engine: engine.sources.add("again", engine.sources.list()[0].location),
    "dataset add": lambda engine: engine.datasets.add("again", "shop", table="members"),
    "hierarchy add": lambda engine: engine.hierarchies.add("long", {str(i): str(i // 9) for i in range(3000)}),
    "policy set": lambda engine: engine.policies.set(POLICY + "ks: [5, 10]\n"),
    "user add": lambda engine: engine.users.add("ann", ["data-user"]),
    "user token": lambda engine: engine.users.token("rei"),
    "request run, refused": lambda engine: engine.run(request(engine, 401)),
    "request run, released": lambda engine: engine.run(request(engine, 5)),
    "request predict": lambda engine: engine.predict(request(engine, 5), note=True),
    "observations prune": lambda engine: engine.observations.prune(everything=True),
    "retention apply": lambda engine: engine.retention.apply(),
    "rewrite": lambda engine: rewrite(engine.state_file.path, SHELL),
    "backup": lambda engine: backup(engine.state_file.path, engine.state_file.path.with_name("b.sqlite"), SHELL),
    "restore": lambda engine: restore(engine.state_file.path, engine.state_file.path.with_name("copy.sqlite"), SHELL),
}


@pytest.mark.long
@pytest.mark.parametrize("deed", DEEDS)
def test_a_full_disk_is_named_and_leaves_a_sound_state(disk: Path, kept: Path, deed: str) -> None:
    done, faults = 0, list[str]()
    for left in range(0, MAX_LEFT, rounds(MAX_LEFT // 5, 2 * PAGE)):
        folder = disk / "state"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(kept / "state", folder)
        engine = Engine(folder / "state.sqlite", use_cache=False)
        before = _actions(engine)
        filled = _fill(disk, left)
        try:
            DEEDS[deed](engine)
            done += 1
            ended = True
        except OrdermadeError as error:
            faults.append(str(error))
            ended = False
        assert verify(engine.state_file.path, SHELL) == ()
        filled.unlink()
        assert verify(engine.state_file.path, SHELL) == ()
        assert ended or len(_actions(engine)) - len(before) <= 1  # a request that was refused for it is noted as failed
        assert not list(folder.glob("*-journal"))
    assert faults
    assert [each for each in faults if "full" not in each] == []
    print(f"{deed}: {len(faults)} times full, {done} times done")


def _actions(engine: Engine) -> list[str]:
    with StateFile(engine.state_file.path, SHELL).reading() as connection:
        return [each.action for each in audit_entries(connection)]


def _fill(disk: Path, left: int) -> Path:
    """Fills the disk but for so many bytes."""
    path = disk / "filled"
    free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
    path.write_bytes(bytes(max(free - left, 0)))
    return path
