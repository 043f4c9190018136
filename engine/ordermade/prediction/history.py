"""What a dataset version was asked so far, in one lattice, and how well each predictor did on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ordermade.lattice.cells import Levels
from ordermade.lattice.lattice import Lattice
from ordermade.lattice.node import Node
from ordermade.lattice.observation import Observation
from ordermade.lattice.proofs import Placed, Proofs
from ordermade.prediction.evidence import Evidence, Marginal
from ordermade.prediction.held_out import Judged, judged_by_the_others, judged_on, spread_out
from ordermade.prediction.predictors import PREDICTORS

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
class Checkpoint:
    """How well the predictors, knowing the first `known` nodes, did on those measured after them."""

    known: int
    judged: tuple[Judged, ...]


@dataclass(frozen=True, slots=True)
class TrackRecord:
    """How well the predictors do on a history.

    `now`: every node predicted from the others. `so_far`: as nodes accumulated. At most `held_out.MOST_JUDGED` nodes
    are judged at a time.
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
        later = spread_out([(node, each.k) for node, each in history.measured[known:] if each.k > 0])
        if later:
            evidence = history.evidence(history.measured[:known])
            yield Checkpoint(known, judged_on(evidence, PREDICTORS.values(), dict(later)))
        known *= 2


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
