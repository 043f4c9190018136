"""A small shop: a CSV of members whose every value of a person is recognisable, hierarchies, and the program."""

from __future__ import annotations

import functools
import itertools
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest
import typer

from ordermade.cli.exit_status import exit_status_of
from ordermade.cli.main import app

NOT_LOOKED_AT = "Not checked: dataset version, coverage of the hierarchies, identifying columns. Run it with --data."
"""What a check without --data says of the data."""

MARKER = "Zqxname"
"""Begins every name of a person in the data: seen in no output and in no file of the engine."""
FIRST_PHONE = 5_550_100_000
"""The phone numbers of the data count up from here: as MARKER."""

REQUEST = """\
title: Members by sex, age and city
dataset: members
k: {k}
quasi_identifiers:
  sex: {{hierarchy: sex}}
  age: {{hierarchy: age, from: {start}, to: {end}}}
  city: {{hierarchy: city}}
identifiers: [name, phone]
keep: [plan]
release: {{to: out/members.csv, replace: true}}
"""


@dataclass(frozen=True)
class Outcome:
    """How a command ended and what it printed."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out)


PROGRAM = typer.main.get_command(app)
"""The tree of commands. Typer makes it anew at every call, which takes longer than most commands."""
Program = Callable[..., Outcome]
_LEAK = re.compile(rf"{MARKER}|5550100[01]\d\d")


def leaks(text: str | bytes) -> list[str]:
    """The values of persons that a text, or the bytes of a file, show."""
    return _LEAK.findall(text if isinstance(text, str) else text.decode("latin-1"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def ordermade(folder: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Program]:
    """The program in this process. Whatever it is asked, it shows no traceback and no value of a person."""

    def run(*arguments: object) -> Outcome:
        capsys.readouterr()
        words = [str(each) for each in arguments]
        status = exit_status_of(lambda: PROGRAM(words, prog_name="ordermade"), words)
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        assert not leaks(printed.out + printed.err)
        return Outcome(status, printed.out, printed.err)

    yield run
    state = folder / ".ordermade"
    for file in state.rglob("*"):
        # The twins beside the cache are the rows of the source, and the rest of a block of the cache may have some; the
        # ledger has what releases show, values that they keep among it.
        if file.is_file() and file.relative_to(state).parts[0] not in ("cache.twins", "ledger.sqlite"):
            content = content_of(file) if file.name == "cache.duckdb" else file.read_bytes()
            assert not leaks(content), f"{file.name} holds values of persons"


def content_of(file: Path) -> str:
    """Every row of every table of a DuckDB file."""
    with duckdb.connect(str(file), read_only=True) as database:
        tables = database.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        return "\n".join(str(database.execute(f'FROM "{table}"').fetchall()) for (table,) in tables)


def write_members(path: Path) -> None:
    """144 members: sex x 36 ages x 2 of 4 cities; a name and a phone of their own each."""
    people = itertools.product("fm", range(20, 56), range(2))
    phones = itertools.count(FIRST_PHONE)
    lines = [
        f"{MARKER}{place},{phone},{sex},{age},{('Oslo', 'Bergen', 'Kyoto', 'Osaka')[(age + other) % 4]},{'ab'[age % 2]}"
        for place, (phone, (sex, age, other)) in enumerate(zip(phones, people, strict=False))
    ]
    path.write_text("\n".join(["name,phone,sex,age,city,plan", *lines]) + "\n", encoding="utf-8")


def write_hierarchies(folder: Path) -> None:
    """sex.csv in ARX's form, age.csv with a header, city.yaml."""
    (folder / "sex.csv").write_text("f;*\nm;*\n", encoding="utf-8")
    ages = "".join(f"{age},{age // 5 * 5}-{age // 5 * 5 + 4},{age // 20 * 20}s\n" for age in range(20, 60))
    (folder / "age.csv").write_text("age,five years,twenty years\n" + ages, encoding="utf-8")
    (folder / "city.yaml").write_text(
        "mapping:\n  Oslo: [Norway]\n  Bergen: [Norway]\n  Kyoto: [Japan]\n  Osaka: [Japan]\n", encoding="utf-8"
    )


def write_request(path: Path, *, k: object = 5, start: object = 0, end: object = 3) -> Path:
    """A request over sex, age and city."""
    path.write_text(REQUEST.format(k=k, start=start, end=end), encoding="utf-8")
    return path


def done_in(folder: Path, *commands: list[str]) -> None:
    """Run commands that succeed in a folder: for what several tests begin with, which is copied."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        for command in commands:
            assert exit_status_of(functools.partial(PROGRAM, command, prog_name="ordermade")) == 0
    finally:
        os.chdir(before)


@pytest.fixture(scope="session")
def registered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a state in which source, dataset and hierarchies are registered, and request.yaml. Not changed."""
    folder = tmp_path_factory.mktemp("shop")
    write_members(folder / "members.csv")
    write_hierarchies(folder)
    write_request(folder / "request.yaml")
    done_in(
        folder,
        ["init"],
        ["source", "add", "shop", "members.csv"],
        ["dataset", "add", "members", "--source", "shop", "--table", "members", "--least-k", "2"],
        ["hierarchy", "add", "sex", "sex.csv"],
        ["hierarchy", "add", "age", "age.csv"],
        ["hierarchy", "add", "city", "city.yaml"],
    )
    return folder


@pytest.fixture
def shop(registered: Path, folder: Path, ordermade: Program) -> Program:
    """The program in a copy of that folder; the registered source stays the one that was copied from."""
    shutil.copytree(registered, folder, dirs_exist_ok=True)
    return ordermade
