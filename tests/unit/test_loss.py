"""Costs of levels, losses of nodes, and objectives, against figures worked out by hand."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from ordermade.errors import RequestError, UnknownName
from ordermade.lattice.lattice import Axis, Lattice
from ordermade.lattice.observation import Observation
from ordermade.lattice.order import LevelOrder
from ordermade.lattice.requirement import Requirement
from ordermade.loss.costs import AttributeCosts, attribute_costs, information
from ordermade.loss.losses import losses, prec
from ordermade.loss.objectives import OBJECTIVES, distance_beyond, objective

LEAVES = {"a": 1, "b": 3, "c": 4}
"""Rows of each value of a hierarchy of four leaves a b | c d; d does not occur."""

CHAIN = LevelOrder.chain(3)


def costs_of_letters(base: int = 0) -> AttributeCosts:
    classes = {0: [(1, 1), (3, 1), (4, 1)], 1: [(4, 2), (4, 2)], 2: [(8, 4)]}
    counted = {level: classes[level] for level in range(base, 3)}
    return attribute_costs(CHAIN, counted, leaf_information=information(LEAVES.values()), domain_leaves=4)


def test_costs_by_hand():
    costs = costs_of_letters()
    bits = -(math.log2(1 / 4) + 3 * math.log2(3 / 4))
    assert costs.entropy[0] == 0.0
    assert costs.entropy[1] == pytest.approx(bits, abs=1e-9)
    assert costs.entropy[2] == pytest.approx(-sum(n * math.log2(n / 8) for n in LEAVES.values()), abs=1e-9)
    assert costs.loss == (0.0, math.floor(1 / 3 * 1e10) / 1e10, 1.0)


def test_each_cost_is_rounded_down_to_ten_decimals():
    costs = costs_of_letters()
    assert costs.loss[1] == 0.3333333333
    assert costs.entropy[1] is not None
    assert round(costs.entropy[1], 10) == costs.entropy[1]


def test_what_is_finer_than_the_counted_levels_is_not_known_but_the_ends_are():
    costs = attribute_costs(
        LevelOrder.chain(4), {2: [(8, 2)]}, leaf_information=information(LEAVES.values()), domain_leaves=4
    )
    assert costs.entropy[0] == 0.0
    assert costs.entropy[1] is None
    assert costs.loss == (0.0, None, pytest.approx(1 / 3), 1.0)
    assert costs_of_letters(base=2).entropy[2] == costs_of_letters().entropy[2]


def test_a_hierarchy_without_a_number_of_leaves_has_no_loss_between_its_ends():
    costs = attribute_costs(CHAIN, {1: [(8, 0)]}, leaf_information=0.0, domain_leaves=None)
    assert costs.loss == (0.0, None, 1.0)


@pytest.mark.parametrize("domain_leaves", [0, 1])
def test_a_domain_of_one_leaf_loses_nothing(domain_leaves):
    costs = attribute_costs(CHAIN, {1: [(8, 1)]}, leaf_information=information([8]), domain_leaves=domain_leaves)
    assert costs.loss == (0.0, 0.0, 0.0)
    assert costs.entropy == (0.0, 0.0, 0.0)


def test_an_empty_column_loses_nothing():
    costs = attribute_costs(CHAIN, {0: [], 1: []}, leaf_information=0.0, domain_leaves=4)
    assert costs.loss == (0.0, 0.0, 0.0)
    assert costs.entropy == (0.0, 0.0, 0.0)


def test_costs_need_a_counted_level():
    with pytest.raises(ValueError, match="at least one level"):
        attribute_costs(CHAIN, {}, leaf_information=0.0, domain_leaves=4)


def test_equal_classes_cost_the_same_whatever_the_rounding():
    counts = [n + 1 for n in range(1_000)]
    shuffled_sum = sum(n * math.log2(n) for n in reversed(counts))
    costs = attribute_costs(
        LevelOrder.chain(4),
        {level: [(n, 1) for n in counts] for level in (0, 1, 2)},
        leaf_information=shuffled_sum * (1 - 1e-13),
        domain_leaves=1_000,
    )
    assert costs.entropy[:3] == (0.0, 0.0, 0.0)
    assert costs.loss[:3] == (0.0, 0.0, 0.0)


def test_two_single_rows_merged_cost_their_two_bits_even_among_very_many_rows():
    many = 10**10
    costs = attribute_costs(
        CHAIN, {1: [(many, 1), (2, 2)]}, leaf_information=information([many, 1, 1]), domain_leaves=3
    )
    assert costs.entropy[1] == pytest.approx(2.0, abs=1e-3)


LATTICE = Lattice((Axis("letter", CHAIN, (0, 1, 2)), Axis("sex", LevelOrder.chain(2), (0, 1))))
OBSERVATION = Observation.from_histogram([(1, 1), (3, 1), (4, 1)])
COSTS = (
    costs_of_letters(),
    attribute_costs(LevelOrder.chain(2), {0: [(8, 1)]}, leaf_information=information([4, 4]), domain_leaves=2),
)


def test_losses_by_hand():
    figures = losses(LATTICE, (1, 1), OBSERVATION, 2, COSTS).as_dict()
    assert list(figures) == ["prec", "height", "divisions", "dm", "c_avg", "aecs", "entropy", "loss"]
    assert figures == {
        "prec": 0.75,
        "height": 2,
        "divisions": 3,
        "dm": 26,
        "c_avg": 8 / 3 / 2,
        "aecs": 8 / 3,
        "entropy": pytest.approx(8 + 3.245112497836531, abs=1e-9),
        "loss": pytest.approx((1 / 3 + 1) / 2, abs=1e-9),
    }


def test_losses_without_costs_and_of_an_empty_dataset():
    figures = losses(LATTICE, (1, 1), Observation.from_histogram([]), 2, None)
    assert (figures.entropy, figures.loss, figures.c_avg, figures.aecs, figures.dm) == (
        None,
        None,
        0.0,
        0.0,
        0,
    )


def test_a_level_whose_cost_is_not_known_makes_the_sum_unknown():
    unknown = (AttributeCosts((0.0, None, 1.0), (0.0, None, 1.0)), COSTS[1])
    figures = losses(LATTICE, (1, 1), OBSERVATION, 2, unknown)
    assert (figures.entropy, figures.loss) == (None, None)


def test_prec_is_exact():
    lattice = Lattice(tuple(Axis(name, LevelOrder.chain(4), (0, 1, 2, 3)) for name in "abc"))
    assert prec(lattice, (1, 1, 1)) == Fraction(1, 3)
    assert prec(Lattice((Axis("only", LevelOrder.chain(1), (0,)),)), (0,)) == 0


def test_every_objective_has_a_loss_of_its_name_and_the_same_value():
    figures = losses(LATTICE, (1, 0), OBSERVATION, 2, COSTS).as_dict()
    assert list(OBJECTIVES) == list(figures)
    for name, value in figures.items():
        score = objective(name, LATTICE, COSTS, Requirement(2)).score((1, 0), OBSERVATION)
        assert isinstance(score, int | float | Fraction)
        assert float(score) == (-value if name == "divisions" else value)


def test_objectives_that_need_an_observation_say_so():
    needing = {name for name in OBJECTIVES if objective(name, LATTICE, COSTS, Requirement(2)).needs_observation}
    assert needing == {"divisions", "dm", "c_avg", "aecs"}
    for name in OBJECTIVES:
        bound = objective(name, LATTICE, COSTS, Requirement(2))
        if name in needing:
            with pytest.raises(ValueError, match="observation"):
                bound.score((0, 0), None)
        else:
            bound.score((0, 0), None)


def test_an_objective_of_no_known_name():
    with pytest.raises(UnknownName, match="Did you mean 'entropy'"):
        objective("entropie", LATTICE, COSTS, Requirement(2))


@pytest.mark.parametrize("name", ["entropy", "loss"])
@pytest.mark.parametrize("costs", [None, (AttributeCosts((0.0, None, 1.0), (0.0, None, 1.0)), COSTS[1])])
def test_an_objective_whose_costs_are_not_known_is_refused(name, costs):
    with pytest.raises(RequestError, match="'letter'"):
        objective(name, LATTICE, costs, Requirement(2))


def test_the_cost_of_a_level_outside_the_request_is_an_error_not_a_number():
    narrow = Lattice((Axis("letter", CHAIN, (0, 2)), LATTICE.axes[1]))
    costs = (AttributeCosts((0.0, None, 1.0), (0.0, None, 1.0)), COSTS[1])
    with pytest.raises(ValueError, match="not accepted"):
        objective("loss", narrow, costs, Requirement(2)).score((1, 0), None)


def test_distance_beyond_counts_steps_above_the_accepted_levels_then_prec():
    accepted = Lattice((Axis("age", LevelOrder.chain(5), (0, 1)), Axis("sex", LevelOrder.chain(2), (0,))))
    distance = distance_beyond(accepted)
    assert distance.score((1, 0), None) == (0, Fraction(1, 8))
    assert distance.score((3, 1), None) == (3, Fraction(7, 8))
    assert distance.score((2, 0), None) == (1, Fraction(1, 4))
    assert distance.score((0, 1), None) == (1, Fraction(1, 2))
