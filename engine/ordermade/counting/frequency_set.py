"""The frequency set of a request, of rows or of persons: read from the cache, or counted once in the source.

Distinct persons of classes do not add up, as one may be in several. Their combinations add up; a class then
has too many by those of persons who are in it already. So each combination but a person's first has, by attribute and
level, which earlier combinations of that person share its class there: one bit each. At a node, bits that all
attributes have in common show that the person is in that class already. Persons with more than `MAX_BITS` combinations
would need too many bits: their surplus is counted one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from sqlglot import exp

from ordermade import sql
from ordermade.counting.counts import (
    COUNTED,
    NARROW,
    PERSONS,
    PLAIN,
    WIDE,
    Counting,
    Repeats,
    Sensitive,
    StoredSet,
    WideCells,
    for_values,
    length,
    name_of,
    packed,
    person,
    widen_statement,
)
from ordermade.counting.dataset import Dataset
from ordermade.counting.encoding import EncodedColumn, Encoding, as_type, for_attribute, smallest_type
from ordermade.counting.statements import Statement, carry_out
from ordermade.lattice.lattice import Lattice, Node
from ordermade.sources.backend import PushdownHint
from ordermade.sources.executor import Executor, Purpose
from ordermade.state.cache import Cache
from ordermade.state.cache_contents import OF_PERSONS, CachedSet, GroundedColumn

Levels: TypeAlias = Mapping[int, Sequence[int]]
"""Levels of each attribute, by its position."""


def frequency_set_statement(
    dataset: Dataset, attributes: Sequence[EncodedColumn], counting: Counting = PLAIN
) -> exp.Select:
    """The statement that gives every combination of cells with its number of rows, of each person where these count."""
    tree = sql.select("counting/frequency_set" if counting.entity is None else "counting/frequency_set_of_persons")
    *persons, cell, count = tree.expressions
    *joins, join = tree.args["joins"]
    *of_persons, group = tree.args["group"].expressions
    tree.set("expressions", [*persons, *_each(cell, attributes, counting), count])
    tree.set("joins", [*joins, *_each(join, attributes, counting)])
    tree.set("group", exp.Group(expressions=[*of_persons, *_each(group, attributes, counting)]))
    if counting.entity is not None:
        tree = sql.with_expressions(tree, {"dataset.id": person(dataset)})
    return dataset.counted(tree)


def count_in_source(dataset: Dataset, attributes: Sequence[EncodedColumn], counting: Counting = PLAIN) -> None:
    """Runs the frequency set query in the source and keeps its answer as the table `NARROW` of the workspace."""
    carry_out(dataset.backend, Purpose.FREQUENCY_SET, [combinations_counted(dataset, attributes, counting)])


def combinations_counted(dataset: Dataset, attributes: Sequence[EncodedColumn], counting: Counting) -> Statement:
    """The statement, for the source, that becomes the table `NARROW`."""
    tree, share = frequency_set_statement(dataset, attributes, counting), share_of(attributes, counting)
    return Statement("frequency set", True, NARROW, tree, share=share)


def share_of(attributes: Sequence[EncodedColumn], counting: Counting) -> PushdownHint:
    """The share of the frequency set that a workspace apart takes: codes of values that no level has merged yet."""
    unmerged = [each.keys for each in attributes if each.base == 0]
    return PushdownHint(frozenset([*unmerged, *(each.values for each in counting.sensitive), PERSONS]))


def widen(dataset: Dataset, attributes: Sequence[EncodedColumn], counting: Counting = PLAIN) -> StoredSet:
    """The table `NARROW` with a column for every level of every attribute beside it, so that k-checks need no join."""
    levels = {each.position: list(each.levels) for each in attributes}
    workspace = dataset.backend.workspace
    if counting.entity is not None:
        return widen_persons(workspace, attributes, levels, counting)
    statement = _widened.text(
        tuple(each.encoding for each in attributes),
        tuple(tuple(each.levels) for each in attributes),
        counting.cells,
    )
    workspace.store(Purpose.ROLL_UP, WIDE, statement)
    return StoredSet(WIDE, length(workspace, WIDE), tuple(frozenset(each.levels) for each in attributes))


@sql.BuiltOnce
def _widened(coded: tuple[Encoding, ...], levels: tuple[tuple[int, ...], ...], cells: tuple[str, ...]) -> exp.Select:
    by_position = {each.position: of_levels for each, of_levels in zip(coded, levels, strict=True)}
    return widen_statement(NARROW, coded, by_position, cells=cells)


def k_check_statement(
    stored: StoredSet,
    attributes: Sequence[EncodedColumn],
    lattice: Lattice,
    node: Node,
    number: int,
) -> exp.Query:
    """The statement that gives the histogram of class sizes of `node` in a widened set, each row marked with `number`.

    A search may need thousands: the few places that differ are set one by one, without a walk of the whole tree.
    """
    tree = sql.select("counting/k_check")
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
    attributes: Sequence[EncodedColumn],
    lattice: Lattice,
    node: Node,
    sensitive: Sequence[Sensitive] = (),
) -> exp.Select:
    """The statement that gives the smaller frequency set of `node` from the wide set `table`."""
    tree = sql.select("counting/roll_up")
    column, count = tree.expressions
    group = tree.args["group"].expressions[0]
    cells, of_cells = ([for_values(part, each) for each in sensitive] for part in (column, group))
    tree.set("expressions", [*_at(column, attributes, lattice, node), *cells, count])
    tree.set("group", exp.Group(expressions=[*_at(group, attributes, lattice, node), *of_cells]))
    return sql.with_relations(tree, {NARROW: exp.to_table(table)})


def source_k_check_statement(
    dataset: Dataset, attributes: Sequence[EncodedColumn], lattice: Lattice, node: Node, number: int
) -> exp.Query:
    """The k-check of `node` in the source itself: hierarchies joined, classes counted, in one statement."""
    tree = sql.select("counting/source_k_check")
    tree.expressions[0].set("this", exp.Literal.number(number))
    inner = tree.args["from_"].this.this
    join, group = inner.args["joins"][0], inner.args["group"].expressions[0]
    below_top = [each for each, level, top in zip(attributes, node, lattice.top, strict=True) if level != top]
    inner.set("joins", [for_attribute(join, each) for each in below_top])
    inner.set("group", exp.Group(expressions=_at(group, attributes, lattice, node)))
    return dataset.counted(tree)


def _each(fragment: exp.Expr, attributes: Sequence[EncodedColumn], counting: Counting) -> list[exp.Expr]:
    """The fragment once for each attribute, sensitive ones last."""
    return [
        *(for_attribute(fragment, each) for each in attributes),
        *(for_values(fragment, each) for each in counting.sensitive),
    ]


def _at(fragment: exp.Expr, attributes: Sequence[EncodedColumn], lattice: Lattice, node: Node) -> list[exp.Expr]:
    """The fragment once for each attribute that `node` does not suppress, at the node's level."""
    return [
        for_attribute(fragment, each, level)
        for each, level, top in zip(attributes, node, lattice.top, strict=True)
        if level != top
    ]


_LOADED = "cached_frequency_set"
_TO_STORE = "frequency_set_to_store"


def frequency_set(
    dataset: Dataset,
    attributes: Sequence[EncodedColumn],
    cache: Cache | None,
    cached: CachedSet | None,
    version_id: int,
    rows: int,
    counting: Counting = PLAIN,
) -> StoredSet:
    """The widened frequency set of the attributes, in the workspace; counted in the source if the cache has none."""
    narrow(dataset, attributes, cache, cached, version_id, rows, counting)
    return widen(dataset, attributes, counting)


def coarser_set(dataset: Dataset, attributes: Sequence[EncodedColumn], bases: Node, counting: Counting) -> StoredSet:
    """The widened frequency set from these levels up."""
    levels = narrow_coarser(dataset, attributes, bases, counting)
    workspace = dataset.backend.workspace
    workspace.store(Purpose.ROLL_UP, WIDE, widen_statement(NARROW, attributes, levels, cells=counting.cells))
    return StoredSet(WIDE, length(workspace, WIDE), tuple(frozenset(each) for each in levels.values()))


def narrow_coarser(
    dataset: Dataset, attributes: Sequence[EncodedColumn], bases: Node, counting: Counting = PLAIN
) -> Levels:
    """Stores the table `NARROW` from these levels up; the levels that it can be counted at.

    Its codes are classes of the bases: it is not kept for other requests.
    """
    statement = frequency_set_statement(dataset, attributes, counting)
    of_bases = list(zip(attributes, bases, strict=True))
    renamed = {f"{each.keys}.cell": each.level_column(base) for each, base in of_bases if base > each.base}
    share = share_of([replace(each, base=base) for each, base in of_bases], counting)
    dataset.backend.keep(Purpose.FREQUENCY_SET, NARROW, sql.with_columns(statement, renamed), share=share)
    return {each.position: range(base, each.hierarchy.top) for each, base in of_bases}


def narrow(
    dataset: Dataset,
    attributes: Sequence[EncodedColumn],
    cache: Cache | None,
    cached: CachedSet | None,
    version_id: int,
    rows: int,
    counting: Counting = PLAIN,
) -> None:
    """Stores the table `NARROW` of the attributes; counted in the source if the cache has none.

    The counted set is offered to the cache, which may decline.
    """
    connection = dataset.backend.connection
    if cache and cached and cache.load(connection, cached, _LOADED):
        dataset.backend.workspace.store(Purpose.ROLL_UP, NARROW, _renamed(attributes, cached, counting))
        return
    count_in_source(dataset, attributes, counting)
    if cache and not dataset.backend.changed():  # what was counted may be of another content than the version's
        columns = [GroundedColumn(each.column, each.hierarchy.content_hash, each.base) for each in attributes]
        whole, table = [*columns, *counting.cached_columns], NARROW
        names = [*(each.cell_column for each in attributes), *(each.cell_column for each in counting.sensitive)]
        if names != [f"c{number}" for number in range(1, len(names) + 1)]:
            table = _TO_STORE
            numbered = {name: f"c{number}" for number, name in enumerate(names, start=1)}
            dataset.backend.workspace.store(Purpose.ROLL_UP, table, _called_anew(NARROW, numbered, counting))
        cache.store(connection, table, version_id, whole, rows)
        if table != NARROW:
            dataset.backend.workspace.rows(Purpose.ROLL_UP, sql.dropped(table))


def _renamed(attributes: Sequence[EncodedColumn], cached: CachedSet, counting: Counting) -> exp.Select:
    """The loaded set with its columns called as in this request."""
    stored = {each.column: f"c{number}" for number, each in enumerate(cached.columns, start=1)}
    called = {each.column: each.cell_column for each in attributes}
    called |= {each.column: each.cell_column for each in counting.sensitive}
    return _called_anew(_LOADED, {stored[column]: name for column, name in called.items()}, counting)


def _called_anew(table: str, names: Mapping[str, str], counting: Counting) -> exp.Select:
    """A table of combinations with its columns called anew: by their names there, the new ones, in their order."""
    tree = sql.select("counting/cached_columns")
    cell, count = tree.expressions
    columns = [
        exp.alias_(sql.with_columns(cell.copy(), {"frequency_set.cell": stored}).unalias(), name, copy=False)
        for stored, name in names.items()
    ]
    of_persons = [] if counting.entity is None else [exp.column(name, table=NARROW) for name in OF_PERSONS]
    tree.set("expressions", [*columns, *of_persons, count])
    return sql.with_relations(tree, {NARROW: exp.to_table(table)})


WORDED = "combinations_worded"
"""The combinations of persons with several, packed."""
REPEATED = "combinations_repeated"
"""Those that are not the first of their person, with the bits of earlier ones."""
MAX_BITS = 16
"""The combinations of a person with more are not compared two by two."""


def widen_persons(
    workspace: Executor, attributes: Sequence[EncodedColumn], levels: Levels, counting: Counting
) -> StoredSet:
    """The table `NARROW` of persons added up, with a column for every level, and what their combinations repeat."""
    held = tuple(frozenset(levels[each.position]) for each in attributes)
    most = workspace.rows(Purpose.ROLL_UP, most_statement())[0][0] or 0
    for each in steps(attributes, levels, counting, int(most)):
        each.keep(workspace, Purpose.ROLL_UP)
    workspace.rows(Purpose.ROLL_UP, sql.dropped(COUNTED))
    repeats = None
    if most > 1:
        repeats = Repeats(packed(attributes, levels, counting), length(workspace, REPEATED), most > MAX_BITS)
    return StoredSet(WIDE, length(workspace, WIDE), held, repeats)


def steps(attributes: Sequence[EncodedColumn], levels: Levels, counting: Counting, most: int) -> Iterator[Statement]:
    """The tables that the set `NARROW` of persons becomes, one after the other, if a person has `most` combinations."""
    yield Statement("frequency set, persons added up", False, COUNTED, combinations_statement(attributes, counting))
    yield Statement(
        "frequency set, every level beside it", False, WIDE, widened_statement(attributes, levels, counting)
    )
    if most > 1:
        words = packed(attributes, levels, counting)
        worded = worded_statement(attributes, levels, counting, words)
        yield Statement("the combinations of persons with several", False, WORDED, worded)
        yield Statement(
            "what the combinations of a person share", False, REPEATED, repeated_statement(words, min(most, MAX_BITS))
        )


def most_statement() -> exp.Select:
    """The statement that gives the most combinations of a person."""
    return sql.with_relations(sql.select("counting/most_combinations"), {"frequency_set": exp.to_table(NARROW)})


def combinations_statement(attributes: Sequence[EncodedColumn], counting: Counting) -> exp.Select:
    """The statement that adds the persons of every combination up."""
    tree = sql.select("counting/combinations")
    names = [*(each.cell_column for each in attributes), *(each.cell_column for each in counting.sensitive)]
    columns = [exp.column(name, table=NARROW) for name in names]
    tree.set("expressions", [*columns, *tree.expressions[1:]])
    tree.set("group", exp.Group(expressions=[each.copy() for each in columns]))
    return tree


def widened_statement(attributes: Sequence[EncodedColumn], levels: Levels, counting: Counting) -> exp.Select:
    """The statement that widens the combinations."""
    counts = [exp.column(name, table=NARROW) for name in ("n", "rows")]
    return widen_statement(COUNTED, attributes, levels, cells=counting.cells, counts=counts)


def worded_statement(
    attributes: Sequence[EncodedColumn], levels: Levels, counting: Counting, words: WideCells
) -> exp.Select:
    """The statement that packs the combinations of persons with several."""
    tree = sql.select("counting/worded")
    person, combinations, _ = tree.expressions
    several, join = tree.args["joins"]
    joins, parts = packed_levels(join, attributes, levels, words)
    for one in counting.sensitive:
        _place(parts, words, one.cell_column, exp.column(one.cell_column, table=NARROW))
    whole = [exp.alias_(either(of_word), name_of(word)) for word, of_word in sorted(parts.items())]
    tree.set("expressions", [person, combinations, *whole])
    tree.set("joins", [several, *joins])
    return tree


def packed_levels(
    join: exp.Expr, attributes: Sequence[Encoding], levels: Levels, words: WideCells
) -> tuple[list[exp.Expr], dict[int, list[exp.Expr]]]:
    """The join of each attribute's classes, packed, and by word the columns that the bits of all of them are in.

    `join`: of a template, for one attribute.
    """
    parts: dict[int, list[exp.Expr]] = {}
    joins: list[exp.Expr] = []
    for each in attributes:
        tables = sql.select("counting/key_words")
        cell, _ = tables.expressions
        taken: dict[int, list[exp.Expr]] = {}
        for level in levels[each.position]:
            column = each.level_column(level)
            _place(taken, words, column, exp.column(column, table="keys"))
        packed_words = [exp.alias_(either(of_word), name_of(word)) for word, of_word in taken.items()]
        tables.set("expressions", [cell, *packed_words])
        tables = sql.with_relations(tables, {"keys": exp.to_table(each.keys)})
        filled = for_attribute(join, each)
        filled.set("this", exp.Subquery(this=tables, alias=exp.TableAlias(this=exp.to_identifier(each.keys))))
        joins.append(filled)
        for word in taken:
            parts.setdefault(word, []).append(exp.column(name_of(word), table=each.keys))
    return joins, parts


def repeated_statement(words: WideCells, most: int) -> exp.Select:
    """The statement that compares every combination with the earlier ones of its person, who has at most `most`."""
    tree = sql.select("counting/repeated")
    inner = tree.args["from_"].this.this
    _, place, apart = inner.expressions
    window = inner.args["windows"][0]
    kept = [exp.column(name, table="worded") for name in words.names]
    far = range(1, most)
    inner.set("expressions", [*kept, place])
    for name in words.names:
        for back in far:
            one = sql.with_columns(apart.copy(), {"worded.word": name})
            one.this.expression.this.set("offset", exp.Literal.number(back))
            one.set("alias", exp.to_identifier(_apart(name, back)))
            inner.append("expressions", one)
    inner.args["from_"].set("this", _aliased(WORDED, "worded"))
    ordered = [exp.Ordered(this=each.copy(), nulls_first=False) for each in kept]
    window.set("order", exp.Order(expressions=ordered))
    limit = inner.args["where"].find(exp.Literal)
    limit.replace(exp.Literal.number(MAX_BITS))
    kind = smallest_type(1 << (most - 1))
    tree.set("expressions", [exp.column(name, table="later") for name in words.names])
    for column, field in words.fields.items():
        bits = [
            exp.If(
                this=exp.EQ(this=_masked(_apart(name_of(field.word), back), field.mask, "later"), expression=_zero()),
                true=as_type(exp.Literal.number(1 << (back - 1)), kind),
            )
            for back in far
        ]
        each = [exp.Case(ifs=[one], default=as_type(_zero(), kind)) for one in bits]
        tree.append("expressions", exp.alias_(either(each), shared(column)))
    return tree


def relation_of(stored: StoredSet, columns: Sequence[str]) -> exp.Expr:
    """The relation that the classes of a node are counted from: a set or, of persons, that less the excess.

    `columns`: those of classes, and of the values that are counted within them.
    """
    if stored.words is not None:
        classes = [exp.column("n", table="part"), *classes_of_words(stored.words, columns)]
        return _called(exp.Select(expressions=classes, from_=exp.From(this=_aliased(stored.table, "part"))), NARROW)
    if stored.repeats is None:
        return _aliased(stored.table, NARROW)
    plain = exp.Select(
        expressions=[exp.column(name, table=NARROW) for name in ("n", *columns)],
        from_=exp.From(this=_aliased(stored.table, NARROW)),
    )
    return _called(sql.union_all([plain, *_too_many(stored.repeats, columns)]), NARROW)


def owned_relation(stored: StoredSet, columns: Sequence[str]) -> exp.Expr:
    """The combinations in the classes of a node with the person whose each is, None where it is that person's only."""
    tree = sql.template("counting/owned_at_node")
    if not isinstance(tree, exp.Query):
        raise TypeError("counting/owned_at_node is not a query")
    alone, several = tree.this.this, tree.this.expression
    alone.args["from_"].set("this", _aliased(stored.table, NARROW))
    alone.set("expressions", [*alone.expressions[:2], *(exp.column(column, table=NARROW) for column in columns)])
    for part in (several, tree.expression):
        part.args["from_"].set("this", _aliased(WORDED, "part"))
        if stored.repeats is not None:
            part.set("expressions", [*part.expressions[:2], *classes_of_words(stored.repeats.words, columns)])
    return _called(tree, NARROW)


def _too_many(repeats: Repeats, columns: Sequence[str]) -> list[exp.Select]:
    """The statements of what has too many of persons' combinations, by these columns."""
    both = exp.paren(_all_of([exp.column(shared(column), table="repeated") for column in columns]), copy=False)
    queries = [_by_words("counting/repeated_at_node", REPEATED, repeats.words, columns)]
    where = queries[0].args["from_"].this.this.args["where"]
    if columns:
        where.this.set("this", both)
    else:
        where.pop()
    if repeats.many:
        queries.append(_by_words("counting/many_at_node", WORDED, repeats.words, columns))
    return queries


def _by_words(template: str, table: str, words: WideCells, columns: Sequence[str]) -> exp.Select:
    """A template of counts by word, with the classes of these columns in place of the word."""
    tree = sql.select(template)
    tree.set("expressions", [tree.expressions[0], *classes_of_words(words, columns)])
    inner = tree.args["from_"].this.this
    relation = inner.args["from_"].this
    stand_in = relation.name
    inner.args["from_"].set("this", _aliased(table, stand_in))
    masks = words.masks(columns)
    masked = [_masked(name_of(word), mask, stand_in) for word, mask in masks.items()]
    named = [
        exp.Alias(this=each, alias=exp.to_identifier(name_of(word))) for each, word in zip(masked, masks, strict=True)
    ]
    inner.set("expressions", [inner.expressions[0], *named])
    inner.set("group", exp.Group(expressions=[each.copy() for each in masked]) if masked else None)
    return tree


def classes_of_words(words: WideCells, columns: Sequence[str]) -> list[exp.Expr]:
    """The columns of classes, taken from the words of `part`."""
    fields = {column: words.fields[column] for column in columns}
    return [
        exp.Alias(this=field.taken(exp.column(name_of(field.word), table="part")), alias=exp.to_identifier(column))
        for column, field in fields.items()
    ]


def shared(column: str) -> str:
    """The column with the bits of the earlier combinations that share a class."""
    return f"{column}_shared"


def _place(parts: dict[int, list[exp.Expr]], words: WideCells, column: str, value: exp.Expr) -> None:
    field = words.fields[column]
    wide = as_type(value, "BIGINT")
    placed = exp.BitwiseLeftShift(this=wide, expression=exp.Literal.number(field.start)) if field.start else wide
    parts.setdefault(field.word, []).append(exp.paren(placed))


def either(values: Sequence[exp.Expr]) -> exp.Expr:
    """The bits that any of the values has."""
    whole = values[0]
    for each in values[1:]:
        whole = exp.BitwiseOr(this=whole, expression=each)
    return whole


def _all_of(values: Sequence[exp.Expr]) -> exp.Expr:
    whole = values[0] if values else _zero()
    for each in values[1:]:
        whole = exp.BitwiseAnd(this=whole, expression=each)
    return whole


def _masked(word: str, mask: int, table: str) -> exp.Expr:
    masked = exp.BitwiseAnd(this=exp.column(word, table=table), expression=exp.Literal.number(mask))
    return exp.Paren(this=masked)


def _aliased(table: str, name: str) -> exp.Table:
    return exp.Table(this=exp.to_identifier(table), alias=exp.TableAlias(this=exp.to_identifier(name)))


def _called(query: exp.Query, name: str) -> exp.Subquery:
    return exp.Subquery(this=query, alias=exp.TableAlias(this=exp.to_identifier(name)))


def _apart(word: str, back: int) -> str:
    return f"{word}_{back}_back"


def _zero() -> exp.Expr:
    return exp.Literal.number(0)
