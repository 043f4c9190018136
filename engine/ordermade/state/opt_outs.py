"""The persons who opted out of datasets, as salted hashes: each dataset, by its name, has a salt of its own."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from ordermade.state.statements import rows, run, utc_now

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection

_SALT_BYTES = 32


def add(connection: StateConnection, dataset: str, persons: Iterable[str]) -> None:
    """Note that persons opted out of a dataset, by the texts of their values, which are not kept."""
    found = _salt(connection, dataset)
    salt = secrets.token_hex(_SALT_BYTES) if found is None else found
    if found is None:
        run(connection, "state/opt_out_salt_insert", dataset_name=dataset, salt=salt)
    hashes = _hashes(salt, persons)
    run(connection, "state/opt_outs_insert", dataset_name=dataset, person_hash=hashes, added_at=utc_now())


def remove(connection: StateConnection, dataset: str, persons: Iterable[str] | None) -> None:
    """Take persons off the list of a dataset, by the texts of their values; None: all of them."""
    salt = _salt(connection, dataset)
    if salt is not None:
        hashes = None if persons is None else _hashes(salt, persons)
        run(connection, "state/opt_outs_remove", dataset_name=dataset, person_hash=hashes)


def listed(connection: StateConnection) -> tuple[tuple[str, int, datetime], ...]:
    """The datasets with persons who opted out, by name: each with their number, and when the last one was added."""
    return tuple((str(name), int(count), last) for name, count, last in rows(connection, "state/opt_outs_listed"))


def _salt(connection: StateConnection, dataset: str) -> str | None:
    return next((str(salt) for (salt,) in rows(connection, "state/opt_out_salt", dataset_name=dataset)), None)


def _hashes(salt: str, persons: Iterable[str]) -> list[str]:
    """The hashes of values; `opt_outs/keys` computes the same."""
    return sorted({hashlib.sha256(f"{salt}{each}".encode()).hexdigest() for each in persons})
