"""One label for different values at two levels: where it is refused, where it does no harm, and what is said of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine
from ordermade.errors import HierarchyError, RequestError
from ordermade.hierarchies.coinciding_labels import coinciding_levels, listed_coinciding, note_of
from ordermade.hierarchies.read import parse_yaml
from tests.made import new_engine

GROUPS = "mapping:\n  1: ['1']\n  2: ['1']\n  3: ['3']\n"
"""The group `1` of the values 1 and 2, and that of 3 alone, whose label says what its value says."""
STARS = "mapping:\n  1: ['*']\n  2: [two]\n  3: [two]\n"
APART = "mapping:\n  1: [low]\n  2: [low]\n  3: ['3']\n"


@pytest.mark.parametrize(
    ("rules", "accepted", "found"),
    [
        (GROUPS, (0, 1, 2), (0, 1)),
        (GROUPS, (1, 2), None),
        (GROUPS, (0, 2), None),
        (GROUPS, (1,), None),
        (STARS, (0, 1, 2), (1, 2)),
        (STARS, (0, 1), None),
        (APART, (0, 1, 2), None),
        ("mapping:\n  1: [a, b]\n  2: [a, a]\n  3: [b, a]\n", (0, 1, 2, 3), (1, 2)),
        ("prefix: {keep: [2, 1], mask: ''}", (0, 1, 2, 3), None),  # known with the values alone
    ],
)
def test_levels_of_a_hierarchy(rules: str, accepted: tuple[int, ...], found: tuple[int, int] | None) -> None:
    assert listed_coinciding(parse_yaml(rules, "c", where="c")[0], accepted) == found


def test_null_is_no_label() -> None:
    assert coinciding_levels({0: [None, "x"], 1: [None, None]}) is None


def test_the_note_names_levels_and_no_label() -> None:
    hierarchy = parse_yaml(GROUPS, "c", where="c")[0]
    assert note_of(hierarchy, None) == ()
    (note,) = note_of(hierarchy, (0, 1))
    assert note == (
        "levels 'value' and 'level1' of the hierarchy 'c' have one label for different values: requests that mix both "
        "(recoding: local, Mondrian along hierarchies) are refused"
    )


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    (tmp_path / "t.csv").write_text(
        "code,zip\n" + "".join(f"{1 + i % 3},{['12', '1234', '1256'][i % 3]}\n" for i in range(30)), encoding="utf-8"
    )
    found = new_engine(tmp_path)
    found.sources.add("s", str(tmp_path / "t.csv"))
    found.datasets.add("t", "s", query="SELECT code, CAST(zip AS VARCHAR) AS zip FROM t")
    for name, rules in {"code": GROUPS, "zip": "prefix: {keep: [3, 2]}", "apart": APART}.items():
        (tmp_path / f"{name}.yaml").write_text(rules, encoding="utf-8")
        found.hierarchies.add(name, tmp_path / f"{name}.yaml")
    return found


def request(folder: Path, column: str, **further: Any) -> dict[str, Any]:
    options: Mapping[str, Any] = further.pop("options", {})
    return {
        "dataset": "t",
        "k": 5,
        "quasi_identifiers": {column: {"hierarchy": column, **options}},
        "release": {"to": str(folder / "out.parquet")},
        **further,
    }


MONDRIAN = {"method": "mondrian", "mondrian": {"variant": "hierarchy"}}
TOLD = "levels 'value' and 'level1' of the hierarchy 'code' have one label for different values"


@pytest.mark.slow
@pytest.mark.parametrize("mixed", [{"recoding": "local"}, MONDRIAN])
def test_mixed_levels_are_refused_before_anything_is_counted(
    engine: Engine, tmp_path: Path, mixed: Mapping[str, Any]
) -> None:
    with pytest.raises(RequestError) as raised:
        engine.run(request(tmp_path, "code", **mixed))
    (problem,) = raised.value.problems
    assert TOLD in problem
    assert engine.run(request(tmp_path, "code", options={"from": 1}, **mixed)).status == "released"


@pytest.mark.slow
@pytest.mark.parametrize("mixed", [{"recoding": "local"}, MONDRIAN])
def test_mixed_levels_are_refused_once_values_are_known(
    engine: Engine, tmp_path: Path, mixed: Mapping[str, Any]
) -> None:
    """`12*` is what is left of 12 where three characters are kept, and of all three where two are."""
    with pytest.raises(HierarchyError) as raised:
        engine.run(request(tmp_path, "zip", **mixed))
    assert raised.value.where == "column 'zip'"
    assert "levels 'level1' and 'level2' of the hierarchy 'zip' have one label" in raised.value.what
    assert "12" not in str(raised.value)
    if mixed is not MONDRIAN:
        with pytest.raises(HierarchyError):
            engine.sweep(request(tmp_path, "zip", **mixed), (5, 10))
    assert engine.run(request(tmp_path, "zip", options={"from": 2}, **mixed)).status == "released"


@pytest.mark.slow
def test_one_level_for_all_rows_and_rounds_are_released(engine: Engine, tmp_path: Path) -> None:
    assert engine.run(request(tmp_path, "code")).status == "released"
    rounds = {"recoding": {"kind": "local", "seal": False}, "release": {"to": str(tmp_path / "rounds.parquet")}}
    assert engine.run(request(tmp_path, "code", **rounds)).status == "released"


@pytest.mark.slow
def test_registering_and_checking_say_so(engine: Engine, tmp_path: Path) -> None:
    assert engine.hierarchies.add("code", tmp_path / "code.yaml").notes[-1].startswith(TOLD)
    assert engine.hierarchies.add("apart", tmp_path / "apart.yaml").notes == ("a last level '*' was added",)
    assert any(line.startswith(TOLD) for line in engine.hierarchies.check("code", "t", "code").report.lines())
    told = "levels 'level1' and 'level2' of the hierarchy 'zip' have one label for different values"
    assert any(line.startswith(told) for line in engine.hierarchies.check("zip", "t", "zip").report.lines())
    assert not any("one label" in line for line in engine.hierarchies.check("apart", "t", "code").report.lines())
