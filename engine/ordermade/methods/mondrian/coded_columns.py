"""Pulled columns as codes of their values, and the splits of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from ordermade import sql
from ordermade.counting.counts import PERSONS, for_values, person
from ordermade.counting.encoding import EncodedColumn, for_attribute
from ordermade.counting.numeric_records import NumericEncoding, number_of, pulled_table
from ordermade.counting.record_tables import (
    ASSIGNED,
    GROUPS,
    MICRODATA,
    OWN,
    carried_columns,
    decided_with_kept,
    keys_join,
    leaves_statement,
    measured_column,
    of_keys,
)
from ordermade.counting.statements import Statement
from ordermade.methods.microaggregation.algorithm.columns import from_lowest
from ordermade.methods.mondrian.algorithm.domains import Codes, Nested, OrderedDomain, Shares, Unordered
from ordermade.methods.mondrian.open_request import Form, MondrianColumn, Numbers, PlannedColumn, Texts
from ordermade.release.plan import DECISIONS, PERSON, Plan, inner
from ordermade.release.suppress import Counted, failing_classes_statement, numbering_classes
from ordermade.sources.executor import Executor, Purpose

if TYPE_CHECKING:
    import pyarrow as pa


TARGET = "target"
TO_WRITE = "microdata_to_write"
"""The records whose values are to be written as texts: `place`, `record`."""


def held_columns(wanted: Sequence[PlannedColumn]) -> tuple[NumericEncoding, ...]:
    """The quasi-identifiers as the table of records has them."""
    return tuple(each.held(measured_column(place)) for place, each in enumerate(wanted))


def beside(plan: Plan, target: str | None) -> tuple[NumericEncoding, ...]:
    """The other columns to pull: the sensitive values and the person as numbers, the value of the target."""
    found = [NumericEncoding(each.cell_column, each.column, "code") for each in plan.sensitive]
    if plan.entity is not None:
        found.append(NumericEncoding(PERSON, plan.entity, "code"))
    if target is not None:
        found.append(NumericEncoding(TARGET, target, "value"))
    return tuple(found)


def pulled_statement(plan: Plan, wanted: Sequence[PlannedColumn], *, ordered: bool, target: str | None) -> exp.Select:
    """The statement, for the source, that gives the records; with `ordered` in the order of their own values."""
    tree = sql.select("mondrian/pulled")
    cell, measured, kept, of_person = tree.expressions
    to_keys, to_persons = tree.args["joins"]
    columns, joins = [], []
    for place, each in enumerate(wanted):
        name = measured_column(place)
        if each.held(name).kind == "code" and each.grounded is not None:
            columns.append(of_keys(cell, each.grounded.keys, "cell", name))
            joins.append(for_attribute(to_keys, each.grounded))
        else:
            columns.append(_of_dataset(measured, each.column, name))
    for sensitive in plan.sensitive:
        columns.append(of_keys(cell, sensitive.values, "cell", sensitive.cell_column))
        joins.append(for_values(to_keys, sensitive))
    columns += [_of_dataset(kept, column, inner(place)) for place, column in carried_columns(plan)]
    if target is not None:
        columns.append(_of_dataset(kept, target, TARGET))
    key = []
    if plan.entity is not None:
        columns.append(sql.named(of_person, PERSON))
        joins.append(sql.with_expressions(to_persons, {"dataset.id": person(plan.dataset)}))
        key.append(tree.args["order"].expressions[-1])
    tree.set("expressions", columns)
    tree.set("joins", joins)
    # The numbers of persons are arbitrary, so persons are ordered by their identifier.
    by_values = [exp.Ordered(this=each.unalias().copy()) for each in columns[: len(columns) - len(key)]]
    tree.set("order", exp.Order(expressions=[*by_values, *key]) if ordered else None)
    return sql.with_relations(tree, {"dataset": plan.dataset.relation, "persons": exp.to_table(PERSONS)})


def rows_statement() -> exp.Select:
    """The statement that counts the records."""
    return sql.with_relations(sql.select("dataset/row_count"), {"dataset": exp.to_table(MICRODATA)})


def listed_statement(name: str) -> exp.Select:
    """The statement that lists the values of a column of the records as texts, in their order."""
    return sql.with_columns(sql.select("mondrian/listed"), {"microdata.value": name})


def values_statement(wanted: PlannedColumn, columns: Sequence[str]) -> exp.Select:
    """The statement that lists the values of a hierarchy with some columns of its table of keys, in order.

    They are numbers, where the column holds numbers or dates, else texts.
    """
    if wanted.grounded is None:
        raise ValueError(f"{wanted.column} has no hierarchy")
    tree = leaves_statement(wanted.grounded, columns)
    counted = wanted.as_number("key")
    if counted is not None:
        value = number_of(exp.column("key", table="keys"), counted)
        tree.expressions[1].replace(sql.named(value, tree.expressions[1].alias))
    return tree


def written_statement(table: str, name: str, key: str) -> exp.Select:
    """The statement that selects a column's values, as texts, of the rows of a table that `TO_WRITE` has by a key."""
    tree = sql.with_columns(sql.select("mondrian/written"), {"microdata.measured": name, "microdata.rowid": key})
    return sql.with_relations(tree, {"asked": exp.to_table(TO_WRITE), MICRODATA: exp.to_table(table)})


def by_record(plan: Plan) -> bool:
    """Whether the release has a value for every record that its group does not share, or a pseudonym."""
    return bool(carried_columns(plan) or plan.entity)


def class_labels(plan: Plan, wanted: Sequence[PlannedColumn], forms: Sequence[Form], *, counted: bool) -> Statement:
    """The statement that becomes `DECISIONS`, once the classes are in `GROUPS` and `ASSIGNED`."""
    holds = f", {ASSIGNED}" if by_record(plan) and not counted else ""
    title = f"release, the labels of each class ({GROUPS}{holds} hold{'' if holds else 's'} the classes)"
    return Statement(title, False, DECISIONS, decided_statement(plan, wanted, forms, counted=counted))


def classes_together(plan: Plan) -> Iterator[Statement]:
    """The statements that number the classes of the same labels together, and the one that lists those that fail."""
    counted = replace(Counted.of(plan), table=DECISIONS)
    yield from numbering_classes(counted)
    failing = failing_classes_statement(counted, plan.k)
    yield Statement("release, classes that fail: there are none", False, None, failing)


def decided_statement(
    plan: Plan, wanted: Sequence[PlannedColumn], forms: Sequence[Form], *, counted: bool = False
) -> exp.Select:
    """The statement that selects the released values, by the contract of `release.plan`; `forms`: of each column.

    `counted`: whether the table `OWN` has the values that rows release for themselves, not those of the records.
    """
    kept = by_record(plan)
    tree = decided_with_kept(plan, persons=plan.entity is not None) if kept else sql.select("slices/decided")
    if kept and counted:
        own = tree.args["from_"].this
        own.replace(exp.Table(this=exp.to_identifier(OWN), alias=exp.TableAlias(this=exp.to_identifier(own.alias))))
    label, value, measured, *rest = tree.expressions
    *joins, to_keys = tree.args["joins"]
    columns = []
    for place, (each, form) in enumerate(zip(wanted, forms, strict=True)):
        name = measured_column(place)
        if form == "values" and each.grounded is not None:
            columns.append(of_keys(value, each.grounded.keys, "key", inner(place)))
            joins.append(keys_join(to_keys, each.grounded.keys, name))
        elif form == "numbers":
            columns.append(sql.named(_released_number(measured, each, name), inner(place)))
        else:
            columns.append(sql.named(sql.with_columns(label.copy(), {"part.label": name}), inner(place)))
    tree.set("expressions", [*columns, *_carried(plan, rest)])
    tree.set("joins", joins)
    return tree


def _carried(plan: Plan, rest: Sequence[exp.Expr]) -> Iterator[exp.Expr]:
    """The columns after the quasi-identifiers: that of the kept ones once for each, if it is there."""
    for each in rest:
        if each.alias_or_name != "kept":
            yield each
            continue
        for place, _ in carried_columns(plan):
            yield sql.named(sql.with_columns(each.copy(), {"own.kept": inner(place)}), inner(place))


def _released_number(measured: exp.Expr, wanted: PlannedColumn, name: str) -> exp.Expr:
    """A mean or a median: of dates a date, of numbers a DOUBLE."""
    filled = sql.with_columns(measured.copy(), {"part.measured": name})
    if wanted.ordered_as not in ("whole", "float"):
        filled.this.set("to", exp.DataType.build(wanted.column_type, dialect=sql.DIALECT))
    return filled


def _of_dataset(fragment: exp.Expr, column: str, name: str) -> exp.Expr:
    filled = sql.with_columns(fragment.copy(), {"dataset.measured": column, "dataset.kept": column})
    return sql.named(filled, name)


FEW = 8
"""Whole numbers within so many times as many places as there are records are numbered by counting, not by sorting."""


def coded(executor: Executor, wanted: PlannedColumn, pulled: NDArray[Any], texts: pa.Array | None) -> MondrianColumn:
    """A column of one record or more, of which `pulled` has the cells, the numbers, or the places among its `texts`."""
    if texts is not None:
        values = texts.to_numpy(zero_copy_only=False)
        return _plain(wanted, pulled, Unordered(values.size), values)
    if wanted.kind == "ordered":
        return _ordered(executor, wanted, pulled)
    leaves = _leaves(executor, wanted)
    leaves = _as_a_tree(leaves) if wanted.kind == "tree" else leaves
    domain = _nested(leaves, wanted) if wanted.kind == "nested" else _along(leaves)
    codes = leaves.codes_of(pulled)
    return MondrianColumn(
        wanted, codes, domain, leaves.values, leaves.null, leaves.classes, leaves.labels, leaves.cells
    )


def numbered(values: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    """The different values, ascending, and the number of each record's value among them."""
    if values.dtype != np.float64:
        lowest, span = int(values.min()), int(values.max()) - int(values.min())
        if span < FEW * values.size:
            places = values - lowest
            occurs = np.zeros(span + 1, dtype=np.bool_)
            occurs[places] = True
            codes: Codes = np.cumsum(occurs, dtype=np.int32)[places]
            codes -= 1
            return np.flatnonzero(occurs).astype(values.dtype) + lowest, codes
    found, inverse = np.unique(values, return_inverse=True)
    return found, inverse.astype(np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class _Leaves:
    """The values of a hierarchy by code: their cells, the values, and their classes with the labels."""

    attribute: EncodedColumn
    cells: Codes
    values: Numbers | Texts
    null: int | None
    classes: Codes
    labels: tuple[Texts, ...]
    called: Codes
    """level, code: the label of a class in the attribute's figures."""

    def codes_of(self, cells: NDArray[Any]) -> Codes:
        """The codes of records with these cells."""
        found = np.zeros(int(self.cells.max()) + 1, dtype=np.int32)
        found[self.cells] = np.arange(self.cells.size, dtype=np.int32)
        codes: Codes = found[cells]
        return codes


def _leaves(executor: Executor, wanted: PlannedColumn) -> _Leaves:
    attribute = wanted.grounded
    if attribute is None:
        raise ValueError(f"{wanted.column} has no hierarchy")
    top = attribute.hierarchy.top
    levels = [attribute.level_column(level) for level in range(top)]
    named = [attribute.label_column(level) for level in range(1, top)]
    once = list(dict.fromkeys([*levels, *named]))
    table = pulled_table(executor, Purpose.RECORDS, values_statement(wanted, once))
    if table is None:
        raise ValueError(f"no value of {wanted.column} was counted")
    cells, held = table["cell"].to_numpy().astype(np.int32), table["label"]
    called = np.array([table[each].to_numpy() for each in levels], dtype=np.int32).reshape(top, cells.size)
    classes = np.array([_by_first(each)[0] for each in called], dtype=np.int32).reshape(called.shape)
    labels: list[Texts] = [np.empty(0, dtype=np.object_)]
    for level in range(1, top):
        numbers = table[named[level - 1]].to_numpy()[_by_first(called[level])[1]]
        labels.append(np.array([attribute.labels[level][each] for each in numbers.tolist()], dtype=np.object_))
    missing = np.flatnonzero(held.is_null().to_numpy())
    values = held.to_numpy() if wanted.ordered_as is None else held.fill_null(0).to_numpy()
    return _Leaves(attribute, cells, values, int(missing[0]) if missing.size else None, classes, tuple(labels), called)


def _by_first(classes: NDArray[Any]) -> tuple[Codes, NDArray[np.intp]]:
    """Classes numbered in the order in which they first occur, and where each of them does."""
    _, first, inverse = np.unique(classes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(first.size, dtype=np.int32)
    rank[order] = np.arange(first.size, dtype=np.int32)
    return rank[inverse], first[order]


def _as_a_tree(leaves: _Leaves) -> _Leaves:
    """The values in the order of a tree: by their classes from the top down, then by their cells."""
    order = np.lexsort(leaves.classes)
    classes = np.empty_like(leaves.classes)
    labels = []
    for level, found in enumerate(leaves.classes[:, order]):
        classes[level], first = _by_first(found)
        labels.append(leaves.labels[level][found[first]] if level else leaves.labels[0])
    null = None if leaves.null is None else int(np.flatnonzero(order == leaves.null)[0])
    return _Leaves(
        leaves.attribute,
        leaves.cells[order],
        leaves.values[order],
        null,
        classes,
        tuple(labels),
        leaves.called[:, order],
    )


def _nested(leaves: _Leaves, wanted: PlannedColumn) -> Nested:
    values = np.zeros(int(leaves.classes[0].max()) + 1)
    widths = (_widths(leaves, level) for level in range(1, len(leaves.labels)))
    return Nested(leaves.classes, (values, *widths), wanted.finest)


def _widths(leaves: _Leaves, level: int) -> Shares:
    """The share of the domain that each class of a level covers, by the leaves that the hierarchy has under it."""
    attribute = leaves.attribute
    under = np.bincount(leaves.classes[level])  # of classes without a record
    counted = attribute.leaves[level]
    for number, called in enumerate(leaves.called[level][_by_first(leaves.classes[level])[1]].tolist()):
        under[number] = counted.get(called, under[number])
    others = (attribute.costs.domain_leaves or leaves.cells.size) - 1
    return (under - 1) / others if others > 0 else np.zeros(under.size)


def _along(leaves: _Leaves) -> OrderedDomain:
    """Each value one place further on than the one before."""
    span = (leaves.attribute.costs.domain_leaves or leaves.cells.size) - 1
    return OrderedDomain(np.arange(leaves.cells.size, dtype=np.float64), float(span))


def _ordered(executor: Executor, wanted: PlannedColumn, pulled: NDArray[Any]) -> MondrianColumn:
    values, codes = numbered(pulled)
    return _plain(wanted, codes, _axis(executor, wanted, values), values)


def _axis(executor: Executor, wanted: PlannedColumn, values: Numbers) -> OrderedDomain:
    """The place of each value: its own measure; with a hierarchy, its place among the values of that."""
    if wanted.grounded is None:
        places = from_lowest(values)[0]
        with np.errstate(over="ignore"):
            far = not np.isfinite(places[-1] - places[0])
        places = places / 4 if far else places
        return OrderedDomain(places, float(places[-1] - places[0]))
    if not wanted.grounded.hierarchy.enumerated:
        return OrderedDomain(np.arange(values.size, dtype=np.float64), float(values.size - 1))
    table = pulled_table(executor, Purpose.RECORDS, values_statement(wanted, ()))
    if table is None:
        raise ValueError(f"{wanted.column} has no value in its hierarchy")
    listed = np.sort(table["label"].drop_null().to_numpy())
    return OrderedDomain(np.searchsorted(listed, values).astype(np.float64), float(listed.size - 1))


def _plain(
    wanted: PlannedColumn, codes: Codes, domain: OrderedDomain | Unordered, values: Numbers | Texts
) -> MondrianColumn:
    return MondrianColumn(wanted, codes, domain, values, None, np.empty((0, values.size), dtype=np.int32), ())
