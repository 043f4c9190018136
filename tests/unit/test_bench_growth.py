"""The benchmark of growth: steps that add up to the whole, the columns' GROUP BY, figures as CSV and as a picture."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
import yaml

from bench.grown_members import GrownMembers, grouping, request
from bench.growth import QUASI_IDENTIFIERS
from bench.growth_figures import STEPS, Grown, Part, Seconds, read, steps_of, write
from bench.growth_picture import LINES, draw
from ordermade import Engine
from ordermade.search import MAX_NODES_BY_DEFAULT

PARTS: list[Part] = [
    ("dataset version", "version", 0.5, 0.25),
    ("dataset version", "", 0.5, 0.5),
    ("identifying columns", "", 0.25, 0.25),
    ("coverage of the hierarchies", "coverage", 1.0, 0.5),
    ("coverage of the hierarchies", "", 1.0, 1.0),
    ("search", "frequency set", 4.0, 8.0),
    ("search", "k-check", 2.0, 4.0),
    ("search", "roll-up", 1.0, 1.0),
    ("search", "", 0.5, 0.5),
    ("release", "release", 2.0, 2.5),
    ("release", "", 1.0, 1.0),
    ("record", "", 0.25, 0.25),
]
WHOLE = Seconds(16.0, 21.0)
SIZE = Grown(1_000, 4, 160, 12, 400, Seconds(0.5, 0.75), WHOLE, 0.25, steps_of(PARTS, WHOLE))


def test_every_part_is_in_one_step_and_the_rest_is_the_start():
    assert SIZE.steps == {
        "start": Seconds(2.0, 1.25),
        "version": Seconds(1.25, 1.0),
        "coverage": Seconds(2.0, 1.5),
        "count": Seconds(4.0, 8.0),
        "choose": Seconds(0.5, 0.5),
        "check": Seconds(3.0, 5.0),
        "release": Seconds(2.0, 2.5),
        "verify": Seconds(1.0, 1.0),
        "record": Seconds(0.25, 0.25),
    }
    assert sum(SIZE.steps.values(), Seconds()) == WHOLE
    assert SIZE.ratio == 32


def test_a_step_that_the_table_does_not_have_is_a_mistake():
    with pytest.raises(ValueError, match="local recoding"):
        steps_of([("local recoding", "", 1.0, 1.0)], WHOLE)


def test_figures_are_read_as_they_were_written(tmp_path: Path):
    sizes = [SIZE, replace(SIZE, rows=10_000, memory=1.5)]
    write(sizes, tmp_path / "growth.csv")
    assert read(tmp_path / "growth.csv") == sizes


@pytest.mark.slow
def test_the_picture_has_every_step_in_one_line(tmp_path: Path):
    assert sorted(step for steps, _ in LINES.values() for step in steps) == sorted(STEPS)
    sizes = [replace(SIZE, rows=rows, quasi_identifiers=columns) for rows in (1_000, 10_000) for columns in (4, 6)]
    draw(sizes, tmp_path / "growth.svg")
    assert (tmp_path / "growth.svg").read_text(encoding="utf-8").startswith("<?xml")


@pytest.mark.slow
def test_the_group_by_typed_by_hand_counts_the_classes_of_the_finest_node(tmp_path: Path):
    members = GrownMembers(tmp_path / "made", 2_000)
    members.make()
    with duckdb.connect(str(members.database), read_only=True) as connection:
        ((combinations, smallest),) = connection.execute(grouping(6)).fetchall()

    engine = Engine(members.folder / "state" / "state.sqlite")
    asked = dict(request(6, tmp_path / "out.parquet"))
    columns = asked["quasi_identifiers"].items()
    finest = {name: {**of_column, "to": of_column.get("from", 0)} for name, of_column in columns}
    engine.run({**asked, "quasi_identifiers": finest, "suppression_limit": 1})

    measured = max(engine.observations.list(), key=lambda each: each.divisions)
    assert (measured.divisions, measured.k) == (combinations, smallest)


@pytest.mark.slow
def test_every_request_is_searched_as_it_is_by_default(tmp_path: Path):
    """A lattice of more nodes would be searched without a forecast."""
    members = GrownMembers(tmp_path / "made", 1_000)
    members.make()
    engine = Engine(members.folder / "state" / "state.sqlite")
    for columns in QUASI_IDENTIFIERS:
        members.turn(columns, tmp_path / str(columns))
        with (tmp_path / str(columns) / "request.yaml").open(encoding="utf-8") as file:
            resolved = engine.check(yaml.safe_load(file))
        assert resolved.lattice.size <= MAX_NODES_BY_DEFAULT
    assert resolved.lattice.size == 86_400
