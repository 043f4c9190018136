"""Forecasts: the error of k and the Brier score of "it passes" on held-out requests, by what table C knows.

Requests are asked, one after the other, by the guided search, so that table C fills as it does in service: with nodes
near the border of what passes. After 0, 10, 100 and 1,000 observations the very same nodes of held-out requests are
predicted, those alone whose passing is not proved by the last of them: what is proved needs no prediction.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from bench.coded_table import CodedTable, coded_adult
from bench.figure import Figure, print_rows
from bench.local import COLUMNS, DATA
from bench.wide_service import KS, BroadService
from ordermade.errors import TooLittleKnown
from ordermade.lattice.lattice import Axis, Lattice, Node
from ordermade.lattice.observation import Observation, Requirement
from ordermade.loss.objectives import objective
from ordermade.prediction.prediction import Evidence, Prediction
from ordermade.prediction.predictors import PREDICTORS, least_erring, use_best_predictor
from ordermade.search import SEARCHES, SearchProblem, drive

CHECKPOINTS = (0, 10, 100, 1_000)
HELD_OUT = 80
NODES_OF_A_REQUEST = 8
SEED = 24
LIMITS = (0.0, 0.0, 0.01, 0.05)
SERVICES = ((24, 24), (14, 5))
"""Number and seed of the made services: of about 20,000 and 66,000 members."""


@dataclass(frozen=True)
class Asked:
    """A request: columns by their place, levels accepted, k, and the share of rows that may be suppressed."""

    columns: tuple[int, ...]
    lattice: Lattice
    k: int
    limit: float

    def required(self, table: CodedTable) -> Requirement:
        """The requirement on a node of this table."""
        return Requirement(self.k, math.floor(self.limit * table.rows))

    def in_whole(self, table: CodedTable, node: Node) -> Node:
        """A node of all columns: what the request leaves out is at `*`."""
        levels = dict(zip(self.columns, node, strict=True))
        return tuple(levels.get(i, top) for i, top in enumerate(table.lattice.top))


def requests(table: CodedTable, seed: int, *, bounded: bool) -> Iterator[Asked]:
    """Requests at random without end; `bounded`: their coarsest levels are below `*`."""
    chance = random.Random(seed)
    axes = table.lattice.axes
    while True:
        columns = tuple(chance.sample(range(len(axes)), chance.randint(2, min(6, len(axes)))))
        chosen = []
        for i in columns:
            first = chance.randrange(axes[i].top)
            last = chance.randint(first, axes[i].top - 1) if bounded or chance.random() < 0.3 else axes[i].top
            chosen.append(Axis(axes[i].column, axes[i].order, tuple(range(first, last + 1))))
        yield Asked(columns, Lattice(tuple(chosen)), chance.choice(KS), chance.choice(LIMITS))


def ask(table: CodedTable, request: Asked, known: Mapping[Node, Observation]) -> dict[Node, Observation]:
    """Runs the search of a request, given what table C knows; what was measured for it, in the order it was."""
    required = request.required(table)
    evidence = table.evidence(request.lattice, request.columns, known, required.most_suppressed)
    goal = objective("prec", request.lattice, None, required)
    measured: dict[Node, Observation] = {}

    def measure(batch: Sequence[Node]) -> list[Observation]:
        nodes = [request.in_whole(table, node) for node in batch]
        found = table.measure(nodes)
        measured.update((node, each) for node, each in zip(nodes, found, strict=True) if node not in known)
        return found

    drive(SEARCHES["guided"].start(SearchProblem(request.lattice, required, goal, evidence)), measure)
    return measured


def filled(
    table: CodedTable, seed: int, checkpoints: Sequence[int] = CHECKPOINTS
) -> dict[int, dict[Node, Observation]]:
    """Table C at each checkpoint, in ascending order."""
    known: dict[Node, Observation] = {}
    asked = requests(table, seed, bounded=False)
    while len(known) < checkpoints[-1]:
        known |= ask(table, next(asked), known)
    return {number: dict(list(known.items())[:number]) for number in checkpoints}


@dataclass(frozen=True)
class Judged:
    """A held-out request with the nodes that its predictions are judged on, the coarsest one last if it is open."""

    request: Asked
    nodes: tuple[Node, ...]
    coarsest: bool


def held_out(table: CodedTable, last: Mapping[Node, Observation], seed: int, number: int = HELD_OUT) -> list[Judged]:
    """Held-out requests with nodes that table C does not prove at the last checkpoint."""
    chance = random.Random(seed)
    found: list[Judged] = []
    for request in requests(table, seed + 1, bounded=True):
        required = request.required(table)
        tags = table.evidence(request.lattice, request.columns, last, required.most_suppressed).proofs.tags(required)
        open_ones = [node for node, tag in zip(request.lattice.nodes(), tags.ravel().tolist(), strict=True) if not tag]
        if open_ones:
            coarsest = tuple(axis.accepted[-1] for axis in request.lattice.axes)
            chosen = chance.sample(open_ones, min(NODES_OF_A_REQUEST, len(open_ones)))
            is_open = coarsest in open_ones
            rest = tuple(node for node in chosen if node != coarsest)
            found.append(Judged(request, (*rest, coarsest) if is_open else rest, is_open))
        if len(found) == number:
            break
    return found


USED = "the least erring"
Predict = Callable[[Evidence, Sequence[Node]], list[Prediction]]


@dataclass(frozen=True)
class Errors:
    """Over judged nodes: mean max(k / predicted, predicted / k), Brier score; and that of requests."""

    ratio: float
    brier: float
    brier_of_requests: float
    nodes: int


def errors(table: CodedTable, known: Mapping[Node, Observation], judged: Sequence[Judged], predict: Predict) -> Errors:
    """The errors of a way to predict, given what table C knows."""
    ratios, squares, of_requests = [], [], []
    for each in judged:
        required = each.request.required(table)
        within = required.most_suppressed
        evidence = table.evidence(each.request.lattice, each.request.columns, known, within)
        predicted = predict(evidence, each.nodes)
        measured = table.measure([each.request.in_whole(table, node) for node in each.nodes])
        for found, seen in zip(predicted, measured, strict=True):
            k = max(seen.k_within(within), 1)
            expected = max(found.k, 1.0)
            ratios.append(max(k / expected, expected / k))
            squares.append((found.chance(required.k) - required.passes(seen)) ** 2)
        if each.coarsest:
            of_requests.append(squares[-1])
    return Errors(fmean(ratios), fmean(squares), fmean(of_requests) if of_requests else math.nan, len(squares))


def by_name(name: str) -> Predict:
    """The predictions of the predictor of that name; those of independence where it knows too little."""

    def predict(evidence: Evidence, nodes: Sequence[Node]) -> list[Prediction]:
        try:
            return PREDICTORS[name].build(evidence).predict(nodes)
        except TooLittleKnown:
            return PREDICTORS["independence"].build(evidence).predict(nodes)

    return predict


def show() -> Sequence[Figure]:
    """Prints the errors of every predictor on every table at each checkpoint; the figures of the one that is used."""
    found: dict[tuple[str, str, int], Errors] = {}
    ways: dict[str, Predict] = {name: by_name(name) for name in PREDICTORS} | {USED: chosen}
    made = tables()
    for name, table in made.items():
        known = filled(table, SEED)
        judged = held_out(table, known[CHECKPOINTS[-1]], SEED)
        for way, predict in ways.items():
            for number in CHECKPOINTS:
                found[name, way, number] = errors(table, known[number], judged, predict)
        print_rows(
            f"{name}: held-out requests, nodes never proved",
            ("predictor", "observations", "ratio error", "Brier score", "Brier score of requests", "nodes"),
            [
                (way, str(number), each.ratio, each.brier, each.brier_of_requests, each.nodes)
                for (of, way, number), each in found.items()
                if of == name
            ],
        )
    return _figures(found, tuple(made))


def _figures(found: Mapping[tuple[str, str, int], Errors], made: Sequence[str]) -> list[Figure]:
    def mean(number: int, of: Callable[[Errors], float]) -> float:
        return fmean(of(found[name, USED, number]) for name in made)

    last = CHECKPOINTS[-1]
    figures = [
        Figure(f"Brier score after {last:,} observations", mean(last, lambda each: each.brier), 0.10, "", digits=3),
        Figure("of requests", mean(last, lambda each: each.brier_of_requests), 0.10, "", digits=3),
    ]
    for before, after in itertools.pairwise(CHECKPOINTS):
        for what, of in (("ratio error", _excess), ("Brier score", lambda each: each.brier)):
            ratio = mean(after, of) / mean(before, of)
            figures.append(Figure(f"{what}, {after:,} / {before:,} observations", ratio, 1.0, digits=3))
    return figures


def _excess(each: Errors) -> float:
    """The ratio error above that of a perfect prediction."""
    return each.ratio - 1


def chosen(evidence: Evidence, nodes: Sequence[Node]) -> list[Prediction]:
    """The predictions of the predictor that has erred least so far, as `request predict` shows them."""
    kinds = [each.kind for each in least_erring(evidence)]
    return use_best_predictor(evidence, lambda predictor: predictor.predict(nodes), kinds)[1]


def tables() -> dict[str, CodedTable]:
    """The made services, and Adult where its file is there."""
    found: dict[str, CodedTable] = {f"service {number}": BroadService(number, seed) for number, seed in SERVICES}
    return found | ({"Adult": coded_adult(DATA, COLUMNS)} if DATA.exists() else {})
