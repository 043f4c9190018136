"""The domains of all attributes as compiled code reads them: a few long arrays, with offsets into them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ordermade.mondrian.domains import Codes, Domain, Nested, Ordered, Shares

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
    places = [domain.places if isinstance(domain, Ordered) else np.empty(0) for domain in domains]
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
        spans=np.array([domain.span if isinstance(domain, Ordered) else 0.0 for domain in domains], dtype=np.float64),
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
    return NESTED if isinstance(domain, Nested) else ORDERED if isinstance(domain, Ordered) else UNORDERED


def _values(domain: Domain) -> int:
    if isinstance(domain, Nested):
        return int(domain.classes.shape[1])
    return int(domain.places.size) if isinstance(domain, Ordered) else domain.values


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
