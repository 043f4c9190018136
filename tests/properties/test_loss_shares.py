"""Shares of losses on random tables: 0 for the table as it was, 1 for one class of `*`, never falling between."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordermade.lattice.lattice import Axis, Lattice, LevelOrder, Node
from ordermade.lattice.observation import Observation, Requirement
from ordermade.loss.costs import AttributeCosts, attribute_costs, information
from ordermade.loss.extremes import Extremes
from ordermade.loss.metrics import METRICS, losses
from ordermade.loss.shares import HEADLINES, NO_LOSSES, RANGES, given_up, share, shares
from ordermade.methods.histories.result import losses_of
from ordermade.methods.histories.slots import HistoryLosses, SlotLoss

Rows = list[tuple[int, int]]

LEAVES = 4
TOP = 2
ORDER = LevelOrder.chain(TOP + 1)


def class_of(value: int, level: int) -> int:
    """Four values, two pairs, one class."""
    return value >> level


def costs_of(rows: Rows, place: int) -> AttributeCosts:
    counted = {}
    for level in range(TOP + 1):
        counts = Counter(class_of(row[place], level) for row in rows)
        counted[level] = [(n, 2**level) for n in counts.values()]
    leaves = Counter(row[place] for row in rows)
    return attribute_costs(ORDER, counted, leaf_information=information(leaves.values()), domain_leaves=LEAVES)


def observed(rows: Rows, node: Node) -> Observation:
    counts = Counter(tuple(class_of(v, level) for v, level in zip(row, node, strict=True)) for row in rows)
    return Observation.from_histogram(Counter(counts.values()).items())


def shares_of(rows: Rows, node: Node, k: int = 1) -> dict[str, float | dict[str, float | None] | None]:
    lattice = Lattice([Axis(name, ORDER, tuple(range(TOP + 1))) for name in ("a", "b")])
    costs = [costs_of(rows, place) for place in (0, 1)]
    extremes = Extremes.of_lattice(lattice, len(rows), k, costs, observed(rows, (0, 0)))
    return shares(losses(lattice, node, observed(rows, node), Requirement(k), costs), extremes)


TABLES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=12).filter(
    lambda rows: len({a for a, _ in rows}) > 1 and len({b for _, b in rows}) > 1
)


@given(TABLES)
def test_shares_run_from_the_table_as_it_was_to_one_class(rows: Rows):
    assert set(shares_of(rows, (0, 0)).values()) == {0.0}
    assert all(each == pytest.approx(1.0) for each in shares_of(rows, (TOP, TOP)).values())


@pytest.mark.slow
@given(TABLES)
def test_shares_never_fall_when_a_node_is_coarsened(rows: Rows):
    found = {node: shares_of(rows, node) for node in itertools.product(range(TOP + 1), repeat=2)}
    for node, finer in found.items():
        for coarser in (each for each in found if all(x >= y for x, y in zip(each, node, strict=True))):
            for metric, value in finer.items():
                assert value <= found[coarser][metric] + 1e-9, (metric, node, coarser)


@pytest.mark.slow
@given(TABLES, st.integers(2, 4))
def test_shares_with_suppressed_rows_stay_between_0_and_1(rows: Rows, k: int):
    for node in itertools.product(range(TOP + 1), repeat=2):
        assert all(each is None or 0 <= each <= 1 for each in shares_of(rows, node, k).values())


def test_every_metric_and_objective_has_a_share():
    assert set(METRICS) <= set(RANGES)
    assert set(HEADLINES) <= set(RANGES)


def test_every_loss_of_the_other_methods_has_a_share():
    history = losses_of(HistoryLosses(0.5, (SlotLoss("day", 0.5, 1, 1),), 4, 1, 0.25), k=2)
    assert set(history) - NO_LOSSES <= set(RANGES)
    mondrian = {"loss", "prec", "classes", "dm", "c_avg", "aecs", "by_attribute"}
    assert mondrian | {"sse_over_sst"} <= set(RANGES)


def test_a_metric_of_another_version_has_no_share():
    assert share("unheard_of", 0.5, Extremes()) is None


def test_risks_among_the_losses_of_histories_have_no_share():
    extremes = Extremes(units=8, k=2)
    assert all(share(name, 0.5, extremes) is None for name in NO_LOSSES)
    assert shares({"utility": 0.25, "safety": 0.5, "utility_by_column": {"day": 0.5}}, extremes) == {
        "utility": 0.25,
        "utility_by_column": {"day": 0.5},
    }


def test_by_hand():
    extremes = Extremes(units=100, k=5, classes=50, squares=200, tops=(2, 4), entropy=400.0)
    assert share("height", 3, extremes) == 0.5
    assert share("classes", 50, extremes) == 0.0
    assert share("classes", 1, extremes) == 1.0
    assert share("classes", 25.5, extremes) == 0.5
    assert share("dm", 200, extremes) == 0.0
    assert share("dm", 10_000, extremes) == 1.0
    assert share("aecs", 2, extremes) == 0.0
    assert share("aecs", 51, extremes) == 0.5
    assert share("c_avg", 0.4, extremes) == 0.0
    assert share("c_avg", 20, extremes) == 1.0
    assert share("entropy", 100, extremes) == 0.25
    assert share("by_attribute.age", 0.3, extremes) == 0.3


def test_an_extreme_that_is_not_known_leaves_no_share():
    extremes = Extremes(units=100, k=5)
    assert all(share(name, 7, extremes) is None for name in ("classes", "dm", "aecs", "c_avg", "entropy", "height"))
    assert share("prec", 0.5, extremes) == 0.5


def test_an_attribute_with_nothing_to_give_up_does_not_count():
    assert share("prec", 0.5, Extremes(tops=(2, 0))) == 1.0
    assert share("height", 0, Extremes(tops=(0, 0))) == 0.0


def test_the_headline_is_loss_before_prec():
    assert given_up({"prec": 0.5, "loss": 0.25}) == ("loss", 0.25)
    assert given_up({"prec": 0.5, "loss": None}) == ("prec", 0.5)
    assert given_up({"by_attribute": {"age": 0.5}}) is None


def test_a_loss_of_nothing_is_no_negative_zero() -> None:
    """Of classes more is better: both differences of the share are negative."""
    found = share("classes", 60, Extremes(units=100, k=2, classes=60))
    assert f"{found}" == "0.0"
