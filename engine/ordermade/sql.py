"""The one door to the SQL templates: every statement is a section of a file in `sql/`, changed as a tree, then printed.

A template is valid DuckDB SQL that runs by hand on the stand-in tables of `sql/stand_ins.sql`. Its stand-in names are
replaced in the sqlglot tree, never in the text: `template("counting/k_check")` gives a fresh copy of the tree of the
section `k_check` of `sql/counting.sql`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, update_wrapper
from typing import Generic, ParamSpec, TypeVar, cast

import sqlglot
from sqlglot import exp
from sqlglot.expressions.core import POSITION_META_KEYS

from ordermade.files.resources import statement

DIALECT = "duckdb"
Tree = TypeVar("Tree", bound=exp.Expr)
Given = ParamSpec("Given")
_SHAPES = 128
"""So many trees of one statement are known at a time, of those built last."""
_PARAMETER = re.compile(r"\$([a-z_]+)")


@cache
def _parsed(name: str) -> exp.Expr:
    return _without_positions(sqlglot.parse_one(statement(name), dialect=DIALECT))


def _without_positions(tree: exp.Expr) -> exp.Expr:
    """`tree` without the places of its nodes in the text that was parsed: copying them takes most of a copy's time."""
    for node in tree.walk():
        for place in POSITION_META_KEYS if node._meta else ():
            node.meta.pop(place, None)
        node._meta = node._meta or None
    return tree


def template(name: str) -> exp.Expr:
    """A fresh copy of the tree of the statement `name`."""
    return _parsed(name).copy()


@cache
def script(name: str) -> str:
    """The text of `name`, a statement of another database's own, without its comments.

    A parameter `$name` is written `%(name)s`, as the drivers of servers read it, and each `%` beside one is doubled.
    """
    text = "\n".join(line for line in statement(name).splitlines() if not line.startswith("--"))
    return _PARAMETER.sub(r"%(\1)s", text.replace("%", "%%")) if _PARAMETER.search(text) else text


def foreign(name: str, dialect: str) -> exp.Expr:
    """The tree of `name`, a statement that is written in another dialect than DuckDB's."""
    return sqlglot.parse_one(statement(name), dialect=dialect)


def script_over(name: str, dialect: str, stand_ins: Mapping[str, exp.Expr]) -> str:
    """The script `name` with the tree of each stand-in, written `{so}` there, printed in its place."""
    printed = {key: tree.sql(dialect=dialect, identify=True) for key, tree in stand_ins.items()}
    return re.sub(r"\{(\w+)\}", lambda match: printed[match.group(1)], script(name))


def printed(name: str, parts: Mapping[str, str]) -> str:
    """The text of `name` for a person to run, its comments too, with each `{part}` written as it stands there."""
    return re.sub(r"\{(\w+)\}", lambda match: parts[match.group(1)], statement(name))


def select(name: str) -> exp.Select:
    """A fresh copy of a template that is one SELECT."""
    tree = template(name)
    if not isinstance(tree, exp.Select):
        raise TypeError(f"the statement {name} is not a single SELECT")
    return tree


def identifier(name: str) -> exp.Identifier:
    """`name` exactly as stored, always quoted."""
    return exp.to_identifier(name, quoted=True)


def quoted(name: str) -> str:
    """`name` exactly as stored, as the text of a statement has it."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def column(name: str, table: str | None = None) -> exp.Column:
    """A quoted column, of `table` if given."""
    return exp.column(identifier(name), table=identifier(table) if table else None, copy=False)


def table(name: str, *, schema: str | None = None, catalog: str | None = None, alias: str | None = None) -> exp.Table:
    """A quoted table reference."""
    return exp.Table(
        this=identifier(name),
        db=identifier(schema) if schema else None,
        catalog=identifier(catalog) if catalog else None,
        alias=exp.TableAlias(this=identifier(alias)) if alias else None,
    )


def with_relations(tree: Tree, relations: Mapping[str, exp.Expr]) -> Tree:
    """`tree` with each stand-in table replaced by a relation: a table, or a query in parentheses.

    The stand-in's alias, or else its name, stays as the alias, so the rest of the statement reads on unchanged.
    """

    def replace(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Table) or node.name not in relations or node.args.get("db"):
            return node
        relation = relations[node.name].copy()
        alias = exp.TableAlias(this=exp.to_identifier(node.alias or node.name))
        if isinstance(relation, exp.Query) and not isinstance(relation, exp.Subquery):
            return exp.Subquery(this=relation, alias=alias)
        relation.set("alias", alias)
        return relation

    return cast("Tree", tree.transform(replace, copy=False))


def with_expressions(tree: Tree, named: Mapping[str, exp.Expr]) -> Tree:
    """`tree` with every stand-in column `table.column` of `named` replaced by a copy of its expression."""

    def replace(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column) and _stands_in(node, named):
            return named[f"{node.table}.{node.name}"].copy()
        return node

    return cast("Tree", tree.transform(replace, copy=False))


def with_columns(tree: Tree, renamed: Mapping[str, str]) -> Tree:
    """`tree` with every stand-in column `table.column` of `renamed` given its real, quoted name (the table stays)."""
    for node in list(tree.find_all(exp.Column)):
        if _stands_in(node, renamed):
            node.set("this", identifier(renamed[f"{node.table}.{node.name}"]))
    return tree


def with_table(tree: Tree, stand_in: str, name: str) -> Tree:
    """`tree` with every column of the stand-in table a column of the table `name` (the columns stay)."""
    for node in tree.find_all(exp.Column):
        if node.table == stand_in:
            node.set("table", exp.to_identifier(name))
    return tree


def _stands_in(column: exp.Column, names: Mapping[str, object]) -> bool:
    """Whether a column is one of these stand-ins. A quoted one is a column of the data, whatever it is called."""
    return f"{column.table}.{column.name}" in names and not column.this.args.get("quoted")


def named(expression: exp.Expr, name: str) -> exp.Alias:
    """`expression AS "name"`; an alias it already has is replaced."""
    return exp.Alias(this=expression.unalias(), alias=identifier(name))


def union_all(queries: Iterable[exp.Query]) -> exp.Query:
    """The queries joined by UNION ALL, in order. At least one is needed."""
    parts = list(queries)
    return (
        parts[0]
        if len(parts) == 1
        else cast("exp.Query", exp.union(*parts, distinct=False, dialect=DIALECT, copy=False))
    )


def pretty(statement: str) -> str:
    """A statement that ran, laid out for reading."""
    return sqlglot.parse_one(statement, dialect=DIALECT).sql(dialect=DIALECT, pretty=True)


def text(tree: exp.Expr, *, pretty: bool = False) -> str:
    """The statement as the source gets it."""
    return tree.sql(dialect=DIALECT, pretty=pretty, comments=False)


@cache
def as_written(name: str) -> str:
    """The text of a template that has no stand-ins, as it is sent."""
    return text(_parsed(name))


class BuiltOnce(Generic[Given, Tree]):
    """A function that builds a statement of its arguments alone, by which its tree and its text are made once."""

    def __init__(self, build: Callable[Given, Tree]) -> None:
        self._built: Callable[..., Tree] = lru_cache(maxsize=_SHAPES)(build)
        self._printed: Callable[..., str] = lru_cache(maxsize=_SHAPES)(self._print)
        update_wrapper(self, build)

    def __call__(self, *given: Given.args, **named: Given.kwargs) -> Tree:
        """A fresh copy of the tree."""
        return self._built(*given, **named).copy()

    def text(self, *given: Given.args, **named: Given.kwargs) -> str:
        """The statement as it is sent."""
        return self._printed(*given, **named)

    def _print(self, *given: Given.args, **named: Given.kwargs) -> str:
        return text(self._built(*given, **named))


@dataclass(frozen=True, slots=True)
class Compiled:
    """A statement printed once, for many that differ in a few places: its text between them, and their names."""

    texts: tuple[str, ...]
    places: tuple[str, ...]

    def filled(self, **parts: str) -> str:
        """The statement with the text of each part in its places."""
        found = [self.texts[0]]
        for place, text in zip(self.places, self.texts[1:], strict=True):
            found += (parts[place], text)
        return "".join(found)


def compiled(tree: exp.Expr, **stand_ins: str) -> Compiled:
    """The statement, parted wherever one of the texts `stand_ins` is, each of which must be there."""
    names = {stand_in: name for name, stand_in in stand_ins.items()}
    parts = re.split("|".join(f"({re.escape(each)})" for each in names), text(tree))
    found = [each for each in parts if each is not None]
    places = tuple(names[each] for each in found[1::2])
    if set(places) != set(stand_ins):
        raise ValueError("a stand-in is not in the statement")
    return Compiled(tuple(found[::2]), places)


def with_literal(tree: Tree, stand_in: str, value: exp.Expr) -> Tree:
    """`tree` with the string literal `stand_in` replaced by `value`."""

    def replace(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Literal) and node.is_string and node.this == stand_in:
            return value.copy()
        return node

    return cast("Tree", tree.transform(replace, copy=False))


def stored(name: str, query: exp.Query) -> exp.Expr:
    """The statement that keeps the answer of `query` as the temporary table `name`."""
    tree = template("workspace/store")
    tree.set("this", table(name))
    tree.set("expression", query)
    return tree


@cache
def _compiled_store() -> Compiled:
    query = exp.select("any_column")
    return compiled(stored("any_stored", query), table='"any_stored"', query=text(query))


def stored_text(name: str, query: str) -> str:
    """The text of `stored` for the text of a query."""
    return _compiled_store().filled(table=quoted(name), query=query)


def dropped(name: str) -> exp.Expr:
    """The statement that drops the table `name` of the workspace, where it is there."""
    tree = template("workspace/drop")
    for node in tree.find_all(exp.Table):
        node.set("this", identifier(name))
    return tree
