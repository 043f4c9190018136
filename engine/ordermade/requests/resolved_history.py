"""A request for purchase histories that fits its dataset, resolved for its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.requests.history import Cluster, HistoryRequest, Match
from ordermade.requests.resolving import FileField, ResolvedRequest

DEFAULT_PSEUDONYM = "customer"
"""The column of random numbers, one a customer, where the request gives it no name."""
MAP_ROW = "row"
"""The column of a map with the number of the released row, from 1."""


@dataclass(frozen=True, slots=True)
class ResolvedColumn:
    """One column of a history: its name as stored, and its SQL type as DuckDB names it."""

    column: str
    column_type: str


@dataclass(frozen=True, slots=True)
class ResolvedNumber(ResolvedColumn):
    """A column of numbers, each a whole number of units.

    `unit`: 1 for whole numbers, for DECIMALs the requested unit or else their last digit, for floating-point numbers
    the requested unit; None without one, and the values decide.
    """

    unit: Decimal | None


@dataclass(frozen=True, slots=True)
class ResolvedTaxonomy:
    """The categories that are released instead of items: the file as the request names it, its hierarchy, the level."""

    file: str
    hierarchy: ExplicitHierarchy
    level: int

    @property
    def level_name(self) -> str:
        """The name of the level."""
        return self.hierarchy.levels[self.level].name

    @property
    def content_hash(self) -> str:
        """The SHA-256, in hex, of the content of the file."""
        return self.hierarchy.content_hash

    @property
    def level_hash(self) -> str:
        """The SHA-256, in hex, of the category of each item: files with the same categories have the same hash."""
        return self.hierarchy.levels[self.level].content_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedHistory(ResolvedRequest):
    """A request for histories that fits its dataset: columns as stored, `numbers` in the order of the request.

    `sort`: numbers that a customer's purchases are sorted by, greatest first; empty where there are no numbers.
    `entity` is the customer column, also where the dataset was registered without one.
    """

    request: HistoryRequest
    customer: ResolvedColumn
    when: ResolvedColumn
    item: ResolvedColumn
    numbers: tuple[ResolvedNumber, ...]
    sort: tuple[str, ...]
    taxonomy: ResolvedTaxonomy | None = None

    @property
    def match(self) -> Match:
        """The way in which purchases of a cluster's customers are matched."""
        return self.request.history.match

    @property
    def cluster(self) -> Cluster:
        """The way in which customers are clustered."""
        return self.request.history.cluster

    @property
    def window(self) -> int | None:
        """The number of next customers among which similar ones are searched; None: 60 or more, by k and number."""
        return self.request.history.window

    @property
    def delete_costly(self) -> bool:
        """Whether a value whose deletion loses less than keeping it is deleted, for all customers of the cluster."""
        requested = self.request.history.delete_costly
        return self.match == "optimal" if requested is None else requested

    @property
    def map(self) -> Path | None:
        """The absolute path of the map from released rows to original ones; None: none is written."""
        return self.request.history.map_path

    @property
    def pseudonym(self) -> str:
        """The name of the column of random numbers, one a customer."""
        requested = self.request.release.pseudonym
        return DEFAULT_PSEUDONYM if requested is None else requested

    @property
    def columns(self) -> tuple[ResolvedColumn, ...]:
        """The released columns of a purchase: when, item and the numbers."""
        return (self.when, self.item, *self.numbers)

    @property
    def said_by_files(self) -> Mapping[FileField, str]:
        """The hash of the category of each item, which counts instead of the file and the level."""
        return {} if self.taxonomy is None else {("history", "items"): self.taxonomy.level_hash}

    @property
    def in_words(self) -> str:
        """The options beside match and cluster: `window 60, delete_costly true, sort Price then Quantity`."""
        words = [] if self.window is None else [f"window {self.window:,}"]
        words.append(f"delete_costly {str(self.delete_costly).lower()}")
        words += [f"sort {' then '.join(self.sort)}"] if self.sort else []
        if self.taxonomy is not None:
            words.append(
                f"items at level {self.taxonomy.level_name} of a taxonomy of sha256 {self.taxonomy.content_hash}"
            )
        return ", ".join(words)
