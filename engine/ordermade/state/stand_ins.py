"""Statements over any table of the state: a section of `sql/state.sql` says `requests`, and `id` for its key."""

from __future__ import annotations

from functools import cache

from sqlglot import exp, parse_one

from ordermade import sql
from ordermade.files.resources import statement
from ordermade.state.tables import TABLES

DIALECT = "sqlite"


@cache
def over(name: str, table: str) -> str:
    """The text of the statement `name` over a table, in place of the one that stands for it, and over its key."""
    tree = parse_one(statement(name), dialect=DIALECT)
    for each in tree.find_all(exp.Table):
        if each.name in ("requests", "sources"):
            each.set("this", sql.identifier(table))
    key, once = TABLES[table].key, TABLES[table].once
    for join in tree.find_all(exp.Join):
        if join.args.get("using"):
            join.set("using", [sql.identifier(each) for each in (*key, *once)])
    for column in tree.find_all(exp.Column):
        if column.name == "id":
            column.set("this", sql.identifier(key[0]))
    return tree.sql(dialect=DIALECT, comments=False)
