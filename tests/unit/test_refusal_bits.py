"""What answers tell beyond released figures: decided without the data where these decide, else counted and bounded."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine, NeedsReview
from ordermade.errors import NeedsReviewFirst
from ordermade.methods.generalization.result import GeneralizationResult
from tests.made import new_engine, write_hierarchy

pytest.importorskip("scipy")

BITS = math.log2(5)
SIZES = {("n", "f", 20): 12, ("n", "m", 20): 9, ("n", "m", 50): 13, ("s", "f", 20): 10, ("s", "f", 50): 2}
SIZES |= {("s", "m", 20): 14, ("s", "m", 50): 12, ("n", "f", 50): 11}
POLICY: dict[str, Any] = {"dataset": "people", "k": 3, "pools": [["a", "b"], ["c"]]}


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute("CREATE TABLE people (region VARCHAR, sex VARCHAR, age INTEGER)")
        for each, n in SIZES.items():
            connection.executemany("INSERT INTO people VALUES (?, ?, ?)", [each] * n)
    engine = new_engine(tmp_path)
    engine.sources.add("s", str(tmp_path / "s.duckdb"))
    engine.datasets.add("people", "s", table="people", least_k=3)
    for column in ("region", "sex", "age"):
        values = sorted({str(each[("region", "sex", "age").index(column)]) for each in SIZES})
        rows = [(each, "*") for each in values]
        engine.hierarchies.add(column, write_hierarchy(tmp_path / f"{column}.csv", ["value", "level 1"], rows))
    engine.policies.set(POLICY)
    return engine


def request(folder: Path, name: str, *columns: str, **more: Any) -> dict[str, Any]:
    levels = {each: 0 if each in columns else 1 for each in ("region", "sex", "age")}
    wanted = {each: {"hierarchy": each, "from": level, "to": level} for each, level in levels.items()}
    return {
        "dataset": "people",
        "k": 3,
        "quasi_identifiers": wanted,
        "release": {"to": str(folder / f"{name}.csv")},
        **more,
    }


def bits(engine: Engine, recipient: str) -> tuple[int, int, float]:
    (found,) = engine.ledger.bits(recipient=recipient) or (None,)
    return (0, 0, 0.0) if found is None else (found.answers, found.by_figures, found.bits)


def source_queries(result: object) -> int:
    assert isinstance(result, GeneralizationResult)
    return result.search.source_queries


def test_what_follows_tells_nothing_and_is_not_judged_on_the_data(engine: Engine, tmp_path: Path) -> None:
    assert engine.run(request(tmp_path, "1", "region", "sex"), recipients=["a"]).beside == "safe"
    assert bits(engine, "a") == (1, 0, round(BITS, 1))
    assert bits(engine, "c") == (0, 0, 0.0)
    for number, columns in enumerate((("region",), ("sex",), ()), start=2):
        assert engine.run(request(tmp_path, str(number), *columns), recipients=["b"]).beside == "safe"
    assert bits(engine, "a") == (4, 3, round(BITS, 1)), "b is of the same pool"
    assert engine.run(request(tmp_path, "5", "region"), recipients=["c"]).beside == "safe"
    assert bits(engine, "c") == (1, 0, round(BITS, 1)), "c had nothing"


def test_the_provider_alone_reads_what_is_for_anyone(engine: Engine, tmp_path: Path) -> None:
    engine.run(request(tmp_path, "1", "region"))
    assert engine.ledger.bits() == ()


def test_the_same_question_tells_nothing_again(engine: Engine, tmp_path: Path) -> None:
    engine.run(request(tmp_path, "1", "region", "sex"), recipients=["a"])
    dropping = request(tmp_path, "2", "region", "sex", "age", suppression_limit=0.05)
    refused = engine.run(dropping, recipients=["a"])
    assert (refused.status, refused.beside) == ("refused", "breach")
    offered = math.log2(2**3)  # one of seven coarser releases, or none
    assert bits(engine, "a") == (2, 0, round(2 * BITS + offered, 1))
    again = engine.run(dropping, recipients=["b"])
    assert (again.status, again.reason) == (refused.status, refused.reason)
    assert bits(engine, "a") == (3, 0, round(2 * BITS + offered, 1))
    engine.policies.set(POLICY | {"beside": {"undecided": "refuse"}})
    engine.run(dropping, recipients=["a"])
    assert bits(engine, "a")[2] > 2 * BITS + offered + 1


def test_after_so_many_bits_a_reviewer_decides_what_the_ledger_does_not(engine: Engine, tmp_path: Path) -> None:
    engine.policies.set(POLICY | {"beside": {"bits": 4}})
    engine.run(request(tmp_path, "1", "region", "sex"), recipients=["a"], reviewed=False)
    with pytest.raises(NeedsReviewFirst, match=r"2\.3 bits"):
        engine.run(request(tmp_path, "2", "age"), recipients=["b"], reviewed=False)
    assert not (tmp_path / "2.csv").exists()
    assert engine.run(request(tmp_path, "3", "region"), recipients=["b"], reviewed=False).beside == "safe"
    assert engine.run(request(tmp_path, "4", "age"), recipients=["c"], reviewed=False).beside == "safe"
    assert engine.run(request(tmp_path, "5", "age"), recipients=["a"]).beside == "safe"  # a reviewer let it
    (found,) = engine.ledger.bits(recipient="b")
    assert (found.recipients, found.most) == (("a", "b"), 4)


def test_a_hidden_cell_is_not_looked_at_for_a_release_that_must_show_it(engine: Engine, tmp_path: Path) -> None:
    table = {
        "dataset": "people",
        "k": 3,
        "rows": ["region", "age"],
        "columns": ["sex"],
        "dimensions": {each: {"hierarchy": each, "level": 0} for each in ("region", "age", "sex")},
        "release": {"to": str(tmp_path / "cells.csv")},
    }
    assert engine.run(table, recipients=["a"]).beside == "safe"
    told = bits(engine, "a")
    found = engine.run(request(tmp_path, "2", "region", "sex", "age"), recipients=["a"])
    assert (found.status, found.beside, source_queries(found)) == ("refused", "breach", 0)
    assert "tables hide" in (found.reason or "")
    assert bits(engine, "a") == (told[0] + 1, told[1] + 1, told[2])


def test_what_is_never_proved_waits_for_a_reviewer_before_anything_is_counted(engine: Engine, tmp_path: Path) -> None:
    engine.run(request(tmp_path, "1", "region"), recipients=["a"])
    split = {each: {"hierarchy": each} for each in ("region", "sex")}
    mondrian = {"dataset": "people", "k": 3, "method": "mondrian", "quasi_identifiers": split}
    mondrian["release"] = {"to": str(tmp_path / "m.csv")}
    with pytest.raises(NeedsReview):
        engine.run(mondrian, recipients=["a"], reviewed=False)
    assert bits(engine, "a") == (2, 1, round(BITS, 1))
    assert engine.run(mondrian, recipients=["a"]).status == "released"
    assert bits(engine, "a") == (3, 1, round(2 * BITS, 1))


def test_too_few_rows_are_known_to_fail_by_the_figures_of_an_earlier_release(engine: Engine, tmp_path: Path) -> None:
    engine.run(request(tmp_path, "1", "region", "sex"), recipients=["a"])
    told = bits(engine, "a")
    found = engine.run(request(tmp_path, "2", "region", "sex", "age", k=20), recipients=["a"])
    assert (found.status, found.beside) == ("refused", None)
    assert bits(engine, "a") == (told[0] + 1, told[1] + 1, told[2]), "12 rows of s and f are fewer than 20"


def test_a_forecast_says_what_released_figures_decide(engine: Engine, tmp_path: Path) -> None:
    assert engine.predict(request(tmp_path, "2", "region"), recipients=["a"]).beside is None, "a has nothing"
    engine.run(request(tmp_path, "1", "region", "sex"), recipients=["a"])
    of_a = [
        engine.predict(each, recipients=["a"]).beside
        for each in (
            request(tmp_path, "2", "region"),
            request(tmp_path, "2", "age"),
            request(tmp_path, "2", "region", "sex", "age", k=20),
        )
    ]
    assert of_a == ["follows", "open", "fails"]
    assert engine.predict(request(tmp_path, "2", "region"), recipients=["b"]).beside == "follows"
    assert engine.predict(request(tmp_path, "2", "region"), recipients=["c"]).beside is None
    assert engine.predict(request(tmp_path, "2", "region"), look=False).beside is None, "users may read it"
    table = {"dataset": "people", "k": 3, "rows": ["region"], "release": {"to": str(tmp_path / "cells.csv")}}
    table |= {"columns": ["sex"], "dimensions": {each: {"hierarchy": each, "level": 0} for each in ("region", "sex")}}
    assert engine.predict(table, recipients=["a"]).beside == "follows"


def test_the_safe_offer_after_a_refusal_is_released_as_a_request_of_its_own(engine: Engine, tmp_path: Path) -> None:
    engine.run(request(tmp_path, "1", "region", "sex"), recipients=["a"])
    refused = engine.run(request(tmp_path, "2", "region", "sex", "age", suppression_limit=0.05), recipients=["a"])
    assert isinstance(refused, GeneralizationResult)
    assert refused.nearest is not None
    offered = [name for name, level in refused.nearest.levels.items() if level == 0]
    found = engine.run(request(tmp_path, "3", *offered, suppression_limit=0.05), recipients=["a"], reviewed=False)
    assert (found.status, found.beside, found.k) == ("released", "safe", refused.nearest.k)
    assert engine.releases.verify(2).intact


def test_coarser_tables_are_offered_after_a_refusal_and_released(engine: Engine, tmp_path: Path) -> None:
    """Of 12 in region s and sex f, 10 are of age 20: 2 are left. By sex or by region alone 13 or 14 are."""
    engine.run(request(tmp_path, "1", "region", "sex", where="age = 20"), recipients=["a"])
    table: dict[str, Any] = {"dataset": "people", "k": 3, "rows": ["region"], "columns": ["sex"]}
    table["dimensions"] = {each: {"hierarchy": each, "level": 0} for each in ("region", "sex")}
    table["release"] = {"to": str(tmp_path / "cells.csv"), "replace": True}
    refused = engine.run(table, recipients=["a"])
    assert (refused.status, refused.beside) == ("refused", "breach")
    offers = engine.offers(table, recipients=["b"])
    assert (offers.status, [each.gives_up for each in offers.offers]) == (
        "refused",
        [("region left out",), ("sex left out",)],
    )
    assert engine.offers(table, recipients=["c"]).status == "passes"
    for each in offers.offers:
        accepted = engine.offered(table, each.number, ["a"])
        found = engine.run(accepted.read, recipients=["a"], reviewed=False, again=True)
        assert (found.status, found.beside, found.k) == ("released", "safe", each.figures.k)
        assert found.release is not None
        assert engine.releases.verify(found.release.number or 0).intact


def test_offers_say_what_they_are_beside_earlier_releases(engine: Engine, tmp_path: Path) -> None:
    """Of 2 in region s, sex f and age 50 a release by all columns fails; a limit of 5 % drops them from a total."""
    failing = request(tmp_path, "2", "region", "sex", "age")
    assert {each.beside for each in engine.offers(failing, recipients=["a"]).offers} == {None}
    engine.run(request(tmp_path, "1", "region", "sex"), recipients=["a"])
    for _ in range(2):  # the second time from the list that is kept
        offers = engine.offers(failing, recipients=["a"]).offers
        judged = {each.number: each.beside for each in offers if each.beside is not None}
        assert {"safe", "breach"} <= set(judged.values())
        assert {each.kind for each in offers if each.beside == "breach"} == {"suppression"}
    assert {each.beside for each in engine.offers(failing, recipients=["c"]).offers} == {None}
    for each in offers:
        if each.beside is not None:
            assert engine.judge_request(each.read, ["a"]).answer == each.beside
