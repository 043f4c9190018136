"""The finest cells of a request for tables: one statement in the source, or the cache, gives all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordermade.counting.coinciding_labels import require_distinct_labels
from ordermade.counting.counts import NARROW, Sensitive, length, number_values
from ordermade.counting.coverage import ground_all
from ordermade.counting.encoding import EncodedColumn, as_counted
from ordermade.counting.frequency_set import combinations_counted, narrow
from ordermade.counting.numeric_records import (
    NumericEncoding,
    missing_values,
    pulled_table,
    require_values,
    table_as_numbers,
    unit_of_values,
)
from ordermade.counting.record_tables import leaves_statement
from ordermade.counting.statements import Statement
from ordermade.counting.steps import value_statements
from ordermade.errors import InputError, quoted
from ordermade.hierarchies.hierarchy import STAR
from ordermade.methods.shared.usable_cache import UsableCache
from ordermade.methods.tables.open_request import OpenTables, as_number
from ordermade.release.plan import PERSON
from ordermade.requests.resolve_table import ResolvedDimension
from ordermade.sources.executor import Executor, Purpose
from ordermade.tables.dimensions import Dimension, LevelledDimension, dimension_of_levels
from ordermade.tables.tabulation import FinestCells

MISSING: Mapping[str, str] = {"en": "missing", "ja": "不詳"}
"""The label of missing values, by language."""


@dataclass(frozen=True, slots=True, eq=False)
class CountedCells:
    """The finest cells as they were counted, and every dimension with the code of each leaf at each level.

    `units`: the unit of each column that is added up.
    """

    finest: FinestCells
    levelled: Mapping[str, LevelledDimension]
    units: tuple[Decimal, ...]

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        """The dimensions in the order of the request."""
        return self.finest.dimensions


@dataclass(frozen=True, slots=True, eq=False)
class CountedRecords:
    """The finest combinations of a request as they were counted, a record each: `rows` of one contributor.

    `cells`: by column the number of the cell of each record, from the finest level up. `persons`: their numbers, None
    where a row is a person. `amounts`: what a row adds to each column that is added up, in its unit (`units`).
    """

    attributes: tuple[EncodedColumn, ...]
    cells: Mapping[str, NDArray[Any]]
    rows: NDArray[np.int64]
    persons: NDArray[np.int64] | None
    amounts: tuple[NDArray[np.int64], ...]
    units: tuple[Decimal, ...]


def cover(open_request: OpenTables) -> tuple[EncodedColumn, ...]:
    """Every column made countable. Raises HierarchyError, with counts only, where a hierarchy lacks values."""
    return ground_all(open_request.dataset, open_request.outlined())


def statements_of(open_request: OpenTables) -> Iterator[Statement]:
    """The statements that count the finest cells, in order, after those of the hierarchies; nothing is counted yet."""
    rows, amounts = replace(open_request.dataset, entity=None), tuple(open_request.amounts())
    for each in amounts:
        yield from value_statements(rows, each)
    yield combinations_counted(open_request.dataset, open_request.outlined(), open_request.counting(amounts))


def counted_cells(open_request: OpenTables, kept: UsableCache | None) -> CountedCells:
    """The finest cells of the tables. Raises as `counted_records` does."""
    return cells_of(open_request, counted_records(open_request, kept))


def counted_records(open_request: OpenTables, kept: UsableCache | None) -> CountedRecords:
    """The finest combinations of the tables, of rows or of rows of persons, who have been counted before.

    Raises HierarchyError, with counts only, where a hierarchy does not cover its column or two classes have one label;
    InputError for rows without a number in a column that is added up; SourceChanged, SourceFault.
    """
    dataset, workspace = open_request.dataset, open_request.dataset.backend.workspace
    cached = None if kept is None else kept.cache.find(kept.version_id, open_request.cached_columns)
    attributes = _grounded(open_request, open_request.outlined(cached), kept)
    rows = replace(dataset, entity=None)
    amounts = tuple(number_values(rows, each) for each in open_request.amounts())
    for resolved, counted in zip(open_request.resolved.amounts, amounts, strict=True):
        held = as_number(resolved)
        missing = tuple(missing_values(f"rows without a value of {held.column}", (held,), counted.values))
        require_values(workspace, missing, (held,), "cells", dataset.least_k)
    counting = open_request.counting(amounts)
    if kept is None:
        narrow(dataset, attributes, None, None, 0, 0, counting)
    else:
        narrow(dataset, attributes, kept.cache, cached, kept.version_id, kept.rows, counting)
    columns = [NumericEncoding(each.cell_column, each.column, "code") for each in attributes]
    columns += [NumericEncoding(each.cell_column, each.column, "code") for each in amounts]
    if open_request.resolved.entity is not None:
        columns.append(NumericEncoding(PERSON, open_request.resolved.entity, "code"))
    columns.append(NumericEncoding("n", "n", "whole"))
    found = table_as_numbers(workspace, columns, NARROW, length(workspace, NARROW))
    values = [_amounts(workspace, open_request, place, each) for place, each in enumerate(amounts)]
    return CountedRecords(
        attributes,
        {each.column: found[each.cell_column] for each in attributes},
        found["n"].astype(np.int64),
        found[PERSON].astype(np.int64) if open_request.resolved.entity is not None else None,
        tuple(by_number[found[each.cell_column]] for (by_number, _), each in zip(values, amounts, strict=True)),
        tuple(unit for _, unit in values),
    )


def cells_of(open_request: OpenTables, records: CountedRecords) -> CountedCells:
    """The finest cells of a request, of records that were counted for it or for one of finer levels."""
    workspace, language = open_request.dataset.backend.workspace, open_request.request.language
    attributes = {each.column: each for each in records.attributes}
    leaves = np.empty((len(records.rows), len(open_request.resolved.dimensions)), dtype=np.int64)
    levelled = {}
    for place, dimension in enumerate(open_request.resolved.dimensions):
        cells = records.cells[dimension.column]
        made, leaf_of_cell = _dimension(workspace, attributes[dimension.column], dimension, cells, language)
        levelled[dimension.column] = made
        leaves[:, place] = leaf_of_cell[cells]
    return CountedCells(
        FinestCells(
            tuple(each.dimension for each in levelled.values()),
            leaves,
            records.rows,
            records.persons,
            records.amounts,
        ),
        levelled,
        records.units,
    )


def _grounded(
    open_request: OpenTables, outlined: Sequence[EncodedColumn], kept: UsableCache | None
) -> tuple[EncodedColumn, ...]:
    """The columns made countable; the counts of their values come from the cache where it has them."""
    dataset = open_request.dataset
    connection = dataset.backend.connection
    values = {each.counted_values: as_counted(each) for each in outlined}
    loaded = frozenset[str]()
    if kept is not None:
        loaded = kept.cache.load_values(connection, kept.version_id, values, kept.rows)
    attributes = ground_all(dataset, outlined, loaded)
    for attribute, dimension in zip(attributes, open_request.resolved.dimensions, strict=True):
        require_distinct_labels(dataset.backend.workspace, attribute, dimension.levels)
    if kept is not None and not dataset.backend.changed():
        now = {table: column for table, column in values.items() if table not in loaded}
        kept.cache.store_values(connection, kept.version_id, now)
    return attributes


def _dimension(
    workspace: Executor,
    attribute: EncodedColumn,
    dimension: ResolvedDimension,
    cells: NDArray[Any],
    language: str,
) -> tuple[LevelledDimension, NDArray[np.int64]]:
    """A dimension of the cells that occur, and the code of each cell at the finest level.

    Its leaves stand in the order of their labels from the top down, whatever order the source numbered them in.
    """
    levels = [level for level in dimension.levels if level > 0]
    by_class = [(attribute.level_column(level), attribute.label_column(level)) for level in levels]
    once = list(dict.fromkeys(name for pair in by_class for name in pair))
    table = pulled_table(workspace, Purpose.RECORDS, leaves_statement(attribute, once))
    if table is None or not len(cells):
        raise ValueError(f"no value of {attribute.column} was counted")
    occurs = frozenset(np.unique(cells).tolist())
    rows = [each for each in table.to_pylist() if each["cell"] in occurs]
    labels = {
        each["cell"]: tuple(
            _label(
                each["label"] if level == 0 else attribute.labels[level][each[attribute.label_column(level)]], language
            )
            for level in dimension.levels
        )
        for each in rows
    }
    paths = sorted(set(labels.values()), key=lambda path: path[::-1])
    made = dimension_of_levels(
        dimension.column,
        [[path[place] for path in paths] for place in range(len(dimension.levels))],
        total=STAR,
    )
    leaf_of = {path: made.places[0][number] for number, path in enumerate(paths)}
    leaf_of_cell = np.zeros(int(max(occurs)) + 1, dtype=np.int64)
    for cell, path in labels.items():
        leaf_of_cell[cell] = leaf_of[path]
    return made, leaf_of_cell


def _label(label: str | None, language: str) -> str:
    return MISSING[language] if label is None else label


def _amounts(
    workspace: Executor, open_request: OpenTables, place: int, counted: Sensitive
) -> tuple[NDArray[np.int64], Decimal]:
    """What each number of a value adds, in the unit of the column, and that unit.

    Raises InputError for floating-point numbers that are no whole number of a unit of six decimals.
    """
    held = as_number(open_request.resolved.amounts[place])
    columns = (held, NumericEncoding("cell", held.column, "code"))
    found = table_as_numbers(workspace, columns, counted.values, counted.different)
    values = np.empty(counted.different, dtype=found["key"].dtype)
    values[found["cell"]] = found["key"]
    if held.kind != "float":
        return values.astype(np.int64), Decimal(1).scaleb(-held.decimals)
    unit = unit_of_values(workspace, counted.values, "key", open_request.resolved.amounts[place].column_type)
    if unit is None:
        raise InputError(
            f"the column {quoted(held.column)} has values of more than six decimals, whose sums are not exact",
            where="cells",
            next_step="Cast it to a DECIMAL in a dataset query.",
        )
    return np.rint(values / float(unit)).astype(np.int64), unit
