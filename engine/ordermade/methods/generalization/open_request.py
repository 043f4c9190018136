"""An open request for generalisation: resolved, versioned, grounded, with the oracle of its search and its evidence."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from ordermade.errors import SourceChanged, StateFault
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.lattice.lattice import Node, NodeKey
from ordermade.lattice.observation import Observation, Sizes
from ordermade.loss.objectives import Objective, objective
from ordermade.measuring.coinciding import require_distinct_labels
from ordermade.measuring.counting import Counting, Sensitive, Units, ground_sensitive
from ordermade.measuring.coverage import ground_all
from ordermade.measuring.dataset import Dataset, Version
from ordermade.measuring.frequency_set import coarser_set, frequency_set
from ordermade.measuring.grounding import Attribute, as_counted, coarser_bases, outline
from ordermade.measuring.oracle import InSource, Oracle, RolledUp, node_key
from ordermade.methods.generalization.search_problem import (
    Goal,
    Known,
    foreknowledge,
    marginals_of,
    models_hash_of,
    remembered,
    wanted_columns,
)
from ordermade.methods.shared.open_request import OpenRequest, RunContext, opened_request, require_unchanged
from ordermade.methods.shared.recorder import current_cache, forget_version, noted_version
from ordermade.prediction.prediction import Evidence
from ordermade.privacy.models import Model
from ordermade.privacy.requirement import required_models
from ordermade.requests.generalization import GeneralizationRequest
from ordermade.requests.read import ReadRequest
from ordermade.requests.resolve import Resolved, resolve
from ordermade.sources.backend import may_have_changed
from ordermade.sources.executor import Listener
from ordermade.sources.workspace import Limits
from ordermade.state import observations, versions
from ordermade.state.cache import Cache
from ordermade.state.cache_contents import CachedSet, GroundedColumn
from ordermade.state.database import StateFile
from ordermade.state.records.observations import MeasuredLevel, MeasuredNode


@dataclass(frozen=True, slots=True)
class OpenGeneralization(OpenRequest[Resolved]):
    """A request for generalisation that fits its dataset, with the dataset's source open.

    `counts`: the dataset for whatever counts its quasi-identifiers, sensitive columns and persons: where it is in
    parts, their merged counts.
    """

    counts: Dataset

    @property
    def counted_by(self) -> tuple[str, ...]:
        """The hash of the columns that the parts of the dataset are counted by; none where parts are not counted."""
        if self.dataset.parts is None:
            return ()
        from ordermade.measuring.part_counts import columns_of_counts

        return columns_of_counts(self.counts)

    def tell_of_parts(self, told: Callable[[str], None]) -> None:
        """Lets the counting of parts say, in words, what it counts."""
        if self.dataset.parts is not None:
            from ordermade.measuring.part_counts import tell_of_parts

            tell_of_parts(self.counts, told)

    @property
    def columns(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the order of the request."""
        return tuple(each.column for each in self.resolved.qis)

    @property
    def hierarchies(self) -> tuple[Hierarchy, ...]:
        """The hierarchy of each quasi-identifier."""
        return tuple(each.hierarchy for each in self.resolved.qis)

    def key(self, node: Node) -> NodeKey:
        """Return the key of `node` in table C."""
        return node_key(self.columns, self.hierarchies, node)

    def wanted_columns(self) -> tuple[GroundedColumn, ...]:
        """The columns that a cached frequency set must have to serve this request."""
        return wanted_columns(self.resolved)

    def outlined(self, cached: CachedSet | None) -> tuple[Attribute, ...]:
        """Every quasi-identifier before it is countable, from the base of the cached set if there is one."""
        bases = {each.column: each.base for each in (cached.columns if cached else self.wanted_columns())}
        return tuple(
            outline(self.dataset, position, each.column, each.hierarchy, bases[each.column])
            for position, each in enumerate(self.resolved.qis, start=1)
        )

    def grounded(self, cached: CachedSet | None) -> tuple[Attribute, ...]:
        """Every quasi-identifier made countable, from the base of the cached set if there is one."""
        return ground_all(self.dataset, self.outlined(cached))

    def sensitive(self, dataset: Dataset | None = None) -> tuple[Sensitive, ...]:
        """Every sensitive column with its models, made countable; its positions go on from the quasi-identifiers'.

        `dataset`: the one that counts them, if not the dataset itself.
        """
        required = required_models(self.resolved.sensitive).items()
        return tuple(
            ground_sensitive(dataset or self.dataset, position, column, models)
            for position, (column, models) in enumerate(required, start=len(self.resolved.qis) + 1)
        )

    def level_names(self, node: Node) -> dict[str, str]:
        """The name of each column's level at `node`."""
        return {
            column: hierarchy.levels[level].name
            for column, hierarchy, level in zip(self.columns, self.hierarchies, node, strict=True)
        }

    def for_table_c(self, measured: Mapping[Node, Observation]) -> list[MeasuredNode]:
        """Measured nodes as table C keeps them."""
        return [MeasuredNode(self._levels(node), observation) for node, observation in measured.items()]

    def _levels(self, node: Node) -> tuple[MeasuredLevel, ...]:
        return tuple(
            MeasuredLevel(column, level, hierarchy.levels[level].name, hierarchy.levels[level].content_hash)
            for column, hierarchy, level in zip(self.columns, self.hierarchies, node, strict=True)
            if level != hierarchy.top
        )


@contextlib.contextmanager
def open_request(
    state: StateFile, limits: Limits, read: ReadRequest[GeneralizationRequest], listener: Listener | None = None
) -> Iterator[OpenGeneralization]:
    """The request with its dataset open. Raises RequestError with every mistake, UnknownName, SourceFault."""
    with opened_request(state, limits, read, resolve, listener) as held:
        counts = held.dataset if held.dataset.parts is None else _part_counts(held.dataset, held.resolved, limits)
        yield OpenGeneralization(held.read, held.resolved, held.opened, held.dataset, held.run, held.standing, counts)


def _part_counts(dataset: Dataset, resolved: Resolved, limits: Limits) -> Dataset:
    """The merged counts of the parts of a dataset, by the columns of a request."""
    from ordermade.measuring.part_counts import counts_of

    columns = [*(each.column for each in resolved.qis), *(each.column for each in resolved.sensitive)]
    columns += [] if resolved.entity is None else [resolved.entity]
    return counts_of(dataset, tuple(dict.fromkeys(columns)), limits.twins())


@dataclass(frozen=True, slots=True)
class Measurement:
    """A request's attributes, countable, what is known of its lattice, and the oracle that answers its search.

    `sensitive`: its sensitive attributes, numbered; `minimised`: what its search minimises; `counting`: what `measurer`
    counts of a node.
    """

    attributes: tuple[Attribute, ...]
    sensitive: tuple[Sensitive, ...]
    minimised: Objective
    evidence: Evidence
    oracle: Oracle
    measurer: RolledUp | InSource
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

    attributes: tuple[Attribute, ...]
    sensitive: tuple[Sensitive, ...]
    measurer: RolledUp | InSource
    counting: Counting
    marginals: Mapping[tuple[str, str], Sizes]

    def measurement(
        self, question: OpenGeneralization, goal: Goal, known: Known, progress: Callable[[int], None] | None = None
    ) -> Measurement:
        """Return the inputs of a search for this goal, with all that is known by now."""
        evidence = foreknowledge(known, question.resolved, self.marginals)
        costs = [each.costs for each in self.attributes]
        minimised = objective(goal.objective, goal.lattice, costs, goal.requirement, goal.weights)
        oracle = Oracle(
            question.key,
            known.observations,
            self.measurer,
            known.rows,
            goal.requirement,
            progress,
            needs_suppressed=minimised.needs_suppressed,
        )
        return Measurement(self.attributes, self.sensitive, minimised, evidence, oracle, self.measurer, self.counting)


def countable(
    question: OpenGeneralization, goal: Goal, counted: Units, known: Known, cache: Cache | None, *, roll_up: bool
) -> Countable:
    """Grounds the request's attributes (the coverage check), so that its nodes can be counted.

    With `roll_up` nodes are counted from one frequency set, which is brought in when the first unknown node is
    needed; without it every node is a query to the source. The counts of values that grounding asks the source for, and
    the marginals that it makes of them, are kept in the cache: with `roll_up` the source counts only what is not there.
    """
    dataset, lattice = question.counts, goal.lattice
    cached = cache.find(known.version_id, question.wanted_columns()) if cache and roll_up else None
    outlined = question.outlined(cached)
    values = {each.counted_values: as_counted(each) for each in outlined} if cache else {}
    connection = dataset.backend.connection
    loaded = cache.load_values(connection, known.version_id, values, counted.rows) if cache and roll_up else frozenset()
    attributes = ground_all(dataset, outlined, loaded)
    if question.resolved.request.needs_distinct_labels:
        for each, axis in zip(attributes, lattice.axes, strict=True):
            require_distinct_labels(dataset.backend.workspace, each, axis.accepted)
    sensitive = question.sensitive(dataset)
    within_limit = goal.requirement.most_suppressed > 0
    counting = Counting.of(sensitive, dataset.entity, counted.persons, within_limit=within_limit)
    bases = None
    if cached is None and counting.entity is None:
        bases = coarser_bases(
            attributes, counted.rows, lambda sizes: goal.requirement.rules_out(Observation.from_histogram(sizes))
        )
    measurer = (
        RolledUp(
            dataset,
            attributes,
            lattice,
            lambda: frequency_set(dataset, attributes, cache, cached, known.version_id, counted.rows, counting),
            counting,
            None if bases is None else partial(coarser_set, dataset, attributes, bases, counting),
        )
        if roll_up
        else InSource(question.dataset, attributes, lattice, counting)
    )
    marginals = marginals_of(attributes, counted)
    if cache and not dataset.backend.changed():  # what was counted may be of another content than the version's
        cache.store_marginals(known.version_id, marginals)
        counted_now = {table: column for table, column in values.items() if table not in loaded}
        cache.store_values(connection, known.version_id, counted_now)
    return Countable(attributes, sensitive, measurer, counting, marginals)


def measurement(
    question: OpenGeneralization,
    goal: Goal,
    counted: Units,
    known: Known,
    cache: Cache | None,
    *,
    roll_up: bool,
    progress: Callable[[int], None] | None = None,
) -> Measurement:
    """Set up the search for one goal: the request's attributes made countable, and its oracle."""
    return countable(question, goal, counted, known, cache, roll_up=roll_up).measurement(
        question, goal, known, progress
    )


class Memory:
    """Table C's nodes of the request's dataset version (`known`), with those measured since.

    The version is noted in the state, no request is: an observation made for one k answers
    every other. `cache`: the frequency sets that may be used.
    """

    def __init__(
        self, question: OpenGeneralization, version: Version, persons: int | None, setting: RunContext
    ) -> None:
        """Notes the version; `persons` of the dataset, where it has an entity column. Raises StateFault."""
        self._question = question
        self._state = setting.state
        self._cache = setting.cache
        self._measured: dict[Node, Observation] = {}
        with setting.state.writing() as connection:
            seen = noted_version(connection, question, version, persons)
            self._version_id = seen.id
            self.known = remembered(connection, seen.id, question.resolved)
            current = versions.current(connection) if seen.first_seen_at == seen.last_seen_at else None
        self.cache = current_cache(setting.cache, current)

    def learn(self, measured: Mapping[Node, Observation]) -> None:
        """Takes up what was measured now."""
        self._measured |= measured
        by_key = {self._question.key(node): observation for node, observation in measured.items()}
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
