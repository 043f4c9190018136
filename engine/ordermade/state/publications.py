"""Releases that the provider put in the catalogue, for everybody.

A publication ends when the provider takes it out. Before that it counts for as long as its release is delivered: one
that was withdrawn, superseded or erased, or whose time is over, is in no catalogue.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ordermade.state.statements import rows, utc_now
from ordermade.state.table import Among, Table

if TYPE_CHECKING:
    from ordermade.state.changes import StateChanges
    from ordermade.state.connection import StateConnection


@dataclass(frozen=True, slots=True)
class Publication:
    """A release in the catalogue: its title there, when it was put there, and when it was taken out."""

    id: int
    """Its number."""
    release_id: int
    """The number of the release."""
    title: str
    """The title in the catalogue."""
    published_at: datetime
    """When it was put there."""
    ended_at: datetime | None = None
    """When it was taken out; null while it was not."""


PUBLICATIONS = Table("publications", Publication)


def add(changes: StateChanges, release: int, title: str) -> Publication:
    """Puts a release in the catalogue; the publication."""
    values = {"release_id": release, "title": title, "published_at": utc_now(), "ended_at": None}
    return changes.add(PUBLICATIONS, values)


def end(changes: StateChanges, number: int) -> None:
    """Takes a release out of the catalogue, by the number of its publication."""
    changes.put(PUBLICATIONS, {"id": number}, {"ended_at": utc_now()})


def end_all(changes: StateChanges) -> None:
    """Takes every release out of the catalogue."""
    for (number,) in PUBLICATIONS.read(changes.connection, ("id",), order_by=("id",), ended_at=None):
        end(changes, int(number))


def of_releases(connection: StateConnection, releases: Collection[int]) -> frozenset[int]:
    """Those of these releases that were ever put in the catalogue."""
    found = PUBLICATIONS.read(connection, ("release_id",), release_id=Among(sorted(releases)))
    return frozenset(int(number) for (number,) in found)


def in_catalogue(
    connection: StateConnection, *, dataset: str | None = None, release: int | None = None
) -> tuple[Publication, ...]:
    """The publications whose releases everybody may have now, the latest first: of a dataset, of a release, or all."""
    found = rows(connection, "state/publications_in_force", dataset_name=dataset, release_id=release, now=utc_now())
    return tuple(map(PUBLICATIONS.made, found))
