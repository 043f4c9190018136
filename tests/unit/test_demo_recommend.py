"""The demo's persons are the same ones every time, and its two requests keep what guides them."""

from __future__ import annotations

import csv
from pathlib import Path

import duckdb
import pytest

from ordermade.demo.recommend import Recommend
from ordermade.demo.story import Answer
from ordermade.demo.tables import RECOMMEND, make_persons, occupations
from ordermade.methods.mondrian.result import MondrianResult
from ordermade.requests.rules import read_rules
from ordermade.sources.limits import Limits

ROWS = 20_000
PUBLISHED = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "occupation" / "jsoc2009_major_middle.csv"


def content(path: Path) -> list[tuple[object, ...]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute("SELECT * FROM persons").fetchall()


@pytest.mark.slow
def test_same_seed_gives_the_same_persons_on_any_number_of_threads(tmp_path: Path) -> None:
    make_persons(tmp_path / "one.duckdb", ROWS, seed=7, limits=Limits(threads=1))
    make_persons(tmp_path / "four.duckdb", ROWS, seed=7, limits=Limits(threads=4))
    make_persons(tmp_path / "other.duckdb", ROWS, seed=8)

    assert content(tmp_path / "one.duckdb") == content(tmp_path / "four.duckdb")
    assert content(tmp_path / "one.duckdb") != content(tmp_path / "other.duckdb")


def test_persons_are_spread_over_what_the_paper_names(tmp_path: Path) -> None:
    make_persons(tmp_path / "persons.duckdb", ROWS)
    with duckdb.connect(str(tmp_path / "persons.duckdb"), read_only=True) as connection:
        found = connection.execute(
            "SELECT COUNT(DISTINCT person_id), COUNT(DISTINCT sex), COUNT(DISTINCT occupation), MIN(height), "
            "MAX(height), COUNT(DISTINCT height), COUNT(DISTINCT YEAR(birth)) FROM persons"
        ).fetchall()[0]
        outside = connection.execute(
            "SELECT COUNT(*) FROM persons WHERE birth NOT BETWEEN DATE '1944-01-29' AND DATE '1994-01-28'"
        ).fetchall()
        shares = connection.execute("SELECT occupation, COUNT(*) FROM persons GROUP BY occupation").fetchall()
        pairs = connection.execute("SELECT COUNT(DISTINCT (sex, occupation, height // 10)) FROM persons").fetchall()

    assert found == (ROWS, 2, 74, 140, 190, 51, 51)
    assert outside == [(0,)]
    assert pairs[0][0] > 0.97 * 2 * 74 * 6  # no column tells of another (of 190 cm there are few)
    assert {name for name, _ in shares} == set(occupations())
    assert max(count for _, count in shares) < 1.3 * ROWS / 74


def test_occupations_come_with_their_credit_and_terms() -> None:
    text = (RECOMMEND / "hierarchies" / "occupation.yaml").read_text(encoding="utf-8")

    assert "総務省 日本標準職業分類" in text
    assert "Standard Terms of Use 2.0" in text


@pytest.mark.skipif(not PUBLISHED.exists(), reason=f"no data in {PUBLISHED}")
def test_occupations_are_those_of_the_classification() -> None:
    with PUBLISHED.open(encoding="utf-8-sig") as lines:
        assert occupations() == [line["middle"] for line in csv.DictReader(lines)]


def test_rules_are_the_five_of_the_paper() -> None:
    rules = read_rules((RECOMMEND / "rules.yaml").read_text(encoding="utf-8")).content.rules

    assert [tuple(rule.when) for rule in rules] == [
        ("sex",),
        ("birth",),
        ("occupation",),
        ("height",),
        ("birth", "height"),
    ]
    assert {rule.weight for rule in rules} == {1}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[Answer[MondrianResult]]:
    demo = Recommend(tmp_path_factory.mktemp("demo"), ROWS, lambda _: None, Limits())
    assert [step.name for step in demo.set_up()]
    return list(demo.answers())


@pytest.mark.slow
def test_both_requests_are_released_and_differ_in_what_guides_them(answers: list[Answer[MondrianResult]]) -> None:
    reports = [answer.result.mondrian for answer in answers]

    assert [report.split for report in reports if report is not None] == ["prec", "tf-idf"]
    for answer in answers:
        assert answer.result.status == "released"
        assert (answer.result.k or 0) >= 10
        assert len(answer.result.recommendation) == 5


@pytest.mark.slow
def test_rules_get_more_of_birth_and_height_than_precision_leaves_them(answers: list[Answer[MondrianResult]]) -> None:
    prec, guided = (answer.result.recommendation for answer in answers)
    gained = [after.after.recall - before.after.recall for before, after in zip(prec, guided, strict=True)]

    assert all(gained[rule] > 0 for rule in (1, 3, 4))  # charm, clothes A, clothes B
