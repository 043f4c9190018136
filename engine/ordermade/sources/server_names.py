"""Names of a server's tables and columns, of which several may differ by upper and lower case alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlglot import exp

from ordermade import sql
from ordermade.sources.backend import CatalogTable, Column
from ordermade.sources.server_text import SOURCE, ServerTable


def stored_names(query: exp.Expr, answered: Sequence[str]) -> list[str]:
    """The name of the column of a table that each column of an answer is made of; its own where it is of several."""
    return [_stored_name(query, each) or each for each in answered]


def _stored_name(query: exp.Expr | None, name: str) -> str:
    """The name of the column of a table that a query answers under a name; empty where it is none or several."""
    if not isinstance(query, exp.Select):
        return ""
    for each in query.expressions:
        if each.alias_or_name.casefold() == name.casefold() and not each.is_star:
            made_of = {column.name for column in each.find_all(exp.Column)}
            return _passed_on(query, made_of.pop()) if len(made_of) == 1 else ""
    return _passed_on(query, name) if query.is_star else ""


def _passed_on(query: exp.Select, name: str) -> str:
    relations = [query.args.get("from_"), *(query.args.get("joins") or [])]
    inner = [each.this.this for each in relations if each is not None and isinstance(each.this, exp.Subquery)]
    return next((found for each in inner if (found := _stored_name(each, name))), name)


def unread_table(schema: str, name: str, *, is_view: bool = False, row_security: bool = False) -> ServerTable:
    """A table or view of which the catalogue gave the name alone."""
    listed = CatalogTable(name, schema, (), sql.table(name, schema=schema, catalog=SOURCE), is_view, row_security)
    return ServerTable(listed, schema, name, {}, {}, is_unread=True)


def distinct_references(tables: Sequence[ServerTable]) -> dict[tuple[str, str], ServerTable]:
    """The tables by the schema and name of a reference each that no other has in any case: DuckDB minds no case."""
    by_schema: dict[str, list[str]] = {}
    for each in tables:
        by_schema.setdefault(each.schema, []).append(each.name)
    schemas = _distinct(by_schema)
    names = {schema: _distinct(named) for schema, named in by_schema.items()}
    found: dict[tuple[str, str], ServerTable] = {}
    for each in tables:
        schema, name = schemas[each.schema], names[each.schema][each.name]
        if (schema, name) != (each.schema, each.name):
            reference = sql.table(name, schema=schema, catalog=SOURCE)
            each = replace(each, listed=replace(each.listed, reference=reference))
        found[schema, name] = each
    return found


def _distinct(names: Iterable[str]) -> dict[str, str]:
    """The names, numbered where one before them differs by upper and lower case alone."""
    given: dict[str, str] = {}
    taken: set[str] = set()
    for name in sorted(set(names)):
        tried, number = name, 1
        while tried.casefold() in taken:
            number += 1
            tried = f"{name} {number}"
        taken.add(tried.casefold())
        given[name] = tried
    return given


def of_one_case(columns: Sequence[Column]) -> tuple[tuple[Column, ...], frozenset[str]]:
    """The columns but for those whose name one before them has in another case; and the names of those before them."""
    kept: dict[str, Column] = {}
    for each in columns:
        kept.setdefault(each.name.casefold(), each)
    names = {each.name for each in kept.values()}
    ambiguous = {kept[each.name.casefold()].name for each in columns if each.name not in names}
    return tuple(kept.values()), frozenset(ambiguous)
