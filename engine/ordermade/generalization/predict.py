"""What is expected of a request, from the state and the cache alone: the source is not touched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ordermade.errors import TooLittleKnown, UnknownName, quoted
from ordermade.generalization.foreknowledge import Known, foreknowledge
from ordermade.generalization.full_domain import search_of
from ordermade.generalization.goal import goal_of, required
from ordermade.generalization.outlook import Outlook, doubted, ranking, worth_telling
from ordermade.generalization.predicted import Basis, Cost, Predicted, PredictedBy, PredictedNode, Verdict
from ordermade.generalization.question import wanted_columns
from ordermade.generalization.recalled import Recalled, recall
from ordermade.lattice.node import Node
from ordermade.lattice.observation import Observation
from ordermade.lattice.proofs import FAILS, PASSES
from ordermade.least_k import too_few
from ordermade.prediction.evidence import Evidence
from ordermade.prediction.held_out import judged_by_the_others
from ordermade.prediction.prediction import Predictor
from ordermade.prediction.predictors import PREDICTORS, PredictorKind, told_by_the_best
from ordermade.requests.generalization import GeneralizationRequest
from ordermade.requests.read import ReadRequest
from ordermade.state.cache import Cache
from ordermade.state.database import StateFile
from ordermade.state.records import DatasetVersion


def predicted(
    state: StateFile, cache: Cache | None, read: ReadRequest[GeneralizationRequest], predictor: str | None = None
) -> Predicted:
    """What is expected of the request. `predictor` names one of `PREDICTORS`; None: the best that can be had.

    Raises RequestError for a malformed request, UnknownName for a predictor there is not; too little knowledge is no
    error.
    """
    if predictor is not None and predictor not in PREDICTORS:
        raise UnknownName("predictor", predictor, PREDICTORS, where="--predictor")
    recalled = recall(state, read)
    resolved = recalled.resolved
    units = resolved.limit.denominator if recalled.version is None else recalled.version.units  # a limit is one, then
    search_of(goal_of(resolved, units))
    if recalled.version is None or recalled.known is None:
        filtered = " with this filter" if resolved.request.where is not None else ""
        return _nothing_known(recalled, f"the dataset {quoted(recalled.dataset)} was never counted{filtered}")
    few = too_few(required(resolved, units).k, units, "rows" if resolved.entity is None else "persons")
    if few:
        return replace(_nothing_known(recalled, few), verdict="fails", chance=0.0, cost=Cost(1, 0, 0, 0))
    marginals = {} if cache is None else cache.marginals(recalled.version.id)
    evidence = foreknowledge(recalled.known, resolved, marginals)
    return _Prediction(recalled, recalled.version, recalled.known, evidence, cache).predicted(predictor)


def known_nodes(state: StateFile, read: ReadRequest[GeneralizationRequest]) -> Mapping[Node, Observation]:
    """The nodes of the request's lattice that table C has of the dataset as it was last seen. Raises RequestError."""
    recalled = recall(state, read)
    return {} if recalled.known is None else foreknowledge(recalled.known, recalled.resolved, {}).observed


def _nothing_known(recalled: Recalled, why: str) -> Predicted:
    """What can be said of a request on a dataset, or with a filter, of which nothing may be said, and why."""
    resolved = recalled.resolved
    request = resolved.request
    return Predicted(
        title=request.title,
        dataset=recalled.dataset,
        k=required(resolved, 0).k,
        objective=request.search.objective,
        ranked_by="prec",
        verdict="open",
        chance=None,
        finest=None,
        certain=None,
        expected=None,
        nodes=(),
        nodes_in_lattice=resolved.lattice.size,
        nodes_proved_to_pass=0,
        nodes_proved_to_fail=0,
        predictor=None,
        too_little=why,
        basis=None,
        cost=Cost(1, len(resolved.qis), 1, resolved.lattice.size),
        unchecked=recalled.unchecked,
        covered=False,
    )


@dataclass(frozen=True, slots=True)
class _Told:
    """What one predictor, or proofs alone, tell of the lattice."""

    outlook: Outlook
    ranked_by: str
    nodes: tuple[PredictedNode, ...]
    finest: PredictedNode
    chance: float | None


@dataclass(frozen=True, slots=True)
class _Prediction:
    """One request with all that is known of its dataset version."""

    recalled: Recalled
    version: DatasetVersion
    known: Known
    evidence: Evidence
    cache: Cache | None

    def predicted(self, name: str | None) -> Predicted:
        kind, told, too_little = self._told_by_the_best(name)
        request, outlook = self.recalled.resolved.request, told.outlook
        nodes = tuple(each.without_counts_below(self.recalled.least_k) for each in told.nodes)
        settled = outlook.settled and self.recalled.covered
        return Predicted(
            title=request.title,
            dataset=self.recalled.dataset,
            k=outlook.k,
            objective=request.search.objective,
            ranked_by=told.ranked_by,
            verdict=_verdict(told.chance, proved=settled),
            chance=told.chance if settled or told.chance is None else doubted(told.chance),
            finest=told.finest.without_counts_below(self.recalled.least_k),
            certain=next((each for each in nodes if each.proved), None),
            expected=next((each for each in nodes if each.expected_to_pass), None),
            nodes=nodes,
            nodes_in_lattice=outlook.lattice.size,
            nodes_proved_to_pass=outlook.proved(PASSES),
            nodes_proved_to_fail=outlook.proved(FAILS),
            predictor=None if kind is None else self._judged(kind),
            too_little=too_little,
            basis=self._basis(),
            cost=self._cost(outlook, told),
            unchecked=(*self.recalled.unchecked, *self._untold(outlook)),
            covered=self.recalled.covered,
        )

    def _untold(self, outlook: Outlook) -> list[str]:
        """What is required that nothing measured on this version tells of, in words."""
        resolved, untold = self.recalled.resolved, []
        if outlook.besides_untold and not outlook.settled:
            asked = [f"the models of {quoted(each.column)}" for each in resolved.sensitive]
            asked += [] if outlook.requirement.average_risk is None else ["the average risk"]
            untold.append(
                f"{' and '.join(asked)}: no node of these columns was measured for that on this dataset version, so "
                "what is told is of k alone"
            )
        within = outlook.requirement.most_withheld
        observed = self.evidence.observed.values()
        if within and observed and not any(each.tells_within(within) for each in observed):
            units = "persons" if resolved.entity is not None else "rows"
            untold.append(f"how many {units} the limit withholds: no measured node tells, so it is only estimated")
        if resolved.request.recoding == "local" and not outlook.settled:
            untold.append(
                "what local recoding releases: what is told is of one node for all rows, and several may do where none "
                "does by itself"
            )
        return untold

    def _told_by_the_best(self, name: str | None) -> tuple[PredictorKind | None, _Told, str | None]:
        """What the predictor of that name tells, or the first that can tell of every node; else why none can."""
        kinds = PREDICTORS.values() if name is None else (PREDICTORS[name],)
        try:
            return *told_by_the_best(self.evidence, self._told, kinds), None
        except TooLittleKnown as error:
            return None, self._told(None), error.what

    def _told(self, predictor: Predictor | None) -> _Told:
        """Raises TooLittleKnown where the predictor cannot tell of some accepted level."""
        outlook = Outlook(self.recalled.resolved, self.evidence, predictor)
        ranked_by, key = ranking(self.evidence, self.recalled.resolved)
        nodes = worth_telling(outlook, key)
        return _Told(outlook, ranked_by, nodes, outlook.finest(nodes), outlook.chance(nodes))

    def _judged(self, kind: PredictorKind) -> PredictedBy:
        (judged,) = judged_by_the_others(self.evidence, [kind])
        return PredictedBy(kind.name, kind.meaning, judged.scores)

    def _basis(self) -> Basis:
        axes, marginals = self.evidence.lattice.axes, self.evidence.marginals
        counted = zip(axes, marginals, strict=True) if marginals else ()
        return Basis(
            rows=self.version.rows,
            persons=self.version.persons,
            last_seen_at=self.version.last_seen_at,
            observations=len(self.known.observations),
            nodes=len(self.evidence.observed),
            marginals=tuple(
                axis.column
                for axis, known in counted
                if all(level in known for level in axis.accepted if level != axis.top)
            ),
            earlier_nodes=len(self.evidence.earlier),
        )

    def _needs_no_counting(self, outlook: Outlook, told: _Told) -> bool:
        """Whether table C has all that is wanted of the nodes that may be the best, what is withheld there included."""
        passing, requirement = [each for each in told.nodes if each.proved], outlook.requirement
        if told.ranked_by == self.recalled.resolved.request.search.objective != "divisions":
            passing = passing[:1]
        elif len(passing) < outlook.proved(PASSES):
            return False
        known = [self.evidence.proofs.exact(tuple(each.levels.values()), requirement) for each in passing]
        return bool(known) and all(each is not None and not requirement.withheld_sizes(each) for each in known)

    def _cost(self, outlook: Outlook, told: _Told) -> Cost:
        """What a run takes at most: what is stored is not counted again."""
        resolved = self.recalled.resolved
        nodes_open = outlook.lattice.size - outlook.proved(PASSES) - outlook.proved(FAILS)
        answered = nodes_open == 0 and self._needs_no_counting(outlook, told)
        stored = self.cache is not None and self.cache.find(self.version.id, wanted_columns(resolved)) is not None
        return Cost(1, len(resolved.qis), 0 if answered or stored else 1, nodes_open)


def _verdict(chance: float | None, *, proved: bool) -> Verdict:
    if chance is None:
        return "open"
    if proved:
        return "passes" if chance else "fails"
    return "likely" if chance >= 0.5 else "unlikely"
