"""Offers found: the space of alternatives searched nearest first, from table C and as few further counts as decide it.

The order in which kinds are looked into is that of the list, so that a list which its budget ended is the beginning of
the longer one.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, cast

from ordermade.counting.coinciding_labels import labels_are_distinct
from ordermade.counting.counts import Units
from ordermade.counting.oracle import Oracle
from ordermade.lattice.lattice import Lattice, Node, NodeKey
from ordermade.lattice.observation import Observation, Requirement
from ordermade.loss.metrics import losses
from ordermade.loss.objectives import Objective, distance_beyond, objective
from ordermade.loss.shares import LossValues
from ordermade.methods.generalization.local_recoding import recoded
from ordermade.methods.generalization.measurement import Countable, Measurement, Memory, countable
from ordermade.methods.generalization.open_request import OpenGeneralization
from ordermade.methods.generalization.result import OF_THE_ORIGINAL
from ordermade.methods.generalization.search_problem import SearchSpec, foreknowledge, search_spec
from ordermade.methods.shared.open_request import RunContext
from ordermade.offers.offer import Change, Found, OfferFigures, RequestChanges
from ordermade.offers.space import (
    LIMITS,
    MAX_OFFERS,
    Beyond,
    NearestNode,
    beyond_of,
    column_left_out,
    furthest,
    greatest_k,
    nearest_first,
    widened_by,
)
from ordermade.policies.enforcement import is_kept
from ordermade.policies.scales import suppression_limits
from ordermade.privacy.least_k import shown
from ordermade.privacy.requirement import most_of, required, risk_of
from ordermade.requests.generalization import GeneralizationRequest
from ordermade.requests.model import SMALLEST_K, Request
from ordermade.requests.resolve_generalization import Resolved
from ordermade.search import SearchProblem, choose
from ordermade.search.driven import searched
from ordermade.search.problem import MeasuringBudget, WithinBudget

if TYPE_CHECKING:
    from ordermade.policies.policy import Policy

MAX_COARSEST = 64
"""The most coarsest nodes that are all measured, to see which smaller k and greater limits they pass with."""
MAX_TRIED = 100
"""The most values of k that are tried one by one, where a smaller one may fail though a greater passes."""


MAX_GONE_THROUGH = 5_000
"""The most nodes that local recoding is tried over.

The same beneath a refusal and for a list by itself, so that the numbers of the other offers are the same.
"""


class _Spent(Exception):
    """Raised where the budget of nodes ends the list."""


@dataclass(frozen=True, slots=True)
class _Best:
    """The best node of a search, in its own columns, with its observation."""

    node: Node
    observation: Observation


@dataclass(frozen=True, slots=True)
class _Search:
    """A search of a changed request. `place`: of the column that it leaves out; `top`: `*` of every column."""

    goal: SearchSpec
    found: Measurement
    place: int | None
    top: Node

    @property
    def by_request(self) -> bool:
        """Whether it is by the objective of the request."""
        return self.found.minimised.name == self.goal.objective

    def whole(self, node: Node) -> Node:
        """The node with `*` for the column that is left out."""
        place = self.place
        return node if place is None else (*node[:place], self.top[place], *node[place:])

    def measure(self, nodes: Sequence[Node]) -> list[Observation]:
        """The observation of each node."""
        return [self._own(each) for each in self.found.oracle([self.whole(node) for node in nodes])]

    def with_suppressed(self, best: _Best) -> Observation:
        """The observation of a node that passes, with the figures of its suppressed rows."""
        return self._own(self.found.oracle.with_suppressed(self.whole(best.node), best.observation))

    def _own(self, observation: Observation) -> Observation:
        """The observation without the figures of the column that is left out."""
        suppressed, place = observation.suppressed, self.place
        if place is None or suppressed is None or len(suppressed.leaves) < len(self.top):
            return observation
        leaves = (*suppressed.leaves[:place], *suppressed.leaves[place + 1 :])
        information = (*suppressed.information[:place], *suppressed.information[place + 1 :])
        return replace(observation, suppressed=replace(suppressed, leaves=leaves, information=information))


@dataclass(slots=True)
class Finder:
    """The search for the alternatives that are decided by nodes; every node that it measures serves all of them.

    `measured`: the keys of the nodes that were measured so far. `spent`: whether the budget ended it.
    """

    open_request: OpenGeneralization
    counted: Units
    memory: Memory
    context: RunContext
    most_measured: int
    measured: set[NodeKey] = field(default_factory=set)
    spent: bool = False
    left_out: list[str] = field(default_factory=list)
    _made: Countable | None = None

    def all(self) -> tuple[list[Found], bool]:
        """The alternatives in order, and whether the request passes as it is."""
        found: list[Found] = []
        try:
            if self._figures(self.resolved) is not None:
                return found, True
            for each in self._each():
                found.append(each)
                if len(found) == MAX_OFFERS - self._may_be_mondrian:
                    break
        except _Spent:
            self.spent = True
        return found, False

    @property
    def resolved(self) -> Resolved:
        """The request as it is."""
        return self.open_request.resolved

    @property
    def _policy(self) -> Policy | None:
        return self.open_request.opened.terms.policy

    def _is_allowed(self, request: Request) -> bool:
        """Whether a changed request keeps the policy of the dataset."""
        if self._policy is None:
            return True

        named = zip(self.resolved.request.quasi_identifiers.values(), self.resolved.qis, strict=True)
        return is_kept(self._policy, request, {options.hierarchy: qi.hierarchy for options, qi in named})

    @property
    def _may_be_mondrian(self) -> bool:
        return self.resolved.risk is None and not self._changes.are_of_nodes_alone

    @property
    def _changes(self) -> RequestChanges:
        return RequestChanges(self.resolved)

    def _each(self) -> Iterator[Found]:
        """Every alternative in the order of the list, found when it is wanted."""
        coarsest = list(islice(self.resolved.lattice.coarsest(), MAX_COARSEST + 1))
        yield from self._with_limit(coarsest)
        yield from self._with_smaller_k(coarsest)
        yield from self._with_local_recoding(coarsest)
        for nearest in nearest_first(furthest(self.resolved.lattice), self._nearest):
            yield from self._with_levels(nearest.beyond)

    def _limits(self) -> Sequence[Fraction]:
        """The suppression limits that may be offered, in order: those of the policy, if there is one."""
        if self._policy is None:
            return LIMITS

        return [Fraction(each) for each in suppression_limits(self._policy.scales, self._policy.suppression)]

    def _with_limit(self, coarsest: Sequence[Node]) -> Iterator[Found]:
        """The least suppression limit that lets a node pass."""
        units = self.counted.number
        limits = [each for each in self._limits() if most_of(each, units) > most_of(self.resolved.limit, units)]
        limits = [each for each in limits if self._is_allowed(self._changes.limit(each).request)]
        if limits and self._decided_by(coarsest):
            self._observed(self._open(coarsest, replace(self.resolved, limit=limits[-1])))
        for limit in limits:
            change = self._changes.limit(limit)
            figures = self._figures(replace(self._changed(change), limit=limit))
            if figures is not None:
                yield change, figures
                return

    def _with_smaller_k(self, coarsest: Sequence[Node]) -> Iterator[Found]:
        """The greatest smaller k, of those that requests on the dataset may ask for, that lets a node pass."""
        risk, k = risk_of(self.resolved.risk), self.resolved.request.k
        least = max(SMALLEST_K, self.open_request.dataset.least_k, 1 if risk is None else risk.least_size)
        found = self._greatest_k(coarsest, least, k - 1) if least < k else None
        allowed = () if self._policy is None else self._policy.ks
        if found is not None and allowed:
            found = max((each for each in allowed if least <= each <= found), default=None)
        if found is not None:
            change = self._changes.smaller_k(found)
            figures = self._figures(self._changed(change))
            if figures is not None:
                yield change, figures

    def _greatest_k(self, coarsest: Sequence[Node], least: int, most: int) -> int | None:
        requirement = self._required(self.resolved)
        if self._decided_by(coarsest):
            still_open = self._open(coarsest, self._changed(self._changes.smaller_k(least)))
            every = [greatest_k(requirement, each, least, most) for each in self._observed(still_open)]
            return max((each for each in every if each is not None), default=None)
        if requirement.average_risk is not None and requirement.most_suppressed:
            # Classes that a smaller k releases may raise the mean risk above what is allowed.
            if most - least >= MAX_TRIED:
                self.left_out.append(f"of the smaller k only the {MAX_TRIED} nearest were tried")
            tried = range(most, max(least, most - MAX_TRIED + 1) - 1, -1)
            return next((k for k in tried if self._best_with_k(k) is not None), None)
        found, k = None, least
        while k <= most and (best := self._best_with_k(k)) is not None:
            found = greatest_k(requirement, best.observation, k, most) or k
            k = found + 1
        return found

    def _decided_by(self, coarsest: Sequence[Node]) -> bool:
        """Whether the coarsest nodes, and these are few, show which smaller k and greater limits pass."""
        return self._required(self.resolved).monotone and len(coarsest) <= MAX_COARSEST

    def _open(self, nodes: Sequence[Node], resolved: Resolved) -> list[Node]:
        """The nodes that are not proved to fail a changed request by what is known."""
        proofs = foreknowledge(self.memory.known, resolved, self._countable().marginals).proofs
        return [each for each in nodes if proofs.passes(each, self._required(resolved).k) is not False]

    def _best_with_k(self, k: int) -> _Best | None:
        return self._best(self._search(self._changed(self._changes.smaller_k(k))))

    def _with_local_recoding(self, coarsest: Sequence[Node]) -> Iterator[Found]:
        """Local recoding, where it may release what no node can."""
        request = self.resolved.request
        if request.is_local or request.release.shape == "table" or self._changes.are_of_nodes_alone:
            return
        # Rows that rounds release share a class of k at the coarsest node, too: it would suppress no more of them.
        if self._required(self.resolved).k_alone and len(coarsest) == 1:
            return

        nodes = self.resolved.lattice.size
        if nodes > MAX_GONE_THROUGH:
            self.left_out.append(
                f"local recoding was not tried over {nodes:,} nodes, more than {MAX_GONE_THROUGH:,} (`recoding: local`)"
            )
            return
        change = self._changes.local()
        figures = self._figures(self._changed(change))
        if figures is not None:
            yield change, figures

    def _nearest(self, box: Beyond) -> NearestNode | None:
        accepted = self.resolved.lattice
        distance = distance_beyond(accepted)
        wider = self._accepting(self.resolved, widened_by(accepted, box))
        best = self._best(self._search(wider, minimised=distance))
        if best is None:
            return None
        return NearestNode(beyond_of(accepted, best.node), (distance.score(best.node, None), best.node))

    def _with_levels(self, beyond: Beyond) -> Iterator[Found]:
        """The best node with so many levels beyond those accepted; a column at `*` alone is left out."""
        lattice = self.resolved.lattice
        place = column_left_out(lattice, beyond)
        if place is not None:
            others = [each for at, each in enumerate(self.resolved.qis) if at != place]
            weights = {each.column: self.resolved.weights.get(each.column, Fraction(1)) for each in others}
            if not self.resolved.weights or any(weights.values()):
                change = self._changes.column(place, beyond)
                without = replace(
                    self._changed(change),
                    lattice=Lattice(tuple(axis for at, axis in enumerate(lattice.axes) if at != place)),
                    qis=tuple(others),
                    weights=weights if self.resolved.weights else {},
                )
                figures = self._figures(without, place)
                if figures is not None:
                    yield change, figures
                return
        change = self._changes.levels(beyond)
        figures = self._figures(self._accepting(self._changed(change), widened_by(lattice, beyond)))
        if figures is not None:
            yield change, figures

    def _changed(self, change: Change) -> Resolved:
        return replace(self.resolved, request=cast("GeneralizationRequest", change.request))

    def _accepting(self, resolved: Resolved, lattice: Lattice) -> Resolved:
        qis = tuple(
            replace(each, accepted=axis.accepted) for each, axis in zip(resolved.qis, lattice.axes, strict=True)
        )
        return replace(resolved, qis=qis, lattice=lattice)

    def _required(self, resolved: Resolved) -> Requirement:
        return required(resolved, self.counted.number)

    def _countable(self) -> Countable:
        """The attributes made countable once, over all levels, with all that a limit needs counted."""
        if self._made is None:
            lattice = self.resolved.lattice
            wide = self._accepting(self.resolved, widened_by(lattice, furthest(lattice)))
            wide = replace(wide, limit=max(self.resolved.limit, *self._limits()))
            goal = SearchSpec(wide.lattice, self._required(wide), self.resolved.request.search.objective)
            open_request, known = replace(self.open_request, resolved=wide), self.memory.known
            cache, roll_up = self.memory.cache, self.context.roll_up
            self._made = countable(open_request, goal, self.counted, known, cache, roll_up=roll_up)
        return self._made

    def _oracle(self, requirement: Requirement, *, needs_suppressed: bool = False) -> Oracle:
        return Oracle(
            self.open_request.resolved.key,
            self.memory.known.observations,
            self._countable().measurer,
            self.memory.known.rows,
            requirement,
            self.context.progress.nodes_left,
            needs_suppressed=needs_suppressed,
        )

    def _observed(self, nodes: Sequence[Node]) -> list[Observation]:
        """The observations of some nodes of the request's columns."""
        oracle = self._oracle(self._required(self.resolved))
        with self._learning(oracle):
            return oracle(nodes)

    @contextlib.contextmanager
    def _learning(self, oracle: Oracle) -> Iterator[None]:
        """Takes up what the oracle measures, also if the block raises."""
        try:
            yield
        finally:
            self.memory.learn(oracle.measured)
            self.measured |= {self.open_request.resolved.key(node) for node in oracle.measured}

    def _search(self, resolved: Resolved, place: int | None = None, minimised: Objective | None = None) -> _Search:
        """The search of a changed request by its objective, or by what is `minimised`.

        `place`: that of the column that it leaves out.
        """
        goal, made = search_spec(resolved, self.counted.number), self._countable()
        attributes = tuple(each for at, each in enumerate(made.attributes) if at != place)
        wanted = minimised or objective(
            goal.objective, goal.lattice, [each.costs for each in attributes], goal.requirement, goal.weights
        )
        evidence = foreknowledge(self.memory.known, resolved, made.marginals)
        oracle = self._oracle(goal.requirement, needs_suppressed=wanted.needs_suppressed)
        found = Measurement(attributes, made.sensitive, wanted, evidence, oracle, made.measurer, made.counting)
        return _Search(goal, found, place, self.resolved.lattice.top)

    def _best(self, search: _Search) -> _Best | None:
        """The best node of a search; None where none passes. Raises _Spent where the budget ends it."""
        goal, found = search.goal, search.found
        problem = SearchProblem(goal.lattice, goal.requirement, found.minimised, found.evidence)
        algorithm = choose(None, goal.lattice, goal.requirement, found.minimised.name if search.by_request else None)
        budget = MeasuringBudget(questions=self.most_measured)
        with self._learning(found.oracle):
            spent = WithinBudget(
                search.measure, budget, lambda: 0.0, lambda: len(self.measured) + len(found.oracle.measured)
            )
            with found.oracle.searching():
                outcome = searched(problem, algorithm.start(problem), spent)
            if not outcome.certified:
                raise _Spent
            if outcome.best is None:
                return None
            observation = found.evidence.proofs.exact(outcome.best, goal.requirement)
            return _Best(outcome.best, observation or search.measure([outcome.best])[0])

    def _figures(self, resolved: Resolved, place: int | None = None) -> OfferFigures | None:
        """The figures of the best release of a changed request; None where none passes, or the policy forbids it."""
        if not self._is_allowed(resolved.request):
            return None
        search = self._search(resolved, place)
        best = self._best(search)
        if resolved.request.is_local:
            return self._of_rounds(resolved, search, best)
        if best is None:
            return None
        requirement, node = search.goal.requirement, best.node
        with self._learning(search.found.oracle):
            observation = search.with_suppressed(best)
        released = requirement.released(observation)
        suppressed = requirement.suppressed_figures(observation, len(node))
        costs = [each.costs for each in search.found.attributes]
        columns = [each.column for each in resolved.qis]
        names = [each.hierarchy.levels[level].name for each, level in zip(resolved.qis, node, strict=True)]
        return OfferFigures(
            k=requirement.released_k(observation),
            divisions=released.classes,
            loss=self._told(losses(search.goal.lattice, node, observation, requirement, costs)),
            levels=dict(zip(columns, node, strict=True)),
            level_names=dict(zip(columns, names, strict=True)),
            suppressed_rows=self._shown(resolved, 0 if suppressed is None else suppressed.rows),
            suppressed_persons=None if self.counted.persons is None else self._shown(resolved, released.suppressed),
        )

    def _of_rounds(self, resolved: Resolved, search: _Search, best: _Best | None) -> OfferFigures | None:
        """The figures of the rounds of local recoding; None where they release too little."""
        open_request = replace(self.open_request, resolved=resolved)
        workspace, attributes = self.open_request.dataset.backend.workspace, search.found.attributes
        levels = [axis.accepted for axis in search.goal.lattice.axes]
        if not all(labels_are_distinct(workspace, *each) for each in zip(attributes, levels, strict=True)):
            return None
        node, nodes_left = None if best is None else best.node, self.context.progress.nodes_left
        rounds = recoded(open_request, search.goal, search.found, node, nodes_left)
        if rounds.refusal:
            return None
        persons = None if self.counted.persons is None else self._shown(resolved, rounds.suppressed_units)
        return OfferFigures(
            k=rounds.k,
            divisions=rounds.classes.divisions,
            loss=self._told(rounds.losses),
            suppressed_rows=self._shown(resolved, rounds.suppressed_rows),
            suppressed_persons=persons,
        )

    def _told(self, found: LossValues) -> LossValues:
        """The losses; where a policy is kept without those that are of the original values, as in a manifest."""
        if self._policy is None:
            return found
        return {name: loss for name, loss in found.items() if name not in OF_THE_ORIGINAL}

    def _shown(self, resolved: Resolved, number: int) -> int | None:
        """The number of suppressed units; None below the least k, unless nothing may be suppressed."""
        return shown(number, self.open_request.dataset.least_k) if resolved.limit else number
