"""Forecasts of the accepted nodes of one lattice: which nodes are worth predicting, and which is the best."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from ordermade.errors import TooLittleKnown
from ordermade.lattice.lattice import Axis, Lattice, Node
from ordermade.lattice.observation import Sizes
from ordermade.lattice.proofs import FAILS, PASSES, Tags
from ordermade.loss.metrics import METRICS, OfClasses, OfCosts, OfLevels
from ordermade.loss.objectives import objective
from ordermade.methods.generalization.predicted import MAX_PREDICTED, PredictedNode
from ordermade.prediction.besides_k import models_of
from ordermade.prediction.power import expected_divisions_of
from ordermade.prediction.prediction import Evidence, Prediction, Predictor
from ordermade.privacy.requirement import required
from ordermade.requests.resolve_generalization import Resolved

Key: TypeAlias = Callable[[PredictedNode], float]
"""The figure that is minimised: lower is better."""

CHAINS = 200
"""Chains of a lattice too large to predict whole that are searched for the place where k is reached."""
EXPANDED_AT_ONCE = 20
SEED = 20131001
LEAST_DOUBT = 1e-9
EVEN = 0.5
_MAX_COARSEST = 1_000


def doubted(chance: float) -> float:
    """The chance of what is not proved: never exactly 0 or 1."""
    return min(max(chance, LEAST_DOUBT), 1 - LEAST_DOUBT)


def _of_both(of_k: float, satisfied: float | None) -> float | None:
    """The chance of k and of the other requirements. Where that is unknown, k alone may make it improbable."""
    if satisfied is None:
        return doubted(of_k) if of_k < EVEN else None
    return doubted(of_k * satisfied)


class NodeForecast:
    """Proofs and predictions (None where nothing can be predicted) for the nodes of a request's lattice."""

    def __init__(self, resolved: Resolved, evidence: Evidence, predictor: Predictor | None) -> None:
        self.lattice = resolved.lattice
        self.requirement = required(resolved, evidence.rows)
        self.k = self.requirement.k
        self._resolved = resolved
        self._evidence = evidence
        self._predictor = predictor
        self._models = models_of(evidence, self.requirement)
        self._places = [{level: place for place, level in enumerate(axis.accepted)} for axis in self.lattice.axes]
        self.tags = self._tags()

    def of(self, nodes: Sequence[Node]) -> list[PredictedNode]:
        """Predict each node, in order."""
        predictions = [None] * len(nodes) if self._predictor is None else self._predictor.predict(nodes)
        besides = self._besides_k(nodes)
        return [
            self._predicted(node, prediction, divisions, satisfied)
            for node, prediction, divisions, satisfied in zip(
                nodes, predictions, self._divisions(nodes), besides, strict=True
            )
        ]

    def proved(self, passing: int) -> int:
        """The number of accepted nodes that are proved to pass (`PASSES`) or to fail (`FAILS`)."""
        return int(np.count_nonzero(self.tags == passing))

    @property
    def settled(self) -> bool:
        """True if it is proved that the request is released, or that it is refused."""
        return bool((self.tags == PASSES).any()) or self._refused

    @property
    def _refused(self) -> bool:
        """True if it is proved that nothing can be released.

        Local recoding may release what no node does by itself, class by class. It cannot what is in classes below k at
        a node that is coarser than all others: at those they are smaller still, whatever was released before.
        """
        if not (self.tags == FAILS).all():
            return False
        if not self._resolved.request.is_local or self._evidence.rows < self.k:
            return True
        coarsest = tuple(itertools.islice(self.lattice.coarsest(), 2))
        return len(coarsest) == 1 and self._evidence.proofs.passes(coarsest[0], self.k) is False

    @property
    def models_unknown(self) -> bool:
        """True if more is required than k, and no measured node gives evidence of it."""
        return self._models is not None and not len(self._models)

    def chance(self, predicted: Iterable[PredictedNode] = ()) -> float | None:
        """The probability that the request is released; None where it is unknown.

        Some node passes exactly if one of the coarsest does. Where levels do not nest there may be several; the most
        probable one counts, which is the least that the probability can be. Where a coarser node than one that passes
        may fail, the nodes `predicted` count too. Local recoding is released at least as probably, which says nothing
        where that is improbable.
        """
        if (self.tags == PASSES).any():
            return 1.0
        if self._refused:
            return 0.0
        chances = [each.chance for each in self.of(list(itertools.islice(self.lattice.coarsest(), _MAX_COARSEST)))]
        if not self.requirement.monotone:
            chances += [each.chance for each in predicted]
        known = [chance for chance in chances if chance is not None]
        # Nodes without evidence may still pass.
        least = max(known) if len(known) == len(chances) else None
        if least is not None and least < EVEN and self._resolved.request.is_local:
            return None
        return least

    def finest(self, predicted: Iterable[PredictedNode]) -> PredictedNode:
        """The node with every quasi-identifier at its first accepted level, from `predicted` if it is there."""
        finest = tuple(axis.accepted[0] for axis in self.lattice.axes)
        return next((each for each in predicted if tuple(each.levels.values()) == finest), None) or self.of([finest])[0]

    def _tags(self) -> Tags:
        if self._evidence.rows < self.k:
            return np.full(self.lattice.shape, FAILS, dtype=np.int8)
        return self._evidence.proofs.tags(self.requirement)

    def _divisions(self, nodes: Sequence[Node]) -> Sequence[float | None]:
        try:
            return expected_divisions_of(self._evidence, nodes)
        except TooLittleKnown:
            measured = [self._evidence.proofs.exact(node) for node in nodes]
            return [None if each is None else float(each.divisions) for each in measured]

    def _besides_k(self, nodes: Sequence[Node]) -> Sequence[float | None]:
        """The chance that each node satisfies the requirements besides k; None where no measured node is evidence."""
        if self._models is None:
            return [1.0] * len(nodes)
        return [None] * len(nodes) if self.models_unknown else self._models.chance(nodes).tolist()

    def _predicted(
        self, node: Node, prediction: Prediction | None, divisions: float | None, satisfied: float | None
    ) -> PredictedNode:
        tag = int(self.tags[tuple(places[level] for places, level in zip(self._places, node, strict=True))])
        proved = None if tag not in (PASSES, FAILS) else tag == PASSES
        chance = None if prediction is None else _of_both(prediction.chance(self.k), satisfied)
        if prediction is None:
            bounds = self._evidence.proofs.bounds(node)
            low, high = float(bounds.least_k), float(bounds.most_k)
            k = low if low == high else None
        else:
            k, low, high = prediction.k, prediction.low, prediction.high
        return PredictedNode(
            levels={qi.column: level for qi, level in zip(self._resolved.qis, node, strict=True)},
            level_names={
                qi.column: qi.hierarchy.levels[level].name for qi, level in zip(self._resolved.qis, node, strict=True)
            },
            k=k,
            low=low,
            high=high,
            chance=chance if proved is None else float(proved),
            proved=proved,
            divisions=divisions,
            bounded=() if prediction is None else prediction.bounded,
        )


def ranking(evidence: Evidence, resolved: Resolved) -> tuple[str, Key]:
    """Return the name of the figure that ranks nodes before they are counted (the objective or a proxy), and its key.

    Objectives of the levels need no counting, entropy the marginals; suppression is not known before rows are
    counted, so each goes by the metric that its entry names. Those of the classes go by the expected number of classes;
    Loss, which counts the leaves of a hierarchy under each class, by Prec, as does whatever lacks the figures for it.
    Weights count as they do in the objective.
    """
    name = resolved.request.search.objective
    requirement, by = required(resolved, evidence.rows), METRICS[name].ranked_by
    if isinstance(METRICS[by].formula, OfCosts) and (lost := _information(evidence)):
        weights = [float(resolved.weights.get(axis.column, 1)) for axis in evidence.lattice.axes]
        return by if requirement.most_suppressed else name, lambda each: math.fsum(
            weights[i] * lost[i][level] for i, level in enumerate(each.levels.values())
        )
    if isinstance(METRICS[by].formula, OfClasses) and _divisions_known(evidence):
        return by, lambda each: -(each.divisions or 0.0)
    by = by if isinstance(METRICS[by].formula, OfLevels) else "prec"
    of_levels = objective(by, evidence.lattice, None, requirement, resolved.weights)
    return by, lambda each: float(of_levels.score(tuple(each.levels.values()), None))


def nodes_to_report(node_forecast: NodeForecast, key: Key) -> tuple[PredictedNode, ...]:
    """Accepted nodes with what is expected of them, best first, ties by the levels in the order of the request.

    All of them up to `MAX_PREDICTED`. Of a larger lattice those about the place where k is reached: along random
    chains from a finest to a coarsest node, then what lies next to the best nodes that are expected to pass.
    """
    lattice = node_forecast.lattice
    if lattice.size <= MAX_PREDICTED:
        found = node_forecast.of(list(lattice.nodes()))
    else:
        found = list(_about_the_border(node_forecast, key).values())
    return tuple(sorted(found, key=lambda each: (key(each), tuple(each.levels.values()))))


def _about_the_border(node_forecast: NodeForecast, key: Key) -> dict[Node, PredictedNode]:
    found: dict[Node, PredictedNode] = {}

    def look(nodes: Sequence[Node]) -> None:
        new = list(dict.fromkeys(node for node in nodes if node not in found))
        found.update(zip(new, node_forecast.of(new), strict=True))

    chains = [_Chain(node_forecast.lattice, random.Random(SEED + number)) for number in range(CHAINS)]
    while probes := {chain: node for chain in chains if (node := chain.next_node()) is not None}:
        look(list(probes.values()))
        for chain, node in probes.items():
            chain.observe(passes=found[node].expected_to_pass)
    expanded: set[Node] = set()
    while len(found) < MAX_PREDICTED:
        passing = sorted((key(each), node) for node, each in found.items() if each.expected_to_pass)
        nearest = [node for _, node in passing[:EXPANDED_AT_ONCE] if node not in expanded]
        if not nearest:
            break
        expanded.update(nearest)
        look([finer for node in nearest for finer in _direct_specialisations(node_forecast.lattice, node)])
    return found


class _Chain:
    """One chain from a finest to a coarsest accepted node, halved until the first node expected to pass is found."""

    def __init__(self, lattice: Lattice, chance: random.Random) -> None:
        self._levels = [_levels_upwards(axis, chance) for axis in lattice.axes]
        self._steps = [i for i, levels in enumerate(self._levels) for _ in levels[1:]]
        chance.shuffle(self._steps)
        self._fails, self._passes = -1, len(self._steps) + 1

    def next_node(self) -> Node | None:
        """The next node to look at; None at the end."""
        if self._passes - self._fails <= 1:
            return None
        return self._node((self._passes + self._fails) // 2)

    def observe(self, *, passes: bool) -> None:
        """Record whether that node is expected to pass."""
        middle = (self._passes + self._fails) // 2
        if passes:
            self._passes = middle
        else:
            self._fails = middle

    def _node(self, steps: int) -> Node:
        places = [0] * len(self._levels)
        for i in self._steps[:steps]:
            places[i] += 1
        return tuple(levels[place] for levels, place in zip(self._levels, places, strict=True))


def _levels_upwards(axis: Axis, chance: random.Random) -> list[int]:
    """Levels from a finest to a coarsest accepted one, each a direct generalisation of the one before."""
    levels = [chance.choice(axis.order.minimal(axis.accepted))]
    while above := axis.order.direct_generalisations(levels[-1], axis.accepted):
        levels.append(chance.choice(above))
    return levels


def _direct_specialisations(lattice: Lattice, node: Node) -> Iterator[Node]:
    for i, axis in enumerate(lattice.axes):
        for finer in axis.accepted:
            if finer != node[i] and node[i] in axis.order.direct_generalisations(finer, axis.accepted):
                yield (*node[:i], finer, *node[i + 1 :])


def _information(evidence: Evidence) -> list[dict[int, float]] | None:
    """For each attribute, what its accepted levels lose in bits, but for a constant; None where one was not counted."""
    lost: list[dict[int, float]] = []
    for position, axis in enumerate(evidence.lattice.axes):
        sizes = dict(evidence.marginals[position]) if evidence.marginals else {}
        sizes[axis.top] = ((evidence.rows, 1),)
        if any(level not in sizes for level in axis.accepted):
            return None
        lost.append({level: _bits(sizes[level]) for level in axis.accepted})
    return lost


def _bits(sizes: Sizes) -> float:
    """The sum of n log2 n over the classes of a histogram."""
    return math.fsum(classes * size * math.log2(size) for size, classes in sizes if size)  # the root may be empty


def _divisions_known(evidence: Evidence) -> bool:
    try:
        expected_divisions_of(evidence, [tuple(axis.accepted[0] for axis in evidence.lattice.axes)])
    except TooLittleKnown:
        return False
    return True
