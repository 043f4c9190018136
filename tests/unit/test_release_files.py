"""What a release file is: complete or not there, measured, the engine's own to replace, the texts as they were."""

from __future__ import annotations

import csv
import gzip
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine, Limits
from ordermade.errors import InputError, ReleaseFault, RequestError
from ordermade.files.private import sha256_of
from ordermade.lattice.observation import Observation
from ordermade.methods.shared import publishing
from ordermade.release.files import MANIFEST
from ordermade.release.measure import MeasuredRelease
from tests.conformance.prepared import copied, prepare
from tests.long import sampled
from tests.made import Row, new_engine, write_hierarchy, write_table

pytestmark = pytest.mark.slow

ENDINGS = (".csv", ".csv.gz", ".parquet")
AGES = ("value", "half"), [("1", "low"), ("2", "low"), ("3", "high"), ("4", "high")]
HOSTILE = [
    'a "quoted" b', '"', '""', "line\nend", "line\r\nend", "only\rreturn", "a,b", ",", " lead", "trail ", " ", "\t",
    "NULL", "null", "", None, "# comment", "--", "'", ";", "|", "\\", '\\"',
    "髙橋～", "e\u0301", "\u3000", "\ufeff", "*",
]  # fmt: skip


COLUMNS = {"age": "INTEGER", "plan": "VARCHAR", "id": "INTEGER"}
ROWS: list[Row] = [(i % 4 + 1, "basic" if i % 3 else None, i) for i in range(24)]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare(tmp_path_factory.mktemp("prepared"), COLUMNS, ROWS, {"age": AGES}, writable=False)


@pytest.fixture
def engine(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    return copied(prepared, tmp_path, monkeypatch)


def asked(to: Path | dict[str, str], column: str = "age", k: int = 2, **more: Any) -> dict[str, Any]:
    shape = more.pop("shape", "rows")
    release = {"to": str(to) if isinstance(to, Path) else to, "shape": shape, "replace": more.pop("replace", True)}
    return {"dataset": "d", "k": k, "quasi_identifiers": {column: {"hierarchy": "age"}}, "release": release, **more}


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("ending", ENDINGS)
def test_hostile_texts_come_out_as_they_went_in_and_sorted(engine: Engine, tmp_path: Path, ending: str) -> None:
    rows: list[Row] = [(age, text) for age in (2, 1) for text in HOSTILE]
    write_table(tmp_path / "s.duckdb", {"age": "INTEGER", "note": "VARCHAR"}, rows)
    engine.datasets.refresh("d")
    out = tmp_path / "out" / f"release{ending}"
    result = engine.run(asked(out, keep=["note"]))
    assert result.released
    in_order = sorted(rows, key=lambda row: (row[0], row[1] is not None, str(row[1]).encode()))
    if ending == ".parquet":
        assert duckdb.read_parquet(str(out)).fetchall() == in_order
    else:
        assert [
            tuple(row) for row in result.to_pandas().astype(object).where(lambda f: f.notna(), None).values.tolist()
        ] == [(str(age), text) for age, text in in_order]
        opener = gzip.open if ending == ".csv.gz" else open
        with opener(out, "rt", encoding="utf-8", newline="") as file:
            header, *read = csv.reader(file)
        assert header == ["age", "note"]
        assert read == [[str(age), text or ""] for age, text in in_order]
    assert names_in(out.parent) == {out.name, out.name + MANIFEST}


@pytest.mark.parametrize(
    "ending", [ENDINGS[0], *(pytest.param(each, marks=pytest.mark.thorough) for each in ENDINGS[1:])]
)
def test_a_class_of_more_rows_than_fit_the_memory_limit_is_written(tmp_path: Path, ending: str) -> None:
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT CASE WHEN i < 999990 THEN repeat('long ', 9) ELSE 'b' END AS v "
            "FROM range(1000000) AS r(i)"
        )
    write_hierarchy(tmp_path / "v.csv", ["value", "all"], [("long " * 9, "*"), ("b", "*")])
    engine = replace(new_engine(tmp_path), limits=Limits("100MB", 2))
    engine.sources.add("s", str(tmp_path / "s.duckdb"))
    engine.datasets.add("t", "s", table="t")
    engine.hierarchies.add("v", tmp_path / "v.csv", "header")
    to = {"to": str(tmp_path / f"out{ending}")}
    result = engine.run({"dataset": "t", "k": 5, "quasi_identifiers": {"v": {"hierarchy": "v"}}, "release": to})
    assert (result.k, result.release.rows) == (10, 1_000_000)


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_null_and_empty_text_are_two_classes(engine: Engine, tmp_path: Path, ending: str) -> None:
    write_table(tmp_path / "s.duckdb", {"x": "VARCHAR"}, [("",), ("",), (None,), (None,), (None,)])
    engine.datasets.refresh("d")
    (tmp_path / "x.yaml").write_text("prefix:\n  keep: [1]\n", encoding="utf-8")
    engine.hierarchies.add("age", tmp_path / "x.yaml")
    out = tmp_path / f"out{ending}"
    result = engine.run(asked(out, "x"))
    assert (result.levels, result.k, result.divisions) == ({"x": 0}, 2, 2)
    if ending == ".csv":
        assert out.read_bytes() == b'x\n\n\n\n""\n""\n'
    else:
        assert duckdb.read_parquet(str(out)).fetchall() == [(None,)] * 3 + [("",)] * 2


def test_columns_neither_generalised_nor_kept_are_not_released_and_level_0_keeps_its_type(
    engine: Engine, tmp_path: Path
) -> None:
    out = tmp_path / "out.parquet"
    result = engine.run(asked(out, keep=["plan"], identifiers=["id"]))
    relation = duckdb.read_parquet(str(out))
    assert result.levels == {"age": 0}
    assert dict(zip(relation.columns, map(str, relation.types), strict=True)) == {"age": "INTEGER", "plan": "VARCHAR"}
    assert relation.fetchall() == sorted(relation.fetchall(), key=lambda row: (row[0], row[1] or ""))
    coarser = engine.run(asked(out, k=7))
    assert coarser.levels == {"age": 1}
    assert Counter(duckdb.read_parquet(str(out)).fetchall()) == {("low",): 12, ("high",): 12}


def test_the_statistical_table_has_a_row_a_class_and_its_count(engine: Engine, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    result = engine.run(asked(out, k=7, shape="table"))
    assert out.read_text(encoding="utf-8") == "age,count\nhigh,12\nlow,12\n"
    assert (result.rows, result.release and result.release.rows) == (24, 2)


@pytest.mark.parametrize(
    ("column", "shape"), sampled([("count", "table"), ("n", "rows"), ("n", "table"), ("COUNT", "table")], 2)
)
def test_a_quasi_identifier_may_be_called_like_the_count(
    engine: Engine, tmp_path: Path, column: str, shape: str
) -> None:
    write_table(tmp_path / "s.duckdb", {column: "INTEGER"}, [(i % 2 + 1,) for i in range(8)])
    engine.datasets.refresh("d")
    try:
        result = engine.run(asked(tmp_path / "out.parquet", column, shape=shape))
    except InputError as error:
        assert column in error.message  # noqa: PT017 refused with the reason will do as well
        return
    assert (result.k, result.divisions) == (4, 2)


def test_the_manifest_says_what_was_asked_measured_and_run(engine: Engine, tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    result = engine.run(asked(out, keep=["plan"], title="Ages"))
    manifest = json.loads(Path(f"{out}{MANIFEST}").read_text(encoding="utf-8"))
    assert result.release is not None
    assert manifest["sha256"] == result.release.sha256 == sha256_of(out)
    assert (manifest["k"], manifest["rows"], manifest["classes"], manifest["suppressed_rows"]) == (6, 24, 4, 0)
    assert manifest["request"]["title"] == "Ages"
    assert manifest["dataset"] == "d"
    assert (manifest["dataset_version"]["rows"], manifest["kept"], manifest["shape"]) == (24, ["plan"], "rows")
    kept_back = {"dm_star", "entropy", "entropy_ignoring_suppression"}  # they give counts of the original's values
    assert manifest["loss"] == {name: value for name, value in result.loss.items() if name not in kept_back}
    assert kept_back <= set(result.loss)
    (level,) = manifest["quasi_identifiers"]
    assert (level["column"], level["hierarchy"], level["level"], level["level_name"]) == ("age", "age", 0, "value")
    assert any("GROUP BY" in text for text in manifest["sql"])
    assert manifest["engine_version"]


def test_a_foreign_file_is_refused_first_and_ours_is_replaced_where_that_is_asked_for(
    engine: Engine, tmp_path: Path
) -> None:
    out = tmp_path / "out.csv"
    out.write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="a file of this name already"):
        engine.run(asked(out, replace=False))
    assert (out.read_text(encoding="utf-8"), engine.requests.list()) == ("mine", ())
    out.unlink()
    engine.run(asked(out))
    first = out.read_bytes()
    with pytest.raises(InputError, match="a file of this name already"):
        engine.run(asked(out, k=7, replace=False))
    assert out.read_bytes() == first
    engine.run(asked(out, k=7))
    assert out.read_bytes() != first
    with pytest.raises(InputError, match="folder"):
        engine.run(asked(_folder(tmp_path / "folder.csv")))


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


def test_a_foreign_file_beside_an_old_manifest_is_refused(engine: Engine, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    engine.run(asked(out))
    out.write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="not what was released"):
        engine.run(asked(out, replace=False))
    assert out.read_text(encoding="utf-8") == "mine"


def other(*_: object, **__: object) -> MeasuredRelease:
    return MeasuredRelease(Observation.from_histogram([(1, 24)]), rows=24)


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_does_not_measure_as_it_must_leaves_nothing_behind(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    out = tmp_path / "out" / f"out{ending}"
    monkeypatch.setattr(publishing, "measure_file", other)
    with pytest.raises(ReleaseFault, match="does not measure as it must"):
        engine.run(asked(out))
    assert names_in(out.parent) == set()
    assert [each.status for each in engine.requests.list()] == ["failed"]
    assert engine.releases.list() == ()


def test_an_earlier_release_stays_whole_when_its_successor_fails(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out" / "out.csv"
    engine.run(asked(out))
    before = {path.name: path.read_bytes() for path in out.parent.iterdir()}
    monkeypatch.setattr(publishing, "measure_file", other)
    with pytest.raises(ReleaseFault):
        engine.run(asked(out, k=7))
    assert {path.name: path.read_bytes() for path in out.parent.iterdir()} == before
    assert engine.releases.verify(1).intact


def test_verify_finds_a_changed_file(engine: Engine, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    engine.run(asked(out))
    assert engine.releases.verify(1).intact
    out.write_text("age\n1\n" + "2\n" * 23, encoding="utf-8")
    findings = " ".join(engine.releases.verify(1).findings)
    assert "k is 1, the request has k = 2" in findings
    assert findings.count("SHA-256") == 2
    out.write_text("age\n" + "".join(f"{age}\n" for age in (1, 2, 3, 4) for _ in range(6)) + "\n", encoding="utf-8")
    assert not engine.releases.verify(1).intact
    out.unlink()
    with pytest.raises(ReleaseFault, match="no longer there"):
        engine.releases.verify(1)


def test_an_identifying_column_is_refused_unless_the_request_allows_it(engine: Engine, tmp_path: Path) -> None:
    assert engine.run(asked(tmp_path / "a.csv", keep=["plan"])).warnings == ()
    refused = engine.run(asked(tmp_path / "b.csv", keep=["plan", "id"]))
    assert (refused.status, refused.release) == ("refused", None)
    assert refused.reason is not None
    assert refused.reason.startswith("more than half as many values as rows are in 'id', ")
    assert refused.reason.endswith("allow_identifying: [id]")
    assert not (tmp_path / "b.csv").exists()
    (warning,) = engine.run(asked(tmp_path / "b.csv", keep=["plan", "id"], allow_identifying=["ID"])).warnings
    assert "'id' is released as it is, which allow_identifying allows" in warning


@pytest.mark.parametrize("name", sampled(["o [1].csv", "o?.parquet", "o'\"x;{y}.csv", "名 前.parquet"], 2))
def test_a_release_may_have_any_name(engine: Engine, tmp_path: Path, name: str) -> None:
    assert engine.run(asked(tmp_path / "out" / name)).released
    assert names_in(tmp_path / "out") == {name, name + MANIFEST}


def test_a_request_may_be_a_file_its_name_a_text_or_a_mapping(engine: Engine, tmp_path: Path) -> None:
    file = tmp_path / "request.yaml"
    file.write_text(json.dumps(asked(tmp_path / "out.csv")), encoding="utf-8")
    mapping = asked(tmp_path / "out.csv")
    with_path = {**mapping, "release": {"to": tmp_path / "out.csv"}}
    ways = (file, str(file), file.read_text(encoding="utf-8"), mapping, with_path)
    assert {engine.run(each).status for each in ways} == {"released"}


def test_a_mapping_is_taken_as_python_has_it(engine: Engine, tmp_path: Path) -> None:
    result = engine.run(asked(tmp_path / "out.csv", title="1e3"))
    assert engine.requests.get(result.request).title == "1e3"
    with pytest.raises(RequestError, match=r"k.*whole number"):
        engine.run(asked(tmp_path / "out.csv", k="2"))  # type: ignore[arg-type]
    with pytest.raises(RequestError, match="quasi_identifiers"):
        engine.run({1: 2})  # type: ignore[dict-item]
