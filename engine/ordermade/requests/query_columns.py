"""The table columns that a dataset query names, by the relations that are in scope where it does: pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope, traverse_scope

ColumnsOf = Callable[[exp.Table], Collection[str]]
"""The columns of a table that a query names, in lower case."""


def missing_columns(query: exp.Query, columns_of: ColumnsOf) -> Iterator[str]:
    """The names that are columns of no table where the query names them; none where that is not plain.

    A name is followed only where every relation in scope is a table: what a query of a WITH shows is its own matter.
    """
    try:
        scopes = traverse_scope(query)
        for scope in scopes:
            for column in scope.columns:
                if not _is_there(column, scope, columns_of):
                    yield column.name
    except (SqlglotError, LookupError, ValueError, TypeError, AttributeError, RecursionError):
        return  # the library fails in these ways on what it does not know


def made_by(query: exp.Query) -> frozenset[str]:
    """The names that a query gives to columns and relations itself, in lower case."""
    made = {each.alias for each in query.find_all(exp.Alias)}
    for each in query.find_all(exp.TableAlias):
        made |= {each.name, *(column.name for column in each.columns)}
    return frozenset(each.casefold() for each in made)


def _is_there(column: exp.Column, scope: Scope, columns_of: ColumnsOf) -> bool:
    relations = _in_scope(scope)
    named = column.table.casefold()
    of_name = [source for name, source in relations if name.casefold() == named]
    read = of_name or [source for _, source in relations]
    if any(not isinstance(each, exp.Table) or _renames(each) for each in read):
        return True
    tables = [each for each in read if isinstance(each, exp.Table)]
    known = {name for each in tables for name in columns_of(each)}
    known |= {name.casefold() for name, _ in relations}  # a row as a whole
    if named and not of_name:  # a part of a structure, such as place.town
        return named in known
    return column.name.casefold() in known or (not named and column.name.casefold() in _aliases(column, scope))


def _in_scope(scope: Scope | None) -> list[tuple[str, exp.Expr | Scope]]:
    """The relations that a query and those around it read, each with the name that it has there."""
    found: list[tuple[str, exp.Expr | Scope]] = []
    while scope is not None:
        found += [(name, source) for name, (_, source) in scope.selected_sources.items()]
        scope = scope.parent if scope.is_subquery else None
    return found


def _renames(table: exp.Table) -> bool:
    alias = table.args.get("alias")
    return bool(alias and alias.columns)


def _aliases(column: exp.Column, scope: Scope) -> set[str]:
    """The names that a query gives to what it selects, but for the expression that the column is part of."""
    selected = scope.expression.selects if isinstance(scope.expression, exp.Select) else []
    others = [each for each in selected if not any(node is column for node in each.find_all(exp.Column))]
    return {each.alias.casefold() for each in others if each.alias}
