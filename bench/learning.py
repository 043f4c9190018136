"""Learning: 200 requests on one dataset, and what each cost against the number of requests before it.

The 200 go through the pure searches, with evidence that grows as table C would: through the whole engine they take more
than a minute. That the engine asks its source nothing where table C proves the answer is shown beside, on fewer.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

from bench.figure import Figure, print_rows
from bench.members import COARSE, Bench
from bench.wide_service import WHOLE, Request, WideService, made_requests
from ordermade.demo.tables import make_members
from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation, Requirement
from ordermade.loss.objectives import objective
from ordermade.prediction.prediction import Prediction, scores
from ordermade.prediction.predictors import use_best_predictor
from ordermade.search import SEARCHES, SearchProblem, drive

REQUESTS = 200
SEED = 5
ALGORITHM = "guided"
JUDGED = 200
LEAST_K, MAX_K = 2, 2_000
"""The k of the nodes that predictions are judged on: neither classes of one person, nor what is trivial."""
CHECKPOINTS = (0, 1, 2, 5, 10, 20, 50, 100, 150, 200)
BUCKETS = ((0, 5), (5, 10), (10, 20), (20, 50), (50, 100), (100, 150), (150, 200))
THROUGH_THE_ENGINE = (
    ("sex", "age", "plan"),
    ("age", "prefecture"),
    ("sex", "age"),
    ("prefecture", "occupation", "plan"),
)
MEMBERS = 20_000


@dataclass(frozen=True)
class Answered:
    """One request: the nodes it measured, all of its lattice, and those measured with nothing remembered."""

    measured: int
    alone: int
    in_lattice: int


@dataclass(frozen=True)
class Errors:
    """The mean ratio error of predicted k over fixed nodes: of all, and of those whose k is never proved.

    `proved`: how many of them table C proves by now.
    """

    predictor: str
    of_all: float
    of_never_proved: float
    proved: int


@dataclass(frozen=True)
class Learnt:
    """The cost of the requests, in order, and the quality of the predictions of k, by the number of requests before."""

    answered: tuple[Answered, ...]
    errors: Mapping[int, Errors]


def show() -> Sequence[Figure]:
    """Prints the tables; the figures that row 7 of the issue holds to a target."""
    found = learnt()
    _print_tables(found)
    return [*_figures(found), source_queries()]


def _print_tables(found: Learnt) -> None:
    rows = []
    for first, last in BUCKETS:
        some = found.answered[first:last]
        rows.append(
            (
                f"{first} to {last - 1}",
                fmean(each.measured for each in some),
                fmean(each.alone for each in some),
                fmean(each.in_lattice for each in some),
                100 * fmean(each.measured == 0 for each in some),
            )
        )
    headings = ("earlier requests", "nodes measured", "nothing remembered", "in its lattice", "% measured none")
    print_rows(
        f"learning: {REQUESTS} requests on one made service, means of each request ({ALGORITHM})", headings, rows
    )
    print_rows(
        f"predicted k of {JUDGED} fixed nodes against their k, after so many requests",
        ("requests", "predictor", "ratio error", "of those never proved", "proved by now"),
        [
            (str(number), each.predictor, each.of_all, each.of_never_proved, each.proved)
            for number, each in found.errors.items()
        ],
    )


def _figures(found: Learnt) -> list[Figure]:
    early, late = found.answered[:20], found.answered[-50:]
    per_early, per_late = (fmean(each.measured for each in some) for some in (early, late))
    return [
        Figure(
            "nodes measured a request, the last 50 / the first 20",
            per_late / per_early,
            target=0.5,
            note=f"{per_late:.2f} against {per_early:.2f}",
        ),
        Figure(
            "nodes measured / with nothing remembered",
            sum(each.measured for each in found.answered) / sum(each.alone for each in found.answered),
            target=1.0,
        ),
        Figure(
            "ratio error after the last request / before the first",
            found.errors[REQUESTS].of_all / found.errors[0].of_all,
            target=1.0,
            note=f"{found.errors[REQUESTS].of_all:.3f} against {found.errors[0].of_all:.3f}",
        ),
    ]


def learnt() -> Learnt:
    """Asks the requests, one after the other; a few seconds."""
    service = WideService()
    judged = judged_nodes(service)
    known: dict[Node, Observation] = {}
    answered: list[Answered] = []
    predicted = {0: predict(service, known, judged)}
    for number, request in enumerate(made_requests(REQUESTS, SEED), start=1):
        fresh = ask(service, request, known)
        known |= fresh
        alone = len(ask(service, request, {}))
        answered.append(Answered(len(fresh), alone, request.lattice.size))
        if number in CHECKPOINTS:
            predicted[number] = predict(service, known, judged)
    never = [place for place, each in enumerate(predicted[REQUESTS].of_judged) if each.low < each.high]
    k = [each.k for each in service.measure(judged)]
    return Learnt(tuple(answered), {number: errors_of(each, k, never) for number, each in predicted.items()})


def ask(service: WideService, request: Request, known: Mapping[Node, Observation]) -> dict[Node, Observation]:
    """Runs the search of one request, given what table C knows; what was measured for it, for table C to keep."""
    evidence = service.evidence(request.lattice, request.columns, known)
    goal = objective("prec", request.lattice, None, Requirement(request.k))
    measured: dict[Node, Observation] = {}

    def measure(batch: Sequence[Node]) -> list[Observation]:
        nodes = [request.in_whole(node) for node in batch]
        observations = service.measure(nodes)
        measured.update(
            (node, each)
            for node, each in zip(nodes, observations, strict=True)
            if node not in known and node != WHOLE.top
        )
        return observations

    outcome = drive(
        SEARCHES[ALGORITHM].start(SearchProblem(request.lattice, Requirement(request.k), goal, evidence)), measure
    )
    if outcome.best is not None and evidence.proofs.exact(outcome.best) is None:
        measure([outcome.best])  # as the engine does: the figures of a release are exact
    return measured


def judged_nodes(service: WideService) -> list[Node]:
    """Some nodes of all columns, drawn among those whose k is informative."""
    nodes = list(WHOLE.nodes())
    random.Random(SEED).shuffle(nodes)
    wanted = (node for node in nodes if LEAST_K <= service.measure([node])[0].k <= MAX_K)
    return [node for node, _ in zip(wanted, range(JUDGED), strict=False)]


@dataclass(frozen=True)
class Predicted:
    """A predictor's answers on the judged nodes, in order."""

    predictor: str
    of_judged: tuple[Prediction, ...]


def predict(service: WideService, known: Mapping[Node, Observation], judged: Sequence[Node]) -> Predicted:
    """The predictions of the judged nodes from the known ones."""
    evidence = service.evidence(WHOLE, range(len(WHOLE.axes)), known)
    kind, found = use_best_predictor(evidence, lambda predictor: predictor.predict(judged))
    return Predicted(kind.name, tuple(found))


def errors_of(predicted: Predicted, k: Sequence[int], never: Sequence[int]) -> Errors:
    """The errors of predictions against the measured `k`; `never`: the places of the nodes that are never proved."""
    pairs = [(measured, each.k) for measured, each in zip(k, predicted.of_judged, strict=True)]
    return Errors(
        predicted.predictor,
        scores(pairs).mean_ratio_error,
        scores(pairs[place] for place in never).mean_ratio_error,
        sum(each.low == each.high for each in predicted.of_judged),
    )


def source_queries() -> Figure:
    """Through the whole engine: requests for the same as earlier ones, without a cache to count from."""
    with TemporaryDirectory(prefix="ordermade-bench-") as folder:
        bench = Bench(Path(folder))
        make_members(bench.database, MEMBERS)
        engine = bench.engine("learning")
        asked_again = []
        for columns in THROUGH_THE_ENGINE:
            levels = {column: COARSE[column] for column in columns}
            search = {"search": {"algorithm": ALGORITHM}}
            engine.run(bench.request(levels, "learning") | search, again=True)
            engine.cache.purge()
            asked_again.append(engine.run(bench.request(levels, "learning") | search, again=True).search)
    return Figure(
        "source queries where table C proves the answer, cache purged",
        sum(each.source_queries for each in asked_again),
        target=0,
        unit="",
        note=f"{len(asked_again)} requests run again through the engine: "
        f"{sum(each.nodes_measured for each in asked_again)} nodes measured",
    )
