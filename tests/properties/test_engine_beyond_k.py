"""The whole engine against deciding row by row: limits, models, persons; what is released, what is suppressed, how."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordermade import Engine
from tests.long import rounds
from tests.made import Row, new_engine, write_hierarchy, write_table
from tests.properties.by_hand import Asked, Node, decided

COLUMNS = {"sex": "VARCHAR", "age": "INTEGER", "ill": "VARCHAR", "note": "INTEGER", "person": "INTEGER"}
SEX = ("value", "top"), [("f", "*"), ("m", "*")]
AGE = ("value", "pair", "half", "top"), [(age, f"p{age // 2}", f"h{age // 4}", "*") for age in range(8)]
TOPS = (1, 3)
SENSITIVE = 2
OBJECTIVES = ("prec", "prec_suppressed_as_1", "height", "dm", "dm_star", "aecs", "c_avg", "classes")

MODELS = st.one_of(
    st.fixed_dictionaries({"model": st.just("distinct_l"), "l": st.integers(2, 3)}),
    st.fixed_dictionaries({"model": st.just("entropy_l"), "l": st.sampled_from([1.5, 2, 3])}),
    st.fixed_dictionaries({"model": st.just("recursive_cl"), "c": st.sampled_from([0.5, 1, 2]), "l": st.just(2)}),
    st.fixed_dictionaries(
        {
            "model": st.just("t_closeness"),
            "t": st.sampled_from([0, 0.125, 0.25, 0.4]),
            "distance": st.sampled_from(["equal", "ordered"]),
        }
    ),
    st.fixed_dictionaries({"model": st.just("alpha_k"), "alpha": st.sampled_from([0.4, 0.5, 0.75])}),
)


@dataclass(frozen=True)
class Case:
    """A table and what is asked of it."""

    rows: tuple[Row, ...]
    asked: Asked
    objective: str
    suppressed: str
    algorithm: str
    roll_up: bool


@st.composite
def cases(draw: st.DrawFn) -> Case:
    row = st.tuples(
        st.sampled_from("fm"),
        st.integers(0, 7),
        st.sampled_from(["a", "b", "c", None]),
        st.integers(1, 2),
        st.integers(1, 14),
    )
    models = draw(st.lists(MODELS, max_size=2, unique_by=lambda model: model["model"]))
    limit = draw(st.sampled_from(["0", "0.1", "0.29", "0.5", "1"]))
    asked = Asked(draw(st.integers(2, 4)), Fraction(limit), tuple(models), draw(st.booleans()))
    return Case(
        rows=tuple(draw(st.lists(row, min_size=1, max_size=40))),
        asked=asked,
        objective=draw(st.sampled_from(OBJECTIVES)),
        suppressed=draw(st.sampled_from(["drop", "star"])) if asked.limit else "drop",
        algorithm=draw(st.sampled_from(["guided", "guided", "exhaustive"])),
        roll_up=draw(st.booleans()),
    )


@pytest.fixture(scope="module")
def prepared() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        engine = new_engine(Path(folder))
        for name, (header, paths) in {"sex": SEX, "age": AGE}.items():
            engine.hierarchies.add(name, write_hierarchy(Path(folder) / f"{name}.csv", header, paths), "header")
        yield Path(folder)


@pytest.mark.slow
@given(case=cases())
@pytest.mark.long
@settings(max_examples=rounds(5, 14))  # of requests that are run
def test_what_is_released_is_what_deciding_by_hand_releases(case: Case, prepared: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(prepared / "state", Path(folder) / "state")
        _check(case, Path(folder))


def labels(rows: tuple[Row, ...], node: tuple[int, ...]) -> list[Row]:
    """What each row is released as at a node."""
    ages: dict[Any, tuple[Any, ...]] = {path[0]: path for path in AGE[1]}
    return [("*" if node[0] else row[0], ages[row[1]][node[1]]) for row in rows]


def score(case: Case, node: tuple[int, ...], found: Node) -> Any:
    """What the objective makes of a passing node, from its definition."""
    s, n = found.suppressed_units, found.units
    prec = sum((Fraction(level, top) for level, top in zip(node, TOPS, strict=True)), Fraction(0)) / len(TOPS)
    every = decided(case.rows, labels(case.rows, node), None, Asked(1, Fraction(0), (), case.asked.persons)).sizes
    return {
        "prec": prec,
        "prec_suppressed_as_1": (1 - Fraction(s, n)) * prec + Fraction(s, n),
        "height": sum(node),
        "dm": sum(c * c for c in found.sizes) + n * s,
        "dm_star": sum(c * c for c in every),
        "aecs": Fraction(n, len(found.sizes) + (1 if s else 0)),
        "c_avg": Fraction(n - s, len(found.sizes)) / case.asked.k,
        "classes": -len(found.sizes),
    }[case.objective]


def _check(case: Case, folder: Path) -> None:
    engine = Engine(folder / "state" / "state.sqlite", use_cache=False)
    write_table(folder / "s.duckdb", COLUMNS, case.rows)
    engine.sources.add("s", str(folder / "s.duckdb"))
    engine.datasets.add("d", "s", table="persons", entity="person" if case.asked.persons else None, least_k=2)
    result = engine.run(_request(case, folder), roll_up=case.roll_up)
    place = SENSITIVE if case.asked.models else None
    nodes = {
        node: decided(case.rows, labels(case.rows, node), place, case.asked)
        for node in product(*(range(top + 1) for top in TOPS))
    }
    passing = {node: found for node, found in nodes.items() if found.passes(case.asked)}
    assert result.released == bool(passing), result.reason
    if not passing:
        return
    best = min((score(case, node, found), node) for node, found in passing.items())
    assert tuple(result.levels.values()) == best[1]
    found = nodes[best[1]]
    assert (result.k, result.divisions) == (min(found.sizes), len(found.sizes))
    assert result.suppressed_rows == len(found.suppressed)
    assert result.suppressed_persons == (found.suppressed_units if case.asked.persons else None)
    if case.objective != "classes":
        assert result.loss[case.objective] == pytest.approx(float(best[0]))
    frame = result.to_pandas().astype(object)
    released = Counter(
        tuple("" if value is None or value != value else str(value) for value in row)
        for row in frame.itertuples(index=False)
    )
    assert released == _expected(case, best[1], found)


def _request(case: Case, folder: Path) -> dict[str, Any]:
    asked: dict[str, Any] = {
        "dataset": "d",
        "k": case.asked.k,
        "quasi_identifiers": {"sex": {"hierarchy": "sex"}, "age": {"hierarchy": "age"}},
        "keep": ["note"],
        "search": {"algorithm": case.algorithm, "objective": case.objective},
        "release": {"replace": True, "to": str(folder / "out.csv")},
    }
    if case.asked.limit:
        asked["suppression_limit"] = float(case.asked.limit)
        asked["suppressed"] = case.suppressed
    if case.asked.models:
        asked["sensitive"] = {"ill": [dict(model) for model in case.asked.models]}
    # Of few rows half have a note or an illness of their own.
    asked["allow_identifying"] = ["note", *asked.get("sensitive", ())]
    return asked


def _expected(case: Case, node: tuple[int, ...], found: Node) -> Counter[tuple[str, ...]]:
    """The rows of the release, as texts."""
    shown: Counter[tuple[str, ...]] = Counter()
    for number, (row, label) in enumerate(zip(case.rows, labels(case.rows, node), strict=True)):
        sensitive = [row[SENSITIVE]] if case.asked.models else []
        cells = [*label, *sensitive, row[3]]
        if number not in found.suppressed:
            shown[tuple("" if cell is None else str(cell) for cell in cells)] += 1
    if case.suppressed == "star" and found.suppressed_units >= case.asked.k:
        columns = 3 + bool(case.asked.models)
        shown[("*",) * columns] += len(found.suppressed)
    return shown
