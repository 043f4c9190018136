"""Every statement that counts a request, up to the check of one node, in order: what `explain` shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqlglot import exp

from ordermade.counting.classes import (
    NODE_ROWS,
    NodeRows,
    check_statement,
    node_statement,
    rows_of_node,
    rows_of_set,
    suppressed_rows_statement,
)
from ordermade.counting.counts import (
    NARROW,
    WIDE,
    Counting,
    Repeats,
    Sensitive,
    StoredSet,
    packed,
    persons_numbered,
    values_counted,
    values_numbered,
    widen_statement,
)
from ordermade.counting.dataset import Dataset
from ordermade.counting.encoding import EncodedColumn
from ordermade.counting.frequency_set import (
    MAX_BITS,
    combinations_counted,
    k_check_statement,
    source_k_check_statement,
)
from ordermade.counting.frequency_set import steps as persons_steps
from ordermade.counting.packed_set import PACKED, PackedLevels, packed_statement
from ordermade.counting.statements import Statement
from ordermade.counting.value_bits import ValueBits, value_bits
from ordermade.lattice.lattice import Lattice, Node
from ordermade.lattice.observation import Requirement

MAX_VALUES = 1 << 32
"""Values of a sensitive column are numbered by a type that so many fit in, where they are not counted yet."""


def person_statements(dataset: Dataset) -> Iterator[Statement]:
    """The persons, where the dataset has an entity column."""
    if dataset.entity is not None:
        yield persons_numbered(dataset)


def value_statements(dataset: Dataset, sensitive: Sensitive) -> Iterator[Statement]:
    """The values of a sensitive attribute."""
    yield values_counted(dataset, sensitive)
    yield values_numbered(sensitive, MAX_VALUES)


@dataclass(frozen=True, slots=True)
class CountingSteps:
    """The statements that count a dataset for one node, all of them written before anything is counted."""

    dataset: Dataset
    attributes: tuple[EncodedColumn, ...]
    lattice: Lattice
    node: Node
    counting: Counting
    requirement: Requirement

    def by_roll_up(self) -> Iterator[Statement]:
        """One frequency set from the source, packed or widened, and the check of the node in it.

        Persons are shown as if some of them had several combinations: else they are added up like rows. The values of a
        sensitive column are shown as if they were few, where they are not counted yet.
        """
        yield combinations_counted(self.dataset, self.attributes, self.counting)
        levels = {each.position: list(each.levels) for each in self.attributes}
        held = tuple(frozenset(each.levels) for each in self.attributes)
        stored = StoredSet(WIDE, 0, held)
        if self.counting.entity is not None:
            yield from persons_steps(self.attributes, levels, self.counting, MAX_BITS)
            stored = replace(stored, repeats=Repeats(packed(self.attributes, levels, self.counting), 0, many=False))
        elif self._values is not None:
            words = self._packed.words
            packed_set = packed_statement(self.attributes, levels, words, self._values)
            yield Statement("frequency set, its levels packed", False, PACKED, packed_set)
            stored = StoredSet(PACKED, 0, held, words=words)
        else:
            widened = widen_statement(NARROW, self.attributes, levels, cells=self.counting.cells)
            yield Statement("frequency set, every level beside it", False, WIDE, widened)
        yield from self._checks(rows_of_set(stored, self.attributes, self.lattice, self.node, self.counting), stored)

    @property
    def _packed(self) -> PackedLevels:
        return PackedLevels(self.attributes, self.lattice, self._values or ())

    @property
    def _values(self) -> tuple[ValueBits, ...] | None:
        return value_bits(self.counting)

    def in_source(self) -> Iterator[Statement]:
        """The check of the node in the source itself, or of what the source counts of it."""
        if not self.counting.is_plain or self.requirement.most_suppressed:
            counted = node_statement(self.dataset, self.attributes, self.lattice, self.node, self.counting)
            yield Statement("the rows of the node", True, NODE_ROWS, counted)
        yield from self._checks(rows_of_node(self.attributes, self.lattice, self.node, self.counting), None)

    def _checks(self, rows: NodeRows, stored: StoredSet | None) -> Iterator[Statement]:
        in_source = stored is None and self.counting.is_plain
        yield Statement("k-check", in_source, None, self._check(rows, stored))
        if self.requirement.most_suppressed:
            if stored is not None and stored.words is not None:
                smaller = (0, self.requirement.k - 1)
                suppressed = self._packed.rows_of_sizes_statement(stored.table, [self.node], smaller)
            else:
                suppressed = suppressed_rows_statement(rows, self.requirement, self.counting, 0)
            yield Statement("suppressed rows, by attribute", False, None, suppressed)

    def _check(self, rows: NodeRows, stored: StoredSet | None) -> exp.Query:
        counting = self.counting
        if stored is None and counting.is_plain:
            return source_k_check_statement(self.dataset, self.attributes, self.lattice, self.node, 0)
        if stored is not None and stored.words is not None:
            return self._packed.checks_statement(stored.table, [self.node])
        if stored is None or counting.has_models or counting.least_classes:
            return check_statement(rows, counting, 0)
        return k_check_statement(stored, self.attributes, self.lattice, self.node, 0)
