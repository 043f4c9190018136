"""Every search finds what exhaustive counting finds, on random tables and random partial orders of levels."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ordermade.lattice.lattice import Axis, Lattice, LevelOrder, Node
from ordermade.lattice.observation import Observation, Requirement
from ordermade.loss.costs import AttributeCosts, attribute_costs, information
from ordermade.loss.metrics import METRICS, losses
from ordermade.loss.objectives import Objective, distance_beyond, objective
from ordermade.search import SEARCHES, Outcome, SearchProblem, choose, drive

pytestmark = pytest.mark.slow

Partition = tuple[int, ...]
"""The class of each value."""


@dataclass(frozen=True)
class Table:
    """A table of small integers, and for each column its levels from finest to coarsest."""

    rows: tuple[tuple[int, ...], ...]
    levels: tuple[tuple[Partition, ...], ...]
    accepted: tuple[tuple[int, ...], ...]

    @cached_property
    def lattice(self) -> Lattice:
        return Lattice(
            tuple(
                Axis(f"c{i}", order_of(levels), accepted)
                for i, (levels, accepted) in enumerate(zip(self.levels, self.accepted, strict=True))
            )
        )

    def classes(self, node: Node) -> Counter[tuple[int, ...]]:
        return Counter(
            tuple(levels[level][value] for levels, level, value in zip(self.levels, node, row, strict=True))
            for row in self.rows
        )

    def measure(self, node: Node) -> Observation:
        return Observation.from_histogram(Counter(self.classes(node).values()).items())

    @cached_property
    def costs(self) -> tuple[AttributeCosts, ...]:
        return tuple(self._costs(position) for position in range(len(self.levels)))

    def _costs(self, position: int) -> AttributeCosts:
        levels = self.levels[position]
        rows_of = Counter(row[position] for row in self.rows)
        base = min(self.accepted[position])
        classes = {}
        for level in range(base, len(levels)):
            rows, leaves = Counter[int](), Counter(levels[level])
            for value, n in rows_of.items():
                rows[levels[level][value]] += n
            classes[level] = [(n, leaves[each]) for each, n in rows.items()]
        return attribute_costs(
            order_of(levels),
            classes,
            leaf_information=information(rows_of.values()),
            domain_leaves=len(levels[0]),
        )


def refines(fine: Partition, coarse: Partition) -> bool:
    return len(set(zip(fine, coarse, strict=True))) == len(set(fine))


def order_of(levels: Sequence[Partition]) -> LevelOrder:
    numbers = range(len(levels))
    return LevelOrder(tuple(tuple(i <= j and refines(levels[i], levels[j]) for j in numbers) for i in numbers))


@st.composite
def hierarchies(draw: st.DrawFn, nested: bool) -> tuple[Partition, ...]:
    """Level 0, some partitions (nested, or any; equal ones too), and `*`; finest first."""
    values = draw(st.integers(1, 5))
    between: list[Partition] = []
    for _ in range(draw(st.integers(0, 3))):
        classes = draw(st.tuples(*[st.integers(0, values - 1)] * values))
        before = between[-1] if nested and between else tuple(range(values))
        between.append(tuple(classes[each] for each in before))
    between.sort(key=lambda partition: -len(set(partition)))
    return (tuple(range(values)), *between, (0,) * values)


MAX_ROWS = 40


@st.composite
def tables(draw: st.DrawFn, nested: bool | None = None) -> Table:
    """Rows that come singly, or each two, three or four times: then the sizes of classes are multiples of that."""
    nest = draw(st.booleans()) if nested is None else nested
    levels = tuple(draw(st.lists(hierarchies(nest), min_size=1, max_size=4)))
    row = st.tuples(*(st.integers(0, len(each[0]) - 1) for each in levels))
    times = draw(st.sampled_from([1, 1, 2, 3, 4]))
    rows = tuple(each for each in draw(st.lists(row, max_size=MAX_ROWS // times)) for _ in range(times))
    accepted = []
    for each in levels:
        first = draw(st.integers(0, len(each) - 1))
        last = draw(st.integers(first, len(each) - 1))
        accepted.append(tuple(range(first, last + 1)))
    return Table(rows, levels, tuple(accepted))


def run(name: str, problem: SearchProblem, table: Table) -> tuple[Outcome, list[Node]]:
    """The outcome of a search, and the nodes it asked for."""
    asked: list[Node] = []

    def measure(batch: Sequence[Node]) -> list[Observation]:
        assert batch
        asked.extend(batch)
        return [table.measure(node) for node in batch]

    return drive(SEARCHES[name].start(problem), measure), asked


def counted(problem: SearchProblem, table: Table) -> Outcome:
    """The outcome by definition: every node counted, nothing concluded."""
    lattice = problem.lattice
    passing = {
        node: observation
        for node in lattice.nodes()
        if (observation := table.measure(node)).k >= problem.k and table.rows
    }
    best = min(passing, key=lambda node: problem.key(node, passing[node]), default=None)
    minimal = (
        node for node in sorted(passing) if not any(other != node and lattice.refines(other, node) for other in passing)
    )
    return Outcome(best, None if best is None else passing[best], tuple(minimal))


def fitting(problem: SearchProblem) -> list[str]:
    return [
        each.name
        for each in SEARCHES.values()
        if each.certifies
        and not (each.needs_nested and problem.lattice.not_nested)
        and not (each.needs_costs and problem.objective.level_costs is None)
    ]


def assert_every_search_agrees(problem: SearchProblem, table: Table) -> None:
    expected = counted(problem, table)
    lattice = problem.lattice
    for name in fitting(problem):
        outcome, asked = run(name, problem, table)
        assert (outcome.best, outcome.observation, outcome.certified) == (expected.best, expected.observation, True), (
            name
        )
        if name not in ("guided", "hitting-set"):  # they look no further than the best
            assert outcome == expected, name
        assert len(asked) == len(set(asked)), f"{name} asked for a node twice"
        for node in asked:
            for level, axis in zip(node, lattice.axes, strict=True):
                assert level in axis.accepted or (name in ("incognito", "guided") and level == axis.top), name


NOT_NESTED = Table(
    rows=((0,), (1,), (2,), (2,), (3,), (3,)),
    levels=(((0, 1, 2, 3), (0, 0, 2, 3), (0, 1, 1, 3), (0, 0, 0, 0)),),
    accepted=((0, 1, 2),),
)
"""Levels 1 and 2 do not refine one another: 1 passes for k = 2, and 2 does not."""


@example(table=NOT_NESTED, k=2, name="prec")
@given(table=tables(), k=st.integers(1, 9), name=st.sampled_from(sorted(METRICS)))
def test_every_search_finds_what_counting_every_node_finds(table: Table, k: int, name: str):
    lattice = table.lattice
    assert_every_search_agrees(
        SearchProblem(lattice, Requirement(k), objective(name, lattice, table.costs, Requirement(k))), table
    )


@given(table=tables(nested=True), k=st.integers(1, 9), name=st.sampled_from(sorted(METRICS)))
def test_where_levels_nest_ola_agrees(table: Table, k: int, name: str):
    lattice = table.lattice
    assert choose("ola", lattice).name == "ola"
    assert_every_search_agrees(
        SearchProblem(lattice, Requirement(k), objective(name, lattice, table.costs, Requirement(k))), table
    )


@given(table=tables(), k=st.integers(1, 9))
def test_the_nearest_node_beyond_a_refusal_is_the_same_for_every_search(table: Table, k: int):
    assert_every_search_agrees(
        SearchProblem(table.lattice.widened(), Requirement(k), distance_beyond(table.lattice)), table
    )


@given(table=tables(), k=st.integers(1, 9))
def test_coarsening_a_passing_node_never_lowers_its_score_nor_k(table: Table, k: int):
    lattice = table.lattice
    nodes = list(lattice.nodes())[:60]
    measured = {node: table.measure(node) for node in nodes}
    objectives: list[Objective] = [objective(name, lattice, table.costs, Requirement(k)) for name in METRICS]
    for fine in nodes:
        for coarse in nodes:
            if lattice.refines(fine, coarse):
                assert measured[fine].k <= measured[coarse].k
                if measured[fine].passes(k):
                    for each in objectives:
                        fine_key = (each.score(fine, measured[fine]),)
                        assert fine_key <= (each.score(coarse, measured[coarse]),), each.name


@given(table=tables(), data=st.data())
def test_losses_are_what_their_definitions_count_row_by_row(table: Table, data: st.DataObject):
    lattice = table.lattice
    node = data.draw(st.sampled_from(list(lattice.nodes())))
    found = losses(lattice, node, table.measure(node), Requirement(1), table.costs)
    bits, shares = 0.0, []
    for position, level in enumerate(node):
        levels = table.levels[position]
        values = [row[position] for row in table.rows]
        leaf, general = Counter(values), Counter(levels[level][value] for value in values)
        bits -= sum(math.log2(leaf[value] / general[levels[level][value]]) for value in values)
        domain, under = len(levels[0]), Counter(levels[level])
        if values and domain > 1:
            blurred = sum(under[levels[level][value]] / domain for value in values)
            shares.append((blurred / len(values) - 1 / domain) / (1 - 1 / domain))
        else:
            shares.append(0.0)
    assert found["entropy"] is not None
    assert found["loss"] is not None
    assert abs(found["entropy"] - bits) < 1e-8
    assert abs(found["loss"] - sum(shares) / len(shares)) < 1e-9
    sizes = table.classes(node).values()
    assert found["dm"] == sum(size * size for size in sizes)
    assert found["classes"] == len(sizes)
