"""The columns of a request, as the state keeps them: a record for each of the uses that a method makes of one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RequestedAttribute:
    """A quasi-identifier of a request, with the level released (None until one is)."""

    column: str
    hierarchy: str
    hierarchy_hash: str
    from_level: int
    to_level: int
    chosen_level: int | None = None
    chosen_level_name: str | None = None


@dataclass(frozen=True, slots=True)
class RequestedModels:
    """A sensitive column of a request and its models in words, with their parameters."""

    column: str
    models: str


@dataclass(frozen=True, slots=True)
class MicroaggregatedAttribute:
    """An attribute of a request for microaggregation: its weight is an exact decimal; no hierarchy if it is numeric.

    `aggregate` is what a group is released with: mean, median, mode or ancestor.
    """

    column: str
    weight: str
    hierarchy: str | None
    hierarchy_hash: str | None
    aggregate: str


@dataclass(frozen=True, slots=True)
class SplitColumn:
    """A quasi-identifier of a request for Mondrian: how it is split (`kind`), its hierarchy if it has one.

    `kind`: nested, ordered, tree or unordered. `finest`: the finest level accepted of a nested one, else None.
    """

    column: str
    kind: str
    hierarchy: str | None
    hierarchy_hash: str | None
    finest: int | None


@dataclass(frozen=True, slots=True)
class HistoryColumn:
    """A column of a request for histories: its `role` is customer, when, item or number.

    `unit` is an exact decimal; `sort_place` is the number's among those that purchases are in order by, from 0.
    `taxonomy` is the file of the item's, with the hash of what it said and the level released.
    """

    column: str
    role: str
    unit: str | None = None
    sort_place: int | None = None
    taxonomy: str | None = None
    taxonomy_hash: str | None = None
    level: int | None = None
