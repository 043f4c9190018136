"""The whole engine against counting by hand: random tables, random partial-order hierarchies, every search."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordermade import Engine
from ordermade.counting import oracle
from ordermade.errors import RequestError
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.lattice.lattice import Axis, Lattice
from ordermade.lattice.observation import Requirement
from ordermade.loss.metrics import METRICS
from ordermade.loss.objectives import objective
from ordermade.methods.generalization.result import GeneralizationResult
from ordermade.search import SEARCHES
from tests.long import rounds
from tests.made import Row, Value, counted, new_engine, observed, write_hierarchy, write_table

COUNTING = ("stored set", "rolled up", "in the source")
OBJECTIVES = ("prec", "height", "classes", "dm", "aecs", "c_avg")


@dataclass(frozen=True)
class Case:
    """A table and what is asked of it."""

    rows: tuple[Row, ...]
    kinds: tuple[str, ...]
    paths: tuple[tuple[tuple[Value, ...], ...], ...]
    ranges: tuple[tuple[float, float], ...]
    k: int
    objective: str
    runs: tuple[tuple[str, str], ...]


def run(engine: Engine, request: dict[str, object], counting: str) -> GeneralizationResult:
    """The answer, counted in one of the three ways; `rolled up` rolls up sets of any length, for the first node."""
    if counting != "rolled up":
        return engine.run(request, roll_up=counting == "stored set")
    with mock.patch.multiple(oracle, WORTH_ROLLING_UP=0, WORTH_WAITING_FOR=0, SHRINKS=1):
        return engine.run(request)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    kinds = draw(st.lists(st.sampled_from(["INTEGER", "VARCHAR"]), min_size=1, max_size=3))
    paths, columns = [], []
    for kind in kinds:
        size = draw(st.integers(1, 5))
        values: list[Value] = [f"v {n}" if kind == "VARCHAR" else n for n in range(size)]
        null = draw(st.sampled_from(["none", "unlisted", "listed"]))
        leaves: list[Value] = [*values, None] if null == "listed" else values
        levels = draw(st.lists(st.lists(st.integers(0, size), min_size=len(leaves), max_size=len(leaves)), max_size=3))
        paths.append(tuple((leaf, *(f"g{level[i]}" for level in levels)) for i, leaf in enumerate(leaves)))
        columns.append(st.sampled_from(values if null == "none" else [*values, None]))
    rows = draw(st.lists(st.tuples(*columns), min_size=1, max_size=40))
    ranges = [draw(st.tuples(st.floats(0, 1), st.floats(0, 1))) for _ in kinds]
    asked = draw(st.sampled_from(OBJECTIVES))
    weighted = METRICS[asked].weighted
    certifying = [each.name for each in SEARCHES.values() if each.certifies and (weighted or not each.needs_costs)]
    # Every node is counted in every way, and each search that leaves some out in one of them.
    runs = [("exhaustive", each) for each in COUNTING]
    runs += [(each, draw(st.sampled_from(COUNTING))) for each in certifying if each != "exhaustive"]
    return Case(tuple(rows), tuple(kinds), tuple(paths), tuple(ranges), draw(st.integers(2, 5)), asked, tuple(runs))


@pytest.fixture(scope="module")
def empty_state() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield new_engine(Path(folder)).state_file.path


def accepted(share: tuple[float, float], top: int) -> tuple[int, int]:
    low, high = sorted(round(each * top) for each in share)
    return low, high


@pytest.mark.slow
@given(case=cases())
@pytest.mark.long
@settings(max_examples=rounds(3, 12))  # of seven requests each: COUNTING, and the other searches
def test_every_search_finds_what_counting_by_hand_finds(case: Case, empty_state: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _check(case, Path(folder), empty_state)


def _check(case: Case, folder: Path, empty_state: Path) -> None:
    state = folder / "state.sqlite"
    shutil.copy(empty_state, state)
    engine = Engine(state)
    names = [f"c{position}" for position in range(len(case.kinds))]
    write_table(folder / "s.duckdb", dict(zip(names, case.kinds, strict=True)), case.rows)
    engine.sources.add("s", str(folder / "s.duckdb"))
    engine.datasets.add("d", "s", table="persons", least_k=2)
    hierarchies = []
    for name, paths in zip(names, case.paths, strict=True):
        header = ["value", *(f"given{i}" for i in range(1, len(paths[0])))]
        added = engine.hierarchies.add(name, write_hierarchy(folder / f"{name}.csv", header, paths), "header")
        assert isinstance(added.hierarchy, ExplicitHierarchy)
        hierarchies.append(added.hierarchy)
    ranges = [accepted(share, each.top) for share, each in zip(case.ranges, hierarchies, strict=True)]
    expected = _by_hand(case, hierarchies, ranges)
    known_k: dict[tuple[str, str], int | None] = {}
    for algorithm, counting in case.runs:
        request = {
            "dataset": "d",
            "k": case.k,
            "quasi_identifiers": {
                name: {"hierarchy": name, "from": low, "to": high}
                for name, (low, high) in zip(names, ranges, strict=True)
            },
            "search": {"algorithm": algorithm, "objective": case.objective},
            "release": {"replace": True, "to": str(folder / f"{algorithm}.csv")},
        }
        # A state of its own for each run: what table C learnt from one search must not answer for another.
        own = folder / f"{algorithm}-{counting}.duckdb"
        shutil.copy(state, own)
        fresh = Engine(own, use_cache=False)
        try:
            result = run(fresh, request, counting)
        except RequestError:
            assert algorithm == "ola"
            assert any(
                not each.order.is_chain(range(low, high + 1))
                for each, (low, high) in zip(hierarchies, ranges, strict=True)
            )
            continue
        known_k[algorithm, counting] = result.k
        if expected is None:
            assert not result.released
            _check_nearest(result.nearest and tuple(result.nearest.levels.values()), case, hierarchies)
            continue
        assert tuple(result.levels.values()) == expected
        seen = observed(case.rows, hierarchies, expected)
        assert (result.k, result.divisions, result.loss["dm"]) == (seen.k, seen.divisions, seen.sum_of_squares)
        frame = result.to_pandas()
        released = Counter(
            tuple(None if value is None or value != value else str(value) for value in row)
            for row in frame[names].itertuples(index=False)
        )
        by_hand = counted(case.rows, hierarchies, expected)
        assert released == {
            tuple(None if value is None else str(value) for value in cell): n for cell, n in by_hand.items()
        }
        assert min(released.values()) >= case.k
    assert len(set(known_k.values())) == 1


def _by_hand(case: Case, hierarchies: list[ExplicitHierarchy], ranges: list[tuple[int, int]]) -> tuple[int, ...] | None:
    lattice = Lattice(
        tuple(
            Axis(f"c{i}", each.order, tuple(range(low, high + 1)))
            for i, (each, (low, high)) in enumerate(zip(hierarchies, ranges, strict=True))
        )
    )
    score = objective(case.objective, lattice, None, Requirement(case.k))
    passing = []
    for node in lattice.nodes():
        seen = observed(case.rows, hierarchies, node)
        if seen.passes(case.k):
            passing.append((score.score(node, seen), node))
    return min(passing)[1] if passing else None


def _check_nearest(nearest: tuple[int, ...] | None, case: Case, hierarchies: list[ExplicitHierarchy]) -> None:
    if len(case.rows) < case.k:
        assert nearest is None
    else:
        assert nearest is not None
        assert observed(case.rows, hierarchies, nearest).passes(case.k)
