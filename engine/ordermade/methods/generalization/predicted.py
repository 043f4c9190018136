"""The forecast of a request before anything is counted for it: the records that `Engine.predict` returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, Literal

from ordermade.display.cards import Card, Carded, Grid
from ordermade.prediction.calibration import NO_FORECASTS, Calibration
from ordermade.prediction.prediction import End, Scores

Verdict = Literal["passes", "fails", "likely", "unlikely", "open"]
"""`passes`, `fails`: proved. `likely`, `unlikely`: a chance of at least one half, or below it. `open`: unknown."""

MOST_PREDICTED = 10_000
"""Nodes of a lattice up to which all of them are predicted; of a larger one, those where k is about to be reached."""

AT_LEAST, AT_MOST = "≥", "≤"
"""The marks of the ends of an interval that are cut to what is proved."""


@dataclass(frozen=True, slots=True)
class PredictedNode:
    """One accepted node: its levels, the k expected of it, and whether it will pass.

    `k` is the expected k (where rows may be suppressed, the k reached then), from `low` to `high` the interval holding
    90 in 100 nodes (the proved bounds without a prediction: then `k` is None). `bounded`: the ends of the interval that
    were expected beyond what is proved, and are cut to it. `chance`: the probability that the node passes, None if
    unknown; where no node gives evidence of the models, only how improbable k alone makes it.
    `proved`: True where the node is proved to pass, False where it is proved to fail. `divisions`: how many classes are
    expected, None if unknown.
    """

    levels: Mapping[str, int]
    level_names: Mapping[str, str]
    k: float | None
    low: float
    high: float
    chance: float | None
    proved: bool | None
    divisions: float | None
    bounded: tuple[End, ...] = ()

    @property
    def k_proved(self) -> bool:
        """True if k itself is proved, not only an end of its interval."""
        return self.low == self.high and not self.bounded

    @property
    def expected_to_pass(self) -> bool:
        """True if the node is proved to pass, or more likely to pass than not."""
        return self.chance is not None and self.chance >= 0.5

    def without_counts_below(self, least_k: int) -> PredictedNode:
        """The node without what is below the least k of its dataset: then `k` is None, `low` 0 and `high` no less.

        An end that is not shown is not said to be cut, either.
        """
        ends = {"low": self.low, "high": self.high}
        return replace(
            self,
            k=None if self.k is None or self.k < least_k else self.k,
            low=self.low if self.low >= least_k else 0.0,
            high=max(self.high, float(least_k)),
            divisions=None if self.divisions is None or self.divisions < least_k else self.divisions,
            bounded=tuple(each for each in self.bounded if ends[each] >= least_k),
        )

    def as_dict(self) -> dict[str, Any]:
        """The node as `request predict --json` prints it."""
        proved = None if self.proved is None else "passes" if self.proved else "fails"
        return {
            "levels": dict(self.levels),
            "level_names": dict(self.level_names),
            "k": self.k,
            "low": self.low,
            "high": self.high,
            "bounded": list(self.bounded),
            "chance": self.chance,
            "proved": proved,
            "classes": self.divisions,
        }


@dataclass(frozen=True, slots=True)
class Basis:
    """The dataset version that a prediction rests on, and what is known of it.

    `rows` of the dataset when it was last seen, at `last_seen_at`, and its `persons` where it has an entity column.
    `observations`: nodes of table C of that version
    that can be placed in this request's lattice; `nodes` of them are nodes of the lattice itself. `marginals`: the
    quasi-identifiers whose column marginals are known. `earlier_nodes`: nodes known of an older version, a hint only.
    """

    rows: int
    last_seen_at: datetime
    observations: int
    nodes: int
    marginals: tuple[str, ...]
    earlier_nodes: int
    persons: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """The basis as `request predict --json` prints it; times in ISO 8601."""
        return {**asdict(self), "last_seen_at": self.last_seen_at.isoformat(), "marginals": list(self.marginals)}


@dataclass(frozen=True, slots=True)
class PredictedBy:
    """The predictor, what it does, and how it met the measured nodes of this dataset, each held out in turn.

    `scores` is None where no measured node can judge it.
    """

    name: str
    meaning: str
    scores: Scores | None


@dataclass(frozen=True, slots=True)
class Cost:
    """The most statements that `request run` would send to the source, to know for certain; and table C's open nodes.

    Statements: `version_queries` for the dataset version, `coverage_queries` (one a quasi-identifier whose counts of
    values are not kept, which gives its marginal), `source_queries` for the frequency set. `nodes_open`: accepted nodes
    that nothing proves to pass or fail.
    """

    version_queries: int
    coverage_queries: int
    source_queries: int
    nodes_open: int


@dataclass(frozen=True, slots=True, repr=False)
class Predicted(Carded):
    """The forecast of a request, from the state alone; the source was not touched.

    `verdict` says whether some accepted node passes, `chance` how probable that is (1 or 0 where proved, None where
    unknown). `finest`: the node where every quasi-identifier is at the finest level accepted. `certain`: the best
    node proved to pass. `expected`: the best node expected to pass (at least an even chance). Both by `ranked_by`: the
    request's objective, or what stands in for it where that must be counted.
    `nodes`: accepted nodes, best first; `nodes_left_out` more were not predicted one by one. `predictor` is None where
    too little is known, and `too_little` says why. `basis` is None where no version of the dataset was ever seen.
    `unchecked`: what could not be checked without the source. `covered`: whether every hierarchy is known to cover its
    column, without which no proof of the nodes proves the request. `questions`: nodes that the search of a run is
    expected to measure; `seconds` of the run, None where none ran before. `calibration`: how earlier forecasts on this
    dataset came out.
    """

    title: str
    dataset: str
    k: int
    objective: str
    ranked_by: str
    verdict: Verdict
    chance: float | None
    finest: PredictedNode | None
    certain: PredictedNode | None
    expected: PredictedNode | None
    nodes: tuple[PredictedNode, ...]
    nodes_in_lattice: int
    nodes_proved_to_pass: int
    nodes_proved_to_fail: int
    predictor: PredictedBy | None
    too_little: str | None
    basis: Basis | None
    cost: Cost
    unchecked: tuple[str, ...] = ()
    covered: bool = True
    questions: float = 0.0
    seconds: float | None = None
    calibration: Calibration = NO_FORECASTS

    @property
    def nodes_left_out(self) -> int:
        """The accepted nodes that `nodes` does not have."""
        return self.nodes_in_lattice - len(self.nodes)

    def as_dict(self) -> dict[str, Any]:
        """The one object that `request predict --json` prints."""
        return {
            "title": self.title,
            "dataset": self.dataset,
            "k": self.k,
            "objective": self.objective,
            "verdict": self.verdict,
            "chance": self.chance,
            "finest": None if self.finest is None else self.finest.as_dict(),
            "certain": None if self.certain is None else self.certain.as_dict(),
            "expected": None if self.expected is None else self.expected.as_dict(),
            "ranked_by": self.ranked_by,
            "nodes_in_lattice": self.nodes_in_lattice,
            "nodes_proved_to_pass": self.nodes_proved_to_pass,
            "nodes_proved_to_fail": self.nodes_proved_to_fail,
            "predictor": None if self.predictor is None else asdict(self.predictor),
            "too_little": self.too_little,
            "basis": None if self.basis is None else self.basis.as_dict(),
            "cost": asdict(self.cost),
            "questions": self.questions,
            "seconds": self.seconds,
            "calibration": self.calibration.as_dict(),
            "unchecked": list(self.unchecked),
            "covered": self.covered,
            "nodes_left_out": self.nodes_left_out,
            "nodes": [each.as_dict() for each in self.nodes],
        }

    def _card(self) -> Card:
        from ordermade.methods.generalization import predicted_words as words  # the words are of these figures

        headings, rows = words.node_table(self, everything=False)
        return Card.of(
            f"Predicted: {self.verdict}, k = {self.k:,} on {self.dataset}",
            words.predicted_facts(self),
            Grid(tuple(headings), rows, f"Nodes by {self.ranked_by}"),
        )


def expected_k(node: PredictedNode) -> str:
    """The expected k of a node with its interval, as it is written: `62 (51 to 80)`; `78, proved` where it is known."""
    if node.k_proved:
        return f"{number(node.low)}, proved"
    return interval_of(node) if node.k is None else f"{number(node.k)} ({interval_of(node)})"


def interval_of(node: PredictedNode) -> str:
    """The interval of a node's k, as it is written; empty where k is proved. `≥` and `≤` mark ends cut to bounds."""
    if node.k_proved:
        return ""
    low = f"{AT_LEAST if 'low' in node.bounded else ''}{number(node.low)}"
    high = f"{AT_MOST if 'high' in node.bounded else ''}{number(node.high)}"
    if node.low < node.high:
        return f"{low} to {high}"
    return high if "high" in node.bounded else low


def percent(chance: float | None) -> str:
    """A chance in whole per cent; 0 and 100 are for proved nodes only."""
    if chance is None:
        return "-"
    return "< 1 %" if chance < 0.01 else "> 99 %" if chance > 0.99 else f"{100 * chance:.0f} %"


def number(k: float | None) -> str:
    """A predicted k, with one decimal where it is small."""
    if k is None:
        return "-"
    return f"{k:.1f}" if k < 10 and k != int(k) else f"{k:,.0f}"
