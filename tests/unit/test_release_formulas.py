"""Texts that a spreadsheet runs as formulas: one warning a release, or an apostrophe before each; k is the same."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from ordermade import Engine, sql
from ordermade.errors import RequestError
from ordermade.release.files import manifest_of
from ordermade.release.rows import escaped, escaped_statement, unescaped, unescaped_statement
from ordermade.requests.read import read_mapping
from ordermade.requests.resolving import request_hash
from tests.made import new_engine, write_hierarchy, write_table

LABELS = {"1": "=2+2", "2": "'=2+2", "3": "+1", "4": "-5"}
KEPT = ["@SUM(A1)", "\tcell", "plain", "-12.5e3", "''-x", "\rcell"]


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    rows = [(i % 4 + 1, KEPT[i % 6], -i) for i in range(48)]
    write_table(tmp_path / "s.duckdb", {"=age": "INTEGER", "note": "VARCHAR", "debt": "INTEGER"}, rows)
    made = new_engine(tmp_path, use_cache=False)
    made.sources.add("s", str(tmp_path / "s.duckdb"), writable=True)
    made.datasets.add("d", "s", table="persons")
    paths = list(LABELS.items())
    made.hierarchies.add("age", write_hierarchy(tmp_path / "age.csv", ("value", "label"), paths))
    return made


def asked(to: Any, shape: str = "rows", k: int = 12, **release: Any) -> dict[str, Any]:
    chosen = {"=age": {"hierarchy": "age", "from": "label", "to": "label"}}
    keep = ["note", "debt"] if shape == "rows" else []
    to = str(to) if isinstance(to, Path) else to
    release = {"to": to, "shape": shape, **release}
    allowed = {"allow_identifying": ["debt"]} if keep else {}
    return {"dataset": "d", "k": k, "quasi_identifiers": chosen, "keep": keep, "release": release, **allowed}


def read(path: Path) -> list[list[str]]:
    with gzip.open(path, "rt", newline="") if path.suffix == ".gz" else path.open(newline="") as file:
        return list(csv.reader(file))


def about_formulas(warnings: tuple[str, ...]) -> list[str]:
    return [each for each in warnings if "spreadsheet" in each]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz"])
def test_formulas_are_warned_of_once_and_kept(engine: Engine, tmp_path: Path, name: str) -> None:
    result = engine.run(asked(tmp_path / name))
    (told,) = about_formulas(result.warnings)
    assert told.startswith("37 texts of the release begin with =")  # a name, 12 =2+2, 24 notes; +1 and -5 are numbers
    assert "SUM" not in told
    assert "=2+2" in {row[0] for row in read(tmp_path / name)}
    assert json.loads(manifest_of(tmp_path / name).read_text())["formulas"] == "keep"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz"])
@pytest.mark.parametrize("shape", ["rows", "table"])
def test_escaped_formulas_measure_and_verify_as_they_are(engine: Engine, tmp_path: Path, name: str, shape: str) -> None:
    result = engine.run(asked(tmp_path / name, shape, csv={"formulas": "escape"}))
    assert about_formulas(result.warnings) == []
    header, *rows = read(tmp_path / name)
    assert header[0] == "'=age"
    assert {row[0] for row in rows} == {"'=2+2", "''=2+2", "+1", "-5"}
    if shape == "rows":
        assert {row[1] for row in rows} == {"'@SUM(A1)", "'\tcell", "plain", "-12.5e3", "'''-x", "'\rcell"}
        assert {row[2] for row in rows} == {str(-i) for i in range(48)}
    assert json.loads(manifest_of(tmp_path / name).read_text())["formulas"] == "escape"
    verified = engine.releases.verify(1)
    assert (verified.findings, verified.measured.k, verified.measured.divisions) == ((), 12, 4)


@pytest.mark.slow
def test_few_formulas_are_not_counted(engine: Engine, tmp_path: Path) -> None:
    told = about_formulas(engine.run(asked(tmp_path / "out.csv", "table")).warnings)
    assert [each.split(" texts", 1)[0] for each in told] == ["some"]


@pytest.mark.slow
@pytest.mark.parametrize("to", ["out.parquet", {"table": "out"}])
def test_what_is_no_csv_is_neither_warned_of_nor_escaped(engine: Engine, tmp_path: Path, to: Any) -> None:
    to = tmp_path / to if isinstance(to, str) else to
    assert about_formulas(engine.run(asked(to)).warnings) == []
    with pytest.raises(RequestError, match="csv options are of a CSV file"):
        engine.run(asked(to, csv={"formulas": "escape"}))


@pytest.mark.slow
def test_the_statements_of_an_escaped_release_are_explained(engine: Engine, tmp_path: Path) -> None:
    steps = engine.explain(asked(tmp_path / "out.csv", csv={"formulas": "escape"}))
    (written,) = [each.sql for each in steps if each.title == "release, written"]
    assert '"\'=age"' in written


def test_escaping_is_part_of_the_request_and_its_default_is_not() -> None:
    def hashed(**release: Any) -> str:
        return request_hash(read_mapping(asked("out.csv", **release)).request)

    assert hashed() == hashed(csv={"formulas": "keep"}) == hashed(csv={})
    assert hashed(csv={"formulas": "escape"}) != hashed()


@pytest.mark.slow
@given(st.lists(st.text(st.sampled_from("'=+-@\t\r1.e a"), max_size=6), min_size=1, max_size=30, unique=True))
def test_no_two_texts_are_escaped_to_one(texts: list[str]) -> None:
    columns = ["a"]
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (a VARCHAR)")
        connection.executemany("INSERT INTO t VALUES (?)", [[text] for text in texts])
        once = escaped_statement(exp.select("a").from_("t"), columns)
        back = unescaped_statement(once, columns)
        written = [row[0] for row in connection.execute(sql.text(once)).fetchall()]
        assert [row[0] for row in connection.execute(sql.text(back)).fetchall()] == texts
    assert written == [escaped(text) for text in texts]
    assert [unescaped(each) for each in written] == texts
    assert len(set(written)) == len(texts)
