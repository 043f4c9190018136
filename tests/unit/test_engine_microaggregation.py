"""Requests for microaggregation through the whole engine: released, measured again and noted, or refused."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from ordermade import Engine
from ordermade.errors import InputError, Refused, ReleaseMismatch, RequestError, SourceChanged
from ordermade.lattice.observation import Observation
from ordermade.methods.microaggregation import answer
from ordermade.methods.shared import publishing
from ordermade.microaggregation import information_loss, standardised
from ordermade.release.measure import MeasuredRelease
from tests.made import new_engine, write_hierarchy

pytestmark = pytest.mark.slow

PEOPLE = (
    "CREATE TABLE t AS SELECT i AS id, (i * 7919) % 101 + i % 3 / 4.0 AS income, "
    "CAST(i * 31 % 60 + 20 AS TINYINT) AS age, ['clerk', 'cook', 'nurse'][i % 3 + 1] AS job, "
    "'p' || i % 4 AS place, i % 5 AS kept FROM RANGE(60) AS r(i)"
)
JOBS = (("clerk", "office", "*"), ("cook", "service", "*"), ("nurse", "service", "*"))


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """An engine on sixty people, their jobs in a hierarchy."""
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute(PEOPLE)
    engine = new_engine(tmp_path)
    engine.sources.add("s", str(tmp_path / "s.duckdb"), writable=True)
    engine.datasets.add("d", "s", table="t", least_k=2)
    engine.hierarchies.add("job", write_hierarchy(tmp_path / "job.csv", ("value", "kind", "all"), JOBS), "header")
    places = [(f"p{number}", "near" if number < 2 else "far") for number in range(4)]
    engine.hierarchies.add("place", write_hierarchy(tmp_path / "place.csv", ("value", "region"), places), "header")
    return engine


def asked(folder: Path, to: Any = "out.parquet", **more: Any) -> dict[str, Any]:
    """A request of which the same groups come everywhere."""
    target = str(folder / to) if isinstance(to, str) else to
    request = {
        "dataset": "d",
        "method": "microaggregation",
        "k": 3,
        "attributes": {"income": {}, "age": {}},
        "microaggregation": {"algorithm": "mdav", "improve": False},
        "release": {"replace": True, "to": target},
    }
    return request | more


def rows(path: Path, columns: str) -> list[tuple[Any, ...]]:
    return duckdb.sql(f"SELECT {columns} FROM '{path}'").fetchall()


def test_every_row_is_released_with_what_its_group_has_in_common(engine: Engine, tmp_path: Path) -> None:
    result = engine.run(asked(tmp_path, keep=["kept"], identifiers=["id"]))
    told = result.microaggregation
    released = rows(tmp_path / "out.parquet", "income, age")
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        original = connection.execute("SELECT income, age FROM t").fetchall()

    assert result.released
    assert min(Counter(released).values()) == result.k >= 3
    assert len(set(released)) == result.divisions == told.groups
    assert np.allclose(np.mean(released, axis=0), np.mean(np.array(original, dtype=float), axis=0))
    assert sorted(rows(tmp_path / "out.parquet", "kept")) == [(each,) for each in range(5) for _ in range(12)]
    assert (told.algorithm, told.rounds, told.blocks, told.classes) == ("mdav", 0, 1, 1)
    assert [each.column for each in told.attributes] == ["income", "age"]
    assert result.loss["sse_over_sst"] == pytest.approx(np.mean(list(result.loss["by_attribute"].values())), rel=1e-5)
    for change in told.attributes:
        assert change.variance_ratio == pytest.approx(1 - change.loss, rel=1e-5)
        assert change.mean_after == pytest.approx(change.mean_before, rel=1e-5)


def test_the_loss_is_that_of_the_groups_of_the_pure_function(engine: Engine, tmp_path: Path) -> None:
    from ordermade.microaggregation import mdav

    result = engine.run(asked(tmp_path))
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        X = standardised(connection.execute("SELECT income, age FROM t ORDER BY income, age").fetchall())

    assert result.loss["sse_over_sst"] == pytest.approx(information_loss(X, mdav(X, 3)[0]).loss, rel=1e-5)


def test_groups_lie_inside_the_classes_of_a_generalised_node(engine: Engine, tmp_path: Path) -> None:
    within = {"place": {"hierarchy": "place", "level": 1}}

    result = engine.run(asked(tmp_path, within=within))

    assert result.microaggregation.classes == 2
    assert Counter(rows(tmp_path / "out.parquet", "place")) == {("near",): 30, ("far",): 30}
    assert min(Counter(rows(tmp_path / "out.parquet", "place, income, age")).values()) >= 3


@pytest.mark.parametrize("aggregate", ["mode", "ancestor"])
def test_jobs_are_grouped_by_their_hierarchy(engine: Engine, tmp_path: Path, aggregate: str) -> None:
    attributes = {"age": {}, "job": {"hierarchy": "job", "aggregate": aggregate}}

    result = engine.run(asked(tmp_path, attributes=attributes))
    shown = {job for (job,) in rows(tmp_path / "out.parquet", "job")}

    assert min(Counter(rows(tmp_path / "out.parquet", "age, job")).values()) >= 3
    assert shown <= {"clerk", "cook", "nurse"} | ({"office", "service", "*"} if aggregate == "ancestor" else set())
    assert result.loss["by_attribute"]["job"] <= 1


def test_whole_numbers_stay_whole_where_that_is_asked(engine: Engine, tmp_path: Path) -> None:
    result = engine.run(
        asked(tmp_path, microaggregation={"algorithm": "mdav", "round": "integer", "budget": {"rounds": 0}})
    )
    with duckdb.connect() as connection:
        types = connection.execute(f"DESCRIBE SELECT * FROM '{tmp_path / 'out.parquet'}'").fetchall()

    assert [each[1] for each in types] == ["DOUBLE", "TINYINT"]
    assert all(income == int(income) for income, _ in rows(tmp_path / "out.parquet", "income, age"))
    assert result.microaggregation.rounding_over_sst > 0


def test_one_attribute_gets_the_optimum(engine: Engine, tmp_path: Path) -> None:
    request = asked(tmp_path, attributes={"income": {}})
    best = engine.run(request | {"microaggregation": {}})
    other = engine.run(request | {"microaggregation": {"algorithm": "mdav-mil", "improve": False}})

    assert best.microaggregation.algorithm == "optimal"
    assert best.loss["sse_over_sst"] <= other.loss["sse_over_sst"]


def test_what_is_noted_of_a_release(engine: Engine, tmp_path: Path) -> None:
    result = engine.run(asked(tmp_path, within={"place": {"hierarchy": "place", "level": "region"}}))
    manifest = json.loads((tmp_path / "out.parquet.manifest.json").read_text("utf-8"))
    (release,) = engine.releases.list()
    details = engine.releases.get(release.id)

    assert (manifest["method"], manifest["loss"]) == ("microaggregation", result.loss)
    assert list(manifest)[-1] == "sql"  # what people read comes before it
    assert manifest["within"][0]["level_name"] == "region"
    assert manifest["microaggregation"]["groups"] == result.microaggregation.groups
    assert [(each.column, each.role, each.level_name) for each in details.columns] == [
        ("place", "quasi-identifier", "region"),
        ("income", "quasi-identifier", "mean"),
        ("age", "quasi-identifier", "mean"),
    ]
    assert engine.releases.verify(release.id).intact
    asked_for = engine.requests.get(result.request)
    assert (asked_for.status, asked_for.method) == ("released", "microaggregation")
    assert [each.chosen_level_name for each in asked_for.quasi_identifiers] == ["region"]


def test_into_a_table_of_the_source_and_as_a_statistical_table(engine: Engine, tmp_path: Path) -> None:
    result = engine.run(asked(tmp_path, to={"table": "released"}))
    counted = engine.run(
        asked(tmp_path, release={"replace": True, "to": str(tmp_path / "table.csv"), "shape": "table"})
    )

    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        assert connection.execute("SELECT COUNT(*) FROM released").fetchall() == [(60,)]
    assert result.divisions == counted.divisions == len((tmp_path / "table.csv").read_text("utf-8").splitlines()) - 1


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"k": 61}, "fewer than 61 rows remain"),
        ({"where": "income > 1000"}, "rows remain, so nothing can be released"),
        ({"k": 16, "within": {"place": {"hierarchy": "place", "level": 0}}}, "4 of the 4 classes of place have fewer"),
    ],
)
def test_a_refusal_says_why_and_writes_nothing(engine: Engine, tmp_path: Path, more: Any, reason: str) -> None:
    result = engine.run(asked(tmp_path, **more))

    assert (result.status, result.microaggregation, result.release) == ("refused", None, None)
    assert reason in result.reason
    assert not (tmp_path / "out.parquet").exists()
    assert engine.requests.get(result.request).status == "refused"
    with pytest.raises(Refused, match=r"[Aa]sk for a smaller k, or "):
        result.to_pandas()


def test_missing_values_are_told_by_their_number(engine: Engine, tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute("UPDATE t SET income = NULL WHERE id < 4")

    with pytest.raises(InputError, match=r"4 rows have no number: the column 'income' is NULL"):
        engine.run(asked(tmp_path))
    assert engine.run(asked(tmp_path, where="income IS NOT NULL")).rows == 56


def test_an_entity_column_is_refused_by_name(engine: Engine, tmp_path: Path) -> None:
    engine.datasets.add("persons", "s", table="t", entity="id", least_k=2)

    with pytest.raises(RequestError, match="one row a person"):
        engine.run(asked(tmp_path, dataset="persons"))


def test_what_does_not_measure_as_it_must_is_not_released(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        publishing, "measure_file", lambda *_, **__: MeasuredRelease(Observation.from_histogram([(2, 30)]), 60)
    )

    with pytest.raises(ReleaseMismatch, match="does not measure as it must"):
        engine.run(asked(tmp_path))
    assert not (tmp_path / "out.parquet").exists()
    assert engine.requests.list()[-1].status == "failed"


def test_a_source_that_changes_meanwhile_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "people.csv"
    file.write_text("age\n" + "\n".join(str(number) for number in range(30)), encoding="utf-8")
    engine = new_engine(tmp_path)
    engine.sources.add("c", str(file), allow_inline=True)
    decide = answer.decide

    def after_a_change(*given: Any) -> None:
        file.write_text("age\n1\n", encoding="utf-8")
        decide(*given)

    monkeypatch.setattr(answer, "decide", after_a_change)
    engine.datasets.add("c", "c", table="people", least_k=2)
    with pytest.raises(SourceChanged):
        engine.run(asked(tmp_path, dataset="c", attributes={"age": {}}))
    assert not (tmp_path / "out.parquet").exists()


def test_the_order_of_the_source_does_not_matter(engine: Engine, tmp_path: Path) -> None:
    engine.datasets.add("turned", "s", query="SELECT * FROM t ORDER BY id DESC", least_k=2)
    options = {"algorithm": "auto", "budget": {"rounds": 2}}
    for dataset in ("d", "turned"):
        engine.run(asked(tmp_path, to=f"{dataset}.csv", dataset=dataset, microaggregation=options, keep=["kept"]))

    assert (tmp_path / "d.csv").read_bytes() == (tmp_path / "turned.csv").read_bytes()


def test_explain_names_every_step_and_runs_none(engine: Engine, tmp_path: Path) -> None:
    steps = engine.explain(asked(tmp_path, keep=["kept"], within={"place": {"hierarchy": "place", "level": 1}}))

    titles = [each.title for each in steps]
    assert "the records, in the order of their values" in titles
    assert titles[-2:] == ["release, written", "release, measured again"]
    assert not (tmp_path / "out.parquet").exists()
    pulled = steps[titles.index("the records, in the order of their values")]
    assert pulled.runs_in == "source"
    assert '"id"' not in pulled.sql
