"""Edits by hand of the audit, of rows of the state, and of the files that it notes: each is named by `state verify`.

The oracle is the edit itself: which table and key it was done to, or which file.
"""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine, initialise
from ordermade.catalogue.audit import Audit
from ordermade.state import audit, seals
from ordermade.state.authority import SHELL
from ordermade.state.database import StateFile
from ordermade.state.hierarchies import VALUES
from ordermade.state.inspection import verify
from ordermade.state.sealing import sealed_rows
from ordermade.state.tables import SEALED, TABLES
from tests.long import rounds, sampled
from tests.one_of_each_method import METHODS, provider
from tests.state_by_hand import by_hand, chain_anew

EDITS = rounds(18, 500)
"""Edits of rows; those of files come on top."""
SEED = 24

FILLED: dict[str, Any] = {
    "INTEGER": 1,
    "HUGE_TEXT": "1",
    "BOOLEAN": 1,
    "REAL": 0.5,
    "TIMESTAMP": "2026-01-31 12:00:00.000000",
    "TEXT": "approve",
    "LIST_TEXT": "[]",
}
OTHER = {
    "INTEGER": "{0} + 1",
    "HUGE_TEXT": "{0} + 1",
    "BOOLEAN": "NOT {0}",
    "REAL": "{0} + 0.001",
    "TIMESTAMP": "SUBSTR({0}, 1, 25) || CASE WHEN SUBSTR({0}, 26) = '0' THEN '1' ELSE '0' END",
    "TEXT": "{0} || '.'",
    "LIST_TEXT": "JSON_INSERT({0}, '$[#]', 7)",
}


@dataclass(frozen=True)
class Folder:
    """A state with rows in every table, and the files that it notes."""

    path: Path

    @property
    def state(self) -> Path:
        """The state."""
        return self.path / "state.sqlite"

    def columns(self) -> dict[str, dict[str, str]]:
        """The columns of each table, with their types."""
        with by_hand(self.state) as connection:
            tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
            return {
                table: {name: kind for _, name, kind, *_ in connection.execute(f"PRAGMA table_info({table})")}
                for table in tables
            }


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A state that three methods wrote to; a table that none did has one row, sealed as if a command had."""
    folder = Folder(tmp_path_factory.mktemp("whole"))
    engine = provider(folder.path)
    for method in ("generalization", "mondrian", "history"):
        to = str(folder.path / f"{method}.parquet")
        release = {"to": to, "replace": True}
        request = {"dataset": "purchases", "method": method, "k": 5, "release": release, **METHODS[method]}
        result = engine.run(request)
        if method == "generalization":
            result = engine.run({**request, "k": 6})  # supersedes it
            request["k"] = 6
            engine.certify(request, result, folder.path / "certificate.json")
            columns = {name: {**each, "to": 0} for name, each in METHODS[method]["quasi_identifiers"].items()}
            assert engine.offers({**request, "k": 50, "quasi_identifiers": columns}).offers
    typed = folder.columns()
    with StateFile(folder.state, SHELL).writing() as connection:
        for table in SEALED:
            if connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone() == (0,):
                values = [FILLED[kind] for kind in typed[table].values()]
                connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", values)
        seals.seal_rows(connection)
    assert verify(folder.state, SHELL) == ()
    return folder


@pytest.fixture
def folder(whole: Folder, tmp_path: Path) -> Folder:
    copied = tmp_path / "copied"
    shutil.copytree(whole.path, copied)
    return Folder(copied)


@dataclass(frozen=True)
class Edit:
    """One statement by hand, and how `verify` names what it was done to."""

    statement: str
    named: str


def edits(folder: Folder, chance: random.Random) -> Iterator[Edit]:
    """Random edits: a value, a value that is gone, a row taken away; some of them break a constraint."""
    columns = folder.columns()
    keys = {name: table.key for name, table in TABLES.items()}
    with closing(sqlite3.connect(folder.state)) as connection:
        while True:
            table = chance.choice(list(keys))
            found = connection.execute(f"SELECT {', '.join(keys[table])} FROM {table}").fetchall()
            values = chance.choice(found)
            literals = (f"'{each}'" if isinstance(each, str) else each for each in values)
            where = " AND ".join(f"{key} = {value}" for key, value in zip(keys[table], literals, strict=True))
            column = chance.choice(list(columns[table]))
            named = f"{table} {values[0]}" if len(values) == 1 else table
            if table == "seals":
                named = str(values[0])
            if table in ("audit", "audit_head"):
                named = "audit"
            if (table in SEALED and column in keys[table]) or table == "migrations":
                named = table
            kind = columns[table][column]
            ((is_null,),) = connection.execute(f"SELECT {column} IS NULL FROM {table} WHERE {where}").fetchall()
            other = f"'{FILLED[kind]}'" if is_null else OTHER[kind].format(column)
            statement = chance.choice(
                (
                    f"UPDATE {table} SET {column} = {other} WHERE {where}",
                    f"UPDATE {table} SET {column} = {other} WHERE {where}",
                    f"UPDATE {table} SET {column} = NULL WHERE {where} AND {column} IS NOT NULL",
                    f"DELETE FROM {table} WHERE {where}",
                )
            )
            yield Edit(statement, named)


@pytest.mark.slow
@pytest.mark.long
def test_each_edit_by_hand_is_named(whole: Folder, tmp_path: Path) -> None:
    chance, done, missed = random.Random(SEED), 0, []
    edited = tmp_path / "edited.sqlite"
    for edit in edits(whole, chance):
        shutil.copyfile(whole.state, edited)
        try:
            with by_hand(edited) as connection:
                changed = connection.execute(edit.statement).rowcount
        except sqlite3.Error:
            continue  # SQLite itself refused it: a constraint
        if changed == 0 or edited.read_bytes() == whole.state.read_bytes():
            continue
        found = [each.where for each in verify(edited, SHELL)]
        if edit.named.startswith("audit"):
            found += [each.where for each in Audit(StateFile(edited, SHELL)).verify().findings]
        if not any(each == edit.named or each.startswith((f"{edit.named} ", f"{edit.named}.")) for each in found):
            missed.append((edit, found))
        done += 1
        if done == EDITS:
            break
    assert missed == []


@pytest.mark.slow
@pytest.mark.long
def test_each_edited_file_is_named(folder: Folder) -> None:
    chance = random.Random(SEED)
    files = sorted([*folder.path.glob("*.parquet"), folder.path / "certificate.json"])
    with by_hand(folder.state) as connection:  # the noted paths are those of the folder it was copied from
        noted = connection.execute("SELECT path FROM releases UNION ALL SELECT path FROM certificates").fetchall()
    originals = {Path(row[0]).name: Path(row[0]) for row in noted}
    for _ in range(rounds(3, 50)):
        file = originals[chance.choice(files).name]
        before = file.read_bytes()
        content = bytearray(before)
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        file.write_bytes(content)
        try:
            assert [each.where.partition(": ")[2] for each in verify(folder.state, SHELL)] == [str(file)]
        finally:
            file.write_bytes(before)
    assert verify(folder.state, SHELL) == ()


@pytest.fixture(params=["together", "apart"])
def hierarchies(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A state with two hierarchies of four values each, sealed as they are or, as in states of before, row by row."""
    state = tmp_path / "state.sqlite"
    initialise(state)
    with Engine(state) as engine:
        engine.hierarchies.add("first", {"a": "north", "b": "north", "c": "south", "d": "south"})
        engine.hierarchies.add("second", {"p": "east", "q": "east", "r": "west", "s": "west"})
    with by_hand(state) as connection:
        (found,) = connection.execute("SELECT COUNT(*) FROM seals WHERE table_name = 'hierarchy_values'")
        assert found == (2,)
        if request.param == "apart":
            connection.execute("DELETE FROM seals WHERE table_name = 'hierarchy_values'")
            rows = connection.execute("SELECT * FROM hierarchy_values").fetchall()
            of_rows = sealed_rows(VALUES.key, VALUES.columns, rows)
            connection.executemany("INSERT INTO seals VALUES ('hierarchy_values', ?, ?, ?)", of_rows)
    assert verify(state, SHELL) == ()
    return state


def named_in_hierarchies(state: Path) -> set[str]:
    with by_hand(state) as connection:
        return {each.where for each in seals.unlike_their_seals(connection)}


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE hierarchy_values SET label = 'south' WHERE leaf = 'a'",
        "UPDATE hierarchy_values SET label = NULL WHERE leaf = 'a'",
        "UPDATE hierarchy_values SET label = CAST(label AS BLOB) WHERE leaf = 'a'",
        "UPDATE hierarchy_values SET leaf = 'e' WHERE leaf = 'a'",
        "UPDATE hierarchy_values SET leaf = NULL WHERE leaf = 'd'",
        "UPDATE hierarchy_values SET label = IIF(leaf = 'b', 'south', 'north') WHERE leaf IN ('b', 'c')",
        "UPDATE hierarchy_values SET leaf = IIF(leaf = 'a', 'b', 'a') WHERE leaf IN ('a', 'b') AND level = 1",
        "UPDATE hierarchy_values SET level = 7 WHERE leaf = 'd'",
        "UPDATE hierarchy_values SET leaf_no = 7 WHERE leaf = 'd'",
        "UPDATE hierarchy_values SET hierarchy_id = 2, leaf_no = 7 WHERE leaf = 'd'",
        "UPDATE hierarchy_values SET hierarchy_id = 3 WHERE hierarchy_id = 1",
        "DELETE FROM hierarchy_values WHERE hierarchy_id = 1 AND leaf = 'd'",
        "DELETE FROM hierarchy_values WHERE hierarchy_id = 1 AND leaf_no = 0",
        "DELETE FROM hierarchy_values WHERE hierarchy_id = 1",
        "INSERT INTO hierarchy_values VALUES (1, 4, 'e', 1, 'south')",
        "INSERT INTO hierarchy_values VALUES (1, -1, 'e', 1, 'south')",
        "UPDATE seals SET seal = seal + 1 WHERE table_name = 'hierarchy_values' AND owner = 1",
        "UPDATE seals SET owner = 3 WHERE table_name = 'hierarchy_values' AND owner = 1",
        "DELETE FROM seals WHERE table_name = 'hierarchy_values' AND owner = 1",
    ],
)
def test_each_edit_of_the_rows_of_a_hierarchy_is_named(hierarchies: Path, edit: str) -> None:
    with by_hand(hierarchies) as connection:
        assert connection.execute(edit).rowcount > 0
    named = named_in_hierarchies(hierarchies)
    assert any("= (1, " in each or each == "hierarchy_values hierarchy_id 1" for each in named), named
    assert verify(hierarchies, SHELL) != ()


def test_rows_that_are_sealed_together_and_one_by_one_fit_the_first(hierarchies: Path) -> None:
    """No seal of a row hides an edit of rows that have one seal."""
    with by_hand(hierarchies) as connection:
        connection.execute("UPDATE hierarchy_values SET label = 'south' WHERE leaf = 'a'")
        rows = connection.execute("SELECT * FROM hierarchy_values WHERE hierarchy_id = 1").fetchall()
        connection.execute("DELETE FROM seals WHERE table_name = 'hierarchy_values' AND part <> ''")
        of_rows = sealed_rows(VALUES.key, VALUES.columns, rows)
        connection.executemany("INSERT INTO seals VALUES ('hierarchy_values', ?, ?, ?)", of_rows)
        connection.execute("INSERT INTO seals VALUES ('hierarchy_values', 1, '', 7) ON CONFLICT DO NOTHING")
    assert "hierarchy_values hierarchy_id 1" in named_in_hierarchies(hierarchies)


def test_an_audit_that_was_written_anew_is_shown_by_its_head_noted_elsewhere(folder: Folder) -> None:
    # It lacks the steps that would have written the rows made here.
    before = Audit(StateFile(folder.state, SHELL)).verify()
    with by_hand(folder.state) as connection:
        connection.execute("UPDATE audit SET detail = 'nothing' WHERE id = 1")
        chain_anew(connection)
    audit = Audit(StateFile(folder.state, SHELL))
    assert audit.verify().findings == before.findings
    assert [each.where for each in audit.verify(before.head).findings[len(before.findings) :]] == ["audit"]


def test_an_audit_whose_end_was_cut_off_is_found_by_its_head(folder: Folder) -> None:
    with by_hand(folder.state) as connection:
        assert list(seals.broken_chain(connection)) == []
        connection.execute("DELETE FROM audit WHERE id = (SELECT MAX(id) FROM audit)")
        (found,) = seals.broken_chain(connection)
    assert (found.where, "its end was changed" in found.what) == ("audit", True)


@pytest.mark.parametrize(
    "data",
    sampled(
        [
            *("'[]'", "'3'", "'{\"rows\": 3}'", "'{\"rows\": [3]}'", '\'{"rows": [{"table": [], "key": {}}]}\''),
            '\'{"rows": [{"table": "users", "key": {"id": [1]}, "values": {}}]}\'',
            '\'{"rows": [{"table": "users", "key": {"id": 1}, "values": {"no_column": 1}}]}\'',
            '\'{"rows": [{"table": "users", "key": {"id": "x"}, "values": {"name": 1}}]}\'',
            "'{'",
        ],
        2,
    ),
)
def test_an_entry_of_any_content_is_a_finding(folder: Folder, data: str) -> None:
    with by_hand(folder.state) as connection:
        connection.execute(f"UPDATE audit SET data = {data} WHERE id = 1")
    assert "audit 1" in {each.where for each in Audit(StateFile(folder.state, SHELL)).verify().findings}


@pytest.mark.slow
def test_what_later_requests_write_does_not_hide_an_edit(folder: Folder) -> None:
    with by_hand(folder.state) as connection:
        connection.execute("UPDATE requests SET record = JSON_SET(record, '$.k', 4) WHERE id = 1")
        connection.execute("DELETE FROM releases WHERE id = 1")
        connection.execute("DELETE FROM audit WHERE id = (SELECT MAX(id) FROM audit)")
    with StateFile(folder.state, SHELL).writing() as connection:
        audit.add_audit_entry(connection, "later", "on")
    named = {each.where for each in verify(folder.state, SHELL)}
    assert {"requests 1", "releases 1"} <= named
    assert any(each.startswith("audit") for each in named)
