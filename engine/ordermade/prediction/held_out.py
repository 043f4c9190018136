"""The accuracy of predictors on nodes they have not seen: measured nodes are held out and predicted from the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

from ordermade.errors import TooLittleKnown
from ordermade.lattice.node import Node
from ordermade.lattice.proofs import Proofs
from ordermade.prediction.evidence import Evidence
from ordermade.prediction.predictors import PredictorKind
from ordermade.prediction.scores import Scores, scores

FOLDS = 5
MOST_JUDGED = 300
"""Nodes that a score is taken over at most, evenly spaced: enough for two digits, and soon done."""

Pairs: TypeAlias = list[tuple[float, float]]
"""(measured k, predicted k) of nodes, in rows."""
Each = TypeVar("Each")


@dataclass(frozen=True, slots=True)
class Judged:
    """The accuracy of a predictor: `scores`, or None with the reason `why_not` where it could not predict."""

    predictor: str
    scores: Scores | None
    why_not: str = ""


def judged_by_the_others(evidence: Evidence, kinds: Iterable[PredictorKind]) -> tuple[Judged, ...]:
    """Judge each predictor on the measured nodes of a lattice, each predicted without itself.

    Nodes are dealt into `FOLDS` parts by ascending number of classes; each part is predicted from the others. Nodes the
    others prove exactly (and the root) judge nobody and are left out, and so do nodes without a class.
    """
    within = evidence.most_withheld
    known = [node for node, each in evidence.observed.items() if each.k > 0 and each.determines_within(within)]
    chosen = spread_out(sorted(known, key=lambda node: (evidence.observed[node].divisions, node)))
    parts: dict[PredictorKind, list[Pairs | str]] = {kind: [] for kind in kinds}
    for fold in range(min(FOLDS, len(chosen))):
        held_out = chosen[fold::FOLDS]
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


def spread_out(each: Sequence[Each]) -> list[Each]:
    """At most `MOST_JUDGED` of them, evenly spaced."""
    step = max(1.0, len(each) / MOST_JUDGED)
    return [each[int(place * step)] for place in range(min(len(each), MOST_JUDGED))]


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
            [placed for placed in evidence.proofs.every if id(placed.observation) not in observations],
            evidence.most_withheld,
        ),
    )


def _met(kind: PredictorKind, evidence: Evidence, targets: Mapping[Node, int]) -> Pairs | str:
    """Pair the prediction of each target with its measured k; a sentence where the predictor cannot predict."""
    if not targets:
        return []
    try:
        predictions = kind.build(evidence).predict(list(targets))
    except TooLittleKnown as error:
        return error.what
    return [(k, max(each.k, 1.0)) for k, each in zip(targets.values(), predictions, strict=True)]


def _scored(kind: PredictorKind, parts: Sequence[Pairs | str]) -> Judged:
    pairs = [pair for part in parts if not isinstance(part, str) for pair in part]
    if not pairs:
        reasons = [part for part in parts if isinstance(part, str)]
        return Judged(kind.name, None, reasons[0] if reasons else "no node was measured that could judge it")
    return Judged(kind.name, scores(pairs))
