"""Persons who opted out: whatever is asked, the answer is that of a table without their rows."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from ordermade import Engine
from ordermade.catalogue.audit import Audit
from ordermade.errors import InputError
from ordermade.methods.shared.result import Result
from ordermade.state.authority import SHELL
from ordermade.state.inspection import verify
from tests.made import new_state

pytestmark = pytest.mark.slow

Row = tuple[Any, str, int]
PERSONS = [*(f"Zqxname{i}" for i in range(20)), "zqxNAME1", " Zqxname2", "雪"]
KINDS = ("duckdb", "sqlite")
REQUESTS: dict[str, dict[str, Any]] = {
    "generalization": {
        "quasi_identifiers": {"age": {"hierarchy": "age"}, "place": {"hierarchy": "place"}},
        "identifiers": ["who"],
    },
    "mondrian": {"quasi_identifiers": {"age": {}, "place": {"hierarchy": "place"}}, "identifiers": ["who"]},
}


def write(path: Path, kind: str, rows: Sequence[Row], type_of_who: str) -> None:
    """A table `visits` of these rows."""
    table = f"CREATE TABLE visits (who {type_of_who}, place TEXT, age INTEGER)"
    if kind == "sqlite":
        with sqlite3.connect(path) as database:
            database.execute(table)
            database.executemany("INSERT INTO visits VALUES (?, ?, ?)", rows)
        database.close()
    else:
        with duckdb.connect(str(path)) as connection:
            connection.execute(table)
            columns = [list(each) for each in zip(*rows, strict=True)] or [[], [], []]
            connection.execute(
                "INSERT INTO visits SELECT unnest($1::TEXT[]), unnest($2::TEXT[]), unnest($3::INT[])", columns
            )


def office(folder: Path, name: str, kind: str, rows: Sequence[Row], type_of_who: str = "TEXT") -> Engine:
    """An engine with the dataset `visits` of a source of its own."""
    path = folder / f"{name}.{kind}"
    write(path, kind, rows, type_of_who)
    engine = Engine(new_state(folder / f"{name}.state.sqlite"))
    engine.sources.add("clinic", str(path))
    engine.datasets.add("visits", "clinic", table="visits", entity="who", least_k=2)
    (folder / "age.csv").write_text("".join(f"{i};{i // 5};*\n" for i in range(20)), encoding="utf-8")
    (folder / "place.csv").write_text("".join(f"p{i};{'ab'[i // 2]};*\n" for i in range(4)), encoding="utf-8")
    for each in ("age", "place"):
        engine.hierarchies.add(each, folder / f"{each}.csv")
    return engine


def asked(engine: Engine, method: str, to: Path) -> Result:
    release = {"to": str(to), "replace": True}
    return engine.run({"dataset": "visits", "method": method, "k": 2, "release": release, **REQUESTS[method]})


def answer(engine: Engine, method: str, to: Path) -> object:
    """What is told of the answer, or the error of a request that the data do not allow."""
    try:
        return told(asked(engine, method, to), to)
    except InputError as error:
        return error.what


def told(result: Result, to: Path) -> object:
    """The released rows in order, or why there are none."""
    return sorted(to.read_text(encoding="utf-8").splitlines()) if result.released else result.reason


rows_of_visits = st.lists(
    st.tuples(st.sampled_from(PERSONS), st.sampled_from(["p0", "p1", "p2", "p3"]), st.integers(0, 19)),
    min_size=12,
    max_size=40,
)


@pytest.mark.parametrize("kind", KINDS)
@given(rows=rows_of_visits, out=st.sets(st.sampled_from([*PERSONS, "nobody"]), min_size=1, max_size=8))
@settings(max_examples=2, deadline=None, phases=[Phase.explicit, Phase.generate])
def test_the_release_is_that_of_a_table_without_them(kind: str, rows: list[Row], out: set[str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        engine = office(folder, "all", kind, rows)
        left = [row for row in rows if row[0] not in out]
        oracle = office(folder, "left", kind, left)
        for method in REQUESTS:
            answer(engine, method, folder / "before.csv")  # fills the cache with counts of everybody
        engine.datasets.opt_outs.add("visits", sorted(out))
        for method in REQUESTS:
            found, wanted = folder / f"{method}.csv", folder / f"{method}.wanted.csv"
            assert answer(engine, method, found) == answer(oracle, method, wanted)
        assert engine.datasets.show("visits").rows == len(left)


@pytest.mark.parametrize("kind", KINDS)
def test_whole_numbers_are_persons_too(tmp_path: Path, kind: str) -> None:
    rows: list[Row] = [(i % 12, f"p{i % 4}", i % 20) for i in range(60)]
    engine = office(tmp_path, "all", kind, rows, "INTEGER")
    (tmp_path / "out.txt").write_text("7\r\n\n008\n99\n", encoding="utf-8")

    engine.datasets.opt_outs.add("visits", tmp_path / "out.txt")

    assert engine.datasets.show("visits").rows == 50
    for wrong in ("7.6", "seven", "7; 8", "nan"):
        with pytest.raises(InputError, match="no value of the entity column") as caught:
            engine.datasets.opt_outs.add("visits", [wrong])
        assert wrong not in str(caught.value)


def test_no_number_becomes_another_person(tmp_path: Path) -> None:
    rows: list[Row] = [(i % 12, f"p{i % 4}", i % 20) for i in range(60)]
    for kind in ("DECIMAL(9,0)", "DOUBLE", "BIGINT"):
        engine = office(tmp_path, kind, "duckdb", rows, kind)
        engine.datasets.opt_outs.add("visits", ["7", "8.0", "9e0"] if kind != "BIGINT" else ["7", "8", "9"])
        assert engine.datasets.show("visits").rows == 45
        for wrong in ("1.4", "0.6", "nan") if kind != "DOUBLE" else ("nan", "0x1"):
            with pytest.raises(InputError, match="no value of the entity column"):
                engine.datasets.opt_outs.add("visits", [wrong])


@pytest.mark.parametrize(("before", "after"), [("DECIMAL(9,0)", "DECIMAL(9,2)"), ("BIGINT", "DOUBLE")])
def test_a_person_stays_out_when_numbers_get_more_digits(tmp_path: Path, before: str, after: str) -> None:
    rows: list[Row] = [(i % 12, f"p{i % 4}", i % 20) for i in range(60)]
    engine = office(tmp_path, "all", "duckdb", rows, before)
    engine.datasets.opt_outs.add("visits", ["7", "10"])

    with duckdb.connect(str(tmp_path / "all.duckdb")) as connection:
        connection.execute(f"ALTER TABLE visits ALTER who TYPE {after}")

    assert engine.datasets.show("visits").rows == 50


def test_a_list_of_before_goes_on_leaving_persons_out(tmp_path: Path) -> None:
    """Its hashes are of texts with the zeros that end a number."""
    rows: list[Row] = [(i % 12, f"p{i % 4}", i % 20) for i in range(60)]
    for kind, written in (("DECIMAL(9,2)", "7.00"), ("DOUBLE", "7.0")):
        engine = office(tmp_path, kind, "duckdb", rows, kind)
        engine.datasets.opt_outs.add("visits", ["7"])
        with engine.state_file.writing() as connection:
            salt = "(SELECT salt FROM opt_out_salts)"
            connection.execute(f"UPDATE opt_outs SET person_hash = SHA256({salt} || ?)", [written])

        assert engine.datasets.show("visits").rows == 55

        engine.datasets.opt_outs.add("visits", ["7"])
        assert engine.datasets.show("visits").rows == 55
        with engine.state_file.reading() as connection:
            assert connection.execute("SELECT COUNT(*) FROM opt_outs").fetchall() == [(1,)]
        with engine.state_file.writing() as connection:
            connection.execute(f"UPDATE opt_outs SET person_hash = SHA256({salt} || ?)", [written])

        engine.datasets.opt_outs.remove("visits", ["7"])
        assert engine.datasets.show("visits").rows == 60


def test_a_space_at_an_end_of_a_line_is_refused_and_may_be_quoted(tmp_path: Path) -> None:
    rows: list[Row] = [(PERSONS[i % len(PERSONS)], f"p{i % 4}", i % 20) for i in range(69)]
    engine = office(tmp_path, "all", "duckdb", rows)
    path = tmp_path / "out.txt"
    for wrong in ("Zqxname1 \nZqxname2\n", " Zqxname2\n", "Zqxname1\t\n"):
        path.write_text(wrong, encoding="utf-8")
        with pytest.raises(InputError, match="a space at an end"):
            engine.datasets.opt_outs.add("visits", path)
    path.write_text('" Zqxname2"\n"Zqxname3"\n', encoding="utf-8")

    engine.datasets.opt_outs.add("visits", path)

    assert engine.datasets.show("visits").rows == 66


def test_those_who_are_nobody_in_the_data_are_counted(tmp_path: Path) -> None:
    rows: list[Row] = [(PERSONS[i % 20], f"p{i % 4}", i % 20) for i in range(60)]
    engine = office(tmp_path, "all", "sqlite", rows)
    add = engine.datasets.opt_outs.add

    assert add("visits", ["Zqxname1", "Zqxname2"]) is None
    assert add("visits", ["Zqxname1", "nobody"]) is None
    assert add("visits", ["Zqxname1", "nobody", "no one", "Zqxname1"]) == 2


def test_the_list_is_of_hashes_alone_and_undone(tmp_path: Path) -> None:
    rows: list[Row] = [(PERSONS[i % 20], f"p{i % 4}", i % 20) for i in range(60)]
    engine = office(tmp_path, "all", "duckdb", rows)
    before = told(asked(engine, "generalization", tmp_path / "a.csv"), tmp_path / "a.csv")

    engine.datasets.opt_outs.add("visits", ["Zqxname1"])
    engine.datasets.opt_outs.add("visits", ["Zqxname1"])
    (few,) = engine.datasets.opt_outs.list()
    engine.datasets.opt_outs.add("visits", ["Zqxname3", "Zqxname4"])
    (some,) = engine.datasets.opt_outs.list()
    fewer = told(asked(engine, "generalization", tmp_path / "b.csv"), tmp_path / "b.csv")

    assert (few.persons, some.persons) == (None, 3)
    assert before != fewer
    assert b"Zqxname" not in engine.state_file.path.read_bytes()
    engine.datasets.opt_outs.remove("visits", ["Zqxname1", "Zqxname3", "nobody"])
    assert engine.datasets.show("visits").rows == 57
    engine.datasets.opt_outs.remove("visits")
    assert engine.datasets.opt_outs.list() == ()
    assert told(asked(engine, "generalization", tmp_path / "c.csv"), tmp_path / "c.csv") == before
    assert verify(engine.state_file.path, SHELL) == ()
    assert Audit(engine.state_file).verify().intact


def test_a_list_outlives_the_registration_and_is_never_passed_over(tmp_path: Path) -> None:
    rows: list[Row] = [(PERSONS[i % 20], f"p{i % 4}", i % 20) for i in range(60)]
    engine = office(tmp_path, "all", "duckdb", rows)
    engine.datasets.opt_outs.add("visits", ["Zqxname1"])
    engine.datasets.remove("visits")
    engine.datasets.add("visits", "clinic", table="visits", least_k=2)

    with pytest.raises(InputError, match="no entity column"):
        engine.datasets.show("visits")
    with pytest.raises(InputError, match="no entity column"):
        asked(engine, "generalization", tmp_path / "a.csv")
    with pytest.raises(InputError, match="no entity column"):
        engine.datasets.opt_outs.add("visits", ["Zqxname2"])


def test_every_part_is_without_them(tmp_path: Path) -> None:
    rows: list[Row] = [(PERSONS[i % 20], f"p{i % 4}", i % 20) for i in range(60)]
    engine = office(tmp_path, "all", "duckdb", rows)
    oracle = office(tmp_path, "left", "duckdb", [each for each in rows if each[0] != "Zqxname5"])
    engine.datasets.remove("visits")
    engine.datasets.add("visits", "clinic", table="visits", entity="who", least_k=2, parts="place")
    asked(engine, "generalization", tmp_path / "before.csv")

    engine.datasets.opt_outs.add("visits", ["Zqxname5"])

    found, wanted = tmp_path / "found.csv", tmp_path / "wanted.csv"
    assert told(asked(engine, "generalization", found), found) == told(asked(oracle, "generalization", wanted), wanted)


def test_histories_are_without_them(tmp_path: Path) -> None:
    rows: list[Row] = [(PERSONS[i % 20], f"p{i % 4}", i % 20) for i in range(60)]
    engine = office(tmp_path, "all", "duckdb", rows)
    engine.datasets.opt_outs.add("visits", ["Zqxname5", "Zqxname6"])
    history = {"customer": "who", "when": "age", "item": "place"}
    with duckdb.connect(str(tmp_path / "all.duckdb")) as connection:
        connection.execute("ALTER TABLE visits ALTER age TYPE DATE USING DATE '2024-01-01' + age")
    release = {"to": str(tmp_path / "h.csv")}

    result = engine.run({"dataset": "visits", "method": "history", "k": 2, "history": history, "release": release})

    assert result.released
    assert len((tmp_path / "h.csv").read_text(encoding="utf-8").splitlines()) == 1 + 60 - 6
