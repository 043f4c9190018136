"""Every statement that `request explain` prints runs in the source's own program, and answers as one that was sent."""

from __future__ import annotations

import contextlib
import random
import re
import shutil
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import duckdb
import pyarrow as pa
import pytest

from ordermade import Engine
from ordermade.methods.generalization.result import GeneralizationResult
from ordermade.methods.shared.explain import Step
from ordermade.sources.limits import Limits
from ordermade.sources.server import ServerExecutor
from ordermade.sources.sqlite_file import SQLiteExecutor
from ordermade.sources.sqlite_text import HASHES
from ordermade.views.request import script
from tests.conformance.backends import BACKENDS, Made, Table, in_mariadb, in_postgresql
from tests.made import new_engine, write_hierarchy
from tests.services.servers import Schema

pytestmark = pytest.mark.slow

Row = tuple[str, ...]
Read = Callable[..., pa.RecordBatchReader]
Pasted = Callable[[str], list[Row] | None]

PEOPLE = Table(
    "people",
    {"id": "BIGINT", "age": "BIGINT", "plan": "VARCHAR", "day": "DATE", "it's": "VARCHAR"},
    [
        (i, 20 + i % 4, ["basic", "plus%", "o'clock", None][i * 7 % 4], date(2024, 1, 1 + i % 4), f"x\\{i % 3}")
        for i in range(80)
    ],
)
HIERARCHIES: dict[str, Sequence[Sequence[str | int | None]]] = {
    "age": [(str(age), "low" if age < 22 else "high", "*") for age in range(20, 24)],
    "plan": [("basic", "x", "*"), ("plus%", "x", "*"), ("o'clock", "y", "*"), (None, "y", "*")],
    "day": [(f"2024-01-0{i}", f"half {i > 2}", "*") for i in range(1, 5)],
    "it's": [(f"x\\{i}", f"g{i > 1}", "*") for i in range(3)],
}
FILTERS = (None, "age <> 21", "plan IS NULL OR plan <> 'plus%'", "day >= DATE '2024-01-02'", "id BETWEEN 5 AND 70")


def requests(number: int) -> Iterator[dict[str, Any]]:
    """Requests of two columns or more (of one, no frequency set is sent), from level 0 or 1 up, some with a filter."""
    draw = random.Random(36)
    for _ in range(number):
        columns = draw.sample(list(HIERARCHIES), draw.randint(2, 4))
        attributes = {each: {"hierarchy": each.replace("'", ""), "from": draw.choice([0, 1, 1])} for each in columns}
        where = draw.choice(FILTERS)
        request = {"dataset": "d", "k": 2, "quasi_identifiers": attributes, "release": {"to": "never.csv"}}
        yield {**request, **({} if where is None else {"where": where})}


def engine_of(folder: Path, source: Made) -> Engine:
    """An engine with the people as its dataset `d`."""
    engine = new_engine(folder, use_cache=False, limits=Limits("256MB", 1))
    engine.sources.add("s", source.location)
    engine.datasets.add("d", "s", table="people", least_k=2)
    for column, paths in HIERARCHIES.items():
        name = column.replace("'", "")
        engine.hierarchies.add(name, write_hierarchy(folder / f"{name}.csv", ("value", "half", "top"), paths))
    return engine


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Counter[Row]]:
    """The answers to every statement that is sent to a source."""
    answers: list[Counter[Row]] = []

    def noting(read: Read) -> Read:
        def noted(*given: Any, **more: Any) -> pa.RecordBatchReader:
            answer = read(*given, **more).read_all()
            columns = [[_text(each) for each in column.to_pylist()] for column in answer.columns]
            answers.append(Counter(zip(*columns, strict=True)))
            return answer.to_reader()

        return noted

    for kind in (ServerExecutor, SQLiteExecutor):
        monkeypatch.setattr(kind, "read", noting(kind.read))
    return answers


def _text(value: object) -> str:
    return "NULL" if value is None else str(value)


def compared(engine: Engine, number: int, sent: list[Counter[Row]], pasted: Pasted) -> int:
    """The number of printed statements that answered, pasted, as one that was sent (None: lacks the hash)."""
    seen = 0
    for place, request in enumerate(requests(number)):
        shown = [each for each in engine.explain(request) if each.runs_in == "source"]
        assert not any(each.not_listed for each in shown), request
        sent.clear()
        to = engine.state.parent / f"{place}.csv"
        result = engine.run({**request, "release": {"to": str(to)}})
        assert result.released
        assert isinstance(result, GeneralizationResult)
        for step in shown:
            rows = pasted(step.sql)
            if step.title.startswith("release"):  # of the finest accepted node, and not of the one that was found
                assert rows, step.sql
            elif step.title == "frequency set" and not result.search.source_queries:
                assert rows, step.sql  # the counts of the columns alone were enough
            elif rows is not None:
                assert Counter(rows) in sent, (step.title, request, step.sql)
                seen += 1
    return seen


def in_sqlite(path: Path) -> Pasted:
    """Python's own module, with the database attached under the name that the engine gives it."""

    def pasted(statement: str) -> list[Row] | None:
        if HASHES in statement:
            return None
        with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
            connection.execute("ATTACH ? AS source", (str(path),))
            *before, last = statement.split(";\n")
            for each in before:
                connection.execute(each)
            return [tuple(map(_text, row)) for row in connection.execute(last).fetchall()]

    return pasted


def in_program(command: Sequence[str]) -> Pasted:
    """The rows that a program prints, as texts between tabs."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"there is no {command[0]}")

    def pasted(statement: str) -> list[Row] | None:
        done = subprocess.run(
            [*command], input=f"{statement};", capture_output=True, text=True, timeout=60, check=False
        )
        assert (done.returncode, done.stderr) == (0, ""), statement
        return [tuple(line.split("\t")) for line in done.stdout.splitlines()]

    return pasted


def in_psql(source: Made) -> Pasted:
    """The program psql."""
    return in_program(
        [
            "psql",
            "-XqAt",
            "-F",
            "\t",
            "-P",
            "null=NULL",
            "-v",
            "ON_ERROR_STOP=1",
            "-d",
            source.location.replace("+", "%20"),
        ]
    )


def in_mariadb_program(source: Made) -> Pasted:
    """The program mariadb."""
    at = urlsplit(source.location)
    user = [f"--user={at.username or 'root'}", *([f"--password={at.password}"] if at.password else [])]
    place = [f"--host={at.hostname}", f"--port={at.port or 3306}", f"--database={at.path[1:]}"]
    return in_program(["mariadb", *place, *user, "--default-character-set=utf8mb4", "-N", "--batch", "--raw"])


@pytest.mark.parametrize("number", [3, pytest.param(50, marks=pytest.mark.thorough)])
def test_statements_printed_for_sqlite_run_in_sqlite(tmp_path: Path, sent: list[Counter[Row]], number: int) -> None:
    source = BACKENDS["sqlite"](tmp_path, PEOPLE)
    assert compared(engine_of(tmp_path, source), number, sent, in_sqlite(source.files[0])) > number


@pytest.mark.parametrize("number", [3, pytest.param(50, marks=pytest.mark.thorough)])
def test_statements_printed_for_postgresql_run_in_psql(
    tmp_path: Path, sent: list[Counter[Row]], postgres_schema: Schema, number: int
) -> None:
    source = in_postgresql(postgres_schema, PEOPLE)
    assert compared(engine_of(tmp_path, source), number, sent, in_psql(source)) > number


@pytest.mark.parametrize("number", [3, pytest.param(50, marks=pytest.mark.thorough)])
def test_statements_printed_for_mariadb_run_in_mariadb(
    tmp_path: Path, sent: list[Counter[Row]], mariadb_schema: Schema, number: int
) -> None:
    source = in_mariadb(mariadb_schema, PEOPLE)
    assert compared(engine_of(tmp_path, source), number, sent, in_mariadb_program(source)) > number


@pytest.mark.parametrize("number", [3, pytest.param(50, marks=pytest.mark.thorough)])
def test_statements_printed_for_duckdb_run_in_duckdb(tmp_path: Path, number: int) -> None:
    source = BACKENDS["duckdb"](tmp_path, PEOPLE)
    engine = engine_of(tmp_path, source)
    for place, request in enumerate(requests(number)):
        shown = engine.explain(request)
        result = engine.run({**request, "release": {"to": str(tmp_path / f"{place}.csv")}})
        assert result.released
        with duckdb.connect(str(source.files[0])) as connection:
            for step in shown:
                if step.title.startswith("release"):
                    break
                answer = connection.execute(step.sql)
                if step.title == "dataset version":
                    assert answer.fetchall()[0][0] == getattr(result, "rows", None), request


RULES = {"age": "intervals:\n  origin: 0\n  levels: [{width: 2}, {width: 4}]\n", "plan": "prefix: {keep: [1]}\n"}


def by_rules(folder: Path, source: Made) -> Sequence[Step]:
    """The statements of a request whose hierarchies are rules: their keys are made of the values in the data."""
    engine = engine_of(folder, source)
    attributes: dict[str, Any] = {}
    for column, text in RULES.items():
        (folder / f"{column}.yaml").write_text(text)
        engine.hierarchies.add(f"rule {column}", folder / f"{column}.yaml")
        attributes[column] = {"hierarchy": f"rule {column}", "from": 1}
    release = {"to": str(folder / "never.csv")}
    return engine.explain({"dataset": "d", "k": 2, "quasi_identifiers": attributes, "release": release})


def honest(steps: Sequence[Step], pasted: Pasted) -> None:
    """Asserts that each statement runs as it is printed, or says what a run lists in it, and that no value is shown."""
    frequency_set = next(each for each in steps if each.title == "frequency set")
    assert frequency_set.not_listed == ("keys_1", "keys_2")
    for each in steps:
        assert all(name in each.sql for name in each.not_listed)
        assert not any(value in each.sql for value in ("basic", "plus%", "clock"))
        if each.runs_in == "source" and not each.not_listed:
            pasted(each.sql)
    shown = script(steps)
    lines = [line for line in shown.splitlines() if line.startswith("-- does not run as printed")]
    assert len(lines) == sum(bool(each.not_listed) for each in steps)
    assert any(line.endswith("as keys_1, keys_2") for line in lines)


def test_what_is_not_printed_of_rules_is_said_for_sqlite(tmp_path: Path) -> None:
    source = BACKENDS["sqlite"](tmp_path, PEOPLE)
    honest(by_rules(tmp_path, source), in_sqlite(source.files[0]))


def test_what_is_not_printed_of_rules_is_said_for_postgresql(tmp_path: Path, postgres_schema: Schema) -> None:
    source = in_postgresql(postgres_schema, PEOPLE)
    honest(by_rules(tmp_path, source), in_psql(source))


def test_what_is_not_printed_of_rules_is_said_for_mariadb(tmp_path: Path, mariadb_schema: Schema) -> None:
    source = in_mariadb(mariadb_schema, PEOPLE)
    honest(by_rules(tmp_path, source), in_mariadb_program(source))


def test_what_is_not_printed_of_rules_is_said_for_duckdb(tmp_path: Path) -> None:
    source = BACKENDS["duckdb"](tmp_path, PEOPLE)
    steps = by_rules(tmp_path, source)
    assert [each.title for each in steps if each.not_listed] == [
        "the hierarchy of age",
        "the hierarchy of plan",
        "what is released for age",
        "what is released for plan",
    ]
    with duckdb.connect(str(source.files[0])) as connection:
        for each in steps:
            if each.not_listed:
                with pytest.raises(duckdb.InvalidInputException, match=re.escape(each.not_listed[0][1:])):
                    connection.execute(each.sql)
                break
            connection.execute(each.sql)
