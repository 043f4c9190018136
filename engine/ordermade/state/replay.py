"""The steps of the audit, replayed: rows of users, what they act by, submitted requests, publications; policies.

Every step notes the rows it wrote, so that the last word on a row is what the tables have: what differs was written by
something else, or the audit lacks a step. Texts that are erased by policy and hashes of what users act by are not in
it. Of a policy the audit notes version and hash.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from ordermade.state import policies
from ordermade.state.audit import AUDIT
from ordermade.state.publications import PUBLICATIONS
from ordermade.state.seals import Finding, audit_chain
from ordermade.state.sessions import PASSWORDS, SESSIONS
from ordermade.state.statements import without_zone
from ordermade.state.submissions import ACCEPTED_TERMS, COMMENTS, REVIEWS, REVISIONS, SUBMISSIONS
from ordermade.state.table import PRESENT, Table
from ordermade.state.users import TOKENS, USERS

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection

TABLES: Mapping[str, Table[Any]] = MappingProxyType(
    {
        each.name: each
        for each in (
            *(USERS, TOKENS, PASSWORDS, SESSIONS),
            *(SUBMISSIONS, REVISIONS, REVIEWS, COMMENTS, ACCEPTED_TERMS, PUBLICATIONS),
        )
    }
)
"""The tables that steps write."""

Key: TypeAlias = tuple[Any, ...]
Row: TypeAlias = dict[str, Any]


def unlike_their_steps(connection: StateConnection) -> Iterator[Finding]:
    """The rows of the open state that are not what the steps of the audit wrote.

    Seals computed anew do not hide such an edit: it shows for as long as the head of the audit is the one noted.
    """
    try:
        replay = replayed(str(data) for (data,) in AUDIT.read(connection, ("data",), data=PRESENT, order_by=("id",)))
    except (ValueError, KeyError, TypeError):
        yield Finding("audit", "a step cannot be replayed: it is not as a command of ordermade writes it")
        return
    yield from _unlike_as_set(connection)
    there = {name: list(_rows_of(connection, table)) for name, table in TABLES.items()}
    for table, key, what in differences(replay, there):
        yield Finding(f"{table} {', '.join(map(str, key))}", what)


def _unlike_as_set(connection: StateConnection) -> Iterator[Finding]:
    """The versions of policies that are not those which the audit says were set."""
    noted = {
        (entry.subject, *(entry.detail or "").removeprefix("version ").split(", ", 1))
        for entry in audit_chain(connection)
        if entry.action == "policy set"
    }
    there = set()
    for each in policies.every(connection):
        version = (each.dataset_name, str(each.version), each.policy_hash)
        there.add(version)
        if version not in noted:
            yield Finding(f"policies {each.id}", "the row is not in the audit")
        elif hashlib.sha256(each.policy.encode()).hexdigest() != each.policy_hash:
            yield Finding(f"policies {each.id}", "policy is not what the audit says")
    yield from (Finding(f"policies {', '.join(each[:2])}", "the row is in the audit alone") for each in noted - there)


def _rows_of(connection: StateConnection, table: Table[Any]) -> Iterator[Row]:
    """The rows of a table by columns, times as the audit has them."""
    for row in table.read(connection, table.columns):
        values = (without_zone(each).isoformat() if isinstance(each, datetime) else each for each in row)
        yield dict(zip(table.columns, values, strict=True))


def replayed(steps: Iterable[str]) -> dict[str, dict[Key, Row]]:
    """The rows of each table by key after these steps, each the `data` of an entry, the earliest first.

    Raises ValueError for a step that is none.
    """
    tables: dict[str, dict[Key, Row]] = {name: {} for name in TABLES}
    for step in steps:
        content = json.loads(step)
        if not isinstance(content, dict):
            raise ValueError("a step is a mapping")
        for each in content.get("rows", ()):  # others than those of the service write none of these
            name = each["table"]
            if name not in TABLES:
                raise ValueError(f"no step writes the table {name!r}")
            row = {**each["key"], **each["values"]}
            key = tuple(each["key"][column] for column in TABLES[name].key)
            tables[name].setdefault(key, {}).update(row)
    return tables


def differences(
    replay: Mapping[str, Mapping[Key, Row]], tables: Mapping[str, Iterable[Row]]
) -> Iterator[tuple[str, Key, str]]:
    """How the rows of tables differ from what the steps gave: table, key and what differs; nothing where they agree.

    A column that no step notes is not compared.
    """
    for name, table in TABLES.items():
        noted, there = replay[name], {tuple(row[column] for column in table.key): row for row in tables[name]}
        yield from ((name, key, "the row is in the audit alone") for key in noted.keys() - there.keys())
        yield from ((name, key, "the row is not in the audit") for key in there.keys() - noted.keys())
        for key in sorted(noted.keys() & there.keys(), key=str):
            for column, value in noted[key].items():
                if column not in there[key] or there[key][column] != value:
                    yield name, key, f"{column} is not what the audit says"
