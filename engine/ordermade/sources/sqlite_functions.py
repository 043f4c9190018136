"""Functions of texts that SQLite has not: they are made known to its connection, and do what DuckDB's do.

One that reads a text raises ValueError for a text which is no number or day, by which the statement fails.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Callable
from datetime import date, datetime

Stored = str | int | float | None
"""A value of SQLite that a reading may give."""

_WHOLE = re.compile(r"[-+]?[0-9]{1,18}")
_NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_DAY = re.compile(r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})")


def translated(text: str, characters: str, to: str) -> str:
    """The text with each of the characters replaced by the one at its place, deleted where there is none."""
    table: dict[int, str | None] = {}
    for place, each in enumerate(characters):
        table.setdefault(ord(each), to[place : place + 1] or None)
    return text.translate(table)


def part(text: str, delimiter: str, number: int) -> str:
    """The part of a text between two delimiters, the first by 1; empty where there are fewer."""
    parts = text.split(delimiter)
    return parts[number - 1] if number <= len(parts) else ""


def whole(text: str) -> int:
    """The whole number that a text is. Raises ValueError."""
    if not _WHOLE.fullmatch(text):
        raise ValueError
    return int(text)


def number(text: str) -> float:
    """The number that a text is. Raises ValueError."""
    if not _NUMBER.fullmatch(text):
        raise ValueError
    return float(text)


def day(text: str) -> str:
    """The day that a text is, of year, month and day, in the spelling of SQLite. Raises ValueError."""
    found = _DAY.fullmatch(text)
    if not found:
        raise ValueError
    return date(*map(int, found.groups())).isoformat()


def moment(text: str) -> str:
    """The moment that a text is, in the spelling of SQLite. Raises ValueError for one finer than a second, too."""
    written, _, clock = text.partition(" ")
    found = datetime.fromisoformat(f"{day(written)} {clock}")
    if found.microsecond or found.tzinfo:
        raise ValueError
    return found.isoformat(" ")


def of_values(function: Callable[..., Stored]) -> Callable[..., Stored]:
    """The function, NULL where its first value is."""

    def called(value: Stored, *others: Stored) -> Stored:
        return None if value is None else function(value, *others)

    return called


def make_known(connection: sqlite3.Connection, functions: dict[str, tuple[int, Callable[..., Stored]]]) -> None:
    """Makes functions known to a connection, by their names and numbers of values."""
    known = dict(functions)
    known |= {"TRANSLATE": (3, translated), "SPLIT_PART": (3, part)}
    for name, (values, function) in known.items():
        connection.create_function(name, values, of_values(function), deterministic=True)


class Hashes:
    """Adds up one 64-bit hash of all values of a row, in numbers that do not overflow; a text in the end."""

    def __init__(self) -> None:
        self._sum = 0

    def step(self, *values: object) -> None:
        """Adds a row."""
        digest = hashlib.blake2b(repr(values).encode(), digest_size=8).digest()
        self._sum += int.from_bytes(digest, "little")

    def finalize(self) -> str:
        """The sum."""
        return str(self._sum)
