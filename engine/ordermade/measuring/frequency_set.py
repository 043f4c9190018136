"""The frequency set of a request: the one heavy query, in the source, and its widened form in the workspace."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from ordermade import sql
from ordermade.lattice.lattice import Lattice
from ordermade.lattice.node import Node
from ordermade.measuring.attribute import Attribute, for_attribute
from ordermade.measuring.counting import PLAIN, Counting
from ordermade.measuring.dataset import Dataset
from ordermade.measuring.entity import person
from ordermade.measuring.persons_set import relation_of, widen_persons
from ordermade.measuring.sensitive import Sensitive, for_values
from ordermade.measuring.widening import (
    NARROW,
    WIDE,
    StoredSet,
    length,
    widen_statement,
)
from ordermade.sources.door import Purpose


def frequency_set_statement(
    dataset: Dataset, attributes: Sequence[Attribute], counting: Counting = PLAIN
) -> exp.Select:
    """The statement that gives every combination of cells with its number of rows, of each person where these count."""
    tree = sql.select("frequency_set" if counting.entity is None else "frequency_set_of_persons")
    *persons, cell, count = tree.expressions
    *joins, join = tree.args["joins"]
    *of_persons, group = tree.args["group"].expressions
    tree.set("expressions", [*persons, *_each(cell, attributes, counting), count])
    tree.set("joins", [*joins, *_each(join, attributes, counting)])
    tree.set("group", exp.Group(expressions=[*of_persons, *_each(group, attributes, counting)]))
    if counting.entity is not None:
        tree = sql.with_expressions(tree, {"dataset.id": person(dataset)})
    return sql.with_relations(tree, {"dataset": dataset.relation})


def count_in_source(dataset: Dataset, attributes: Sequence[Attribute], counting: Counting = PLAIN) -> None:
    """Runs the frequency set query in the source and keeps its answer as the table `NARROW` of the workspace."""
    statement = frequency_set_statement(dataset, attributes, counting)
    dataset.backend.keep(Purpose.FREQUENCY_SET, NARROW, statement)


def widen(dataset: Dataset, attributes: Sequence[Attribute], counting: Counting = PLAIN) -> StoredSet:
    """The table `NARROW` with a column for every level of every attribute beside it, so that k-checks need no join."""
    levels = {each.position: list(each.levels) for each in attributes}
    workspace = dataset.backend.workspace
    if counting.entity is not None:
        return widen_persons(workspace, attributes, levels, counting)
    statement = widen_statement(NARROW, attributes, levels, sensitive=counting.sensitive)
    workspace.store(Purpose.ROLL_UP, WIDE, statement)
    return StoredSet(WIDE, length(workspace, WIDE), tuple(frozenset(each.levels) for each in attributes))


def k_check_statement(
    stored: StoredSet,
    attributes: Sequence[Attribute],
    lattice: Lattice,
    node: Node,
    number: int,
) -> exp.Query:
    """The statement that gives the histogram of class sizes of `node` in a widened set, each row marked with `number`.

    A search may need thousands: the few places that differ are set one by one, without a walk of the whole tree.
    """
    tree = sql.select("k_check")
    tree.expressions[0].set("this", exp.Literal.number(number))
    inner = tree.args["from_"].this.this
    names = [
        each.level_column(level) for each, level, top in zip(attributes, node, lattice.top, strict=True) if level != top
    ]
    inner.set("group", exp.Group(expressions=[exp.column(name, table=NARROW) for name in names]))
    inner.args["from_"].set("this", relation_of(stored, names))
    return tree


def roll_up_statement(
    table: str,
    attributes: Sequence[Attribute],
    lattice: Lattice,
    node: Node,
    sensitive: Sequence[Sensitive] = (),
) -> exp.Select:
    """The statement that gives the smaller frequency set of `node` from the wide set `table`."""
    tree = sql.select("roll_up")
    column, count = tree.expressions
    group = tree.args["group"].expressions[0]
    cells, of_cells = ([for_values(part, each) for each in sensitive] for part in (column, group))
    tree.set("expressions", [*_at(column, attributes, lattice, node), *cells, count])
    tree.set("group", exp.Group(expressions=[*_at(group, attributes, lattice, node), *of_cells]))
    return sql.with_relations(tree, {NARROW: exp.to_table(table)})


def source_k_check_statement(
    dataset: Dataset, attributes: Sequence[Attribute], lattice: Lattice, node: Node, number: int
) -> exp.Query:
    """The k-check of `node` in the source itself: hierarchies joined, classes counted, in one statement."""
    tree = sql.select("source_k_check")
    tree.expressions[0].set("this", exp.Literal.number(number))
    inner = tree.args["from_"].this.this
    join, group = inner.args["joins"][0], inner.args["group"].expressions[0]
    below_top = [each for each, level, top in zip(attributes, node, lattice.top, strict=True) if level != top]
    inner.set("joins", [for_attribute(join, each) for each in below_top])
    inner.set("group", exp.Group(expressions=_at(group, attributes, lattice, node)))
    return sql.with_relations(tree, {"dataset": dataset.relation})


def _each(fragment: exp.Expr, attributes: Sequence[Attribute], counting: Counting) -> list[exp.Expr]:
    """The fragment once for each attribute, sensitive ones last."""
    return [
        *(for_attribute(fragment, each) for each in attributes),
        *(for_values(fragment, each) for each in counting.sensitive),
    ]


def _at(fragment: exp.Expr, attributes: Sequence[Attribute], lattice: Lattice, node: Node) -> list[exp.Expr]:
    """The fragment once for each attribute that `node` does not suppress, at the node's level."""
    return [
        for_attribute(fragment, each, level)
        for each, level, top in zip(attributes, node, lattice.top, strict=True)
        if level != top
    ]
