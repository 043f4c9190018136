"""Releases that suppress, check models or count persons, from the request to `release verify`."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.errors import InputError, Refused, ReleaseFault
from ordermade.methods.generalization import publish
from ordermade.methods.shared import publishing
from ordermade.release.files import MANIFEST
from ordermade.release.measure import MeasuredRelease
from tests.conformance.prepared import copied, prepare
from tests.made import Row

pytestmark = pytest.mark.slow

COLUMNS = {"age": "INTEGER", "ill": "VARCHAR", "plan": "VARCHAR", "id": "INTEGER"}
AGES = ("value", "half"), [("1", "low"), ("2", "low"), ("3", "high"), ("4", "high")]
# Ages 1, 2 and 3 with 8 rows of 4 persons each; 4 with 3 rows of 2 persons. At 3 everybody has the flu.
ILL = ["flu", "ache", None, "flu"]
ROWS: list[Row] = [
    *((age, "flu" if age == 3 else ILL[i % 4], "basic", 10 * age + i % 4) for age in (1, 2, 3) for i in range(8)),
    *((4, "ache", "plus", 40 + i % 2) for i in range(3)),
]
STARS = {"suppression_limit": 0.2, "suppressed": "star"}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = prepare(tmp_path_factory.mktemp("prepared"), COLUMNS, ROWS, {"age": AGES}, writable=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ORDERMADE_TEST_PERSONS", str(folder))
        Engine(folder / "state" / "state.sqlite").datasets.add("p", "s", table="persons", entity="id", least_k=2)
    return folder


@pytest.fixture
def engine(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    return copied(prepared, tmp_path, monkeypatch)


def asked(to: Path | str, k: int = 3, **more: Any) -> dict[str, Any]:
    release = {"replace": True, "to": str(to) if isinstance(to, Path) else {"table": to}, **more.pop("release", {})}
    quasi = {"age": {"hierarchy": "age", "to": 0}}
    return {"dataset": "d", "k": k, "quasi_identifiers": quasi, "release": release, **more}


def rows_of(path: Path) -> Counter[tuple[Any, ...]]:
    return Counter(duckdb.read_parquet(str(path)).fetchall())


def note_of(path: Path) -> dict[str, Any]:
    note: dict[str, Any] = json.loads(Path(f"{path}{MANIFEST}").read_text(encoding="utf-8"))
    return note


def test_rows_of_classes_below_k_are_dropped_or_stay_as_stars(engine: Engine, tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    dropped = engine.run(asked(out, k=4, suppression_limit=0.2, keep=["plan"]))
    assert rows_of(out) == {(1, "basic"): 8, (2, "basic"): 8, (3, "basic"): 8}
    assert (dropped.k, dropped.divisions, dropped.suppressed_rows) == (8, 3, 3)
    note = note_of(out)
    assert (note["rows"], note["suppressed_rows"], note["star_rows"], note["suppressed"]) == (24, 3, 0, "drop")
    assert engine.releases.verify(1).intact
    starred = engine.run(asked(out, **STARS, k=4, keep=["plan"]))
    # Three rows are fewer than k = 4: they may not stay.
    assert rows_of(out) == {("1", "basic"): 8, ("2", "basic"): 8, ("3", "basic"): 8}
    assert any("dropped" in each for each in starred.warnings)
    assert engine.releases.verify(2).intact


def test_star_rows_are_counted_and_verified(engine: Engine, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    models = {"ill": [{"model": "distinct_l", "l": 2}]}
    result = engine.run(asked(out, k=3, suppression_limit=0.5, suppressed="star", sensitive=models))
    # Age 3 has one value, age 4 too: 8 + 3 rows stay as stars.
    lines = out.read_text(encoding="utf-8").splitlines()
    assert Counter(lines)["*,*"] == 11
    assert lines[-11:] == ["*,*"] * 11
    assert (result.k, result.divisions, result.suppressed_rows) == (8, 2, 11)
    assert result.release is not None
    assert (result.release.rows, result.release.star_rows) == (27, 11)
    verified = engine.releases.verify(1)
    assert verified.intact
    assert (verified.rows, verified.star_rows, verified.untold) == (16, 11, ())
    assert verified.models == ("distinct_l {l: 2} of column 'ill'",)
    out.write_text("\n".join([*lines[:-1], "*,flu"]) + "\n", encoding="utf-8")
    findings = " ".join(engine.releases.verify(1).findings)
    assert "suppressed rows as * are 10, noted were 11" in findings
    assert "equivalence classes are 3" in findings
    (figure,) = [each for each in engine.releases.get(1).privacy if each.column == "ill"]
    assert (figure.figure, figure.value) == ("distinct_l {l: 2}", 3.0)


def test_closeness_is_measured_but_cannot_be_verified_from_the_file_alone(engine: Engine, tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    models = {"ill": [{"model": "t_closeness", "t": 0.3, "distance": "equal"}, {"model": "alpha_k", "alpha": 0.5}]}
    engine.run(asked(out, suppression_limit=0.5, sensitive=models))
    # Flu 16, ache 7, NULL 4 of 27; at 1 and 2 they are 4, 2, 2 of 8: (|16 - 13.5| + |7 - 6.75| + |4 - 6.75|) / 54.
    (column,) = note_of(out)["sensitive"]
    assert column["models"][0]["worst"] == pytest.approx(5.5 / 54, abs=1e-12)
    assert rows_of(out) == {(age, ill): n for age in (1, 2) for ill, n in (("flu", 4), ("ache", 2), (None, 2))}
    verified = engine.releases.verify(1)
    assert verified.intact
    (untold,) = verified.untold
    assert untold.startswith("t_closeness {t: 0.3, distance: equal}")
    text = Path(f"{out}{MANIFEST}").read_text(encoding="utf-8")
    assert "ache" not in text
    assert "flu" not in text


def test_the_statistical_table_has_a_row_of_stars_with_its_count(engine: Engine, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    engine.run(asked(out, k=3, suppression_limit=0.5, suppressed="star", release={"shape": "table"}))
    assert out.read_text(encoding="utf-8") == "age,count\n1,8\n2,8\n3,8\n4,3\n"
    engine.run(
        {**asked(out, k=3, suppression_limit=0.5, suppressed="star", release={"shape": "table"}), "dataset": "p"}
    )
    # Persons: 4, 4, 4, and 2 at age 4, fewer than k: they may not stay.
    assert out.read_text(encoding="utf-8") == "age,count\n1,4\n2,4\n3,4\n"
    with pytest.raises(Refused, match="superseded by release 2"):
        engine.releases.verify(1)
    assert engine.releases.verify(2).intact


def test_persons_are_released_under_random_numbers(engine: Engine, tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    request = {**asked(out, k=3, suppression_limit=0.2, keep=["plan"], release={"pseudonym": "who"}), "dataset": "p"}
    result = engine.run(request)
    found = rows_of(out)
    assert sorted(found.values()) == [2] * 12
    assert len({row[-1] for row in found}) == 12
    assert Counter(row[:-1] for row in found) == {(1, "basic"): 4, (2, "basic"): 4, (3, "basic"): 4}
    assert (result.k, result.divisions, result.suppressed_rows) == (4, 3, 3)
    assert result.release is not None
    assert (result.release.persons, result.release.suppressed_persons) == (12, 2)
    verified = engine.releases.verify(1)
    assert verified.intact
    assert (verified.persons, verified.rows, verified.measured.k) == (12, 24, 4)
    assert not any("links" in each for each in result.warnings)


def test_two_releases_share_no_pseudonym_and_their_rows_stand_in_the_order_of_what_is_released(
    engine: Engine, tmp_path: Path
) -> None:
    found = []
    for name in ("one.parquet", "other.parquet"):
        engine.run({**asked(tmp_path / name, 2, release={"pseudonym": "who"}), "dataset": "p"}, again=True)
        rows = duckdb.read_parquet(str(tmp_path / name)).fetchall()
        assert rows == sorted(rows)
        found.append({row[-1] for row in rows})
    assert [len(each) for each in found] == [14, 14]
    assert not found[0] & found[1]


def test_letters_are_released_where_they_are_requested_and_in_a_workbook(engine: Engine, tmp_path: Path) -> None:
    def of_persons(file: str, **release: Any) -> dict[str, Any]:
        return {**asked(tmp_path / file, 2, release={"pseudonym": "who", **release}), "dataset": "p"}

    engine.run(of_persons("out.parquet", pseudonyms="letters"))
    assert {len(row[-1]) for row in rows_of(tmp_path / "out.parquet")} == {26}
    assert engine.run(of_persons("out.xlsx")).released
    with pytest.raises(InputError, match="a workbook holds numbers of 15 digits"):
        engine.run(of_persons("out.xlsx", pseudonyms="numbers"))
    with pytest.raises(InputError, match="no column of the release has pseudonyms"):
        engine.run({**asked(tmp_path / "o.csv", release={"pseudonyms": "letters"}), "dataset": "p"})


def test_a_pseudonym_that_links_classes_is_warned_of_and_rows_without_one_cannot_be_verified_in_persons(
    engine: Engine, tmp_path: Path
) -> None:
    out = tmp_path / "out.parquet"
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute("UPDATE persons SET age = 2 WHERE id = 10 AND rowid % 8 < 4")
    request = {**asked(out, k=3, suppression_limit=0.2, release={"pseudonym": "who"}), "dataset": "p"}
    (warning,) = engine.run(request).warnings
    assert "fewer than 2 of 12 persons are in several classes" in warning
    del request["release"]["pseudonym"]
    assert engine.run(request).warnings == ()
    verified = engine.releases.verify(2)
    assert verified.intact
    assert verified.untold == ("k and persons: the release has no column that identifies persons",)


def test_a_table_of_the_source_is_released_with_stars_and_verified(engine: Engine, tmp_path: Path) -> None:
    models = {"ill": [{"model": "distinct_l", "l": 2}]}
    engine.run(asked("out", suppression_limit=0.5, suppressed="star", sensitive=models))
    with duckdb.connect(str(tmp_path / "s.duckdb"), read_only=True) as connection:
        rows = connection.execute("SELECT * FROM out").fetchall()
    assert Counter(rows)["*", "*"] == 11
    assert engine.releases.verify(1).intact
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute("UPDATE out SET ill = 'flu' WHERE age = '1'")
    assert "distinct_l {l: 2} of column 'ill' fails in 1 class(es)" in engine.releases.verify(1).findings


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("changed", ["stars", "rows", "classes"])
def test_what_does_not_measure_as_decided_leaves_nothing_behind(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, changed: str
) -> None:
    measure = publishing.measure_file

    def otherwise(*given: Any, **named: Any) -> MeasuredRelease:
        found = measure(*given, **named)
        other = {"stars": {"stars": found.stars + 1}, "rows": {"rows": found.rows - 1}, "classes": {}}[changed]
        if changed == "classes":
            other = {"classes": type(found.classes).from_histogram([(3, 1)])}
        return replace(found, **other)

    monkeypatch.setattr(publishing, "measure_file", otherwise)
    out = tmp_path / "out" / f"out{ending}"
    with pytest.raises(ReleaseFault, match="does not measure as it must"):
        engine.run(
            asked(
                out, k=3, suppression_limit=0.5, suppressed="star", sensitive={"ill": [{"model": "distinct_l", "l": 2}]}
            )
        )
    assert list(out.parent.iterdir()) == []
    assert engine.releases.list() == ()


def test_a_decision_that_is_not_the_searchs_is_refused_before_anything_is_written(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide = publish.decide

    def more(plan: Any) -> None:
        decide(plan)
        plan.dataset.backend.connection.execute("UPDATE released_decided SET suppressed = TRUE WHERE v1 = 1")

    monkeypatch.setattr(publish, "decide", more)
    out = tmp_path / "out" / "out.csv"
    with pytest.raises(ReleaseFault, match="differs from the search"):
        engine.run(asked(out, k=4, suppression_limit=0.5))
    assert not out.parent.exists()


def test_star_rows_that_a_class_could_be_mixed_up_with_are_refused(engine: Engine, tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute("UPDATE persons SET plan = '*' WHERE age = 1")
        connection.execute("UPDATE persons SET plan = 'odd' WHERE age = 4")
    (tmp_path / "plan.csv").write_text("value\n*\nbasic\nodd\neven\n", encoding="utf-8")
    engine.hierarchies.add("plan", tmp_path / "plan.csv", "header")
    request = asked(tmp_path / "out.csv", k=4, suppression_limit=0.3, suppressed="star")
    request["quasi_identifiers"] = {"plan": {"hierarchy": "plan", "to": 0}}
    assert engine.run(request).released  # three rows are too few to stay, so there is nothing to mix up
    assert engine.releases.verify(1).intact
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute("UPDATE persons SET plan = 'even' WHERE age = 2 AND id = 20")
    with pytest.raises(InputError, match="suppressed: drop"):
        engine.run(request)
    result = engine.run({**request, "suppressed": "drop"})
    assert (result.suppressed_rows, result.released_rows) == (5, (result.rows or 0) - 5)
    assert result.as_dict()["released_rows"] == result.released_rows
