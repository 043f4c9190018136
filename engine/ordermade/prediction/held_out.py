"""How well a predictor meets nodes it has not seen: measured nodes are held out in turn and predicted from the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from ordermade.errors import TooLittleKnown
from ordermade.lattice.node import Node
from ordermade.lattice.proofs import Proofs
from ordermade.prediction.evidence import Evidence
from ordermade.prediction.prediction import Predictor
from ordermade.prediction.scores import Scores, scores

FOLDS = 5
MOST_JUDGED = 500
"""Measured nodes that are held out at most; of more, an even choice by their divisions."""


def held_out_scores(evidence: Evidence, build: Callable[[Evidence], Predictor], *, folds: int = FOLDS) -> Scores | None:
    """The scores of a predictor over the measured nodes of a lattice, each predicted without itself.

    Nodes are dealt into `folds` parts by ascending divisions; each part is predicted from the others. Nodes that the
    others prove exactly (and the root) judge nobody and are left out. None where no node is left.
    """
    measured = sorted(evidence.observed, key=lambda node: (evidence.observed[node].divisions, node))
    chosen = measured[:: max(1, -(-len(measured) // MOST_JUDGED))]
    pairs: list[tuple[float, float]] = []
    for fold in range(folds):
        pairs.extend(_judged(evidence, build, chosen[fold::folds]))
    return scores(pairs) if pairs else None


def _judged(
    evidence: Evidence, build: Callable[[Evidence], Predictor], nodes: list[Node]
) -> Iterable[tuple[float, float]]:
    """(measured k, predicted k) of nodes, from evidence without them; nothing where the rest carries no prediction."""
    rest = without(evidence, nodes)
    asked = [node for node in nodes if rest.proofs.exact(node) is None and evidence.observed[node].k > 0]
    if not asked:
        return []
    try:
        predictions = build(rest).predict(asked)
    except TooLittleKnown:
        return []
    return [(float(evidence.observed[node].k), max(each.k, 1.0)) for node, each in zip(asked, predictions, strict=True)]


def without(evidence: Evidence, nodes: Iterable[Node]) -> Evidence:
    """The evidence as if these nodes had not been measured."""
    gone = set(nodes)
    observations = {id(evidence.observed[node]) for node in gone if node in evidence.observed}
    return replace(
        evidence,
        observed={node: each for node, each in evidence.observed.items() if node not in gone},
        proofs=Proofs(
            evidence.lattice,
            evidence.proofs.rows,
            [placed for placed in evidence.proofs.placed if id(placed.observation) not in observations],
        ),
    )
