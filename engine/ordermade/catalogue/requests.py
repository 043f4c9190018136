"""Requests by number: listed, and looked up, with what became of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ordermade.catalogue.arguments import typed_methods
from ordermade.records.listing import Listing
from ordermade.state import requests as stored
from ordermade.state.database import StateFile

if TYPE_CHECKING:
    from ordermade.state.records.requests import RequestRecord

SHOWN = {
    "id": "id",
    "status": "status",
    "dataset": "dataset_name",
    "k": "k",
    "started": "started_at",
    "title": "title",
}
"""The columns of the list, in Python and on the screen."""


@typed_methods
@dataclass(frozen=True, slots=True)
class Requests:
    """The requests of a state: every one that was run, whatever became of it."""

    state: StateFile

    def list(self, most: int | None = None) -> tuple[RequestRecord, ...]:
        """The requests on record, the latest first; `most` of them at most, all if None. Raises StateFault."""
        with self.state.reading() as connection:
            return Listing(stored.listed(connection, most), "requests", SHOWN)

    def count(self) -> int:
        """The number of requests on record. Raises StateFault."""
        with self.state.reading() as connection:
            return stored.count(connection)

    def get(self, number: int) -> RequestRecord:
        """One request with its columns. Raises UnknownName, StateFault."""
        with self.state.reading() as connection:
            return stored.get(connection, number)
