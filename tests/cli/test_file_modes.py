"""Who may read what the program writes: its owner alone, or as asked, with any umask, from the first byte."""

from __future__ import annotations

import contextlib
import os
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests.cli.conftest import Program, write_hierarchies, write_members, write_request

pytestmark = pytest.mark.slow

HISTORY = """\
dataset: purchases
method: history
k: 5
history: {customer: who, when: day, item: item, numbers: [price], map: private/map.csv}
release: {to: out/purchases.csv}
"""
MONDRIAN = """\
dataset: members
method: mondrian
k: 5
quasi_identifiers: {age: , city: {hierarchy: city}}
release: {to: {table: split}}
"""
GROUPS = """\
dataset: members
method: microaggregation
k: 5
attributes: {age: }
microaggregation: {algorithm: optimal}
release: {to: out/groups.parquet, mode: "0640"}
"""
GROUPS_FILES = ("groups.parquet", "groups.parquet.manifest.json")


class Watch:
    """Looks again and again at all files below some folders while commands run, and notes those that others may read.

    Files that were there before, and folders that only their owner enters, are left out.
    """

    def __init__(self, *folders: Path) -> None:
        self.open_to_others: dict[str, int] = {}
        self._folders = folders
        self._before = {each for folder in folders for each in folder.rglob("*")}
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._look_on, daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()
        self.look()

    def new_files(self) -> list[Path]:
        """The files that are there now and were not before."""
        return [
            each
            for folder in self._folders
            for each in folder.rglob("*")
            if each.is_file() and each not in self._before
        ]

    def _look_on(self) -> None:
        while not self._stopped.is_set():
            self.look()
            self._stopped.wait(0.01)

    def look(self) -> None:
        """Looks once."""
        for folder in self._folders:
            for place, _, names in os.walk(folder):
                for name in names:
                    path = Path(place) / name
                    try:
                        mode = stat.S_IMODE(path.lstat().st_mode)
                    except OSError:  # it is gone again
                        continue
                    if mode & ~0o600 and path not in self._before:
                        self.open_to_others[str(path.relative_to(folder))] = mode


@pytest.fixture(params=[0o000, pytest.param(0o277, marks=pytest.mark.thorough)], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def write_purchases(path: Path) -> None:
    """Three purchases of each of twelve customers."""
    lines = [
        f"c{who},2024-0{month}-1{who % 9},{'ab'[who % 2]},{month}.50" for who in range(12) for month in range(1, 4)
    ]
    path.write_text("\n".join(["who,day,item,price", *lines]) + "\n", encoding="utf-8")


@pytest.mark.usefixtures("umask")
def test_whatever_a_command_writes_is_its_owner_s_or_as_asked(
    folder: Path, ordermade: Program, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_members(folder / "members.csv")
    write_purchases(folder / "purchases.csv")
    write_hierarchies(folder)
    write_request(folder / "request.yaml")
    for name, text in (("h", HISTORY), ("s", MONDRIAN), ("g", GROUPS)):
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    with duckdb.connect(str(folder / "shop.duckdb")) as connection:
        connection.execute("CREATE TABLE members AS SELECT * FROM read_csv('members.csv')")
        connection.execute("CREATE TABLE purchases AS SELECT * FROM read_csv('purchases.csv')")
    temporary = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    commands = (
        "init",
        "demo --rows 2000 --folder made-up",
        "source add shop shop.duckdb --writable",
        "source add files members.csv",
        "dataset add members --source shop --table members",
        "dataset add purchases --source shop --table purchases",
        "hierarchy add sex sex.csv",
        "hierarchy add age age.csv",
        "hierarchy add city city.yaml",
        "hierarchy suggest members age --to drafted.yaml",
        "request run request.yaml",
        "request run request.yaml --again",
        "request run g.yaml",
        "request run s.yaml",
        "request run h.yaml",
        "sweep g.yaml --k 5,6,7 --plot curve.png",
        "measure members.csv --quasi-identifiers sex,age --plot k.svg",
        "taxonomy suggest purchases.csv --item item --description who --to items.csv",
        "observations export table-c.csv",
        "observations plot k.png --dataset members",
        "state backup copy.sqlite",
        "cache purge",
        "state verify",
    )
    with Watch(folder, temporary) as watch:
        for command in commands:
            ended = ordermade(*command.split())
            assert ended.status in (0, 1), (command, ended.err)
    # A file gets its mode in the folder that only its owner enters, before it gets its name.
    others = {name: mode for name, mode in watch.open_to_others.items() if Path(name).name not in GROUPS_FILES}
    assert others == {}
    assert set(watch.open_to_others.values()) == {0o640}
    kept = {each: stat.S_IMODE(each.stat().st_mode) for each in watch.new_files()}
    assert {each.name for each, mode in kept.items() if mode != 0o600} == set(GROUPS_FILES)
    assert {each.name for each in (folder / "out").iterdir()} >= {"members.csv", "purchases.csv", "groups.parquet"}
    assert stat.S_IMODE((folder / "out" / "groups.parquet").stat().st_mode) == 0o640
    assert (folder / "private" / "map.csv").exists()
    assert list(temporary.iterdir()) == []


def test_what_a_command_spills_is_its_owner_s_whatever_the_umask(folder: Path) -> None:
    temporary = folder / "temporary"
    temporary.mkdir()
    with duckdb.connect(str(folder / "s.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT i, hash(i) AS h FROM range(400000) AS r(i)")
    program = Path(sys.executable).parent / "ordermade"
    typed = [str(program), "--memory", "25MB", "measure", "s.duckdb", "--quasi-identifiers", "i,h"]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    seen: dict[str, int] = {}
    with subprocess.Popen(
        typed, cwd=folder, env=environment, umask=0, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as running:
        while running.poll() is None:
            for place, _, names in os.walk(temporary):
                for name in names:
                    with contextlib.suppress(FileNotFoundError):  # it is gone again
                        seen[name] = stat.S_IMODE((Path(place) / name).lstat().st_mode)
    assert [name for name in seen if "storage" in name], "nothing was spilled"
    assert set(seen.values()) == {0o600}
