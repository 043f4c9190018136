"""The records as the combinations of a dataset, each with its rows: counted in the source once, or from the cache."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from ordermade import sql
from ordermade.counting.counts import NARROW, Sensitive, length, number_values
from ordermade.counting.dataset import Dataset
from ordermade.counting.frequency_set import narrow
from ordermade.counting.numeric_records import NumericEncoding, numbers_statement, pulled, pulled_table, require_values
from ordermade.counting.record_tables import MICRODATA
from ordermade.methods.mondrian.coded_columns import coded, listed_statement, numbered
from ordermade.methods.mondrian.combination import (
    Combination,
    by_cells,
    combination_of,
    is_counted,
    missing_of,
    numbers_of,
    pulled_columns,
)
from ordermade.methods.mondrian.open_request import MondrianColumn, PlannedColumn
from ordermade.methods.mondrian.records import MondrianRecords, StoredValues, require_labels, sensitive_codes
from ordermade.methods.shared.usable_cache import UsableCache
from ordermade.release.plan import PERSON, Plan
from ordermade.sources.executor import Executor, Purpose


def records_of(
    plan: Plan,
    wanted: Sequence[PlannedColumn],
    *,
    strict: bool,
    target: str | None = None,
    kept: UsableCache | None = None,
) -> MondrianRecords:
    """The records of a request: combinations with their rows, or rows where equal ones may be parted.

    `kept`: the cache that may have the combinations. Raises as `MondrianRecords.stored`.
    """
    if is_counted(wanted, strict=strict):
        return counted(plan, wanted, target=target, kept=kept)
    return MondrianRecords.stored(plan, wanted, ordered=not strict, target=target)


def counted(
    plan: Plan, wanted: Sequence[PlannedColumn], *, target: str | None = None, kept: UsableCache | None = None
) -> MondrianRecords:
    """The combinations as records: the frequency set `NARROW`, from the cache or counted in the source.

    In the source a statement for the values of each column that goes by them, and one for the combinations. Persons
    have been counted before. `wanted`, `target` and the errors are those of `MondrianRecords.stored`.
    """
    dataset, workspace = plan.dataset, plan.dataset.backend.workspace
    require_labels(workspace, wanted)
    outlined = combination_of(plan, wanted, target)
    rows = replace(dataset, entity=None)
    combination = replace(outlined, values=tuple(number_values(rows, each) for each in outlined.values))
    numbers = combination.numbers
    for each in wanted:
        if not by_cells(each):
            missing = tuple(missing_of(each, combination))
            require_values(workspace, missing, (each.held("key"),), "quasi_identifiers", dataset.least_k)
    _count(dataset, combination, kept)
    found = _pulled(workspace, combination)
    weights = found.pop("n")
    if weights.size == 0:
        return MondrianRecords(plan, 0, (), np.empty((0, len(wanted)), dtype=np.int32))
    codes = np.empty((weights.size, len(wanted)), dtype=np.int32)
    columns, standings = [], []
    for place, each in enumerate(wanted):
        cells = found[combination.cells(each)]
        if by_cells(each):
            one, standing = coded(workspace, each, cells, None), None
            codes[:, place] = one.codes
        else:
            one, standing = _valued(workspace, each, numbers[each.column])
            codes[:, place] = one.codes[cells]
        columns.append(replace(one, codes=codes[:, place]))
        standings.append(standing)
    persons = None if plan.entity is None else numbered(found[PERSON])[1]
    aimed = None if target is None else found[numbers[target].cell_column]
    return MondrianRecords(
        plan,
        int(weights.sum()),
        tuple(columns),
        codes,
        tuple(sensitive_codes(workspace, each, found[each.cell_column], persons) for each in plan.sensitive),
        persons,
        aimed,
        0 if aimed is None else int(aimed.max()) + 1,
        weights,
        tuple(standings),
        combination,
    )


def _count(dataset: Dataset, combination: Combination, kept: UsableCache | None) -> None:
    """Bring the frequency set in; a column that is in it twice makes it one that the cache does not know."""
    wanted = combination.cached_columns
    if kept is None or len({each.column for each in wanted}) < len(wanted):
        narrow(dataset, combination.attributes, None, None, 0, 0, combination.counting)
        return
    cached = kept.cache.find(kept.version_id, wanted)
    attributes, counting = combination.attributes, combination.counting
    narrow(dataset, attributes, kept.cache, cached, kept.version_id, kept.rows, counting)


def _pulled(workspace: Executor, combination: Combination) -> dict[str, NDArray[Any]]:
    held = pulled_columns(combination)
    arrays = pulled(workspace, numbers_of(combination), held, length(workspace, NARROW))
    return dict(zip((each.name for each in held), arrays, strict=True))


def _valued(workspace: Executor, wanted: PlannedColumn, values: Sensitive) -> tuple[MondrianColumn, StoredValues]:
    """A column of which `codes` has the code of each number of a value, and where its values stand as written."""
    held, relation = (wanted.held("key"), NumericEncoding("cell", wanted.column, "code")), exp.to_table(values.values)
    texts = {}
    if held[0].kind == "value":
        listed = sql.with_relations(listed_statement("key"), {MICRODATA: relation})
        table = pulled_table(workspace, Purpose.RECORDS, listed)
        texts["key"] = None if table is None else table["label"].combine_chunks()
    statement = sql.with_relations(numbers_statement(held), {MICRODATA: relation})
    keys, cells = pulled(workspace, statement, held, values.different, texts)
    by_cell = np.empty_like(keys)
    by_cell[cells] = keys
    column = coded(workspace, wanted, by_cell, texts.get("key"))
    cell_of = np.empty(column.values.size, dtype=np.int64)
    cell_of[column.codes] = np.arange(column.codes.size)
    return column, StoredValues(values.values, "key", "cell", cell_of)
