"""Expected cells against brute force, divisions, the predictors within what is proved, and what each refuses."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import numpy.typing as npt
import pytest
from scipy.special import ndtr, pdtr, stdtrit

from ordermade.errors import TooLittleKnown
from ordermade.lattice.lattice import Axis, Lattice, LevelOrder, Node
from ordermade.lattice.observation import Observation, Sizes
from ordermade.lattice.proofs import ClassBounds, Proofs, placed_in
from ordermade.prediction import cells
from ordermade.prediction.cells import ExpectedCells, Fineness, at_most, normal_above
from ordermade.prediction.power import expected_divisions, expected_divisions_of
from ordermade.prediction.prediction import Evidence, quantile, within
from ordermade.prediction.predictors import PREDICTORS, use_best_predictor


class Table:
    """Rows of small codes; level l of an attribute halves the codes l times, the top level is `*`."""

    def __init__(self, rows: np.ndarray, levels: int = 3) -> None:
        self.rows = rows
        self.lattice = Lattice(
            tuple(Axis(f"c{i}", LevelOrder.chain(levels + 1), tuple(range(levels + 1))) for i in range(rows.shape[1]))
        )

    def histogram(self, node: Node) -> Sizes:
        codes = [
            np.zeros(len(self.rows), dtype=int) if level == top else self.rows[:, i] >> level
            for i, (level, top) in enumerate(zip(node, self.lattice.top, strict=True))
        ]
        return tuple(sorted(Counter(Counter(zip(*codes, strict=True)).values()).items()))

    def measure(self, node: Node) -> Observation:
        return Observation.from_histogram(self.histogram(node))

    def alone(self, position: int, level: int) -> Node:
        return tuple(level if i == position else top for i, top in enumerate(self.lattice.top))

    def evidence(self, known: Iterable[Node] = (), *, marginals: bool = True) -> Evidence:
        observed = {node: self.measure(node) for node in known}
        counted = tuple(
            {level: self.histogram(self.alone(i, level)) for level in axis.accepted[:-1]}
            for i, axis in enumerate(self.lattice.axes)
        )
        proofs = Proofs(self.lattice, len(self.rows), placed_in(self.lattice, observed.items()))
        return Evidence(self.lattice, len(self.rows), proofs, observed, counted if marginals else ())


def skewed(seed: int, rows: int = 20_000, attributes: int = 3) -> np.ndarray:
    """Independent attributes of 8 codes whose shares fall by a factor."""
    shares = 0.6 ** np.arange(8)
    return np.random.default_rng(seed).choice(8, size=(rows, attributes), p=shares / shares.sum())


@pytest.fixture(scope="module")
def table() -> Table:
    return Table(skewed(1))


def exact_least(rows: int, sizes: Mapping[int, Sizes], node: Node, tail: float = 0.5) -> int:
    """The quantile of the least non-empty Poisson cell, cell by cell."""
    expected = np.array([float(rows)])
    for each in node:
        classes = np.repeat([s for s, _ in sizes[each]], [n for _, n in sizes[each]])
        expected = np.outer(expected, classes / rows).ravel()
    for m in range(1, rows + 1):
        inside = np.minimum(pdtr(m, expected) - np.exp(-expected), 1 - 1e-16)
        if 1 - math.exp(float(np.log1p(-inside).sum())) >= tail:
            return m
    return rows


def test_the_least_cell_is_that_of_brute_force_within_a_bin():
    rows = 5_000
    sizes: dict[int, Sizes] = {
        0: ((20, 5), (400, 2), (4_100, 1)),
        1: ((500, 1), (1_500, 3)),
        2: ((2_450, 1), (2_550, 1)),
    }
    nodes = [(a, b) for a in sizes for b in sizes]
    found = ExpectedCells(rows, [sizes, sizes]).expected(nodes)
    for node, ln_k in zip(nodes, found.ln_k, strict=True):
        exact = exact_least(rows, sizes, node)
        assert max(ln_k, 0.0) == pytest.approx(math.log(exact), abs=0.021), node


def test_nodes_of_k_1_go_on_below_0_the_more_cells_of_one_row_there_are():
    sizes: dict[int, Sizes] = {level: ((1_000 // classes, classes),) for level, classes in enumerate((2, 10, 50, 200))}
    found = ExpectedCells(1_000, [sizes, sizes]).expected([(level, level) for level in sizes])
    assert found.ln_k[0] > 0
    assert (np.diff(found.ln_k) < 0).all()
    assert found.ln_k[-1] < found.ln_k[2] <= 0
    assert (found.spread > 0).all()


@pytest.mark.parametrize(
    ("proved", "expected", "interval", "bounded"),
    [
        ((1, 1_000), 50, (35, 70), ()),
        ((1, 60), 50, (35, 60), ("high",)),
        ((40, 1_000), 50, (40, 70), ("low",)),
        ((40, 60), 50, (40, 60), ("low", "high")),
        ((1, 30), 50, (30, 30), ("high",)),  # nothing but the bound is left: k is not proved by that
        ((80, 1_000), 50, (80, 80), ("low",)),
        ((1, 1_000), 1, (1, 2), ()),  # that no k is below 1 is no news
        ((1, 1_000), 0.5, (1, 1), ("low",)),  # unless nothing else is left
        ((50, 50), 70, (50, 50), ()),
    ],
)
def test_an_interval_says_which_ends_are_cut_to_what_is_proved(
    proved: tuple[int, int], expected: float, interval: tuple[int, int], bounded: tuple[str, ...]
):
    found = within(ClassBounds(*proved, 1, 9), math.log(expected), 0.2, quantile(None))
    assert (found.low, found.high) == interval
    assert found.bounded == bounded
    assert found.low <= found.k <= found.high


def test_order_of_the_nodes_and_of_the_attributes_changes_nothing(table: Table):
    evidence = table.evidence()
    nodes = list(table.lattice.nodes())
    sizes = [dict(each) | {3: ((20_000, 1),)} for each in evidence.marginals]
    forwards = ExpectedCells(20_000, sizes).expected(nodes)
    backwards = ExpectedCells(20_000, sizes[::-1]).expected([node[::-1] for node in nodes[::-1]])
    assert np.allclose(forwards.ln_k, backwards.ln_k[::-1], atol=0.02)
    assert np.allclose(forwards.divisions, backwards.divisions[::-1], rtol=1e-3)


@pytest.mark.parametrize("most_suppressed", [0, 300])
def test_the_nodes_of_a_product_are_expected_as_each_by_itself(table: Table, most_suppressed: int):
    sizes = [dict(each) | {3: ((20_000, 1),)} for each in table.evidence().marginals]
    cells = ExpectedCells(20_000, sizes, fineness=Fineness(0.1, 0.1), most_suppressed=most_suppressed)
    levels = [np.array([0, 2, 3]), np.array([1, 3]), np.array([0, 1, 2, 3])]
    together = cells.expected_over(levels)
    each = cells.expected(list(product(*(chosen.tolist() for chosen in levels))))
    assert together.ln_k == pytest.approx(each.ln_k, abs=1e-9)
    assert together.spread == pytest.approx(each.spread, abs=1e-9)
    assert together.divisions == pytest.approx(each.divisions)


def test_poisson_and_normal_distributions_are_those_of_scipy():
    means, counts = (
        np.exp(np.linspace(-9, 10, 200)),
        np.array([0, 1, 2, 5, 31, 32, 33, 100, 1_000, 30_000], dtype=float),
    )
    assert np.abs(at_most(counts, means) - pdtr(counts[None, :], means[:, None])).max() < 5e-4
    z = np.linspace(-8, 8, 401)
    assert normal_above(z) == pytest.approx(ndtr(-z), rel=1e-6)


def test_of_poisson_tails_only_those_near_the_mean_are_computed(monkeypatch: pytest.MonkeyPatch):
    means, counts = np.exp(np.linspace(-9, 10, 400)), np.floor(np.exp(np.linspace(4, 10, 300)))
    shape = counts + 1
    z = 3 * np.sqrt(shape) * (np.cbrt(means[:, None] / shape) - 1 + 1 / (9 * shape))
    computed = 0

    def counted(near: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        nonlocal computed
        computed += near.size
        return normal_above(near)

    monkeypatch.setattr(cells, "normal_above", counted)
    assert np.abs(at_most(counts, means) - normal_above(z)).max() < 1e-12
    assert 0 < computed < 0.1 * z.size


@pytest.mark.parametrize("freedom", [3, 4, 5, 7, 10, 30, 1_000])
def test_quantiles_of_students_t_are_those_of_scipy(freedom: int):
    assert quantile(freedom) == pytest.approx(stdtrit(freedom, 0.95), abs=0.003)
    assert quantile(None) == pytest.approx(1.6448536)


@pytest.mark.slow
def test_divisions_are_the_cells_that_hold_a_row(table: Table):
    evidence = table.evidence()
    nodes = list(table.lattice.nodes())
    true = np.array([table.measure(node).divisions for node in nodes])
    assert np.abs(np.array(expected_divisions_of(evidence, nodes)) / true - 1).max() < 0.05
    assert expected_divisions(evidence, table.lattice.top) == 1
    assert expected_divisions(evidence, (0, 3, 3)) == 8


def test_measured_divisions_are_exact_and_bound_the_others(table: Table):
    dependent = Table(np.column_stack((table.rows[:, 0], table.rows[:, 0], table.rows[:, 1])))
    evidence = dependent.evidence([(0, 0, 3)])
    assert expected_divisions(evidence, (0, 0, 3)) == 8
    assert expected_divisions(evidence, (1, 0, 3)) <= 8
    assert expected_divisions(dependent.evidence(), (1, 0, 3)) > 8


def test_divisions_without_marginals_come_from_nodes_of_one_attribute(table: Table):
    alone = [table.alone(i, 1) for i in range(3)]
    assert expected_divisions(table.evidence(alone, marginals=False), (1, 1, 1)) == 4**3
    earlier = replace(table.evidence(marginals=False), earlier={node: table.measure(node) for node in alone})
    assert expected_divisions(earlier, (1, 1, 3)) == 16
    with pytest.raises(TooLittleKnown, match="'c0' has at level 0"):
        expected_divisions(earlier, (0, 1, 3))


def best(evidence: Evidence) -> str:
    """The name of the best predictor that the evidence carries."""
    kind, _ = use_best_predictor(evidence, lambda predictor: predictor)
    return kind.name


@pytest.mark.slow
def test_the_registry_tells_what_each_predictor_is_and_takes_the_best(table: Table):
    assert list(PREDICTORS) == ["dependence", "pairs", "independence", "power"]
    assert all(kind.meaning for kind in PREDICTORS.values())
    pair = [(0, 0, 3)]
    assert best(table.evidence(pair)) == "dependence"
    assert best(table.evidence([(0, 3, 3)])) == "independence"
    alone = [table.alone(i, level) for i in range(3) for level in range(3)]
    assert best(table.evidence(alone, marginals=False)) == "power"


@pytest.mark.slow
def test_with_nothing_known_each_predictor_says_what_it_lacks(table: Table):
    with pytest.raises(
        TooLittleKnown, match=r"dependence, pairs, independence: .*'c0' at level 0.*power: .*0 are known"
    ) as caught:
        best(table.evidence(marginals=False))
    assert "Run a request" in caught.value.next_step
    with pytest.raises(TooLittleKnown, match="no node of two attributes"):
        PREDICTORS["pairs"].build(table.evidence([(0, 3, 3)]))
    with pytest.raises(TooLittleKnown):
        PREDICTORS["power"].build(table.evidence([(0, 0, 0)], marginals=False))


def test_an_empty_dataset_carries_no_prediction():
    lattice = Lattice((Axis("c0", LevelOrder.chain(2), (0, 1)),))
    with pytest.raises(TooLittleKnown, match="no rows"):
        best(Evidence.nothing(lattice, 0))


def test_one_row_has_k_1_everywhere():
    single = Table(np.array([[3, 5]]))
    nodes = list(single.lattice.nodes())
    for each in PREDICTORS["independence"].build(single.evidence()).predict(nodes):
        assert (each.low, each.k, each.high) == (1, 1, 1)
        assert each.chance(2) == 0
        assert each.chance(1) == 1


def test_rows_fewer_than_k_are_sure_to_fail():
    few = Table(skewed(2, rows=30))
    nodes = list(few.lattice.nodes())
    _, predictions = use_best_predictor(few.evidence(), lambda predictor: predictor.predict(nodes))
    for each in predictions:
        assert each.high <= 30
        assert each.chance(1_000) == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", PREDICTORS)
def test_what_was_measured_is_told_exactly_and_the_rest_within_what_it_proves(table: Table, name: str):
    known = [*(table.alone(i, level) for i in range(3) for level in range(3)), (1, 1, 3), (2, 3, 2), (0, 2, 2)]
    evidence = table.evidence(known)
    nodes = list(table.lattice.nodes())
    for node, each in zip(nodes, PREDICTORS[name].build(evidence).predict(nodes), strict=True):
        bounds = evidence.proofs.bounds(node)
        assert bounds.least_k <= each.low <= each.k <= each.high <= bounds.most_k
        if node in known:
            assert (each.k, each.spread) == (table.measure(node).k, 0)


def test_one_attribute_is_exact_without_having_been_measured(table: Table):
    node = table.alone(1, 0)
    (found,) = PREDICTORS["independence"].build(table.evidence()).predict([node])
    assert (found.k, found.low, found.high) == (table.measure(node).k,) * 3


@pytest.mark.slow
def test_pairs_are_the_product_of_the_measured_ratios_where_every_pair_was_measured():
    """The definition of the readings: independence times measured over expected k of each pair of attributes."""
    rows = skewed(3, rows=200_000)
    rows[:, 1] = np.where(np.random.default_rng(4).random(200_000) < 0.25, rows[:, 0], rows[:, 1])
    bent = Table(rows)
    node = (1, 1, 1)
    pairs = [tuple(1 if i in pair else 3 for i in range(3)) for pair in combinations(range(3), 2)]
    independent = PREDICTORS["independence"].build(bent.evidence())
    # Without the bounds of the measured nodes, which may cut either factor.
    bare = replace(bent.evidence(pairs), proofs=Proofs(bent.lattice, 200_000))
    (corrected,) = PREDICTORS["pairs"].build(bare).predict([node])
    (plain, *of_pairs) = (each.k for each in independent.predict([node, *pairs]))
    product = plain * math.prod(bent.measure(pair).k / k for pair, k in zip(pairs, of_pairs, strict=True))
    assert corrected.k == pytest.approx(product, rel=0.01)
    assert abs(math.log(corrected.k / plain)) > 0.1


@pytest.mark.slow
def test_a_pair_at_near_levels_and_a_pair_of_an_earlier_version_tell(table: Table):
    rows = skewed(5, rows=50_000, attributes=2)
    same = np.random.default_rng(6).random(50_000) < 0.3
    bent = Table(np.column_stack((rows[:, 0], np.where(same, rows[:, 0], rows[:, 1]))))
    node, near = (1, 1), [(0, 1), (1, 0)]
    true = bent.measure(node).k
    (plain,) = PREDICTORS["independence"].build(bent.evidence()).predict([node])
    bare = replace(bent.evidence(near), proofs=Proofs(bent.lattice, 50_000))
    (told,) = PREDICTORS["pairs"].build(bare).predict([node])
    assert abs(math.log(told.k / true)) < abs(math.log(plain.k / true))
    before = replace(bent.evidence(), earlier={node: bent.measure(node)})
    (hinted,) = PREDICTORS["pairs"].build(before).predict([node])
    assert hinted.k == pytest.approx(true, rel=0.3)
    assert hinted.low < hinted.high


@pytest.mark.slow
def test_power_predicts_from_an_earlier_version_where_this_one_is_not_measured(table: Table):
    nodes = [node for node in table.lattice.nodes() if node != table.lattice.top]
    earlier = replace(table.evidence(marginals=False), earlier={node: table.measure(node) for node in nodes})
    (found,) = PREDICTORS["power"].build(earlier).predict([(1, 1, 2)])
    assert found.low <= table.measure((1, 1, 2)).k <= found.high
