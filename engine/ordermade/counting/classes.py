"""The equivalence classes of a node: sizes, persons, sensitive values, failures of models."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from sqlglot import exp

from ordermade import sql
from ordermade.counting.counts import NARROW, Counting, Sensitive, StoredSet, for_values, person
from ordermade.counting.dataset import Dataset
from ordermade.counting.encoding import EncodedColumn, for_attribute
from ordermade.counting.frequency_set import owned_relation, relation_of
from ordermade.lattice.lattice import Lattice, Node
from ordermade.lattice.observation import Observation, PersonSizes, Requirement, Sizes, SuppressedFigures
from ordermade.loss.costs import information
from ordermade.privacy.statements import failing_statement, keepable_statement

Query = TypeVar("Query", bound=exp.Query)

NODE_ROWS = "rows_of_node"
"""The table of the rows of one node, counted in the source."""
_ANY_SET, _ANY_CLASS, _NODE = "any_set", "any_class", "node"
"""Names that stand in a compiled check for the set and the class of a node; the column of its number."""
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
    stored: StoredSet, attributes: Sequence[EncodedColumn], lattice: Lattice, node: Node, counting: Counting
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
    dataset: Dataset, attributes: Sequence[EncodedColumn], lattice: Lattice, node: Node, counting: Counting
) -> exp.Select:
    """The statement, for the source, that counts the rows of a node by class, sensitive values and person."""
    tree = sql.select("classes/rows_of_node")
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
    return dataset.counted(tree)


def rows_of_node(attributes: Sequence[EncodedColumn], lattice: Lattice, node: Node, counting: Counting) -> NodeRows:
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
    return _counted(sql.select("classes/class_sizes"), rows, rows.parts(n=rows.units, person=rows.person))


def class_values(rows: NodeRows, sensitive: Sensitive) -> exp.Query:
    """The statement of the classes of a node with how many have each value of a sensitive attribute."""
    value = rows.sensitive[sensitive.position]
    relation = None if rows.valued is None else rows.valued[sensitive.position]
    parts = rows.parts(relation, value=value, n=rows.units, person=rows.person)
    return _counted(sql.select("classes/class_values"), rows, parts)


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
        sizes = sql.with_relations(sql.select("classes/class_sizes_of_values"), of_values)
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
    return tree.with_("failing", as_=_any_of(failing) if failing else sql.select("classes/no_class_fails"), copy=False)


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


def _below_top(attributes: Sequence[EncodedColumn], lattice: Lattice, node: Node) -> list[tuple[EncodedColumn, int]]:
    triples = zip(attributes, node, lattice.top, strict=True)
    return [(each, level) for each, level, top in triples if level != top]


CLASSES, PERSONS, KEEPABLE = 0, 1, 2
"""The marks of a check's rows: of the histogram of classes, of persons, of what can be kept of failing ones."""


def check_statement(rows: NodeRows, counting: Counting, number: int) -> exp.Select:
    """The statement of all that is counted of one node: rows of (number, which histogram, size, other, how many)."""
    query: exp.Query = _of_node(sql.select("classes/k_check_failing"), number)
    if counting.keepable:
        bound = _of_node(sql.select("keepable/units"), number)
        query = exp.union(query, bound, distinct=False, dialect=sql.DIALECT, copy=False)
    if counting.least_classes:
        owner = exp.cast(exp.Null(), "BIGINT") if rows.owner is None else rows.owner
        units = exp.Literal.number(1) if rows.units is None else rows.units
        least = _of_node(sql.select("classes/least_classes"), number)
        query = exp.union(query, least, distinct=False, dialect=sql.DIALECT, copy=False)
        query = query.with_("owned", as_=rows.parts(rows.owned, owner=owner, n=units), copy=False)
    tree = sql.select("classes/checked_node")
    query = checked(query, rows, counting)
    if counting.keepable:
        query = query.with_("keepable", as_=_keepable(counting), copy=False)
    tree.args["from_"].this.set("this", query)
    return tree


def _keepable(counting: Counting) -> exp.Query:
    """The units that finer nodes can keep of each failing class, by every model, over the relations of `checked`."""
    bounds: list[exp.Select] = []
    for each in counting.sensitive:
        for model in each.models:
            values = sql.with_relations(
                sql.select("classes/values_of_failing"), {"class_value": exp.to_table(f"values_of_{each.position}")}
            )
            bounds.append(keepable_statement(model, each.counts(model, values, None)))
    return sql.union_all(bounds)


def compiled_check(counting: Counting) -> sql.Compiled:
    """`check_statement` for any node of any widened set of so much counted: see `check_text`.

    Not for sets of persons who have several combinations, whose relations name the node's columns.
    """
    columns = rows_of_set(StoredSet(_ANY_SET, 0, ()), (), Lattice(()), (), counting)
    rows = replace(columns, classes=(exp.column(_ANY_CLASS),), cells=(1,))
    stand_ins = {"number": f"0 AS {_NODE}", "table": _ANY_SET, "classes": sql.text(rows.number)}
    return sql.compiled(check_statement(rows, counting, 0), **stand_ins)


def check_text(compiled: sql.Compiled, table: str, rows: NodeRows, number: int) -> str:
    """The text of `check_statement` for one node of the set that is stored as `table`."""
    return compiled.filled(number=f"{number} AS {_NODE}", table=table, classes=sql.text(rows.number))


def observations(nodes: Sequence[Node], answer: Iterable[Sequence[int]], counting: Counting) -> dict[Node, Observation]:
    """The observations in the answer of a batch of checks, in the order of their numbers."""
    histograms: dict[int, dict[tuple[int, int], int]] = defaultdict(dict)
    persons: dict[int, dict[tuple[int, int], int]] = defaultdict(dict)
    keepable: dict[int, dict[tuple[int, int], int]] = defaultdict(dict)
    parts = {CLASSES: histograms, PERSONS: persons, KEEPABLE: keepable}
    for number, part, size, other, count in answer:
        if count:  # where combinations add up, nobody may be left to be in classes of some size
            parts[part][int(number)][int(size), int(other)] = int(count)
    return {
        node: replace(
            Observation.from_histogram(_added_up(histograms[number], 0), units=counting.persons),
            failing=_failing(histograms[number]) if counting.has_models else None,
            persons=_persons(persons[number], counting) if counting.least_classes else None,
            keepable=_added_up(keepable[number], 0) if counting.keepable else None,
        )
        for number, node in enumerate(nodes)
    }


def suppressed_rows_statement(rows: NodeRows, requirement: Requirement, counting: Counting, number: int) -> exp.Select:
    """The statement of the suppressed rows of one node: (number, place among `rows.classes`, class, rows).

    Where no attribute is below `*`, the suppressed rows are one class of place 0.
    """
    names = [f"q{place}" for place in range(len(rows.classes))]
    parts = rows.parts(rows.whole, n=rows.rows, **dict(zip(names, rows.classes, strict=True)))
    query = sql.union_all(_figures(number, place, name) for place, name in enumerate(names or ["class"]))
    query = checked(query, rows, counting).with_("suppressed", as_=_suppressed_classes(requirement), copy=False)
    query = query.with_("kept", as_=_kept(parts, names), copy=False)
    tree = sql.select("classes/suppressed_of_node")
    tree.args["from_"].this.set("this", query)
    return tree


def suppressed_of(
    nodes: Sequence[Node], answer: Iterable[Sequence[int]], attributes: Sequence[EncodedColumn], lattice: Lattice
) -> dict[Node, SuppressedFigures]:
    """The suppressed rows of each node, from the answer of a batch of statements in the order of their numbers."""
    found: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)
    for number, place, each, n in answer:
        found[int(number), int(place)][int(each)] = int(n)
    return {
        node: _suppressed(node, {place: found[number, place] for place in range(len(node))}, attributes, lattice)
        for number, node in enumerate(nodes)
    }


def _suppressed(
    node: Node, classes: Mapping[int, Mapping[int, int]], attributes: Sequence[EncodedColumn], lattice: Lattice
) -> SuppressedFigures:
    """The figures of suppressed rows; `classes` are of the attributes below `*`, in order, by class number."""
    rows = sum(classes[0].values())
    leaves: list[int | None] = []
    bits: list[float] = []
    place = 0
    for attribute, level, top in zip(attributes, node, lattice.top, strict=True):
        if level == top:
            domain = attribute.costs.domain_leaves
            leaves.append(None if domain is None else rows * domain)
            bits.append(information([rows]))
            continue
        of_level = classes[place]
        place += 1
        under = attribute.leaves.get(level)
        leaves.append(_of_values(attribute, of_level, rows) if level == 0 else _leaves(of_level, under))
        bits.append(information(of_level.values()))
    return SuppressedFigures(rows, tuple(leaves), tuple(bits))


def _of_values(attribute: EncodedColumn, classes: Mapping[int, int], rows: int) -> int | None:
    """The leaves under the original values of so many rows: one each, and all of them under `*`."""
    starred = 0 if attribute.star_cell is None else classes.get(attribute.star_cell, 0)
    if not starred:
        return rows
    domain = attribute.costs.domain_leaves
    return None if domain is None else rows + starred * (domain - 1)


def _leaves(classes: Mapping[int, int], under: Mapping[int, int] | None) -> int | None:
    return None if under is None else sum(n * under[number] for number, n in classes.items())


def _figures(number: int, place: int, name: str) -> exp.Select:
    tree = _of_node(sql.select("classes/suppressed_figures"), number)
    _, at, called, _ = tree.expressions
    at.set("this", exp.Literal.number(place))
    column = exp.column(name, table="part")
    called.set("this", column)
    tree.set("group", exp.Group(expressions=[column.copy()]))
    return sql.with_relations(tree, {"frequency_set": exp.to_table("kept")})


def _suppressed_classes(requirement: Requirement) -> exp.Select:
    tree = sql.select("classes/suppressed_classes")
    too_small = next(iter(tree.find_all(exp.LT)))
    too_small.set("expression", exp.Literal.number(requirement.k))
    return tree


def _kept(parts: exp.Select, names: Sequence[str]) -> exp.Select:
    tree = sql.select("classes/suppressed_rows")
    count = tree.expressions[0]
    join = tree.args["joins"][0]
    tree.set("expressions", [count, *(exp.column(name, table="part") for name in (*names, "class"))])
    on = join.args["on"]
    on.expression.set("this", exp.to_identifier("class"))
    return sql.with_relations(tree, {"frequency_set": parts, "failing": exp.to_table("suppressed")})


def _of_node(tree: exp.Select, number: int) -> exp.Select:
    """The template with its rows marked as the node's of this number."""
    tree.expressions[0].set("this", exp.Literal.number(number))
    return tree


def _added_up(pairs: Mapping[tuple[int, int], int], place: int) -> Sizes:
    """The histogram of one of two sizes."""
    histogram: defaultdict[int, int] = defaultdict(int)
    for sizes, count in pairs.items():
        histogram[sizes[place]] += count
    return tuple(sorted(histogram.items()))


def _failing(pairs: Mapping[tuple[int, int], int]) -> Sizes:
    return tuple(sorted((size, count) for (size, fails), count in pairs.items() if fails))


def _persons(pairs: Mapping[tuple[int, int], int], counting: Counting) -> PersonSizes:
    return PersonSizes(_added_up(pairs, 0), _added_up(pairs, 1) if counting.has_models else None)
