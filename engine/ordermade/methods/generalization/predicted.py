"""The forecast of a request before anything is counted for it: the records that `Engine.predict` returns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from ordermade.methods.shared.judged import FORESEEN_IN_WORDS, ForeseenBeside
from ordermade.methods.shared.verdict import VERDICTS, Verdict, chance_in_words
from ordermade.prediction.calibration import NO_FORECASTS, Calibration
from ordermade.prediction.prediction import End, Scores
from ordermade.records.cards import Card, Grid, HasSummary
from ordermade.records.cells import cell, counted
from ordermade.records.printed import CLASSES, NOT_PRINTED, Printed, printed_as

if TYPE_CHECKING:
    from ordermade.requests.generalization import GeneralizationRequest

MAX_PREDICTED = 10_000
"""Nodes of a lattice up to which all of them are predicted; of a larger one, those where k is about to be reached."""

AT_LEAST, AT_MOST = "≥", "≤"
"""The marks of the ends of an interval that are cut to what is proved."""


@dataclass(frozen=True, slots=True)
class PredictedNode:
    """An accepted node, and what is expected of it."""

    levels: Mapping[str, int]
    """The level of each quasi-identifier."""
    level_names: Mapping[str, str]
    """The same by name."""
    k: float | None
    """The expected k; null without a prediction, or below the least k of the dataset."""
    low: float
    """The lower end of the interval that holds k in 90 cases of 100."""
    high: float
    """Its upper end."""
    chance: float | None
    """The probability that it passes; null where unknown."""
    proved: bool | None = field(metadata=NOT_PRINTED)
    """Whether it is proved to pass; None: nothing is proved."""
    divisions: float | None = field(metadata=CLASSES)
    """The expected number of equivalence classes."""
    bounded: tuple[End, ...] = ()
    """The ends that were expected beyond what is proved, and are cut to it, as k then may be."""

    @property
    @printed_as("proved")
    def proof(self) -> Literal["passes", "fails"] | None:
        """What is proved of it; null: nothing."""
        return None if self.proved is None else "passes" if self.proved else "fails"

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


@dataclass(frozen=True, slots=True)
class Basis:
    """The dataset version that a prediction rests on."""

    rows: int
    """The rows of the dataset when it was last seen."""
    last_seen_at: datetime
    """The time of that."""
    observations: int
    """The measured nodes of that version that can be placed in the lattice of the request."""
    nodes: int
    """Those of them that are nodes of the lattice itself."""
    marginals: tuple[str, ...]
    """The quasi-identifiers whose class sizes are known."""
    earlier_nodes: int
    """The nodes known of an older version."""
    persons: int | None = None
    """The persons of the dataset; null where a row is a person."""


@dataclass(frozen=True, slots=True)
class PredictedBy:
    """The predictor."""

    name: str
    """Its name."""
    meaning: str
    """The way it predicts, in words."""
    scores: Scores | None
    """How it met the measured nodes of this lattice, each held out in turn; null where none judges it."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The most statements that `request run` would send to the source, if the data are as last seen."""

    version_queries: int
    """Those for the dataset version."""
    coverage_queries: int
    """Those for the values of columns, for persons, and for what a policy demands of a filter."""
    source_queries: int
    """Those for the frequency set."""
    nodes_open: int
    """The accepted nodes that nothing proves to pass or to fail."""
    identifying_queries: int = 0
    """Those for columns whose values may identify persons."""
    release_queries: int = 0
    """Those that make the release."""
    by_part: bool = False
    """Whether `source_queries`, and those for versions of files, are one a part, of parts that may be more by now."""
    if_changed: int | None = None
    """The most in all if the data changed since they were seen; null where they were never seen, or did not change."""
    unchanged: bool = False
    """Whether it is proved that nothing was written since: counts of then are not sent again."""

    @property
    def statements(self) -> int:
        """The statements in all."""
        counted = self.version_queries + self.coverage_queries + self.source_queries
        return counted + self.identifying_queries + self.release_queries


@dataclass(frozen=True, slots=True, repr=False)
class Predicted(Printed, HasSummary):
    """The forecast of a request; no row of the source was read."""

    title: str
    """The title of the request."""
    dataset: str
    """The dataset."""
    k: int
    """The requested k."""
    objective: str
    """The objective of the request."""
    ranked_by: str
    """The objective that nodes are ranked by."""
    verdict: Verdict
    """Whether an accepted node passes: proved (`passes`, `fails`), by its chance (`likely`, `unlikely`), or unknown."""
    chance: float | None
    """The probability that one passes; null where unknown."""
    finest: PredictedNode | None
    """The node of the finest accepted levels."""
    certain: PredictedNode | None
    """The best node that is proved to pass."""
    expected: PredictedNode | None
    """The best node that is expected to pass."""
    nodes: tuple[PredictedNode, ...]
    """Accepted nodes, the best first."""
    nodes_in_lattice: int
    """The number of accepted nodes."""
    nodes_proved_to_pass: int
    """Those that are proved to pass."""
    nodes_proved_to_fail: int
    """Those that are proved to fail."""
    predictor: PredictedBy | None
    """The predictor; null where too little is known."""
    too_little: str | None
    """The reason then."""
    basis: Basis | None
    """The dataset version that the prediction rests on; null where none was ever seen."""
    cost: Cost
    """The cost of an answer."""
    unchecked: tuple[str, ...] = ()
    """What could not be checked without the source."""
    covered: bool = True
    """Whether every hierarchy is known to cover its column."""
    questions: float = 0.0
    """The nodes that the search of a run is expected to measure."""
    seconds: float | None = None
    """The seconds that the run is expected to take; null where none ran on the dataset before."""
    calibration: Calibration = NO_FORECASTS
    """How the forecasts on this dataset came out so far."""
    gone: tuple[str, ...] = ()
    """The tables and columns that a run needs and the source no longer has, a sentence each."""
    beside: ForeseenBeside | None = None
    """What the releases of its recipients decide alone; null without any, without a policy, and for users."""

    @property
    @printed_as("nodes_left_out")
    def nodes_left_out(self) -> int:
        """The accepted nodes that `nodes` does not have."""
        return self.nodes_in_lattice - len(self.nodes)

    def _card(self) -> Card:

        headings, rows = node_table(self, everything=False)
        return Card.of(
            f"Predicted: {self.verdict}, k = {self.k:,} on {self.dataset}",
            predicted_facts(self),
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


def number(k: float | None) -> str:
    """A predicted k, with one decimal where it is small."""
    if k is None:
        return "-"
    return f"{k:.1f}" if k < 10 and k != int(k) else f"{k:,.0f}"


MAX_ROWS = 30
"""Rows of the table without --all."""
_FIRST_PASSING = 10
_MAX_COLUMNS = 5


def predicted_facts(predicted: Predicted) -> Iterator[tuple[str, Any]]:
    """The prediction for the request as a whole, its evidence, and the open questions."""
    verdict = VERDICTS[predicted.verdict]
    if predicted.gone:
        verdict = f"no: {predicted.too_little}"
    if predicted.verdict in ("likely", "unlikely"):
        verdict += f" ({chance_in_words(predicted.chance)})"
    yield "will it pass", verdict
    if predicted.verdict != "fails" and predicted.finest is not None and predicted.finest.chance is not None:
        yield "at the finest", passing(predicted.finest)
    yield from _best(predicted)
    yield "nodes accepted", _nodes(predicted)
    yield "predictor", None if predicted.predictor is None else _predictor(predicted.predictor)
    yield "no prediction", None if predicted.gone else predicted.too_little
    yield "forecasts so far", _so_far(predicted.calibration)
    if predicted.basis is not None:
        yield from _basis(predicted.basis)
    yield "beside releases", None if predicted.beside is None else FORESEEN_IN_WORDS[predicted.beside]
    yield "not checked", "; ".join(predicted.unchecked) or None
    yield "to know for sure", None if predicted.gone else _cost(predicted.cost)
    yield "a run takes", _run(predicted)


def _so_far(found: Calibration) -> str | None:
    parts = []
    if found.brier is not None:
        parts.append(f"{counted(found.forecasts, 'forecast')} on this dataset, Brier score {found.brier:.2f}")
    if found.proved:
        parts.append(
            f"proved{' besides' if parts else ''}: {found.proved:,}, {found.proved_wrong:,} came out otherwise"
        )
    return "; ".join(parts) or None


def _run(predicted: Predicted) -> str | None:
    expected = round(predicted.questions)
    if predicted.verdict == "fails" or not (expected or predicted.seconds):
        return None
    nodes = f"about {counted(expected, 'node')} to measure" if expected else "no node to measure"
    return nodes if predicted.seconds is None else f"{nodes}, {predicted.seconds:.2g} s"


def node_table(predicted: Predicted, *, everything: bool) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Headings and rows: levels, expected k, its interval and the chance of nodes; ranks where rows are left out.

    Columns whose level is the same in every node are left out; many columns share one cell. Without a prediction
    the interval is the proved one.
    """
    nodes = predicted.nodes if everything else informative_nodes(predicted.nodes)
    ranks = {id(node): rank for rank, node in enumerate(predicted.nodes, start=1)}
    ranked = len(nodes) < predicted.nodes_in_lattice
    columns = [
        column for column in (nodes[0].levels if nodes else ()) if len({n.levels[column] for n in predicted.nodes}) > 1
    ]
    apart = len(columns) <= _MAX_COLUMNS
    headings = [
        *(["rank"] if ranked else []),
        *(columns if apart else ["levels"]),
        "k",
        "90 %" if predicted.predictor else "proved",
        "passes",
    ]
    rows = [
        (
            *((ranks[id(node)],) if ranked else ()),
            *(_levels(node, columns) if apart else [", ".join(_named(node, columns))]),
            number(node.k),
            interval_of(node),
            chance_in_words(node.chance) if node.proved is None else "yes" if node.proved else "no",
        )
        for node in nodes
    ]
    return headings, rows


def informative_nodes(nodes: Sequence[PredictedNode], most: int = MAX_ROWS) -> list[PredictedNode]:
    """At most so many of the ranked nodes, in their order: the best expected to pass, then those nearest the border.

    Those are the least certain first; of nodes as certain (proved), the ones that are nearest the best in rank.
    """
    if len(nodes) <= most:
        return list(nodes)
    best = [place for place, node in enumerate(nodes) if node.expected_to_pass][:_FIRST_PASSING]
    border = best[0] if best else len(nodes)
    doubt = sorted(range(len(nodes)), key=lambda place: (_certainty(nodes[place]), abs(place - border)))
    chosen = list(dict.fromkeys([*best, *doubt]))[:most]
    return [nodes[place] for place in sorted(chosen)]


def under_the_table(predicted: Predicted, shown: int, request: GeneralizationRequest | None = None) -> str:
    """The legend of the table, and the nodes that it leaves out."""
    proved = "yes and no are proved" + ("." if predicted.covered else ", if each hierarchy covers its column.")
    passes = f"passes: a chance; {proved}" if predicted.predictor else f"passes: {proved}"
    parts = (passes, *_meaning_of_k(request), _bounds(predicted.nodes), _left_out(predicted, shown))
    return " ".join(part for part in parts if part)


def _meaning_of_k(request: GeneralizationRequest | None) -> Iterator[str]:
    """The meaning of the column of k beyond its name."""
    if request is not None and request.suppression_limit:
        yield "k: the least class after as much suppression as allowed, the smallest classes first."
    if request is not None and (request.sensitive or request.risk is not None):
        yield "A node of enough k may fail the other requirements."


def _bounds(nodes: Iterable[PredictedNode]) -> str | None:
    """The meaning of the marks of ends that are cut to what is proved; None where no node has one."""
    marks = {"low": AT_LEAST, "high": AT_MOST}
    found = [mark for end, mark in marks.items() if any(end in each.bounded for each in nodes)]
    return f"{' and '.join(found)}: proved, and the interval is cut there." if found else None


def _left_out(predicted: Predicted, shown: int) -> str | None:
    if shown < len(predicted.nodes):
        all_of_them = f"{len(predicted.nodes):,}" if predicted.nodes_left_out else "all"
        return (
            f"{shown:,} of {predicted.nodes_in_lattice:,} nodes, by {predicted.ranked_by}: the best that are expected "
            f"to pass, and those nearest the border. --all lists {all_of_them}."
        )
    if predicted.nodes_left_out:
        return f"{predicted.nodes_left_out:,} more accepted nodes were not predicted one by one."
    return None


def passing(node: PredictedNode) -> str:
    """Whether a node passes: proved, or its chance."""
    if node.proved is None:
        return chance_in_words(node.chance)
    return "yes, proved" if node.proved else "no, proved"


def _best(predicted: Predicted) -> Iterator[tuple[str, Any]]:
    expected, certain = predicted.expected, predicted.certain
    if expected is not None:
        yield "expected", ", ".join(_named(expected, list(expected.levels)))
        yield "its k", _outlook(expected)
    if certain is not None and (expected is None or certain.levels != expected.levels):
        yield "proved to pass", ", ".join(_named(certain, list(certain.levels)))


def _outlook(node: PredictedNode) -> str:
    if node.k_proved and node.proved is not None:
        return expected_k(node)
    sure = "proved to pass" if node.proved else f"passes: {chance_in_words(node.chance)}"
    return f"{expected_k(node)}; {sure}"


def _nodes(predicted: Predicted) -> str:
    passing_, failing = predicted.nodes_proved_to_pass, predicted.nodes_proved_to_fail
    rest = predicted.nodes_in_lattice - passing_ - failing
    return f"{predicted.nodes_in_lattice:,}: {passing_:,} proved to pass, {failing:,} proved to fail, {rest:,} open"


def _predictor(predictor: PredictedBy) -> str:
    scores = predictor.scores
    if scores is None:
        return f"{predictor.name} ({predictor.meaning}); not judged yet"
    r = "" if scores.r is None else f", R {scores.r:.3f}"
    nodes = counted(scores.nodes, "measured node")
    met = f"mean ratio error {scores.mean_ratio_error:.2f}{r} on {nodes}, each held out"
    return f"{predictor.name} ({predictor.meaning}); {met}"


def _basis(basis: Basis) -> Iterator[tuple[str, Any]]:
    persons = "" if basis.persons is None else f" of {basis.persons:,} persons"
    yield "dataset", f"{basis.rows:,} rows{persons}, as last seen {cell(basis.last_seen_at)}"
    yield "table C", f"{counted(basis.observations, 'node')} of this dataset version, {basis.nodes:,} of these columns"
    yield "earlier version", f"{counted(basis.earlier_nodes, 'node')} (a hint only)" if basis.earlier_nodes else None
    yield "marginals", ", ".join(basis.marginals) or "of no column at every requested level"


def _cost(cost: Cost) -> str:
    parts = [
        _counted(cost.version_queries, "statement for the dataset version", "statements for the dataset version"),
        _counted(cost.coverage_queries, "for the values of a column", "for the values of columns"),
        _counted(cost.identifying_queries, "for columns that may identify persons", ""),
        _counted(cost.source_queries, *_frequency_sets(by_part=cost.by_part)),
        _counted(cost.release_queries, "for the release", ""),
    ]
    *first, last = [part for part in parts if part] or ["no statement"]
    said = f"`request run` sends the source at most {', '.join(first)}{' and ' if first else ''}{last}"
    if cost.unchanged:
        return f"{said}: nothing was written to it since"
    return said if cost.if_changed is None else f"{said}; {cost.if_changed:,} in all if the data changed since"


def _frequency_sets(*, by_part: bool) -> tuple[str, str]:
    return ("frequency set a part", "frequency sets, one a part") if by_part else ("frequency set", "frequency sets")


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}" if count else ""


def _levels(node: PredictedNode, columns: Sequence[str]) -> list[str]:
    return [node.level_names[column] for column in columns]


def _named(node: PredictedNode, columns: Sequence[str]) -> list[str]:
    return [f"{column}: {node.level_names[column]}" for column in columns]


def _certainty(node: PredictedNode) -> float:
    """0 where a node is as likely to pass as not, 0.5 where that is proved."""
    return 0.5 if node.chance is None else abs(node.chance - 0.5)
