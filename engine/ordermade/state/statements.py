"""The joins and aggregates of `sql/state.sql`, run on a connection to the state; names of what is registered; times.

What one table is written and read by, `table.py` makes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, Protocol, TypeVar

from ordermade.errors import InputError, UnknownName, quoted
from ordermade.files.resources import statement
from ordermade.phrases import phrase
from ordermade.state.bounds import StoredBounds
from ordermade.state.connection import StateConnection, bindable

Row = tuple[Any, ...]


def rows(connection: StateConnection, name: str, /, **values: object) -> list[Row]:
    """The rows that the statement `name` gives with these values, a list as JSON; times are in UTC and say so."""
    text, bounds = statement(name), connection.bounds
    if bounds is not None:
        bounds.require_named(name, text, values)
    result = connection.execute(text, {key: bindable(value) for key, value in values.items()})
    found = result.fetchall()
    if bounds is None or result.description is None:
        return found
    return bounds.kept(name, [str(column[0]) for column in result.description], found)


def run(connection: StateConnection, name: str, /, **values: object) -> None:
    """Run the statement `name`, which writes no row that is sealed, with these values, as `rows` does."""
    rows(connection, name, **values)


@contextmanager
def bound(connection: StateConnection, bounds: StoredBounds | None) -> Iterator[None]:
    """Binds every statement on a connection by these bounds until the end of the block; None: by none."""
    connection.bounds = bounds
    try:
        yield
    finally:
        connection.bounds = None


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


_NOUNS: Mapping[str, str] = {"hierarchy": phrase("hierarchy")}
"""The nouns of what users name, for their pages."""


def checked_name(kind: str, name: str) -> str:
    """`name` itself. Raises InputError if it is empty, too long, padded, or does not print."""
    if not name or name != name.strip() or not name.isprintable() or len(name) > LONGEST_NAME:
        raise InputError(
            phrase("%(name)s cannot be the name of a %(kind)s", name=quoted(name), kind=_NOUNS.get(kind, kind)),
            next_step=phrase(
                "Use up to %(longestname)s printable characters with no space at either end.", longestname=LONGEST_NAME
            ),
        )
    return name


def find(kind: str, name: str, among: Iterable[Found]) -> Found:
    """The one of that exact name. Raises UnknownName, which names the nearest."""
    known = {each.name: each for each in among}
    if name not in known:
        raise UnknownName(
            kind, name, known, next_step=("" if known else phrase("Add one with `ordermade %(kind)s add`.", kind=kind))
        )
    return known[name]


def require_free(kind: str, name: str, among: Iterable[Named]) -> None:
    """Raise InputError if something of that name is registered already."""
    if any(each.name == name for each in among):
        raise InputError(
            phrase("there is already a %(kind)s %(name)s", kind=kind, name=quoted(name)),
            next_step=phrase("Choose another name, or run `ordermade %(kind)s remove` first.", kind=kind),
        )
