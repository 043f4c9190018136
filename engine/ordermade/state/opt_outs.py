"""The persons who opted out of datasets, as salted hashes: each dataset, by its name, has a salt of its own."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ordermade.state.statements import rows, utc_now
from ordermade.state.table import Among, Table

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection

_SALT_BYTES = 32


@dataclass(frozen=True, slots=True)
class OptOutSalt:
    """The random text that is hashed before the values of the persons of a dataset."""

    dataset_name: str
    salt: str


@dataclass(frozen=True, slots=True)
class OptOut:
    """A person who is left out of a dataset, as a salted hash."""

    dataset_name: str
    person_hash: str
    added_at: datetime


SALTS = Table("opt_out_salts", OptOutSalt, key=("dataset_name",))
OPT_OUTS = Table("opt_outs", OptOut, key=("dataset_name", "person_hash"))


def add(connection: StateConnection, dataset: str, persons: Iterable[str]) -> None:
    """Note that persons opted out of a dataset, by the texts of their values, which are not kept."""
    salt = salt_of(connection, dataset)
    if salt is None:
        salt = SALTS.add(connection, OptOutSalt(dataset, secrets.token_hex(_SALT_BYTES))).salt
    add_hashes(connection, dataset, _hashes(salt, persons))


def add_hashes(connection: StateConnection, dataset: str, hashes: Iterable[str]) -> None:
    """Note that persons opted out of a dataset, by their hashes; those who are noted are left as they are."""
    now = utc_now()
    OPT_OUTS.add_all(connection, (OptOut(dataset, each, now) for each in hashes), of_known_key="ignored")


def remove(connection: StateConnection, dataset: str, persons: Iterable[str] | None) -> None:
    """Take persons off the list of a dataset, by the texts of their values; None: all of them."""
    salt = salt_of(connection, dataset)
    if salt is not None:
        these = {} if persons is None else {"person_hash": Among(_hashes(salt, persons))}
        OPT_OUTS.delete(connection, dataset_name=dataset, **these)


def listed(connection: StateConnection) -> tuple[tuple[str, int, datetime], ...]:
    """The datasets with persons who opted out, by name: each with their number, and when the last one was added."""
    return tuple((str(name), int(count), last) for name, count, last in rows(connection, "state/opt_outs_listed"))


def number_of(connection: StateConnection, dataset: str) -> int:
    """The number of persons who opted out of a dataset."""
    return next((number for name, number, _ in listed(connection) if name == dataset), 0)


def salt_of(connection: StateConnection, dataset: str) -> str | None:
    """The salt of a dataset; None where nobody ever opted out of it."""
    found = SALTS.find(connection, dataset_name=dataset)
    return None if found is None else found.salt


def _hashes(salt: str, persons: Iterable[str]) -> list[str]:
    """The hashes of values; `opt_outs/keys` computes the same."""
    return sorted({hashlib.sha256(f"{salt}{each}".encode()).hexdigest() for each in persons})
