"""What users by a token read of a column: its kind, which the value of one person does not decide."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from ordermade import Engine
from ordermade.errors import OrdermadeError
from ordermade.views.checks import checked
from tests.made import new_engine, write_hierarchy
from tests.unit.test_faults_by_token import by, outcome

ASKED = {
    "a filter": "k: 2\nquasi_identifiers: {age: {hierarchy: age}}\nwhere: n = 'x'\n",
    "a fraction": "k: 2\nquasi_identifiers: {age: {hierarchy: age}}\nwhere: n = 1.5\n",
    "a large number": "k: 2\nquasi_identifiers: {age: {hierarchy: age}}\nwhere: n = 1e30\n",
    "kept": "k: 2\nquasi_identifiers: {age: {hierarchy: age}}\nkeep: [n]\nallow_identifying: [n]\n",
    "dates": "k: 2\nquasi_identifiers: {n: {hierarchy: dates}}\n",
    "levels": "k: 2\nquasi_identifiers: {n: {hierarchy: age}}\n",
    "microaggregation": "k: 2\nmethod: microaggregation\nattributes: {n: }\n",
    "mondrian": "k: 2\nmethod: mondrian\nquasi_identifiers: {n: }\n",
    "history": "k: 2\nmethod: history\nhistory: {customer: age, when: n, item: n}\n",
    "rounded": "k: 2\nmethod: history\nhistory: {customer: age, when: age, item: plan, numbers: [n]}\n",
}
"""Requests by what they do with the column `n`."""

ORDINARY = "6"


def _csv(folder: Path, value: str) -> Callable[[str], None]:
    def write(value: str) -> None:
        rows = [f"{30 + at % 2},p,{value if at == 6 else at % 3 + 5}" for at in range(40)]
        (folder / "persons.csv").write_text("\n".join(["age,plan,n", *rows]) + "\n", encoding="utf-8")

    write(value)
    return write


def _sqlite(folder: Path, value: str) -> Callable[[str], None]:
    with closing(sqlite3.connect(folder / "persons.sqlite")) as connection, connection:
        connection.execute("CREATE TABLE persons (age INTEGER, plan TEXT, n NUMERIC)")
        rows = [(30 + at % 2, "p", str(at % 3 + 5)) for at in range(40)]
        connection.executemany("INSERT INTO persons VALUES (?, ?, ?)", rows)

    def write(value: str) -> None:
        with closing(sqlite3.connect(folder / "persons.sqlite")) as connection, connection:
            connection.execute("UPDATE persons SET n = ? WHERE rowid = 7", [value])

    write(value)
    return write


SOURCES = {"persons.csv": _csv, "persons.sqlite": _sqlite}
ODD = ("6.5", "0.12345678901", "99999999999999999999", "1e36", "NaN", "Zqx", "06", "")


def office(folder: Path, location: str, table: str = "persons") -> Engine:
    """A state with the dataset `persons`, and a data user."""
    engine = new_engine(folder)
    engine.sources.add("shop", location)
    engine.datasets.add("persons", "shop", table=table, least_k=2)
    engine.policies.set({"dataset": "persons", "k": 2, "refusals": {"most": 500}})
    levels = [["30", "*"], ["31", "*"]]
    engine.hierarchies.add("age", write_hierarchy(folder / "age.csv", ["age", "all"], levels))
    dates = folder / "dates.yaml"
    dates.write_text("kind: dates\nlevels: [day, month, year, '*']\n", encoding="utf-8")
    engine.users.add("ann", ["data-user"])
    return engine


def read(engine: Engine) -> list[tuple[str, ...]]:
    """All that a user reads of every request: of its check on the screen and in JSON, and of its submission."""
    ann, found = by(engine, "ann"), []
    for asked in ASKED.values():
        request = f"dataset: persons\n{asked}release: {{to: a.csv}}\n"
        found.append(outcome(lambda text=request: ann.check(text)))  # type: ignore[misc]
        found.append(outcome(lambda text=request: checked("-", ann.check(text), None)))  # type: ignore[misc]
        found.append(outcome(lambda text=request: ann.submissions.submit(text)))  # type: ignore[misc]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("file", SOURCES)
def test_no_value_of_a_person_changes_what_a_check_says(tmp_path: Path, file: str) -> None:
    write = SOURCES[file](tmp_path, ORDINARY)
    engine = office(tmp_path, str(tmp_path / file))
    ann = by(engine, "ann")
    requests = [f"dataset: persons\n{asked}release: {{to: a.csv}}\n" for asked in ASKED.values()]

    def checks() -> list[tuple[str, ...]]:
        return [outcome(lambda text=each: ann.check(text)) for each in requests]  # type: ignore[misc]

    as_registered = checks()
    for value in ODD:
        write(value)
        assert checks() == as_registered


@pytest.mark.slow
@pytest.mark.parametrize(("one", "other"), [("6", "6.5"), ("6.5", "6.25")])
@pytest.mark.parametrize("file", SOURCES)
def test_words_of_a_type_are_of_its_kind(tmp_path: Path, file: str, one: str, other: str) -> None:
    found = []
    for value in (one, other):
        folder = tmp_path / value
        folder.mkdir()
        SOURCES[file](folder, value)
        found.append(read(office(folder, str(folder / file))))
    words = [[each for each in part if each[0] != "gave" and "number" in each[1]] for part in found]
    assert all(words)
    advice = re.compile(r"to BIGINT, DECIMAL\(18, 2\) or DOUBLE")
    said = [advice.sub("", " ".join(each)) for part in found for each in part]
    assert not [each for each in said for kind in ("BIGINT", "DOUBLE", "DECIMAL(", "VARCHAR") if kind in each]


def test_a_check_by_the_provider_reads_the_source(tmp_path: Path) -> None:
    write = _csv(tmp_path, ORDINARY)
    engine = office(tmp_path, str(tmp_path / "persons.csv"))
    write("6,one too many")
    with pytest.raises(OrdermadeError, match="Line 8"):
        engine.check(f"dataset: persons\n{ASKED['kept']}release: {{to: a.csv}}\n")
    with pytest.raises(OrdermadeError, match="Line 8"):
        engine.datasets.show("persons")


def test_what_the_provider_registers_is_what_users_are_checked_by(tmp_path: Path) -> None:
    write = _csv(tmp_path, ORDINARY)
    engine = office(tmp_path, str(tmp_path / "persons.csv"))
    ann, asked = by(engine, "ann"), f"dataset: persons\n{ASKED['a filter']}release: {{to: a.csv}}\n"
    write("Zqx")
    changes = engine.datasets.show("persons").changes
    assert changes is not None
    assert [(each.name, each.type) for each in changes.retyped] == [("n", "VARCHAR")]
    assert outcome(lambda: ann.check(asked))[0] == "RequestError"
    engine.datasets.refresh("persons")
    assert outcome(lambda: ann.check(asked))[0] == "gave"
