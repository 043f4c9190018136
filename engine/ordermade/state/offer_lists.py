"""Lists of offers in the state: a request asked again for the same data is offered the same at once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ordermade.state.table import Table
from ordermade.version import VERSION

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection


@dataclass(frozen=True, slots=True)
class StoredOffer:
    """An offer by its kind, its concession and its figures by name.

    `beyond`: the levels of each column beyond its coarsest accepted one; `less_k`: how much smaller k is;
    `more_suppressed`: how much greater the suppression limit is, as a fraction in words; `variant` of Mondrian.
    """

    kind: str
    beyond: tuple[int, ...]
    less_k: int
    more_suppressed: str
    variant: str | None
    figures: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StoredOfferList:
    """A list of offers that no budget ended, and how it falls short, in words."""

    offers: tuple[StoredOffer, ...]
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OfferListRow:
    """The row of a list, offered to `request_id` last: of a dataset version, by its hash and the engine that made it.

    `offers`, `left_out`: what a `StoredOfferList` says, as JSON.
    """

    id: int
    request_id: int
    dataset_version_id: int
    list_hash: str
    engine_version: str
    offers: str
    left_out: str


OFFER_LISTS = Table("offer_lists", OfferListRow, once=("list_hash", "offers"))


def noted(connection: StateConnection, version_id: int, list_hash: str) -> StoredOfferList | None:
    """The list of that hash that this version of the engine made on a dataset version; None where there is none.

    None, too, where it does not read as one: another build of this version may have written it.
    """
    found = OFFER_LISTS.select(connection, order_by=("-id",), most=1, **_key(version_id, list_hash))
    if not found:
        return None
    try:
        offers, left_out = json.loads(found[0].offers), json.loads(found[0].left_out)
        kept = tuple(StoredOffer(**each | {"beyond": tuple(each["beyond"])}) for each in offers)
        return StoredOfferList(kept, tuple(left_out))
    except (LookupError, ValueError, TypeError):
        return None


def note(connection: StateConnection, request_id: int, version_id: int, list_hash: str, kept: StoredOfferList) -> None:
    """Keeps a list that was made for a request on a dataset version."""
    OFFER_LISTS.insert(
        connection,
        **_key(version_id, list_hash),
        request_id=request_id,
        offers=json.dumps([asdict(each) for each in kept.offers]),
        left_out=json.dumps(kept.left_out),
    )


def note_offered(connection: StateConnection, request_id: int, version_id: int, list_hash: str) -> None:
    """Notes that a list which was kept is offered to another request, the same one asked again."""
    OFFER_LISTS.update(connection, _key(version_id, list_hash), request_id=request_id)


def _key(version_id: int, list_hash: str) -> dict[str, Any]:
    """What a list is known by."""
    return {"dataset_version_id": version_id, "list_hash": list_hash, "engine_version": VERSION}


def offered_to(connection: StateConnection, request_id: int) -> str | None:
    """The hash of the list that a request was offered; None where this version of the engine kept none of it."""
    of_request = {"request_id": request_id, "engine_version": VERSION}
    found = OFFER_LISTS.read(connection, ("list_hash",), order_by=("-id",), most=1, **of_request)
    return str(found[0][0]) if found else None


def forget(connection: StateConnection, version_id: int) -> None:
    """Forgets the lists of a dataset version."""
    OFFER_LISTS.delete(connection, dataset_version_id=version_id)
