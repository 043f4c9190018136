"""Edits by hand of the audit, of rows of the state, and of the files that it notes: each is named by `state verify`.

The oracle is the edit itself: which table and key it was done to, or which file.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade.catalogue.audit import Audit
from ordermade.state import seals
from ordermade.state.authority import SHELL
from ordermade.state.database import StateFile
from ordermade.state.inspection import verify
from ordermade.state.keys import KEYS, LISTS
from tests.long import rounds, sampled
from tests.one_of_each_method import METHODS, provider

EDITS = rounds(18, 500)
"""Edits of rows; those of files come on top."""
SEED = 24

FILLED: dict[str, Any] = {
    "BIGINT": 1,
    "INTEGER": 1,
    "HUGEINT": 1,
    "UBIGINT": 1,
    "BOOLEAN": True,
    "DOUBLE": 0.5,
    "TIMESTAMP": "2026-01-31 12:00:00",
    "VARCHAR": "approve",
}
OTHER = {
    "BIGINT": "{0} + 1",
    "INTEGER": "{0} + 1",
    "HUGEINT": "{0} + 1",
    "UBIGINT": "{0} // 2",
    "BOOLEAN": "NOT {0}",
    "DOUBLE": "{0} + 0.001",
    "TIMESTAMP": "{0} + INTERVAL 1 MICROSECOND",
    "VARCHAR": "{0} || '.'",
    "VARCHAR[]": "LIST_APPEND({0}, 'x')",
    "BIGINT[]": "LIST_APPEND({0}, 7)",
}


@dataclass(frozen=True)
class Folder:
    """A state with rows in every table, and the files that it notes."""

    path: Path

    @property
    def state(self) -> Path:
        """The state."""
        return self.path / "state.duckdb"

    def columns(self) -> dict[str, dict[str, str]]:
        """The columns of each table, with their types."""
        with StateFile(self.state, SHELL).reading() as connection:
            return {table: dict(columns) for table, columns in seals.columns_of(connection).items()}


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
        for table in KEYS:
            if connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone() == (0,):
                values = [[] if kind.endswith("[]") else FILLED[kind] for kind in typed[table].values()]
                connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", values)
                seals.seal_rows_of(connection, table, 1 if typed[table][KEYS[table][0]] != "VARCHAR" else 0)
    assert verify(folder.state, SHELL) == ()
    return folder


@pytest.fixture
def folder(whole: Folder, tmp_path: Path) -> Folder:
    copied = tmp_path / "copied"
    shutil.copytree(whole.path, copied)
    return Folder(copied)


@pytest.mark.slow
def test_the_tables_that_are_sealed_are_all_but_the_evidence_itself(whole: Folder) -> None:
    columns = whole.columns()
    assert set(columns) - set(KEYS) == {"audit", "audit_head", "seals"}
    assert {
        table: tuple(name for name, kind in of_table.items() if kind.endswith("[]"))
        for table, of_table in columns.items()
        if any(kind.endswith("[]") for kind in of_table.values())
    } == dict(LISTS)


@pytest.mark.slow
def test_the_keys_are_those_of_the_tables(whole: Folder) -> None:
    with duckdb.connect(str(whole.state), read_only=True) as connection:
        found = connection.execute(
            "SELECT table_name, constraint_column_names FROM duckdb_constraints() WHERE constraint_type = 'PRIMARY KEY'"
        ).fetchall()
    # Table C has none: an index of millions of rows is gone through whenever the file is opened.
    unkeyed = ("observations", "observation_levels")
    keys = {table: tuple(each) for table, each in found if table != "audit"}
    assert keys | {each: KEYS[each] for each in unkeyed} == dict(KEYS)
    assert not keys.keys() & set(unkeyed)


@dataclass(frozen=True)
class Edit:
    """One statement by hand, and how `verify` names what it was done to."""

    statement: str
    named: str


def edits(folder: Folder, chance: random.Random) -> Iterator[Edit]:
    """Random edits: a value, a row taken away, a row copied under another key; some of them break a constraint."""
    columns = folder.columns()
    with duckdb.connect(str(folder.state), read_only=True) as connection:
        while True:
            table = chance.choice([*KEYS, "audit", "audit_head", "seals"])
            numbers = [row[0] for row in connection.execute(f"SELECT rowid FROM {table}").fetchall()]
            if table == "seals":  # an earlier seal of a row is no evidence any more
                latest = "SELECT MAX_BY(rowid, number) FROM seals GROUP BY table_name, owner, part"
                numbers = [row[0] for row in connection.execute(latest).fetchall()]
            row = chance.choice(numbers)
            column = chance.choice([each for each in columns[table] if (table, each) != ("seals", "number")])
            key = ", ".join(KEYS.get(table, ("id",) if table == "audit" else ("1",)))
            ((*values,),) = connection.execute(f"SELECT {key} FROM {table} WHERE rowid = {row}").fetchall()
            named = f"{table} {values[0]}" if len(values) == 1 else table
            if table == "seals":
                named = str(connection.execute(f"SELECT table_name FROM seals WHERE rowid = {row}").fetchall()[0][0])
            if table in ("audit", "audit_head"):
                named = "audit"
            if column in KEYS.get(table, ()) or table == "migrations":
                named = table
            other = OTHER[columns[table][column]].format(column)
            (((is_null),),) = connection.execute(f"SELECT {column} IS NULL FROM {table} WHERE rowid = {row}").fetchall()
            if is_null:
                filled = FILLED.get(columns[table][column])
                other = "['x']" if filled is None else f"'{filled}'"
            if columns[table][column] == "BIGINT[]" and is_null:
                other = "[1]"
            statement = chance.choice(
                (
                    f"UPDATE {table} SET {column} = {other} WHERE rowid = {row}",
                    f"UPDATE {table} SET {column} = {other} WHERE rowid = {row}",
                    f"UPDATE {table} SET {column} = NULL WHERE rowid = {row} AND {column} IS NOT NULL",
                    f"DELETE FROM {table} WHERE rowid = {row}",
                )
            )
            yield Edit(statement, named)


@pytest.mark.slow
@pytest.mark.long
def test_each_edit_by_hand_is_named(whole: Folder, tmp_path: Path) -> None:
    chance, done, missed = random.Random(SEED), 0, []
    edited = tmp_path / "edited.duckdb"
    for edit in edits(whole, chance):
        shutil.copyfile(whole.state, edited)
        try:
            with duckdb.connect(str(edited)) as connection:
                changed = connection.execute(edit.statement).fetchone()
        except duckdb.Error:
            continue  # DuckDB itself refused it: a constraint
        if changed == (0,):
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
    with duckdb.connect(str(folder.state)) as connection:  # the noted paths are those of the folder it was copied from
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


def test_an_audit_that_was_written_anew_is_shown_by_its_head_noted_elsewhere(folder: Folder) -> None:
    # It lacks the steps that would have written the rows made here.
    before = Audit(StateFile(folder.state, SHELL)).verify()
    with duckdb.connect(str(folder.state)) as connection:
        connection.execute("UPDATE audit SET detail = 'nothing' WHERE id = 1")
        seals._chain_existing(connection)
    audit = Audit(StateFile(folder.state, SHELL))
    assert audit.verify().findings == before.findings
    assert [each.where for each in audit.verify(before.head).findings[len(before.findings) :]] == ["audit"]


def test_an_audit_whose_end_was_cut_off_is_found_by_its_head(folder: Folder) -> None:
    with duckdb.connect(str(folder.state)) as connection:
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
    with duckdb.connect(str(folder.state)) as connection:
        connection.execute(f"UPDATE audit SET data = {data} WHERE id = 1")
    assert "audit 1" in {each.where for each in Audit(StateFile(folder.state, SHELL)).verify().findings}


@pytest.mark.slow
def test_what_later_requests_write_does_not_hide_an_edit(folder: Folder) -> None:
    with duckdb.connect(str(folder.state)) as connection:
        connection.execute("UPDATE requests SET k = 4 WHERE id = 1")
        connection.execute("DELETE FROM release_losses WHERE release_id = 1 AND metric = 'dm'")
        connection.execute("DELETE FROM audit WHERE id = (SELECT MAX(id) FROM audit)")
    with StateFile(folder.state, SHELL).writing() as connection:
        from ordermade.state import statements

        statements.add_audit_entry(connection, "later", "on")
    named = {each.where for each in verify(folder.state, SHELL)}
    assert {"requests 1", "release_losses (release_id, metric) = (1, dm)"} <= named
    assert any(each.startswith("audit") for each in named)
