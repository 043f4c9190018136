"""Releases judged beside each other, of every kind of source: what differencing gives away is a breach."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine
from ordermade.catalogue.sources import opened as opened_source
from ordermade.errors import InputError, Refused
from ordermade.sources.limits import Limits
from tests.conformance.backends import Made, Table, the_table
from tests.made import new_engine, write_hierarchy

pytestmark = pytest.mark.slow
pytest.importorskip("scipy")

Make = Callable[[Table], Made]
PEOPLE = Table(
    "people",
    {"region": "VARCHAR", "sex": "VARCHAR", "age": "INTEGER"},
    [
        (region, sex, age)
        for region, sex, age, n in (
            ("north", "f", 20, 12),
            ("north", "f", 50, 11),
            ("north", "m", 20, 9),
            ("north", "m", 50, 13),
            ("south", "f", 20, 10),
            ("south", "f", 50, 2),
            ("south", "m", 20, 14),
            ("south", "m", 50, 12),
        )
        for _ in range(n)
    ],
)
HIERARCHIES = {"region": ("north", "south"), "sex": ("f", "m"), "age": ("20", "50")}


def of_people(folder: Path, made: Made) -> Engine:
    """An engine with the dataset `people`, made in a source, and a hierarchy of each of three of its columns."""
    engine = new_engine(folder, limits=Limits("256MB", 1))
    engine.sources.add("s", made.location)
    with opened_source(engine.sources.get("s"), engine.limits) as backend:
        table = the_table(backend).name
    engine.datasets.add("people", "s", table=table, least_k=3)
    for name, values in HIERARCHIES.items():
        engine.hierarchies.add(name, flat(folder / f"{name}.csv", values))
    return engine


@pytest.fixture
def engine(tmp_path: Path, make: Make) -> Engine:
    return of_people(tmp_path, make(PEOPLE))


def flat(file: Path, values: tuple[str, ...], *between: str) -> Path:
    """A hierarchy of values below `*`, with levels of one class between if given."""
    header = ["value", *(f"level {place}" for place in range(1, len(between) + 2))]
    return write_hierarchy(file, header, [(each, *between, "*") for each in values])


def released(engine: Engine, folder: Path, *columns: str, **more: Any) -> int:
    """The number of a release of the values of these columns."""
    content: dict[str, Any] = {
        "quasi_identifiers": {each: {"hierarchy": each, "from": 0, "to": 0} for each in columns},
        "suppression_limit": 0.2,
    }
    return done(engine, folder, {**content, **more})


def done(engine: Engine, folder: Path, content: dict[str, Any]) -> int:
    to = folder / f"{len(engine.releases.list())}.csv"
    result = engine.run({"dataset": "people", "k": 3, "release": {"to": str(to)}, **content})
    assert result.released, result.reason
    return engine.releases.list()[0].id


def test_two_margins_without_a_small_cell_are_safe(engine: Engine, tmp_path: Path) -> None:
    one = released(engine, tmp_path, "region", "sex")
    other = released(engine, tmp_path, "age")
    found = engine.judge_releases([one, other])
    assert found.answer == "safe"
    assert not found.by_refinement  # south, f, 50 has two persons, whom no reader can join
    assert found.by_swaps >= 1


def test_a_release_and_its_margin_give_the_dropped_class_away(engine: Engine, tmp_path: Path) -> None:
    whole = released(engine, tmp_path, "region", "sex", "age")
    margin = released(engine, tmp_path, "region", "sex")
    found = engine.judge_releases([whole, margin])
    assert found.answer == "breach"
    assert {each.releases for each in found.findings} == {(whole, margin)}


def test_a_filter_gives_those_away_whom_it_leaves_out(engine: Engine, tmp_path: Path) -> None:
    every = released(engine, tmp_path, "region", "sex")
    younger = released(engine, tmp_path, "region", "sex", where="NOT (region = 'south' AND sex = 'f' AND age = 50)")
    assert engine.judge_releases([every, younger]).answer == "breach"
    assert engine.judge_releases([every, younger], k=2).answer == "safe"


def test_filters_give_those_away_who_are_parted_by_no_column_of_both(engine: Engine, tmp_path: Path) -> None:
    wide = released(engine, tmp_path, "region", where="age = 50 OR sex = 'f'")
    narrow = released(
        engine, tmp_path, "sex", where="(age = 50 OR sex = 'f') AND NOT (region = 'south' AND age = 50 AND sex = 'f')"
    )
    found = engine.judge_releases([wide, narrow])
    assert found.answer == "breach"
    assert {each.releases for each in found.findings} == {(wide, narrow)}


def test_suppressed_rows_by_their_number_make_a_total(engine: Engine, tmp_path: Path) -> None:
    dropping = released(engine, tmp_path, "region", "sex", "age", k=11, suppression_limit=0.3)
    others = released(engine, tmp_path, "region", where="NOT (region = 'south' AND sex = 'f' AND age = 50)")
    assert engine.judge_releases([dropping, others], k=3).answer == "breach"


def test_a_table_and_the_margin_that_gives_its_cell_away(engine: Engine, tmp_path: Path) -> None:
    hierarchies = {each: {"hierarchy": each, "level": 0} for each in HIERARCHIES}
    content = {"method": "table", "rows": ["region", "sex"], "columns": ["age"], "dimensions": hierarchies}
    with_totals = done(engine, tmp_path, {**content, "totals": [*HIERARCHIES]})
    without = done(engine, tmp_path, {**content, "totals": []})
    margin = released(engine, tmp_path, "region", "sex")
    regions = released(engine, tmp_path, "region")
    assert engine.judge_releases([with_totals, regions]).answer == "safe"  # its totals were in what was protected
    found = engine.judge_releases([without, margin, regions])
    assert found.answer == "breach"
    assert {each.releases for each in found.findings} == {(without, margin)}
    assert {each.hidden for each in found.findings} == {True, False}


def test_releases_of_one_dataset_by_their_number(engine: Engine, tmp_path: Path) -> None:
    one = released(engine, tmp_path, "region")
    with pytest.raises(InputError, match="1 releases are named"):
        engine.judge_releases([one, one])


def test_a_hierarchy_that_changed_since_is_that_of_the_release(engine: Engine, tmp_path: Path) -> None:
    one, other = released(engine, tmp_path, "region"), released(engine, tmp_path, "sex")
    engine.hierarchies.add("sex", flat(tmp_path / "other.csv", ("f", "m"), "a"))
    assert engine.judge_releases([one, other]).answer == "safe"


def test_values_that_two_releases_keep_are_judged(engine: Engine, tmp_path: Path) -> None:
    kept = {"keep": ["age"]}
    one = released(engine, tmp_path, "region", **kept)
    assert engine.judge_releases([one, released(engine, tmp_path, "sex")]).answer == "safe"
    found = engine.judge_releases([one, released(engine, tmp_path, "sex", **kept)])
    assert (found.left_out, found.answer) == ((), "safe")


def test_a_release_of_no_levels_is_named(engine: Engine, tmp_path: Path) -> None:
    one = released(engine, tmp_path, "region")
    cut = done(engine, tmp_path, {"method": "mondrian", "quasi_identifiers": {"sex": {"hierarchy": "sex"}}})
    with pytest.raises(InputError, match=f"release {cut} is of a method whose classes are of no one level"):
        engine.judge_releases([one, cut])


def test_a_release_without_its_entry_is_named(engine: Engine, tmp_path: Path) -> None:
    one, other = released(engine, tmp_path, "region"), released(engine, tmp_path, "sex")
    engine.state_file.path.with_name("ledger.sqlite").unlink()
    with pytest.raises(InputError, match=f"release {one} is not in the ledger"):
        engine.judge_releases([one, other])


def test_releases_of_other_data_are_not_compared(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    rows = ["region,sex,age", *(",".join(map(str, each)) for each in PEOPLE.rows)]
    table.write_text("\n".join(rows) + "\n")
    engine = new_engine(tmp_path, limits=Limits("256MB", 1))
    engine.sources.add("s", str(table))
    engine.datasets.add("people", "s", table="people", least_k=3)
    for name, values in HIERARCHIES.items():
        engine.hierarchies.add(name, flat(tmp_path / f"{name}.csv", values))
    one, other = released(engine, tmp_path, "region"), released(engine, tmp_path, "sex")
    table.write_text("\n".join([*rows, "north,f,20"]) + "\n")
    with pytest.raises(Refused, match=f"release {one} cannot be judged: the data has changed since"):
        engine.judge_releases([one, other])
