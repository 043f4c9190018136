"""The relations of a dataset query: the tables behind each, and the table column behind each of its columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify

from ordermade.sql import DIALECT

TableName = tuple[str, str, str]
Leaf = tuple[TableName, str]
"""A column of a table of the source, both in lower case."""


@dataclass(frozen=True, slots=True)
class KnownTable:
    """A table or view as the source's catalog has it: the types of its columns, by name."""

    catalog: str
    schema: str
    name: str
    types: Mapping[str, str]
    is_view: bool = False

    @property
    def key(self) -> TableName:
        """The name that finds it, whatever the case."""
        return (self.catalog.lower(), self.schema.lower(), self.name.lower())


@dataclass(frozen=True, slots=True)
class Known:
    """The tables of a source; `collates`: it compares texts by a collation, so that different texts may be equal."""

    tables: tuple[KnownTable, ...]
    collates: bool = False

    def find(self, key: TableName) -> KnownTable | None:
        """The table of that name, if there is one."""
        return next((each for each in self.tables if each.key == key), None)

    def type_of(self, leaf: Leaf) -> str | None:
        """The type of a column of a table."""
        found = self.find(leaf[0])
        types = {} if found is None else {name.lower(): kind for name, kind in found.types.items()}
        return types.get(leaf[1])


def followed(query: exp.Expr, known: Known) -> exp.Expr:
    """A copy of the query in which every column names its table and every `*` is written out, as far as can be seen.

    Tables of the source carry their schema and catalog. An unknown construct stays as it is, and proves nothing.
    """
    tree: dict[str, dict[str, dict[str, dict[str, str]]]] = {}
    for each in known.tables:
        columns = dict.fromkeys(each.types, "VARCHAR")
        tree.setdefault(each.catalog, {}).setdefault(each.schema, {})[each.name] = columns
    options = {"validate_qualify_columns": False, "quote_identifiers": False, "identify": False}
    try:
        return qualify(query.copy(), schema=tree, dialect=DIALECT, **options)  # type: ignore[arg-type]
    except (SqlglotError, KeyError, ValueError, TypeError, AttributeError, RecursionError):
        return query


@dataclass(frozen=True, slots=True)
class Defined:
    """The queries that WITH has named where one stands, in order."""

    ctes: tuple[exp.CTE, ...] = ()

    def within(self, query: exp.Expr) -> Defined:
        """The names defined inside `query`, too."""
        found = query.args.get("with_")
        return self if found is None else replace(self, ctes=(*self.ctes, *found.expressions))

    def named(self, relation: exp.Expr) -> tuple[exp.Expr, Defined] | None:
        """The query that a table's name stands for, and the names defined inside it; None for a table of the source."""
        if not isinstance(relation, exp.Table) or relation.args.get("db"):
            return None
        for place in reversed(range(len(self.ctes))):
            if self.ctes[place].alias.lower() == relation.name.lower():
                return self.ctes[place].this, Defined(self.ctes[:place])
        return None


def table_name(table: exp.Table) -> TableName:
    """The name of a table of the source, in lower case."""
    return (table.catalog.lower(), table.db.lower(), table.name.lower())


def tables_behind(node: exp.Expr, defined: Defined) -> Iterator[TableName]:
    """The tables of the source that a part of a query reads, each as often as it is named."""
    for table in node.find_all(exp.Table):
        named = _around(table, node, defined).named(table)
        if named is not None:
            yield from tables_behind(*named)
        elif table.args.get("db"):
            yield table_name(table)


def _around(table: exp.Table, outermost: exp.Expr, defined: Defined) -> Defined:
    """The names defined where a table stands: by `defined`, and by every WITH up to the outermost part."""
    found: list[exp.CTE] = []
    inside: exp.Expr | None = None
    around: exp.Expr | None = table
    while around is not None:
        names = around.args.get("with_")
        if names is not None:
            found[:0] = [each for each in names.expressions if each is not inside]
        if isinstance(around, exp.CTE):
            inside = around
        around = None if around is outermost else around.parent
    return replace(defined, ctes=(*defined.ctes, *found))


def relations_of(select: exp.Select) -> Iterator[exp.Expr]:
    """The relations that a SELECT reads: the one after FROM, then those joined to it."""
    start = select.args.get("from_")
    if start is not None:
        yield start.this
    for join in select.args.get("joins") or []:
        yield join.this
    yield from select.args.get("laterals") or []


def inner_query(relation: exp.Expr, defined: Defined) -> tuple[exp.Expr, Defined] | None:
    """The query that a relation is, in parentheses or named by WITH; None for any other relation."""
    if isinstance(relation, exp.Subquery) and isinstance(relation.this, exp.Query) and not relation.args.get("pivots"):
        return relation.this, defined
    return None if relation.args.get("pivots") else defined.named(relation)


def is_table(relation: exp.Expr) -> bool:
    """Whether a relation is a table of the source as it is, its columns not renamed."""
    plain = isinstance(relation, exp.Table) and bool(relation.args.get("db"))
    alias = relation.args.get("alias")
    return plain and not any(relation.args.get(key) for key in ("pivots", "joins")) and not (alias and alias.columns)


def leaves(relation: exp.Expr, column: str, defined: Defined) -> frozenset[Leaf] | None:
    """The table columns that a column of a relation shows unchanged; None if it shows anything else too."""
    if is_table(relation) and isinstance(relation, exp.Table):
        return frozenset([(table_name(relation), column.lower())])
    query = inner_query(relation, defined)
    return None if query is None else leaves_of_query(query[0], column, query[1])


def leaves_of_query(query: exp.Expr, column: str, defined: Defined) -> frozenset[Leaf] | None:
    """As `leaves`, for a column of a query."""
    defined = defined.within(query)
    if isinstance(query, exp.Subquery):
        return leaves_of_query(query.this, column, defined)
    if isinstance(query, exp.SetOperation):
        sides = sides_of(query, column)
        found = [None if name is None else leaves_of_query(side, name, defined) for side, name in sides]
        return None if any(each is None for each in found) else frozenset().union(*(each or () for each in found))
    if not isinstance(query, exp.Select):
        return None
    plain = plain_column(query, column)
    relation = None if plain is None else relation_called(query, plain.table)
    return None if plain is None or relation is None else leaves(relation, plain.name, defined)


def sides_of(query: exp.SetOperation, column: str) -> list[tuple[exp.Expr, str | None]]:
    """The queries whose rows a set operation has, each with its name of the column; None where that is not known."""
    left, right = query.left, query.right
    if isinstance(query, (exp.Except, exp.Intersect)):
        return [(left, column)]
    if query.args.get("by_name"):
        return [(left, column), (right, column)]
    places = [each.lower() for each in left.named_selects]
    names = right.named_selects
    at = places.index(column.lower()) if places.count(column.lower()) == 1 else len(names)
    return [(left, column), (right, names[at] if at < len(names) == len(places) else None)]


def plain_column(select: exp.Select, name: str) -> exp.Column | None:
    """The one column of a relation that a SELECT gives under the name; None for an expression or a doubtful one."""
    found = [each for each in select.expressions if each.alias_or_name.lower() == name.lower()]
    if len(found) != 1:
        return None
    value = found[0].unalias()
    if isinstance(value, exp.Coalesce) and _is_of_using(value, select):
        value = value.this
    return value if isinstance(value, exp.Column) and value.table and isinstance(value.this, exp.Identifier) else None


def _is_of_using(value: exp.Coalesce, select: exp.Select) -> bool:
    """Whether a COALESCE stands for a column of USING: of columns of one name, which the joins make equal."""
    parts = [value.this, *value.expressions]
    if not all(isinstance(each, exp.Column) and each.name == value.this.name for each in parts):
        return False
    equal = {frozenset((key(a), key(b))) for a, b in equalities(select)}
    return all(frozenset((key(value.this), key(each))) in equal for each in parts[1:])


def relation_called(select: exp.Select, alias: str) -> exp.Expr | None:
    """The relation of a SELECT that goes by the alias."""
    found = [each for each in relations_of(select) if each.alias_or_name.lower() == alias.lower()]
    return found[0] if len(found) == 1 else None


def equalities(select: exp.Select) -> list[tuple[exp.Column, exp.Column]]:
    """The pairs of columns that the joins of a SELECT require to be equal."""
    found = []
    for join in select.args.get("joins") or []:
        found += join_equalities(join)
    return found


def join_equalities(join: exp.Join) -> list[tuple[exp.Column, exp.Column]]:
    """The pairs of columns that a join requires to be equal, whatever else it requires."""
    condition = join.args.get("on")
    parts: Iterable[exp.Expr] = () if condition is None else condition.unnest().flatten()
    if condition is not None and not isinstance(condition.unnest(), exp.And):
        parts = (condition.unnest(),)
    pairs = [each.unnest() for each in parts]
    return [
        (each.this, each.expression)
        for each in pairs
        if isinstance(each, exp.EQ) and isinstance(each.this, exp.Column) and isinstance(each.expression, exp.Column)
    ]


def key(column: exp.Column) -> tuple[str, str]:
    """A column of a SELECT by its table's alias and its name, in lower case."""
    return column.table.lower(), column.name.lower()
