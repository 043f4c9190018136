"""The steps of the audit, replayed: the rows of users, tokens, submitted requests, revisions and votes.

Every step notes the rows it wrote, so that the last word on a row is what the tables have: what differs was written by
something else, or the audit lacks a step. Texts that are erased by policy and hashes of tokens are not in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from ordermade import sql
from ordermade.state.statements import rows

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

TABLES: Mapping[str, tuple[str, ...]] = {
    "users": ("id",),
    "tokens": ("id",),
    "submissions": ("id",),
    "submission_revisions": ("submission_id", "revision"),
    "reviews": ("submission_id", "revision", "reviewer", "voted_at"),
    "accepted_terms": ("dataset_name", "user_name", "terms_hash"),
}
"""The tables that steps write, with the columns of their keys."""

Key: TypeAlias = tuple[Any, ...]
Row: TypeAlias = dict[str, Any]


def unlike(connection: DuckDBPyConnection) -> tuple[str, ...]:
    """How the tables of the open state differ from its audit, replayed; empty where they agree."""
    steps = replayed(row[-1] for row in rows(connection, "state/audit_of_steps"))
    return differences(steps, {name: _rows_of(connection, name) for name in TABLES})


def _rows_of(connection: DuckDBPyConnection, table: str) -> list[Row]:
    """The rows of a table by columns, times as the audit has them."""
    found = connection.execute(_reading(table))
    names = [str(each[0]) for each in found.description or ()]
    return [
        {name: each.isoformat() if isinstance(each, datetime) else each for name, each in zip(names, row, strict=True)}
        for row in found.fetchall()
    ]


@cache
def _reading(table: str) -> str:
    return sql.text(sql.with_relations(sql.select("state/table_rows"), {"requests": sql.table(table)}))


def replayed(steps: Iterable[str]) -> dict[str, dict[Key, Row]]:
    """The rows of each table by key after these steps, each the `data` of an entry, the earliest first.

    Raises ValueError for a step that is none.
    """
    tables: dict[str, dict[Key, Row]] = {name: {} for name in TABLES}
    for step in steps:
        for each in json.loads(step).get("rows", ()):  # a restore and the like write none of these
            name = each["table"]
            if name not in TABLES:
                raise ValueError(f"no step writes the table {name!r}")
            row = {**each["key"], **each["values"]}
            key = tuple(each["key"][column] for column in TABLES[name])
            tables[name].setdefault(key, {}).update(row)
    return tables


def differences(replay: Mapping[str, Mapping[Key, Row]], tables: Mapping[str, Iterable[Row]]) -> tuple[str, ...]:
    """How the rows of tables differ from what the steps gave, a line each; empty where they agree.

    A column that no step notes is not compared.
    """
    found = []
    for name, key_columns in TABLES.items():
        noted, there = replay[name], {tuple(row[column] for column in key_columns): row for row in tables[name]}
        found += [f"{name}: row {key} is in the audit alone" for key in noted.keys() - there.keys()]
        found += [f"{name}: row {key} is not in the audit" for key in there.keys() - noted.keys()]
        for key in sorted(noted.keys() & there.keys(), key=str):
            columns = [column for column, value in noted[key].items() if there[key][column] != value]
            found += [f"{name}: {column} of row {key} is not what the audit says" for column in columns]
    return tuple(found)
