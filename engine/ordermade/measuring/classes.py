"""The classes of one node, counted: their sizes, their sensitive values, those that fail a model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from sqlglot import exp

from ordermade import sql
from ordermade.lattice.lattice import Lattice
from ordermade.lattice.node import Node
from ordermade.measuring.attribute import Attribute, for_attribute
from ordermade.measuring.counting import Counting
from ordermade.measuring.dataset import Dataset
from ordermade.measuring.entity import person
from ordermade.measuring.persons_set import owned_relation, relation_of
from ordermade.measuring.sensitive import Sensitive, for_values
from ordermade.measuring.widening import NARROW, StoredSet
from ordermade.privacy.statements import failing_statement

Query = TypeVar("Query", bound=exp.Query)

NODE_ROWS = "rows_of_node"
"""The table of the rows of one node, counted in the source."""
LARGEST_NUMBER = 1 << 62
"""Classes are numbered by arithmetic where the number of conceivable ones is less than this."""


@dataclass(frozen=True, slots=True)
class NodeRows:
    """The origin of a node's rows: a widened frequency set of the workspace, or the counts of the source.

    `relation` is a SELECT of nothing yet from it; `classes`: the expressions of the attributes' classes, and `cells`:
    the number of each attribute's cells. `units`: the number added up of a row (or None); `person`: the value counted
    once. `rows`: the dataset rows that one row stands for. Where persons are added up who may be in a class more than
    once, `valued` has by sensitive attribute the relation that is counted with its values, `owned` is the one that
    names the person of each combination (`owner`: None where that person has no other), `whole` the one of their rows.
    """

    relation: exp.Select
    classes: tuple[exp.Expr, ...]
    cells: tuple[int, ...]
    sensitive: dict[int, exp.Expr]
    units: exp.Expr | None
    person: exp.Expr | None = None
    owner: exp.Expr | None = None
    rows: exp.Expr | None = None
    valued: dict[int, exp.Select] | None = None
    owned: exp.Select | None = None
    whole: exp.Select | None = None

    @property
    def number(self) -> exp.Expr:
        """The number of a row's class: mixed radix of its attributes' classes, or a rank where that is too large."""
        if not self.classes:
            return exp.cast(exp.Literal.number(0), "BIGINT")
        if 0 in self.cells or math.prod(self.cells) >= LARGEST_NUMBER:
            order = exp.Order(expressions=[exp.Ordered(this=each.copy(), nulls_first=False) for each in self.classes])
            return exp.Window(this=exp.Anonymous(this="DENSE_RANK"), order=order)
        number: exp.Expr = exp.cast(self.classes[0].copy(), "BIGINT")
        for each, cells in zip(self.classes[1:], self.cells[1:], strict=True):
            shifted = exp.Mul(this=exp.paren(number), expression=exp.Literal.number(cells))
            number = exp.Add(this=shifted, expression=each.copy())
        return number

    def parts(self, relation: exp.Select | None = None, /, **columns: exp.Expr | None) -> exp.Select:
        """The rows (or those of `relation`) with the numbers of their classes and these columns but the None ones."""
        tree = (relation or self.relation).copy()
        named = {"class": self.number, **columns}
        tree.set("expressions", [exp.alias_(each.copy(), name) for name, each in named.items() if each is not None])
        return tree


def rows_of_set(
    stored: StoredSet, attributes: Sequence[Attribute], lattice: Lattice, node: Node, counting: Counting
) -> NodeRows:
    """The rows of a node in a widened frequency set."""
    below = _below_top(attributes, lattice, node)
    names = [each.level_column(level) for each, level in below]
    cells = {each.position: each.cell_column for each in counting.sensitive}
    valued, owned, whole = None, None, None
    if stored.repeats is not None:
        whole = exp.select().from_(relation_of(replace(stored, repeats=None), names))
        valued = {place: exp.select().from_(relation_of(stored, [*names, cell])) for place, cell in cells.items()}
        owned = exp.select().from_(owned_relation(stored, names)) if counting.least_classes else None
    return NodeRows(
        relation=exp.select().from_(relation_of(stored, names)),
        classes=tuple(exp.column(name, table=NARROW) for name in names),
        cells=tuple(each.cells for each, _ in below),
        sensitive={place: exp.column(cell, table=NARROW) for place, cell in cells.items()},
        units=exp.column("n", table=NARROW),
        owner=None if owned is None else exp.column("owner", table=NARROW),
        rows=exp.column("n" if counting.entity is None else "rows", table=NARROW),
        valued=valued,
        owned=owned,
        whole=whole,
    )


def node_statement(
    dataset: Dataset, attributes: Sequence[Attribute], lattice: Lattice, node: Node, counting: Counting
) -> exp.Select:
    """The statement, for the source, that counts the rows of a node by class, sensitive values and person."""
    tree = sql.select("rows_of_node")
    level, of_person, count = tree.expressions
    join, by_level = tree.args["joins"][0], tree.args["group"].expressions[0]
    below = _below_top(attributes, lattice, node)
    columns = [for_attribute(level, each, at) for each, at in below]
    grouped = [for_attribute(by_level, each, at) for each, at in below]
    cells = [exp.column("cell", table=each.values) for each in counting.sensitive]
    columns += [exp.alias_(cell, each.cell_column) for cell, each in zip(cells, counting.sensitive, strict=True)]
    grouped += [cell.copy() for cell in cells]
    if counting.entity is not None:
        columns.append(sql.named(person(dataset), of_person.alias))
        grouped.append(person(dataset))
    tree.set("expressions", [*columns, count])
    tree.set("group", exp.Group(expressions=grouped) if grouped else None)
    joins = [for_attribute(join, each) for each, _ in below]
    tree.set("joins", [*joins, *(for_values(join, each) for each in counting.sensitive)])
    return sql.with_relations(tree, {"dataset": dataset.relation})


def rows_of_node(attributes: Sequence[Attribute], lattice: Lattice, node: Node, counting: Counting) -> NodeRows:
    """The rows of a node as `node_statement` counted them into the table `NODE_ROWS` of the workspace."""
    below = _below_top(attributes, lattice, node)
    n = exp.column("n", table=NODE_ROWS)
    of_person = None if counting.entity is None else exp.column("person", table=NODE_ROWS)
    return NodeRows(
        relation=exp.select().from_(exp.to_table(NODE_ROWS)),
        classes=tuple(exp.column(each.level_column(level), table=NODE_ROWS) for each, level in below),
        cells=tuple(each.cells for each, _ in below),
        sensitive={each.position: exp.column(each.cell_column, table=NODE_ROWS) for each in counting.sensitive},
        units=n if counting.entity is None else None,
        person=of_person,
        owner=of_person,
        rows=n,
    )


def class_sizes(rows: NodeRows) -> exp.Query:
    """The statement of the classes of a node with their sizes."""
    return _counted(sql.select("class_sizes"), rows, rows.parts(n=rows.units, person=rows.person))


def class_values(rows: NodeRows, sensitive: Sensitive) -> exp.Query:
    """The statement of the classes of a node with how many have each value of a sensitive attribute."""
    value = rows.sensitive[sensitive.position]
    relation = None if rows.valued is None else rows.valued[sensitive.position]
    parts = rows.parts(relation, value=value, n=rows.units, person=rows.person)
    return _counted(sql.select("class_values"), rows, parts)


def checked(tree: Query, rows: NodeRows, counting: Counting) -> Query:
    """`tree` with what it stands on: the relations `class_size` and `failing`, of the models of a node's classes."""
    valued = [each for each in counting.sensitive if each.models]
    adds_up = counting.entity is None and bool(valued)
    values = {each.position: f"values_of_{each.position}" for each in valued}
    for each in valued:
        tree = tree.with_(values[each.position], as_=class_values(rows, each), copy=False)
    sizes = class_sizes(rows)
    if adds_up:
        of_values = {"class_value": exp.to_table(values[valued[0].position])}
        sizes = sql.with_relations(sql.select("class_sizes_of_values"), of_values)
    tree = tree.with_("class_size", as_=sizes, copy=False)
    failing = [
        failing_statement(
            model,
            each.counts(
                model,
                exp.to_table(values[each.position]),
                None if counting.entity is None else exp.to_table("class_size"),
            ),
        )
        for each in valued
        for model in each.models
    ]
    return tree.with_("failing", as_=_any_of(failing) if failing else sql.select("no_class_fails"), copy=False)


def _counted(tree: exp.Select, rows: NodeRows, parts: exp.Select) -> exp.Select:
    """A template of counts over `part`, with what is added up and what is counted once as this node's rows have it."""
    total = tree.expressions[-1]
    summed, distinct = total.this.this, total.this.expression
    if rows.person is None:
        total.set("this", summed)
    elif rows.units is None:
        total.set("this", distinct)
    part = tree.args["from_"].this
    part.set("this", parts)
    return tree


def _any_of(failing: Sequence[exp.Select]) -> exp.Query:
    """The classes that fail one model at least, each once."""
    return failing[0] if len(failing) == 1 else exp.union(*failing, distinct=True, dialect=sql.DIALECT, copy=False)


def _below_top(attributes: Sequence[Attribute], lattice: Lattice, node: Node) -> list[tuple[Attribute, int]]:
    triples = zip(attributes, node, lattice.top, strict=True)
    return [(each, level) for each, level, top in triples if level != top]
