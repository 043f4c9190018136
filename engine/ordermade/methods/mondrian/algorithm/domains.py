"""Domains of attributes: leaves of a hierarchy, positions on an axis or unordered; as arrays for compiled code.

Records come as codes: of every attribute the number of the record's value, from 0, in the order of the values. The
split of an attribute follows from its domain, and so does the part of it that a class covers (its width, from 0 to 1).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Codes: TypeAlias = NDArray[np.int32]
"""Numbers of values, or of classes of them."""
Shares: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Nested:
    """The values are leaves of a hierarchy whose levels nest: a class is split into its children.

    `classes[level, value]`: the class of a value, from 0, at each level below `*` (at level 0 mostly its own). Classes
    are numbered in the order of their least value. `widths[level][class]`: the share of the domain that a class covers,
    (leaves - 1) / (all leaves - 1). No class is split below the level `finest`.
    """

    classes: Codes
    widths: tuple[Shares, ...]
    finest: int = 0

    @property
    def top(self) -> int:
        """The number of the level `*`: the height of the hierarchy."""
        return int(self.classes.shape[0])


@dataclass(frozen=True, slots=True, eq=False)
class OrderedDomain:
    """The values have an order: a class is cut in two, at its median unless the choice of splits says otherwise.

    `places`: where each value is on its axis, ascending. A class from code a to code b covers (places[b] - places[a]) /
    span of the domain; `span` may be wider than the values, and is 0 where there is one value.
    """

    places: NDArray[np.float64]
    span: float


@dataclass(frozen=True, slots=True, eq=False)
class Unordered:
    """The values are only different: a class is parted into two sets of values with near-equal counts.

    That is the other rule of the TF-IDF paper (2.2): values are merged until the groups are about as large. A class of
    m of the `values` covers (m - 1) / (values - 1) of the domain.
    """

    values: int


Domain: TypeAlias = Nested | OrderedDomain | Unordered


NESTED, ORDERED, UNORDERED = 0, 1, 2

Numbers = NDArray[np.int64]
Number = TypeVar("Number", bound=np.generic)


class Attributes(NamedTuple):
    """The domains in the form that splits read. The entry of a value at a level is at `at[attribute, level] + code`."""

    kinds: Numbers
    tops: Numbers
    """The level `*`; -1 of attributes without a hierarchy, which are at that level for good."""
    finest: Numbers
    values: Numbers
    at: Numbers
    classes: Codes
    """The class of a value at a level."""
    children: Codes
    """The number of that class among the children of its parent."""
    covers: Shares
    """The width of that class."""
    axes: Numbers
    """The beginning of the places of each ordered attribute."""
    places: Shares
    spans: Shares


def attributes_of(domains: Sequence[Domain]) -> Attributes:
    """The domains as arrays, in their order."""
    levels = [(domain, level) for domain in domains if isinstance(domain, Nested) for level in range(domain.top)]
    places = [domain.places if isinstance(domain, OrderedDomain) else np.empty(0) for domain in domains]
    return Attributes(
        kinds=_each(_kind(domain) for domain in domains),
        tops=_each(domain.top if isinstance(domain, Nested) else -1 for domain in domains),
        finest=_each(domain.finest if isinstance(domain, Nested) else -1 for domain in domains),
        values=_each(_values(domain) for domain in domains),
        at=_beginnings(domains),
        classes=joined([domain.classes[level] for domain, level in levels], np.int32),
        children=joined([_among_siblings(domain, level) for domain, level in levels], np.int32),
        covers=joined([domain.widths[level][domain.classes[level]] for domain, level in levels], np.float64),
        axes=_each(np.cumsum([0, *(each.size for each in places)])[:-1]),
        places=joined(places, np.float64),
        spans=np.array(
            [domain.span if isinstance(domain, OrderedDomain) else 0.0 for domain in domains], dtype=np.float64
        ),
    )


def most_parts(attributes: Attributes) -> int:
    """The most children that a split can have."""
    return max(2, int(attributes.children.max(initial=0)) + 1)


def joined(arrays: Sequence[NDArray[Any]], kind: type[Number]) -> NDArray[Number]:
    """One array after the other, of at least one number, so that there is an address."""
    return np.concatenate([*arrays, np.zeros(1)]).astype(kind)


def _each(numbers: Iterable[int]) -> Numbers:
    return np.array(list(numbers), dtype=np.int64)


def _kind(domain: Domain) -> int:
    return NESTED if isinstance(domain, Nested) else ORDERED if isinstance(domain, OrderedDomain) else UNORDERED


def _values(domain: Domain) -> int:
    if isinstance(domain, Nested):
        return int(domain.classes.shape[1])
    return int(domain.places.size) if isinstance(domain, OrderedDomain) else domain.values


def _beginnings(domains: Sequence[Domain]) -> Numbers:
    """The beginning of each level of each attribute."""
    tallest = max((domain.top for domain in domains if isinstance(domain, Nested)), default=1)
    at = np.zeros((len(domains), tallest), dtype=np.int64)
    begin = 0
    for j, domain in enumerate(domains):
        if isinstance(domain, Nested):
            at[j, : domain.top] = begin + np.arange(domain.top) * domain.classes.shape[1]
            begin += domain.classes.size
    return at


def _among_siblings(domain: Nested, level: int) -> NDArray[np.int64]:
    """The number of each value's class at the level among the children of their parent, ascending."""
    classes = domain.classes[level]
    parents = domain.classes[level + 1] if level + 1 < domain.top else np.zeros_like(classes)
    present, first = np.unique(classes, return_index=True)
    by_parent = np.argsort(parents[first], kind="stable")
    of_parent = parents[first][by_parent]
    number = np.empty(int(present[-1]) + 1, dtype=np.int64)
    number[present[by_parent]] = np.arange(present.size) - np.searchsorted(of_parent, of_parent)
    siblings: NDArray[np.int64] = number[classes]
    return siblings
