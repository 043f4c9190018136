"""Levels, nodes and lattices."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from ordermade.lattice.lattice import Axis, Lattice, LevelOrder
from ordermade.lattice.observation import Observation, PersonSizes, ReleasedFigures, Requirement

FORK = LevelOrder(
    (
        (True, True, True, True),
        (False, True, False, True),
        (False, False, True, True),
        (False, False, False, True),
    )
)
"""Level 0 refines 1 and 2, which do not refine one another; 3 is `*`."""


def test_a_chain_nests_and_a_fork_does_not():
    assert LevelOrder.chain(4).is_chain()
    assert not FORK.is_chain()
    assert FORK.is_chain((0, 2, 3))


def test_direct_generalisations_skip_nothing_and_jump_over_what_is_not_accepted():
    assert FORK.direct_generalisations(0, (0, 1, 2, 3)) == (1, 2)
    assert FORK.direct_generalisations(1, (0, 1, 2, 3)) == (3,)
    assert FORK.direct_generalisations(0, (0, 3)) == (3,)


def test_minimal_levels():
    assert FORK.minimal((1, 2, 3)) == (1, 2)
    assert FORK.minimal((0, 1, 2, 3)) == (0,)


def test_a_lattice_knows_its_nodes_and_which_attributes_do_not_nest():
    lattice = Lattice((Axis("sex", LevelOrder.chain(2), (0, 1)), Axis("age", FORK, (1, 2))))
    assert lattice.shape == (2, 2)
    assert lattice.size == 4
    assert list(lattice.nodes()) == [(0, 1), (0, 2), (1, 1), (1, 2)]
    assert lattice.top == (1, 3)
    assert (0, 3) not in lattice
    assert (0, 2) in lattice
    assert lattice.not_nested == ("age",)
    assert lattice.refines((0, 1), (1, 1))
    assert not lattice.refines((0, 1), (1, 2))


def test_the_coarsest_nodes_refine_no_other_one():
    lattice = Lattice((Axis("sex", LevelOrder.chain(2), (0, 1)), Axis("age", FORK, (0, 1, 2))))
    assert list(lattice.coarsest()) == [(1, 2), (1, 1)]


def test_a_widened_lattice_accepts_every_level_above():
    lattice = Lattice((Axis("sex", LevelOrder.chain(3), (0,)), Axis("age", LevelOrder.chain(5), (1, 3))))
    assert [axis.accepted for axis in lattice.widened().axes] == [(0, 1, 2), (1, 3, 4)]


@pytest.mark.parametrize("accepted", [(), (1, 0), (0, 0), (0, 4), (-1, 0)])
def test_an_axis_refuses_levels_that_are_none(accepted):
    with pytest.raises(ValueError, match="age"):
        Axis("age", FORK, accepted)


def test_an_observation_of_a_histogram():
    observation = Observation.from_histogram([(5, 2), (1, 3), (2_000, 1)])
    assert (observation.rows, observation.divisions, observation.k) == (2_013, 6, 1)
    assert observation.sum_of_squares == 3 + 50 + 4_000_000
    assert observation.sizes == ((1, 3), (5, 2), (2_000, 1))
    assert observation.passes(1)
    assert not observation.passes(2)


@pytest.mark.parametrize(("most_suppressed", "k"), [(0, 1), (1, 1), (2, 3), (4, 3), (5, 5), (9, 5), (10, 5), (11, 5)])
def test_exactly_as_many_rows_as_the_limit_may_be_suppressed(most_suppressed, k):
    """Classes of 1, 1, 3 and 5 rows: a limit of 2 suppresses both single rows, one of 5 the class of 3 too."""
    assert Observation.from_histogram([(1, 2), (3, 1), (5, 1)]).k_within(most_suppressed) == k


def test_exactly_as_many_persons_as_the_limit_may_be_suppressed():
    """Three persons: one whose smallest class is of 1, two whose smallest is of 2."""
    found = replace(Observation.from_histogram([(1, 2), (2, 2)], units=3), persons=PersonSizes(((1, 1), (2, 2))))
    assert not found.adds_up
    assert [found.k_within(most) for most in (0, 1, 2)] == [1, 2, 2]


def test_a_person_with_a_row_in_a_class_that_fails_a_model_is_suppressed():
    """Three persons, two of them in each of three classes. One class fails a model: only the third is in none such."""
    sizes = PersonSizes(alone=((2, 3),), fitting=((0, 2), (2, 1)))
    found = replace(Observation.from_histogram([(2, 3)], units=3), failing=((2, 1),), persons=sizes)
    assert Requirement(2, 3, models=True, monotone=False, persons=True).suppressed(found) == 2
    assert Requirement(2, 3, persons=True).suppressed(found) == 0


def test_a_class_that_is_large_enough_and_fails_a_model_is_suppressed():
    """Classes of 2, 5 and 5 rows under k = 3: one of the large ones fails a model."""
    found = replace(Observation.from_histogram([(2, 1), (5, 2)]), failing=((5, 1),))

    released = Requirement(3, 7, models=True, monotone=False).released(found)
    assert released == ReleasedFigures(classes=1, units=5, sum_of_squares=25, suppressed=7)


@pytest.mark.parametrize(("bound", "passes"), [(Fraction(1, 6), False), (Fraction(1, 5), True)])
def test_an_average_risk_is_of_released_units(bound, passes):
    """Five single rows are suppressed: two classes of 5 rows are left, a mean risk of 2 in 10 and not of 2 in 15."""
    found = Observation.from_histogram([(1, 5), (5, 2)])

    assert Requirement(2, 5, monotone=False, average_risk=bound).passes(found) is passes


@pytest.mark.parametrize(("known", "limits"), [(((2, 5),), [0, 9]), (((2, 5), (4, 10)), [0, 10, 49])])
def test_a_histogram_cut_short_tells_only_what_its_sizes_cover(known, limits):
    """Of 5,000 rows in classes of any size only the small ones were kept: 10 rows of them, or 50."""
    found = Observation(rows=5_000, divisions=40, k=2, sum_of_squares=10**6, sizes=known)
    held = sum(size * classes for size, classes in known)
    assert all(found.determines_within(limit) for limit in limits)
    assert not found.determines_within(held)
    with pytest.raises(ValueError, match=f"does not determine k once {held} units are suppressed"):
        found.k_within(held)


def test_classes_that_persons_share_do_not_tell_whom_a_limit_suppresses():
    """Two persons, one alone in two classes, both in a third: suppressing that one person leaves a class of 2."""
    found = Observation.from_histogram([(1, 2), (2, 1)], units=2)
    assert not found.determines_within(1)
    assert found.determines_within(0)
    assert replace(found, persons=PersonSizes(((1, 1), (2, 1)))).k_within(1) == 2


@pytest.mark.parametrize(
    ("sizes", "k", "most"),
    [
        ([(1, 3)], 3, 1),  # three single rows fill one class of three
        ([(1, 2)], 3, 0),
        ([(1, 5)], 3, 1),
        ([(1, 2), (2, 2), (3, 1)], 3, 3),  # two classes of three out of six rows, beside the one there is
        ([(2, 4), (5, 2)], 4, 4),
        ([(3, 4)], 3, 4),  # a class of k is not small
        ([(1, 4)], 1, 4),
        ([], 2, 0),
    ],
)
def test_small_classes_make_as_many_as_their_rows_fill(sizes, k, most):
    assert Observation.from_histogram(sizes).most_classes(k) == most


def test_an_empty_dataset_passes_nothing():
    empty = Observation.from_histogram([])
    assert (empty.rows, empty.k) == (0, 0)
    assert not empty.passes(1)
    assert not empty.passes(0)
