"""The purchases of a dataset: pulled out of the source once, in whole numbers of units."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from sqlglot import exp

from ordermade import sql
from ordermade.counting.coverage import encode_counted
from ordermade.counting.encoding import EncodedColumn, as_key
from ordermade.counting.numeric_records import NumericEncoding, missing_values, pulled, require_values
from ordermade.counting.record_tables import MICRODATA
from ordermade.counting.statements import Statement, carry_out
from ordermade.errors import InputError, quoted
from ordermade.methods.histories.algorithm.histories import HistoryArrays
from ordermade.methods.histories.units import (
    CLUSTERS,
    CUSTOMERS,
    GOODS,
    ITEMS,
    MATCHED,
    PURCHASES,
    Measure,
    in_units,
    measures_of,
    tried,
    uneven_statement,
    with_units,
)
from ordermade.release.plan import Plan, expand_columns, without
from ordermade.release.rows import labels_bound, labels_statement, labels_table
from ordermade.requests.resolve_history import ResolvedColumn, ResolvedHistory
from ordermade.sources.executor import Executor, Purpose

CUSTOMER = "customer"
ITEM = "item"
GOOD = "good"
"""The column of a purchase's good, if items are released instead of goods."""


def pulled_statement(plan: Plan, resolved: ResolvedHistory, measures: Sequence[Measure]) -> exp.Select:
    """The statement, for the source, that gives the purchases as they are."""
    tree = sql.select("history/pulled")
    sql.with_expressions(tree, {"dataset.id": _exactly(resolved.customer), "dataset.code": _exactly(resolved.item)})
    sql.with_columns(tree, {"dataset.bought": resolved.when.column})
    *columns, measured = tree.expressions
    pulled = tree.args["from_"].this.this
    *stored, as_stored = pulled.expressions
    for each in measures[1:]:
        columns.append(sql.named(sql.with_columns(measured.copy(), {"pulled.measured": each.name}), each.name))
        stored.append(sql.named(sql.with_columns(as_stored.copy(), {"dataset.measured": each.column}), each.name))
    tree.set("expressions", columns)
    pulled.set("expressions", stored)
    return sql.with_relations(tree, {"dataset": plan.dataset.relation})


def held_columns(resolved: ResolvedHistory, measures: Sequence[Measure]) -> tuple[NumericEncoding, ...]:
    """The columns of the purchases as they were pulled."""
    day, *numbers = (each.held for each in measures)
    customer = NumericEncoding(CUSTOMER, resolved.customer.column, "value")
    return (customer, day, NumericEncoding(ITEM, resolved.item.column, "value"), *numbers)


def customers_statement() -> exp.Select:
    """The statement that numbers the customers in rank order."""
    return sql.select("history/customers")


def customer_counts_statement() -> exp.Select:
    """The statement that counts the customers, and the purchases of the one who has most."""
    return sql.select("history/customer_counts")


def goods_statement(categories: EncodedColumn | None) -> exp.Select:
    """The statement that numbers the goods, with the items released for them: themselves, or `categories` of them."""
    tree = sql.select("history/goods")
    if categories is not None:
        return sql.with_relations(tree, {"labels": exp.to_table(labels_table(categories))})
    tree.set("joins", [])
    return sql.with_expressions(tree, {"labels.label": exp.column("key", table="listed")})


def items_statement() -> exp.Select:
    """The statement that lists the items released for goods."""
    return sql.select("history/items")


def purchases_statement(resolved: ResolvedHistory, measures: Sequence[Measure]) -> exp.Select:
    """The statement that gives the purchases in whole numbers of units, in the order in which they are matched.

    By rank: the numbers of `sort` from the greatest down, then the others, the day, the item. By date: the day, the
    numbers of `sort` from the greatest down, the item, the other numbers. So their order in the source reveals nothing.
    """
    tree = sql.select("history/purchases")
    by_customer, by_measured, by_day, by_item, by_good = tree.args["order"].expressions
    called = {each.column: each.name for each in measures[1:]}

    def descending(names: Sequence[str]) -> list[exp.Expr]:
        return [sql.with_columns(by_measured.copy(), {"bought.measured": called[name]}) for name in names]

    sorted_by = descending(resolved.sort)
    others = descending([name for name in called if name not in resolved.sort])
    ranked = [*sorted_by, *others, by_day, by_item]
    dated = [by_day, *sorted_by, by_item, *others]
    in_order = [by_customer, *(dated if resolved.match == "date" else ranked), by_good]
    expand_columns(tree, "bought.measured", [each.name for each in measures[1:]])
    tree.args["order"].set("expressions", in_order)
    bought = tree.args["from_"].this.this
    customer, day, *_, item, good = bought.expressions
    numbers = [sql.named(in_units(each), each.name) for each in measures[1:]]
    bought.set("expressions", [customer, day, *numbers, item, good])
    return tree if resolved.taxonomy is not None else without(tree, "bought.good")


def ranges_statement(measures: Sequence[Measure]) -> exp.Select:
    """The statement that counts the purchases; of each measure it gives the least, the greatest, and those below 0."""
    tree = sql.select("history/ranges")
    rows, *figures = tree.expressions
    tree.set("expressions", [rows, *_of_each(measures, figures)])
    return tree


def moments_statement(measures: Sequence[Measure]) -> exp.Select:
    """The statement that gives the exact sum of each measure in turn, and of its squares."""
    tree = sql.select("history/moments")
    tree.set("expressions", _of_each(measures, tree.expressions))
    return tree


def starts_statement() -> exp.Select:
    """The statement that gives where the purchases of each customer begin."""
    return sql.select("history/starts")


def arrays_statement(measures: Sequence[Measure]) -> exp.Select:
    """The statement that gives the purchases for arrays: their measures, and the items from 0."""
    return expand_columns(sql.select("history/arrays"), "purchases.measured", [each.name for each in measures])


def _of_each(measures: Sequence[Measure], figures: Sequence[exp.Expr]) -> list[exp.Expr]:
    return [
        sql.named(sql.with_columns(figure.copy(), {"purchases.measured": each.name}), f"{each.name}_{figure.alias}")
        for each in measures
        for figure in figures
    ]


def _exactly(column: ResolvedColumn) -> exp.Expr:
    """A column as a key of its values' exact content."""
    return as_key(column.column, column.column_type)[0]


@dataclass(frozen=True, slots=True)
class Pulling:
    """The statements that pull the purchases, in order: kept as `MICRODATA`, values missing, and no whole units."""

    pulled: Statement
    missing: tuple[Statement, ...]
    uneven: tuple[Statement, ...]

    @classmethod
    def of(cls, plan: Plan, resolved: ResolvedHistory) -> Pulling:
        """The statements of a request."""
        measures = measures_of(resolved)
        pulled, tested = pulled_statement(plan, resolved, measures), tried(measures, resolved)
        title = "numbers that are no whole number of units"
        return cls(
            Statement("the purchases", True, MICRODATA, pulled, part="pulled"),
            tuple(missing_values("purchases without a value", held_columns(resolved, measures))),
            (Statement(title, False, None, uneven_statement(tested)),) if tested else (),
        )

    def __iter__(self) -> Iterator[Statement]:
        """Each of them."""
        yield self.pulled
        yield from self.missing
        yield from self.uneven


@dataclass(frozen=True, slots=True)
class InUnits:
    """The statements that bring the pulled purchases into whole numbers of units, and what their numbers come to."""

    tables: tuple[Statement, ...]
    ranges: Statement
    moments: Statement

    @classmethod
    def of(cls, resolved: ResolvedHistory, measures: Sequence[Measure], categories: EncodedColumn | None) -> InUnits:
        """The statements of a request; `categories`: of the items, where they are released for goods."""
        title = "the purchases in whole numbers of units, customer by customer"
        return cls(
            (
                Statement("the customers, by their number of purchases", False, CUSTOMERS, customers_statement()),
                Statement("the goods", False, GOODS, goods_statement(categories)),
                Statement("the items released for goods", False, ITEMS, items_statement()),
                Statement(title, False, PURCHASES, purchases_statement(resolved, measures)),
            ),
            Statement("the ranges of the numbers", False, None, ranges_statement(measures)),
            Statement("the sums for standard deviations", False, None, moments_statement(measures)),
        )

    def __iter__(self) -> Iterator[Statement]:
        """Each of them."""
        yield from self.tables
        yield self.ranges
        yield self.moments


def made_outside(resolved: ResolvedHistory) -> tuple[str, ...]:
    """The tables made outside the database: where similar customers are clustered, or purchases are matched."""
    clusters = (CLUSTERS,) if resolved.cluster == "similar" else ()
    return (*clusters, MATCHED) if resolved.match == "optimal" else clusters


def as_arrays(resolved: ResolvedHistory, measures: Sequence[Measure]) -> Statement:
    """The statement that gives the purchases as arrays, for what is made outside the database."""
    title = (
        f"the purchases as arrays, out of which {' and '.join(made_outside(resolved))} are made outside the database"
    )
    return Statement(title, False, None, arrays_statement(measures))


def item_labels(categories: EncodedColumn, level: int) -> Statement:
    """The statement that keeps the category of each item, whose parameters are the labels of a level."""
    tree = labels_statement(categories, level)
    return Statement("the category of each item", False, labels_table(categories), tree)


LARGEST_SUM = 2**122
"""The largest sum of squares: even some times as much fits into whole numbers of 16 bytes."""


@dataclass(frozen=True, slots=True, eq=False)
class Purchases:
    """Every purchase of the dataset, in the tables PURCHASES, CUSTOMERS, GOODS and ITEMS of the workspace.

    Attributes:
        plan: the columns to release; its aggregated columns are the day, the item and the numbers.
        resolved: the request.
        rows: the number of purchases.
        customers: the number of customers.
        measures: the day and the numbers, in order, with their units.
        sds: the population standard deviation of each measure over all purchases, in units.
        negatives: of each measure, the purchases with a number below 0.
        most: the purchases of the customer who has most.
    """

    plan: Plan
    resolved: ResolvedHistory
    rows: int
    customers: int
    measures: tuple[Measure, ...]
    sds: tuple[float, ...]
    negatives: tuple[int, ...]
    most: int

    @classmethod
    def stored(cls, plan: Plan, resolved: ResolvedHistory) -> Purchases:
        """The purchases, kept in the workspace: one statement in the source, and one more for the items of a taxonomy.

        Raises InputError, with counts only, for purchases without a value in a column, for numbers that are no whole
        number of units or lie too far apart; HierarchyError where the taxonomy leaves out
        an item; SourceFault.
        """
        workspace = plan.dataset.backend.workspace
        categories = categories_of(plan, resolved)
        pulling = Pulling.of(plan, resolved)
        carry_out(plan.dataset.backend, Purpose.RECORDS, [pulling.pulled])
        held = held_columns(resolved, measures_of(resolved))
        require_values(workspace, pulling.missing, held, "history", plan.dataset.least_k)
        measures = with_units(workspace, resolved, pulling.uneven, plan.dataset.least_k)
        counted = InUnits.of(resolved, measures, categories)
        carry_out(plan.dataset.backend, Purpose.RECORDS, counted.tables)
        workspace.let_go(MICRODATA)
        rows, *ranges = workspace.rows(Purpose.RECORDS, counted.ranges.tree)[0]
        customers, most = workspace.rows(Purpose.RECORDS, customer_counts_statement())[0]
        negatives = tuple(int(each) for each in ranges[2::3])
        if rows:
            _require_near(measures, ranges, rows)
        return cls(plan, resolved, rows, customers, measures, _sds(workspace, counted.moments, rows), negatives, most)

    @property
    def good_column(self) -> str:
        """The column of PURCHASES with the number of the good in GOODS."""
        return ITEM if self.resolved.taxonomy is None else GOOD

    def histories(self) -> HistoryArrays:
        """The purchases as arrays, in the order of PURCHASES. Raises SourceFault."""
        workspace = self.plan.dataset.backend.workspace
        measured = [NumericEncoding(each.name, each.column, "float") for each in self.measures]
        held = [*measured, NumericEncoding(ITEM, self.resolved.item.column, "code")]
        arrays = as_arrays(self.resolved, self.measures).tree
        *columns, items = pulled(workspace, arrays, held, self.rows)
        numbers = np.empty((self.rows, len(columns)))
        for place in reversed(range(len(columns))):
            numbers[:, place] = columns.pop()
        begin = NumericEncoding("start", self.resolved.customer.column, "whole")
        (starts,) = pulled(workspace, starts_statement(), [begin], self.customers)
        return HistoryArrays(np.append(starts, self.rows), numbers, items, np.array(self.sds))


def categories_of(plan: Plan, resolved: ResolvedHistory) -> EncodedColumn | None:
    """The column of items with its taxonomy, as `encode_counted` makes it countable; None where items are released.

    Stores the released label of each item in the workspace.
    """
    taxonomy = resolved.taxonomy
    if taxonomy is None:
        return None
    found = encode_counted(plan.dataset, 1, resolved.item.column, taxonomy.hierarchy, 0)
    bound = labels_bound(found, taxonomy.level)
    item_labels(found, taxonomy.level).keep(plan.dataset.backend.workspace, Purpose.RECORDS, bound)
    return found


def _require_near(measures: Sequence[Measure], ranges: Sequence[int], rows: int) -> None:
    """Raises InputError where the squares of a column could not be summed exactly."""
    for each, low, high in zip(measures, ranges[0::3], ranges[1::3], strict=True):
        if max(abs(low), abs(high)) ** 2 * rows > LARGEST_SUM:
            raise InputError(
                f"the column {quoted(each.column)} has numbers too large to be summed exactly",
                where=f"history.numbers: {each.column}",
                next_step="Leave the largest out with `where`, or cast the column to DOUBLE in a dataset query and "
                "write a larger unit.",
            )


def _sds(executor: Executor, moments: Statement, rows: int) -> tuple[float, ...]:
    """The population standard deviation of each measure, out of exact sums; 0 without a row."""
    sums = iter(executor.rows(Purpose.RECORDS, moments.tree)[0])
    squares = [(int(total), int(square)) for total, square in zip(sums, sums, strict=True)]
    return tuple(math.sqrt(Fraction(rows * square - total**2, max(rows, 1) ** 2)) for total, square in squares)
