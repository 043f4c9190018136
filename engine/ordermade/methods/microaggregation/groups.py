"""The groups of the records of a request, and their aggregates as the table `DECIDED`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ordermade.counting.encoding import EncodedColumn as Grounded
from ordermade.counting.record_tables import ASSIGNED, GROUPS, carried_columns, leaves_statement, measured_column
from ordermade.hierarchies.hierarchy import STAR
from ordermade.methods.microaggregation.algorithm.aggregates import (
    Released,
    ReleasedClasses,
    ReleasedNumbers,
    released_classes,
    released_loss,
    released_numbers,
)
from ordermade.methods.microaggregation.algorithm.columns import Categorical, Numeric, euclidean
from ordermade.methods.microaggregation.algorithm.grouping import grouped
from ordermade.methods.microaggregation.algorithm.groups import Groups, groups_of
from ordermade.methods.microaggregation.algorithm.methods import NumberAggregate, Rounding
from ordermade.methods.microaggregation.open_request import Aggregated, OpenMicroaggregation
from ordermade.methods.microaggregation.records import PulledRecords, group_values, within
from ordermade.methods.microaggregation.result import GroupedRecords
from ordermade.methods.shared.open_request import RunContext
from ordermade.privacy.least_k import in_words, too_few
from ordermade.sources.executor import Executor, Purpose, arrow

if TYPE_CHECKING:
    import pyarrow as pa


def released(
    records: PulledRecords, groups: Groups, aggregate: NumberAggregate = "mean", rounding: Rounding = "keep"
) -> tuple[Released, ...]:
    """The released values of every group, one entry for each aggregated column in order.

    Numbers are in the units that records count (`Aggregated.units`). With `rounding` `integer` they are whole in the
    column's own unit.
    """
    found: list[Released] = []
    for column, attribute in zip(records.aggregated, records.attributes, strict=True):
        if isinstance(attribute, Categorical):
            found.append(released_classes(attribute, groups, column.aggregate))
        else:
            found.append(released_numbers(attribute, groups, aggregate, rounding, units=column.units))
    return tuple(found)


def decide(records: PulledRecords, groups: Groups, given: Sequence[Released], rounding: Rounding = "keep") -> None:
    """Store the released values of the groups in the workspace, as `DECIDED`, by the contract of `release.plan`.

    `given`: the result of `released` with this `rounding`.
    """
    plan, workspace = records.plan, records.plan.dataset.backend.workspace
    workspace.take(Purpose.RELEASE, GROUPS, _groups_table(records, groups, given))
    if carried_columns(plan):
        numbered = {"record": np.arange(records.rows, dtype=np.int32), "number": groups.labels}
        workspace.take(Purpose.RELEASE, ASSIGNED, arrow().table(numbered))
    group_values(plan, records.aggregated, rounding).keep(workspace, Purpose.RELEASE)
    workspace.let_go(ASSIGNED, GROUPS)


def _groups_table(records: PulledRecords, groups: Groups, given: Sequence[Released]) -> pa.Table:
    """One row a group: its number, its records, its classes of `within`, and its released values."""
    workspace = records.plan.dataset.backend.workspace
    columns: dict[str, Any] = {"number": np.arange(groups.count, dtype=np.int32), "n": groups.sizes}
    class_of_group = np.searchsorted(np.cumsum(records.sizes), groups.order[groups.starts], side="right")
    for place, each in enumerate(within(records.plan)):
        numbers = [at[place] for at in records.classes]
        if each.level > 0:
            texts = each.attribute.labels[each.level]
            shown = arrow().array([texts[number] for number in numbers], arrow().string())
            columns[each.name] = shown.take(arrow().array(class_of_group))
        else:
            columns[each.name] = np.array(numbers, dtype=np.int32)[class_of_group]
    for place, (column, one) in enumerate(zip(records.aggregated, given, strict=True)):
        columns[measured_column(place)] = _shown(workspace, column, one)
    return arrow().table(columns)


def _shown(workspace: Executor, column: Aggregated, given: Released) -> Any:
    """The released values of one column, one a group: numbers, cells of its hierarchy, or texts."""
    if isinstance(given, ReleasedNumbers):
        if given.values.dtype == np.int64:
            return given.values // column.units
        return given.values / column.units + 0.0  # no -0.0, which is another text than 0.0
    if column.grounded is None:
        raise ValueError(f"{column.column} has no hierarchy whose classes could be released")
    shown = _cells if given.aggregate == "mode" else _texts
    return shown(workspace, column.grounded, given)


def _cells(workspace: Executor, grounded: Grounded, given: ReleasedClasses) -> NDArray[Any]:
    leaves = workspace.rows(Purpose.RELEASE, leaves_statement(grounded, ()))
    return np.array([row[0] for row in leaves], dtype=np.int32)[given.leaves]


def _texts(workspace: Executor, grounded: Grounded, given: ReleasedClasses) -> Any:
    """The label of the class that holds a leaf at a level, for each group."""
    top = grounded.hierarchy.top
    leaves = workspace.rows(
        Purpose.RELEASE, leaves_statement(grounded, [grounded.label_column(level) for level in range(1, top)])
    )
    pairs, of_group = np.unique(np.stack([given.leaves, given.levels]), axis=1, return_inverse=True)
    texts = []
    for leaf, level in pairs.T.tolist():
        _, own, *classes = leaves[leaf]
        texts.append(STAR if level == top else own if level == 0 else grounded.labels[level][classes[level - 1]])
    return arrow().array(texts, arrow().string()).take(arrow().array(of_group))


def none_can_be(open_request: OpenMicroaggregation, records: PulledRecords) -> str | None:
    """The reason, in a refusal's words, why no groups can have k records; None where they can."""
    return too_few(open_request.request.k, records.rows) or _small_classes(open_request, records)


def grouped_records(open_request: OpenMicroaggregation, records: PulledRecords, context: RunContext) -> GroupedRecords:
    """The groups of the records, and their released values."""
    wants = open_request.request.microaggregation
    table = euclidean(records.attributes, standardise=wants.standardise).table
    found = grouped(
        table,
        open_request.request.k,
        wants.options,
        classes=records.sizes,
        numeric=all(isinstance(each, Numeric) for each in records.attributes),
        threads=context.limits.threads,
        progress=context.progress.records_left,
    )
    groups = groups_of(found.labels, records.rows)
    given = released(records, groups, wants.aggregate, wants.round)
    lost = released_loss(records.attributes, given, groups, standardise=wants.standardise)
    return GroupedRecords(records, found, groups, given, lost)


def _small_classes(open_request: OpenMicroaggregation, records: PulledRecords) -> str | None:
    """The reason for a refusal where a class of `within` has fewer rows than k."""
    k = open_request.request.k
    below = records.classes_below(k)
    if not below:
        return None
    words = partial(in_words, least_k=open_request.dataset.least_k)
    rows = sum(size for size in records.sizes if size < k)
    columns = ", ".join(each.column for each in open_request.resolved.within)
    return (
        f"{words(below)} of the {words(len(records.sizes))} classes of {columns} have fewer than {k} rows "
        f"({words(rows)} in all), so that no group inside them can have k"
    )
