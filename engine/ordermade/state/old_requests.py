"""Old requests: those that a policy no longer keeps, and the erasure of their titles, texts, columns and filters."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING

from ordermade.state import datasets, policies, versions
from ordermade.state.offer_lists import OFFER_LISTS
from ordermade.state.releases import RELEASES
from ordermade.state.requests import DOCUMENT, REQUESTS
from ordermade.state.statements import rows, utc_now, without_zone
from ordermade.state.table import Among
from ordermade.state.versions import ERASED, IDENTITIES, VERSIONS

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection


def older_than(connection: StateConnection, dataset: str, before: datetime, erased: Collection[int] = ()) -> list[int]:
    """The requests of a dataset that ended before a moment, have no release that stands, and are not erased.

    `erased`: releases that are about to be.
    """
    found = rows(connection, "state/requests_old", dataset_name=dataset, before=before, erased=list(erased))
    return [int(number) for (number,) in found]


_ERASED_FIELDS = frozenset(
    {
        *("target_path", "target_table", "weights", "options", "risk", "chosen"),
        *("quasi_identifiers", "identifiers", "keep", "sensitive", "attributes", "splits", "history"),
    }
)


def erase(connection: StateConnection, numbers: list[int]) -> None:
    """Erase titles, texts and columns of requests; their numbers, hashes and figures stay.

    So do the row filters of those that had a release.
    """
    OFFER_LISTS.delete(connection, request_id=Among(numbers))
    released = {number for (number,) in RELEASES.read(connection, ("request_id",), request_id=Among(numbers))}
    for number, filter_text, record in REQUESTS.read(connection, ("id", "filter", "record"), id=Among(numbers)):
        REQUESTS.update(
            connection,
            {"id": number},
            request=None,
            reason=None,
            record=_erased(record),
            erased_at=utc_now(),
            filter=filter_text if number in released else None,
        )


def _erased(record: str) -> str:
    """What stays of the document of a request."""
    said = {name: value for name, value in DOCUMENT.read(record).items() if name not in _ERASED_FIELDS}
    return DOCUMENT.text(said | {"title": ERASED})


def erase_filters(connection: StateConnection, dataset: str, before: datetime) -> None:
    """Erase the row filters that a dataset was last seen under before a moment, but for those that requests have."""
    kept: set[str | None] = set(policies.requested_filters(connection, dataset))
    for number in datasets.ever_named(connection, dataset):
        seen = versions.under_any_filter(connection, number)
        kept |= {each.filter for each in seen if without_zone(each.last_seen_at) >= before}
        gone = [each for each in seen if each.filter not in {*kept, None, ERASED}]
        filters = {each.filter for each in gone}
        VERSIONS.update(connection, {"id": Among([each.id for each in gone])}, filter=ERASED)
        IDENTITIES.update(connection, {"dataset_id": number, "filter": Among(filters)}, filter=ERASED)
