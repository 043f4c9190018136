"""The demo's members are the same ones every time, and its five requests end as the demo says."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from ordermade.demo.members import Members, MembersAnswer
from ordermade.demo.tables import make_members, shares
from ordermade.errors import InputError
from ordermade.hierarchies.read import read_hierarchy
from ordermade.sources.limits import Limits

pytestmark = pytest.mark.slow

ROWS = 20_000


def content(path: Path) -> list[tuple[object, ...]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute("SELECT * FROM members").fetchall()


def test_same_seed_gives_the_same_members_on_any_number_of_threads(tmp_path: Path) -> None:
    make_members(tmp_path / "one.duckdb", ROWS, seed=7, limits=Limits(threads=1))
    make_members(tmp_path / "four.duckdb", ROWS, seed=7, limits=Limits(threads=4))
    make_members(tmp_path / "other.duckdb", ROWS, seed=8)

    assert content(tmp_path / "one.duckdb") == content(tmp_path / "four.duckdb")
    assert content(tmp_path / "one.duckdb") != content(tmp_path / "other.duckdb")


def test_members_are_spread_as_the_shares_say(tmp_path: Path) -> None:
    make_members(tmp_path / "members.duckdb", ROWS)
    with duckdb.connect(str(tmp_path / "members.duckdb"), read_only=True) as connection:
        rows, ids, prefectures, least, most = connection.execute(
            "SELECT COUNT(*), COUNT(DISTINCT member_id), COUNT(DISTINCT prefecture), MIN(age), MAX(age) FROM members"
        ).fetchall()[0]
        tokyo, middle = connection.execute(
            "SELECT AVG(CASE WHEN prefecture = 'Tokyo' THEN 1 ELSE 0 END), MEDIAN(age) FROM members"
        ).fetchall()[0]

    assert (rows, ids, prefectures) == (ROWS, ROWS, 47)
    assert (least, most) == (18, 79)
    assert tokyo == pytest.approx(shares()["prefectures"].count("Tokyo") / len(shares()["prefectures"]), abs=0.01)
    assert middle < (18 + 79) / 2  # skewed: most members are in the younger half


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[MembersAnswer]:
    demo = Members(tmp_path_factory.mktemp("demo"), 200_000, lambda _: None, Limits())
    assert [step.name for step in demo.set_up()]
    return list(demo.answers())


def test_first_request_is_released(answers: list[MembersAnswer]) -> None:
    first = answers[0]

    assert first.result.status == "released"
    assert first.result.k is not None
    assert first.result.k >= 50
    assert first.columns == ("sex", "age", "prefecture", "occupation", "joined", "plan")
    assert len(first.first_rows) == 5


def test_second_request_is_answered_from_table_c(answers: list[MembersAnswer]) -> None:
    first, second = answers[0].result, answers[1].result

    assert second.status == "released"
    assert (second.search.source_queries, second.search.nodes_measured) == (0, 0)
    assert (second.levels, second.k) == (first.levels, first.k)
    assert answers[1].columns[-1] == "count"


def test_third_request_is_refused_with_the_column_and_the_nearest_node(answers: list[MembersAnswer]) -> None:
    third = answers[2].result

    assert third.status == "refused"
    assert third.column == "joined"
    assert third.nearest is not None
    assert third.nearest.k >= 50


def test_fourth_and_fifth_request_are_predicted_before_they_run(answers: list[MembersAnswer]) -> None:
    assert [answer.forecast is not None for answer in answers] == [False, False, False, True, True]
    for answer in answers[3:]:
        assert answer.forecast is not None
        predicted, result = answer.forecast.predicted, answer.result
        assert result.status == "released"
        assert predicted.predictor is not None
        released = next(node for node in predicted.nodes if dict(node.levels) == dict(result.levels))
        assert released.low <= (result.k or 0) <= released.high
        assert answer.forecast.known_after == answer.forecast.known_before + result.search.nodes_measured
        assert result.search.nodes_measured < result.search.nodes_in_lattice - result.search.nodes_proven
        assert answer.forecast.scores is not None
        assert answer.forecast.scores.mean_ratio_error < 3


def test_every_column_of_the_demo_has_a_hierarchy(answers: list[MembersAnswer]) -> None:
    assert answers
    data = Path(__file__).resolve().parents[2] / "engine" / "ordermade" / "demo" / "data" / "members" / "hierarchies"
    kinds = {read_hierarchy(file, file.stem).hierarchy.kind for file in data.iterdir()}

    assert {file.stem for file in data.iterdir()} == {"sex", "age", "prefecture", "occupation", "plan", "joined"}
    assert kinds == {"explicit", "interval", "date"}


def test_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")

    with pytest.raises(InputError, match="empty folder"):
        list(Members(tmp_path, 10, lambda _: None, Limits()).set_up())

    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]
