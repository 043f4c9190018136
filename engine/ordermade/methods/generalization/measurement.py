"""The measurement of a search: a request's columns made countable, its oracle and evidence, and table C's nodes."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from ordermade.counting.coinciding_labels import require_distinct_labels
from ordermade.counting.counts import Counting, Sensitive, Units, ground_sensitive
from ordermade.counting.coverage import ground_all
from ordermade.counting.dataset import Dataset, Version
from ordermade.counting.encoding import EncodedColumn, as_counted, coarser_bases, encode_column
from ordermade.counting.frequency_set import coarser_set, frequency_set, narrow, narrow_coarser
from ordermade.counting.marginals import marginals_of
from ordermade.counting.oracle import InSource, Measurer, Oracle, Packed, RolledUp
from ordermade.counting.value_bits import value_bits
from ordermade.errors import SourceChanged, StateFault
from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation, Sizes
from ordermade.loss.objectives import Objective, objective
from ordermade.methods.generalization.open_request import OpenGeneralization
from ordermade.methods.generalization.search_problem import (
    KnownNodes,
    SearchSpec,
    foreknowledge,
    remembered,
    wanted_columns,
)
from ordermade.methods.shared.open_request import RunContext, require_unchanged
from ordermade.methods.shared.recorder import current_cache, forget_version, noted_version
from ordermade.prediction.prediction import Evidence
from ordermade.privacy.models import Model
from ordermade.privacy.requirement import models_hash_of, required_models
from ordermade.search import Algorithm, Outcome, SearchProblem
from ordermade.search.driven import searched
from ordermade.search.problem import Measure
from ordermade.sources.backend import may_have_changed
from ordermade.state import observations, versions
from ordermade.state.cache import Cache
from ordermade.state.cache_contents import CachedSet

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection
    from ordermade.state.versions import DatasetVersion


def grounded(open_request: OpenGeneralization) -> tuple[EncodedColumn, ...]:
    """Every quasi-identifier made countable. Raises HierarchyError where a hierarchy does not cover its column."""
    return ground_all(open_request.dataset, _outlined(open_request, None))


def _outlined(open_request: OpenGeneralization, cached: CachedSet | None) -> tuple[EncodedColumn, ...]:
    """Every quasi-identifier before it is countable, from the base of the cached set if there is one."""
    columns = cached.columns if cached else wanted_columns(open_request.resolved)
    bases = {each.column: each.base for each in columns}
    return tuple(
        encode_column(
            open_request.dataset,
            position,
            each.column,
            each.hierarchy,
            bases[each.column],
            missing_as_star=each.missing_as_star,
        )
        for position, each in enumerate(open_request.resolved.qis, start=1)
    )


def sensitive_attributes(open_request: OpenGeneralization, dataset: Dataset | None = None) -> tuple[Sensitive, ...]:
    """Every sensitive column with its models, made countable; its positions go on from the quasi-identifiers'.

    `dataset`: the one that counts them, if not the dataset itself.
    """
    required = required_models(open_request.resolved.sensitive).items()
    return tuple(
        ground_sensitive(dataset or open_request.dataset, position, column, models)
        for position, (column, models) in enumerate(required, start=len(open_request.resolved.qis) + 1)
    )


@dataclass(frozen=True, slots=True)
class Measurement:
    """A request's attributes, countable, what is known of its lattice, and the oracle that answers its search.

    `sensitive`: its sensitive attributes, numbered; `minimised`: what its search minimises; `counting`: what `measurer`
    counts of a node.
    """

    attributes: tuple[EncodedColumn, ...]
    sensitive: tuple[Sensitive, ...]
    minimised: Objective
    evidence: Evidence
    oracle: Oracle
    measurer: Measurer
    counting: Counting

    def failing(self, node: Node) -> dict[tuple[str, Model], int]:
        """Count the classes of a node, of any size, that fail each model, by column and model; none that holds."""
        found = {
            named: sum(classes for _, classes in self.measurer.by(counting).measure([node])[node].failing or ())
            for named, counting in self.counting.for_each_model().items()
        }
        return {named: classes for named, classes in found.items() if classes}


@dataclass(frozen=True, slots=True)
class Countable:
    """A request's attributes made countable, whatever its k; no frequency set is counted yet.

    `marginals`: what grounding counted, in units of the dataset. The rest is as `Measurement` has it.
    """

    attributes: tuple[EncodedColumn, ...]
    sensitive: tuple[Sensitive, ...]
    measurer: Measurer
    counting: Counting
    marginals: Mapping[tuple[str, str], Sizes]

    def measurement(
        self,
        open_request: OpenGeneralization,
        goal: SearchSpec,
        known: KnownNodes,
        progress: Callable[[int], None] | None = None,
    ) -> Measurement:
        """Return the inputs of a search for this goal, with all that is known by now."""
        evidence = foreknowledge(known, open_request.resolved, self.marginals)
        costs = [each.costs for each in self.attributes]
        minimised = objective(goal.objective, goal.lattice, costs, goal.requirement, goal.weights)
        oracle = Oracle(
            open_request.resolved.key,
            known.observations,
            self.measurer,
            known.rows,
            goal.requirement,
            progress,
            needs_suppressed=minimised.needs_suppressed,
        )
        return Measurement(self.attributes, self.sensitive, minimised, evidence, oracle, self.measurer, self.counting)


def countable(
    open_request: OpenGeneralization,
    goal: SearchSpec,
    counted: Units,
    known: KnownNodes,
    cache: Cache | None,
    *,
    roll_up: bool,
) -> Countable:
    """Grounds the request's attributes (the coverage check), so that its nodes can be counted.

    With `roll_up` nodes are counted from one frequency set, which is brought in when the first unknown node is
    needed; without it every node is a query to the source. The counts of values that grounding asks the source for, and
    the marginals that it makes of them, are kept in the cache: with `roll_up` the source counts only what is not there.
    """
    dataset, lattice = open_request.counts, goal.lattice
    cached = cache.find(known.version_id, wanted_columns(open_request.resolved)) if cache and roll_up else None
    every = _outlined(open_request, cached)
    values = {each.counted_values: as_counted(each) for each in every} if cache else {}
    connection = dataset.backend.connection
    loaded = cache.load_values(connection, known.version_id, values, counted.rows) if cache and roll_up else frozenset()
    attributes = ground_all(dataset, every, loaded)
    if open_request.resolved.request.needs_distinct_labels:
        for each, axis in zip(attributes, lattice.axes, strict=True):
            require_distinct_labels(dataset.backend.workspace, each, axis.accepted)
    sensitive = sensitive_attributes(open_request, dataset)
    within_limit = goal.requirement.most_suppressed > 0
    counting = Counting.of(sensitive, dataset.entity, counted.persons, within_limit=within_limit)
    bases = None
    if cached is None and counting.entity is None:
        bases = coarser_bases(
            attributes, counted.rows, lambda sizes: goal.requirement.rules_out(Observation.from_histogram(sizes))
        )
    measurer: Measurer
    stored = (dataset, attributes, cache, cached, known.version_id, counted.rows, counting)
    if not roll_up:
        measurer = InSource(open_request.dataset, attributes, lattice, counting)
    elif value_bits(counting) is not None:
        coarser = None if bases is None else partial(narrow_coarser, dataset, attributes, bases, counting)
        measurer = Packed(dataset, attributes, lattice, partial(narrow, *stored), coarser, counting)
    else:
        coarser_wide = None if bases is None else partial(coarser_set, dataset, attributes, bases, counting)
        wide = partial(frequency_set, *stored)
        measurer = RolledUp(dataset, attributes, lattice, wide, counting, coarser_wide)
    marginals = marginals_of(attributes, counted)
    if cache and not dataset.backend.changed():  # what was counted may be of another content than the version's
        cache.store_marginals(known.version_id, marginals)
        counted_now = {table: column for table, column in values.items() if table not in loaded}
        cache.store_values(connection, known.version_id, counted_now)
    return Countable(attributes, sensitive, measurer, counting, marginals)


def measurement(
    open_request: OpenGeneralization,
    goal: SearchSpec,
    counted: Units,
    known: KnownNodes,
    cache: Cache | None,
    *,
    roll_up: bool,
    progress: Callable[[int], None] | None = None,
) -> Measurement:
    """Set up the search for one goal: the request's attributes made countable, and its oracle."""
    return countable(open_request, goal, counted, known, cache, roll_up=roll_up).measurement(
        open_request, goal, known, progress
    )


class Memory:
    """Table C's nodes of the request's dataset version (`known`), with those measured since.

    No request is noted: an observation made for one k answers every other.
    """

    def __init__(
        self, open_request: OpenGeneralization, seen: DatasetVersion, context: RunContext, connection: StateConnection
    ) -> None:
        """Reads what the open state knows of the version `seen`. Raises StateFault."""
        self._question = open_request
        self._state = context.state
        self._cache = context.cache
        self._measured: dict[Node, Observation] = {}
        self._version_id = seen.id
        self.known = remembered(connection, seen, open_request.resolved)
        self._current = versions.current(connection) if seen.first_seen_at == seen.last_seen_at else None

    @cached_property
    def cache(self) -> Cache | None:
        """The frequency sets that may be used."""
        return current_cache(self._cache, self._current)

    def learn(self, measured: Mapping[Node, Observation]) -> None:
        """Takes up what was measured now."""
        self._measured |= measured
        by_key = {self._question.resolved.key(node): observation for node, observation in measured.items()}
        self.known = replace(self.known, observations={**self.known.observations, **by_key})

    @contextlib.contextmanager
    def kept(self) -> Iterator[None]:
        """Keeps in table C what was learned, also if the block raises; nothing of files that changed meanwhile.

        Raises SourceChanged where they did.
        """
        try:
            yield
            require_unchanged(self._question)
        except BaseException as error:
            try:
                if isinstance(error, SourceChanged) or may_have_changed(self._question.opened.backend):
                    forget_version(self._state, self._cache, self._version_id)
                else:
                    self._keep()
            except StateFault as fault:
                error.add_note(f"The measured nodes could not be kept: {fault.message}")
            raise
        self._keep()

    def _keep(self) -> None:
        if not self._measured:
            return
        models = models_hash_of(self._question.resolved)
        with self._state.writing() as connection:
            observations.record(connection, self._version_id, None, self._question.for_table_c(self._measured), models)


def memory_of(open_request: OpenGeneralization, version: Version, persons: int | None, context: RunContext) -> Memory:
    """The state's knowledge of the request's dataset version, which it notes as seen.

    `persons` of the dataset, where it has an entity column. Raises StateFault.
    """
    with context.state.writing() as connection:
        return Memory(open_request, noted_version(connection, open_request, version, persons), context, connection)


def best_node(
    goal: SearchSpec, algorithm: Algorithm, found: Measurement, limited: Callable[[Measure], Measure] | None = None
) -> Outcome:
    """The accepted node that passes and loses least, found by the search with the oracle's answers.

    `limited`: wraps these answers in what may stop the search; then it is the best node found so far.
    """
    problem = SearchProblem(goal.lattice, goal.requirement, found.minimised, found.evidence, goal.settings)
    with found.oracle.searching():
        return searched(problem, algorithm.start(problem), limited(found.oracle) if limited else found.oracle)
