"""Statements of `sql/state` and `sql/cache` with bound values; names of registered things; the audit."""

from __future__ import annotations

import getpass
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ordermade.errors import InputError, UnknownName, quoted
from ordermade.resources import folder
from ordermade.state.records import AuditEntry

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Row = tuple[Any, ...]


@cache
def statement(name: str) -> str:
    """The text of `sql/<name>.sql`, for statements that have nothing to replace."""
    return (folder("sql") / f"{name}.sql").read_text(encoding="utf-8")


def rows(connection: DuckDBPyConnection, name: str, /, **values: object) -> list[Row]:
    """The rows that `sql/<name>.sql` gives with these values; its times are in UTC and say so."""
    found = connection.execute(statement(name), values or None).fetchall()
    return [tuple(_in_utc(value) for value in row) for row in found]


def run(connection: DuckDBPyConnection, name: str, /, **values: object) -> None:
    """Run `sql/<name>.sql` with these values, for what it does."""
    connection.execute(statement(name), values or None)


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


def add_audit_entry(connection: DuckDBPyConnection, action: str, subject: str, detail: str | None = None) -> None:
    """Add an entry: `action` as the command is called (`source add`), `subject` what it was done to."""
    run(
        connection,
        "state/audit_insert",
        happened_at=utc_now(),
        actor=actor(),
        action=action,
        subject=subject,
        detail=detail,
    )


def audit_entries(connection: DuckDBPyConnection, entries: int = 100) -> tuple[AuditEntry, ...]:
    """The latest entries, the latest first."""
    return tuple(AuditEntry(*row) for row in rows(connection, "state/audit", entries=entries))


def actor() -> str:
    """The name of the user on the operating system, or `unknown` where there is none (some containers)."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"
