"""The frequency set of a request: the one heavy query, in the source, and its widened form in the workspace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from ordermade import sql
from ordermade.lattice.lattice import Lattice
from ordermade.lattice.node import Node
from ordermade.measuring.attribute import Attribute, for_attribute
from ordermade.measuring.dataset import Dataset
from ordermade.sources.door import Door, Purpose

NARROW = "frequency_set"
WIDE = "frequency_set_wide"


@dataclass(frozen=True, slots=True)
class StoredSet:
    """A widened frequency set in the workspace: its table and length, and the levels each attribute has columns for."""

    table: str
    length: int
    levels: tuple[frozenset[int], ...]

    def answers(self, node: Node, tops: Node) -> bool:
        """Whether `node` can be counted from this set: every attribute at a level it has, or at `*`."""
        return all(level in have or level == top for level, have, top in zip(node, self.levels, tops, strict=True))


def frequency_set_statement(dataset: Dataset, attributes: Sequence[Attribute]) -> exp.Select:
    """The statement that gives every combination of cells with its number of rows."""
    tree = sql.select("frequency_set")
    cell, count = tree.expressions
    join, group = tree.args["joins"][0], tree.args["group"].expressions[0]
    tree.set("expressions", [*(for_attribute(cell, each) for each in attributes), count])
    tree.set("joins", [for_attribute(join, each) for each in attributes])
    tree.set("group", exp.Group(expressions=[for_attribute(group, each) for each in attributes]))
    return sql.with_relations(tree, {"dataset": dataset.relation})


def count_in_source(dataset: Dataset, attributes: Sequence[Attribute]) -> None:
    """Runs the frequency set query in the source and keeps its answer as the table `NARROW` of the workspace."""
    dataset.backend.door.store(Purpose.FREQUENCY_SET, NARROW, frequency_set_statement(dataset, attributes))


def widen(dataset: Dataset, attributes: Sequence[Attribute]) -> StoredSet:
    """The table `NARROW` with a column for every level of every attribute beside it, so that k-checks need no join."""
    levels = {each.position: list(each.levels) for each in attributes}
    statement = widen_statement(NARROW, attributes, levels)
    dataset.backend.workspace.store(Purpose.ROLL_UP, WIDE, statement)
    rows = length(dataset.backend.workspace, WIDE)
    return StoredSet(WIDE, rows, tuple(frozenset(each.levels) for each in attributes))


def widen_statement(
    table: str, attributes: Sequence[Attribute], levels: Mapping[int, Sequence[int]], base: Node | None = None
) -> exp.Select:
    """`table` joined with its attributes' keys for a column at each of `levels` (by attribute position).

    Without `base` the table holds cells; with it, the classes of that node (attributes without levels are left out).
    """
    tree = sql.select("widen")
    count, level = tree.expressions
    join = tree.args["joins"][0]
    columns: list[exp.Expr] = [count]
    joins: list[exp.Expr] = []
    for attribute in attributes:
        wanted = levels[attribute.position]
        if not wanted:
            continue
        columns.extend(for_attribute(level, attribute, number) for number in wanted)
        joins.append(_widening_join(join, attribute, wanted, None if base is None else base[attribute.position - 1]))
    tree.set("expressions", columns)
    tree.set("joins", joins)
    return sql.with_relations(tree, {NARROW: exp.to_table(table)})


def _widening_join(join: exp.Expr, attribute: Attribute, levels: Sequence[int], held: int | None) -> exp.Expr:
    """The join of one attribute: on its cell, or on the class at the level that the table holds."""
    filled = for_attribute(join, attribute)
    inner = filled.this.this
    _, level = join.this.this.expressions
    on_cell = "cell" if held is None else attribute.level_column(held)
    inner.set(
        "expressions",
        [
            exp.alias_(exp.column(on_cell, table=attribute.keys), "cell"),
            *(exp.alias_(for_attribute(level, attribute, number), attribute.level_column(number)) for number in levels),
        ],
    )
    filled.this.set("alias", exp.TableAlias(this=exp.to_identifier(attribute.keys)))
    on = filled.args["on"]
    held_column = attribute.cell_column if held is None else attribute.level_column(held)
    on.set("this", exp.column(held_column, table=NARROW))
    on.set("expression", exp.column("cell", table=attribute.keys))
    return filled


def k_check_statement(
    table: str, attributes: Sequence[Attribute], lattice: Lattice, node: Node, number: int
) -> exp.Query:
    """The statement that gives the histogram of class sizes of `node`, each row marked with `number`.

    A search may ask for thousands: the few places that differ are set one by one, without a walk of the whole tree.
    """
    tree = sql.select("k_check")
    tree.expressions[0].set("this", exp.Literal.number(number))
    inner = tree.args["from_"].this.this
    columns = [
        exp.column(each.level_column(level), table=NARROW)
        for each, level, top in zip(attributes, node, lattice.top, strict=True)
        if level != top
    ]
    inner.set("group", exp.Group(expressions=columns))
    relation = inner.args["from_"].this
    relation.set("this", exp.to_identifier(table))
    relation.set("alias", exp.TableAlias(this=exp.to_identifier(NARROW)))
    return tree


def roll_up_statement(table: str, attributes: Sequence[Attribute], lattice: Lattice, node: Node) -> exp.Select:
    """The statement that gives the smaller frequency set of `node` from the wide set `table`."""
    tree = sql.select("roll_up")
    column, count = tree.expressions
    group = tree.args["group"].expressions[0]
    tree.set("expressions", [*_at(column, attributes, lattice, node), count])
    tree.set("group", exp.Group(expressions=_at(group, attributes, lattice, node)))
    return sql.with_relations(tree, {NARROW: exp.to_table(table)})


def source_k_check_statement(
    dataset: Dataset, attributes: Sequence[Attribute], lattice: Lattice, node: Node, number: int
) -> exp.Query:
    """The k-check of `node` asked of the source itself: hierarchies joined, classes counted, in one statement."""
    tree = sql.select("source_k_check")
    tree.expressions[0].set("this", exp.Literal.number(number))
    inner = tree.args["from_"].this.this
    join, group = inner.args["joins"][0], inner.args["group"].expressions[0]
    below_top = [each for each, level, top in zip(attributes, node, lattice.top, strict=True) if level != top]
    inner.set("joins", [for_attribute(join, each) for each in below_top])
    inner.set("group", exp.Group(expressions=_at(group, attributes, lattice, node)))
    return sql.with_relations(tree, {"dataset": dataset.relation})


def _at(fragment: exp.Expr, attributes: Sequence[Attribute], lattice: Lattice, node: Node) -> list[exp.Expr]:
    """The fragment once for each attribute that `node` does not suppress, at the node's level."""
    return [
        for_attribute(fragment, each, level)
        for each, level, top in zip(attributes, node, lattice.top, strict=True)
        if level != top
    ]


def length(workspace: Door, table: str) -> int:
    """The number of rows of a table of the workspace."""
    tree = sql.with_relations(sql.template("row_count"), {"dataset": exp.to_table(table)})
    return int(workspace.rows(Purpose.ROLL_UP, tree)[0][0])
