"""Requests by number: listed, and looked up, with what became of them."""

from __future__ import annotations

from dataclasses import dataclass

from ordermade.arguments import typed_methods
from ordermade.display.listing import Listing
from ordermade.state import requests as stored
from ordermade.state.database import StateFile
from ordermade.state.records import RequestDetails, RequestRecord

_SHOWN = {
    "id": "id",
    "status": "status",
    "dataset": "dataset_name",
    "k": "k",
    "started": "started_at",
    "title": "title",
}


@typed_methods
@dataclass(frozen=True, slots=True)
class Requests:
    """The requests of a state: every one that was run, whatever became of it."""

    state: StateFile

    def list(self) -> tuple[RequestRecord, ...]:
        """Every request on record, the latest first. Raises StateFault."""
        with self.state.reading() as connection:
            return Listing(stored.listed(connection), "requests", _SHOWN)

    def get(self, number: int) -> RequestDetails:
        """One request with its columns. Raises UnknownName, StateFault."""
        with self.state.reading() as connection:
            return stored.get(connection, number)
