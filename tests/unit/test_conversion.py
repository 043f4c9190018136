"""`state convert`: a state of an earlier engine, a DuckDB file, becomes a SQLite one with nothing lost."""

from __future__ import annotations

import functools
import json
import re
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, astuple
from datetime import datetime
from pathlib import Path
from typing import cast

import duckdb
import pytest

from ordermade import Engine
from ordermade.errors import InputError, Refused, StateDamaged, StateMissing, StateOlder
from ordermade.state import observations, releases, requests
from ordermade.state.authority import SHELL, Authority, OfUser
from ordermade.state.conversion import Converted, convert
from ordermade.state.database import StateFile
from ordermade.state.earlier_documents import PARTS
from ordermade.state.inspection import verify
from ordermade.state.runs import Run
from ordermade.state.seals import audit_chain
from ordermade.state.tables import TABLES
from tests.state_by_hand import by_hand

LATER = ("passwords", "sessions", "user_hierarchies", "mails", "comments", "live_forecasts", "publications")
"""Tables that no earlier state has."""
SAMPLE = Path(__file__).resolve().parents[1] / "golden" / "earlier" / "state_of_duckdb.sql"


@functools.cache
def sample() -> bytes:
    """The state of an earlier engine, as a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.duckdb"
        with duckdb.connect(str(path)) as connection:
            connection.execute(SAMPLE.read_text(encoding="utf-8"))
        return path.read_bytes()


def made(folder: Path, edit: str = "") -> Path:
    """The state of an earlier engine, edited by hand."""
    path = folder / "state.duckdb"
    path.write_bytes(sample())
    if edit:
        with duckdb.connect(str(path)) as connection:
            connection.execute(edit)
    return path


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    return made(tmp_path)


def converted(source: Path) -> Converted:
    return convert(source.with_suffix(".sqlite"), source, SHELL)


def rows_before(source: Path, table: str) -> Iterator[tuple[object, ...]]:
    with duckdb.connect(str(source), read_only=True) as connection:
        yield from connection.execute(f"SELECT * FROM {table} ORDER BY ALL").fetchall()


def columns_before(source: Path, table: str) -> list[str]:
    with duckdb.connect(str(source), read_only=True) as connection:
        return [column[0] for column in connection.execute(f"SELECT * FROM {table} LIMIT 0").description]


@pytest.mark.slow
def test_every_row_of_every_table_is_taken_over_as_it_is(earlier: Path) -> None:
    before = earlier.read_bytes()
    made = converted(earlier)
    assert made.path.name == "state.sqlite"
    assert re.fullmatch(r"state-replaced-\d{8}T\d{6}\.duckdb", made.kept.name)
    assert made.kept.read_bytes() == before
    assert {stat.S_IMODE(each.stat().st_mode) for each in (made.path, made.kept)} == {0o600}
    assert {each.name for each in earlier.parent.iterdir()} == {"state.sqlite", made.kept.name}
    earlier.write_bytes(before)
    number = 0
    with StateFile(made.path, SHELL).reading() as connection:
        for table in sorted(
            {*TABLES} - {"migrations", "seals", "measured_levels", "covering_hierarchies", *PARTS, *LATER}
        ):
            columns = ", ".join(f'"{each}"' for each in columns_before(earlier, table))
            there = connection.execute(f"SELECT {columns} FROM {table} ORDER BY 1, 2").fetchall()
            plain = [
                tuple(each.replace(tzinfo=None) if hasattr(each, "tzinfo") else each for each in row) for row in there
            ]
            was = list(rows_before(earlier, table))
            number += len(was)
            if table == "audit":
                assert plain.pop()[3:5] == ("state convert", "state.duckdb")
            if table != "audit_head":
                assert sorted(plain, key=str) == sorted(was, key=str), table
    parted = {each for table, parts in PARTS.items() for each in (table, *parts)}
    assert made.rows == number + sum(len(list(rows_before(earlier, table))) for table in parted)
    assert verify(made.path, SHELL) == ()


def by_name(source: Path, table: str) -> list[dict[str, object]]:
    names = columns_before(source, table)
    return [dict(zip(names, row, strict=True)) for row in rows_before(source, table)]


def parts_of(source: Path, table: str, number: int) -> list[tuple[object, ...]]:
    """The rows of the parts of one owner, without its number and their place."""
    names = columns_before(source, table)
    past = 2 if "position" in names else 1
    return [row[past:] for row in rows_before(source, table) if row[0] == number]


def plainly(value: object) -> object:
    return value.replace(tzinfo=None) if isinstance(value, datetime) else value


@pytest.mark.slow
def test_requests_and_releases_say_what_their_tables_said(earlier: Path) -> None:
    made = converted(earlier)
    earlier = made.kept
    with StateFile(made.path, SHELL).reading() as connection:
        for was in by_name(earlier, "requests"):
            number = cast(int, was["id"])
            details = requests.get(connection, number)
            record = {**asdict(details), "withheld": details.suppressed}
            for name, value in was.items():
                if name not in ("run", "interrupted_at", "request", "erased_at"):
                    assert plainly(record[name]) == value, name
            assert details.request == was["request"]
            for table, found in (
                ("request_quasi_identifiers", details.quasi_identifiers),
                ("request_sensitive", details.sensitive),
                ("request_attributes", details.attributes),
                ("request_splits", details.splits),
                ("request_history", details.history),
            ):
                rows = parts_of(earlier, table, number)
                width = max(map(len, rows), default=0)  # what was added since has no column there
                assert [astuple(each)[:width] for each in found] == rows, table
            of_role = {"identifier": details.identifiers, "keep": details.keep}
            columns = [row for row in by_name(earlier, "request_columns") if row["request_id"] == number]
            assert sorted((str(each["role"]), str(each["column_name"])) for each in columns) == sorted(
                (role, column) for role, found in of_role.items() for column in found
            )
        for was in by_name(earlier, "releases"):
            number = cast(int, was["id"])
            release = releases.get(connection, number)
            assert all(plainly(getattr(release, name)) == value for name, value in was.items())
            assert [astuple(each) for each in release.columns] == parts_of(earlier, "release_columns", number)
            assert [*release.losses.items()] == parts_of(earlier, "release_losses", number)
            assert [
                (*astuple(each)[:4], [*each.parameters] or None, [*each.parameters.values()] or None)
                for each in release.privacy
            ] == parts_of(earlier, "release_privacy", number)


@pytest.mark.slow
def test_nodes_and_forecasts_are_at_their_levels(earlier: Path) -> None:
    made = converted(earlier)
    earlier = made.kept
    with StateFile(made.path, SHELL).reading() as connection:
        nodes = observations.listed(connection, observations.Selection())
        forecasts = connection.execute("SELECT id, levels FROM forecasts").fetchall()
    was = by_name(earlier, "observations")
    assert {each.id for each in nodes} == {row["id"] for row in was}
    for each in nodes:
        of_levels = sorted(parts_of(earlier, "observation_levels", each.id), key=str)
        assert [(at.column, at.level, at.level_name, at.level_hash) for at in each.levels] == of_levels
        (row,) = (row for row in was if row["id"] == each.id)
        assert (each.k, each.class_sizes, each.sum_of_squares) == (row["k"], row["class_sizes"], row["sum_of_squares"])
    for number, levels in forecasts:
        expected = parts_of(earlier, "forecast_levels", number)
        assert json.loads(levels) == {column: [level, name] for column, level, name in expected}


@pytest.mark.slow
def test_the_audit_goes_on_from_the_old_head(earlier: Path) -> None:
    (was,) = rows_before(earlier, "audit_head")
    path = converted(earlier).path
    Engine(path).users.add("eve", ["reviewer"])
    with StateFile(path, SHELL).reading() as connection:
        chain = list(audit_chain(connection))
    at = [each.action for each in chain].index("state convert")
    assert (chain[at - 1].id, chain[at - 1].hash) == was
    assert [each.action for each in chain[at:]] == ["state convert", "user add"]
    assert str(was[1]) in str(chain[at].data)


EDITS = {
    "UPDATE users SET name = 'eve' WHERE name = 'rei'": "users 2: the row is not as it was written",
    "UPDATE observations SET k = 99 WHERE id = 2": "observations 2: the row is not as it was written",
    "DELETE FROM certificates WHERE id = 3": "certificates 3: the row is gone",
    "UPDATE observation_levels SET level_hash = 'a' WHERE observation_id = 2": (
        "observations 2: the row is not as it was written"
    ),
    "DELETE FROM release_losses WHERE release_id = 1": "releases 1: the row is not as it was written",
    "INSERT INTO request_sensitive VALUES (3, 9, 'age', 'distinct_l 2')": (
        "requests 3: the row is not as it was written"
    ),
    "INSERT INTO users VALUES (9, 'eve', ['provider'], NOW()::TIMESTAMP, NULL)": (
        "users 9: the row was written by no command of ordermade"
    ),
    "UPDATE audit SET detail = 'x' WHERE id = 1": (
        "audit 1: the entry is not as it was written, or one before it is gone"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("edit", EDITS)
def test_what_was_edited_by_hand_before_is_found_afterwards(tmp_path: Path, edit: str) -> None:
    path = converted(made(tmp_path, edit)).path
    assert EDITS[edit] in [f"{each.where}: {each.what}" for each in verify(path, SHELL)]


@pytest.mark.slow
def test_a_state_that_is_not_the_last_of_its_kind_is_refused(tmp_path: Path) -> None:
    older = made(tmp_path, "DELETE FROM migrations WHERE number = 22")
    with pytest.raises(StateOlder, match="state migrate"):
        converted(older)
    other = tmp_path / "members.duckdb"
    with duckdb.connect(str(other)) as connection:
        connection.execute("CREATE TABLE members (id INTEGER)")
    with pytest.raises(StateDamaged, match="not a state"):
        convert(tmp_path / "new.sqlite", other, SHELL)
    other.write_bytes(b"not a database at all" * 100)
    with pytest.raises(StateDamaged):
        convert(tmp_path / "new.sqlite", other, SHELL)
    assert [each.name for each in tmp_path.glob("*.sqlite")] == []


def test_nothing_is_replaced_and_a_missing_state_is_named(tmp_path: Path) -> None:
    (tmp_path / "state.sqlite").write_bytes(b"precious")
    with pytest.raises(InputError, match="there is a state already"):
        convert(tmp_path / "state.sqlite", tmp_path / "state.duckdb", SHELL)
    with pytest.raises(StateMissing, match="earlier ordermade"):
        convert(tmp_path / "new.sqlite", tmp_path / "state.duckdb", SHELL)
    assert (tmp_path / "state.sqlite").read_bytes() == b"precious"


@pytest.mark.slow
def test_a_run_that_was_killed_is_put_in_order_first(earlier: Path) -> None:
    run = Run(earlier.with_suffix(".sqlite"))
    run.begin()
    run.stays = True
    run.end()
    with pytest.raises(InputError, match="killed"):
        converted(earlier)


@pytest.mark.slow
@pytest.mark.parametrize("by", [Authority(), OfUser("00ff")])
def test_no_token_converts(earlier: Path, by: Authority) -> None:
    with pytest.raises(Refused):
        convert(earlier.with_suffix(".sqlite"), earlier, by)
    assert not earlier.with_suffix(".sqlite").exists()


@pytest.mark.slow
def test_commands_name_what_to_type(earlier: Path) -> None:
    state = StateFile(earlier.with_suffix(".sqlite"), SHELL)
    with pytest.raises(StateMissing, match="ordermade state convert"), state.reading():
        pass
    with pytest.raises(StateOlder, match="ordermade --state FILE state convert"), StateFile(earlier, SHELL).reading():
        pass
    converted(earlier)
    with state.reading() as connection:
        assert connection.execute("SELECT COUNT(*) FROM requests").fetchone() == (3,)
    with by_hand(state.path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
