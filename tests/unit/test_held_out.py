"""Measured nodes are held out in turn, and judge a predictor that has not seen them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from ordermade.errors import TooLittleKnown
from ordermade.lattice.lattice import Axis, Lattice, LevelOrder, Node
from ordermade.lattice.observation import Observation
from ordermade.lattice.proofs import PlacedObservation, Proofs, placed_in
from ordermade.prediction.prediction import Evidence, Prediction, Predictor
from ordermade.prediction.predictors import JudgedPredictor, PredictorKind, judged_by_the_others, without
from ordermade.prediction.residuals import training_nodes

LATTICE = Lattice(tuple(Axis(column, LevelOrder.chain(3), (0, 1, 2)) for column in "ab"))


def observation(k: int, divisions: int) -> Observation:
    return Observation.from_histogram([(k, divisions - 1), (1_000 - k * (divisions - 1), 1)])


OBSERVED: dict[Node, Observation] = {
    (0, 0): observation(1, 90),
    (0, 1): observation(3, 60),
    (1, 0): observation(4, 50),
    (1, 1): observation(12, 20),
    (2, 1): observation(70, 5),
    (1, 2): observation(80, 4),
}


def evidence(observed: dict[Node, Observation]) -> Evidence:
    placed = placed_in(LATTICE, observed.items())
    return Evidence(LATTICE, 1_000, Proofs(LATTICE, 1_000, placed), observed)


class Half:
    """Predicts half of the true k, and remembers what it was told of."""

    name = "half"

    def __init__(self, known: Evidence) -> None:
        self.known = set(known.observed)

    def predict(self, nodes: Sequence[Node]) -> list[Prediction]:
        assert not self.known & set(nodes)
        return [Prediction(OBSERVED[node].k / 2, 1.0, 1_000.0, 1.0) for node in nodes]


def judged(known: Evidence, build: Callable[[Evidence], Predictor]) -> JudgedPredictor:
    (found,) = judged_by_the_others(known, [PredictorKind("half", "half of the true k", build)])
    return found


def test_every_measured_node_is_predicted_once_without_itself() -> None:
    found = judged(evidence(OBSERVED), Half).scores

    assert found is not None
    assert found.nodes == len(OBSERVED)
    # Of k = 1 half is told as 1.
    assert found.mean_ratio_error == pytest.approx((1 + 5 * 2) / 6)


def test_without_takes_observation_and_proof_away() -> None:
    rest = without(evidence(OBSERVED), [(1, 1)])

    assert set(rest.observed) == set(OBSERVED) - {(1, 1)}
    assert rest.proofs.exact((1, 1)) is None
    assert (rest.proofs.bounds((1, 1)).least_k, rest.proofs.bounds((1, 1)).most_k) == (4, 70)
    assert evidence(OBSERVED).proofs.exact((1, 1)) == OBSERVED[1, 1]


def test_a_node_known_of_an_earlier_version_too_is_predicted_without_either() -> None:
    before = {node: observation(each.k + 1, each.divisions) for node, each in OBSERVED.items()}

    class Earlier(Half):
        def __init__(self, known: Evidence) -> None:
            self.known = set(known.observed) | {each.node for each in training_nodes(known, 100)}
            assert set(known.earlier) == set(known.observed) | {(0, 2)}

    known = replace(evidence(OBSERVED), earlier={**before, (0, 2): observation(5, 40)})

    assert judged(known, Earlier) == judged(evidence(OBSERVED), Half)


def test_nothing_measured_and_nothing_predictable_judge_nobody() -> None:
    def refuses(_: Evidence) -> Half:
        raise TooLittleKnown("too little")

    assert judged(evidence({}), Half) == JudgedPredictor("half", None, "no node was measured that could judge it")
    assert judged(evidence(OBSERVED), refuses) == JudgedPredictor("half", None, "too little")


def test_a_node_that_the_others_prove_exactly_judges_nobody() -> None:
    twin = evidence(OBSERVED)
    same = replace(OBSERVED[1, 1])  # another one, of the same figures
    again = next(placed for placed in twin.proofs.placed if placed.observation is OBSERVED[1, 1])
    proofs = Proofs(LATTICE, 1_000, [*twin.proofs.placed, PlacedObservation(same, again.coarser, again.finer)])

    found = judged(Evidence(LATTICE, 1_000, proofs, OBSERVED), Half).scores

    assert found is not None
    assert found.nodes == len(OBSERVED) - 1
