"""The records to group: pulled out of the source once, class by class, in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from ordermade import sql
from ordermade.counting.encoding import EncodedColumn as Grounded
from ordermade.counting.encoding import for_attribute
from ordermade.counting.numeric_records import (
    NumericEncoding,
    missing_values,
    numbers_statement,
    pulled,
    require_values,
)
from ordermade.counting.record_tables import (
    ASSIGNED,
    GROUPS,
    MICRODATA,
    carried_columns,
    decided_with_kept,
    keys_join,
    leaves_statement,
    measured_column,
    of_keys,
)
from ordermade.counting.statements import Statement, carry_out
from ordermade.hierarchies.hierarchy import STAR
from ordermade.methods.microaggregation.algorithm.columns import Attribute, Categorical, Codes, Numeric
from ordermade.methods.microaggregation.open_request import Aggregated
from ordermade.release.plan import DECISIONS, Plan, expand_columns, inner
from ordermade.sources.executor import Purpose

if TYPE_CHECKING:
    from ordermade.methods.microaggregation.algorithm.methods import Rounding


def class_column(place: int) -> str:
    """The column of a record's class in a column of `within`."""
    return f"w{place + 1}"


@dataclass(frozen=True, slots=True)
class EnclosingColumn:
    """A column inside whose classes records are grouped: the one of a plan's number `place`, at a level below `*`."""

    place: int
    attribute: Grounded
    level: int

    @property
    def of_keys(self) -> str:
        """The column of its table of keys that holds the class."""
        return self.attribute.level_column(0) if self.level == 0 else self.attribute.label_column(self.level)

    @property
    def name(self) -> str:
        """Its column in the tables of records and of groups."""
        return class_column(self.place)


def within(plan: Plan) -> tuple[EnclosingColumn, ...]:
    """The columns that divide the records into classes: at `*` there is but one."""
    levels = zip(plan.attributes, plan.node, strict=True)
    found = (EnclosingColumn(place, attribute, level) for place, (attribute, level) in enumerate(levels))
    return tuple(each for each in found if each.level < each.attribute.hierarchy.top)


def held_columns(aggregated: Sequence[Aggregated]) -> tuple[NumericEncoding, ...]:
    """The aggregated columns as the table of records has them."""
    return tuple(each.held(measured_column(place)) for place, each in enumerate(aggregated))


def pulled_statement(plan: Plan, aggregated: Sequence[Aggregated]) -> exp.Select:
    """The statement, for the source, that gives the records in the order of their own values."""
    tree = sql.select("microdata/pulled")
    level, measured, kept = tree.expressions
    join = tree.args["joins"][0]
    by_level, by_measured, by_kept = tree.args["order"].expressions
    columns, order = [], []
    for each in within(plan):
        columns.append(of_keys(level, each.attribute.keys, each.of_keys, each.name))
        order.append(of_keys(by_level, each.attribute.keys, each.of_keys))
    for place, attribute in enumerate(aggregated):
        name = measured_column(place)
        if attribute.grounded is not None:
            columns.append(of_keys(level, attribute.grounded.keys, "cell", name))
            order.append(of_keys(by_level, attribute.grounded.keys, "cell"))
        else:
            columns.append(sql.named(sql.with_columns(measured.copy(), {"dataset.measured": attribute.column}), name))
            order.append(sql.with_columns(by_measured.copy(), {"dataset.measured": attribute.column}))
    for place, column in carried_columns(plan):
        columns.append(sql.named(sql.with_columns(kept.copy(), {"dataset.kept": column}), inner(place)))
        order.append(sql.with_columns(by_kept.copy(), {"dataset.kept": column}))
    joined = [each.attribute for each in within(plan)]
    joined += [each.grounded for each in aggregated if each.grounded is not None]
    tree.set("expressions", columns)
    tree.set("joins", [for_attribute(join, each) for each in joined])
    tree.args["order"].set("expressions", order)
    return sql.with_relations(tree, {"dataset": plan.dataset.relation})


def classes_statement(plan: Plan) -> exp.Select:
    """The statement that lists the classes inside which records are grouped, in the order of the records."""
    names = [each.name for each in within(plan)]
    tree = expand_columns(sql.select("microdata/classes"), "microdata.level", names)
    if not names:
        tree.set("order", None)
    return tree


def decided_statement(plan: Plan, aggregated: Sequence[Aggregated], rounding: Rounding) -> exp.Select:
    """The statement that selects the released values, by the contract of `release.plan`."""
    kept_too = carried_columns(plan)
    tree = decided_with_kept(plan, persons=False) if kept_too else sql.select("slices/decided")
    label, value, measured, *kept, n, suppressed = tree.expressions
    *joins, to_keys = tree.args["joins"]
    columns = [
        *(_generalised(plan, place, label, value) for place in range(len(plan.attributes))),
        *(_shared(each, place, rounding, label, value, measured) for place, each in enumerate(aggregated)),
        *(sql.with_columns(each.copy(), {"own.kept": inner(at)}) for at, _ in carried_columns(plan) for each in kept),
    ]
    of_values = [(each.attribute, each.name) for each in within(plan) if each.level == 0]
    of_values += [
        (each.grounded, measured_column(place))
        for place, each in enumerate(aggregated)
        if each.grounded is not None and each.aggregate == "mode"
    ]
    named = [sql.named(column, inner(place)) for place, column in enumerate(columns)]
    tree.set("expressions", [*named, n, suppressed])
    tree.set("joins", [*joins, *(keys_join(to_keys, attribute.keys, name) for attribute, name in of_values)])
    return tree


def group_values(plan: Plan, aggregated: Sequence[Aggregated], rounding: Rounding) -> Statement:
    """The statement that becomes `DECISIONS`, once the groups are in `GROUPS` and `ASSIGNED`."""
    title = f"release, the shared values of each group ({GROUPS}{f', {ASSIGNED}' if plan.kept else ''} hold the groups)"
    return Statement(title, False, DECISIONS, decided_statement(plan, aggregated, rounding))


def _generalised(plan: Plan, place: int, label: exp.Expr, value: exp.Expr) -> exp.Expr:
    """The released expression of a column of `within`: the value that its class is, the class's label, or `*`."""
    attribute, level = plan.attributes[place], plan.node[place]
    if level == attribute.hierarchy.top:
        return exp.Literal.string(STAR)
    if level == 0:
        return of_keys(value, attribute.keys, "key")
    return sql.with_columns(label.copy(), {"part.label": class_column(place)})


def _shared(
    column: Aggregated, place: int, rounding: Rounding, label: exp.Expr, value: exp.Expr, measured: exp.Expr
) -> exp.Expr:
    """The released expression of an aggregated column: a number, a value of its hierarchy, or a label."""
    name = measured_column(place)
    if column.grounded is None:
        filled = sql.with_columns(measured.copy(), {"part.measured": name})
        filled.this.set("to", exp.DataType.build(column.released_type(rounding), dialect=sql.DIALECT))
        return filled
    if column.aggregate == "mode":
        return of_keys(value, column.grounded.keys, "key")
    return sql.with_columns(label.copy(), {"part.label": name})


@dataclass(frozen=True, slots=True)
class RecordStatements:
    """The statements that give the records of a request, in order."""

    records: Statement
    """The records, kept as `MICRODATA`."""
    missing: tuple[Statement, ...]
    """The values that are no numbers."""
    classes: Statement
    """The classes that groups are within."""
    numbers: Statement
    """The records as numbers."""

    def __iter__(self) -> Iterator[Statement]:
        """Each of them."""
        yield self.records
        yield from self.missing
        yield self.classes
        yield self.numbers


def record_statements(plan: Plan, aggregated: Sequence[Aggregated]) -> RecordStatements:
    """The statements that give the records of a request."""
    held = held_columns(aggregated)
    records, numbers = pulled_statement(plan, aggregated), numbers_statement(held)
    return RecordStatements(
        Statement("the records, in the order of their values", True, MICRODATA, records),
        tuple(missing_values("values that are no numbers", held)),
        Statement("the classes that groups are within", False, None, classes_statement(plan)),
        Statement("the records as numbers, to be grouped", False, None, numbers),
    )


@dataclass(frozen=True, slots=True, eq=False)
class PulledRecords:
    """Every record of the dataset, by number, in the order of its class, its attributes and its kept columns.

    `attributes`: the aggregated columns as numbers, in order (none where there is no record). `classes`: of each class
    of `within`, in order, the class in each of the plan's columns that divide the records; `sizes`: its records.
    Without `within` there is one class.
    """

    plan: Plan
    aggregated: tuple[Aggregated, ...]
    attributes: tuple[Attribute, ...]
    classes: tuple[tuple[int, ...], ...]
    sizes: tuple[int, ...]

    @classmethod
    def stored(cls, plan: Plan, aggregated: Sequence[Aggregated], *, standardise: bool = True) -> PulledRecords:
        """The records, kept in the workspace on the way as the table `MICRODATA`: one statement in the source.

        `plan.attributes` at `plan.node` are the columns inside whose classes records are grouped. Without `standardise`
        distances are in the columns' own units. Raises InputError, with counts only, for records without a number in a
        column.
        """
        backend, statements = plan.dataset.backend, record_statements(plan, aggregated)
        carry_out(backend, Purpose.RECORDS, [statements.records])
        held = held_columns(aggregated)
        require_values(backend.workspace, statements.missing, held, "attributes", plan.dataset.least_k)
        found = [tuple(map(int, row)) for row in backend.workspace.rows(Purpose.RECORDS, statements.classes.tree)]
        sizes = tuple(size for *_, size in found)
        classes = tuple(tuple(at) for *at, _ in found)
        attributes: tuple[Attribute, ...] = ()
        if sum(sizes):
            columns = pulled(backend.workspace, statements.numbers.tree, held, sum(sizes))
            attributes = tuple(
                _attribute(plan, each, column, standardise=standardise)
                for each, column in zip(aggregated, columns, strict=True)
            )
        return cls(plan, tuple(aggregated), attributes, classes, sizes)

    @property
    def rows(self) -> int:
        """The number of records."""
        return sum(self.sizes)

    def classes_below(self, k: int) -> int:
        """The number of classes with fewer records than k."""
        return sum(size < k for size in self.sizes)


def _attribute(plan: Plan, attribute: Aggregated, column: NDArray[Any], *, standardise: bool) -> Attribute:
    if attribute.grounded is None:
        # Units of the last digit are smaller than the column's own; distances are squared.
        weight = attribute.weight if standardise else attribute.weight / attribute.units**2
        return Numeric(column, weight)
    cells, ancestors = _ancestors(plan, attribute.grounded)
    return Categorical(np.searchsorted(cells, column).astype(np.int32), ancestors, attribute.weight)


def _ancestors(plan: Plan, grounded: Grounded) -> tuple[Codes, Codes]:
    """The cells of a hierarchy in order, and of each its class at each level below `*`."""
    levels = [grounded.level_column(level) for level in range(1, grounded.hierarchy.top)]
    statement = leaves_statement(grounded, levels)
    found = plan.dataset.backend.workspace.rows(Purpose.RECORDS, statement)
    cells: Codes = np.array([row[0] for row in found], dtype=np.int32)
    classes: Codes = np.array([row[2:] for row in found], dtype=np.int32).reshape(cells.size, len(levels))
    return cells, np.column_stack([cells, classes])
