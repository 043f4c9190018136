"""The predictors by name, and the error of each on held-out nodes and on the history of a dataset version."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias, TypeVar

from ordermade.errors import TooLittleKnown
from ordermade.lattice.lattice import Lattice, Node
from ordermade.lattice.observation import Observation
from ordermade.lattice.proofs import Proofs, placed_in
from ordermade.prediction.dependence import Dependence
from ordermade.prediction.independence import Independence, Pairs
from ordermade.prediction.power import Power
from ordermade.prediction.prediction import Evidence, Marginal, Predictor, Scores, scores

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
MOST_JUDGED = 300
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
    judged: Judged
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


def _error(judged: Judged) -> float:
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
class Judged:
    """The accuracy of a predictor: `scores`, or None with the reason `why_not` where it could not predict."""

    predictor: str
    scores: Scores | None
    why_not: str = ""


def judged_by_the_others(
    evidence: Evidence, kinds: Iterable[PredictorKind], most: int | None = None, folds: int = FOLDS
) -> tuple[Judged, ...]:
    """Judge each predictor on the measured nodes of a lattice (`most`, or MOST_JUDGED), each predicted without itself.

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


def judged_on(evidence: Evidence, kinds: Iterable[PredictorKind], targets: Mapping[Node, int]) -> tuple[Judged, ...]:
    """Judge each predictor, given the evidence, on the measured k of the nodes `targets`."""
    return tuple(_scored(kind, [_met(kind, evidence, targets)]) for kind in kinds)


def spread_out(each: Sequence[Each], most: int | None = None) -> list[Each]:
    """At most `most` of them, or MOST_JUDGED, evenly spaced."""
    number = MOST_JUDGED if most is None else most
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


def _scored(kind: PredictorKind, parts: Sequence[Measured | str]) -> Judged:
    pairs = [pair for part in parts if not isinstance(part, str) for pair in part]
    if not pairs:
        reasons = [part for part in parts if isinstance(part, str)]
        return Judged(kind.name, None, reasons[0] if reasons else "no node was measured that could judge it")
    return Judged(kind.name, scores(pairs))


FIRST_CHECKPOINT = 4


@dataclass(frozen=True, slots=True)
class History:
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
    """The accuracy of the predictors, given the first `known` nodes, on those measured after them."""

    known: int
    judged: tuple[Judged, ...]


@dataclass(frozen=True, slots=True)
class TrackRecord:
    """The accuracy of the predictors on a history.

    `now`: every node predicted from the others. `so_far`: as nodes accumulated. Nodes that the known ones prove judge
    nobody; at most `MOST_JUDGED` nodes are judged at a time.
    """

    now: tuple[Judged, ...] = ()
    so_far: tuple[Checkpoint, ...] = ()


def track_record(history: History) -> TrackRecord:
    """Judges every predictor on nodes it did not know. Costs a few seconds on tens of thousands of nodes."""
    now = judged_by_the_others(history.evidence(history.measured), PREDICTORS.values())
    return TrackRecord(now, tuple(_prequential(history)))


def _prequential(history: History) -> Iterator[Checkpoint]:
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
