"""Old requests: those that a policy no longer keeps, and the erasure of their titles, texts, columns and filters."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING

from ordermade.state import datasets, versions
from ordermade.state.requests import DOCUMENT
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
"""The title of a request that was erased, and the row filter of a dataset whose row filter was."""

_ERASED_FIELDS = frozenset(
    {
        *("target_path", "target_table", "weights", "options", "risk", "chosen"),
        *("quasi_identifiers", "identifiers", "keep", "sensitive", "attributes", "splits", "history"),
    }
)


def erase(connection: StateConnection, numbers: list[int]) -> None:
    """Erase titles, texts and columns of requests; their numbers, hashes and figures stay."""
    if numbers:
        run(connection, "state/request_offers_erase", id=numbers)
        found = rows(connection, "state/request_records", id=numbers)
        run(
            connection,
            "state/requests_erase",
            id=[number for number, _ in found],
            record=[_erased(record) for _, record in found],
            erased_at=utc_now(),
        )


def _erased(record: str) -> str:
    """What stays of the document of a request."""
    said = {name: value for name, value in DOCUMENT.read(record).items() if name not in _ERASED_FIELDS}
    return DOCUMENT.text(said | {"title": ERASED})


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
