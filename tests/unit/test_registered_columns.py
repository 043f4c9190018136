"""What names a gone column, what users learn of one that is not registered, and datasets of earlier versions."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.anonymization.drafted_files import drafted_files
from ordermade.catalogue import changed_columns
from ordermade.counting.dataset import FINGERPRINT, Version, version
from ordermade.errors import InputError
from ordermade.service.lifecycle import STATES
from ordermade.state.authority import SHELL
from ordermade.state.database import StateFile
from tests.made import new_engine, write_hierarchy
from tests.unit.test_faults_by_token import by, outcome

pytestmark = pytest.mark.slow

REQUEST = "dataset: persons\nk: 2\nquasi_identifiers: {age: {hierarchy: age}}\nrelease: {to: a.csv}\n"


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """The dataset `persons` of a SQLite file, and a data user."""
    made = new_engine(tmp_path)
    with closing(sqlite3.connect(tmp_path / "persons.sqlite")) as connection, connection:
        connection.execute("CREATE TABLE persons (id INTEGER, age INTEGER, plan TEXT, n INTEGER)")
        rows = [(at, 30 + at % 2, "p", at % 3) for at in range(40)]
        connection.executemany("INSERT INTO persons VALUES (?, ?, ?, ?)", rows)
    made.sources.add("shop", str(tmp_path / "persons.sqlite"))
    made.hierarchies.add("age", write_hierarchy(tmp_path / "age.csv", ["age", "all"], [["30", "*"], ["31", "*"]]))
    made.users.add("ann", ["data-user"])
    return made


def add(engine: Engine, **more: Any) -> None:
    engine.datasets.add("persons", "shop", table="persons", least_k=2, **more)


def alter(folder: Path, *changes: str) -> None:
    with closing(sqlite3.connect(folder / "persons.sqlite")) as connection, connection:
        for each in changes:
            connection.execute(f"ALTER TABLE persons {each}")


def seen(engine: Engine) -> tuple[Version, str]:
    with engine.datasets.open("persons") as found:
        return version(found.filtered(None)), found.identity(None)


def test_a_user_learns_nothing_of_a_column_that_is_not_registered(engine: Engine, tmp_path: Path) -> None:
    add(engine)
    ann = by(engine, "ann")
    alter(tmp_path, "ADD COLUMN secretcol INTEGER DEFAULT 1")
    for asked in (
        "keep: [{}]",
        "where: {} = 1",
        "identifiers: [{}]",
        "sensitive: {{{}: [{{model: distinct_l, l: 2}}]}}",
    ):
        found = []
        for column in ("secretcol", "secretcos"):
            text = REQUEST + asked.format(column) + "\n"
            for call in (ann.check, ann.submissions.submit):
                words = outcome(lambda call=call, text=text: call(text))  # type: ignore[misc]
                found.append([each.replace(column, "…") for each in words])
        assert found[:2] == found[2:]
        assert {each[0] for each in found} == {"RequestError"}
    engine.datasets.refresh("persons")
    assert outcome(lambda: ann.check(f"{REQUEST}where: secretcol = 1\n"))[0] == "gave"


@pytest.mark.parametrize("opted_out", [False, True])
def test_the_version_and_identity_are_of_the_registered_columns(
    engine: Engine, tmp_path: Path, opted_out: bool
) -> None:
    add(engine, entity="id")
    if opted_out:
        engine.datasets.opt_outs.add("persons", ["3", "5"])
    before = seen(engine)
    assert before[0].rows == (38 if opted_out else 40)
    alter(tmp_path, "ADD COLUMN extra INTEGER DEFAULT 1")
    assert seen(engine) == before
    engine.datasets.refresh("persons")
    after = seen(engine)
    assert after[0].rows == before[0].rows
    assert after[0].columns_hash != before[0].columns_hash


def test_a_dataset_of_an_earlier_version_has_every_column(engine: Engine, tmp_path: Path) -> None:
    add(engine)
    with StateFile(engine.state_file.path, SHELL).writing() as connection:
        connection.execute("UPDATE datasets SET columns = NULL")
    before = seen(engine)[0]
    alter(tmp_path, "ADD COLUMN extra INTEGER DEFAULT 1")
    assert seen(engine)[0] != before
    shown = engine.datasets.show("persons")
    assert (shown.changes, [each.name for each in shown.columns][-1]) == (None, "extra")
    taken = engine.datasets.refresh("persons")
    assert [each.name for each in taken.changes.new] == ["id", "age", "plan", "n", "extra"]
    alter(tmp_path, "ADD COLUMN further INTEGER DEFAULT 1")
    changes = engine.datasets.show("persons").changes
    assert changes is not None
    assert [each.name for each in changes.new] == ["further"]


def test_what_names_a_gone_column_is_said_and_keeps_it(engine: Engine, tmp_path: Path) -> None:
    add(engine, entity="id", where_columns=["n", "plan"])
    rules: dict[str, Any] = {
        "never": {"filter": ["plan"]},
        "recipients": {"ann": {"columns": ["age", "N"]}},
        "filters": {"persons": 2},
    }
    engine.policies.set({"dataset": "persons", "k": 2, **rules})
    ann = by(engine, "ann")
    number = ann.submissions.submit(f"{REQUEST}where: n = 1\n").id
    ended = ann.submissions.submit(f"{REQUEST.replace('k: 2', 'k: 3')}where: n = 1\n").id
    ann.submissions.withdraw(ended)
    alter(tmp_path, "DROP COLUMN n", "DROP COLUMN plan", "DROP COLUMN id")

    taken = engine.datasets.refresh("persons")

    assert {each.name: each.named_by for each in taken.changes.gone} == {
        "id": ("--entity of the dataset",),
        "plan": ("--where-columns of the dataset", "policy: never.filter[0]"),
        "n": ("--where-columns of the dataset", "policy: recipients.ann.columns[1]", f"request {number}"),
    }
    assert [each.name for each in taken.columns] == ["age", "id", "plan", "n"]
    ann.submissions.withdraw(number)
    again = engine.datasets.refresh("persons").changes.gone
    assert next(each for each in again if each.name == "n").named_by[-1] == "policy: recipients.ann.columns[1]"


def test_the_states_that_end_are_states() -> None:
    assert STATES.keys() - changed_columns.ENDED == {
        "draft",
        "submitted",
        "predicted",
        "proposed",
        "revised",
        "in_review",
        "approved",
    }


def test_the_filter_of_a_release_that_others_are_compared_with_keeps_its_column(engine: Engine, tmp_path: Path) -> None:
    add(engine)
    engine.run(
        {
            "dataset": "persons",
            "k": 2,
            "quasi_identifiers": {"age": {"hierarchy": "age"}},
            "where": "n < 2",
            "release": {"to": str(tmp_path / "a.csv")},
        }
    )
    alter(tmp_path, "DROP COLUMN n")
    changes = engine.datasets.show("persons").changes
    assert changes is not None
    assert changes.gone[0].named_by == ()
    engine.policies.set({"dataset": "persons", "k": 2, "filters": {"apart": 2}})
    (gone,) = engine.datasets.refresh("persons").changes.gone
    assert gone.named_by == ("the row filter of an earlier release",)


def test_a_draft_goes_by_the_registered_columns(engine: Engine, tmp_path: Path) -> None:
    add(engine)
    alter(tmp_path, "ADD COLUMN extra INTEGER DEFAULT 1")
    assert "extra" not in drafted_files(engine, "persons").text
    engine.datasets.refresh("persons")
    assert "extra" in drafted_files(engine, "persons").text


@pytest.mark.parametrize("more", [{}, {"version": FINGERPRINT}])
def test_a_file_may_have_a_column_that_is_not_registered(tmp_path: Path, more: dict[str, Any]) -> None:
    engine, folder = new_engine(tmp_path), tmp_path / "months"
    folder.mkdir()

    def write(month: int, select: str) -> None:
        made = f"SELECT i % 8 AS age, i AS person, {month} AS month, 7 AS secretcol FROM RANGE(80) AS row(i)"
        duckdb.execute(f"COPY (SELECT {select} FROM ({made})) TO '{folder / f'{month}.parquet'}'")

    def run(**asked: Any) -> Any:
        to = {"to": str(tmp_path / "out.csv"), "replace": True}
        request = {"dataset": "d", "k": 5, "quasi_identifiers": {"age": {"hierarchy": "age"}}, "release": to}
        return engine.run({**request, **asked}, again=True)

    for month in (1, 2):
        write(month, "age, person, month")
    engine.sources.add("s", str(folder / "*.parquet"))
    engine.datasets.add("d", "s", table="data", least_k=2, file_parts=True, **more)
    paths = [(age, f"a{age // 4}") for age in range(8)]
    engine.hierarchies.add("age", write_hierarchy(tmp_path / "age.csv", ("age", "a"), paths), "header")
    assert run().search.source_queries == 2
    write(3, "age, secretcol, person, month")
    found = run(where="age < 7")
    assert (found.rows, found.search.source_queries) == (210, 3)
    found = run()
    assert (found.rows, found.search.source_queries) == (240, 1)
    changes = engine.datasets.show("d").changes
    assert changes is not None
    assert [each.name for each in changes.new] == ["secretcol"]
    engine.datasets.refresh("d")
    with pytest.raises(InputError, match="a part has no column 'secretcol'"):
        run()
    write(3, "age, person")
    write(2, "age, person")
    with pytest.raises(InputError, match="a part has no column 'month'"):
        run()
