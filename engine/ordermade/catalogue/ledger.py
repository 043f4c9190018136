"""The ledger by the numbers of its entries: what was released to whom, and what its recipients destroyed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Literal

from ordermade.catalogue.arguments import typed_methods
from ordermade.errors import InputError
from ordermade.ledger.entries import LedgerEntry
from ordermade.ledger.pools import ANYONE, pools_of
from ordermade.ledger.simulatable import LedgerAnswer
from ordermade.policies.policy import Policy, stored_policy
from ordermade.records.cards import HasSummary
from ordermade.records.listing import Listing
from ordermade.state import policies, publications
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


DISCLOSED = {
    "dataset": "dataset",
    "for": "recipients_in_words",
    "answers": "answers",
    "by figures alone": "by_figures",
    "bits": "bits",
    "at most": "most",
}
"""The columns of the list of what answers tell."""


@dataclass(frozen=True, slots=True, repr=False)
class DisclosedBits(HasSummary):
    """What answers to requests tell recipients about the data of a dataset, beyond the figures that were released."""

    dataset: str
    """The dataset."""
    recipients: tuple[str, ...]
    """Recipients who may join what they have, of those who received an answer or are named in a pool with them."""
    answers: int
    """The answers that they received."""
    by_figures: int
    """Those that released figures alone decide: they tell nothing more."""
    bits: float
    """An upper bound on what the others tell, in bits: the logarithms of the numbers of possible answers, added up."""
    most: int | None
    """The most that the policy allows without a review; null where it allows any."""

    @property
    def recipients_in_words(self) -> str:
        """The recipients, one after the other."""
        return ", ".join(self.recipients)


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


def _disclosed(
    dataset: str, recipients: tuple[str, ...], answers: Sequence[LedgerAnswer], most: int | None
) -> DisclosedBits:
    """What these answers tell; an offer is a part of the answer before it."""
    decided = [each.decided for each in answers if each.decided != "offer"]
    bits = round(sum(each.bits for each in answers), 1)
    by_figures = sum(each != "open" for each in decided)
    return DisclosedBits(dataset, recipients, len(decided), by_figures, bits, most)


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

    def bits(self, dataset: str | None = None, recipient: str | None = None) -> tuple[DisclosedBits, ...]:
        """What answers tell each pool of recipients, by dataset: of one by its name, or all; of a recipient's pools.

        Raises StateFault.
        """
        with self.state.reading() as connection:
            in_force = {each.dataset_name: stored_policy(each.policy) for each in policies.in_force(connection)}
        answers = ledger_of(self.state).answers()
        found = []
        for name in sorted({each.dataset_name for each in answers} if dataset is None else {dataset}):
            policy = in_force.get(name, Policy(dataset=name))
            of_dataset = [each for each in answers if each.dataset_name == name]
            who = sorted({one for each in of_dataset for one in each.recipients})
            for pool in dict.fromkeys(pool for one in who for pool in pools_of([one], policy.pools)):
                names = tuple(who if pool is None else sorted(pool))
                if recipient is None or recipient in names:
                    received = [each for each in of_dataset if each.is_of(pool)]
                    found.append(_disclosed(name, names, received, policy.beside.bits))
        return Listing(found, "pools", DISCLOSED)

    def destroyed(self, number: int, why: str = "") -> Remembered:
        """Notes that the recipients of a release destroyed it: later ones are judged beside it no more.

        Raises UnknownName, InputError where it does not count anyway, or everybody may have it from the catalogue;
        StateFault.
        """
        ledger = ledger_of(self.state)
        entry = ledger.entry(number)
        if not entry.counts:
            raise InputError(f"entry {number} is {entry.status}: nothing is judged beside it", where="the ledger")
        with self.state.writing() as connection:
            if ANYONE in entry.recipients and publications.in_catalogue(connection, release=entry.release or 0):
                raise InputError(
                    f"release {entry.release} is in the catalogue, where everybody may have it",
                    where="the ledger",
                    next_step=f"`ordermade release unpublish {entry.release}` takes it out.",
                )
            add_audit_entry(connection, "ledger destroyed", str(number), why or None)
            ledger.settle(number, "destroyed")  # before the catalogue can have it again
        return Remembered.of(ledger.entry(number))
