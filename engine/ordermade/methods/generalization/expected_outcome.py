"""The outlook of a request before it runs: whether it passes, at which levels, and what the run will take.

From table C, cached marginals and the records of earlier requests alone: the source is not touched.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ordermade.methods.generalization.predicted import Predicted
from ordermade.state.forecasts import EarlierRun, NewForecast

USUAL_QUESTIONS = 1.2
"""Nodes that a search measures for each doubling of the nodes that are open, before any search was seen."""
USUAL_WEIGHS = 3
"""The weight of that, in searches."""


@dataclass(frozen=True, slots=True)
class ExpectedOutcome:
    """The outlook of a request.

    `chance` to be released, 1 or 0 where `proved`, None where unknown. `levels`: the name of the level expected of each
    column; empty where no node is expected to pass. `questions`: nodes that the search is expected to measure.
    `seconds` of the run; None where none ran on this dataset before. `predictor`: its name, None where too little is
    known.
    """

    chance: float | None
    proved: bool
    levels: Mapping[str, str]
    questions: float
    seconds: float | None
    predictor: str | None


def expected_of(found: Predicted) -> ExpectedOutcome:
    """The outlook of a forecast, in short."""
    node = found.certain or found.expected
    return ExpectedOutcome(
        chance=found.chance,
        proved=found.verdict in ("passes", "fails"),
        levels={} if node is None else dict(node.level_names),
        questions=found.questions,
        seconds=found.seconds,
        predictor=None if found.predictor is None else found.predictor.name,
    )


def questions_expected(nodes_open: int, runs: Sequence[EarlierRun]) -> float:
    """The nodes that a search of so many open ones is expected to measure, at the rate of earlier searches."""
    measured = sum(each.nodes_measured for each in runs)
    doublings = sum(math.log2(1 + each.nodes_in_lattice) for each in runs)
    mean = doublings / len(runs) if runs else 1.0
    rate = (measured + USUAL_WEIGHS * USUAL_QUESTIONS * mean) / (doublings + USUAL_WEIGHS * mean)
    return min(rate * math.log2(1 + nodes_open), float(nodes_open))


def seconds_expected(questions: float, rows: int, runs: Sequence[EarlierRun]) -> float | None:
    """The seconds of a run: the mean of earlier ones for so many rows, those of about as many questions most.

    None where none ran. Fewer rows than then are not taken to be faster: much of a run does not depend on them.
    """
    if not runs:
        return None
    weights = [math.exp(-abs(math.log((1 + questions) / (1 + each.nodes_measured)))) for each in runs]
    lns = [math.log(each.seconds * max(rows / max(each.rows, 1), 1.0)) for each in runs]
    return math.exp(math.fsum(w * ln for w, ln in zip(weights, lns, strict=True)) / math.fsum(weights))


def new_forecast(found: Predicted, request_hash: str, dataset_version_id: int | None) -> NewForecast:
    """The forecast as the state notes it."""
    node = found.certain or found.expected
    short = expected_of(found)
    return NewForecast(
        request_hash=request_hash,
        dataset_name=found.dataset,
        dataset_version_id=dataset_version_id,
        predictor=short.predictor,
        chance=short.chance,
        proved=short.proved,
        k=None if node is None else node.k,
        questions=short.questions,
        seconds=short.seconds,
        levels={} if node is None else {each: (node.levels[each], node.level_names[each]) for each in node.levels},
    )
