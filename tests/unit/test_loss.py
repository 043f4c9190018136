"""Costs of levels, losses of nodes, and objectives, against figures worked out by hand."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from ordermade.errors import RequestError, UnknownName
from ordermade.lattice.lattice import Axis, Lattice, LevelOrder
from ordermade.lattice.observation import Observation, PersonSizes, Requirement, SuppressedFigures
from ordermade.loss.costs import AttributeCosts, attribute_costs, information
from ordermade.loss.metrics import METRICS, OfCosts, OfLevels, losses
from ordermade.loss.objectives import distance_beyond, objective
from ordermade.loss.shapes import GeneralizationLoss

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


def test_costs_are_rounded_down_to_ten_decimals():
    """Of 3 rows one in a class of 3 of 4 leaves is 2/9; of single rows a class of 2 and one of 3 cost 2 + 4.75 bits."""
    costs = attribute_costs(CHAIN, {1: [(1, 3), (2, 1)]}, leaf_information=0.0, domain_leaves=4)
    assert costs.loss == (0.0, 0.2222222222, 1.0)
    costs = attribute_costs(CHAIN, {1: [(2, 2), (3, 3)]}, leaf_information=0.0, domain_leaves=5)
    assert costs.entropy[1] == 6.7548875021  # 2 + 3 log2 3 = 6.75488750216…


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
    figures = losses(LATTICE, (1, 1), OBSERVATION, Requirement(1), COSTS)
    assert figures == {
        "prec": 0.75,
        "prec_suppressed_as_1": 0.75,
        "height": 2,
        "classes": 3,
        "dm": 26,
        "dm_star": 26,
        "c_avg": 8 / 3,
        "aecs": 8 / 3,
        "entropy": pytest.approx(8 + 3.245112497836531, abs=1e-9),
        "entropy_ignoring_suppression": pytest.approx(8 + 3.245112497836531, abs=1e-9),
        "loss": pytest.approx((1 / 3 + 1) / 2, abs=1e-9),
    }


def test_losses_without_costs_and_of_an_empty_dataset():
    figures = losses(LATTICE, (1, 1), Observation.from_histogram([]), Requirement(2), None)
    assert (figures["entropy"], figures["loss"], figures["c_avg"], figures["aecs"], figures["dm"]) == (
        None,
        None,
        0.0,
        0.0,
        0,
    )


def test_a_level_whose_cost_is_not_known_makes_the_sum_unknown():
    unknown = (AttributeCosts((0.0, None, 1.0), (0.0, None, 1.0)), COSTS[1])
    figures = losses(LATTICE, (1, 1), OBSERVATION, Requirement(1), unknown)
    assert (figures["entropy"], figures["loss"]) == (None, None)


def test_prec_is_exact():
    lattice = Lattice(tuple(Axis(name, LevelOrder.chain(4), (0, 1, 2, 3)) for name in "abc"))
    assert objective("prec", lattice, None, Requirement(2)).score((1, 1, 1), None) == Fraction(1, 3)
    only = Lattice((Axis("only", LevelOrder.chain(1), (0,)),))
    assert objective("prec", only, None, Requirement(2)).score((0,), None) == 0
    assert losses(only, (0,), OBSERVATION, Requirement(1), None)["prec"] == 0


def test_every_objective_has_a_loss_of_its_name_and_the_same_value():
    figures = losses(LATTICE, (1, 0), OBSERVATION, Requirement(1), COSTS)
    assert list(figures) == list(METRICS)
    for name, value in figures.items():
        score = objective(name, LATTICE, COSTS, Requirement(1)).score((1, 0), OBSERVATION)
        assert isinstance(score, int | float | Fraction)
        assert float(score) == (-value if name == "classes" else value)


def test_the_losses_of_a_result_are_those_of_the_registry():
    assert set(GeneralizationLoss.__annotations__) == set(METRICS)


def test_a_metric_is_ranked_by_one_that_can_be_known_before_counting():
    for name, metric in METRICS.items():
        by = METRICS[metric.ranked_by]
        assert by.ranked_by == by.name, name
        assert isinstance(by.formula, OfLevels | OfCosts) or by.name == "classes", name


def test_the_shares_are_what_1_over_k_can_be_added_to():
    assert {name for name, metric in METRICS.items() if metric.share} == {"prec", "prec_suppressed_as_1", "loss"}


def test_objectives_that_need_an_observation_say_so():
    def needing_observations(required: Requirement) -> set[str]:
        return {name for name in METRICS if objective(name, LATTICE, COSTS, required).needs_observation}

    needing = needing_observations(Requirement(1))
    assert needing == {"classes", "dm", "dm_star", "c_avg", "aecs"}
    assert needing_observations(Requirement(1, 1)) == needing | {"prec_suppressed_as_1", "entropy", "loss"}
    for name in METRICS:
        bound = objective(name, LATTICE, COSTS, Requirement(1))
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
    beyond = 4 + 4 + 1  # a level beyond counts more than every level of both
    assert distance.score((1, 0), None) == 1
    assert distance.score((3, 1), None) == 3 * beyond + 3 + 4
    assert distance.score((2, 0), None) == beyond + 2
    assert distance.score((0, 1), None) == beyond + 4


# Ten rows: letter a 4, b 3, c 1, d 1, e 1 with levels a b | c d | e and `*`; sex m 6, f 4. For k = 3 the classes of
# one row are suppressed: 3 rows of 10.
TEN = Lattice((Axis("letter", CHAIN, (0, 1, 2)), Axis("sex", LevelOrder.chain(2), (0, 1))))
TEN_COSTS = (
    attribute_costs(
        CHAIN,
        {0: [(4, 1), (3, 1), (1, 1), (1, 1), (1, 1)], 1: [(7, 2), (2, 2), (1, 1)], 2: [(10, 5)]},
        leaf_information=information([4, 3, 1, 1, 1]),
        domain_leaves=5,
    ),
    attribute_costs(LevelOrder.chain(2), {0: [(6, 1), (4, 1)]}, leaf_information=information([6, 4]), domain_leaves=2),
)
LETTERS_ALONE = Observation(
    10, 5, 1, 28, ((1, 3), (3, 1), (4, 1)), suppressed=SuppressedFigures(3, (3, 6), (0.0, 3 * math.log2(3)))
)
"""Letters as they are, sex at `*`: suppressed c, d and e, a letter of one leaf each, and a `*` of two leaves."""
PAIRS_AND_SEX = Observation(10, 5, 1, 28, ((1, 3), (3, 1), (4, 1)), suppressed=SuppressedFigures(3, (5, 3), (2.0, 2.0)))
"""Released a b with m 4, with f 3; suppressed c d with m, c d with f, e with m: 2 + 2 + 1 leaves; c, d, m twice."""
SEX_BITS = -(6 * math.log2(6 / 10) + 4 * math.log2(4 / 10))
PAIR_BITS = -(4 * math.log2(4 / 7) + 3 * math.log2(3 / 7)) + 2
"""a 4 and b 3 become 7; c 1 and d 1 become 2, one bit for each of them."""


def test_every_loss_of_ten_rows_three_of_them_suppressed():
    figures = losses(TEN, (0, 1), LETTERS_ALONE, Requirement(3, 3), TEN_COSTS)
    assert figures["prec"] == (0 / 2 + 1 / 1) / 2
    assert figures["prec_suppressed_as_1"] == pytest.approx(7 / 10 * 0.5 + 3 / 10)
    assert figures["height"] == 0 + 1
    assert figures["classes"] == 2
    assert figures["dm"] == 4**2 + 3**2 + 10 * 3
    assert figures["dm_star"] == 4**2 + 3**2 + 1 + 1 + 1
    assert figures["c_avg"] == 7 / 2 / 3
    assert figures["aecs"] == 10 / (2 + 1)
    letter, sex = (7 * 1 + 3 * 5 - 10) / (10 * (5 - 1)), 1
    assert figures["loss"] == pytest.approx((letter + sex) / 2, abs=1e-10)
    suppressed_letters, suppressed_stars = 3 * math.log2(3), 0
    assert figures["entropy"] == pytest.approx(suppressed_letters + SEX_BITS + suppressed_stars, abs=1e-9)
    assert figures["entropy_ignoring_suppression"] == pytest.approx(0 + SEX_BITS, abs=1e-9)


def test_every_loss_of_ten_rows_at_a_node_between():
    figures = losses(TEN, (1, 0), PAIRS_AND_SEX, Requirement(3, 3), TEN_COSTS)
    assert figures["prec"] == (1 / 2 + 0) / 2
    assert figures["prec_suppressed_as_1"] == pytest.approx(7 / 10 * 0.25 + 3 / 10)
    assert (figures["height"], figures["classes"], figures["dm"], figures["dm_star"]) == (1, 2, 55, 28)
    letter, sex = (7 * 2 + 3 * 5 - 10) / (10 * (5 - 1)), (7 * 1 + 3 * 2 - 10) / (10 * (2 - 1))
    assert figures["loss"] == pytest.approx((letter + sex) / 2, abs=1e-10)
    suppressed_letters, suppressed_sexes = 3 * math.log2(3) - 2 * math.log2(2), 3 * math.log2(3) - 2 * math.log2(2)
    assert figures["entropy"] == pytest.approx(PAIR_BITS + suppressed_letters + suppressed_sexes, abs=1e-9)
    assert figures["entropy_ignoring_suppression"] == pytest.approx(PAIR_BITS, abs=1e-9)


def test_every_loss_of_ten_rows_all_released():
    figures = losses(TEN, (1, 0), PAIRS_AND_SEX, Requirement(1), TEN_COSTS)
    assert figures["prec_suppressed_as_1"] == figures["prec"] == 0.25
    assert (figures["height"], figures["classes"]) == (1, 5)
    assert figures["dm"] == figures["dm_star"] == 4**2 + 3**2 + 1 + 1 + 1
    assert figures["c_avg"] == figures["aecs"] == 10 / 5
    assert figures["loss"] == pytest.approx(((7 * 2 + 2 * 2 + 1 * 1 - 10) / (10 * (5 - 1)) + 0) / 2, abs=1e-10)
    assert figures["entropy"] == figures["entropy_ignoring_suppression"] == pytest.approx(PAIR_BITS, abs=1e-9)


def test_losses_of_suppressed_rows_are_not_known_without_their_figures():
    bare = Observation.from_histogram(PAIRS_AND_SEX.sizes)
    figures = losses(TEN, (1, 0), bare, Requirement(3, 3), TEN_COSTS)
    assert (figures["entropy"], figures["loss"]) == (None, None)
    assert figures["entropy_ignoring_suppression"] == pytest.approx(PAIR_BITS, abs=1e-9)
    for name in ("entropy", "loss"):
        goal = objective(name, TEN, TEN_COSTS, Requirement(3, 3))
        assert goal.needs_suppressed
        with pytest.raises(ValueError, match="figures of the suppressed rows"):
            goal.score((1, 0), bare)


def test_of_persons_units_are_persons_and_cells_are_rows():
    """Three persons of the ten have the rows in classes of one, one of them two of those: 2 of 8 persons suppressed."""
    seen = Observation(
        8,
        5,
        1,
        28,
        ((1, 3), (3, 1), (4, 1)),
        persons=PersonSizes(((1, 2), (3, 2), (4, 4))),
        suppressed=PAIRS_AND_SEX.suppressed,
    )
    required = Requirement(3, 2, persons=True)
    assert required.passes(seen)
    figures = losses(TEN, (1, 0), seen, required, TEN_COSTS)
    assert figures["dm"] == 4**2 + 3**2 + 8 * 2
    assert figures["aecs"] == 8 / 3
    assert figures["c_avg"] == (8 - 2) / 2 / 3
    assert figures["prec_suppressed_as_1"] == pytest.approx(6 / 8 * 0.25 + 2 / 8)
    assert figures["loss"] == losses(TEN, (1, 0), PAIRS_AND_SEX, Requirement(3, 3), TEN_COSTS)["loss"]


def test_a_suppressed_row_of_a_hierarchy_without_a_number_of_leaves():
    costs = (attribute_costs(CHAIN, {1: [(10, 0)]}, leaf_information=0.0, domain_leaves=None),)
    lattice = Lattice((Axis("letter", CHAIN, (0, 2)),))
    seen = Observation(10, 5, 1, 28, PAIRS_AND_SEX.sizes, suppressed=SuppressedFigures(3, (None,), (0.0,)))
    assert losses(lattice, (0,), seen, Requirement(3, 3), costs)["loss"] == 3 / 10
    assert losses(lattice, (2,), seen, Requirement(3, 3), costs)["loss"] == 1
    assert losses(lattice, (1,), seen, Requirement(3, 3), costs)["loss"] is None


WEIGHTS = {"letter": Fraction(3), "sex": Fraction(1, 2)}


@pytest.mark.parametrize(
    ("name", "node", "score"),
    [
        ("prec", (1, 0), (3 * Fraction(1, 2) + 0) / Fraction(7, 2)),
        ("prec", (0, 1), (0 + Fraction(1, 2)) / Fraction(7, 2)),
        ("height", (1, 1), 3 * 1 + Fraction(1, 2)),
        ("loss", (1, 1), (3 * Fraction(9, 40) + Fraction(1, 2)) / Fraction(7, 2)),
        ("loss", (0, 1), Fraction(1, 2) / Fraction(7, 2)),
    ],
)
def test_weights_count_exactly(name: str, node: tuple[int, ...], score: Fraction):
    assert objective(name, TEN, TEN_COSTS, Requirement(1), WEIGHTS).score(node, None) == score


def test_weights_under_a_limit():
    required = Requirement(3, 3)
    letter, sex = Fraction(475, 1000), Fraction(3, 10)
    weighted = (3 * letter + Fraction(1, 2) * sex) / Fraction(7, 2)
    assert objective("loss", TEN, TEN_COSTS, required, WEIGHTS).score((1, 0), PAIRS_AND_SEX) == weighted
    levels = 3 * Fraction(1, 2) / Fraction(7, 2)
    goal = objective("prec_suppressed_as_1", TEN, TEN_COSTS, required, WEIGHTS)
    assert goal.score((1, 0), PAIRS_AND_SEX) == Fraction(7, 10) * levels + Fraction(3, 10)
    bits = objective("entropy", TEN, TEN_COSTS, required, WEIGHTS).score((1, 0), PAIRS_AND_SEX)
    letters = PAIR_BITS + 3 * math.log2(3) - 2
    assert float(bits) == pytest.approx(3 * letters + 0.5 * (3 * math.log2(3) - 2))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [name for name, metric in METRICS.items() if not metric.weighted])
def test_weights_of_what_does_not_add_up_are_refused_by_name(name: str):
    with pytest.raises(RequestError, match=f"{name} does not add up"):
        objective(name, TEN, TEN_COSTS, Requirement(2), WEIGHTS)


@pytest.mark.parametrize(
    ("weights", "what"),
    [
        ({"letter": Fraction(-1)}, "'letter' is below 0"),
        ({"letter": Fraction(0), "sex": Fraction(0)}, "every quasi-identifier weighs 0"),
        ({"lettre": Fraction(1)}, "Did you mean 'letter'"),
    ],
)
def test_weights_that_say_nothing_are_refused(weights: dict[str, Fraction], what: str):
    with pytest.raises(RequestError if "mean" not in what else UnknownName, match=what):
        objective("prec", TEN, TEN_COSTS, Requirement(2), weights)


def test_the_table_of_metrics_says_what_objectives_do():
    for name, metric in METRICS.items():
        for required in (
            Requirement(2),
            Requirement(2, persons=True),
            Requirement(2, 1),
            Requirement(2, 1, persons=True),
        ):
            goal = objective(name, TEN, TEN_COSTS, required)
            assert goal.monotone == metric.monotone(required), name
            assert goal.level_costs is not None or goal.bound is not None, name
        assert metric.monotone(Requirement(2))
        assert metric.monotone(Requirement(2, 1)) == metric.monotone_under_limit
        assert metric.monotone(Requirement(2, persons=True)) == metric.monotone_of_persons


# One attribute: a, b, c, d have one row each, e has three. Level 1 is a b | c d | e, level 2 is a b c d | e. For k = 2
# level 0 suppresses four rows and releases e; level 1 suppresses nothing.
SEVEN = Lattice((Axis("letter", LevelOrder.chain(4), (0, 1, 2, 3)),))
SEVEN_COSTS = (
    attribute_costs(
        LevelOrder.chain(4),
        {0: [(1, 1)] * 4 + [(3, 1)], 1: [(2, 2), (2, 2), (3, 1)], 2: [(4, 4), (3, 1)]},
        leaf_information=information([1, 1, 1, 1, 3]),
        domain_leaves=5,
    ),
)
FINE = Observation(7, 5, 1, 13, ((1, 4), (3, 1)), suppressed=SuppressedFigures(4, (4,), (0.0,)))
COARSE = Observation.from_histogram([(2, 2), (3, 1)])


@pytest.mark.parametrize(
    ("name", "fine", "coarse"),
    [
        ("prec_suppressed_as_1", Fraction(4, 7), Fraction(1, 3)),
        ("classes", -1, -3),
        ("dm", 9 + 7 * 4, 4 + 4 + 9),
        ("c_avg", Fraction(3, 1 * 2), Fraction(7, 3 * 2)),
        ("aecs", Fraction(7, 1 + 1), Fraction(7, 3)),
        ("entropy", 4 * 2, 2 + 2),  # 4 log2 4 - 0 of four letters suppressed; one bit for each letter of a pair
        ("loss", Fraction(5714285714, 10**10), Fraction(1428571428, 10**10)),  # 4/7; (4 x 2 + 3 x 1 - 7) / (7 x 4)
    ],
)
def test_what_is_not_monotone_under_a_limit_falls_when_coarsening_here(name, fine, coarse):
    required = Requirement(2, 4)
    goal = objective(name, SEVEN, SEVEN_COSTS, required)
    assert not goal.monotone
    assert required.passes(FINE)
    assert required.passes(COARSE)
    assert goal.score((0,), FINE) == fine
    assert goal.score((1,), COARSE) == coarse
    assert coarse < fine


def test_the_counterexample_tells_of_every_metric_that_is_not_monotone_under_a_limit():
    not_monotone = {name for name, metric in METRICS.items() if not metric.monotone_under_limit}
    assert not_monotone == {"prec_suppressed_as_1", "classes", "dm", "c_avg", "aecs", "entropy", "loss"}


@pytest.mark.parametrize("name", ["dm", "dm_star"])
def test_of_persons_the_sum_of_squares_may_fall(name):
    """Two persons, both in class a and in class b: 2^2 + 2^2; merged they are one class of 2."""
    fine = Observation.from_histogram([(2, 2)], units=2)
    coarse = Observation.from_histogram([(2, 1)], units=2)
    goal = objective(name, SEVEN, None, Requirement(2, persons=True))
    assert not goal.monotone
    assert (goal.score((0,), fine), goal.score((1,), coarse)) == (8, 4)
    assert goal.bound is not None
    assert goal.bound(fine) <= 4  # N^2 / classes = 4 / 2
    assert {each.name for each in METRICS.values() if not each.monotone_of_persons} == {"dm", "dm_star"}
