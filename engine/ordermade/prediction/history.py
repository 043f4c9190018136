"""The nodes measured so far on a dataset version, in one lattice, and the accuracy of each predictor on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ordermade.lattice.lattice import Lattice
from ordermade.lattice.node import Node
from ordermade.lattice.observation import Observation
from ordermade.lattice.proofs import Proofs, placed_in
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
