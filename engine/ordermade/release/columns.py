"""What a release consists of: the generalised columns, then the kept ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sqlglot import exp

from ordermade import sql
from ordermade.hierarchies.hierarchy import STAR
from ordermade.lattice.node import Node
from ordermade.measuring.attribute import Attribute
from ordermade.measuring.dataset import Dataset
from ordermade.sources.door import Purpose

COUNTED = "released"
SORTED = "released_sorted"


@dataclass(frozen=True, slots=True)
class Plan:
    """A release before it is written: the node, the attributes it generalises, the columns kept, and its shape."""

    dataset: Dataset
    attributes: tuple[Attribute, ...]
    node: Node
    kept: tuple[str, ...]
    shape: Literal["rows", "table"]

    @property
    def generalised(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the order of the request."""
        return tuple(each.column for each in self.attributes)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every released column, in order."""
        return (*self.generalised, *self.kept)


def count_classes(plan: Plan) -> None:
    """Counts every combination of released values in the source and keeps them, sorted, in the workspace."""
    workspace = plan.dataset.backend.workspace
    for attribute, level in zip(plan.attributes, plan.node, strict=True):
        if 0 < level < attribute.hierarchy.top:
            _store_labels(plan, attribute, level)
    plan.dataset.backend.door.store(Purpose.RELEASE, COUNTED, counted_statement(plan))
    workspace.store(Purpose.STORE, SORTED, sorted_statement(plan))


def counted_statement(plan: Plan) -> exp.Select:
    """The statement, for the source, that counts every combination of released values."""
    tree = sql.select("released_classes")
    _, kept, count = tree.expressions
    join = tree.args["joins"][0]
    values = [_value(each, level) for each, level in zip(plan.attributes, plan.node, strict=True)]
    values += [sql.with_columns(kept.copy(), {"dataset.kept": column}).unalias() for column in plan.kept]
    names = [_inner(number) for number in range(len(values))]
    tree.set("expressions", [*(sql.named(value, name) for value, name in zip(values, names, strict=True)), count])
    tree.set(
        "joins",
        [
            _label_join(join, each)
            for each, level in zip(plan.attributes, plan.node, strict=True)
            if 0 < level < each.hierarchy.top
        ],
    )
    grouped = [value.copy() for value in values if not isinstance(value, exp.Literal)]
    tree.set("group", exp.Group(expressions=grouped) if grouped else None)
    return sql.with_relations(tree, {"dataset": plan.dataset.relation})


def sorted_statement(plan: Plan) -> exp.Select:
    """The statement that puts the combinations in the order of their own values."""
    tree = sql.select("released_sorted")
    value, count = tree.expressions
    order = tree.args["order"].expressions[0]
    renamed = [{"released.value": _inner(number)} for number in range(len(plan.columns))]
    tree.set("expressions", [*(sql.with_columns(value.copy(), each) for each in renamed), count])
    tree.set("order", exp.Order(expressions=[sql.with_columns(order.copy(), each) for each in renamed]))
    return tree


def written_statement(plan: Plan) -> exp.Select:
    """The statement that gives the release itself, from the sorted combinations."""
    tree = sql.select("released_rows" if plan.shape == "rows" else "released_table")
    value = tree.expressions[0]
    count = tree.expressions[1:]
    columns = [
        sql.named(sql.with_columns(value.copy(), {"released.value": _inner(number)}), name)
        for number, name in enumerate(plan.columns)
    ]
    tree.set("expressions", [*columns, *count])
    for inner in tree.find_all(exp.Subquery):
        inner_value, repetition = inner.this.expressions
        repeated = [
            sql.with_columns(inner_value.copy(), {"released.value": _inner(number)})
            for number in range(len(plan.columns))
        ]
        inner.this.set("expressions", [*repeated, repetition])
    return sql.with_relations(tree, {COUNTED: exp.to_table(SORTED)})


def nearly_unique(plan: Plan) -> Sequence[tuple[str, int, int]]:
    """For each kept column: its name, how many different values it has, and how many of them only one row has."""
    found = []
    for number, column in enumerate(plan.kept, start=len(plan.attributes)):
        tree = sql.with_columns(sql.template("nearly_unique"), {"released.value": _inner(number)})
        tree = sql.with_relations(tree, {COUNTED: exp.to_table(SORTED)})
        different, single = plan.dataset.backend.workspace.rows(Purpose.STORE, tree)[0]
        found.append((column, int(different), int(single)))
    return found


def labels_statement(attribute: Attribute, level: int) -> exp.Select:
    """The statement that says what is released for each value of an attribute at a level."""
    tree = sql.with_columns(sql.select("labels"), {"keys.level": attribute.label_column(level)})
    return sql.with_relations(tree, {"keys": exp.to_table(attribute.keys)})


def _store_labels(plan: Plan, attribute: Attribute, level: int) -> None:
    labels = attribute.labels[level]
    parameters = {"classes": list(labels), "labels": list(labels.values())}
    workspace = plan.dataset.backend.workspace
    workspace.store(Purpose.STORE, labels_table(attribute), labels_statement(attribute, level), parameters)


def _value(attribute: Attribute, level: int) -> exp.Expr:
    if level == attribute.hierarchy.top:
        return exp.Literal.string(STAR)
    if level == 0:
        return sql.column(attribute.column, "dataset")
    return exp.column("label", table=labels_table(attribute))


def _label_join(join: exp.Expr, attribute: Attribute) -> exp.Expr:
    filled = sql.with_expressions(
        join.copy(),
        {"dataset.code": attribute.code, "labels.key": exp.column("key", table=labels_table(attribute))},
    )
    filled.set("this", exp.to_table(labels_table(attribute)))
    return filled


def labels_table(attribute: Attribute) -> str:
    """The name of the table of an attribute's labels."""
    return f"labels_{attribute.position}"


def _inner(number: int) -> str:
    """The name of a released column inside the workspace, where `n` is taken."""
    return f"v{number + 1}"
