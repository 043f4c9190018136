"""Records in a list: a tuple like any other, which shows itself as a small table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import Self, TypeVar

from ordermade.records.cards import Card, Grid, HasSummary

Record = TypeVar("Record")

Columns = Mapping[str, str]
"""The columns of a list by their headings: each is an attribute of the records."""


class Listing(tuple[Record, ...], HasSummary):
    """The records of a list, in order. It equals the plain tuple of them; only its `repr` is another.

    `called`: the records in words, such as `datasets`; `columns`: the parts of a record that are shown.
    """

    called: str
    columns: Columns

    def __new__(cls, records: Iterable[Record] = (), called: str = "records", columns: Columns | None = None) -> Self:
        """The records; without `columns` only their number is shown."""
        made = super().__new__(cls, records)
        made.called, made.columns = called, columns or {}
        return made

    __repr__ = HasSummary.__repr__

    def _card(self) -> Card:
        parts = [attrgetter(each) for each in self.columns.values()]
        rows = [tuple(part(record) for part in parts) for record in self] if parts else []
        return Card.of(f"{len(self):,} {self.called}", (), Grid(tuple(self.columns), rows))
