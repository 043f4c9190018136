"""The method as the engine calls it: check, explain, answer, sweep."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from ordermade.counting.counts import Counting, Sensitive, Units, outline_sensitive, units_of
from ordermade.counting.coverage import with_labels
from ordermade.counting.dataset import Version, version
from ordermade.counting.encoding import Attribute, outline
from ordermade.counting.part_counts import part_statements
from ordermade.counting.steps import CountingSteps, Statement, person_statements
from ordermade.errors import RequestError
from ordermade.lattice.lattice import Node
from ordermade.loss.metrics import METRICS
from ordermade.methods.generalization.answer import SearchRecorder, answer_generalization
from ordermade.methods.generalization.local_recoding import recoded
from ordermade.methods.generalization.measurement import (
    Countable,
    Measurement,
    Memory,
    best_node,
    countable,
    grounded,
    memory_of,
)
from ordermade.methods.generalization.open_request import OpenGeneralization, open_request
from ordermade.methods.generalization.publish import figures_of, plan_of
from ordermade.methods.generalization.result import Refusal, refused_at_once, why_refused
from ordermade.methods.generalization.search_problem import Goal, goal_of, search_of
from ordermade.methods.shared.explain import (
    Step,
    as_steps,
    filled,
    grounding_steps,
    opening_steps,
    sensitive_steps,
    writing_steps,
)
from ordermade.methods.shared.open_request import (
    Costs,
    Examined,
    RunContext,
    checked_request,
    examined,
    require_unchanged,
    with_k,
)
from ordermade.methods.shared.sweep import Point, RequestMethod, Sweep, admitted, each_point, in_order, none_remain
from ordermade.privacy.least_k import shown
from ordermade.privacy.requirement import required, required_models
from ordermade.release.plan import Plan
from ordermade.release.rows import labels_bound, labels_table, store_labels
from ordermade.release.steps import release_statements
from ordermade.requests.generalization import GeneralizationRequest
from ordermade.requests.model import LARGEST_K
from ordermade.requests.read import ReadRequest
from ordermade.requests.resolve import Resolved, resolve

SHARES = ("prec", "prec_suppressed_as_1", "loss")
"""The losses that lie between 0, nothing lost, and 1, everything: those that 1 / k can be added to."""


def generalization_swept(read: ReadRequest[GeneralizationRequest], ks: Sequence[int], setting: RunContext) -> Sweep:
    """Find for each k the loss of the most detailed acceptable release, by the request's own objective.

    An objective that is no share of 1 (bits, class sizes, levels) says which release is meant, and `loss` (NCP) what it
    loses; where a hierarchy does not know its number of leaves, `prec_suppressed_as_1` does. A loss is unweighted,
    as in releases.

    Answers are those of `request run` in the same order of ks, whose searches use table C too: a search that ends in a
    proof finds the same node whatever is known; one that does not (`pak`, `paper-…`) may not. Measured
    nodes are kept in table C. Raises InputError (malformed), SourceFault, StateFault.
    """
    if read.request.search.budget is not None:
        raise RequestError(
            "a sweep compares optima, and a budget may end a search before its optimum is proved",
            where="search.budget",
            next_step="Leave the budget out.",
        )
    started, tell = time.perf_counter(), setting.progress
    with open_request(setting.state, setting.limits, read, tell.statement) as opened:
        # Columns kept unchanged affect no figure.
        question = replace(opened, resolved=replace(opened.resolved, keep=()))
        ks, below = admitted(ks, opened.opened.terms, opened.opened.name)
        question.tell_of_parts(tell.step)
        tell.step("dataset version")
        seen = version(question.dataset)
        counted = units_of(question.counts, seen.rows, ks[0])
        metric = _shared(read.request.search.objective)
        points = none_remain(ks, counted.number, counted.called)
        few = points is not None
        if points is None:
            points, metric = _points(question, seen, counted, ks, setting)
        require_unchanged(question)
        return Sweep(
            title=read.request.title,
            dataset=question.opened.name,
            method=read.request.method,
            metric=metric,
            meaning=METRICS[metric].meaning,
            rows=None if few else seen.rows,
            persons=None if few else counted.persons,
            points=in_order((*below, *points)),
            cost=Costs.so_far(question.opened.backend.executor, SearchRecorder.ASKS, started),
        )


def _points(
    question: OpenGeneralization, seen: Version, counted: Units, ks: Sequence[int], setting: RunContext
) -> tuple[tuple[Point, ...], str]:
    """Return the point of each k, and the name of the loss that they are compared by."""
    memory = memory_of(question, seen, counted.persons, setting)
    sweep = _Sweep(counted, memory, setting)
    with memory.kept():
        points = each_point(ks, setting.progress, lambda k: sweep.point(with_k(question, k)))
    return points, sweep.metric or _shared(question.resolved.request.search.objective)


def _shared(objective: str) -> str:
    """The name of the loss that stands for an objective, if that much is known."""
    return objective if objective in SHARES else "loss"


@dataclass(slots=True)
class _Sweep:
    """The inputs that all ks share: the attributes made countable and, once it is needed, their counts."""

    counted: Units
    memory: Memory
    setting: RunContext
    countable: Countable | None = None
    metric: str | None = field(default=None)
    recoded: bool = False

    def point(self, question: OpenGeneralization) -> Point:
        """Answer the request with this k, without releasing anything."""
        found = refused_at_once(question, self.counted) or self._searched(question)
        if isinstance(found, Refusal):
            return Point(k=question.resolved.request.k, reason=found.message(question))
        return found

    def _searched(self, question: OpenGeneralization) -> Point | Refusal:
        goal = goal_of(question.resolved, self.counted.number)
        algorithm, progress = search_of(goal), self.setting.progress.nodes_left
        if self.countable is None:
            known, cache, roll_up = self.memory.known, self.memory.cache, self.setting.roll_up
            self.countable = countable(question, goal, self.counted, known, cache, roll_up=roll_up)
            self.metric = _metric(goal, self.countable)
        found = self.countable.measurement(question, goal, self.memory.known, progress)
        try:
            best = best_node(goal, algorithm, found).best
            if question.resolved.request.is_local:
                return self._local(question, goal, found, best)
            return (
                why_refused(question, goal, found) if best is None else self._full_domain(question, goal, found, best)
            )
        finally:
            self.memory.learn(found.oracle.measured)

    def _full_domain(self, question: OpenGeneralization, goal: Goal, found: Measurement, best: Node) -> Point:
        observation, lost = figures_of(goal, best, found)
        released = goal.requirement.released(observation)
        suppressed = goal.requirement.suppressed_figures(observation, len(best))
        return Point(
            k=question.resolved.request.k,
            loss=lost[self.metric or ""],
            losses=lost,
            measured_k=goal.requirement.released_k(observation),
            divisions=released.classes,
            suppressed_rows=self._suppressed(question, 0 if suppressed is None else suppressed.rows),
            suppressed_persons=None
            if self.counted.persons is None
            else self._suppressed(question, released.suppressed),
        )

    def _local(
        self, question: OpenGeneralization, goal: Goal, found: Measurement, best: Node | None
    ) -> Point | Refusal:
        rounds = recoded(
            question, goal, found, best, self.setting.progress.nodes_left, counted=self.recoded, judges=False
        )
        self.recoded = True
        if rounds.refusal:
            return Refusal(rounds.refusal)
        return Point(
            k=question.resolved.request.k,
            loss=rounds.losses[self.metric or ""],
            losses=rounds.losses,
            measured_k=rounds.k,
            divisions=rounds.classes.divisions,
            suppressed_rows=self._suppressed(question, rounds.suppressed_rows),
            suppressed_persons=None
            if self.counted.persons is None
            else self._suppressed(question, rounds.suppressed_units),
        )

    def _suppressed(self, question: OpenGeneralization, number: int) -> int | None:
        """The number of suppressed units; None below the least k, unless nothing may be suppressed."""
        return shown(number, question.dataset.least_k) if question.resolved.limit else number


def _metric(goal: Goal, found: Countable) -> str:
    """The name of the loss that every k is compared by."""
    known = all(
        each.costs.loss[level] is not None
        for axis, each in zip(goal.lattice.axes, found.attributes, strict=True)
        for level in axis.accepted
    )
    name = _shared(goal.objective)
    return name if name != "loss" or known else "prec_suppressed_as_1"


def steps(question: OpenGeneralization, *, roll_up: bool = True) -> tuple[Step, ...]:
    """The statements of the request in order.

    The checks and the release are shown for the finest accepted node; the search runs the same of others. Models,
    which are measured again on what was written, are shown once: the statements are the same, over what was written.
    """
    counts = question.counts if roll_up else question.dataset
    counting_question = replace(question, dataset=counts, opened=replace(question.opened, backend=counts.backend))
    dataset, resolved = question.dataset, question.resolved
    attributes = tuple(
        outline(dataset, position, each.column, each.hierarchy, each.base)
        for position, each in enumerate(resolved.qis, start=1)
    )
    models_by_column = required_models(resolved.sensitive).items()
    sensitive = tuple(
        outline_sensitive(dataset, position, column, models)
        for position, (column, models) in enumerate(models_by_column, start=len(attributes) + 1)
    )
    node = tuple(each.accepted[0] for each in resolved.qis)
    counting = Counting.of(sensitive, resolved.entity, within_limit=resolved.limit > 0)
    # As if there were as many units as it takes for one to be suppressed.
    requirement = required(resolved, math.ceil(1 / resolved.limit) if resolved.limit else 0)
    counted = CountingSteps(counts, attributes, resolved.lattice, node, counting, requirement)
    return (
        *opening_steps(question),
        *as_steps(question, [Statement(*each) for each in part_statements(counts)]),
        *as_steps(counting_question, person_statements(counts)),
        *(step for each in attributes for step in grounding_steps(counting_question, each)),
        *(step for each in sensitive for step in sensitive_steps(counting_question, each)),
        *as_steps(counting_question, counted.by_roll_up() if roll_up else counted.in_source()),
        *_release(question, attributes, sensitive, node),
    )


def _with_labels(plan: Plan, attributes: tuple[Attribute, ...], node: Node) -> Iterator[Statement]:
    """The statements of a release; labels that do not depend on the data are in them, and go to the source."""
    known = {}
    for attribute, level in zip(attributes, node, strict=True):
        if attribute.rule is None and 0 < level < attribute.hierarchy.top:
            each = with_labels(attribute, attribute.hierarchy.ground(attribute.base, []))
            known[labels_table(each)] = labels_bound(each, level)
            if plan.dataset.backend.capabilities.lists_tables:
                store_labels(plan, each, level)
    for made in release_statements(plan):
        if made.table in known and isinstance(made.tree, exp.Select):
            yield replace(made, tree=filled(made.tree.copy(), known[made.table]))
        else:
            yield made


def _release(
    question: OpenGeneralization, attributes: tuple[Attribute, ...], sensitive: tuple[Sensitive, ...], node: Node
) -> Iterator[Step]:
    # As if rows were suppressed wherever they may be.
    plan = plan_of(question, attributes, sensitive, node, required(question.resolved, 0).k)
    plan = replace(plan, suppresses=question.resolved.limit > 0)
    yield from as_steps(question, _with_labels(plan, attributes, node))
    yield from writing_steps(question, plan)


def checked(read: ReadRequest[GeneralizationRequest], setting: RunContext) -> Resolved:
    """The request held against its dataset. Raises RequestError with every mistake, or for a search that cannot be."""
    resolved = checked_request(setting.state, setting.limits, read, resolve)
    search_of(goal_of(resolved, LARGEST_K))
    return resolved


def looked_at(read: ReadRequest[GeneralizationRequest], setting: RunContext) -> Examined:
    """The request held against its data too. Raises RequestError, HierarchyError, Refused."""
    with open_request(setting.state, setting.limits, read) as question:
        search_of(goal_of(question.resolved, LARGEST_K))
        return examined(question, lambda: grounded(question))


def explained(read: ReadRequest[GeneralizationRequest], setting: RunContext) -> tuple[Step, ...]:
    """The SQL of every step. Raises RequestError with every mistake."""
    with open_request(setting.state, setting.limits, read) as question:
        return steps(question, roll_up=setting.roll_up)


def swept(read: ReadRequest[GeneralizationRequest], ks: Sequence[int], setting: RunContext) -> Sweep:
    """The request with each k. Raises RequestError, SourceFault, StateFault."""
    return generalization_swept(read, ks, setting)


GENERALIZATION = RequestMethod(checked, looked_at, explained, answer_generalization, swept)
