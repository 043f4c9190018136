"""The statements that measure a table as it is: its columns' values as numbers, its classes as one number each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from ordermade import sql

COUNTED = "counted_table"
LARGEST_CLASS_NUMBER = 2**62
"""The largest number that several columns are packed into: an integer of 64 bits holds it."""


@dataclass(frozen=True, slots=True)
class NumberedColumn:
    """A column whose values have numbers in the table `keys` of the workspace: 0 up, `values` of them, NULL last."""

    name: str
    values: int
    keys: str
    alias: str = ""

    @property
    def number(self) -> exp.Expr:
        """The number of its value in a row."""
        return exp.column("cell", table=self.keys)


def values_statement(relation: exp.Expr, column: str) -> exp.Select:
    """The statement, for the source, that counts the values of a column."""
    tree = sql.with_relations(sql.select("measure/values"), {"dataset": relation})
    return sql.with_columns(tree, {"dataset.qi": column})


def numbered_statement(counted: str) -> exp.Select:
    """The statement that numbers what `values_statement` counted into the table `counted`."""
    return sql.with_relations(sql.select("measure/numbered"), {"counted": exp.to_table(counted)})


def facts_statement(keys: str) -> exp.Select:
    """The statement that gives the facts of a numbered column: values, rows, rows of NULL."""
    return sql.with_relations(sql.select("measure/column_facts"), {"sensitive": exp.to_table(keys)})


def packed(columns: Sequence[NumberedColumn], largest: int) -> list[exp.Expr]:
    """Numbers below `largest` that are the same for two rows where all `columns` are: one, if it can hold them."""
    parts: list[tuple[exp.Expr, int]] = []
    for column in columns:
        if parts and parts[-1][1] * column.values < largest:
            held, values = parts.pop()
            shifted = exp.Mul(this=exp.paren(held), expression=exp.Literal.number(column.values))
            parts.append((exp.Add(this=shifted, expression=column.number), values * column.values))
        else:
            parts.append((column.number, column.values))
    return [each for each, _ in parts]


def counted_statement(
    relation: exp.Expr, classes: Sequence[exp.Expr], joined: Sequence[NumberedColumn], others: Sequence[NumberedColumn]
) -> exp.Select:
    """The statement, for the source, that counts the rows of each class with each value of `others`.

    `joined` are all the columns whose numbers are needed; those of `others` come out by their aliases. The class is
    `class`, or `class_1` … where it has several parts.
    """
    tree = sql.select("measure/counted")
    inner = tree.args["from_"].this.this
    join = inner.args["joins"][0]
    named = dict(zip(part_columns(len(classes)), classes, strict=True)) | {each.alias: each.number for each in others}
    inner.set("expressions", [exp.alias_(number.copy(), name) for name, number in named.items()])
    inner.set("joins", [_joined(join, each) for each in joined])
    outer = [exp.column(name, table="coded") for name in named]
    tree.set("expressions", [*outer, tree.expressions[-1]])
    tree.set("group", exp.Group(expressions=[each.copy() for each in outer]))
    return sql.with_relations(tree, {"dataset": relation})


def part_columns(parts: int) -> list[str]:
    """The names of the columns of a class of so many parts."""
    return ["class"] if parts == 1 else [f"class_{place}" for place in range(1, parts + 1)]


def _joined(join: exp.Expr, column: NumberedColumn) -> exp.Expr:
    filled = join.copy()
    filled.set("this", exp.to_table(column.keys))
    filled = sql.with_columns(filled, {"dataset.qi": column.name})
    for node in filled.find_all(exp.Column):
        if node.table == "keys":
            node.set("table", exp.to_identifier(column.keys))
    return filled


def renumbered_statement(counted: str, parts: int, others: Sequence[NumberedColumn]) -> exp.Select:
    """The statement that numbers the classes of the table `counted`, given in several parts, by one `class` each."""
    tree = sql.select("measure/renumbered")
    rank, _, n = tree.expressions
    order = rank.find(exp.Order)
    order.set("expressions", [exp.Ordered(this=exp.column(each, table="counted")) for each in part_columns(parts)])
    tree.set("expressions", [rank, *(exp.column(each.alias, table="counted") for each in others), n])
    return sql.with_relations(tree, {"counted": exp.to_table(counted)})


def of_counted(template: str, value: str = "value", class_size: exp.Expr | None = None) -> exp.Select:
    """A template over the table `COUNTED`, its column `value` standing for the values."""
    tree = sql.select(template)
    for node in list(tree.find_all(exp.Column)):
        if node.table == "numbered" and node.name == "value":
            named = isinstance(node.parent, exp.Select) and node.arg_key == "expressions"
            node.set("this", exp.to_identifier(value))
            if named:
                node.replace(exp.alias_(node.copy(), "value"))
    relations = {"numbered": exp.to_table(COUNTED)}
    return sql.with_relations(tree, relations | ({} if class_size is None else {"class_size": class_size}))
