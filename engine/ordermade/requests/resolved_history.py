"""A request for purchase histories that fits its dataset: what the answer goes by."""

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
"""The column of a map that says which row of the release it is, from 1."""


@dataclass(frozen=True, slots=True)
class ResolvedColumn:
    """One column of a history: its name as stored, and its SQL type as DuckDB names it."""

    column: str
    column_type: str


@dataclass(frozen=True, slots=True)
class ResolvedNumber(ResolvedColumn):
    """A column of numbers, each a whole number of units.

    `unit`: 1 of whole numbers, of DECIMALs what is asked or else their last digit, of floating-point numbers what is
    asked; None where nothing is, and the values must tell.
    """

    unit: Decimal | None


@dataclass(frozen=True, slots=True)
class ResolvedTaxonomy:
    """The categories that are released instead of items: the file as the request names it, what it says, the level."""

    file: str
    hierarchy: ExplicitHierarchy
    level: int

    @property
    def level_name(self) -> str:
        """What the level is called."""
        return self.hierarchy.levels[self.level].name

    @property
    def content_hash(self) -> str:
        """The SHA-256, in hex, of all that the file says."""
        return self.hierarchy.content_hash

    @property
    def level_hash(self) -> str:
        """The SHA-256, in hex, of which item is of which category: two files that say the same of it have one."""
        return self.hierarchy.levels[self.level].content_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedHistory(ResolvedRequest):
    """A request for histories that fits its dataset: columns as stored, `numbers` in the order of the request.

    `sort`: numbers that a customer's purchases are in order by, greatest first; empty where there are no numbers.
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
        """Which purchases of the customers of a cluster become alike."""
        return self.request.history.match

    @property
    def cluster(self) -> Cluster:
        """Which customers are in a cluster."""
        return self.request.history.cluster

    @property
    def window(self) -> int | None:
        """Among how many of the next customers similar ones are looked for; None: 60 or more, by k and number."""
        return self.request.history.window

    @property
    def delete_costly(self) -> bool:
        """Whether a value that would lose more than without it is deleted, of all customers of the cluster."""
        asked = self.request.history.delete_costly
        return self.match == "optimal" if asked is None else asked

    @property
    def map(self) -> Path | None:
        """Where the truth about the released rows is written, as an absolute path; None: nowhere."""
        return self.request.history.map_path

    @property
    def pseudonym(self) -> str:
        """The name of the column of random numbers, one a customer."""
        asked = self.request.release.pseudonym
        return DEFAULT_PSEUDONYM if asked is None else asked

    @property
    def columns(self) -> tuple[ResolvedColumn, ...]:
        """What is released of a purchase: when, item and the numbers."""
        return (self.when, self.item, *self.numbers)

    @property
    def said_by_files(self) -> Mapping[FileField, str]:
        """Which item is of which category counts, and not the file or the level that says so."""
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
