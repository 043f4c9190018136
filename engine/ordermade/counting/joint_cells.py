"""The rows of a dataset by what several releases part: columns at levels of several hierarchies, and row filters.

They are counted in one GROUP BY of the source. An axis is a column: its codes are the values that nothing parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sqlglot import exp

from ordermade import sql
from ordermade.counting.counts import NARROW, Counting, Sensitive, length, number_values, outline_sensitive
from ordermade.counting.coverage import ground_all
from ordermade.counting.dataset import Dataset
from ordermade.counting.encoding import EncodedColumn, encode_column
from ordermade.counting.frequency_set import narrow
from ordermade.counting.numeric_records import NumericEncoding, pulled_table, table_as_numbers
from ordermade.counting.record_tables import leaves_statement
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.ledger.figures import Compared, JointCells, PersonPartition
from ordermade.requests.filter_parser import compiled
from ordermade.requests.filter_tree import Filter, FilterComparison, comparisons
from ordermade.sources.backend import Column
from ordermade.sources.executor import Purpose
from ordermade.tables.cells import Whole

AS_THEY_ARE = ""
"""In the place of the hash of a hierarchy: the column is counted by its values, as they are."""
Labels = tuple[str | None, ...]
"""The label of each code of an axis; None of missing values."""


@dataclass(frozen=True, slots=True)
class PartedColumn:
    """A column at levels of one hierarchy, `*` excepted. `missing_as_star`: missing values are at `*` at all levels."""

    column: str
    hierarchy: Hierarchy
    levels: tuple[int, ...]
    missing_as_star: bool = False

    @property
    def key(self) -> tuple[str, str, bool]:
        """The column with the content of its hierarchy: its levels mean the same wherever this is the same."""
        return self.column, self.hierarchy.content_hash, self.missing_as_star


@dataclass(frozen=True, slots=True, eq=False)
class CountedTogether:
    """The rows of a dataset by all axes. `axes`: the axis of each column; `compared`: the comparisons of filters.

    `labels[key][level]`: the labels of a parted column at a level, by the codes of its axis.
    """

    cells: JointCells
    axes: Mapping[str, int]
    labels: Mapping[tuple[str, str, bool], Mapping[int, Labels]]
    compared: Mapping[FilterComparison, Compared]

    def classes(self, column: PartedColumn, level: int) -> Whole:
        """The class of each code of the column's axis at a level: codes of one label are in one class."""
        return self.classes_of(column.key, level)

    def classes_of(self, key: tuple[str, str, bool], level: int) -> Whole:
        """The same of a column by its key; of one that is counted as it is (AS_THEY_ARE) a class is a value."""
        numbers: dict[str | None, int] = {}
        labels = self.labels[key][level]
        return np.array([numbers.setdefault(each, len(numbers)) for each in labels], dtype=np.int64)

    def partition(self, classes: Mapping[int, Whole], tree: Filter | None) -> PersonPartition:
        """The partition of these classes, by axis, under a row filter."""
        if tree is None:
            return PersonPartition(classes)
        return PersonPartition(classes, tree, {each: self.compared[each] for each, _ in comparisons(tree)})

    def counted(self, partition: PersonPartition) -> tuple[Whole, Whole]:
        """The classes of a partition that have rows, ascending, and the number of rows of each."""
        labels, number = np.unique(partition.labels(self.cells.cells), return_inverse=True)
        rows = np.bincount(number.reshape(-1), self.cells.persons, len(labels)).astype(np.int64)
        is_inside = labels >= 0
        return labels[is_inside], rows[is_inside]


def counted_together(
    dataset: Dataset,
    columns: Iterable[PartedColumn],
    filters: Iterable[Filter | None],
    values: Iterable[str] = (),
) -> CountedTogether:
    """Counts the rows of a dataset by columns, by the comparisons of filters and by columns of `values` as they are.

    In one statement for all; the values of each such column are numbered by one before.

    Raises HierarchyError, with counts only, where a hierarchy does not cover its column; SourceFault.
    """
    parted = _once(columns)
    compared = tuple(dict.fromkeys(each for tree in filters if tree is not None for each, _ in comparisons(tree)))
    valued = tuple(dict.fromkeys(values))
    if not parted and not compared and not valued:
        return _of_all_rows(dataset)
    with_truths, names = _with_comparisons(dataset, compared, [*(each.column for each in parted), *valued])
    outlined = [
        encode_column(
            with_truths, place, each.column, each.hierarchy, each.levels[0], missing_as_star=each.missing_as_star
        )
        for place, each in enumerate(parted, start=1)
    ]
    attributes = ground_all(with_truths, outlined)
    truths = tuple(
        number_values(with_truths, outline_sensitive(with_truths, place, name, ()))
        for place, name in enumerate(names, start=len(attributes) + 1)
    )
    as_they_are = tuple(
        number_values(with_truths, outline_sensitive(with_truths, place, name, ()))
        for place, name in enumerate(valued, start=len(attributes) + len(truths) + 1)
    )
    narrow(with_truths, attributes, None, None, 0, 0, Counting((*truths, *as_they_are)))
    workspace = with_truths.backend.workspace
    encoded: list[EncodedColumn | Sensitive] = [*attributes, *truths, *as_they_are]
    codes = [NumericEncoding(each.cell_column, each.column, "code") for each in encoded]
    found = table_as_numbers(workspace, [*codes, NumericEncoding("n", "n", "whole")], NARROW, length(workspace, NARROW))
    named = [*(each.column for each in parted), *(each.column for each in compared), *valued]
    axes = _axes(named, [each.cell_column for each in encoded], found)
    labels = {
        each.key: {
            level: tuple(by_cell[cell] for cell in axes.cells[attribute.cell_column])
            for level, by_cell in _labels(with_truths, attribute, each.levels).items()
        }
        for each, attribute in zip(parted, attributes, strict=True)
    }
    for counted in as_they_are:
        by_cell = _texts(with_truths, counted)
        own_labels = tuple(by_cell[cell] for cell in axes.cells[counted.cell_column])
        labels[counted.column, AS_THEY_ARE, False] = {0: own_labels}
    of_comparisons = {}
    for comparison, truth in zip(compared, truths, strict=True):
        by_number = _values(with_truths, truth)
        own = np.array([by_number[cell] for cell in axes.cells[truth.cell_column]], dtype=np.int64)
        of_comparisons[comparison] = Compared(axes.numbers[comparison.column], own)
    return CountedTogether(_joint(axes.codes, found["n"]), axes.numbers, labels, of_comparisons)


def _of_all_rows(dataset: Dataset) -> CountedTogether:
    """All rows in one cell, on an axis of no column: releases that part nobody have their number alone."""
    statement = sql.with_relations(sql.select("dataset/row_count"), {"dataset": dataset.relation})
    ((rows,),) = dataset.backend.executor.rows(Purpose.FREQUENCY_SET, statement)
    one = np.zeros((1, 1), dtype=np.int64)
    return CountedTogether(JointCells((1,), one, np.array([int(rows)], dtype=np.int64)), {}, {}, {})


@dataclass(frozen=True, slots=True, eq=False)
class _Axes:
    """The axis of each column, the code of each counted row on it, and the cell of each code by counted column."""

    numbers: Mapping[str, int]
    codes: Sequence[Whole]
    cells: Mapping[str, Sequence[int]]


def _axes(columns: Sequence[str], counted: Sequence[str], found: Mapping[str, Any]) -> _Axes:
    """The axes of columns; one or several counted columns are of each."""
    by_column: dict[str, list[str]] = {}
    for column, name in zip(columns, counted, strict=True):
        by_column.setdefault(column, []).append(name)
    codes: list[Whole] = []
    cells: dict[str, list[int]] = {}
    for own in by_column.values():
        stacked = np.stack([found[name].astype(np.int64) for name in own], axis=1)
        every, number = np.unique(stacked, axis=0, return_inverse=True)
        codes.append(number.reshape(-1).astype(np.int64))
        cells |= {name: every[:, place].tolist() for place, name in enumerate(own)}
    return _Axes({column: axis for axis, column in enumerate(by_column)}, codes, cells)


def _once(columns: Iterable[PartedColumn]) -> tuple[PartedColumn, ...]:
    """Every column with every level below `*` that it is wanted at, for each hierarchy once."""
    found: dict[tuple[str, str, bool], PartedColumn] = {}
    for each in columns:
        known = found.get(each.key, each)
        levels = {level for level in (*known.levels, *each.levels) if level < each.hierarchy.top}
        if levels:
            found[each.key] = replace(each, levels=tuple(sorted(levels)))
    return tuple(found.values())


def _with_comparisons(
    dataset: Dataset, compared: Sequence[FilterComparison], columns: Iterable[str]
) -> tuple[Dataset, list[str]]:
    """The dataset with what each comparison is in a row, and the names of the columns that have it."""
    types = {each.name: each.type for each in dataset.columns}
    kept = list(dict.fromkeys(columns))
    names = []
    for place in range(len(compared)):
        name = f"comparison {place + 1}"
        while name in types:
            name += "_"
        names.append(name)
    tree = sql.select("together/compared")
    _, truth = tree.expressions
    expressions: list[exp.Expr] = [sql.named(sql.column(each, "dataset"), each) for each in kept]
    for name, comparison in zip(names, compared, strict=True):
        filled = truth.this.copy()
        condition = compiled(comparison, types)
        for each in list(filled.find_all(exp.Column)):
            each.replace(condition.copy())
        expressions.append(sql.named(filled, name))
    tree.set("expressions", expressions or [exp.alias_(exp.Literal.number(1), "nothing")])
    return (
        replace(
            dataset,
            relation=sql.with_relations(tree, {"dataset": dataset.relation}),
            columns=(*(Column(each, types[each]) for each in kept), *(Column(each, "INTEGER") for each in names)),
            parts=None,
            evaluation=None,
            guard=None,
        ),
        names,
    )


def _labels(
    dataset: Dataset, attribute: EncodedColumn, levels: Sequence[int]
) -> Mapping[int, Mapping[int, str | None]]:
    """The label of each cell of a column at each of these levels."""
    above = [level for level in levels if level > 0 or attribute.missing_as_star]
    once = list(dict.fromkeys(attribute.label_column(level) for level in above))
    table = pulled_table(dataset.backend.workspace, Purpose.RECORDS, leaves_statement(attribute, once))
    rows: list[dict[str, Any]] = [] if table is None else table.to_pylist()
    return {
        level: {
            each["cell"]: attribute.labels[level][each[attribute.label_column(level)]]
            if level in above
            else each["label"]
            for each in rows
        }
        for level in levels
    }


def _values(dataset: Dataset, counted: Sensitive) -> Mapping[int, int]:
    """The value of each number of a counted column of whole numbers."""
    columns = (NumericEncoding("key", counted.column, "whole"), NumericEncoding("cell", counted.column, "code"))
    found = table_as_numbers(dataset.backend.workspace, columns, counted.values, counted.different)
    return dict(zip(found["cell"].tolist(), found["key"].tolist(), strict=True))


def _texts(dataset: Dataset, counted: Sensitive) -> Mapping[int, str | None]:
    """The value of each number of a counted column, as text."""
    tree = sql.with_relations(sql.select("together/values"), {"keys": exp.to_table(counted.values)})
    table = pulled_table(dataset.backend.workspace, Purpose.RECORDS, tree)
    rows: list[dict[str, Any]] = [] if table is None else table.to_pylist()
    return {each["cell"]: each["label"] for each in rows}


def _joint(codes: Sequence[Whole], rows: Any) -> JointCells:
    """The rows of each combination of codes."""
    every = np.stack(codes, axis=1) if codes else np.zeros((len(rows), 0), dtype=np.int64)
    cells, number = np.unique(every, axis=0, return_inverse=True)
    persons = np.bincount(number.reshape(-1), rows, len(cells)).astype(np.int64)
    return JointCells(tuple(int(each.max(initial=-1)) + 1 for each in every.T), cells, persons)
