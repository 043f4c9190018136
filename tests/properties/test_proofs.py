"""What earlier observations prove is never contradicted by measuring, and saves questions without changing answers.

The observations are of any nodes over the same rows: of the lattice's own levels, of levels of other hierarchies, of
columns that the request leaves out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordermade.lattice import proofs as module
from ordermade.lattice.lattice import Axis, Lattice, LevelOrder, Node
from ordermade.lattice.observation import Observation, Requirement
from ordermade.lattice.proofs import FAILS, MAX_ROWS, PASSES, UNKNOWN, PlacedObservation, Proofs, placed_in
from ordermade.loss.metrics import METRICS
from ordermade.loss.objectives import objective
from ordermade.prediction.prediction import Evidence
from ordermade.search import SEARCHES, Outcome, SearchProblem, drive
from tests.properties.test_search import Partition, Table, refines, tables


@dataclass(frozen=True)
class Earlier:
    """A node measured before: the classes of each column's values, and those of a column that is not asked for."""

    partitions: tuple[Partition, ...]
    left_out: tuple[int, ...]
    forgotten: tuple[frozenset[int], ...]


@st.composite
def known_tables(draw: st.DrawFn, nested: bool | None = None) -> tuple[Table, tuple[PlacedObservation, ...]]:
    """A table with what earlier requests measured of it, placed in its lattice."""
    table = draw(tables(nested))
    nodes = []
    for _ in range(draw(st.integers(0, 6))):
        partitions = []
        for levels in table.levels:
            any_classes = st.tuples(*[st.integers(0, len(levels[0]) - 1)] * len(levels[0]))
            partitions.append(draw(st.sampled_from(levels) | any_classes))
        other_column = st.tuples(*[st.integers(0, 2)] * len(table.rows))
        left_out = draw(st.just((0,) * len(table.rows)) | other_column)
        forgotten = tuple(draw(st.frozensets(st.integers(0, len(levels) - 1))) for levels in table.levels)
        nodes.append(Earlier(tuple(partitions), left_out, forgotten))
    return table, tuple(placed(table, each) for each in nodes)


def placed(table: Table, earlier: Earlier) -> PlacedObservation:
    """An earlier node in the table's lattice; what it is not known to refine, or to be refined by, is forgotten."""
    sizes = Counter(
        (*(each[value] for each, value in zip(earlier.partitions, row, strict=True)), other)
        for row, other in zip(table.rows, earlier.left_out, strict=True)
    )
    coarser, finer = [], []
    for axis, partition, levels, forgotten in zip(
        table.lattice.axes, earlier.partitions, table.levels, earlier.forgotten, strict=True
    ):
        numbers = range(len(levels))
        above = {j for j in numbers if refines(partition, levels[j])} - forgotten | {axis.top}
        below = {j for j in numbers if refines(levels[j], partition)} - forgotten | {0}
        coarser.append(frozenset(j for j in numbers if any(axis.order.refines(i, j) for i in above)))
        finer.append(frozenset(i for i in numbers if any(axis.order.refines(i, j) for j in below)))
    if any(earlier.left_out):
        finer = [frozenset[int]()] * len(finer)
    return PlacedObservation(Observation.from_histogram(Counter(sizes.values()).items()), tuple(coarser), tuple(finer))


def every_node(lattice: Lattice) -> list[Node]:
    """Nodes at any levels, accepted or not; a hundred at most."""
    return list(product(*(range(len(axis.order)) for axis in lattice.axes)))[:100]


@pytest.mark.parametrize("at_once", [module.MAX_CELLS_BOUND_AT_ONCE, 0])
@given(known=known_tables())
@pytest.mark.slow
def test_what_is_proved_is_never_contradicted_by_measuring(
    known: tuple[Table, tuple[PlacedObservation, ...]], at_once: int
):
    table, observations = known
    lattice = table.lattice
    with patch.object(module, "MAX_CELLS_BOUND_AT_ONCE", at_once):
        proofs = Proofs(lattice, len(table.rows), observations)
        for node in every_node(lattice):
            measured, bounds = table.measure(node), proofs.bounds(node)
            assert bounds.least_k <= measured.k <= bounds.most_k
            assert bounds.least_divisions <= measured.divisions <= bounds.most_divisions
            assert proofs.exact(node) in (None, measured)
            for k in (1, 2, 5):
                assert proofs.passes(node, k) in (None, measured.passes(k))


@pytest.mark.slow
@given(known=known_tables())
def test_bounds_cell_by_cell_are_those_of_each_node_alone(known: tuple[Table, tuple[PlacedObservation, ...]]):
    table, observations = known
    nodes = every_node(table.lattice)
    at_once = Proofs(table.lattice, len(table.rows), observations)
    alone = Proofs(table.lattice, len(table.rows), observations)
    expected = [at_once.bounds(node) for node in nodes]
    with patch.object(module, "MAX_CELLS_BOUND_AT_ONCE", 0):
        assert [alone.bounds(node) for node in nodes] == expected


@pytest.mark.slow
@given(known=known_tables(), k=st.integers(1, 6))
def test_tags_are_the_bounds_of_every_cell(known: tuple[Table, tuple[PlacedObservation, ...]], k: int):
    table, observations = known
    lattice = table.lattice
    proofs = Proofs(lattice, len(table.rows), observations)
    tag = {True: PASSES, False: FAILS, None: UNKNOWN}
    assert proofs.tags(Requirement(k)).ravel().tolist() == [tag[proofs.passes(node, k)] for node in lattice.nodes()]
    with_top = [dict.fromkeys((*axis.accepted, axis.top)) for axis in lattice.axes]
    assert proofs.tags_with_top(Requirement(k)).ravel().tolist() == [
        tag[proofs.passes(node, k)] for node in product(*with_top)
    ]


@pytest.mark.slow
@given(known=known_tables())
def test_a_node_of_the_lattice_that_was_measured_is_known_exactly(known: tuple[Table, tuple[PlacedObservation, ...]]):
    table, _ = known
    lattice = table.lattice
    for node in every_node(lattice)[:20]:
        partitions = tuple(levels[level] for levels, level in zip(table.levels, node, strict=True))
        nothing = tuple(frozenset[int]() for _ in node)
        one = placed(table, Earlier(partitions, (0,) * len(table.rows), nothing))
        proofs = Proofs(lattice, len(table.rows), [one])
        assert proofs.exact(node) == table.measure(node)
        bounds = proofs.bounds(node)
        assert bounds.least_k == bounds.most_k == table.measure(node).k


def run(name: str, problem: SearchProblem, table: Table) -> tuple[Outcome, list[Node]]:
    asked: list[Node] = []

    def measure(batch: Sequence[Node]) -> list[Observation]:
        asked.extend(batch)
        return [table.measure(node) for node in batch]

    return drive(SEARCHES[name].start(problem), measure), asked


@pytest.mark.slow
@given(known=known_tables(), k=st.integers(1, 6), of=st.sampled_from(sorted(METRICS)))
def test_what_is_known_saves_questions_and_changes_no_answer(
    known: tuple[Table, tuple[PlacedObservation, ...]], k: int, of: str
):
    table, observations = known
    lattice, rows = table.lattice, len(table.rows)
    goal = objective(of, lattice, table.costs, Requirement(k))
    evidence = Evidence(lattice, rows, Proofs(lattice, rows, observations))
    for name in ("ola", "incognito", "exhaustive"):
        if lattice.not_nested and SEARCHES[name].needs_nested:
            continue
        expected, without = run(name, SearchProblem(lattice, Requirement(k), goal), table)
        outcome, asked = run(name, SearchProblem(lattice, Requirement(k), goal, evidence), table)
        assert (outcome.best, outcome.passing_minimal) == (expected.best, expected.passing_minimal), name
        assert outcome.certified
        assert len(asked) == len(set(asked)), name
        assert set(asked) <= set(without), name
        unmeasured = outcome.observation is None and outcome.best is not None
        assert outcome.observation == expected.observation or (unmeasured and not goal.needs_observation), name
        if name == "exhaustive":
            assert asked == without
        else:
            assert not any(evidence.proofs.passes(node, k) is False for node in asked), name


@pytest.mark.slow
@given(table=tables(), k=st.integers(1, 6), of=st.sampled_from(sorted(METRICS)))
def test_a_lattice_that_is_known_whole_is_asked_nothing(table: Table, k: int, of: str):
    lattice, rows = table.lattice, len(table.rows)
    nothing = tuple(frozenset[int]() for _ in lattice.axes)
    everything = [
        placed(table, Earlier(tuple(each[i] for each, i in zip(table.levels, node, strict=True)), (0,) * rows, nothing))
        for node in lattice.nodes()
    ]
    evidence = Evidence(lattice, rows, Proofs(lattice, rows, everything))
    problem = SearchProblem(lattice, Requirement(k), objective(of, lattice, table.costs, Requirement(k)), evidence)
    if not lattice.not_nested:
        assert run("ola", problem, table)[1] == []
    asked = run("incognito", problem, table)[1]
    assert not [node for node in asked if node in lattice]  # what it asks is of fewer attributes


def test_observations_of_another_content_are_refused() -> None:
    lattice = Lattice((module.Axis("c", LevelOrder.chain(2), (0, 1)),))
    one = PlacedObservation(Observation.from_histogram([(3, 1)]), (frozenset({1}),), (frozenset({0, 1}),))
    with pytest.raises(ValueError, match="another content"):
        Proofs(lattice, 4, [one])
    with pytest.raises(ValueError, match="another content"):
        Proofs(lattice, None, [one])


def test_without_a_row_nothing_passes_and_without_the_rows_nothing_is_known() -> None:
    lattice = Lattice((module.Axis("c", LevelOrder.chain(3), (0, 1)),))
    assert Proofs(lattice, 0).tags(Requirement(1)).tolist() == [FAILS, FAILS]
    assert Proofs(lattice, 5).tags_with_top(Requirement(5)).tolist() == [UNKNOWN, UNKNOWN, PASSES]
    assert Proofs(lattice, 5).tags_with_top(Requirement(6)).tolist() == [FAILS, FAILS, FAILS]
    unknown = Proofs(lattice, None)
    assert unknown.tags_with_top(Requirement(1)).tolist() == [UNKNOWN] * 3
    assert unknown.passes((2,), 1) is None
    assert unknown.exact((2,)) is None


@pytest.mark.parametrize("at_once", [module.MAX_CELLS_BOUND_AT_ONCE, 0])
def test_persons_in_several_classes_may_be_in_more_classes_than_there_are_persons(at_once: int) -> None:
    """Two persons with a row in each of three classes: what is finer has three classes or more, however many."""
    lattice = Lattice((module.Axis("c", LevelOrder.chain(3), (0, 1, 2)),))
    three = Observation.from_histogram([(2, 3)], units=2)
    rows = Observation.from_histogram([(1, 1), (2, 1)])
    with patch.object(module, "MAX_CELLS_BOUND_AT_ONCE", at_once):
        finer = Proofs(lattice, 2, placed_in(lattice, [((1,), three)])).bounds((0,))
        assert (finer.least_divisions, finer.most_divisions) == (3, MAX_ROWS)
        finer = Proofs(lattice, 3, placed_in(lattice, [((1,), rows)])).bounds((0,))
        assert (finer.least_divisions, finer.most_divisions) == (2, 3), "of rows each is in one class"


UNTOLD = {
    # Of 5,000 rows the sizes of 10 are known: suppressing 20 may leave any k from 2 on, whether 2,000 is not told.
    "cut short": (Observation(5_000, 40, 2, 10**6, ((2, 5),)), 20, (2, 5_000), 2_000),
    # One person alone in two classes, both in a third: suppressing one person leaves k = 2, not the 1 of the sizes.
    "persons": (Observation.from_histogram([(1, 2), (2, 1)], units=2), 1, (1, 2), 2),
}


@pytest.mark.parametrize("at_once", [module.MAX_CELLS_BOUND_AT_ONCE, 0])
@pytest.mark.parametrize("name", UNTOLD)
def test_an_observation_that_does_not_tell_the_k_under_the_limit_bounds_it_loosely(name: str, at_once: int) -> None:
    observation, limit, (least, most), k = UNTOLD[name]
    lattice = Lattice((module.Axis("c", LevelOrder.chain(3), (0, 1, 2)),))
    proofs = Proofs(lattice, observation.rows, placed_in(lattice, [((1,), observation)]), limit)
    assert (len(proofs.placed), len(proofs.others)) == (0, 1)
    with patch.object(module, "MAX_CELLS_BOUND_AT_ONCE", at_once):
        assert [(each.least_k, each.most_k) for each in map(proofs.bounds, [(0,), (1,)])] == [(1, most), (least, most)]
    assert proofs.tags(Requirement(k, limit, persons=name == "persons")).tolist() == [UNKNOWN, UNKNOWN, PASSES]


def test_an_observation_bounds_by_the_k_under_the_limit_or_by_its_own_and_is_listed_once() -> None:
    untold, limit, _, _ = UNTOLD["cut short"]
    told = Observation.from_histogram([(20, 1), (4_980, 1)])
    lattice = Lattice((module.Axis("c", LevelOrder.chain(3), (0, 1, 2)),))
    proofs = Proofs(lattice, 5_000, placed_in(lattice, [((0,), untold), ((1,), told)]), limit)
    assert [[each.observation for each in some] for some in (proofs.placed, proofs.others)] == [[told], [untold]]


def test_where_nothing_is_monotone_a_measured_node_has_its_own_answer_alone() -> None:
    """Eight rows in classes of 2 and of 4, one of each failing a model, or none."""
    one = Lattice((Axis("c", LevelOrder.chain(4), (0, 1, 2, 3)),))
    fine, coarse = Observation.from_histogram([(2, 4)]), Observation.from_histogram([(4, 2)])
    required = Requirement(2, models=True, monotone=False)

    def tags(of_fine: tuple[tuple[int, int], ...], of_coarse: tuple[tuple[int, int], ...]) -> list[int]:
        measured = [((1,), replace(fine, failing=of_fine)), ((2,), replace(coarse, failing=of_coarse))]
        found: list[int] = Proofs(one, 8, placed_in(one, measured)).tags(required).tolist()
        return found

    assert tags((), ((4, 1),)) == [UNKNOWN, PASSES, FAILS, UNKNOWN]
    assert tags(((2, 1),), ()) == [UNKNOWN, FAILS, PASSES, UNKNOWN]
