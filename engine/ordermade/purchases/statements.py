"""The statements that pull purchases from the source and store them in whole numbers of units."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from ordermade import sql
from ordermade.measuring.attribute import Attribute
from ordermade.measuring.keys import as_key
from ordermade.purchases.units import Measure, in_units
from ordermade.release.columns import labels_table
from ordermade.release.plan import Plan, spread, without
from ordermade.requests.resolved_history import ResolvedColumn, ResolvedHistory
from ordermade.slices.numbers import Held

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


def held_columns(resolved: ResolvedHistory, measures: Sequence[Measure]) -> tuple[Held, ...]:
    """The columns of the purchases as they were pulled."""
    day, *numbers = (each.held for each in measures)
    customer = Held(CUSTOMER, resolved.customer.column, "value")
    return (customer, day, Held(ITEM, resolved.item.column, "value"), *numbers)


def customers_statement() -> exp.Select:
    """The statement that numbers the customers in rank order."""
    return sql.select("history/customers")


def customer_counts_statement() -> exp.Select:
    """The statement that counts the customers, and the purchases of the one who has most."""
    return sql.select("history/customer_counts")


def goods_statement(categories: Attribute | None) -> exp.Select:
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
    spread(tree, "bought.measured", [each.name for each in measures[1:]])
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
    return spread(sql.select("history/arrays"), "purchases.measured", [each.name for each in measures])


def _of_each(measures: Sequence[Measure], figures: Sequence[exp.Expr]) -> list[exp.Expr]:
    return [
        sql.named(sql.with_columns(figure.copy(), {"purchases.measured": each.name}), f"{each.name}_{figure.alias}")
        for each in measures
        for figure in figures
    ]


def _exactly(column: ResolvedColumn) -> exp.Expr:
    """A column as a key of its values' exact content."""
    return as_key(column.column, column.column_type)[0]
