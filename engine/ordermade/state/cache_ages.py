"""The content of the cache that is of one dataset, and what of it was not used for long."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

import duckdb

from ordermade.files.private import SharedFile
from ordermade.state import cache_tables as tables
from ordermade.state import datasets, parts, versions
from ordermade.state.cache import Cache
from ordermade.state.cache_contents import CacheEntry, Contents, CountsEntry, MarginalsEntry
from ordermade.state.cache_database import transaction
from ordermade.state.files import discard_left_beside

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection

Aged = TypeVar("Aged", CacheEntry, MarginalsEntry, CountsEntry, SharedFile)


def kept_of(connection: StateConnection, dataset: str) -> tuple[list[int], tuple[str, ...]]:
    """The versions, under any row filter, of the dataset which has or had this name, and where more of it is kept.

    That is under the locations of its sources, and the places of its parts. Raises UnknownName.
    """
    numbers = datasets.ever_named(connection, dataset)
    found = [each.id for number in numbers for each in versions.under_any_filter(connection, number)]
    of_parts = [place for number in numbers for place in parts.places(connection, number)]
    return found, (*datasets.locations(connection, dataset), *of_parts)


def unused_since(cache: Cache, version_ids: Collection[int], places: Collection[str], before: datetime) -> Contents:
    """What is kept of these versions and places and was last used before a moment (with a zone). Raises StateFault."""
    of_versions = cache.contents().of_versions(version_ids)
    try:
        twins = cache._twins.of_places(places)
    except OSError as error:
        raise cache._file.fault(error) from error
    return Contents(
        _older(of_versions.sets, before),
        _older(of_versions.marginals, before),
        _older(twins, before),
        _older(of_versions.counts, before),
    )


def _older(entries: tuple[Aged, ...], before: datetime) -> tuple[Aged, ...]:
    return tuple(each for each in entries if each.last_used_at < before)


def erase(cache: Cache, gone: Contents) -> None:
    """Drops part of what is kept; it is on no page of the file afterwards. Raises StateFault."""
    try:
        cache._twins.drop(gone.twins)
        if replace(gone, twins=()) == Contents() or not cache.path.exists():
            return
        with cache._file.opened(read_only=False) as connection:
            discard_left_beside(cache.path)
            with transaction(connection):
                tables.forget_sets(connection, [each.id for each in gone.sets])
                tables.forget_marginals(connection, [each.dataset_version_id for each in gone.marginals])
                tables.forget_values(connection, [each.id for each in gone.counts])
            cache._file.rewrite(connection)
    except (duckdb.Error, OSError) as error:
        raise cache._file.fault(error) from error
