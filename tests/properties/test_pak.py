"""What pak is told beforehand changes its cost and never its answer, be it true, of another table, or nonsense."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordermade.lattice.lattice import Lattice, Node
from ordermade.lattice.observation import Observation, Requirement, Sizes
from ordermade.lattice.proofs import Proofs, placed_in
from ordermade.loss.metrics import METRICS
from ordermade.loss.objectives import objective
from ordermade.prediction.forecast import Forecast
from ordermade.prediction.prediction import Evidence
from ordermade.search import SEARCHES, Outcome, SearchProblem, drive
from ordermade.search.problem import PakSettings
from tests.properties.test_search import Table, counted, tables


def any_node(lattice: Lattice) -> st.SearchStrategy[Node]:
    """A node with any levels, accepted or not."""
    return st.tuples(*(st.integers(0, axis.top) for axis in lattice.axes))


def any_observation() -> st.SearchStrategy[Observation]:
    """Figures of no table in particular."""
    return st.lists(st.tuples(st.integers(1, 10**6), st.integers(1, 9)), min_size=1, max_size=3).map(
        lambda histogram: Observation.from_histogram(dict(histogram).items())
    )


def sizes_of(rows: int) -> st.SearchStrategy[Sizes]:
    """Class sizes that add up to the rows, of no column in particular."""
    classes = st.lists(st.integers(0, 5), min_size=rows, max_size=rows)
    return classes.map(lambda each: tuple(sorted(Counter(Counter(each).values()).items())))


@st.composite
def evidences(draw: st.DrawFn, table: Table) -> Evidence:
    """True observations as proofs; class sizes and an earlier version's nodes that are true or anything at all."""
    lattice = table.lattice
    rows = len(table.rows)
    known = {node: table.measure(node) for node in draw(st.lists(any_node(lattice), max_size=6))}
    proofs = Proofs(lattice, rows, placed_in(lattice, known.items()))
    marginals = tuple(
        {level: draw(sizes_of(rows)) for level in range(axis.top + 1)} if draw(st.booleans()) else {}
        for axis in lattice.axes
    )
    if draw(st.booleans()):
        marginals = tuple(
            {
                level: table.measure((*lattice.top[:i], level, *lattice.top[i + 1 :])).sizes
                for level in range(axis.top + 1)
            }
            for i, axis in enumerate(lattice.axes)
        )
    earlier = draw(st.dictionaries(any_node(lattice), any_observation(), max_size=5))
    return Evidence(lattice, rows, proofs, known, marginals, earlier)


def run(problem: SearchProblem, table: Table) -> tuple[Outcome, list[Node]]:
    asked: list[Node] = []

    def measure(batch: Sequence[Node]) -> list[Observation]:
        assert batch
        asked.extend(batch)
        return [table.measure(node) for node in batch]

    return drive(SEARCHES["guided"].start(problem), measure), asked


settings = st.builds(
    PakSettings,
    overshoot=st.sampled_from(["include", "exclude"]),
    sample=st.integers(3, 9),
    by_law=st.booleans(),
)


@given(table=tables(), k=st.integers(2, 9), name=st.sampled_from(sorted(METRICS)), told=settings, data=st.data())
@pytest.mark.slow
def test_no_evidence_changes_the_answer(table: Table, k: int, name: str, told: PakSettings, data: st.DataObject):
    lattice = table.lattice
    evidence = data.draw(evidences(table))
    problem = SearchProblem(
        lattice, Requirement(k), objective(name, lattice, table.costs, Requirement(k)), evidence, told
    )
    expected = counted(replace(problem, evidence=None), table)
    outcome, asked = run(problem, table)
    assert outcome.best == expected.best
    assert outcome.certified
    assert outcome.observation in (expected.observation, None)
    if problem.objective.needs_observation:
        assert outcome.observation == expected.observation
    assert len(asked) == len(set(asked))
    assert not any(evidence.proofs.exact(node) for node in asked)


@pytest.mark.slow
@given(table=tables(), k=st.integers(2, 9), name=st.sampled_from(["prec", "classes", "dm"]), data=st.data())
def test_no_forecast_changes_the_answer(table: Table, k: int, name: str, data: st.DataObject):
    lattice = table.lattice
    forecasts = st.sampled_from([0.0, 1.0, 0.5, float("nan"), float("inf"), -1.0])
    numbers = np.array(data.draw(st.lists(forecasts, min_size=lattice.size, max_size=lattice.size)))
    problem = SearchProblem(
        lattice,
        Requirement(k),
        objective(name, lattice, table.costs, Requirement(k)),
        Evidence.nothing(lattice, len(table.rows)),
    )
    with mock.patch.object(Forecast, "chance_to_pass", return_value=numbers.reshape(lattice.shape)):
        outcome, asked = run(problem, table)
    expected = counted(problem, table)
    assert (outcome.best, outcome.observation) == (expected.best, expected.observation)
    assert len(asked) == len(set(asked))


@given(table=tables(), k=st.integers(2, 9), name=st.sampled_from(sorted(METRICS)), data=st.data())
@pytest.mark.slow
def test_without_a_proof_what_is_found_passes_and_nothing_that_passes_is_refused(
    table: Table, k: int, name: str, data: st.DataObject
):
    lattice = table.lattice
    told = PakSettings(overshoot=data.draw(st.sampled_from(["include", "exclude"])))
    evidence = data.draw(st.none() | evidences(table))
    problem = SearchProblem(
        lattice, Requirement(k), objective(name, lattice, table.costs, Requirement(k)), evidence, told
    )
    expected = counted(replace(problem, evidence=None), table)
    outcome, asked = run(problem, table)
    assert (outcome.best is None) == (expected.best is None)
    if outcome.best is not None:
        assert outcome.best in lattice
        assert table.measure(outcome.best).passes(k)
    if outcome.certified:
        assert outcome.best == expected.best
    assert len(asked) == len(set(asked))


@pytest.mark.slow
@given(table=tables(), k=st.integers(2, 9), name=st.sampled_from(["paper-ola", "paper-incognito", "paper-pak"]))
def test_the_papers_searches_find_a_node_that_passes(table: Table, k: int, name: str):
    lattice = table.lattice
    asked: Counter[Node] = Counter()

    def measure(batch: Sequence[Node]) -> list[Observation]:
        assert len(batch) == 1, "the paper asks for one node at a time"
        asked.update(batch)
        return [table.measure(node) for node in batch]

    problem = SearchProblem(lattice, Requirement(k), objective("classes", lattice, table.costs, Requirement(k)))
    outcome = drive(SEARCHES[name].start(problem), measure)
    assert not outcome.certified
    assert max(asked.values(), default=1) == 1
    if outcome.best is not None:
        assert outcome.observation == table.measure(outcome.best)
        assert outcome.observation.passes(k)
    if name == "paper-incognito":
        assert outcome.best == counted(problem, table).best
