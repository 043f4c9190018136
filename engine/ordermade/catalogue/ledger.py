"""The ledger by the numbers of its entries: what was released to whom, and what its recipients destroyed."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Literal

from ordermade.catalogue.arguments import typed_methods
from ordermade.errors import InputError
from ordermade.ledger.entries import LedgerEntry
from ordermade.ledger.pools import ANYONE
from ordermade.records.cards import HasSummary
from ordermade.records.listing import Listing
from ordermade.state.audit import add_audit_entry
from ordermade.state.database import StateFile
from ordermade.state.ledger import ledger_of

SHOWN = {
    "id": "id",
    "dataset": "dataset",
    "release": "release",
    "for": "recipients_in_words",
    "method": "method",
    "k": "k",
    "levels": "levels_in_words",
    "made": "made_at",
    "status": "status",
}
"""The columns of the list, in Python and on the screen."""


@dataclass(frozen=True, slots=True, repr=False)
class Remembered(HasSummary):
    """A release as the ledger remembers it, without its classes."""

    id: int
    """The number of its entry."""
    dataset: str
    """The dataset."""
    release: int | None
    """The number of the release; null of one made elsewhere, or that never got its name."""
    status: Annotated[str, Literal["intended", "released", "absent", "destroyed"]]
    """`released`; `intended`: it may have got its name; `absent`: it never did; `destroyed`: nobody has it any more."""
    recipients: tuple[str, ...]
    """Who received it; `anyone` where nobody is named."""
    made_at: datetime
    """The time it was made."""
    method: str
    """The method of its request."""
    k: int
    """The requested k."""
    filter: str | None
    """Its row filter."""
    levels: tuple[str, ...]
    """Its columns with their levels, those at `*` left out."""
    values: tuple[str, ...]
    """The columns that it releases as they are."""
    unjudged: str
    """Why later releases cannot be judged beside it; empty where they can."""

    @classmethod
    def of(cls, entry: LedgerEntry) -> Remembered:
        """An entry without its classes."""
        return cls(
            entry.id,
            entry.dataset_name,
            entry.release,
            entry.status,
            entry.recipients,
            entry.made_at,
            entry.method,
            entry.k,
            entry.filter,
            entry.shown.levels,
            entry.shown.values,
            entry.shown.unjudged,
        )

    @property
    def recipients_in_words(self) -> str:
        """The recipients, one after the other."""
        return ", ".join(self.recipients)

    @property
    def levels_in_words(self) -> str:
        """The columns with their levels, one after the other."""
        return ", ".join(self.levels)


@typed_methods
@dataclass(frozen=True, slots=True)
class RememberedReleases:
    """The entries of a ledger."""

    state: StateFile = field(repr=False)

    def list(self, dataset: str | None = None, recipient: str | None = None) -> tuple[Remembered, ...]:
        """The entries, the latest first: of a dataset by its name, or all; of what a recipient has, or all.

        What is for anyone every recipient has. Raises StateDamaged, StateFault.
        """
        with self.state.reading():  # the authority of whoever asks
            entries = ledger_of(self.state).entries(with_classes=False)
        found = [
            each
            for each in reversed(entries)
            if dataset in (None, each.dataset_name)
            and (recipient is None or {recipient, ANYONE} & set(each.recipients))
        ]
        return Listing(map(Remembered.of, found), "entries", SHOWN)

    def destroyed(self, number: int, why: str = "") -> Remembered:
        """Notes that the recipients of a release destroyed it: later ones are judged beside it no more.

        Raises UnknownName, InputError where it does not count anyway, StateFault.
        """
        ledger = ledger_of(self.state)
        entry = ledger.entry(number)
        if not entry.counts:
            raise InputError(f"entry {number} is {entry.status}: nothing is judged beside it", where="the ledger")
        with self.state.writing() as connection:
            add_audit_entry(connection, "ledger destroyed", str(number), why or None)
        ledger.settle(number, "destroyed")
        return Remembered.of(ledger.entry(number))
