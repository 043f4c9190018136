"""The frequency set of a request: read from the cache, or counted once in the source."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from ordermade import sql
from ordermade.lattice.lattice import Lattice, Node
from ordermade.measuring.counting import PLAIN, Counting, Sensitive, for_values, person
from ordermade.measuring.dataset import Dataset
from ordermade.measuring.grounding import Attribute, for_attribute
from ordermade.measuring.persons_set import relation_of, widen_persons
from ordermade.measuring.widening import NARROW, WIDE, StoredSet, length, widen_statement
from ordermade.sources.door import Purpose
from ordermade.state.cache import Cache
from ordermade.state.cached_set import OF_PERSONS, CachedSet, GroundedColumn


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


_LOADED = "cached_frequency_set"


def frequency_set(
    dataset: Dataset,
    attributes: Sequence[Attribute],
    cache: Cache | None,
    cached: CachedSet | None,
    version_id: int,
    rows: int,
    counting: Counting = PLAIN,
) -> StoredSet:
    """The widened frequency set of the attributes, in the workspace; counted in the source if the cache has none.

    The counted set is offered to the cache, which may decline.
    """
    connection = dataset.backend.connection
    if cache and cached and cache.load(connection, cached, _LOADED):
        dataset.backend.workspace.store(Purpose.ROLL_UP, NARROW, _renamed(attributes, cached, counting))
        return widen(dataset, attributes, counting)
    count_in_source(dataset, attributes, counting)
    if cache and not dataset.backend.changed():  # what was counted may be of another content than the version's
        columns = [GroundedColumn(each.column, each.hierarchy.content_hash, each.base) for each in attributes]
        cache.store(connection, NARROW, version_id, [*columns, *counting.cached_columns], rows)
    return widen(dataset, attributes, counting)


def _renamed(attributes: Sequence[Attribute], cached: CachedSet, counting: Counting) -> exp.Select:
    """The loaded set with its columns called as in this request."""
    stored = {each.column: f"c{number}" for number, each in enumerate(cached.columns, start=1)}
    tree = sql.select("cached_columns")
    cell, count = tree.expressions
    called = {each.column: each.cell_column for each in attributes}
    called |= {each.column: each.cell_column for each in counting.sensitive}
    columns = [
        exp.alias_(sql.with_columns(cell.copy(), {"frequency_set.cell": stored[column]}).unalias(), name)
        for column, name in called.items()
    ]
    of_persons = [] if counting.entity is None else [exp.column(name, table=NARROW) for name in OF_PERSONS]
    tree.set("expressions", [*columns, *of_persons, count])
    return sql.with_relations(tree, {NARROW: exp.to_table(_LOADED)})
