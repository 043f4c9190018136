"""Seals of rows: hashes of their contents, kept as they are written, so that an edit by hand is seen.

A row has a seal of its own. Rows of one owner that come and stay together, of which there may be a million, have one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from ordermade.files.resources import statement
from ordermade.state.connection import bindable

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection
    from ordermade.state.statements import Row


class OfTable(Protocol):
    """A table as far as its rows are sealed."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def key(self) -> tuple[str, ...]:
        """The columns of its key."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Its columns, in their order."""

    @property
    def sealed(self) -> bool:
        """Whether its rows are sealed."""

    @property
    def together(self) -> tuple[str, ...]:
        """The order in which the rows of an owner have one seal; empty where each has its own."""


def note_written(connection: StateConnection, table: OfTable, written: Sequence[Row], *, erased: bool) -> None:
    """Seals rows that were written or `erased`, each by itself. Raises Refused for those that are beyond the bounds.

    Raises ValueError where the rows of the table are sealed together.
    """
    if table.together:
        raise ValueError(f"the rows of {table.name} are written together")
    if connection.bounds is not None:
        connection.bounds.require_written(table.name, table.columns, written, partial(_released, connection))
    if connection.seals is not None and table.sealed:
        for row in written:
            key = key_of(table.key, table.columns, row)
            connection.seals.found[table.name, *key] = None if erased else seal_of(table.columns, row)


def _released(connection: StateConnection, submission: int) -> list[int]:
    """The releases of a submitted request: the noted one, and those in its own folders, of runs that were killed."""
    found = connection.execute(statement("state/releases_of_submission"), {"id": submission})
    return [int(number) for (number,) in found]


def key_of(key: Sequence[str], columns: Sequence[str], row: Row) -> tuple[int, str]:
    """What the seal of a row is known by: its owner, 0 where the key begins with no number, and the rest of its key."""
    return _key_at([columns.index(each) for each in key], row)


def sealed_rows(key: Sequence[str], columns: Sequence[str], rows: Iterable[Row]) -> Iterator[tuple[int, str, int]]:
    """What the seal of each row is known by, and the seal."""
    places = [columns.index(each) for each in key]
    for row in rows:
        yield (*_key_at(places, row), seal_of(columns, row))


def in_stretches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """The rows as `seal_of_all` takes them."""
    found = iter(rows)
    while stretch := list(islice(found, _STRETCH)):
        yield stretch


def seal_of_all(stretches: Iterable[Sequence[Row]]) -> int:
    """The seal of rows together, in this order: 64 bits of the SHA-256 of each stretch, column by column, as JSON."""
    digest = hashlib.sha256()
    for stretch in stretches:
        columns = list(zip(*stretch, strict=True))
        text = json.dumps(columns, ensure_ascii=False, separators=(",", ":"), default=_of_another_type)
        digest.update(f"{text}\n".encode())
    return _first_bits(digest.digest())


_STRETCH = 1_000
"""Rows that are one line of what they are hashed as: seals that there are follow from it."""


def _of_another_type(value: object) -> dict[str, str]:
    return {type(value).__name__: _plain(value)}


def _key_at(places: Sequence[int], row: Row) -> tuple[int, str]:
    values = [row[place] for place in places]
    owner = values.pop(0) if isinstance(values[0], int) else 0
    return owner, ",".join(map(_plain, values))


def seal_of(columns: Sequence[str], row: Row) -> int:
    """The first 64 bits of the SHA-256 of the content of a row, whose texts say how long they are."""
    content = "".join(
        f"{name}={len(value)}:{value};" if isinstance(value, str) else f"{name}={_plain(value)};"
        for name, value in zip(columns, row, strict=True)
        if value is not None
    )
    return _first_bits(hashlib.sha256(content.encode()).digest())


def _first_bits(digest: bytes) -> int:
    return int.from_bytes(digest[:8], "big", signed=True)


def _plain(value: object) -> str:
    if isinstance(value, float):
        return f"{value + 0.0:.17g}"  # RETURNING gives 4.0 of a REAL column as 4, and -0.0 as it is not stored
    return str(bindable(value)).lower() if isinstance(value, bool) else str(bindable(value))
