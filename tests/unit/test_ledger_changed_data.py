"""Tables of changed data: what was refused is released without the cells that changed, or once enough has changed.

The figures are those of Ads Data Hub's documentation: a row of 400 users, later of 401, and a total of 400, later 402.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine, NeedsReview
from tests.made import new_engine, write_hierarchy

K = 10
SIZES = {"a": 400, "b": 500, "c": 600}


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute("CREATE TABLE users (campaign VARCHAR)")
    for campaign, n in SIZES.items():
        more(tmp_path, campaign, n)
    engine = new_engine(tmp_path)
    engine.sources.add("s", str(tmp_path / "s.duckdb"))
    engine.datasets.add("users", "s", table="users", least_k=K)
    rows = [(each, "*") for each in SIZES]
    engine.hierarchies.add("campaign", write_hierarchy(tmp_path / "campaign.csv", ["value", "level 1"], rows))
    engine.policies.set({"dataset": "users", "k": K})
    return engine


def more(folder: Path, campaign: str, n: int) -> None:
    with duckdb.connect(str(folder / "s.duckdb")) as connection:
        connection.execute("INSERT INTO users SELECT ? FROM range(?)", [campaign, n])


def table(folder: Path, name: str, *totals: str, **more: Any) -> dict[str, Any]:
    dimensions = {"campaign": {"hierarchy": "campaign", "level": 0}}
    request = {"dataset": "users", "k": K, "rows": ["campaign"], "dimensions": dimensions, "totals": list(totals)}
    return {**request, "release": {"to": str(folder / f"{name}.csv")}, **more}


def test_a_row_that_changed_by_one_is_left_out_and_the_rest_released(engine: Engine, tmp_path: Path) -> None:
    assert engine.run(table(tmp_path, "before")).beside == "safe"
    more(tmp_path, "a", 1)
    more(tmp_path, "b", 30)
    found = engine.judge_request(table(tmp_path, "after"))
    assert (found.answer, found.changed, found.safe_later) == ("breach", True, True)
    assert found.safe_without == ({"campaign": "a"},)
    assert engine.run(table(tmp_path, "after")).status == "refused"
    offered = table(tmp_path, "without", suppress=list(found.safe_without))
    with pytest.raises(NeedsReview):  # data have changed since: no review is spared
        engine.run(offered, reviewed=False)
    released = engine.run(offered)
    assert (released.status, released.beside) == ("released", "safe")
    assert released.release is not None
    assert engine.releases.verify(released.release.number or 0).intact
    lines = (tmp_path / "without.csv").read_text().split()
    assert [line for line in lines if line.startswith(("a,", "b,", "c,"))] == ["a,,X", "b,530,", "c,600,"]


def test_a_total_that_changed_by_two_waits_for_more_changes(engine: Engine, tmp_path: Path) -> None:
    engine.run(table(tmp_path, "before", "campaign"))
    more(tmp_path, "a", 2)
    found = engine.judge_request(table(tmp_path, "after", "campaign"))
    assert (found.answer, found.safe_later, found.safe_without) == ("breach", True, ())
    more(tmp_path, "a", K - 2)
    released = engine.run(table(tmp_path, "later", "campaign"))
    assert (released.status, released.beside) == ("released", "safe")


def test_a_row_and_the_total_that_changed_by_one_are_no_cells_to_leave_out(engine: Engine, tmp_path: Path) -> None:
    engine.run(table(tmp_path, "before", "campaign"))
    more(tmp_path, "a", 1)
    assert engine.judge_request(table(tmp_path, "after")).safe_without == ({"campaign": "a"},)
    assert engine.judge_request(table(tmp_path, "after", "campaign")).safe_without == ()


def test_totals_of_changed_data_are_judged_where_no_column_parts_anybody(engine: Engine, tmp_path: Path) -> None:
    at_star = {"campaign": {"hierarchy": "campaign", "from": 1, "to": 1}}
    total = {"dataset": "users", "k": K, "quasi_identifiers": at_star, "release": {"to": str(tmp_path / "total.csv")}}
    assert engine.run(total).beside == "safe"
    more(tmp_path, "a", 1)
    found = engine.judge_request({**total, "release": {"to": str(tmp_path / "later.csv")}})
    assert (found.answer, found.changed, found.safe_later) == ("breach", True, True)
    more(tmp_path, "a", K)
    found = engine.judge_request({**total, "release": {"to": str(tmp_path / "later.csv")}})
    assert (found.answer, found.changed) == ("safe", True)
