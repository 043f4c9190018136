"""Connections to the engine's own DuckDB files, and the statements of `sql/state` and `sql/cache` run on them.

A connection waits for a locked file, keeps it private, and raises errors of the error tree. Values are bound. Each row
that is written to the state is sealed: `seals` keeps a hash of its content, so that an edit by hand is seen. Names of
registered things and the audit, a chain of hashes, are here, too, as every table of the state needs them.
"""

from __future__ import annotations

import getpass
import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from weakref import WeakKeyDictionary

import duckdb

from ordermade import waiting
from ordermade.errors import (
    InputError,
    StateFault,
    StateLocked,
    StateMissing,
    UnknownName,
    quoted,
)
from ordermade.private_files import FILE_MODE, FOLDER_MODE, give_name, own_folder, private_umask
from ordermade.resources import folder
from ordermade.state.bounds import Bounds
from ordermade.state.faults import state_fault
from ordermade.state.keys import CHANGED, KEYS, LISTS
from ordermade.waiting import Notice, Wait

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from ordermade.state.records.audit import AuditEntry


Opened = TypeVar("Opened")


def when_free(
    open_file: Callable[[], Opened], path: Path, *, what: str, wait_seconds: float, notice: Notice | None
) -> Opened:
    """Return the result of `open_file`, retried while the file at `path` is held, for `wait_seconds` at most.

    Raises StateLocked at the end of the wait; any other error of `open_file` at once. See `ordermade.waiting`.
    """

    def still_held() -> StateLocked:
        return StateLocked(
            f"the {what} was held by another process for {wait_seconds:g} seconds",
            where=str(path),
            next_step="Wait until the other ordermade command has ended, then run this one again.",
        )

    return waiting.when_free(open_file, path, what=what, wait=Wait(wait_seconds, notice), still_held=still_held)


WORKSHOP = ".ordermade-"
"""The prefix of the private folders that files are made in before they get their names."""


def require(path: Path) -> None:
    """Raise StateMissing unless there is a file at `path`, StateFault if that is unknown, or it is no regular one."""
    refuse_backslash(path)
    try:
        exists = path.exists()
        is_special = exists and not path.is_file() and not path.is_dir()  # to open one may wait for its other end
    except OSError as error:
        raise state_fault(error, path) from error
    if not exists:
        from ordermade.state.location import not_found_above

        raise StateMissing(
            f"there is no state here{not_found_above(path)}",
            where=str(path),
            next_step="Make one with `ordermade init`, or name it with --state or ORDERMADE_STATE.",
        )
    if is_special:
        raise StateFault(
            "this is no regular file, and no state", where=str(path), next_step="Name a file with --state."
        )


def refuse_backslash(path: Path) -> None:
    """Raise StateFault for a path with a backslash: DuckDB reads it as `/` and would open another file."""
    if os.sep != "\\" and "\\" in str(path):
        raise StateFault(
            "a path with a backslash cannot be used", where=str(path), next_step="Choose a path without one."
        )


def make_folder(folder: Path) -> None:
    """Make the folder of a state if it is missing, for its owner alone."""
    folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)


@contextmanager
def alone_beside(path: Path) -> Iterator[Path]:
    """Like `beside`, for a process that holds the lock of `path`: takes away what a killed one left there."""
    workshop = path.with_name(f".{path.name}.new")
    discard_left_beside(path)
    workshop.mkdir(mode=FOLDER_MODE)
    try:
        with private_umask():
            yield workshop / path.name
    finally:
        shutil.rmtree(workshop)


def discard_left_beside(path: Path) -> None:
    """Remove the folder that `alone_beside` made, if its process was killed. The lock of `path` must be held."""
    workshop = path.with_name(f".{path.name}.new")
    if workshop.exists():
        shutil.rmtree(workshop)


@contextmanager
def beside(path: Path) -> Iterator[Path]:
    """A path in a private folder beside `path`, for a file to be put in place; gone after the block.

    Such folders that killed processes left there are removed first.
    """
    with own_folder(path.parent, WORKSHOP) as workshop, private_umask():
        yield workshop / path.name


def put_in_place(made: Path, path: Path) -> bool:
    """Give the finished file `made` its name, mode 0600, unless there is such a file; whether it was given."""
    made.chmod(FILE_MODE)
    try:
        give_name(made, path, replace=False)
    except FileExistsError:
        return False
    return True


@contextmanager
def transaction(connection: DuckDBPyConnection) -> Iterator[None]:
    """One transaction: committed at the end of the block, rolled back on any exception or interrupt."""
    connection.begin()
    try:
        yield
        connection.commit()
    except BaseException:
        _roll_back(connection)
        raise


def _roll_back(connection: DuckDBPyConnection) -> None:
    try:
        connection.rollback()
    except duckdb.TransactionException:
        # A commit that failed has ended the transaction already: there is nothing left to roll back, and the
        # error that matters is on its way up.
        return


Row = tuple[Any, ...]


@cache
def statement(name: str) -> str:
    """The text of `sql/<name>.sql`, for statements that have nothing to replace."""
    return (folder("sql") / f"{name}.sql").read_text(encoding="utf-8")


def rows(connection: DuckDBPyConnection, name: str, /, **values: object) -> list[Row]:
    """The rows that `sql/<name>.sql` gives with these values; its times are in UTC and say so."""
    return [tuple(_in_utc(value) for value in row) for row in _executed(connection, name, values)]


def run(connection: DuckDBPyConnection, name: str, /, **values: object) -> None:
    """Run `sql/<name>.sql` with these values, for what it does."""
    _executed(connection, name, values)


_PARSED: dict[str, duckdb.Statement] = {}
"""The statements that this process ran, parsed: for a small table that is half of what a statement takes."""


def _parsed(connection: DuckDBPyConnection, text: str) -> duckdb.Statement:
    if text not in _PARSED:
        (_PARSED[text],) = connection.extract_statements(text)
    return _PARSED[text]


def _executed(connection: DuckDBPyConnection, name: str, values: Mapping[str, object]) -> list[Row]:
    bounds = _BOUND.get(connection)
    if bounds is not None:
        bounds.require_readable(name, statement(name), values)
    seals = _SEALING.get(connection)
    write = None if seals is None else _write(name)
    if seals is None or write is None:
        found = connection.execute(_parsed(connection, statement(name)), values or None).fetchall()
        return found if bounds is None else bounds.kept(name, found)
    return seals.sealed(connection, write, values, bounds)


_BOUND: WeakKeyDictionary[DuckDBPyConnection, Bounds] = WeakKeyDictionary()
"""The connections on which the service acts for a user."""


@contextmanager
def bound(connection: DuckDBPyConnection, bounds: Bounds | None) -> Iterator[None]:
    """Binds every statement on a connection by these bounds until the end of the block; None: by none."""
    if bounds is None:
        yield
        return
    _BOUND[connection] = bounds
    try:
        yield
    finally:
        del _BOUND[connection]


_WRITES = re.compile(r"(?:--[^\n]*\n|\s)*(INSERT INTO|UPDATE|DELETE FROM)\s+(\w+)")
_RETURNS = re.compile(r"\bRETURNING\s+([\w, ]+)\Z")
_EPOCH = datetime(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class _Write:
    """A statement that writes to a table whose rows are sealed.

    `text` gives the rows as they are now, of which it `gives` some columns itself; None of them where they are read
    afterwards, by the statement `changed`.
    """

    text: str
    table: str
    erases: bool
    gives: tuple[str, ...]
    changed: str | None


@cache
def _write(name: str) -> _Write | None:
    """What `sql/<name>.sql` writes; None where it is nothing that is sealed."""
    text = statement(name).strip()
    match = _WRITES.match(text)
    if match is None or match[2] not in KEYS:
        return None
    table, returns = match[2], _RETURNS.search(text)
    text = text[: returns.start()] if returns else text
    gives = tuple(each.strip() for each in returns[1].split(",")) if returns else ()
    if match[1] == "UPDATE" and table in CHANGED:
        return _Write(text, table, False, gives, CHANGED[table])
    as_text = ", ".join(f"CAST(TO_JSON({each}) AS VARCHAR) AS {each}" for each in LISTS.get(table, ()))
    return _Write(
        f"{text}\nRETURNING *{f' REPLACE ({as_text})' if as_text else ''}",
        table,
        match[1].startswith("DELETE"),
        gives,
        None,
    )


@dataclass(slots=True)
class _Seals:
    """The seals of the rows that a transaction `by` somebody writes, each the last one, until noted at its end."""

    by: str | None = None
    found: dict[tuple[str, int, str], int | None] = field(default_factory=dict)

    def sealed(
        self, connection: DuckDBPyConnection, write: _Write, values: Mapping[str, object], bounds: Bounds | None
    ) -> list[Row]:
        """Runs a statement and seals the rows it wrote; gives what the statement itself returns."""
        result = connection.execute(_parsed(connection, write.text), values or None)
        if write.changed is not None:
            numbers = values["id"] if isinstance(values["id"], list) else [values["id"]]
            result = connection.execute(_parsed(connection, statement(write.changed)), {"id": numbers})
        columns = [str(each[0]) for each in result.description]
        written = result.fetchall()
        if bounds is not None:
            bounds.require_written(write.table, columns, written, partial(_released, connection))
        keys = [columns.index(each) for each in KEYS[write.table]]
        for row in written:
            owner, part = _known_by([row[each] for each in keys])
            self.found[write.table, owner, part] = None if write.erases else _seal(write.table, columns, row)
        places = [columns.index(each) for each in write.gives]
        return [tuple(row[place] for place in places) for row in written] if places else []

    def note(self, connection: DuckDBPyConnection) -> None:
        """Notes them in the state."""
        if self.found:
            tables, owners, parts = zip(*self.found, strict=True)
            values = {"table_name": tables, "owner": owners, "part": parts, "seal": list(self.found.values())}
            run(connection, "state/seals_insert", **{name: list(each) for name, each in values.items()})


_SEALING: WeakKeyDictionary[DuckDBPyConnection, _Seals] = WeakKeyDictionary()
"""The connections whose writes are sealed."""


@contextmanager
def sealing(connection: DuckDBPyConnection, by: str | None = None) -> Iterator[None]:
    """Seals what is written `by` somebody (None: at the shell) until the end of the block, inside one transaction."""
    seals = _SEALING[connection] = _Seals(by)
    try:
        yield
        seals.note(connection)
    finally:
        del _SEALING[connection]


def _released(connection: DuckDBPyConnection, submission: int) -> list[int]:
    """The releases of a submitted request: the noted one, and those in its own folders, of runs that were killed."""
    return [
        int(number)
        for (number,) in connection.execute(
            _parsed(connection, statement("state/releases_of_submission")), {"id": submission}
        ).fetchall()
    ]


def _known_by(key: Sequence[object]) -> tuple[int, str]:
    """Owner and part of a row, by the values of its key."""
    if isinstance(key[0], int):
        return key[0], ",".join(map(_plain, key[1:]))
    return 0, ",".join(map(_plain, key))


def _seal(table: str, columns: Sequence[str], row: Row) -> int:
    """The last 64 bits of the MD5 of the content of a row; `state/seals.py` computes the same in SQL."""
    lists = LISTS.get(table, ())
    content = "".join(
        f"{name}={f'{len(value.encode())}:' if isinstance(value, str) and name not in lists else ''}{_plain(value)};"
        for name, value in zip(columns, row, strict=True)
        if value is not None
    )
    digest = hashlib.md5(content.encode(), usedforsecurity=False).digest()
    return int.from_bytes(digest[8:], "little")


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return str((value - _EPOCH) // timedelta(microseconds=1))
    if isinstance(value, float):
        return f"{value:.17g}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def new_id(connection: DuckDBPyConnection, name: str, /, **values: object) -> int:
    """Run an INSERT … RETURNING id and give the number of the new row."""
    return int(rows(connection, name, **values)[0][0])


def utc_now() -> datetime:
    """The time in UTC, without a zone, as the state stores it."""
    return datetime.now(UTC).replace(tzinfo=None)


def without_zone(time: datetime) -> datetime:
    """A time with a zone as the state and the cache store it: in UTC, without one."""
    return time.astimezone(UTC).replace(tzinfo=None)


def _in_utc(value: Any) -> Any:
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) and value.tzinfo is None else value


LONGEST_NAME = 200


class Named(Protocol):
    """Anything with a name."""

    @property
    def name(self) -> str:
        """The name it is known by."""


Found = TypeVar("Found", bound=Named)


def checked_name(kind: str, name: str) -> str:
    """`name` itself. Raises InputError if it is empty, too long, padded, or does not print."""
    if not name or name != name.strip() or not name.isprintable() or len(name) > LONGEST_NAME:
        raise InputError(
            f"{quoted(name)} cannot be the name of a {kind}",
            next_step=f"Use up to {LONGEST_NAME} printable characters with no space at either end.",
        )
    return name


def find(kind: str, name: str, among: Iterable[Found]) -> Found:
    """The one of that exact name. Raises UnknownName, which names the nearest."""
    known = {each.name: each for each in among}
    if name not in known:
        raise UnknownName(kind, name, known, next_step="" if known else f"Add one with `ordermade {kind} add`.")
    return known[name]


def require_free(kind: str, name: str, among: Iterable[Named]) -> None:
    """Raise InputError if something of that name is registered already."""
    if any(each.name == name for each in among):
        raise InputError(
            f"there is already a {kind} {quoted(name)}",
            next_step=f"Choose another name, or run `ordermade {kind} remove` first.",
        )


def add_audit_entry(
    connection: DuckDBPyConnection,
    action: str,
    subject: str,
    detail: str | None = None,
    data: Mapping[str, Any] | None = None,
    by: str | None = None,
) -> None:
    """Add an entry: `action` as the command is called (`source add`), `subject` what it was done to.

    `data`: the rows that were written, kept as canonical JSON. `by`: the acting user; None: whoever the transaction is
    of, else the one at the shell.
    """
    from ordermade.state.records.audit import AuditEntry

    ((number, before),) = rows(connection, "state/audit_head")
    text = None if data is None else canonical_json(data)
    if by is None and (seals := _SEALING.get(connection)) is not None:
        by = seals.by
    acting = actor() if by is None else by
    entry = AuditEntry(number + 1, datetime.now(UTC), acting, action, subject, detail, text)
    digest = chained(before, entry)
    run(
        connection,
        "state/audit_insert",
        id=entry.id,
        happened_at=without_zone(entry.happened_at),
        actor=entry.actor,
        action=action,
        subject=subject,
        detail=detail,
        data=text,
        hash=digest,
    )
    run(connection, "state/audit_head_update", number=entry.id, hash=digest)


def canonical_json(data: Mapping[str, Any]) -> str:
    """The one JSON text of these values: keys in order, no spaces."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def chained(before: str, entry: AuditEntry) -> str:
    """The hash of an entry of the audit: SHA-256 of the one before, a line feed, and the entry as canonical JSON."""
    return hashlib.sha256(f"{before}\n{canonical_json(content_of(entry))}".encode()).hexdigest()


def content_of(entry: AuditEntry) -> dict[str, Any]:
    """The content of an entry of the audit that its hash is of, by name."""
    return {
        "number": entry.id,
        "happened_at": f"{entry.happened_at:%Y-%m-%dT%H:%M:%S.%f}Z",
        "actor": entry.actor,
        "action": entry.action,
        "subject": entry.subject,
        "detail": entry.detail,
        "data": entry.data,
    }


def audit_entries(connection: DuckDBPyConnection, entries: int = 100) -> tuple[AuditEntry, ...]:
    """The latest entries, the latest first."""
    from ordermade.state.records.audit import AuditEntry

    return tuple(AuditEntry(*row) for row in rows(connection, "state/audit", entries=entries))


def actor() -> str:
    """The name of the user on the operating system, or `unknown` where there is none (some containers).

    That of the process, not of LOGNAME or USER: the audit, and whether a review is of an own request, go by it.
    """
    try:
        from pwd import getpwuid
    except ImportError:  # Windows
        return getpass.getuser()
    try:
        return getpwuid(os.geteuid()).pw_name
    except KeyError:
        return "unknown"
