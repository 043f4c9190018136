"""The rounds of a search: which questions go together, and how many a hard lattice takes."""

from __future__ import annotations

import numpy as np
import pytest

from ordermade.lattice.lattice import Axis, Lattice
from ordermade.prediction.cells import Reals
from ordermade.search import rounds
from ordermade.search.grid import RefinementIndex
from ordermade.search.rounds import MAX_ROUND, Yields, chosen, round_in_questions
from ordermade.search.search_state import LEAST_DOUBT, least_doubt
from tests.like_columns import LEVELS, ORDER, LikeColumns

COLUMNS = 3
LATTICE = Lattice(tuple(Axis(f"c{place}", ORDER, tuple(range(LEVELS))) for place in range(COLUMNS)))
REACH = RefinementIndex(LATTICE)


def yields(seed: int, *, both_ways: bool) -> Yields:
    """Chances drawn by a seed: that a cell fails, and so rules out the finer ones, or that its bound does the rest."""
    rng = np.random.default_rng(seed)
    weights: Reals = rng.random(LATTICE.shape) * (rng.random(LATTICE.shape) < 0.8)
    fails, bounds = rng.random(LATTICE.shape), rng.random(LATTICE.shape)
    return Yields(
        weights=weights,
        finer=fails * REACH.finer_sums(weights),
        passes=0.1 * (1 - fails),
        no_better=rng.random(LATTICE.shape),
        coarser=bounds * REACH.coarser_sums(weights) if both_ways else None,
        itself=bounds * weights if both_ways else None,
    )


def left_to(of: Yields, taken: list[int], place: int) -> float:
    """What the questions taken leave to another: by definition, weight by weight."""
    weights, none_passes = of.weights.copy(), 1.0
    sides = [(of.finer, REACH.finer), (of.coarser, REACH.coarser), (of.itself, None)]

    def regions(at: int) -> list[tuple[float, object]]:
        node = tuple(int(index) for index in np.unravel_index(at, LATTICE.shape))
        found = [(each.flat[at], reach(node) if reach else node) for each, reach in sides if each is not None]
        return [(of_side, region) for of_side, region in found if of.weights[region].sum() > 0]

    for each in taken:
        none_passes *= 1 - of.passes.flat[each]
        for of_side, region in regions(each):
            weights[region] *= max(0.0, 1 - of_side / of.weights[region].sum())
    return of.no_better.flat[place] * none_passes + sum(
        of_side * weights[region].sum() / of.weights[region].sum() for of_side, region in regions(place)
    )


@pytest.mark.parametrize("both_ways", [False, True])
@pytest.mark.parametrize("round_costs", [0.0, 2.0, 40.0])
@pytest.mark.parametrize("seed", range(8))
def test_each_question_of_a_round_is_worth_what_it_costs(seed: int, round_costs: float, both_ways: bool) -> None:
    of = yields(seed, both_ways=both_ways)
    alone = of.alone.ravel()
    places = chosen(of, LATTICE, REACH, round_costs)
    assert places[0] == int(np.argmax(alone))
    assert len(set(places)) == len(places) <= MAX_ROUND
    total = float(alone[places[0]])
    for number, place in enumerate(places[1:], start=1):
        yielded = left_to(of, places[:number], place)
        others = [left_to(of, places[:number], each) for each in range(alone.size) if each not in places[:number]]
        assert yielded == pytest.approx(max(others))
        assert yielded * (round_costs + number) >= total * (1 - 1e-9)
        total += yielded


def test_a_round_that_costs_nothing_is_the_question_that_yields_most(monkeypatch: pytest.MonkeyPatch) -> None:
    of = yields(1, both_ways=False)
    assert chosen(of, LATTICE, REACH, 0.0)[0] == int(np.argmax(of.alone))
    monkeypatch.setattr(rounds, "MAX_ROUND", 1)
    assert chosen(of, LATTICE, REACH, 40.0) == [int(np.argmax(of.alone))]


def test_what_a_question_rules_out_is_not_asked_beside_it() -> None:
    """The finest cell alone is open: one question is enough, however many would rule it out."""
    weights: Reals = np.zeros(LATTICE.shape)
    weights[0, 0, 0] = 1.0
    of = Yields(weights, REACH.finer_sums(weights), np.zeros(LATTICE.shape), np.zeros(LATTICE.shape))
    assert len(chosen(of, LATTICE, REACH, 0.5)) == 1


def test_rounds_are_large_where_a_forecast_costs_much_beside_a_statement() -> None:
    small = round_in_questions(100, 1_000, k_alone=True)
    assert round_in_questions(100_000, 1_000, k_alone=True) > 5 * small
    assert round_in_questions(100, 1_000_000, k_alone=True) < small / 5
    assert round_in_questions(100, 1_000, k_alone=False) < small


@pytest.mark.parametrize("cells", [0, 1, 10, 199, 200, 65_536])
def test_the_doubts_of_all_open_cells_are_one_cell_at_most(cells: int) -> None:
    assert 0 < least_doubt(cells) <= LEAST_DOUBT
    assert least_doubt(cells) * cells <= 1


@pytest.mark.parametrize(("per_cent", "most"), [(0, 130), (1, 600), (5, 480)])
def test_like_columns_take_few_rounds(per_cent: int, most: int) -> None:
    """4,096 nodes; 581 questions are the fewest at 1 %, as none of them rules out what another does."""
    asked = LikeColumns(6, 20_000, 200 * per_cent).searched()
    assert asked.outcome.certified
    assert asked.questions <= most
    assert len(asked.rounds) <= 40


@pytest.mark.slow
def test_no_long_shot_outweighs_the_questions_that_are_open() -> None:
    """A search of these 16,384 nodes took 4,290 questions when every open node had the same doubt: most were vain."""
    asked = LikeColumns(7, 20_000, 200).searched()
    assert asked.outcome.certified
    assert asked.questions <= 2_000
