"""What a dataset version was asked so far, in one lattice, and how well each predictor did on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from ordermade.errors import TooLittleKnown
from ordermade.lattice.cells import Levels
from ordermade.lattice.lattice import Lattice
from ordermade.lattice.node import Node
from ordermade.lattice.observation import Observation
from ordermade.lattice.proofs import Placed, Proofs
from ordermade.prediction.evidence import Evidence, Marginal
from ordermade.prediction.predictors import PREDICTORS
from ordermade.prediction.scores import Scores, scores

MOST_JUDGED = 300
"""Nodes that a score is taken over at most, evenly spaced: enough for two digits, and soon done."""
FOLDS = 5
FIRST_CHECKPOINT = 4


@dataclass(frozen=True, slots=True)
class History:
    """The nodes measured on one dataset version in the order they were measured, all nodes of `lattice`.

    `rows` of the dataset; `marginals`: the class sizes of each attribute alone, in order, as far as they are known.
    """

    lattice: Lattice
    rows: int
    measured: tuple[tuple[Node, Observation], ...]
    marginals: tuple[Marginal, ...] = ()

    def evidence(self, measured: Sequence[tuple[Node, Observation]]) -> Evidence:
        """What these nodes alone, and the marginals, would have told."""
        sides = _Sides(self.lattice)
        placed = [Placed(each, sides.coarser(node), sides.finer(node)) for node, each in measured]
        proofs = Proofs(self.lattice, self.rows, placed)
        return Evidence(self.lattice, self.rows, proofs, dict(measured), self.marginals)


@dataclass(frozen=True, slots=True)
class Judged:
    """How well a predictor did: `scores`, or None with the reason `why_not` where it could not predict."""

    predictor: str
    scores: Scores | None
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """How well the predictors, knowing the first `known` nodes, did on those measured after them."""

    known: int
    judged: tuple[Judged, ...]


@dataclass(frozen=True, slots=True)
class TrackRecord:
    """How well the predictors do on a history.

    `now`: every node predicted from the others (in `FOLDS` parts). `so_far`: as nodes accumulated. At most
    `MOST_JUDGED` nodes are judged at a time.
    """

    now: tuple[Judged, ...] = ()
    so_far: tuple[Checkpoint, ...] = field(default=())


def track_record(history: History) -> TrackRecord:
    """Judges every predictor on nodes it did not know. Costs a few seconds on tens of thousands of nodes."""
    return TrackRecord(_from_the_others(history), tuple(_prequential(history)))


def judged(
    history: History, known: Sequence[tuple[Node, Observation]], asked: Mapping[Node, int]
) -> tuple[Judged, ...]:
    """How well each predictor, given the `known` nodes, predicts the measured k of the nodes `asked`."""
    evidence = history.evidence(known)
    return tuple(_scored(name, [_pairs(name, evidence, asked)]) for name in PREDICTORS)


Pairs: TypeAlias = list[tuple[float, float]]
Each = TypeVar("Each")


def _prequential(history: History) -> Iterator[Checkpoint]:
    known = FIRST_CHECKPOINT
    while known < len(history.measured):
        later = _spread_out([(node, each.k) for node, each in history.measured[known:] if each.k > 0])
        if later:
            yield Checkpoint(known, judged(history, history.measured[:known], dict(later)))
        known *= 2


def _from_the_others(history: History) -> tuple[Judged, ...]:
    """Each part predicted from all other parts; nodes go to the parts in turn, so that each has some of every age."""
    chosen = set(_spread_out([node for node, each in history.measured if each.k > 0]))
    found: dict[str, list[Pairs | str]] = {name: [] for name in PREDICTORS}
    for fold in range(min(FOLDS, len(history.measured))):
        others = [each for place, each in enumerate(history.measured) if place % FOLDS != fold]
        asked = {node: each.k for node, each in history.measured[fold::FOLDS] if node in chosen}
        evidence = history.evidence(others)
        for name, parts in found.items():
            parts.append(_pairs(name, evidence, asked))
    return tuple(_scored(name, parts) for name, parts in found.items())


def _pairs(name: str, evidence: Evidence, asked: Mapping[Node, int]) -> Pairs | str:
    """(measured k, predicted k) of the nodes asked; a sentence where the predictor cannot be built or asked."""
    try:
        predictions = PREDICTORS[name].build(evidence).predict(list(asked))
    except TooLittleKnown as error:
        return error.what
    return [(k, max(each.k, 1.0)) for k, each in zip(asked.values(), predictions, strict=True)]


def _scored(name: str, parts: Sequence[Pairs | str]) -> Judged:
    pairs = [pair for part in parts if not isinstance(part, str) for pair in part]
    if not pairs:
        reasons = [part for part in parts if isinstance(part, str)]
        return Judged(name, None, reasons[0] if reasons else "no node was measured that could judge it")
    return Judged(name, scores(pairs))


def _spread_out(each: Sequence[Each]) -> list[Each]:
    """At most `MOST_JUDGED` of them, evenly spaced."""
    step = max(1.0, len(each) / MOST_JUDGED)
    return [each[int(place * step)] for place in range(min(len(each), MOST_JUDGED))]


class _Sides:
    """The levels that refine each level, and those it refines: made once, shared by all nodes."""

    def __init__(self, lattice: Lattice) -> None:
        orders = [(axis.order, range(len(axis.order))) for axis in lattice.axes]
        self._coarser: list[list[Levels]] = [
            [frozenset(each for each in levels if order.refines(level, each)) for level in levels]
            for order, levels in orders
        ]
        self._finer: list[list[Levels]] = [
            [frozenset(each for each in levels if order.refines(each, level)) for level in levels]
            for order, levels in orders
        ]

    def coarser(self, node: Node) -> tuple[Levels, ...]:
        return tuple(levels[level] for levels, level in zip(self._coarser, node, strict=True))

    def finer(self, node: Node) -> tuple[Levels, ...]:
        return tuple(levels[level] for levels, level in zip(self._finer, node, strict=True))
