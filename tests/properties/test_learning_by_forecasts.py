"""Forecasts learn: on held-out requests of a made service, more observations make no larger errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest

from bench.coded_table import CodedTable
from bench.forecasts import Judged, by_name, chosen, errors, filled, held_out
from bench.wide_service import BroadService
from ordermade.lattice.lattice import Axis, Lattice, LevelOrder, Node
from ordermade.lattice.observation import Observation
from ordermade.lattice.proofs import Proofs, placed_in
from ordermade.prediction.independence import Independence
from ordermade.prediction.prediction import Evidence
from ordermade.prediction.predictors import least_erring

CHECKPOINTS = (0, 10, 100)
Known = Mapping[int, Mapping[Node, Observation]]


@pytest.fixture(scope="module")
def learnt() -> tuple[CodedTable, Known, list[Judged]]:
    """A service of 5,000 members, table C at each checkpoint, and held-out requests."""
    table = BroadService(36, 7)
    known = filled(table, 24, CHECKPOINTS)
    return table, known, held_out(table, known[CHECKPOINTS[-1]], 24, 30)


@pytest.mark.slow
def test_errors_on_nodes_never_proved_do_not_rise_with_observations(
    learnt: tuple[CodedTable, Known, list[Judged]],
) -> None:
    table, known, judged = learnt
    first, *later = (errors(table, known[number], judged, chosen) for number in CHECKPOINTS)
    for each in later:
        assert each.ratio - 1 <= 1.05 * (first.ratio - 1)
        assert each.brier <= 1.05 * first.brier
    assert later[-1].brier <= 0.10
    # Corrections that do not fade carry what searches measure at the border to nodes of another k.
    carried = errors(table, known[CHECKPOINTS[-1]], judged, by_name("pairs"))
    assert carried.ratio - 1 > 1.2 * (first.ratio - 1)


ROWS = 2**16
LATTICE = Lattice(tuple(Axis(column, LevelOrder.chain(5), tuple(range(5))) for column in "abc"))
MARGINALS = tuple({level: ((ROWS >> (4 - level), 16 >> level),) for level in range(5)} for _ in LATTICE.axes)
"""Three columns of 16 equal values each, whose classes halve in number from level to level."""
NODES = [node for node in LATTICE.nodes() if sum(map(int.__ne__, node, LATTICE.top)) > 1]


def measured(nodes: Sequence[Node], times: Callable[[Node], float]) -> Evidence:
    """The evidence of nodes whose k is so many times that of independent columns."""
    nothing = Evidence(LATTICE, ROWS, Proofs(LATTICE, ROWS), {}, MARGINALS)
    found: dict[Node, Observation] = {}
    for node, each in zip(nodes, Independence(nothing).predict(nodes), strict=True):
        divisions = math.prod(16 >> level for level in node)
        k = max(1, round(each.k * times(node)))
        found[node] = Observation(ROWS, divisions, k, ROWS * ROWS // divisions, ())
    return replace(nothing, proofs=Proofs(LATTICE, ROWS, placed_in(LATTICE, found.items())), observed=found)


def dependent(node: Node) -> float:
    """Two columns belong together: whatever has both has a quarter of the k."""
    return 0.25 if node[0] < 4 and node[1] < 4 else 1.0


def misleading(node: Node) -> float:
    """Independent columns, but for one node of every two of them, which says nothing of any other."""
    return 30.0 if sorted(node) == [0, 0, 4] else 1.0


@pytest.mark.parametrize(
    ("times", "first", "better", "worse"),
    [(dependent, "pairs", "dependence", "independence"), (misleading, "independence", "independence", "dependence")],
)
def test_the_predictor_that_erred_least_is_first_once_it_is_known(
    times: Callable[[Node], float], first: str, better: str, worse: str
) -> None:
    found = [each.kind.name for each in least_erring(measured(NODES, times))]
    assert found[0] == first
    assert found.index(better) < found.index(worse)
    assert set(found) == {"dependence", "pairs", "independence", "power"}
    # Two nodes speak for nobody yet, though others err less on them, and none for nobody at all.
    for few in ([(0, 1, 0), (1, 3, 4)], []):
        assert least_erring(measured(few, times))[0].kind.name == "dependence"
