"""Each release judged beside those that its recipients have, of every kind of source."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine, GeneralizationResult, ImportOptions, NeedsReview
from tests.conformance.backends import Made, Table
from tests.conformance.test_releases_together_every_backend import of_people

pytestmark = pytest.mark.slow
pytest.importorskip("scipy")

Make = Callable[[Table], Made]
SIZES = {
    ("north", "f", 20): 12,
    ("north", "f", 50): 11,
    ("north", "m", 20): 9,
    ("north", "m", 50): 13,
    ("south", "f", 20): 10,
    ("south", "f", 50): 2,
    ("south", "m", 20): 14,
    ("south", "m", 50): 12,
}
ILLS = ("asthma", "flu", "gout")
PEOPLE = Table(
    "people",
    {"region": "VARCHAR", "sex": "VARCHAR", "age": "INTEGER", "ill": "VARCHAR", "income": "INTEGER"},
    [
        (*each, "flu" if each == ("south", "f", 50) else ILLS[number % 3], 1_000 * place + number)
        for place, (each, n) in enumerate(SIZES.items())
        for number in range(n)
    ],
)


@pytest.fixture
def engine(tmp_path: Path, make: Make) -> Engine:
    return of_people(tmp_path, make(PEOPLE))


def rows(folder: Path, name: str, *columns: str, **more: Any) -> dict[str, Any]:
    """A request for rows with these columns at their values, the others at `*`."""
    levels = {each: 0 if each in columns else 1 for each in ("region", "sex", "age")}
    wanted = {each: {"hierarchy": each, "from": level, "to": level} for each, level in levels.items()}
    request = {"dataset": "people", "k": 3, "quasi_identifiers": wanted, "release": {"to": str(folder / f"{name}.csv")}}
    return {**request, **more}


def test_a_first_release_asks_the_source_nothing_more(engine: Engine, tmp_path: Path) -> None:
    before = engine.run(rows(tmp_path, "a", "region"))
    engine.policies.set({"dataset": "people", "k": 3})
    (entry,) = engine.ledger.list()
    assert (entry.release, entry.status, entry.recipients) == (1, "released", ("anyone",))
    engine.ledger.destroyed(entry.id)
    after = engine.run(rows(tmp_path, "b", "sex"))
    assert (before.beside, after.beside) == (None, "safe")
    assert isinstance(before, GeneralizationResult)
    assert isinstance(after, GeneralizationResult)
    assert after.search.source_queries == before.search.source_queries


def test_dropped_classes_follow_from_a_total(engine: Engine, tmp_path: Path) -> None:
    engine.policies.set({"dataset": "people", "k": 3})
    assert engine.run(rows(tmp_path, "a", "region", "sex")).beside == "safe"
    dropping = rows(tmp_path, "b", "region", "sex", "age", suppression_limit=0.05)
    found = engine.judge_request(dropping)
    assert (found.answer, found.releases, found.refused) == ("breach", (1,), None)
    assert found.safe_levels == ("region: value", "sex: value", "age: level 1")
    result = engine.run(dropping)
    assert (result.status, result.beside) == ("refused", "breach")
    assert "release 1" in (result.reason or "")
    assert isinstance(result, GeneralizationResult)
    assert "ledger check" in result.next
    assert result.nearest is not None
    assert (result.nearest.levels, result.nearest.k) == ({"region": 0, "sex": 0, "age": 1}, 12)
    assert not (tmp_path / "b.csv").exists()
    assert [each.status for each in engine.ledger.list()] == ["released"]


def test_recipients_of_other_pools_do_not_join_what_they_have(engine: Engine, tmp_path: Path) -> None:
    engine.policies.set({"dataset": "people", "k": 3, "pools": [["a", "b"], ["c"]]})
    assert engine.run(rows(tmp_path, "a", "region", "sex"), recipients=["a"]).beside == "safe"
    dropping = rows(tmp_path, "b", "region", "sex", "age", suppression_limit=0.05)
    assert engine.judge_request(dropping, ["b"]).answer == "breach"
    assert engine.judge_request(dropping).answer == "breach"  # for anyone is for `a`, too
    assert engine.run(dropping, recipients=["c"]).beside == "safe"


def test_what_is_not_decided_waits_for_a_reviewer(engine: Engine, tmp_path: Path) -> None:
    engine.policies.set({"dataset": "people", "k": 3})
    engine.run(rows(tmp_path, "a", "region"))
    kept = {"dataset": "people", "k": 3, "method": "mondrian", "release": {"to": str(tmp_path / "m.csv")}}
    kept["quasi_identifiers"] = {each: {"hierarchy": each} for each in ("region", "sex")}
    with pytest.raises(NeedsReview):
        engine.run(kept, reviewed=False)
    assert not (tmp_path / "m.csv").exists()
    result = engine.run(kept)
    assert (result.status, result.beside) == ("released", "undecided")
    engine.policies.set({"dataset": "people", "k": 3, "beside": {"undecided": "refuse"}})
    again = engine.run({**kept, "release": {"to": str(tmp_path / "n.csv")}})
    assert (again.status, again.beside) == ("refused", "undecided")


def test_tables_are_judged_beside_rows(engine: Engine, tmp_path: Path) -> None:
    engine.policies.set({"dataset": "people", "k": 3})
    table = {
        "dataset": "people",
        "k": 3,
        "rows": ["region", "age"],
        "columns": ["sex"],
        "dimensions": {each: {"hierarchy": each, "level": 0} for each in ("region", "age", "sex")},
        "release": {"to": str(tmp_path / "cells.csv")},
    }
    assert engine.run(table).beside == "safe"
    finer = rows(tmp_path, "b", "region", "sex", "age", suppression_limit=0.05)
    assert engine.judge_request(finer).answer == "breach"
    assert engine.judge_request(rows(tmp_path, "c", "region", "sex")).answer == "safe"


def test_a_release_made_elsewhere_counts_as_one_made_here(engine: Engine, tmp_path: Path) -> None:
    engine.policies.set({"dataset": "people", "k": 3})
    engine.run(rows(tmp_path, "a", "region", "sex", keep=["ill"]), recipients=["a"])
    dropping = rows(tmp_path, "b", "region", "sex", "age", suppression_limit=0.05)
    wanted = [dropping, rows(tmp_path, "c", "age"), rows(tmp_path, "d", "age", keep=["ill"])]
    before = [engine.judge_request(each, ["a"]) for each in wanted]
    engine.ledger.destroyed(1)
    assert engine.judge_request(dropping, ["a"]).answer == "safe"
    (tmp_path / "elsewhere.csv").write_bytes((tmp_path / "a.csv").read_bytes())
    options = ImportOptions({each: each for each in ("region", "sex", "age")})
    found = engine.import_release(tmp_path / "elsewhere.csv", "people", ["a"], options)
    assert (found.agrees, found.answer, found.k) == (True, "safe", 3)
    after = [engine.judge_request(each, ["a"]) for each in wanted]
    assert (after[0].releases, after[0].entries) == ((), (found.entry,))
    assert [(each.answer, each.reasons) for each in before] == [(each.answer, each.reasons) for each in after]
    assert [each.answer for each in after] == ["breach", "safe", "safe"]
    refused = engine.run(dropping, recipients=["a"])
    assert (refused.status, f"entry {found.entry} of the ledger" in (refused.reason or "")) == ("refused", True)
    assert engine.run(dropping, recipients=["b"], again=True).status == "refused"  # without pools they may join


def test_a_table_made_elsewhere_counts_too(engine: Engine, tmp_path: Path) -> None:
    cells = ["region,sex,n", "north,f,23", "north,m,22", "south,f,12", "south,m,26", "Total,Total,83"]
    (tmp_path / "t.csv").write_text("\n".join(cells) + "\n")
    options = ImportOptions({each: each for each in ("region", "sex")}, count="n")
    assert engine.import_release(tmp_path / "t.csv", "people", (), options).agrees
    dropping = rows(tmp_path, "b", "region", "sex", "age", suppression_limit=0.05)
    assert engine.judge_request(dropping).answer == "breach"
    assert engine.judge_request(rows(tmp_path, "c", "age")).answer == "safe"


STANDS = "earlier releases are a breach by themselves"


def test_a_breach_that_stands_refuses_nothing_that_adds_none(engine: Engine, tmp_path: Path) -> None:
    engine.policies.set({"dataset": "people", "k": 3})
    cells = [",".join(map(str, (*each, n))) for each, n in SIZES.items()]
    (tmp_path / "t.csv").write_text("\n".join(["region,sex,age,n", *cells]) + "\n")
    options = ImportOptions({each: each for each in ("region", "sex", "age")}, count="n")
    taken = engine.import_release(tmp_path / "t.csv", "people", (), options)
    assert (taken.agrees, taken.answer, taken.small_classes) == (True, "breach", None)
    every = {"where": "income >= 0"}
    found = engine.judge_request(rows(tmp_path, "a", "region", "sex", **every))
    assert (found.answer, found.reasons) == ("undecided", (STANDS,))
    with pytest.raises(NeedsReview, match="breach by themselves"):
        engine.run(rows(tmp_path, "a", "region", "sex", **every), reviewed=False)
    for name, column in (("b", "region"), ("c", "age")):
        result = engine.run(rows(tmp_path, name, column, **every))
        assert (result.status, result.beside) == ("released", "undecided")
    smaller = rows(tmp_path, "f", "region", "sex", where="income < 5001 OR income >= 6000")
    own = engine.judge_request(smaller)
    assert own.answer == "breach"  # one of the two
    engine.ledger.destroyed(taken.entry)
    assert engine.judge_request(rows(tmp_path, "g", "age", "sex")).answer == "safe"


def test_a_change_that_a_reviewer_let_pass_refuses_nothing_that_adds_none(engine: Engine, tmp_path: Path) -> None:
    engine.policies.set({"dataset": "people", "k": 3, "beside": {"breach": "review"}})
    options = ImportOptions({each: each for each in ("region", "sex")}, count="n")
    more = ["region,sex,n", "north,f,23", "north,m,22", "south,f,12", "south,m,27"]
    (tmp_path / "t.csv").write_text("\n".join(more) + "\n")
    engine.import_release(tmp_path / "t.csv", "people", (), options)
    assert engine.judge_request(rows(tmp_path, "a", "region", "sex")).answer == "breach"
    assert engine.run(rows(tmp_path, "a", "region", "sex")).beside == "breach"
    assert engine.judge_request(rows(tmp_path, "b", "sex")).answer == "safe"  # it follows from the last
    found = engine.judge_request(rows(tmp_path, "c", "age"))
    assert (found.answer, found.changed, found.reasons) == ("undecided", True, (STANDS,))  # the total changed by one


def test_a_release_made_elsewhere_of_other_data_is_of_another_version(engine: Engine, tmp_path: Path) -> None:
    options = ImportOptions({each: each for each in ("region", "sex")}, count="n")
    more = ["region,sex,n", "north,f,23", "north,m,22", "south,f,12", "south,m,27"]
    (tmp_path / "t.csv").write_text("\n".join(more) + "\n")
    assert engine.import_release(tmp_path / "t.csv", "people", (), options).agrees is False
    found = engine.judge_request(rows(tmp_path, "b", "region", "sex"))
    assert (found.answer, found.changed) == ("breach", True)  # one person fewer in a class


def test_values_that_two_releases_keep_join_their_rows(engine: Engine, tmp_path: Path) -> None:
    engine.policies.set({"dataset": "people", "k": 3})
    kept = {"keep": ["income"], "allow_identifying": ["income"]}
    assert engine.run(rows(tmp_path, "a", "region", "sex", **kept)).beside == "safe"
    found = engine.judge_request(rows(tmp_path, "b", "age", **kept))
    assert (found.answer, found.safe_levels) == ("breach", ())
    assert engine.judge_request(rows(tmp_path, "c", "age")).answer == "safe"


def test_classes_in_common_leave_enough_sensitive_values(engine: Engine, tmp_path: Path) -> None:
    engine.policies.set({"dataset": "people", "k": 3})
    diverse = {"sensitive": {"ill": [{"model": "distinct_l", "l": 2}]}}
    assert engine.run(rows(tmp_path, "a", "region", "sex", **diverse)).beside == "safe"
    assert engine.judge_request(rows(tmp_path, "b", "region", "sex", **diverse)).answer == "safe"
    assert engine.judge_request(rows(tmp_path, "c", "region", **diverse)).answer == "safe"


def test_suppressed_classes_do_not_follow_from_their_rows(engine: Engine, tmp_path: Path) -> None:
    """With k = 10 the classes of 9 and 2 rows go: of two combinations that are left, 11 rows mean 2 or more in each."""
    engine.policies.set({"dataset": "people", "k": 3, "scales": {"suppression": [0.2]}, "suppression": 0.2})
    small = rows(tmp_path, "a", "region", "sex", "age", suppression_limit=0.2)
    found = engine.judge_request({**small, "k": 10})
    assert (found.answer, found.releases) == ("breach", ())
    assert engine.run({**small, "k": 10}).status == "refused"
    assert engine.run({**small, "k": 3}).beside == "safe"  # 2 rows: the manifest does not say so
