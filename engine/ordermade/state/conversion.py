"""`state convert`: a state that an earlier engine kept in a DuckDB file, as a SQLite one.

Every row is taken over as it is, the audit with its hashes. A row that is not as it was sealed stays so: `state verify`
finds the same before and after.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
from sqlglot import exp

from ordermade import sql
from ordermade.errors import InputError, StateDamaged, StateMissing, StateOlder
from ordermade.private_files import FILE_MODE
from ordermade.state.authority import SHELL, Authority
from ordermade.state.cache_database import bare_connection, rows, run
from ordermade.state.connection import bindable, transaction
from ordermade.state.database import initialise, opened
from ordermade.state.faults import state_fault
from ordermade.state.files import beside, make_folder, put_in_place, when_free
from ordermade.state.keys import KEYS
from ordermade.state.location import DEFAULT_PATH, EARLIER_PATH
from ordermade.state.runs import run_folders
from ordermade.state.stand_ins import inserting, over
from ordermade.state.statements import add_audit_entry, key_of, seal_of, sealing
from ordermade.state.statements import rows as rows_of_state
from ordermade.state.statements import run as run_on_state
from ordermade.waiting import Notice

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from ordermade.state.connection import StateConnection

LAST_MIGRATIONS = (
    (22, "0022_uncounted_refusals.sql", "0739f12c5996cdf98e8f243490bd7dd56033796206ad71987cb4ee3737921660"),
    (23, "0023_dataset_columns.sql", "0ef60037df9fdb394423d58ed95a149be9143bac7404e533009ac5fd308a9e71"),
)
"""Number, name and checksum of the migration that the states in DuckDB files end with: of one of the last two."""

_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class Converted:
    """The state at `path` that was made of the DuckDB file `kept`, which stays; the number of its rows."""

    path: Path
    kept: Path
    rows: int


def convert(
    path: Path, source: Path, authority: Authority, *, wait_seconds: float = 30.0, notice: Notice | None = None
) -> Converted:
    """Makes the state at `path` of the one that an earlier engine kept in the DuckDB file `source`, which stays.

    The new state is put in place whole. Raises Refused for any token, which a state that is not there yet accepts none
    of; InputError where there is a state at `path`, and where runs on the earlier one were not put in order; StateOlder
    for one that is not of the last engine with DuckDB files, StateMissing, StateDamaged, StateLocked, StateFault.
    """
    authority.require_provider(None)
    if path.exists():
        raise InputError(
            "there is a state already", where=str(path), next_step="Move it away, or name another place with --state."
        )
    if not source.is_file():
        raise StateMissing(
            "there is no state of an earlier ordermade here",
            where=str(source),
            next_step="Name its file: state.duckdb.",
        )
    runs_of = source.with_name(DEFAULT_PATH.name) if source.name == EARLIER_PATH.name else source
    if run_folders(runs_of):
        raise InputError(
            "requests ran on this state when they were killed",
            where=str(source),
            next_step="Run `request list` once with the ordermade that wrote it: that puts them in order.",
        )
    try:
        make_folder(path.parent)
        with beside(path) as made, bare_connection() as before:
            when_free(
                lambda: run(before, "convert/attach", path=str(source)),
                source,
                what="state",
                wait_seconds=wait_seconds,
                notice=notice,
            )
            _require_last(before, source)
            initialise(made, SHELL)
            number = _fill(before, made)
            if not put_in_place(made, path):
                raise InputError("a state was made here meanwhile", where=str(path), next_step="Look at that one.")
        source.chmod(FILE_MODE)
    except (duckdb.Error, OSError) as error:
        raise state_fault(error, source) from error
    return Converted(path, source, number)


def _require_last(before: DuckDBPyConnection, source: Path) -> None:
    try:
        applied = rows(before, "convert/migrations")
    except duckdb.CatalogException:
        raise StateDamaged(
            "this database is not a state of ordermade", where=str(source), next_step="Name the file of a state."
        ) from None
    if not applied or applied[-1] not in LAST_MIGRATIONS:
        raise StateOlder(
            f"this state is at migration {len(applied)}, and those at {LAST_MIGRATIONS[0][0]} or more are converted",
            where=str(source),
            next_step="Run `state migrate` with the last ordermade that kept states in DuckDB files, then convert it.",
        )


def _fill(before: DuckDBPyConnection, made: Path) -> int:
    """Takes over every row; their number."""
    columns: dict[str, dict[str, str]] = {}
    for table, column, kind in rows(before, "convert/columns"):
        columns.setdefault(str(table), {})[str(column)] = str(kind)
    number = 0
    with (
        opened(made, SHELL, read_only=False, wait_seconds=0, notice=None) as connection,
        transaction(connection),
    ):
        connection.execute(over("state/rows_forget", "audit_head"))
        for table, kinds in columns.items():
            if table not in ("migrations", "seals"):
                number += _take_over(before, connection, table, kinds)
        ((entries, head),) = rows_of_state(connection, "state/audit_head")
        with sealing(connection):
            data = {"replaced_entries": entries, "replaced_head": head, "rows": []}
            add_audit_entry(connection, "state convert", "state.duckdb", data=data)
    return number


def _take_over(before: DuckDBPyConnection, connection: StateConnection, table: str, kinds: dict[str, str]) -> int:
    names, number = tuple(kinds), 0
    insert = inserting(table, names)
    seals = {(owner, part): seal for owner, part, seal in rows(before, "convert/seals", table_name=table)}
    for stretch in _stretches(before, table):
        connection.executemany(insert, ([bindable(value) for value in row] for row in stretch))
        number += len(stretch)
        if table in KEYS:
            _seal(connection, table, kinds, stretch, seals)
    gone = [key for key, seal in seals.items() if seal is not None]
    if gone:  # a row that was taken away by hand is missed afterwards, too
        _note(connection, table, [(*key, 0) for key in gone])
    return number


def _stretches(before: DuckDBPyConnection, table: str) -> Iterator[list[tuple[Any, ...]]]:
    tree = sql.template("convert/rows")
    for each in tree.find_all(exp.Table):
        each.set("this", sql.identifier(table))
    found = before.execute(sql.text(tree))
    while stretch := found.fetchmany(_AT_ONCE):
        yield stretch


def _seal(
    connection: StateConnection,
    table: str,
    kinds: dict[str, str],
    stretch: Sequence[tuple[Any, ...]],
    seals: dict[tuple[int, str], int | None],
) -> None:
    """Seals rows anew, but those that were not as they were sealed, whose seals fit nothing."""
    names, of_rows = tuple(kinds), []
    for row in stretch:
        sealed = seals.pop(_key_before(table, names, row), None)
        if sealed is None:
            continue  # written by no command: it is found so again
        seal = seal_of(names, row)
        of_rows.append((*key_of(table, names, row), seal if sealed == _seal_before(names, row) else ~seal))
    if of_rows:
        _note(connection, table, of_rows)


def _note(connection: StateConnection, table: str, of_rows: Sequence[tuple[int, str, int]]) -> None:
    run_on_state(connection, "state/seals_insert", seals=[(table, *each) for each in of_rows])


def _key_before(table: str, names: Sequence[str], row: Sequence[Any]) -> tuple[int, str]:
    key = [row[names.index(each)] for each in KEYS[table]]
    if isinstance(key[0], int):
        return key[0], ",".join(map(_plain_before, key[1:]))
    return 0, ",".join(map(_plain_before, key))


def _seal_before(names: Sequence[str], row: Sequence[Any]) -> int:
    """The seal of a row in a DuckDB file: the last 64 bits of the MD5 of its content."""
    content = "".join(
        f"{name}={f'{len(value.encode())}:' if isinstance(value, str) else ''}{_plain_before(value)};"
        for name, value in zip(names, row, strict=True)
        if value is not None
    )
    return int.from_bytes(hashlib.md5(content.encode(), usedforsecurity=False).digest()[8:], "little")


_EPOCH = datetime(1970, 1, 1)


def _plain_before(value: Any) -> str:
    if isinstance(value, datetime):
        return str((value - _EPOCH) // timedelta(microseconds=1))
    if isinstance(value, float):
        return f"{value:.17g}"
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return str(value).lower() if isinstance(value, bool) else str(value)
