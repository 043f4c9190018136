"""The predictors by name, and the error of each on held-out nodes and on the history of a dataset version."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from ordermade.errors import TooLittleKnown
from ordermade.lattice.lattice import Lattice, Node
from ordermade.lattice.observation import Observation
from ordermade.lattice.proofs import Proofs, placed_in
from ordermade.machine.linear_algebra import one_blas_thread
from ordermade.prediction.cells import Reals
from ordermade.prediction.independence import Independence, Pairs, margins_of
from ordermade.prediction.power import Power
from ordermade.prediction.prediction import (
    Evidence,
    Marginal,
    Prediction,
    Predictor,
    Scores,
    in_whole_numbers,
    predictions,
    scores,
)
from ordermade.prediction.residuals import USUAL_OF_THE_REACHED, Levels, Nearness, TrainingNode, training_nodes

USUAL_PAIR = 0.25
"""The standard deviation of ln k that one pair of attributes adds, before any node is measured and without a limit."""
USUAL_REACH = 0.8
"""The distance of ln k over which a correction falls to 1/e."""
USUAL_OWN = 0.03
"""The standard deviation of ln k that no other node shows."""
PRIOR_NODES = 4.0
"""The weight of what is usual against measured nodes, in nodes."""
OTHER_LEVELS, LEVELS_APART = 0.5, 1.0
"""See `residuals`: less is carried over between levels than searches do, whose next answer mends what was wrong."""
MAX_NODES = 400
"""Measured nodes that are learnt from; those of the request's own columns first."""
MAX_WEIGHED = 100
"""Those that the strength is found from, evenly spaced."""

_PAIRS = (0.1, 0.2, 0.4, 0.7, 1.0, 1.6, 2.7)
_REACHES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
_OWN = (1 / 3, 1.0, 3.0, 6.0)
"""The strengths that are weighed, in times of the usual ones."""


@dataclass(frozen=True, slots=True)
class Strength:
    """How much attributes depend on one another: what a `pair` adds, its `reach` in ln k, and each node's `own`."""

    pair: float
    reach: float
    own: float


@dataclass(frozen=True, slots=True)
class Points:
    """Measured nodes: their levels, the ln k expected of each, how far the measured one lies off, and its noise."""

    nodes: Levels
    expected: Reals
    values: Reals
    noise: Reals

    def at(self, places: slice | npt.NDArray[np.intp]) -> Points:
        """Some of them."""
        return Points(self.nodes[places], self.expected[places], self.values[places], self.noise[places])

    def __len__(self) -> int:
        return len(self.values)


def strength(nearness: Nearness, points: Points, usual: Strength) -> Strength:
    """The strength that explains the measured nodes best, drawn to the usual one while they are few."""
    if len(points) < 2:
        return usual
    some = points.at(slice(None, None, math.ceil(len(points) / MAX_WEIGHED)))
    alike = nearness.covariance(some.nodes, some.nodes)
    apart = np.abs(some.expected[:, None] - some.expected)
    best = (-math.inf, usual)
    for reach in (usual.reach * times for times in _REACHES):
        shared = alike * np.exp(-apart / reach)
        for own in (usual.own * times for times in _OWN):
            best = max(best, _weighed(shared, some, usual, reach, own), key=lambda each: each[0])
    return best[1]


def _weighed(shared: Reals, points: Points, usual: Strength, reach: float, own: float) -> tuple[float, Strength]:
    """The best strength of this reach and own, and the logarithm of its posterior density but for a constant."""
    noise = np.sqrt(points.noise + own**2)
    # Of the covariance per noise, one decomposition serves every size of the pairs.
    along, directions = np.linalg.eigh(shared / np.outer(noise, noise))
    squares = (directions.T @ (points.values / noise)) ** 2
    times = np.array(_PAIRS)
    variances = 1 + (usual.pair * times[:, None]) ** 2 * np.maximum(along, 0.0)
    likelihood = -0.5 * (squares / variances + np.log(variances)).sum(axis=1) - np.log(noise).sum()
    off = np.log(times) ** 2 + 0.5 * math.log(reach / usual.reach) ** 2 + math.log(own / usual.own) ** 2
    found = likelihood - PRIOR_NODES * off
    at = int(np.argmax(found))
    return float(found[at]), Strength(usual.pair * float(times[at]), reach, own)


class Corrections:
    """The correction that measured nodes give of any node: a Gaussian process, as `residuals` has it, that fades."""

    def __init__(self, nearness: Nearness, points: Points, usual: Strength) -> None:
        self._nearness = nearness
        self._points = points
        self.strength = strength(nearness, points, usual)
        covariance = self._covariance(points.nodes, points.expected)
        # By numpy: importing scipy's takes longer than all of this.
        root = np.linalg.cholesky(covariance + np.diag(points.noise + self.strength.own**2))
        self._inverse: Reals = np.linalg.inv(root)
        self._weights: Reals = self._inverse.T @ (self._inverse @ points.values)

    def at(self, nodes: Levels, expected: Reals) -> tuple[Reals, Reals]:
        """The mean and the variance of how far each node lies off what is expected of it."""
        near = self._covariance(nodes, expected)
        explained = self._inverse @ near.T
        own = self.strength.pair**2 * self._nearness.own_of(nodes)
        left = np.maximum(own - (explained**2).sum(axis=0), 0.0)
        return near @ self._weights, left + self.strength.own**2

    def _covariance(self, nodes: Levels, expected: Reals) -> Reals:
        """The covariance of nodes, a row each, with the measured ones."""
        fades = np.exp(-np.abs(expected[:, None] - self._points.expected) / self.strength.reach)
        shared: Reals = self.strength.pair**2 * self._nearness.covariance(nodes, self._points.nodes) * fades
        return shared


class Dependence:
    """Ln k of independence, corrected by the measured nodes of the whole dataset."""

    name = "dependence"

    def __init__(self, evidence: Evidence) -> None:
        """Raises TooLittleKnown without class sizes of every attribute, or without a measured node of two."""
        self._evidence = evidence
        everything = evidence.over_all_columns()
        axes = everything.lattice.axes
        self._others = tuple(axis.top for axis in axes[len(evidence.lattice.axes) :])
        self._attributes = len(axes)
        self._margins = margins_of(everything)
        points = self._points(self._nearest(everything))
        if not len(points):
            raise TooLittleKnown(
                "no node of two attributes was measured",
                next_step="Run a request on two columns, or one that measures such nodes on its way.",
            )
        nearness = Nearness.of(self._margins.classes, [axis.top + 1 for axis in axes], OTHER_LEVELS, LEVELS_APART)
        pair = USUAL_OF_THE_REACHED if evidence.most_suppressed else USUAL_PAIR
        self._corrections = Corrections(nearness, points, Strength(pair, USUAL_REACH, USUAL_OWN))

    def predict(self, nodes: Sequence[Node]) -> list[Prediction]:
        """Predict each node, in order, within its proved bounds."""
        wide = [(*node, *self._others) for node in nodes]
        expected = self._margins.expected(wide)
        levels = np.array(wide, dtype=np.int64).reshape(len(wide), self._attributes)
        correction, variance = self._corrections.at(levels, expected.ln_k)
        several = expected.attributes > 1
        ln_k = expected.ln_k + np.where(several, correction, 0.0)
        spread = np.where(several, np.sqrt(expected.spread**2 + variance), expected.spread)
        return in_whole_numbers(predictions(self._evidence.proofs, nodes, ln_k, spread))

    def _nearest(self, everything: Evidence) -> list[TrainingNode]:
        """The measured nodes to learn from: of few other columns first."""
        own = self._attributes - len(self._others)
        known = [each for each in training_nodes(everything, MAX_READ) if self._margins.knows(each.node)]
        known.sort(key=lambda each: sum(map(int.__ne__, each.node[own:], self._others)))
        return known[:MAX_NODES]

    def _points(self, measured: Sequence[TrainingNode]) -> Points:
        expected = self._margins.expected([each.node for each in measured])
        several = np.flatnonzero(expected.attributes > 1)
        # The chance of small counts is noise even at nodes of two attributes: nodes of another size do not share it.
        found = [
            each.residual(ln_k, spread, math.inf)
            for each, ln_k, spread in zip(measured, expected.ln_k.tolist(), expected.spread.tolist(), strict=True)
        ]
        nodes = np.array([each.node for each in measured], dtype=np.int64).reshape(len(measured), self._attributes)
        values, noise = np.array(found, dtype=np.float64).reshape(len(measured), 2).T
        return Points(nodes, expected.ln_k, values, noise).at(several)


MAX_READ = 5_000
"""Measured nodes that are looked at: of more, those of few attributes."""


Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class PredictorKind:
    """A predictor by its `name`, with a sentence on its method, and `build`, from evidence.

    `build` raises TooLittleKnown if the evidence does not carry it.
    """

    name: str
    meaning: str
    build: Callable[[Evidence], Predictor]


PREDICTORS: Final[dict[str, PredictorKind]] = {
    kind.name: kind
    for kind in (
        PredictorKind(
            "dependence", "independence, corrected by every measured node of the dataset, near ones more", Dependence
        ),
        PredictorKind("pairs", "independence, corrected by the measured nodes of two attributes", Pairs),
        PredictorKind("independence", "the least non-empty class if the columns were independent", Independence),
        PredictorKind("power", "the power law k = a x^b + 1 of measured nodes over their classes x", Power),
    )
}
"""Best first, before any of them has erred."""

FOLDS = 5
MAX_JUDGED = 300
"""Nodes that a score is taken over at most, evenly spaced: enough for two digits, and soon done."""

USUAL_ERRORS: Final[dict[str, float]] = {"dependence": 0.10, "pairs": 0.20, "independence": 0.12, "power": 0.60}
"""The usual ln of the ratio error of each predictor on nodes never proved (`python -m bench forecasts`)."""
USUAL_ERRORS_WEIGH = 10
"""Their weight in nodes: few measured nodes do not choose a predictor."""
KNOWN_TO_CHOOSE, JUDGED_TO_CHOOSE, FOLDS_TO_CHOOSE = 90, 60, 3
"""Measured nodes that predictors know and are judged on before one is chosen: it is done anew for each request."""


@dataclass(frozen=True, slots=True)
class Erred:
    """A predictor with the error that speaks for it: its own on the measured nodes so far, drawn to the usual one."""

    kind: PredictorKind
    judged: JudgedPredictor
    error: float


def least_erring(evidence: Evidence, kinds: Iterable[PredictorKind] | None = None) -> tuple[Erred, ...]:
    """The predictors, the one first that has erred least so far on the measured nodes of this dataset version."""
    everything = _thinned(evidence.over_all_columns(), KNOWN_TO_CHOOSE)
    asked = tuple(PREDICTORS.values()) if kinds is None else tuple(kinds)
    judged = judged_by_the_others(everything, asked, JUDGED_TO_CHOOSE, FOLDS_TO_CHOOSE)
    found = [Erred(kind, each, _error(each)) for kind, each in zip(asked, judged, strict=True)]
    return tuple(sorted(found, key=lambda each: each.error))


def _thinned(evidence: Evidence, most: int) -> Evidence:
    """The same with so many of its measured nodes, evenly spaced by their number of classes."""
    if len(evidence.observed) <= most:
        return evidence
    nodes = sorted(evidence.observed, key=lambda node: (evidence.observed[node].divisions, node))
    return replace(evidence, observed={node: evidence.observed[node] for node in spread_out(nodes, most)})


def _error(judged: JudgedPredictor) -> float:
    usual = USUAL_ERRORS[judged.predictor]
    if judged.scores is None:
        return usual
    nodes = judged.scores.nodes
    own = math.log(judged.scores.mean_ratio_error)
    return (nodes * own + USUAL_ERRORS_WEIGH * usual) / (nodes + USUAL_ERRORS_WEIGH)


def use_best_predictor(
    evidence: Evidence, ask: Callable[[Predictor], Answer], kinds: Iterable[PredictorKind] = PREDICTORS.values()
) -> tuple[PredictorKind, Answer]:
    """Return the answer to `ask` of the first predictor with enough evidence for all of it.

    Raises TooLittleKnown if there is none, with what each of them lacks.
    """
    lacking: dict[str, list[str]] = {}
    for kind in kinds:
        try:
            return kind, ask(kind.build(evidence))
        except TooLittleKnown as error:
            lacking.setdefault(error.what, []).append(kind.name)
    raise TooLittleKnown(
        "; ".join(f"{', '.join(names)}: {why}" for why, names in lacking.items()),
        next_step="Run a request on the dataset: what it counts is kept and can be learnt from.",
    )


Measured: TypeAlias = list[tuple[float, float]]
"""(measured k, predicted k) of nodes, in rows."""
Each = TypeVar("Each")


@dataclass(frozen=True, slots=True)
class JudgedPredictor:
    """The accuracy of a predictor on nodes that it did not know."""

    predictor: str
    """Its name."""
    scores: Scores | None
    """Its scores; null where it could not predict."""
    why_not: str = ""
    """The reason then."""


def judged_by_the_others(
    evidence: Evidence, kinds: Iterable[PredictorKind], most: int | None = None, folds: int = FOLDS
) -> tuple[JudgedPredictor, ...]:
    """Judge each predictor on the measured nodes of a lattice (`most`, or MAX_JUDGED), each predicted without itself.

    Nodes are dealt into `folds` parts by ascending number of classes; each part is predicted from the others. Nodes the
    others prove exactly (and the root) judge nobody and are left out, and so do nodes without a class.
    """
    within = evidence.most_suppressed
    known = [node for node, each in evidence.observed.items() if each.k > 0 and each.determines_within(within)]
    chosen = spread_out(sorted(known, key=lambda node: (evidence.observed[node].divisions, node)), most)
    parts: dict[PredictorKind, list[Measured | str]] = {kind: [] for kind in kinds}
    for fold in range(min(folds, len(chosen))):
        held_out = chosen[fold::folds]
        rest = without(evidence, held_out)
        targets = {
            node: evidence.observed[node].k_within(within) for node in held_out if rest.proofs.exact(node) is None
        }
        for kind, found in parts.items():
            found.append(_met(kind, rest, targets))
    return tuple(_scored(kind, found) for kind, found in parts.items())


def judged_on(
    evidence: Evidence, kinds: Iterable[PredictorKind], targets: Mapping[Node, int]
) -> tuple[JudgedPredictor, ...]:
    """Judge each predictor, given the evidence, on the measured k of the nodes `targets`."""
    return tuple(_scored(kind, [_met(kind, evidence, targets)]) for kind in kinds)


def spread_out(each: Sequence[Each], most: int | None = None) -> list[Each]:
    """At most `most` of them, or MAX_JUDGED, evenly spaced."""
    number = MAX_JUDGED if most is None else most
    step = max(1.0, len(each) / number)
    return [each[int(place * step)] for place in range(min(len(each), number))]


def without(evidence: Evidence, nodes: Iterable[Node]) -> Evidence:
    """The evidence as if these nodes had not been measured, on this version or on an earlier one."""
    gone = set(nodes)
    observations = {id(evidence.observed[node]) for node in gone if node in evidence.observed}
    return replace(
        evidence,
        observed={node: each for node, each in evidence.observed.items() if node not in gone},
        proofs=Proofs(
            evidence.lattice,
            evidence.proofs.rows,
            [placed for placed in evidence.proofs.every if id(placed.observation) not in observations],
            evidence.most_suppressed,
        ),
        earlier={node: each for node, each in evidence.earlier.items() if node not in gone},
    )


def _met(kind: PredictorKind, evidence: Evidence, targets: Mapping[Node, int]) -> Measured | str:
    """Pair the prediction of each target with its measured k; a sentence where the predictor cannot predict."""
    if not targets:
        return []
    try:
        predictions = kind.build(evidence).predict(list(targets))
    except TooLittleKnown as error:
        return error.what
    return [(k, max(each.k, 1.0)) for k, each in zip(targets.values(), predictions, strict=True)]


def _scored(kind: PredictorKind, parts: Sequence[Measured | str]) -> JudgedPredictor:
    pairs = [pair for part in parts if not isinstance(part, str) for pair in part]
    if not pairs:
        reasons = [part for part in parts if isinstance(part, str)]
        return JudgedPredictor(kind.name, None, reasons[0] if reasons else "no node was measured that could judge it")
    return JudgedPredictor(kind.name, scores(pairs))


FIRST_CHECKPOINT = 4


@dataclass(frozen=True, slots=True)
class PredictionHistory:
    """The nodes measured on one dataset version in the order they were measured, all nodes of `lattice`.

    `rows` of the dataset (persons where it counts them); `marginals`: the class sizes of each attribute alone, in
    order, as far as they are known.
    """

    lattice: Lattice
    rows: int
    measured: tuple[tuple[Node, Observation], ...]
    marginals: tuple[Marginal, ...] = ()

    def evidence(self, measured: Sequence[tuple[Node, Observation]]) -> Evidence:
        """The evidence that these nodes alone, and the marginals, would have given."""
        proofs = Proofs(self.lattice, self.rows, placed_in(self.lattice, measured))
        return Evidence(self.lattice, self.rows, proofs, dict(measured), self.marginals)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The accuracy of the predictors, given the first nodes."""

    known: int
    """The number of nodes that they knew."""
    judged: tuple[JudgedPredictor, ...]
    """Their accuracy on the nodes after these."""


@dataclass(frozen=True, slots=True)
class TrackRecord:
    """The accuracy of the predictors on a history.

    `now`: every node predicted from the others. `so_far`: as nodes accumulated. Nodes that the known ones prove judge
    nobody; at most `MAX_JUDGED` nodes are judged at a time.
    """

    now: tuple[JudgedPredictor, ...] = ()
    so_far: tuple[Checkpoint, ...] = ()


@one_blas_thread()
def track_record(history: PredictionHistory) -> TrackRecord:
    """Judges every predictor on nodes it did not know. Costs a few seconds on tens of thousands of nodes."""
    now = judged_by_the_others(history.evidence(history.measured), PREDICTORS.values())
    return TrackRecord(now, tuple(_prequential(history)))


def _prequential(history: PredictionHistory) -> Iterator[Checkpoint]:
    known = FIRST_CHECKPOINT
    while known < len(history.measured):
        evidence = history.evidence(history.measured[:known])
        open_ones = [
            (node, each.k)
            for node, each in history.measured[known:]
            if each.k > 0 and evidence.proofs.exact(node) is None
        ]
        if later := spread_out(open_ones):
            yield Checkpoint(known, judged_on(evidence, PREDICTORS.values(), dict(later)))
        known *= 2
