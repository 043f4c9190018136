"""The result of a generalisation request: levels, search, nearest passing node, report of the release.

A refusal has its reason in words, with the column that breaks the requirement and the nearest node that passes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ordermade.counting.counts import Sensitive, Units
from ordermade.counting.dataset import Version
from ordermade.counting.oracle import Oracle
from ordermade.errors import RequestError, quoted
from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation, Requirement
from ordermade.loss.extremes import Extremes
from ordermade.loss.metrics import METRICS
from ordermade.loss.objectives import Objective, Score, distance_beyond
from ordermade.loss.shapes import GeneralizationLoss
from ordermade.loss.shares import LossValues
from ordermade.methods.generalization.lost_detail import LostDetail
from ordermade.methods.generalization.measurement import Measurement
from ordermade.methods.generalization.open_request import OpenGeneralization
from ordermade.methods.generalization.search_problem import SearchSpec, certain_observations
from ordermade.methods.shared.release_record import MethodSummary, level_in_manifest, level_noted
from ordermade.methods.shared.released_columns import MIXED
from ordermade.methods.shared.result import Result, cost
from ordermade.prediction.prediction import Evidence
from ordermade.privacy.least_k import AFTER_TOO_FEW, in_words, shown, too_few
from ordermade.privacy.requirement import least_units, risk_of
from ordermade.records.cards import Grid
from ordermade.records.printed import CLASSES_MEASURED, json_of, printed, printed_as
from ordermade.release.plan import Plan
from ordermade.requests.numbers import plain as plain_number
from ordermade.search import Measure, Outcome, SearchProblem, choose
from ordermade.search.driven import searched
from ordermade.state.releases import ReleaseColumn

if TYPE_CHECKING:
    from ordermade.methods.generalization.narrowed_classes import NarrowedRegions
    from ordermade.methods.generalization.narrowing import Narrowed
    from ordermade.requests.generalization import GeneralizationRequest


@dataclass(frozen=True, slots=True)
class StartReport:
    """The node where a search by prediction started."""

    levels: Mapping[str, int]
    """Its levels."""
    level_names: Mapping[str, str]
    """The same by name."""
    predicted: float | None
    """The number of classes at which the power law meets k; null without a law."""
    alpha: float | None
    """The factor of the law."""
    beta: float | None
    """Its exponent."""
    r: float | None
    """The correlation of its fit."""
    sampled: int
    """The nodes measured for the fit alone."""
    sampled_divisions: int = field(metadata=printed("sampled_classes"))
    """Their classes."""


@dataclass(frozen=True, slots=True)
class Gap:
    """The distance of the best node of a stopped search from the optimum.

    No node scores less than `bound`; `score` is that of the best node, None where none was found, and `gap` is the
    score less the bound. Of an objective that is maximised score and bound are its negatives.
    """

    objective: str
    """The objective."""
    score: float | None
    """The score of the best node; null where none was found."""
    bound: float | None
    """No node scores less."""

    @property
    @printed_as("gap")
    def gap(self) -> float | None:
        """The score less the bound; null where one of them is not known."""
        return None if self.score is None or self.bound is None else max(0.0, self.score - self.bound)

    @property
    def wide(self) -> bool:
        """Whether another tenth of the score might be saved, or nobody knows."""
        return self.gap is None or self.score is None or self.gap > WIDE * abs(self.score)

    @classmethod
    def of(cls, outcome: Outcome, minimised: Objective) -> Gap | None:
        """The gap of an outcome; None where its best node is proved, or it has neither a best node nor a bound."""
        if outcome.stopped is None:
            return None
        needed = outcome.observation if minimised.needs_observation else None
        known = outcome.best is not None and (needed is not None or not minimised.needs_observation)
        score = minimised.score(outcome.best, needed) if known and outcome.best is not None else None
        return cls(minimised.name, _figure(score), _figure(score if outcome.score_proved else outcome.bound))


def _figure(score: Score | None) -> float | None:
    return None if score is None else float(score)


WIDE = 0.1
"""The share of the score from which a gap counts as wide."""


@dataclass(frozen=True, slots=True)
class SearchReport:
    """The search, and its cost."""

    algorithm: str
    """The search."""
    nodes_in_lattice: int
    """The accepted nodes."""
    nodes_proven: int | None
    """Those that earlier measurements had decided; null where they are too many to list."""
    nodes_measured: int
    """The nodes measured now."""
    divisions_measured: int = field(metadata=CLASSES_MEASURED)
    """Their classes."""
    certified: bool
    """Whether the answer is proved to be the best, or the refusal to be right."""
    start: StartReport | None
    """The start of a search by prediction."""
    source_queries: int
    """The statements in the source that counted."""
    version_queries: int
    """Those for the dataset version."""
    coverage_queries: int
    """Those for the values of quasi-identifiers."""
    release_queries: int
    """Those that made or measured the release."""
    seconds: float
    """The seconds of the whole request."""
    score_proved: bool = True
    """Whether no accepted node that passes scores less. Where `certified` is false, one that scores as well may come
    first."""
    stopped: str | None = None
    """The reason why it ended early: `seconds`, `questions`, `interrupted` or `memory`."""
    gap: Gap | None = None
    """The distance from the optimum then."""

    def proved_in_words(self, optimum: str) -> str:
        """What is proved of the optimum: all of it, its score alone, or nothing."""
        if self.certified:
            return f"{optimum} proved"
        if self.score_proved:
            return f"score of the {optimum} proved, not which node of that score comes first"
        return f"{optimum} not proved"


@dataclass(frozen=True, slots=True)
class RoundReport:
    """A round of local recoding."""

    levels: Mapping[str, int]
    """The level of each quasi-identifier."""
    level_names: Mapping[str, str]
    """The same by name."""
    classes: int
    """The classes that it released."""
    rows: int
    """Their rows."""


@dataclass(frozen=True, slots=True)
class LocalReport:
    """The rounds of a release of mixed levels."""

    start: str
    """The node that came first."""
    rounds: tuple[RoundReport, ...]
    """The rounds, in their order."""
    full_domain_loss: float | None
    """The Loss of the best single node of the same request; null where none passes."""
    narrowed: Narrowed | None = None
    """The rows that readers can narrow; null where the release is sealed."""
    held: NarrowedRegions | None = None
    """The classes verified for that, if the request asks."""


@dataclass(frozen=True, slots=True)
class NearestPassing:
    """The passing node nearest to the accepted levels.

    A count below the least k of the dataset is None.
    """

    levels: Mapping[str, int]
    """Its levels."""
    level_names: Mapping[str, str]
    """The same by name."""
    k: int | None
    """Its k; null below the least k of the dataset."""
    suppressed: int | None = 0
    """Its suppressed rows (or persons); null below the least k."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GeneralizationResult(Result):
    """The answer to one request for generalisation."""

    loss: Annotated[LossValues, GeneralizationLoss] = field(default_factory=dict)
    """The losses by metric; none of a refusal."""
    method: Annotated[str, Literal["generalization"]] = ""
    """`generalization`."""

    search: SearchReport
    """The search, and its cost."""
    levels: Mapping[str, int] = field(default_factory=dict)
    """The released level of each quasi-identifier; none where rows are at several."""
    level_names: Mapping[str, str] = field(default_factory=dict)
    """The same by name."""
    local: LocalReport | None = None
    """The rounds of local recoding."""
    column: str | None = None
    """Of a refusal: the quasi-identifier that breaks the requirement; null where no single one does."""
    nearest: NearestPassing | None = None
    """Of a refusal: the nearest node that passes."""
    lost: LostDetail | None = None
    """The columns of a release that say little any more, and what would keep more; null where there are none."""

    def _own_facts(self) -> Iterator[tuple[str, Any]]:
        search = self.search
        of = "" if self.local is None else " of the full domain"
        proved = search.proved_in_words(f"optimum{of}")
        yield "search", f"{search.algorithm}, {proved}" if self.released else search.algorithm
        yield "stopped", search.stopped
        nodes = f"{search.nodes_measured:,} nodes measured"
        yield "cost", cost(search.source_queries, search.seconds, nodes)
        if self.nearest is not None:
            yield "nearest", _in_words(self.nearest.level_names)

    def _grids(self) -> Iterator[Grid]:
        if self.local is None:
            return
        rounds = [(each.rows, each.classes, _in_words(each.level_names)) for each in self.local.rounds]
        yield Grid(("rows", "classes", "at the levels"), rounds)


def _in_words(level_names: Mapping[str, str]) -> str:
    return ", ".join(f"{column}: {name}" for column, name in level_names.items())


OF_THE_ORIGINAL = frozenset(name for name, each in METRICS.items() if each.follows_from == "original")
"""The losses that a manifest leaves out: less what the release shows, they give how many rows a value or a suppressed
class had."""


def method_summary(open_request: OpenGeneralization, plan: Plan, chosen: SelectedNode) -> MethodSummary:
    """Return the record of the release of a chosen node, or of rounds, for the state and the manifest."""
    request, risk = open_request.resolved.request, risk_of(open_request.resolved.request.risk)
    record = MethodSummary(
        request_id=chosen.request_id,
        version=chosen.version,
        losses=chosen.losses,
        open_losses={name: value for name, value in chosen.losses.items() if name not in OF_THE_ORIGINAL},
        columns=tuple(_columns(plan, chosen)),
        manifest={
            "quasi_identifiers": list(_levels(plan, chosen)),
            "suppression_limit": plain_number(request.suppression_limit),
            "suppressed": "star" if plan.stars else "drop" if plan.local or request.suppression_limit else None,
            "recoding": request.recoding_name,
            "optimum_proved": chosen.certified and not plan.local,
            "narrowed": json_of(chosen.local.narrowed) if chosen.local else None,
            "held": json_of(chosen.local.held) if chosen.local else None,
        },
        hierarchies={each.column: each.hierarchy for each in plan.attributes},
        shares=dict(zip(open_request.columns, chosen.shares, strict=True)) if chosen.shares else {},
        extremes=chosen.extremes,
    )
    return record if risk is None else replace(record, sampling_fraction=risk.sampling_fraction)


def _columns(plan: Plan, chosen: SelectedNode) -> Iterator[ReleaseColumn]:
    for each, level in zip(plan.attributes, chosen.node, strict=True):
        if plan.local:
            yield ReleaseColumn(each.column, "quasi-identifier", None, MIXED)
        else:
            yield level_noted(each.column, each.hierarchy, level)


def _levels(plan: Plan, chosen: SelectedNode) -> Iterator[Mapping[str, Any]]:
    for each, level in zip(plan.attributes, chosen.node, strict=True):
        if plan.local:
            yield {
                "column": each.column,
                "hierarchy": each.hierarchy.name,
                "level_name": MIXED,
                "hierarchy_hash": each.hierarchy.content_hash,
            }
        else:
            yield {
                **level_in_manifest(each.column, each.hierarchy, level),
                **({"missing": "suppressed"} if each.missing_as_star else {}),
            }


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why no accepted node passes.

    `reason` in words; `column`: the quasi-identifier that breaks it (None where no single one does); `nearest`: the
    node that passes with the fewest steps beyond the accepted levels, with its k and suppressed units (None where
    nothing passes).
    """

    reason: str
    column: str | None = None
    nearest: Node | None = None
    nearest_k: int | None = None
    nearest_suppressed: int | None = None

    def nearest_by_column(self, open_request: OpenGeneralization) -> NearestPassing | None:
        """The nearest node by column, as it stands in a result."""
        if self.nearest is None:
            return None
        levels = dict(zip(open_request.columns, self.nearest, strict=True))
        return NearestPassing(levels, open_request.level_names(self.nearest), self.nearest_k, self.nearest_suppressed)

    def message(self, open_request: OpenGeneralization) -> str:
        """The reason in words, with the nearest node where there is one."""
        nearest = self.nearest_by_column(open_request)
        if nearest is None:
            return self.reason
        levels = _in_words(nearest.level_names)
        least_k = open_request.dataset.least_k
        k = in_words(0 if nearest.k is None else nearest.k, least_k)
        suppressed = in_words(0 if nearest.suppressed is None else nearest.suppressed, least_k)
        also = "" if nearest.suppressed == 0 else f", {suppressed} suppressed"
        return f"{self.reason}. Nearest node that passes: {levels} (k = {k}{also})"


def advice(request: GeneralizationRequest, stopped: str | None, *, few: bool) -> str:
    """The next step after a refusal. `few`: fewer than k rows remain; `stopped`: why its search ended, if it did."""
    if few:
        return AFTER_TOO_FEW
    if stopped is not None:
        return "Give the search more (search.budget), accept coarser levels, or use method: mondrian."
    less = "a smaller k or weaker models" if request.sensitive else "a smaller k"
    more = "more" if request.suppression_limit else "a few rows"
    suppress = "" if request.suppression_limit == 1 else f"let {more} be suppressed (suppression_limit), "
    return f"Accept coarser levels, ask for {less}, {suppress}or leave a column out."


AFTER_STOP = "Run it again for a proof; with --release-best it is released after Ctrl-C."
"""The next step where the best node so far was not released."""


def refused_at_once(open_request: OpenGeneralization, counted: Units) -> Refusal | None:
    """The refusal of a dataset with fewer rows (or persons) than k, or with none; None if there are enough."""
    reason = too_few(least_units(open_request.resolved), counted.number, counted.called)
    return None if reason is None else Refusal(reason)


def nothing_yet(outcome: Outcome, gap: Gap | None) -> Refusal:
    """The reason where a search was stopped before any node passed: whether one does is not known."""
    ended = {
        "seconds": "its budget of seconds ended",
        "questions": "its budget of questions ended",
        "interrupted": "it was interrupted",
        "memory": "more is left to look at than fits in memory",
    }
    unknown = "before a node passed, and it is not known whether one does"
    reason = f"nothing found yet: {ended[outcome.stopped or 'interrupted']} {unknown}"
    if gap is not None and gap.bound is not None:
        reason += f"; nothing that passes scores less than {gap.bound:.6g} by {gap.objective}"
    return Refusal(reason)


def why_refused(
    open_request: OpenGeneralization,
    goal: SearchSpec,
    found: Measurement,
    limited: Callable[[Measure], Measure] | None = None,
) -> Refusal:
    """The reason after every accepted node has failed: the column that breaks it, and the nearest node that passes.

    No count in it is below the least k of the dataset. `limited`: wraps the answers in what may stop the search for the
    nearest node; then none is named.
    """
    least_k = open_request.dataset.least_k
    lattice, requirement = goal.lattice, goal.requirement
    evidence, oracle = found.evidence, found.oracle
    coarsest = tuple(axis.accepted[-1] for axis in lattice.axes)
    below_top = [index for index, axis in enumerate(lattice.axes) if coarsest[index] != axis.top]
    without = [_suppressed(coarsest, lattice.top, index) for index in below_top]
    as_requested, *each_left_out = certain_observations(goal, oracle, evidence, [coarsest, *without])
    place = _breaking(requirement, each_left_out, as_requested)
    column = None if place is None else lattice.axes[below_top[place]].column
    reason = f"{_nothing_passes(requirement, least_k)}: the coarsest has {_figures(requirement, as_requested, least_k)}"
    failing = found.failing(coarsest) if requirement.models else {}
    if failing:
        listed = (
            f"{model.written} of column {quoted(name)} in {in_words(n, least_k)}"
            for (name, model), n in failing.items()
        )
        reason += f"; classes that fail there, of any size: {', '.join(listed)}"
    if place is not None:
        there = _figures(requirement, each_left_out[place], least_k, would_be=True)
        reason += f"; column {quoted(column or '')} breaks it (suppressed to `*`, {there})"
    nearest = _nearest(goal, evidence, oracle, limited(oracle) if limited else oracle)
    if nearest is None:
        return Refusal(reason, column)
    (observation,) = certain_observations(goal, oracle, evidence.widened(), [nearest])
    k, suppressed = requirement.released_k(observation), requirement.suppressed(observation)
    # Without a limit nothing is ever suppressed, so its count reveals nothing.
    shown_suppressed = shown(suppressed, least_k) if requirement.most_suppressed else suppressed
    return Refusal(reason, column, nearest, shown(k, least_k), shown_suppressed)


def _nothing_passes(requirement: Requirement, least_k: int) -> str:
    units = "persons" if requirement.persons else "rows"
    reason = f"no accepted combination of levels has {requirement.k} {units} in every class"
    if requirement.models:
        reason += " and satisfies the models of the sensitive columns in each"
    if requirement.most_suppressed:
        reason += f" once {in_words(requirement.most_suppressed, least_k)} {units} at most are suppressed"
    if requirement.average_risk is not None:
        reason += ", at the average risk allowed"
    return reason


def _figures(requirement: Requirement, observation: Observation, least_k: int, *, would_be: bool = False) -> str:
    """Describe a node's figures for the requirement, actual or hypothetical."""
    if requirement.k_alone and not requirement.most_suppressed:
        k = in_words(observation.k, least_k)
        return f"k would be {k}" if would_be else f"k = {k}" if observation.k >= least_k else f"a k of {k}"
    words = partial(in_words, least_k=least_k)
    small = sum(classes for size, classes in observation.sizes if size < requirement.k)
    failing = sum(classes for _, classes in requirement.suppressed_sizes(observation)) - small
    figures = f"{words(observation.divisions)} classes, {words(small)} of them smaller than {requirement.k}"
    if requirement.models:
        figures += f" and {words(failing)} more that fail a model"
    if requirement.most_suppressed:
        units = "persons" if requirement.persons else "rows"
        figures += f", {words(requirement.suppressed(observation))} {units} to suppress"
    if requirement.average_risk is not None:
        released = requirement.released(observation)
        figures += f", {words(released.classes)} classes of {words(released.units)} released"
    return figures


def _breaking(requirement: Requirement, left_out: Sequence[Observation], as_requested: Observation) -> int | None:
    """The place of the column whose suppression alone helps most; None if none helps."""

    def reached(observation: Observation) -> int:
        if requirement.k_alone and not requirement.most_suppressed:
            return observation.k
        return -requirement.suppressed(observation)

    best = max(range(len(left_out)), key=lambda place: (reached(left_out[place]), -place), default=None)
    return best if best is not None and reached(left_out[best]) > reached(as_requested) else None


def _suppressed(node: Node, top: Node, index: int) -> Node:
    return (*node[:index], top[index], *node[index + 1 :])


def _nearest(goal: SearchSpec, evidence: Evidence, oracle: Oracle, measure: Measure) -> Node | None:
    widened = evidence.widened()
    problem = SearchProblem(widened.lattice, goal.requirement, distance_beyond(goal.lattice), widened)
    try:
        algorithm = choose(None, widened.lattice, goal.requirement)
    except RequestError:  # the whole lattice is too large to search: its top passes if the requirement is monotone
        (observation,) = certain_observations(goal, oracle, widened, [goal.lattice.top])
        return goal.lattice.top if goal.requirement.passes(observation) else None
    found = searched(problem, algorithm.start(problem), measure)
    return found.best if found.certified else None


@dataclass(frozen=True, slots=True)
class SelectedNode:
    """The release to make: the node, its observation, its losses, its request and dataset version.

    `requirement`: the one it meets. `sensitive`: the sensitive attributes, grounded. `local`: where its rows are at
    several nodes; `node` is then that of the first round, `observation` of the classes of all. `certified`: whether the
    node is proved to be the best. `shares`: the loss of each attribute, in their order; `extremes` of the losses.
    """

    request_id: int
    node: Node
    observation: Observation
    losses: Mapping[str, float | int | None]
    version: Version
    requirement: Requirement
    sensitive: tuple[Sensitive, ...] = ()
    local: LocalRecodingReport | None = None
    certified: bool = True
    shares: tuple[float | None, ...] = ()
    extremes: Callable[[], Extremes] = Extremes


@dataclass(frozen=True, slots=True)
class LocalRecodingReport:
    """The rounds of a release of mixed levels, which have filled the table `DECIDED`.

    `narrowed`: how far readers can narrow its labels; None where they cannot. `held`: the regions that k and
    the models were verified for; None where the request does not ask for it.
    """

    rounds: Sequence[RoundReport]
    narrowed: Narrowed | None = None
    held: NarrowedRegions | None = None
