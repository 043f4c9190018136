"""The statements of `sql/state` and `sql/cache`, run as they are written, with values bound."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from ordermade.resources import folder

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
