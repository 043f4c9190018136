"""The statements of `sql/state`, run on a connection to the state.

Values are bound. Each row that is written is sealed: `seals` keeps a hash of its content, so that an edit by hand is
seen. Names of registered things and the audit, a chain of hashes, are here, too: every table of the state needs them.
"""

from __future__ import annotations

import getpass
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ordermade.errors import InputError, UnknownName, quoted
from ordermade.state.bounds import Bounds
from ordermade.state.connection import Seals, StateConnection, bindable, statement
from ordermade.state.keys import KEYS

if TYPE_CHECKING:
    from ordermade.state.records.audit import AuditEntry

Row = tuple[Any, ...]


def rows(connection: StateConnection, name: str, /, **values: object) -> list[Row]:
    """The rows that `sql/<name>.sql` gives with these values; times are in UTC and say so.

    A list among the values is one value, JSON, where the statement reads it by `json` or `json_each`. Else the
    statement runs once for each of its places, beside the places of the other lists.
    """
    return _executed(connection, name, values)


def run(connection: StateConnection, name: str, /, **values: object) -> None:
    """Run `sql/<name>.sql` with these values, as `rows` does, for what it does."""
    _executed(connection, name, values)


def _executed(connection: StateConnection, name: str, values: Mapping[str, object]) -> list[Row]:
    bounds, seals = connection.bounds, connection.seals
    if bounds is not None:
        bounds.require_readable(name, statement(name), values)
    write = None if seals is None else _write(name)
    if seals is None or write is None:
        found = [row for each in _places(name, values) for row in connection.execute(statement(name), each)]
        return found if bounds is None else bounds.kept(name, found)
    return _sealed(connection, write, _places(name, values), seals)


_DOCUMENTS = re.compile(r"\bjson(?:_each)?\(\$(\w+)\)", re.IGNORECASE)


@cache
def _documents(name: str) -> frozenset[str]:
    """The parameters of a statement that are one JSON document."""
    return frozenset(_DOCUMENTS.findall(statement(name)))


def _places(name: str, values: Mapping[str, object]) -> Iterator[dict[str, Any]]:
    """What to bind to a statement, each time it runs."""
    in_parallel = {
        key: value for key, value in values.items() if isinstance(value, list | tuple) and key not in _documents(name)
    }
    alike = {key: bindable(value) for key, value in values.items() if key not in in_parallel}
    if not in_parallel:
        yield alike
        return
    for place in zip(*in_parallel.values(), strict=True):
        yield alike | dict(zip(in_parallel, map(bindable, place), strict=True))


@contextmanager
def bound(connection: StateConnection, bounds: Bounds | None) -> Iterator[None]:
    """Binds every statement on a connection by these bounds until the end of the block; None: by none."""
    connection.bounds = bounds
    try:
        yield
    finally:
        connection.bounds = None


_WRITES = re.compile(r"(?:--[^\n]*\n|\s)*(INSERT INTO|UPDATE|DELETE FROM)\s+(?:main\.)?(\w+)")
_RETURNS = re.compile(r"\bRETURNING\s+([\w, ]+)\Z")


@dataclass(frozen=True, slots=True)
class _Write:
    """A statement that writes to a table whose rows are sealed: as `text` it gives them, of which `gives` its own."""

    text: str
    table: str
    erases: bool
    gives: tuple[str, ...]


@cache
def _write(name: str) -> _Write | None:
    """What `sql/<name>.sql` writes; None where it is nothing that is sealed."""
    text = statement(name).strip()
    match = _WRITES.match(text)
    if match is None or match[2] not in KEYS:
        return None
    returns = _RETURNS.search(text)
    gives = tuple(each.strip() for each in returns[1].split(",")) if returns else ()
    text = text[: returns.start()] if returns else text
    return _Write(f"{text}\nRETURNING *", match[2], match[1].startswith("DELETE"), gives)


def _sealed(connection: StateConnection, write: _Write, places: Iterable[dict[str, Any]], seals: Seals) -> list[Row]:
    """Runs a statement, once a place, and seals the rows it wrote; gives what the statement itself returns."""
    given: list[Row] = []
    for each in places:
        result = connection.execute(write.text, each)
        columns = [str(column[0]) for column in result.description]
        written = result.fetchall()
        if connection.bounds is not None:
            connection.bounds.require_written(write.table, columns, written, partial(_released, connection))
        for row in written:
            key = key_of(write.table, columns, row)
            seals.found[write.table, *key] = None if write.erases else seal_of(columns, row)
        if write.gives:
            at = [columns.index(column) for column in write.gives]
            given += [tuple(row[place] for place in at) for row in written]
    return given


def _note(connection: StateConnection, seals: Seals) -> None:
    """Notes seals in the state."""
    of_rows = [(*key, seal) for key, seal in seals.found.items() if seal is not None]
    erased = [key for key, seal in seals.found.items() if seal is None]
    for name, places in (("state/seals_insert", of_rows), ("state/seals_delete", erased)):
        if places:
            run(connection, name, seals=places)


@contextmanager
def sealing(connection: StateConnection, by: str | None = None) -> Iterator[None]:
    """Seals what is written `by` somebody (None: at the shell) until the end of the block, inside one transaction."""
    seals = connection.seals = Seals(by)
    try:
        yield
        _note(connection, seals)
    finally:
        connection.seals = None


def _released(connection: StateConnection, submission: int) -> list[int]:
    """The releases of a submitted request: the noted one, and those in its own folders, of runs that were killed."""
    found = connection.execute(statement("state/releases_of_submission"), {"id": submission})
    return [int(number) for (number,) in found]


def key_of(table: str, columns: Sequence[str], row: Row) -> tuple[int, str]:
    """What the seal of a row is known by: its owner, 0 where the key begins with no number, and the rest of its key."""
    key = [row[columns.index(each)] for each in KEYS[table]]
    if isinstance(key[0], int):
        return key[0], ",".join(map(_plain, key[1:]))
    return 0, ",".join(map(_plain, key))


def seal_of(columns: Sequence[str], row: Row) -> int:
    """The first 64 bits of the SHA-256 of the content of a row, whose texts say how long they are."""
    content = "".join(
        f"{name}={len(value)}:{value};" if isinstance(value, str) else f"{name}={_plain(value)};"
        for name, value in zip(columns, row, strict=True)
        if value is not None
    )
    return int.from_bytes(hashlib.sha256(content.encode()).digest()[:8], "big", signed=True)


def _plain(value: object) -> str:
    if isinstance(value, float):
        return f"{value + 0.0:.17g}"  # RETURNING gives 4.0 of a REAL column as 4, and -0.0 as it is not stored
    return str(bindable(value)).lower() if isinstance(value, bool) else str(bindable(value))


def new_id(connection: StateConnection, name: str, /, **values: object) -> int:
    """Run an INSERT … RETURNING id and give the number of the new row."""
    return int(rows(connection, name, **values)[0][0])


def utc_now() -> datetime:
    """The time in UTC, without a zone, as the state stores it."""
    return datetime.now(UTC).replace(tzinfo=None)


def without_zone(time: datetime) -> datetime:
    """A time with a zone as the state and the cache store it: in UTC, without one."""
    return time.astimezone(UTC).replace(tzinfo=None)


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
    connection: StateConnection,
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
    if by is None and connection.seals is not None:
        by = connection.seals.by
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


def audit_entries(connection: StateConnection, entries: int = 100) -> tuple[AuditEntry, ...]:
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
