"""The columns of a request, as the state keeps them: a record for each of the uses that a method makes of one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RequestedAttribute:
    """A quasi-identifier of a request on record."""

    column: str
    """Its name."""
    hierarchy: str
    """Its hierarchy."""
    hierarchy_hash: str
    """The hash of its hierarchy."""
    from_level: int
    """The finest accepted level."""
    to_level: int
    """The coarsest accepted level."""
    chosen_level: int | None = None
    """The released level."""
    chosen_level_name: str | None = None
    """The same by name."""
    missing: str | None = None
    """`suppressed` where missing values are released as `*`; null where they are a value of their own."""


@dataclass(frozen=True, slots=True)
class RequestedModels:
    """A sensitive column of a request on record."""

    column: str
    """Its name."""
    models: str
    """Its models, in words."""


@dataclass(frozen=True, slots=True)
class MicroaggregatedAttribute:
    """An attribute of a request for microaggregation on record."""

    column: str
    """Its name."""
    weight: str
    """Its weight, as an exact decimal."""
    hierarchy: str | None
    """Its hierarchy; null if it is numeric."""
    hierarchy_hash: str | None
    """The hash of its hierarchy."""
    aggregate: str
    """The released value of a group."""


@dataclass(frozen=True, slots=True)
class SplitColumn:
    """A quasi-identifier of a request for Mondrian on record."""

    column: str
    """Its name."""
    kind: str
    """`nested`, `ordered`, `tree` or `unordered`."""
    hierarchy: str | None
    """Its hierarchy."""
    hierarchy_hash: str | None
    """The hash of its hierarchy."""
    finest: int | None
    """The finest accepted level of a nested one."""


@dataclass(frozen=True, slots=True)
class HistoryColumn:
    """A column of a request for histories on record."""

    column: str
    """Its name."""
    role: str
    """`customer`, `when`, `item` or `number`."""
    unit: str | None = None
    """Its unit, as an exact decimal."""
    sort_place: int | None = None
    """Its place among the columns that purchases are in order by."""
    taxonomy: str | None = None
    """The file of the item's taxonomy."""
    taxonomy_hash: str | None = None
    """The hash of its content."""
    level: int | None = None
    """The level of it that is released."""


@dataclass(frozen=True, slots=True)
class TabulatedCells:
    """The cells of a request for tables with totals, and how many of them were suppressed."""

    cells: int
    """The cells that are not empty, with all totals."""
    primary: int
    """Those that may not be published by themselves."""
    suppressed: int
    """Those that were suppressed, the primary ones among them."""
    unprotected: int
    """Those that no pattern protects, so that nothing was released."""
    columns: int
    """The most columns of one table."""
    totals: int
    """The most columns of one table that have a grand total."""
    inner: int
    """The cells of the finest levels."""
    combinations: int
    """The combinations of the finest levels, empty ones too."""
