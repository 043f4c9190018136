"""`state convert`: a state that an earlier engine kept in a DuckDB file, as a SQLite one.

Every row is taken over as it is, the audit with its hashes. A row that is not as it was sealed stays so: `state verify`
finds the same before and after.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count, groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb
from sqlglot import exp

from ordermade import sql
from ordermade.errors import InputError, StateDamaged, StateMissing, StateOlder
from ordermade.files.private import FILE_MODE, flush
from ordermade.progress.waiting import Notice
from ordermade.state import requests
from ordermade.state.audit import add_audit_entry, head_of
from ordermade.state.authority import SHELL, Authority
from ordermade.state.cache_database import bare_connection, rows, run
from ordermade.state.connection import bindable, transaction
from ordermade.state.database import initialise, opened
from ordermade.state.documents import Fields
from ordermade.state.earlier_documents import KEYS_BEFORE, PARTS, EarlierLevels, row_of_now
from ordermade.state.faults import state_fault
from ordermade.state.files import beside, make_folder, put_in_place, when_free
from ordermade.state.location import DEFAULT_PATH, EARLIER_PATH
from ordermade.state.old_states import JOURNALS, name_of_before
from ordermade.state.runs import run_folders
from ordermade.state.sealing import key_of, seal_of
from ordermade.state.table import SEALS, Seal, emptying, inserting, sealing
from ordermade.state.tables import TABLES

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
    """A state made of one that an earlier engine kept in a DuckDB file."""

    path: Path
    """The file of the state."""
    kept: Path
    """The file of the earlier state, which stays."""
    rows: int
    """The number of rows taken over."""


def convert(
    path: Path, source: Path, authority: Authority, *, wait_seconds: float = 30.0, notice: Notice | None = None
) -> Converted:
    """Makes the state at `path` of the one that an earlier engine kept in the DuckDB file `source`, which stays.

    The new state is put in place whole; an earlier one beside it gets the name of a state of before. Raises Refused for
    any token, which a state that is not there yet accepts none of; InputError where there is a state at `path`, and
    where runs on the earlier one were not put in order; StateOlder for one that is not of the last engine with DuckDB
    files, StateMissing, StateDamaged, StateLocked, StateFault.
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
        kept = _named_as_before(source, path)
    except (duckdb.Error, OSError) as error:
        raise state_fault(error, source) from error
    return Converted(path, kept, number)


def _named_as_before(source: Path, path: Path) -> Path:
    """The earlier state under the name of one of before, where it lies beside the new one; else as it is."""
    if not source.parent.samefile(path.parent):
        return source
    kept = name_of_before(path, source.suffix)
    for end in ("", *JOURNALS):
        left = source.with_name(source.name + end)
        if left.exists():
            left.rename(kept.with_name(kept.name + end))
    flush(path.parent)
    return kept


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
    elsewhere = {"migrations", "seals", *(part for each in PARTS.values() for part in each)}
    number, levels = 0, EarlierLevels()
    with (
        opened(made, SHELL, read_only=False, wait_seconds=0, notice=None) as connection,
        transaction(connection),
    ):
        connection.execute(emptying("audit_head"))
        for (table,) in rows(before, "convert/tables"):
            if table not in elsewhere:
                number += _take_over(before, connection, table, levels)
        _add_levels(connection, levels)
        head = head_of(connection)
        with sealing(connection):
            for each in requests.listed(connection):
                requests.note_covering(connection, each)
            data = {"replaced_entries": head.number, "replaced_head": head.hash, "rows": []}
            add_audit_entry(connection, "state convert", "state.duckdb", data=data)
    return number


@dataclass(slots=True)
class _Earlier:
    """What an earlier state has of one owner in a table: rows, and whether each is as it was sealed (None: never was).

    `gone`: the keys of rows that were sealed and are not there.
    """

    rows: list[Fields] = field(default_factory=list)
    sealed: list[bool | None] = field(default_factory=list)
    gone: list[tuple[int, str]] = field(default_factory=list)


def _take_over(before: DuckDBPyConnection, connection: StateConnection, table: str, levels: EarlierLevels) -> int:
    """Takes over the rows of a table, of which the parts had tables of their own; the number of all of them."""
    parts, number = PARTS.get(table, ()), 0
    made: list[tuple[Fields, bool | None]] = []
    gone: list[tuple[int, str]] = []
    for _, found in _aligned(*(_by_owner(before, each) for each in (table, *parts))):
        of_table, *of_parts = owned = [each[0] if each else _Earlier() for each in found]
        number += sum(len(each.rows) for each in owned)
        whole = all(not each.gone and all(each.sealed) for each in of_parts)
        for row, sealed in zip(of_table.rows, of_table.sealed, strict=True):
            given = {part: each.rows for part, each in zip(parts, of_parts, strict=True)}
            now = row_of_now(table, row, given, levels) if parts else row
            made.append((now, sealed if whole or sealed is None else False))
        gone += of_table.gone  # a row that was taken away by hand is missed afterwards, too
        if len(made) >= _AT_ONCE:
            _write(connection, table, made)
            made = []
    _write(connection, table, made)
    if gone:
        _note(connection, table, [(*key, 0) for key in gone])
    return number


def _write(connection: StateConnection, table: str, made: Sequence[tuple[Fields, bool | None]]) -> None:
    """Writes rows and seals them anew, but those that were not as they were sealed, whose seals fit nothing."""
    if not made:
        return
    of_table = TABLES[table]
    names = tuple(name for name in of_table.columns if name in made[0][0])
    connection.executemany(inserting(table, names), (tuple(bindable(row[name]) for name in names) for row, _ in made))
    if not of_table.sealed:
        return
    of_rows = []
    for row, sealed in made:
        if sealed is not None:  # one that no command has written is found so again
            values = tuple(row[name] for name in names)
            seal = seal_of(names, values)
            of_rows.append((*key_of(of_table.key, names, values), seal if sealed else ~seal))
    if of_rows:
        _note(connection, table, of_rows)


def _note(connection: StateConnection, table: str, of_rows: Sequence[tuple[int, str, int]]) -> None:
    SEALS.add_all(connection, (Seal(table, *each) for each in of_rows), of_known_key="replaced")


def _add_levels(connection: StateConnection, levels: EarlierLevels) -> None:
    names = ("id", "column_name", "level_hash", "level", "level_name")
    made = [(dict(zip(names, (number, *level), strict=True)), True) for level, number in levels.numbers.items()]
    _write(connection, "measured_levels", made)


def _by_owner(before: DuckDBPyConnection, table: str) -> Iterator[tuple[int, _Earlier]]:
    """The rows of an earlier table by the number of their owner, rising: 0 where the key begins with no number."""
    for owner, (found, sealed) in _aligned(_owned(before, table), _sealed(before, table)):
        of_rows, earlier = dict(sealed), _Earlier()
        for names, row in found:
            seal = of_rows.pop(_key_before(table, names, row)[1], None) if table in KEYS_BEFORE else None
            earlier.rows.append(dict(zip(names, row, strict=True)))
            earlier.sealed.append(None if seal is None else seal == _seal_before(names, row))
        earlier.gone = [(owner, part) for part, seal in of_rows.items() if seal is not None]
        yield owner, earlier


def _owned(before: DuckDBPyConnection, table: str) -> Iterator[tuple[int, Any]]:
    tree = sql.template("convert/rows")
    for each in tree.find_all(exp.Table):
        each.set("this", sql.identifier(table))
    key = [exp.Ordered(this=exp.column(sql.identifier(each))) for each in KEYS_BEFORE.get(table, ())]
    tree.set("order", exp.Order(expressions=key) if key else None)
    found = before.cursor().execute(sql.text(tree))
    names = tuple(str(column[0]) for column in found.description)
    by_itself = count(1)  # each row of a table that is not sealed
    while stretch := found.fetchmany(_AT_ONCE):
        for row in stretch:
            yield _key_before(table, names, row)[0] if key else next(by_itself), (names, row)


def _sealed(before: DuckDBPyConnection, table: str) -> Iterator[tuple[int, Any]]:
    found = before.cursor().execute(sql.text(sql.template("convert/seals")), {"table_name": table})
    while stretch := found.fetchmany(_AT_ONCE):
        for owner, part, seal in stretch:
            yield owner, (part, seal)


Item = TypeVar("Item")


def _aligned(*streams: Iterator[tuple[int, Item]]) -> Iterator[tuple[int, tuple[list[Item], ...]]]:
    """For each number, rising, what each of the streams has of it, which are in the order of their numbers."""
    groups = [groupby(each, key=itemgetter(0)) for each in streams]
    heads = [next(each, None) for each in groups]
    while any(heads):
        owner = min(head[0] for head in heads if head is not None)
        found: list[list[Item]] = []
        for place, head in enumerate(heads):
            if head is None or head[0] != owner:
                found.append([])
                continue
            found.append([item for _, item in head[1]])
            heads[place] = next(groups[place], None)
        yield owner, tuple(found)


def _key_before(table: str, names: Sequence[str], row: Sequence[Any]) -> tuple[int, str]:
    key = [row[names.index(each)] for each in KEYS_BEFORE[table]]
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
