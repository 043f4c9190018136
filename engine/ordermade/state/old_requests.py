"""Old requests: the list of those that a policy no longer keeps, and the erasure of their titles, texts and columns."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING

from ordermade.state.statements import rows, run, utc_now

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def older_than(
    connection: DuckDBPyConnection, dataset: str, before: datetime, erased: Collection[int] = ()
) -> list[int]:
    """The requests of a dataset that ended before a moment, have no release that stands, and are not erased.

    `erased`: releases that are about to be.
    """
    found = rows(connection, "state/requests_old", dataset_name=dataset, before=before, erased=list(erased))
    return [int(number) for (number,) in found]


_ERASED = (
    "state/request_quasi_identifiers_erase",
    "state/request_columns_erase",
    "state/request_sensitive_erase",
    "state/request_attributes_erase",
    "state/request_splits_erase",
    "state/request_history_erase",
)


def erase(connection: DuckDBPyConnection, numbers: list[int]) -> None:
    """Erase titles, texts and columns of requests; their numbers, hashes and figures stay."""
    if numbers:
        for each in _ERASED:
            run(connection, each, id=numbers)
        run(connection, "state/requests_erase", id=numbers, erased_at=utc_now())
