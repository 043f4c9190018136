"""The statements that pull the records whose groups are sought, and that decide what is released for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from ordermade import sql
from ordermade.hierarchies.hierarchy import STAR
from ordermade.measuring.attribute import Attribute, for_attribute
from ordermade.microdata.aggregated import Aggregated
from ordermade.release.plan import Plan, inner, spread

if TYPE_CHECKING:
    from ordermade.microaggregation.options import Rounding

MICRODATA = "microdata"
GROUPS = "microdata_groups"
ASSIGNED = "microdata_assigned"


def class_column(place: int) -> str:
    """The column of a record's class in a column of `within`."""
    return f"w{place + 1}"


def measured_column(place: int) -> str:
    """The column of what a record has of an attribute."""
    return f"a{place + 1}"


@dataclass(frozen=True, slots=True)
class Within:
    """A column inside whose classes records are grouped: the one of a plan's number `place`, at a level below `*`."""

    place: int
    attribute: Attribute
    level: int

    @property
    def of_keys(self) -> str:
        """The column of its table of keys that tells the class."""
        return self.attribute.level_column(0) if self.level == 0 else self.attribute.label_column(self.level)

    @property
    def name(self) -> str:
        """Its column in the tables of records and of groups."""
        return class_column(self.place)


def within(plan: Plan) -> tuple[Within, ...]:
    """The columns that divide the records into classes: at `*` there is but one."""
    levels = zip(plan.attributes, plan.node, strict=True)
    found = (Within(place, attribute, level) for place, (attribute, level) in enumerate(levels))
    return tuple(each for each in found if each.level < each.attribute.hierarchy.top)


def kept_columns(plan: Plan) -> Sequence[tuple[int, str]]:
    """Place and name of every column that is released as it is."""
    return list(enumerate(plan.carried))[len(plan.quasi_identifiers) :]


def pulled_statement(plan: Plan, aggregated: Sequence[Aggregated]) -> exp.Select:
    """The statement, for the source, that gives the records in the order of their own values."""
    tree = sql.select("microdata/pulled")
    level, measured, kept = tree.expressions
    join = tree.args["joins"][0]
    by_level, by_measured, by_kept = tree.args["order"].expressions
    columns, order = [], []
    for each in within(plan):
        columns.append(_of_keys(level, each.attribute, each.of_keys, each.name))
        order.append(_of_keys(by_level, each.attribute, each.of_keys))
    for place, asked in enumerate(aggregated):
        name = measured_column(place)
        if asked.grounded is not None:
            columns.append(_of_keys(level, asked.grounded, "cell", name))
            order.append(_of_keys(by_level, asked.grounded, "cell"))
        else:
            columns.append(sql.named(sql.with_columns(measured.copy(), {"dataset.measured": asked.column}), name))
            order.append(sql.with_columns(by_measured.copy(), {"dataset.measured": asked.column}))
    for place, column in kept_columns(plan):
        columns.append(sql.named(sql.with_columns(kept.copy(), {"dataset.kept": column}), inner(place)))
        order.append(sql.with_columns(by_kept.copy(), {"dataset.kept": column}))
    joined = [each.attribute for each in within(plan)]
    joined += [each.grounded for each in aggregated if each.grounded is not None]
    tree.set("expressions", columns)
    tree.set("joins", [for_attribute(join, each) for each in joined])
    tree.args["order"].set("expressions", order)
    return sql.with_relations(tree, {"dataset": plan.dataset.relation})


def missing_statement(aggregated: Sequence[Aggregated]) -> exp.Select:
    """The statement that counts, of every numeric column in turn, the values that are missing and that are endless."""
    tree = sql.select("microdata/missing")
    missing, endless = tree.expressions
    columns = []
    for place, each in enumerate(aggregated):
        name = measured_column(place)
        if each.kind != "leaf":
            columns.append(_counted(missing, name))
        if each.kind == "float":
            columns.append(_counted(endless, name))
    tree.set("expressions", columns)
    return tree


def classes_statement(plan: Plan) -> exp.Select:
    """The statement that lists the classes inside which records are grouped, in the order of the records."""
    names = [each.name for each in within(plan)]
    tree = spread(sql.select("microdata/classes"), "microdata.level", names)
    if not names:
        tree.set("order", None)
    return tree


def numbers_statement(aggregated: Sequence[Aggregated]) -> exp.Select:
    """The statement that gives the records as numbers, in their order."""
    tree = sql.select("microdata/numbers")
    measured, decimals = tree.expressions
    columns = []
    for place, each in enumerate(aggregated):
        name = measured_column(place)
        if each.decimals:
            filled = sql.with_columns(decimals.copy(), {"microdata.decimals": name})
            filled.this.this.expression.set("this", exp.Literal.number(each.units))
        else:
            filled = sql.with_columns(measured.copy(), {"microdata.measured": name})
            kind = {"whole": "BIGINT", "float": "DOUBLE", "leaf": "INTEGER"}[each.kind]
            filled.this.set("to", exp.DataType.build(kind, dialect=sql.DIALECT))
        columns.append(sql.named(filled, name))
    tree.set("expressions", columns)
    return tree


def leaves_statement(attribute: Attribute, columns: Sequence[str]) -> exp.Select:
    """The statement that lists the values of a hierarchy, as texts, with some columns of its table of keys."""
    tree = spread(sql.select("microdata/leaves"), "keys.level", columns)
    return sql.with_relations(tree, {"keys": exp.to_table(attribute.keys)})


def decided_statement(plan: Plan, aggregated: Sequence[Aggregated], rounding: Rounding) -> exp.Select:
    """The statement that gives what is released, by the contract of `release.plan`."""
    tree = sql.select("microdata/decided_with_kept" if kept_columns(plan) else "microdata/decided")
    label, value, measured, *kept, n, withheld = tree.expressions
    *joins, to_keys = tree.args["joins"]
    columns = [
        *(_generalised(plan, place, label, value) for place in range(len(plan.attributes))),
        *(_shared(each, place, rounding, label, value, measured) for place, each in enumerate(aggregated)),
        *(
            sql.with_columns(each.copy(), {"microdata.kept": inner(at)})
            for at, _ in kept_columns(plan)
            for each in kept
        ),
    ]
    of_values = [(each.attribute, each.name) for each in within(plan) if each.level == 0]
    of_values += [
        (each.grounded, measured_column(place))
        for place, each in enumerate(aggregated)
        if each.grounded is not None and each.aggregate == "mode"
    ]
    named = [sql.named(column, inner(place)) for place, column in enumerate(columns)]
    tree.set("expressions", [*named, n, withheld])
    tree.set("joins", [*joins, *(_keys_join(to_keys, attribute, name) for attribute, name in of_values)])
    return tree


def _generalised(plan: Plan, place: int, label: exp.Expr, value: exp.Expr) -> exp.Expr:
    """What is released of a column of `within`: the value that its class is, the class's label, or `*`."""
    attribute, level = plan.attributes[place], plan.node[place]
    if level == attribute.hierarchy.top:
        return exp.Literal.string(STAR)
    if level == 0:
        return _of_keys(value, attribute, "key")
    return sql.with_columns(label.copy(), {"part.label": class_column(place)})


def _shared(
    asked: Aggregated, place: int, rounding: Rounding, label: exp.Expr, value: exp.Expr, measured: exp.Expr
) -> exp.Expr:
    """What the records of a group share of an aggregated column: a number, a value of its hierarchy, or a label."""
    name = measured_column(place)
    if asked.grounded is None:
        filled = sql.with_columns(measured.copy(), {"part.measured": name})
        filled.this.set("to", exp.DataType.build(asked.released_type(rounding), dialect=sql.DIALECT))
        return filled
    if asked.aggregate == "mode":
        return _of_keys(value, asked.grounded, "key")
    return sql.with_columns(label.copy(), {"part.label": name})


def _of_keys(fragment: exp.Expr, attribute: Attribute, column: str, name: str | None = None) -> exp.Expr:
    """A copy of a fragment with a column of an attribute's table of keys in it, called `name` if given."""
    filled = fragment.copy()
    for each in filled.find_all(exp.Column):
        if each.table == "keys":
            each.set("this", exp.to_identifier(column))
            each.set("table", exp.to_identifier(attribute.keys))
    return filled if name is None else sql.named(filled, name)


def _keys_join(join: exp.Expr, attribute: Attribute, name: str) -> exp.Expr:
    """The join of groups with the values of an attribute, whose cells are in the column `name`."""
    filled = _of_keys(sql.with_columns(join.copy(), {"part.cell": name}), attribute, "cell")
    filled.set("this", exp.to_table(attribute.keys))
    return filled


def _counted(fragment: exp.Expr, name: str) -> exp.Expr:
    filled = sql.with_columns(fragment.copy(), {"microdata.measured": name})
    return sql.named(filled, f"{name}_{fragment.alias}")
