"""Bottom and top coding and bounds of interval hierarchies: what a file may say, what is stored, what is released."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import duckdb
import pytest

from ordermade import Engine
from ordermade.errors import HierarchyError
from ordermade.hierarchies.cross_refinement import contents, refines
from ordermade.hierarchies.read import parse_yaml
from ordermade.privacy.released_labels import released_column
from tests.made import new_state

AGES = """
intervals:
  below: 18
  above: 90
  levels:
    - {width: 5, name: 5 years}
    - {width: 20, below: 20, above: 80, name: 20 years}
    - {bounds: [18, 40, 65], name: ages}
"""


def parse(text):
    return parse_yaml(text, "age", where="h.yaml")[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("intervals: {levels: [{name: x}]}", "A level has a width or bounds"),
        ("intervals: {levels: [{width: 5, bounds: [1]}]}", "A level has a width or bounds"),
        ("intervals: {levels: [{bounds: [1], above: 5}]}", "A level with bounds has no origin, below or above"),
        ("intervals: {levels: [{bounds: []}]}", "neither a width nor bounds"),
        ("intervals: {levels: [{bounds: [2, 1]}]}", "the bounds do not rise"),
        ("intervals: {levels: [{bounds: [1, 1.0]}]}", "the bounds do not rise"),
        ("intervals: {levels: [{bounds: [x]}]}", "plain number"),
        ("intervals: {levels: [{bounds: [0.0000000001]}]}", "more than 9 decimals"),
        ("intervals: {below: 5, above: 5, levels: [{width: 1}]}", "below (5) is not less than above (5)"),
        ("intervals: {above: 10000000000000, levels: [{width: 1}]}", "is larger than 1,000,000,000,000 steps"),
        ("intervals: {levels: [{width: 0, below: 5}]}", "the width 0 is not above 0"),
        # The ends are the same, however the two say them.
        (
            "intervals: {levels: [{width: 5, below: 0, above: 10}, {bounds: [0, 5, 10]}]}",
            "two levels have the same intervals",
        ),
        (f"intervals: {{levels: [{{bounds: {list(range(10_001))}}}]}}", "more than 10,000 bounds"),
    ],
)
def test_refused(text, said):
    with pytest.raises(HierarchyError) as raised:
        parse(text)
    assert said in str(raised.value)


def test_an_interval_that_a_coding_cuts_through_ends_there():
    hierarchy = parse(AGES)
    assert hierarchy._step(0).width == 1
    labels = [hierarchy.labels_of([2, 17, 18, 19, 20, 88, 90, 120], level, 0) for level in (1, 2, 3)]
    assert labels == [
        ["< 18", "< 18", "[18, 20)", "[18, 20)", "[20, 25)", "[85, 90)", "90+", "90+"],
        ["< 20", "< 20", "< 20", "< 20", "[20, 40)", "80+", "80+", "80+"],
        ["< 18", "< 18", "[18, 40)", "[18, 40)", "[18, 40)", "65+", "65+", "65+"],
    ]
    assert hierarchy.order.refines(1, 2)
    assert hierarchy.order.refines(1, 3)
    assert not hierarchy.order.refines(2, 3)


def test_a_level_keeps_the_hash_that_it_had_before_there_were_open_ends():
    # Table C knows levels by their hashes: those of a plain width may never change.
    closed = parse("intervals: {levels: [{width: 5}, {width: 2.5, origin: 0.5}]}")
    hashes = [level.content_hash[:16] for level in closed.levels]
    assert hashes == ["9c1117f351c13729", "2f4afbb9befb8d09", "5e2ea06f39b59fea", "35142768027a355c"]


def test_levels_with_other_ends_have_other_hashes():
    texts = ["{width: 5}", "{width: 5, below: 0}", "{width: 5, above: 0}", "{bounds: [0]}", "{bounds: [0, 5]}"]
    hashes = {parse(f"intervals: {{levels: [{text}]}}").levels[1].content_hash for text in texts}
    assert len(hashes) == len(texts)


def test_one_bound_alone_parts_all_numbers_in_two():
    hierarchy = parse("intervals: {levels: [{bounds: [18]}]}")
    step = hierarchy._step(0)
    keys = [(age - step.origin) // step.width for age in (-5, 17, 18, 10**7)]
    assert hierarchy.labels_of(keys, 1, 0) == ["< 18", "< 18", "18+", "18+"]
    assert len(set(keys)) == 2


def test_decimals_of_bounds_are_written_alike():
    hierarchy = parse("intervals: {levels: [{bounds: [-0.5, 1, 2.25]}]}")
    step = hierarchy._step(0)
    keys = [(units - step.origin) // step.width for units in (-51, -50, 100, 225)]
    assert hierarchy.labels_of(keys, 1, 0) == ["< -0.50", "[-0.50, 1.00)", "[1.00, 2.25)", "2.25+"]


def test_levels_of_two_hierarchies_are_compared_by_their_ends():
    one, other = contents(parse(AGES))[1], contents(parse("intervals: {levels: [{bounds: [20, 60, 90]}]}"))[1]
    apart = contents(parse("intervals: {levels: [{bounds: [20, 61]}]}"))[1]
    assert refines(one, other, "INTEGER")
    assert not refines(other, one, "INTEGER")
    assert not refines(one, apart, "INTEGER")
    assert not refines(one, contents(parse("intervals: {levels: [{width: 20}]}"))[1], "INTEGER")


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    with duckdb.connect(str(tmp_path / "p.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE p AS SELECT CAST(range % 100 AS INTEGER) AS age, "
            "CASE WHEN range = 0 THEN 10000000 ELSE 100 + range % 400 END AS income FROM range(2000)"
        )
    engine = Engine(new_state(tmp_path / "state.sqlite"))
    engine.sources.add("s", str(tmp_path / "p.duckdb"))
    engine.datasets.add("p", "s", table="p")
    return engine


def add(engine: Engine, folder: Path, name: str, text: str) -> None:
    (folder / f"{name}.yaml").write_text(text)
    engine.hierarchies.add(name, folder / f"{name}.yaml")


@pytest.mark.slow
def test_a_hierarchy_is_read_back_as_it_was_added(engine: Engine, tmp_path: Path):
    add(engine, tmp_path, "age", AGES)
    assert engine.hierarchies.get("age") == parse(AGES)


@pytest.mark.slow
def test_a_release_has_open_ends_and_an_outlier_costs_no_detail(engine: Engine, tmp_path: Path):
    add(engine, tmp_path, "age", AGES)
    add(engine, tmp_path, "income", "intervals: {levels: [{bounds: [150, 200, 300, 400]}, {bounds: [200, 300]}]}")
    result = engine.run(
        {
            "dataset": "p",
            "k": 5,
            "quasi_identifiers": {"age": {"hierarchy": "age", "from": 1}, "income": {"hierarchy": "income", "from": 1}},
            "release": {"to": str(tmp_path / "r.csv")},
        }
    )
    assert result.levels == {"age": 1, "income": 1}
    frame = result.to_pandas()
    ages = Counter("< 18" if age < 18 else "90+" if age >= 90 else "between" for age in [i % 100 for i in range(2000)])
    assert (frame.age == "< 18").sum() == ages["< 18"]
    assert (frame.age == "90+").sum() == ages["90+"]
    assert set(frame.income) == {"< 150", "[150, 200)", "[200, 300)", "[300, 400)", "400+"}
    assert frame.groupby(["age", "income"]).size().min() == result.k >= 5


def test_labels_with_open_ends_name_all_that_lies_beyond():
    labels = ["< 18", "[18, 40)", "90+", "20", None, "*", "40+", "[18, 41)", "nobody"]
    column = released_column("age", labels, parse(AGES))
    assert column.levels[0] == {1, 3}
    assert column.levels[1] == {3}
    assert column.levels[2] == {1}
    assert column.unknown == (6, 7, 8)
    sets = [set(column.attribute.named[label].tolist()) for label in range(4)]
    assert not sets[0] & sets[1]
    assert not sets[0] & sets[2]
    assert sets[3] <= sets[1]
    for label, values in ((0, ["17", "-40", "-1000000"]), (2, ["90", "95", "9000000"]), (1, ["18", "39"])):
        assert {column.value_of(value) for value in values} <= sets[label]
    assert column.value_of("41") not in sets[0] | sets[1] | sets[2]
