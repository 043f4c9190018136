"""Old requests: those that a policy no longer keeps, and the erasure of their titles, texts, columns and filters."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING

from ordermade.state import datasets, versions
from ordermade.state.statements import rows, run, utc_now, without_zone

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection


def older_than(connection: StateConnection, dataset: str, before: datetime, erased: Collection[int] = ()) -> list[int]:
    """The requests of a dataset that ended before a moment, have no release that stands, and are not erased.

    `erased`: releases that are about to be.
    """
    found = rows(connection, "state/requests_old", dataset_name=dataset, before=before, erased=list(erased))
    return [int(number) for (number,) in found]


ERASED = "erased by policy"
"""The row filter of a dataset whose row filter was erased."""

_ERASURES = (
    "state/request_quasi_identifiers_erase",
    "state/request_columns_erase",
    "state/request_sensitive_erase",
    "state/request_attributes_erase",
    "state/request_splits_erase",
    "state/request_history_erase",
    "state/request_offers_erase",
)


def erase(connection: StateConnection, numbers: list[int]) -> None:
    """Erase titles, texts and columns of requests; their numbers, hashes and figures stay."""
    if numbers:
        for each in _ERASURES:
            run(connection, each, id=numbers)
        run(connection, "state/requests_erase", id=numbers, erased_at=utc_now())


def erase_filters(connection: StateConnection, dataset: str, before: datetime) -> None:
    """Erase the row filters that a dataset was last seen under before a moment, but for those that requests have."""
    kept = {text for (text,) in rows(connection, "state/filters_of_requests", dataset_name=dataset)}
    for number in datasets.ever_named(connection, dataset):
        seen = versions.under_any_filter(connection, number)
        kept |= {each.filter for each in seen if without_zone(each.last_seen_at) >= before}
        gone = [each for each in seen if each.filter not in {*kept, None, ERASED}]
        if gone:
            run(connection, "state/version_filters_erase", id=[each.id for each in gone])
            filters = sorted({str(each.filter) for each in gone})
            run(connection, "state/identity_filters_erase", dataset_id=number, filter=filters)
