"""Predict the outcome of a request from the state and the cache; of its source the catalog alone is looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from ordermade.catalogue.forecasts import calibration_of
from ordermade.catalogue.registered import DatasetRegistration
from ordermade.catalogue.still_there import catalog_look
from ordermade.errors import TooLittleKnown, UnknownName, quoted
from ordermade.lattice.lattice import Axis, LevelOrder, Node, NodeKey
from ordermade.lattice.observation import Observation, Sizes
from ordermade.lattice.proofs import FAILS, PASSES
from ordermade.ledger.pools import ANYONE
from ordermade.machine.linear_algebra import one_blas_thread
from ordermade.methods.generalization.expected_outcome import (
    new_forecast,
    questions_expected,
    seconds_expected,
)
from ordermade.methods.generalization.foretold_cost import CostForecast
from ordermade.methods.generalization.node_forecast import NodeForecast, doubted, nodes_to_report, ranking
from ordermade.methods.generalization.predicted import Basis, Cost, Predicted, PredictedBy, PredictedNode
from ordermade.methods.generalization.search_problem import (
    KnownNodes,
    foreknowledge,
    remembered,
    search_of,
    search_spec,
)
from ordermade.methods.shared.judged import ForeseenBeside
from ordermade.methods.shared.recalled import recalled as recalled_request
from ordermade.methods.shared.verdict import verdict_of
from ordermade.prediction.prediction import Evidence, Marginal, Predictor, WiderNodes
from ordermade.prediction.predictors import PREDICTORS, Erred, least_erring, use_best_predictor
from ordermade.privacy.least_k import too_few
from ordermade.privacy.requirement import required
from ordermade.requests.generalization import GeneralizationRequest
from ordermade.requests.model import Request
from ordermade.requests.read import ReadRequest, predictable
from ordermade.requests.resolve_generalization import Resolved, resolve
from ordermade.requests.resolving import request_hash
from ordermade.sources.limits import Limits
from ordermade.state import forecasts, parts, requests, versions
from ordermade.state.cache import Cache
from ordermade.state.cache_contents import LevelSizes
from ordermade.state.database import StateFile
from ordermade.state.forecasts import EarlierRun, MetForecast

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection
    from ordermade.state.versions import DatasetVersion


@dataclass(frozen=True, slots=True)
class OfflineRequest:
    """A request resolved against the records of its dataset in the state: as it was `registered`.

    `version`: the dataset version last seen under the request's filter. `known`: the nodes measured on it. `unchecked`:
    what only a run verifies, in words. `covered`: each hierarchy is known to cover its column; every proof rests on
    that. `least_k`: the least k of the dataset. `cost`: what a run of it will send.
    """

    registered: DatasetRegistration
    resolved: Resolved
    version: DatasetVersion | None
    known: KnownNodes | None
    unchecked: tuple[str, ...]
    cost: CostForecast
    covered: bool = False
    least_k: int = 0
    runs: tuple[EarlierRun, ...] = ()
    met: tuple[MetForecast, ...] = ()

    @property
    def dataset(self) -> str:
        """The name of the dataset."""
        return self.registered.name

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that a run needs."""
        resolved, division = self.resolved, self.registered.division
        filtered = () if resolved.filter is None else (each.name for each in resolved.filter.find_all(exp.Column))
        columns = [*(each.column for each in resolved.qis), *(each.column for each in resolved.sensitive)]
        columns += [*resolved.keep, *resolved.identifiers, *filtered]
        columns += [] if division is None or division.column is None else [division.column]
        return tuple(dict.fromkeys(columns))


def recall(state: StateFile, read: ReadRequest[GeneralizationRequest]) -> OfflineRequest:
    """The request resolved without its source. Raises PolicyBroken, RequestError with every mistake, UnknownName."""
    with state.reading() as connection:
        found = recalled_request(connection, read, resolve, state.notice)
        resolved, version = found.resolved, found.version
        cost = _cost_of(connection, found.registered, resolved, version, found.seen)
        known = (
            None if version is None else remembered(connection, version, resolved, sizes_read=_needs_sizes(resolved))
        )
        covering = frozenset() if version is None else requests.covering(connection, version.id)
        runs = forecasts.earlier_runs(connection, found.registered.name)
        met = forecasts.met(connection, found.registered.name)
    uncovered = [each for each in resolved.qis if (each.column, each.hierarchy.content_hash) not in covering]
    unchecked = [*found.unchecked]
    if version is not None:
        unchecked += [f"whether {quoted(each.hierarchy.name)} covers {quoted(each.column)}" for each in uncovered]
    return OfflineRequest(
        found.registered,
        resolved,
        version,
        known,
        tuple(unchecked),
        cost,
        covered=not uncovered,
        least_k=found.least_k,
        runs=runs,
        met=met,
    )


def _cost_of(
    connection: StateConnection,
    found: DatasetRegistration,
    resolved: Resolved,
    version: DatasetVersion | None,
    seen: Sequence[DatasetVersion],
) -> CostForecast:
    """What the cost of a run follows from. `seen`: the dataset under any filter, the last seen first."""
    of_content = [
        each for each in seen if version is not None and each.vouched_by and each.hash_sum == version.hash_sum
    ]
    evaluated = any(versions.is_evaluated(connection, each.id) for each in of_content)
    in_parts = version is not None and found.division is not None
    known = len(parts.known(connection, version.dataset_hash)) if version is not None and in_parts else 0
    return CostForecast(found, resolved, version, evaluated, known)


def _needs_sizes(resolved: Resolved) -> bool:
    """Whether a forecast needs class sizes: if rows may be suppressed, or if a person may be in several classes."""
    return resolved.limit > 0 or resolved.entity is not None


@one_blas_thread()
def predicted(
    state: StateFile,
    cache: Cache | None,
    request: ReadRequest[Request],
    predictor: str | None = None,
    *,
    note: bool = False,
    limits: Limits | None = None,
    recipients: Sequence[str] = (ANYONE,),
) -> Predicted:
    """Forecast the request. `predictor` names one of `PREDICTORS`; None: the one that has erred least so far.

    `note`: the state records the forecast, to compare it with the outcome later. `limits`: with which the source is
    opened, to see that table and columns are still there; None, and for a user: it is not opened, and what the releases
    of `recipients` decide is left out. Raises RequestError for a malformed request, UnknownName for an unknown
    predictor; too little knowledge is no error.
    """
    read = predictable(request)
    if predictor is not None and predictor not in PREDICTORS:
        raise UnknownName("predictor", predictor, PREDICTORS, where="--predictor")
    recalled = recall(state, read)
    found = _predicted(recalled, cache, predictor)
    if note:
        resolved = recalled.resolved  # levels cut by the policy: a run is recorded by the hash of this request
        hashed = request_hash(resolved.request, resolved.filter_text, resolved.said_by_files)
        version = None if recalled.version is None else recalled.version.id
        with state.writing() as connection:
            forecasts.note(connection, new_forecast(found, hashed, version))
    if limits is None or limits.for_user:
        return found
    return replace(_as_catalog_shows(found, recalled, limits), beside=_beside(state, recalled, recipients))


def foreseen_beside(
    state: StateFile, request: ReadRequest[Request], recipients: Sequence[str]
) -> ForeseenBeside | None:
    """What the releases of recipients decide about a request, whatever the data are; None: they have none.

    Or there is no policy. The source is not opened. Raises RequestError.
    """
    return _beside(state, recall(state, predictable(request)), recipients)


def _beside(state: StateFile, recalled: OfflineRequest, recipients: Sequence[str]) -> ForeseenBeside | None:
    from ordermade.methods.generalization.requested_levels import requested_levels
    from ordermade.methods.shared.foreseen import foreseen_offline

    own = [each.hierarchy for each in recalled.resolved.qis]
    wanted = requested_levels(recalled.resolved)
    return foreseen_offline(state, recalled.registered, wanted, own, recalled.version, recipients)


def _as_catalog_shows(found: Predicted, recalled: OfflineRequest, limits: Limits) -> Predicted:
    """The forecast, or that a run fails: the source has no table or column any more that it needs."""
    look = catalog_look(recalled.registered, recalled.columns, limits, recalled.resolved.filter)
    if look.gone:
        nothing = _nothing_known(recalled, "; ".join(look.gone))
        return replace(
            nothing, verdict="fails", chance=0.0, cost=Cost(0, 0, 0, 0), questions=0.0, seconds=None, gone=look.gone
        )
    if look.unopened:
        unseen = f"whether table and columns are still there: the source could not be opened ({look.unopened})"
        return replace(found, unchecked=(*found.unchecked, unseen))
    if look.is_unchanged:
        return replace(found, cost=replace(found.cost, version_queries=0, if_changed=None, unchanged=True))
    return found


def _predicted(recalled: OfflineRequest, cache: Cache | None, predictor: str | None) -> Predicted:
    resolved = recalled.resolved
    # Without a version the number of units is unknown: with this one the limit is a whole number of them.
    units = resolved.limit.denominator if recalled.version is None else recalled.version.units
    search_of(search_spec(resolved, units))
    if recalled.version is None or recalled.known is None:
        filtered = " with this filter" if resolved.request.where is not None else ""
        return _nothing_known(recalled, f"the dataset {quoted(recalled.dataset)} was never counted{filtered}")
    few = too_few(required(resolved, units).k, units, "rows" if resolved.entity is None else "persons")
    if few:
        return replace(
            _nothing_known(recalled, few),
            verdict="fails",
            chance=0.0,
            cost=recalled.cost.of_few(),
            questions=0.0,
        )
    marginals = {} if cache is None else cache.marginals(recalled.version.id)
    evidence = replace(
        foreknowledge(recalled.known, resolved, marginals), beyond=beyond(recalled.known, resolved, marginals)
    )
    return _Prediction(recalled, recalled.version, recalled.known, evidence, cache).predicted(predictor)


def known_nodes(state: StateFile, read: ReadRequest[GeneralizationRequest]) -> Mapping[Node, Observation]:
    """The measured nodes of the request's lattice, from table C, for the version last seen. Raises RequestError."""
    recalled = recall(state, read)
    return {} if recalled.known is None else foreknowledge(recalled.known, recalled.resolved, {}).observed


def _nothing_known(recalled: OfflineRequest, why: str) -> Predicted:
    """The forecast without any evidence: the dataset was never counted, or not with this filter. `why`: the reason."""
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
        cost=recalled.cost.of_changed(),
        unchecked=recalled.unchecked,
        covered=False,
        questions=questions_expected(resolved.lattice.size, recalled.runs),
        seconds=seconds_expected(questions_expected(resolved.lattice.size, recalled.runs), 0, recalled.runs),
        calibration=calibration_of(recalled.met),
    )


@dataclass(frozen=True, slots=True)
class _Predictions:
    """The predictions for the nodes of a lattice, by one predictor or by proofs alone."""

    node_forecast: NodeForecast
    ranked_by: str
    nodes: tuple[PredictedNode, ...]
    finest: PredictedNode
    chance: float | None


@dataclass(frozen=True, slots=True)
class _Prediction:
    """The prediction of one request from everything known of its dataset version."""

    recalled: OfflineRequest
    version: DatasetVersion
    known: KnownNodes
    evidence: Evidence
    cache: Cache | None

    def predicted(self, name: str | None) -> Predicted:
        erred, predictions, too_little = self._best_predictions(name)
        request, node_forecast = self.recalled.resolved.request, predictions.node_forecast
        nodes = tuple(each.without_counts_below(self.recalled.least_k) for each in predictions.nodes)
        cost, runs = self._cost(node_forecast, predictions), self.recalled.runs
        questions = questions_expected(cost.nodes_open, runs)
        settled = node_forecast.settled and self.recalled.covered
        return Predicted(
            title=request.title,
            dataset=self.recalled.dataset,
            k=node_forecast.k,
            objective=request.search.objective,
            ranked_by=predictions.ranked_by,
            verdict=verdict_of(predictions.chance, proved=settled),
            chance=predictions.chance if settled or predictions.chance is None else doubted(predictions.chance),
            finest=predictions.finest.without_counts_below(self.recalled.least_k),
            certain=next((each for each in nodes if each.proved), None),
            expected=next((each for each in nodes if each.expected_to_pass), None),
            nodes=nodes,
            nodes_in_lattice=node_forecast.lattice.size,
            nodes_proved_to_pass=node_forecast.proved(PASSES),
            nodes_proved_to_fail=node_forecast.proved(FAILS),
            predictor=None if erred is None else PredictedBy(erred.kind.name, erred.kind.meaning, erred.judged.scores),
            too_little=too_little,
            basis=self._basis(),
            cost=cost,
            unchecked=(*self.recalled.unchecked, *self._unpredicted(node_forecast)),
            covered=self.recalled.covered,
            questions=questions,
            seconds=seconds_expected(questions, self.version.rows, runs),
            calibration=calibration_of(self.recalled.met),
        )

    def _unpredicted(self, node_forecast: NodeForecast) -> list[str]:
        """The requirements, in words, for which no node measured on this version gives evidence."""
        resolved, unpredicted = self.recalled.resolved, []
        if node_forecast.models_unknown and not node_forecast.settled:
            conditions = [f"the models of {quoted(each.column)}" for each in resolved.sensitive]
            conditions += [] if node_forecast.requirement.average_risk is None else ["the average risk"]
            unpredicted.append(
                f"{' and '.join(conditions)}: no node of these columns was measured for that on this dataset version: "
                "the prediction covers k alone"
            )
        within = node_forecast.requirement.most_suppressed
        observed = self.evidence.observed.values()
        if within and observed and not any(each.determines_within(within) for each in observed):
            units = "persons" if resolved.entity is not None else "rows"
            unpredicted.append(f"the number of suppressed {units}: no measured node determines it, so it is estimated")
        if resolved.request.is_local and not node_forecast.settled:
            unpredicted.append(
                "local recoding: the prediction covers one node for all rows, and several may do where none "
                "does by itself"
            )
        return unpredicted

    def _best_predictions(self, name: str | None) -> tuple[Erred | None, _Predictions, str | None]:
        """The predictor used, its predictions, and None; else None, the proofs alone, and why no predictor can be used.

        The predictor is the one called `name`, or the one that erred least among those that cover every node.
        """
        asked = least_erring(self.evidence, None if name is None else (PREDICTORS[name],))
        try:
            kind, found = use_best_predictor(self.evidence, self._predictions, [each.kind for each in asked])
        except TooLittleKnown as error:
            return None, self._predictions(None), error.what
        return next(each for each in asked if each.kind is kind), found, None

    def _predictions(self, predictor: Predictor | None) -> _Predictions:
        """The predictions by this predictor. Raises TooLittleKnown if it does not cover every accepted level."""
        node_forecast = NodeForecast(self.recalled.resolved, self.evidence, predictor)
        ranked_by, key = ranking(self.evidence, self.recalled.resolved)
        nodes = nodes_to_report(node_forecast, key)
        return _Predictions(node_forecast, ranked_by, nodes, node_forecast.finest(nodes), node_forecast.chance(nodes))

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

    def _needs_no_counting(self, node_forecast: NodeForecast, predictions: _Predictions) -> bool:
        """Whether table C has every figure of the nodes that may be best, including the rows they suppress."""
        passing, requirement = [each for each in predictions.nodes if each.proved], node_forecast.requirement
        if predictions.ranked_by == self.recalled.resolved.request.search.objective != "classes":
            passing = passing[:1]
        elif len(passing) < node_forecast.proved(PASSES):
            return False
        known = [self.evidence.proofs.exact(tuple(each.levels.values()), requirement) for each in passing]
        return bool(known) and all(each is not None and not requirement.suppressed_sizes(each) for each in known)

    def _cost(self, node_forecast: NodeForecast, predictions: _Predictions) -> Cost:
        """The greatest cost of a run, without the figures that are stored."""
        nodes_open = node_forecast.lattice.size - node_forecast.proved(PASSES) - node_forecast.proved(FAILS)
        answered = nodes_open == 0 and self._needs_no_counting(node_forecast, predictions)
        cost = self.recalled.cost.of_known(self.cache, nodes_open, answered=answered)
        fails = predictions.chance == 0 and node_forecast.settled and self.recalled.covered
        return replace(cost, release_queries=0) if fails else cost


MAX_NODES = 5_000
"""The greatest number of wider nodes used; those with the fewest other columns come first."""


def beyond(known: KnownNodes, resolved: Resolved, marginals: LevelSizes) -> WiderNodes:
    """The nodes of the version that also group by other columns, where the class sizes of their levels are known.

    A node at a level that the request's hierarchy of that column does not have is left out.
    """
    own = [{level.content_hash: number for number, level in enumerate(each.hierarchy.levels)} for each in resolved.qis]
    places = {each.column: place for place, each in enumerate(resolved.qis)}
    nodes = [
        (key, each)
        for key, each in known.observations.items()
        if each.rows == known.rows and _is_usable(key, places, own, marginals)
    ]
    nodes.sort(key=lambda node: sum(column not in places for column, _ in node[0]))
    nodes = nodes[:MAX_NODES]
    others: dict[str, dict[str, int]] = {}
    for key, _ in nodes:
        for column, level in sorted(key):
            if column not in places:
                levels = others.setdefault(column, {})
                levels.setdefault(level, len(levels))
    columns = sorted(others)
    axes = tuple(Axis(each, LevelOrder.chain(len(others[each]) + 1), (len(others[each]),)) for each in columns)
    tops = [each.hierarchy.top for each in resolved.qis]
    return WiderNodes(axes, _observed(nodes, own, places, others, tops), _marginals(columns, others, marginals))


def _is_usable(key: NodeKey, places: Mapping[str, int], own: list[dict[str, int]], marginals: LevelSizes) -> bool:
    """Whether a node groups by a column that the request lacks, at levels whose class sizes are known."""
    if all(column in places for column, _ in key):
        return False
    return all(
        level in own[places[column]] if column in places else (column, level) in marginals for column, level in key
    )


def _observed(
    nodes: list[tuple[NodeKey, Observation]],
    own: list[dict[str, int]],
    places: Mapping[str, int],
    others: Mapping[str, Mapping[str, int]],
    tops: list[int],
) -> dict[Node, Observation]:
    columns = sorted(others)
    found: dict[Node, Observation] = {}
    for key, observation in nodes:
        levels = dict(key)
        of_request = [
            own[place][levels[column]] if column in levels else tops[place] for column, place in places.items()
        ]
        of_others = [others[each][levels[each]] if each in levels else len(others[each]) for each in columns]
        found[(*of_request, *of_others)] = observation
    return found


def _marginals(
    columns: list[str], others: Mapping[str, Mapping[str, int]], marginals: LevelSizes
) -> tuple[Marginal, ...]:
    def of(column: str) -> dict[int, Sizes]:
        return {number: marginals[column, level] for level, number in others[column].items()}

    return tuple(of(each) for each in columns)
