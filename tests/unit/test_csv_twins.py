"""Twins of CSV files: a registered file is parsed once, and never answers for what it was before."""

from __future__ import annotations

import os
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from ordermade import Engine
from ordermade.errors import OrdermadeError
from ordermade.sources import csv_format
from ordermade.sources.executor import Executor, Purpose
from ordermade.state.cache import Cache
from ordermade.state.cache_contents import Dropped
from tests.made import new_engine

pytestmark = pytest.mark.slow

ROWS = "name,age\nHanako,21\nTaro,34\n"


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    (tmp_path / "persons.csv").write_text(ROWS)
    return new_engine(tmp_path)


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One entry a parse of CSV files."""
    seen: list[int] = []
    read_once = csv_format.read_once

    def noted(*arguments: object) -> csv_format.CsvRead:
        seen.append(1)
        return read_once(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(csv_format, "read_once", noted)
    return seen


def twins(engine: Engine) -> list[Path]:
    return [each.path for each in engine.cache.contents().twins]


def columns(engine: Engine) -> dict[str, str]:
    return {each.name: each.type for each in engine.sources.show("shop").tables[0].columns}


def add(engine: Engine, folder: Path) -> None:
    engine.sources.add("shop", str(folder / "persons.csv"))


def test_a_registered_file_is_parsed_once_until_it_changes(tmp_path: Path, engine: Engine, parsed: list[int]) -> None:
    add(engine, tmp_path)
    assert columns(engine) == {"name": "VARCHAR", "age": "BIGINT"}
    assert engine.sources.show("shop").source.read_in == ("utf-8",)
    assert len(parsed) == 1
    before = (tmp_path / "persons.csv").stat()
    (tmp_path / "persons.csv").write_text(ROWS.replace("34", "x4"))
    os.utime(tmp_path / "persons.csv", ns=(before.st_atime_ns, before.st_mtime_ns))  # as large, as old, another content
    assert columns(engine) == {"name": "VARCHAR", "age": "VARCHAR"}
    assert len(parsed) == 2
    assert len(twins(engine)) == 1


def test_names_that_nothing_shows_to_be_names_are_told_again(tmp_path: Path, engine: Engine, parsed: list[int]) -> None:
    (tmp_path / "persons.csv").write_text("sex,plan\nf,basic\nm,plus\n")
    add(engine, tmp_path)
    assert not engine.sources.show("shop").source.names_shown
    assert len(parsed) == 1


def test_the_twin_is_private_and_the_files_owner_alone_reads_it(tmp_path: Path, engine: Engine) -> None:
    before = os.umask(0)
    try:
        add(engine, tmp_path)
    finally:
        os.umask(before)
    (twin,) = twins(engine)
    assert stat.S_IMODE(twin.stat().st_mode) == 0o600
    assert stat.S_IMODE(twin.parent.stat().st_mode) == 0o700
    assert list(twin.parent.iterdir()) == [twin]
    assert "Hanako" not in twin.name


@pytest.mark.parametrize("damage", ["a byte", "cut", "empty", "gone"])
def test_a_damaged_twin_is_made_anew(tmp_path: Path, engine: Engine, parsed: list[int], damage: str) -> None:
    told: list[str] = []
    engine = replace(engine, notice=told.append)
    add(engine, tmp_path)
    (twin,) = twins(engine)
    content = twin.read_bytes()
    middle = len(content) // 2
    changed = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
    if damage == "gone":
        twin.unlink()
    else:
        twin.write_bytes({"a byte": changed, "cut": content[:middle], "empty": b""}[damage])
    assert columns(engine) == {"name": "VARCHAR", "age": "BIGINT"}
    assert len(parsed) == 2
    assert columns(engine) == {"name": "VARCHAR", "age": "BIGINT"}
    assert len(parsed) == 2
    assert told == []


def test_a_file_that_changes_while_it_is_parsed_leaves_no_twin(
    tmp_path: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "persons.csv"
    rows = Executor.rows

    def changing(executor: Executor, purpose: Purpose, *arguments: object) -> list[object]:
        if purpose is Purpose.LOAD and "COPY" in str(arguments[0]):
            seen = path.stat()
            path.write_text(ROWS.replace("34", "35"))
            os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))
        return rows(executor, purpose, *arguments)  # type: ignore[arg-type]

    ahead = time.time() + 3600
    os.utime(path, (ahead, ahead))  # changed a moment ago, however slow the machine is
    with monkeypatch.context() as patched:
        patched.setattr(Executor, "rows", changing)
        add(engine, tmp_path)
    assert twins(engine) == []


def test_another_way_of_reading_has_a_twin_of_its_own(tmp_path: Path, engine: Engine, parsed: list[int]) -> None:
    add(engine, tmp_path)
    engine.sources.add("again", str(tmp_path / "persons.csv"), header=True)
    assert len(parsed) == 2


def test_nothing_is_kept_without_the_cache_or_of_a_file_that_is_not_registered(tmp_path: Path, engine: Engine) -> None:
    add(replace(engine, use_cache=False), tmp_path)
    engine.measure(tmp_path / "persons.csv", ["age"])
    assert twins(engine) == []
    (tmp_path / "other.csv").write_text(ROWS)
    with pytest.raises(OrdermadeError):
        engine.sources.add("shop", str(tmp_path / "other.csv"))
    assert twins(engine) == []


def test_a_twin_goes_with_its_source_and_with_the_cache(tmp_path: Path, engine: Engine) -> None:
    add(engine, tmp_path)
    engine.datasets.add("persons", "shop", table="persons")
    assert engine.cache.purge([], ["elsewhere"]) == Dropped()
    assert engine.cache.purge([], [str(tmp_path / "persons.csv")]) == Dropped(twins=1)
    assert columns(engine)
    assert engine.cache.purge() == Dropped(twins=1)
    assert columns(engine)
    engine.datasets.remove("persons")
    engine.sources.remove("shop")
    assert twins(engine) == []


def test_the_twin_used_longest_ago_makes_room(tmp_path: Path, engine: Engine) -> None:
    told: list[str] = []
    content = tmp_path / "content"
    content.write_bytes(b"x" * 100)
    small = Cache(engine.cache.path, size_cap_bytes=350, notice=told.append)
    for at, place in enumerate("abc"):
        assert small.keep_twin(place, "key", "note", content)
        (twin,) = small._twins.of_places([place])
        os.utime(twin.path, (at, at))
    assert small.twin("a", "key", tmp_path / "copy") == "note"
    assert (tmp_path / "copy").read_bytes() == content.read_bytes()
    assert small.keep_twin("d", "key", "note", content)
    assert [bool(small._twins.of_places([place])) for place in "abcd"] == [True, False, True, True]
    content.write_bytes(b"x" * 400)
    assert not small.keep_twin("e", "key", "note", content)
    assert "above the cap" in told[0]


def test_processes_that_keep_and_read_one_twin_at_once_are_all_served(tmp_path: Path, engine: Engine) -> None:
    content = tmp_path / "content"
    content.write_bytes(os.urandom(3_000_000))

    def kept_and_read(number: int) -> bool:
        cache = Cache(engine.cache.path)
        copy = tmp_path / f"copy {number}"
        found = []
        for _ in range(10):
            cache.keep_twin("place", "key", "note", content)
            found.append(cache.twin("place", "key", copy) in ("note", None))
        return all(found) and copy.read_bytes() == content.read_bytes()

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(kept_and_read, range(4)))
    assert len(twins(engine)) == 1
