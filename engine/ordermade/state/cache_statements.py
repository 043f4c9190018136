"""The statements over the tables of a cache, whose names are known when one is run."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from sqlglot import exp

from ordermade import sql


def filled(name: str, columns: tuple[str, ...] | None, stand_ins: Mapping[str, str]) -> str:
    """The text of a statement with its stand-in tables given their names, wherever they are.

    `columns`: those of the set that it copies to or from a table of the workspace.
    """
    compiled = _compiled(name, columns, tuple(stand_ins))
    return compiled.filled(**{stand_in: sql.quoted(table) for stand_in, table in stand_ins.items()})


@lru_cache(maxsize=64)
def _compiled(name: str, columns: tuple[str, ...] | None, stand_ins: tuple[str, ...]) -> sql.Compiled:
    tree = sql.template(name)
    for table in tree.find_all(exp.Table):
        if table.name in stand_ins:
            table.set("this", sql.identifier(f"any_{table.name}"))
    if columns is not None:
        selected = tree.find(exp.Select)
        if selected is None:
            raise TypeError(f"sql/{name}.sql selects nothing")
        selected.set("expressions", [sql.column(column) for column in columns])
    return sql.compiled(tree, **{each: sql.quoted(f"any_{each}") for each in stand_ins})


@lru_cache(maxsize=64)
def measuring(tables: tuple[str, ...]) -> str:
    """The text of the statement that measures tables of counted values in the workspace."""
    queries: list[exp.Query] = []
    for number, table in enumerate(tables):
        tree = sql.with_relations(sql.select("cache/measured_values"), {"marginal": sql.table(table)})
        tree.expressions[0].set("this", exp.Literal.number(number))
        queries.append(tree)
    return sql.text(sql.union_all(queries))
