"""Levels, nodes and lattices."""

from __future__ import annotations

import pytest

from ordermade.lattice.lattice import Axis, Lattice
from ordermade.lattice.observation import Observation
from ordermade.lattice.order import LevelOrder

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


def test_an_empty_dataset_passes_nothing():
    empty = Observation.from_histogram([])
    assert (empty.rows, empty.k) == (0, 0)
    assert not empty.passes(1)
    assert not empty.passes(0)
