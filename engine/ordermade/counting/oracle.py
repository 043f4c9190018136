"""The oracle of a search: answers from table C where it can, measures where it must, and keeps count.

A node is counted from the stored frequency set, or from a smaller one rolled up from it.
"""

from __future__ import annotations

import contextlib
import copy
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol, TypeAlias

from sqlglot import exp

from ordermade import sql
from ordermade.counting.classes import (
    NODE_ROWS,
    NodeRows,
    check_statement,
    check_text,
    compiled_check,
    node_statement,
    observations,
    rows_of_node,
    rows_of_set,
    suppressed_of,
    suppressed_rows_statement,
)
from ordermade.counting.counts import PLAIN, Counting, StoredSet, can_count, length, widen_statement
from ordermade.counting.dataset import Dataset
from ordermade.counting.encoding import EncodedColumn
from ordermade.counting.frequency_set import (
    Levels,
    k_check_statement,
    roll_up_statement,
    source_k_check_statement,
)
from ordermade.counting.packed_set import LARGEST_CLASS, ClassSizes, PackedLevels
from ordermade.counting.value_bits import ValueBits, value_bits
from ordermade.errors import SourceChanged
from ordermade.lattice.lattice import Lattice, Node, NodeKey
from ordermade.lattice.observation import Observation, Requirement, SuppressedFigures
from ordermade.sources.executor import Executor, Purpose

MAX_NODES_AT_ONCE = 256
"""The most nodes that one statement checks in a packed set."""
MAX_JOINED = 4_000_000
"""The most rows of a packed set, nodes and words of values, multiplied, of one statement: what bounds its memory."""
CHECKS_PER_STATEMENT = 16
MAX_ROWS_AT_ONCE = 1_000_000
"""Where the classes of each node are kept while they are checked: what keeps a statement inside its memory."""
WORTH_SUBTRACTING = 2_000
"""Where classes of at least k are fewer than the smaller ones by so many, their rows are counted, not the others."""
WORTH_ROLLING_UP = 50_000
"""A set at most this long is grouped faster than a smaller one is made from it."""
SHRINKS = 8
"""A roll-up is kept where it is at least this many times shorter than the set it comes from."""
WORTH_WAITING_FOR = 2
"""A set is rolled up once so many earlier nodes could have used it: it takes as long as two or three checks without."""
MAX_KEPT = 48
IN_ONE_THREAD = 122_880
"""A set at most this long, a row group of DuckDB's, is scanned by one thread: others only cost time."""

Measured = dict[Node, Observation]

ClassRows: TypeAlias = Sequence[tuple[int, int, int, int]]
"""Rows of (number of the node in the batch, place among its attributes below `*`, class, rows of the dataset)."""


class StoredSets:
    """The frequency sets that nodes are counted from: the whole one, and smaller ones rolled up where it is worth it.

    `load` brings the whole set into the workspace; it is called when the first node is measured. `coarser` brings one
    that answers fewer nodes, which is tried first.
    """

    def __init__(
        self,
        attributes: Sequence[EncodedColumn],
        lattice: Lattice,
        load: Callable[[], StoredSet],
        coarser: Callable[[], StoredSet] | None,
        values: int = 1,
    ) -> None:
        """`values`: of the sensitive attributes, by which a set is parted too."""
        self._attributes = attributes
        self._class_counts = [each.class_counts for each in attributes]
        self._lattice = lattice
        self._load, self._coarser = load, coarser
        self._values = values
        self._sets: list[StoredSet] = []
        self._without: list[Node] = []
        """The nodes that were counted from a long set, and that no set rolled up since answers."""

    def first(self, nodes: Sequence[Node]) -> StoredSet:
        """The whole set, loaded if it was not: it answers all these nodes."""
        if not self._sets:
            self._sets.append((self._coarser or self._load)())
        if not all(self._sets[0].answers(each, self._lattice.top) for each in nodes):
            self._sets[0] = self._load()
        return self._sets[0]

    def by_set(self, nodes: Sequence[Node], roll_up: RollUp) -> dict[StoredSet, list[Node]]:
        """The nodes by the shortest set that answers each; `roll_up` makes that of a node from a finer one."""
        self.first(nodes)
        by_set: defaultdict[StoredSet, list[Node]] = defaultdict(list)
        for node in nodes:
            by_set[self._set_for(node, roll_up)].append(node)
        return by_set

    def _set_for(self, node: Node, roll_up: RollUp) -> StoredSet:
        """The shortest set that answers `node`, rolled up first where enough nodes have shown that it is worth it."""
        shortest = self._shortest(node)
        if shortest.length <= WORTH_ROLLING_UP or len(self._sets) >= MAX_KEPT:
            return shortest
        finer = self._least_coarsened(node, shortest.length // SHRINKS)
        if finer is None:
            return shortest
        levels, tops = self.levels_of(finer), self._lattice.top
        left = [each for each in self._without if not can_count(levels, each, tops)]
        if len(self._without) - len(left) < WORTH_WAITING_FOR:
            self._without.append(node)
            return shortest
        self._without[:] = left
        # The shortest set that answers `node` may itself be too coarse for the finer node: that one has its own source.
        stored = roll_up(finer, self._shortest(finer), len(self._sets))
        self._sets.append(stored)
        return stored

    def _least_coarsened(self, node: Node, longest: int) -> Node | None:
        """A node at most `longest` that `node` can be counted from, as fine as possible: it will serve others too.

        Attributes are raised to the node's levels one by one, those that merge most first, until the product of their
        classes, which bounds the node's, is small enough. None if it never is.
        """
        # Where the base does not refine the node's level (levels that do not nest), only that level itself serves.
        bases = [min(have) for have in self._sets[0].levels]
        raised = [
            base if each.hierarchy.order.refines(base, level) else level
            for each, base, level in zip(self._attributes, bases, node, strict=True)
        ]
        bounds = [self._classes_at(index, level) for index, level in enumerate(raised)]
        for index in sorted(range(len(node)), key=lambda index: self._classes_at(index, node[index]) / bounds[index]):
            if self._values * math.prod(bounds) <= longest:
                break
            raised[index], bounds[index] = node[index], self._classes_at(index, node[index])
        return tuple(raised) if self._values * math.prod(bounds) <= longest else None

    def _classes_at(self, index: int, level: int) -> int:
        return self._class_counts[index][level]

    def _shortest(self, node: Node) -> StoredSet:
        tops = self._lattice.top
        return min((each for each in self._sets if each.answers(node, tops)), key=lambda each: each.length)

    def levels_of(self, node: Node) -> tuple[frozenset[int], ...]:
        """The levels that a set of this node has of each attribute, `*` excepted."""
        return tuple(_coarser(each, level) for each, level in zip(self._attributes, node, strict=True))


RollUp: TypeAlias = Callable[[Node, StoredSet, int], StoredSet]
"""Of a node, a finer set, and the number of the new one."""


def _coarser(attribute: EncodedColumn, level: int) -> frozenset[int]:
    order = attribute.hierarchy.order
    return frozenset(each for each in attribute.levels if level != order.top and order.refines(level, each))


class OneThread:
    """Whether a short frequency set is grouped in one thread: from its first check to the end of the search."""

    def __init__(self, workspace: Executor) -> None:
        self._workspace = workspace
        self._until_the_end: contextlib.ExitStack | None = None
        self._begun = False

    @contextlib.contextmanager
    def searching(self) -> Iterator[None]:
        """Around a search."""
        try:
            with contextlib.ExitStack() as self._until_the_end:
                yield
        finally:
            self._until_the_end, self._begun = None, False

    def note(self, stored: StoredSet) -> None:
        """Before a set is grouped."""
        if self._until_the_end is not None and not self._begun and stored.whole_length <= IN_ONE_THREAD:
            self._begun = True
            self._until_the_end.enter_context(self._workspace.in_one_thread())


class RolledUp:
    """Measures nodes from stored frequency sets that have a column for every level, the smallest finer one for each.

    `load` brings the widened frequency set into the workspace; it is called when the first node is measured. `coarser`
    brings one that answers fewer nodes, which is tried first.
    """

    def __init__(
        self,
        dataset: Dataset,
        attributes: Sequence[EncodedColumn],
        lattice: Lattice,
        load: Callable[[], StoredSet],
        counting: Counting = PLAIN,
        coarser: Callable[[], StoredSet] | None = None,
    ) -> None:
        self._workspace = dataset.backend.workspace
        self._attributes = attributes
        self._lattice = lattice
        self._counting = self._stored = counting
        self._sets = StoredSets(
            attributes, lattice, load, coarser, math.prod(each.different for each in counting.sensitive)
        )
        self._thread = OneThread(self._workspace)
        self._compiled: sql.Compiled | None = None

    def searching(self) -> contextlib.AbstractContextManager[None]:
        """Around a search: a short frequency set is grouped in one thread until the search ends."""
        return self._thread.searching()

    def by(self, counting: Counting) -> RolledUp:
        """The same with less counted of each node, from the same stored sets."""
        other = copy.copy(self)
        other._counting, other._compiled = counting, None
        return other

    def measure(self, nodes: Sequence[Node]) -> Measured:
        """The observation of each node, with all that `counting` requires.

        The root is measured only where there are models: the number of units determines the rest of it.
        """
        measured: Measured = {}
        for stored, members in self._sets.by_set(nodes, self._roll_up).items():
            self._thread.note(stored)
            for batch in batches(members, 0 if self._adds_up else stored.whole_length):
                measured.update(self._measured(stored, batch))
        return measured

    def suppressed(self, nodes: Sequence[Node], requirement: Requirement) -> dict[Node, SuppressedFigures]:
        """The suppressed rows of each node under the requirement, by class of every attribute."""
        found: dict[Node, SuppressedFigures] = {}
        whole = self._counting.entity is not None
        by_set = {self._sets.first(nodes): nodes} if whole else self._sets.by_set(nodes, self._roll_up)
        for stored, members in by_set.items():
            for batch in batches(members, stored.whole_length):
                queries = [
                    suppressed_rows_statement(self._rows(stored, node), requirement, self._counting, number)
                    for number, node in enumerate(batch)
                ]
                answer = self._workspace.rows(Purpose.K_CHECK, sql.union_all(queries))
                found.update(suppressed_of(batch, answer, self._attributes, self._lattice))
        return found

    def _measured(self, stored: StoredSet, batch: Sequence[Node]) -> Measured:
        answer = self._workspace.rows(Purpose.K_CHECK, self._checks(stored, batch))
        if self._adds_up:
            return from_rows(batch, answer, self._counting.persons)
        return observations(batch, answer, self._counting)

    def _checks(self, stored: StoredSet, batch: Sequence[Node]) -> str:
        """The checks of some nodes in one statement.

        A search may need thousands: a statement is printed once, and each node's names and number are set in.
        """
        if stored.repeats is not None or self._adds_up:
            return sql.text(sql.union_all(self._check_trees(stored, batch)))
        if self._compiled is None:
            self._compiled = compiled_check(self._counting)
        texts = [
            check_text(self._compiled, stored.table, self._rows(stored, node), number)
            for number, node in enumerate(batch)
        ]
        return " UNION ALL ".join(texts)

    def _check_trees(self, stored: StoredSet, batch: Sequence[Node]) -> list[exp.Query]:
        if self._adds_up:
            return [
                k_check_statement(stored, self._attributes, self._lattice, node, number)
                for number, node in enumerate(batch)
            ]
        return [check_statement(self._rows(stored, node), self._counting, number) for number, node in enumerate(batch)]

    @property
    def _adds_up(self) -> bool:
        """True if the sizes of classes are all that is counted."""
        return not (self._counting.has_models or self._counting.least_classes)

    def _rows(self, stored: StoredSet, node: Node) -> NodeRows:
        return rows_of_set(stored, self._attributes, self._lattice, node, self._counting)

    def _roll_up(self, node: Node, source: StoredSet, number: int) -> StoredSet:
        narrow, wide = f"roll_up_{number}", f"roll_up_{number}_wide"
        statement = roll_up_statement(source.table, self._attributes, self._lattice, node, self._stored.sensitive)
        self._workspace.store(Purpose.ROLL_UP, narrow, statement)
        held = self._sets.levels_of(node)
        levels = {each.position: sorted(of_it) for each, of_it in zip(self._attributes, held, strict=True)}
        widened = widen_statement(narrow, self._attributes, levels, node, cells=self._stored.cells)
        self._workspace.store(Purpose.ROLL_UP, wide, widened)
        return StoredSet(wide, length(self._workspace, wide), held, source.repeats)


class Packed:
    """Measures nodes from packed frequency sets, many in one statement: by rows, and by different values (distinct l).

    `bring` brings the frequency set into the workspace; it is called when the first node is measured. `coarser` brings
    one that answers fewer nodes, which is tried first, and returns the levels that it answers.
    """

    def __init__(
        self,
        dataset: Dataset,
        attributes: Sequence[EncodedColumn],
        lattice: Lattice,
        bring: Callable[[], None],
        coarser: Callable[[], Levels] | None = None,
        counting: Counting = PLAIN,
    ) -> None:
        """Raises ValueError where `counting` has more than bits of values decide (see `value_bits`)."""
        self._workspace = dataset.backend.workspace
        self._attributes, self._lattice = attributes, lattice
        self._counting = counting
        self._levels = PackedLevels(attributes, lattice, _decided_by_bits(counting))
        self._bring = bring
        coarser_set = None if coarser is None else partial(self._coarser_set, coarser)
        self._sets = StoredSets(attributes, lattice, self._whole_set, coarser_set)
        self._thread = OneThread(self._workspace)
        self._observed: Measured = {}
        self._totals: dict[Node, dict[int, int]] = {}
        """By node with one attribute below `*`: the rows of each class."""

    def searching(self) -> contextlib.AbstractContextManager[None]:
        """Around a search: a short frequency set is grouped in one thread until the search ends."""
        return self._thread.searching()

    def by(self, counting: Counting) -> Packed:
        """The same with less counted of each node, from the same stored sets. Raises ValueError as the class does."""
        other = copy.copy(self)
        other._counting, other._levels = counting, self._levels.by(_decided_by_bits(counting))
        other._observed = {}
        return other

    def measure(self, nodes: Sequence[Node]) -> Measured:
        """The observation of each node."""
        measured: Measured = {}
        for stored, members in self._sets.by_set(nodes, self._roll_up).items():
            self._thread.note(stored)
            for batch in batched(members, self._at_once(stored)):
                answer = self._workspace.rows(Purpose.K_CHECK, self._levels.checks(stored.table, batch))
                plain = self._counting.is_plain
                measured.update(from_rows(batch, answer) if plain else observations(batch, answer, self._counting))
        self._observed.update(measured)
        return measured

    def suppressed(self, nodes: Sequence[Node], requirement: Requirement) -> dict[Node, SuppressedFigures]:
        """The suppressed rows of each node under the requirement, by class of every attribute."""
        found: dict[Node, SuppressedFigures] = {}
        k = requirement.k
        of_rest = {node for node in nodes if self._classes_saved(node, k) >= WORTH_SUBTRACTING}
        for batch, answer in self._rows_of_sizes([node for node in nodes if node not in of_rest], (0, k - 1)):
            found.update(suppressed_of(batch, answer, self._attributes, self._lattice))
        for batch, answer in self._rows_of_sizes([node for node in nodes if node in of_rest], (k, LARGEST_CLASS)):
            found.update(suppressed_of(batch, self._rest(batch, answer), self._attributes, self._lattice))
        return found

    def _rows_of_sizes(self, nodes: Sequence[Node], sizes: ClassSizes) -> Iterator[tuple[Sequence[Node], ClassRows]]:
        """The nodes in batches, each with the rows of its classes of these sizes, by class of every attribute."""
        if not nodes:
            return
        for stored, members in self._sets.by_set(nodes, self._roll_up).items():
            for batch in batched(members, self._at_once(stored)):
                statement = self._levels.rows_of_sizes(stored.table, batch, sizes)
                yield batch, self._workspace.rows(Purpose.K_CHECK, statement)

    def _classes_saved(self, node: Node, k: int) -> int:
        """By how many the released classes are fewer than the suppressed ones; 0 where the node was not measured."""
        observed = self._observed.get(node)
        if observed is None or node == self._lattice.top:
            return 0
        small = sum(classes for size, classes in observed.sizes if size < k)
        failing = sum(classes for size, classes in observed.failing or () if size >= k)
        return 2 * (small + failing) - observed.divisions

    def _rest(self, batch: Sequence[Node], answer: ClassRows) -> ClassRows:
        """The rows by class that are not in the answer."""
        counted = {(number, place, each): n for number, place, each, n in answer}
        alone = [self._each_alone(node) for node in batch]
        self._count_totals([each for nodes in alone for each in nodes])
        return [
            (number, place, each, rest)
            for number, nodes in enumerate(alone)
            for place, one in enumerate(nodes)
            for each, n in self._totals[one].items()
            if (rest := n - counted.get((number, place, each), 0))
        ]

    def _each_alone(self, node: Node) -> list[Node]:
        """The node's attributes below `*`, each with the others at `*`."""
        top = self._lattice.top
        return [(*top[:place], level, *top[place + 1 :]) for place, level in enumerate(node) if level != top[place]]

    def _count_totals(self, alone: Sequence[Node]) -> None:
        """Counts the rows of each class of single attributes, once a level."""
        unknown = [each for each in dict.fromkeys(alone) if each not in self._totals]
        for batch, answer in self._rows_of_sizes(unknown, (0, LARGEST_CLASS)):
            for number, _, each, n in answer:
                self._totals.setdefault(batch[number], {})[each] = n

    def _at_once(self, stored: StoredSet) -> int:
        """The most nodes of one statement."""
        joined = max(stored.length, 1) * max(len(self._levels.value_names), 1)
        return max(1, min(MAX_NODES_AT_ONCE, MAX_JOINED // joined))

    def _whole_set(self) -> StoredSet:
        self._bring()
        return self._levels.pack(self._workspace, {each.position: each.levels for each in self._attributes})

    def _coarser_set(self, coarser: Callable[[], Levels]) -> StoredSet:
        return self._levels.pack(self._workspace, coarser())

    def _roll_up(self, node: Node, source: StoredSet, number: int) -> StoredSet:
        held = self._sets.levels_of(node)
        return self._levels.roll_up(self._workspace, node, source, f"packed_roll_up_{number}", held)


def _decided_by_bits(counting: Counting) -> tuple[ValueBits, ...]:
    values = value_bits(counting)
    if values is None:
        raise ValueError("a packed set counts rows and different values alone")
    return values


class InSource:
    """Measures every node by a query of its own against the source (`--no-rollup`)."""

    def __init__(
        self, dataset: Dataset, attributes: Sequence[EncodedColumn], lattice: Lattice, counting: Counting = PLAIN
    ) -> None:
        self._dataset = dataset
        self._attributes = attributes
        self._lattice = lattice
        self._counting = counting

    def by(self, counting: Counting) -> InSource:
        """The same with less counted of each node."""
        return InSource(self._dataset, self._attributes, self._lattice, counting)

    def searching(self) -> contextlib.AbstractContextManager[None]:
        """Around a search: the source groups as it always does."""
        return contextlib.nullcontext()

    def measure(self, nodes: Sequence[Node]) -> Measured:
        """The observation of each node, with all that `counting` requires."""
        measured: Measured = {}
        backend = self._dataset.backend
        for node in nodes:
            if self._counting.is_plain:
                tree = source_k_check_statement(self._dataset, self._attributes, self._lattice, node, 0)
                columns = backend.read(Purpose.K_CHECK, tree).read_all().columns
                answer = list(zip(*(each.to_pylist() for each in columns), strict=True))
                measured.update(from_rows([node], answer))
            else:
                check = check_statement(self._rows(node), self._counting, 0)
                answer = backend.workspace.rows(Purpose.K_CHECK, check)
                measured.update(observations([node], answer, self._counting))
        return measured

    def suppressed(self, nodes: Sequence[Node], requirement: Requirement) -> dict[Node, SuppressedFigures]:
        """The suppressed rows of each node under the requirement, by class of every attribute."""
        found: dict[Node, SuppressedFigures] = {}
        for node in nodes:
            tree = suppressed_rows_statement(self._rows(node), requirement, self._counting, 0)
            answer = self._dataset.backend.workspace.rows(Purpose.K_CHECK, tree)
            found.update(suppressed_of([node], answer, self._attributes, self._lattice))
        return found

    def _rows(self, node: Node) -> NodeRows:
        """The rows of a node, counted in the source by class, value and person, and kept in the workspace."""
        tree = node_statement(self._dataset, self._attributes, self._lattice, node, self._counting)
        self._dataset.backend.keep(Purpose.K_CHECK, NODE_ROWS, tree)
        return rows_of_node(self._attributes, self._lattice, node, self._counting)


def batches(nodes: Sequence[Node], length: int = 0) -> Iterator[Sequence[Node]]:
    """The nodes in runs of as many as one statement checks: fewer where a set of this length is counted at length."""
    most = CHECKS_PER_STATEMENT if length == 0 else max(1, min(CHECKS_PER_STATEMENT, MAX_ROWS_AT_ONCE // length))
    return batched(nodes, most)


def batched(nodes: Sequence[Node], most: int) -> Iterator[Sequence[Node]]:
    """The nodes in runs of `most`."""
    for start in range(0, len(nodes), most):
        yield nodes[start : start + most]


def from_rows(batch: Sequence[Node], rows: Sequence[tuple[int, int, int]], persons: int | None = None) -> Measured:
    """The observations in the answer of a k-check: rows of (number of the node in the batch, class size, classes).

    `persons`: how many there are, where classes count them; one may be in several.
    """
    histograms: list[list[tuple[int, int]]] = [[] for _ in batch]
    for number, size, classes in rows:
        histograms[number].append((int(size), int(classes)))
    return {node: Observation.from_histogram(each, units=persons) for node, each in zip(batch, histograms, strict=True)}


class Measurer(Protocol):
    """Counts nodes in SQL."""

    def by(self, counting: Counting) -> Measurer:
        """The same with something else counted of each node."""
        ...

    def searching(self) -> contextlib.AbstractContextManager[None]:
        """Around the checks of a search."""
        ...

    def measure(self, nodes: Sequence[Node]) -> Mapping[Node, Observation]:
        """The observation of each node."""
        ...

    def suppressed(self, nodes: Sequence[Node], requirement: Requirement) -> Mapping[Node, SuppressedFigures]:
        """The suppressed rows of each node under the requirement."""
        ...


class Oracle:
    """Answers batches of nodes. `measured` holds what was counted now, for table C to keep.

    `known` is table C; it answers as far as it decides the requirement (see Requirement.decides). `units`: the
    rows of the dataset, or its persons where these are counted. With `needs_suppressed` the observation of a node that
    passes comes with the figures of its suppressed rows, which table C does not keep.
    """

    def __init__(
        self,
        key: Callable[[Node], NodeKey],
        known: Mapping[NodeKey, Observation],
        measurer: Measurer,
        units: int,
        requirement: Requirement,
        listener: Callable[[int], None] | None = None,
        *,
        needs_suppressed: bool = False,
    ) -> None:
        self._key = key
        self._known = known
        self._measurer = measurer
        self._units = units
        self._requirement = requirement
        self._listener = listener
        self._needs_suppressed = needs_suppressed and requirement.most_suppressed > 0
        self._suppressed: dict[Node, SuppressedFigures] = {}
        self.measured: dict[Node, Observation] = {}

    def __call__(self, batch: Sequence[Node]) -> list[Observation]:
        """The observation of each node of the batch, in order. Raises SourceChanged where rows came or went."""
        answers = {node: known for node in batch if (known := self._already(node)) is not None}
        unknown = [node for node in batch if node not in answers]
        if unknown:
            fresh = self._measurer.measure(unknown)
            if any(observation.rows != self._units for observation in fresh.values()):
                raise SourceChanged(
                    "the dataset changed while it was being counted", next_step="Run the request again."
                )
            self.measured.update(fresh)
            answers.update(fresh)
        left = getattr(batch, "left", len(batch))
        if self._listener and left is not None:
            self._listener(left)
        if self._needs_suppressed:
            answers = self._with_suppressed(answers)
        return [answers[node] for node in batch]

    def searching(self) -> contextlib.AbstractContextManager[None]:
        """Around the checks of a search."""
        return self._measurer.searching()

    @property
    def divisions_measured(self) -> int:
        """The classes of every node counted now, summed: the PAK paper's unit of work."""
        return sum(each.divisions for each in self.measured.values())

    def _already(self, node: Node) -> Observation | None:
        if node in self.measured:
            return self.measured[node]
        key = self._key(node)
        if not key and not self._requirement.models:
            return Observation.from_histogram([(self._units, 1)])
        known = self._known.get(key)
        return known if known is not None and self._requirement.decides(known) else None

    def with_suppressed(self, node: Node, observation: Observation) -> Observation:
        """The observation of a node that passes, with the figures of its suppressed rows."""
        return self._with_suppressed({node: observation})[node]

    def _with_suppressed(self, answers: Mapping[Node, Observation]) -> dict[Node, Observation]:
        """The answers, those of nodes that pass with the figures of their suppressed rows."""
        passing = [node for node, each in answers.items() if self._requirement.passes(each)]
        unknown = []
        for node in passing:
            if node in self._suppressed:
                continue
            if self._requirement.suppressed_sizes(answers[node]):
                unknown.append(node)
            else:
                self._suppressed[node] = SuppressedFigures(0, (0,) * len(node), (0.0,) * len(node))
        if unknown:
            self._suppressed.update(self._measurer.suppressed(unknown, self._requirement))
        return {
            node: replace(each, suppressed=self._suppressed[node]) if node in self._suppressed else each
            for node, each in answers.items()
        }
