"""The relations of a dataset query: what each stands for, and the table column behind each of its columns.

sqlglot's scopes say which table, or which query of a WITH or of parentheses, a name after FROM stands for. Written here
is what they do not say: whether a column is shown *unchanged* (its lineage names all that a column is calculated from),
and that a query in which anything could not be followed is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import Scope, build_scope

from ordermade.errors import FilterError
from ordermade.sql import DIALECT

TableName = tuple[str, str, str]
Leaf = tuple[TableName, str]
"""A column of a table of the source, both in lower case."""
Source = exp.Table | Scope
"""What a name after FROM stands for: a table of the source, or a query."""


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
class KnownTables:
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


def scope_of(query: exp.Expr, known: KnownTables) -> Scope:
    """The scope of a query in which every column names its relation, and every `*` is written out.

    Raises FilterError for a query that cannot be followed: a column that is none of its tables, or of several.
    """
    tree: dict[str, dict[str, dict[str, dict[str, str]]]] = {}
    for each in known.tables:
        tree.setdefault(each.catalog, {}).setdefault(each.schema, {})[each.name] = dict.fromkeys(each.types, "VARCHAR")
    try:
        options = {"dialect": DIALECT, "quote_identifiers": False, "identify": False}
        found = build_scope(qualify(query, schema=tree, **options))  # type: ignore[arg-type]
        if found is not None and all(each.selected_sources is not None for each in found.traverse()):
            return found
    except (SqlglotError, LookupError, ValueError, TypeError, AttributeError, RecursionError):
        pass  # the library fails in these ways on what it does not know
    what = "the dataset query cannot be followed: it may use a name that is no column of its tables, or of several"
    raise FilterError(what, next_step="Write each column with its table, as members.age, or make a view of the query.")


def tables_behind(source: Source) -> Iterator[TableName]:
    """The tables of the source that a relation reads, wherever it reads them."""
    if isinstance(source, exp.Table):
        yield (source.catalog.lower(), source.db.lower(), source.name.lower())
        return
    within = [each for _, each in source.selected_sources.values()]
    for each in (*within, *source.set_operation_scopes, *source.subquery_scopes):
        yield from tables_behind(each)


def leaves(source: Source, column: str) -> frozenset[Leaf] | None:
    """The table columns that a column of a relation shows unchanged; None if it shows anything else too."""
    if isinstance(source, exp.Table):
        alias = source.args.get("alias")
        return None if alias and alias.columns else frozenset((table, column) for table in tables_behind(source))
    if isinstance(source.expression, exp.SetOperation):
        sides = sides_of(source, column)
        found = [leaves(side, name) for side, name in sides]
        return None if not sides or None in found else frozenset().union(*(each or () for each in found))
    plain = plain_column(source, column)
    return None if plain is None else leaves(source.selected_sources[plain.table][1], plain.name)


def sides_of(union: Scope, column: str) -> list[tuple[Scope, str]]:
    """The queries that a UNION has the rows of, each with its name of a column; none where that is not clear."""
    queries = [each.expression for each in union.set_operation_scopes]
    names = [each.named_selects if isinstance(each, exp.Query) else [] for each in queries]
    if len({len(each) for each in names}) != 1 or names[0].count(column) != 1:
        return []
    return [(each, own[names[0].index(column)]) for each, own in zip(union.set_operation_scopes, names, strict=True)]


def plain_column(scope: Scope, name: str) -> exp.Column | None:
    """The one column of a relation that a SELECT gives under the name; None for an expression or a doubtful one."""
    select = scope.expression
    found = (
        [each for each in select.expressions if each.alias_or_name == name] if isinstance(select, exp.Select) else []
    )
    value = found[0].unalias() if len(found) == 1 else None
    return value if isinstance(value, exp.Column) and value.table in scope.selected_sources else None


def equal_columns(join: exp.Join) -> Iterator[tuple[exp.Column, exp.Column]]:
    """The pairs of columns that a join requires to be equal, whatever else it requires; each pair in both orders."""
    condition = join.args["on"].unnest()
    for part in condition.flatten() if isinstance(condition, exp.And) else (condition,):
        equal = part.unnest()
        if isinstance(equal, exp.EQ) and isinstance(equal.left, exp.Column) and isinstance(equal.right, exp.Column):
            yield equal.left, equal.right
            yield equal.right, equal.left
