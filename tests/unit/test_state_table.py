"""A table of the state as a dataclass: its columns are those that the migrations make, and its statements say so."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from ordermade import initialise
from ordermade.state.connection import StateConnection, connect, file_address, transaction
from ordermade.state.hierarchies import HIERARCHIES, VALUES, HierarchyValue
from ordermade.state.parts import PARTS, StoredPart
from ordermade.state.restored_tables import TABLES as RESTORED
from ordermade.state.seals import unlike_their_seals
from ordermade.state.statements import utc_now
from ordermade.state.table import PRESENT, Among, Since, Table, sealing
from ordermade.state.tables import SEALED, TABLES
from ordermade.state.users import USERS
from ordermade.state.versions import VERSIONS


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[StateConnection]:
    path = tmp_path / "state.sqlite"
    initialise(path)
    with closing(connect(file_address(path, read_only=False))) as opened, transaction(opened):
        yield opened


TYPES = {int: {"INTEGER", "HUGE_TEXT"}, str: {"TEXT"}, bool: {"BOOLEAN"}, float: {"REAL"}, datetime: {"TIMESTAMP"}}
"""The types of columns by those of fields; any other field is a list."""

ONCE_NULL = {("sources", "allow_external"), ("sources", "skipped_lines"), ("audit", "hash")}
"""Columns that are NULL in rows of the earliest engines alone."""


def declared(table: Table[Any]) -> list[tuple[str, set[str], bool]]:
    """The columns of the dataclass of a table: name, possible types, and whether it may be NULL."""
    hints = get_type_hints(table.row)
    found = []
    for each in fields(table.row):
        if each.name in table.columns:
            options = get_args(hints[each.name]) or (hints[each.name],)
            may_be_null = type(None) in options
            kind = options[0] if may_be_null else hints[each.name]
            found.append((each.name, TYPES.get(kind, {"LIST_TEXT"}), may_be_null))
    return found if table.document is None else [*found, (table.document.column, {"TEXT"}, False)]


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_the_fields_of_a_table_are_its_columns(connection: StateConnection, table: Table[Any]) -> None:
    made = connection.execute(f"PRAGMA table_info({table.name})").fetchall()
    assert [name for _, name, *_ in made] == [name for name, _, _ in declared(table)]
    for (_, name, kind, required, default, place), (_, kinds, may_be_null) in zip(made, declared(table), strict=True):
        assert kind in kinds, name
        if (table.name, name) not in ONCE_NULL:
            assert may_be_null == (not required and not place and default is None), name
    if table.name != "audit_head":
        assert tuple(name for place, name in sorted((each[5], each[1]) for each in made) if place) == table.key


def test_the_tables_are_all_that_the_state_has(connection: StateConnection) -> None:
    made = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    assert made == {*TABLES} == {*RESTORED}
    assert {*TABLES} - {*SEALED} == {"audit", "audit_head", "seals"}


def test_rows_are_read_by_conditions_in_order(connection: StateConnection) -> None:
    now = utc_now()
    for name, removed_at in (("ann", None), ("bob", now), ("cas", None), ("dee", now)):
        added = USERS.insert(connection, name=name, roles=["provider"], added_at=now)
        assert (added.name, added.roles, added.removed_at) == (name, ["provider"], None)
        USERS.update(connection, {"id": added.id}, removed_at=removed_at)

    def names(**how: Any) -> list[str]:
        return [each.name for each in USERS.select(connection, **how)]

    assert names(order_by=("-name",)) == ["dee", "cas", "bob", "ann"]
    assert names(removed_at=None, order_by=("id",)) == ["ann", "cas"]
    assert names(removed_at=PRESENT, order_by=("-id",), most=1) == ["dee"]
    assert names(name=Among(["dee", "ann", "eve"]), order_by=("name",)) == ["ann", "dee"]
    assert names(id=Since(3), removed_at=None) == ["cas"]
    assert USERS.find(connection, name="eve") is None
    USERS.delete(connection, removed_at=None)
    assert (USERS.count(connection), names(order_by=("name",))) == (2, ["bob", "dee"])


def test_a_row_whose_key_is_there_is_added_once(connection: StateConnection) -> None:
    part = StoredPart("d", "c", 5, datetime.now(UTC))
    PARTS.add_all(connection, [part, part], of_known_key="ignored")
    PARTS.add_all(connection, [replace(part, rows=6)], of_known_key="ignored")
    assert PARTS.select(connection) == [part]
    PARTS.add_all(connection, [replace(part, rows=6)], of_known_key="replaced")
    assert PARTS.select(connection) == [replace(part, rows=6)]
    with pytest.raises(sqlite3.IntegrityError):
        PARTS.add_all(connection, [part])


def test_every_statement_seals_what_it_writes(connection: StateConnection) -> None:
    with sealing(connection):
        PARTS.add_all(connection, [StoredPart("d", each, 5, utc_now()) for each in "abc"])
        PARTS.update(connection, {"content": "a"}, rows=6)
        PARTS.delete(connection, content="b")
        of = HIERARCHIES.insert(connection, name="h", kind="explicit", content_hash="c", added_at=utc_now()).id
        VALUES.fill(connection, [(of, 0, "a", 1, "x"), (of, 1, "b", 1, "x"), (of, 0, "a", 2, "*")], of)
    with sealing(connection):
        PARTS.delete_all(connection, [("d", "c")])
    assert [*unlike_their_seals(connection)] == [] != [*PARTS.select(connection)]


def test_rows_that_are_sealed_together_are_written_by_fill_alone(connection: StateConnection) -> None:
    of = HIERARCHIES.insert(connection, name="h", kind="explicit", content_hash="c", added_at=utc_now()).id
    VALUES.fill(connection, [(of, 0, "a", 1, "x")], of)
    with pytest.raises(ValueError, match="written together"):
        VALUES.add(connection, HierarchyValue(of, 1, "b", 1, "x"))
    with pytest.raises(sqlite3.IntegrityError):
        VALUES.fill(connection, [(of, 1, "b", 1, "x")], of)


SEEN = ("first_seen_at", "last_seen_at")


def test_numbers_of_more_than_64_bits_are_as_they_were(connection: StateConnection) -> None:
    content = {
        "dataset_hash": "d",
        "rows": 1,
        "columns_hash": "c",
        "first_seen_at": utc_now(),
        "last_seen_at": utc_now(),
    }
    for number, hash_sum in enumerate((2**100, -(2**127), 3)):
        assert VERSIONS.insert(connection, id=number, hash_sum=hash_sum, **content).hash_sum == hash_sum


def test_a_name_that_is_no_field_reaches_no_statement(connection: StateConnection) -> None:
    for call in (
        lambda: USERS.select(connection, **{"name = '' OR 1": "x"}),
        lambda: USERS.select(connection, order_by=("id; DROP TABLE users",)),
        lambda: USERS.insert(connection, **{'name") VALUES (1) --': "x"}),
        lambda: USERS.update(connection, {"id": 1}, **{"name = 1 --": "x"}),
        lambda: USERS.read(connection, ("password",)),
    ):
        with pytest.raises(ValueError, match="has no column"):
            call()
