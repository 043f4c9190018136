"""The persons and the sensitive values of each region, which decide with the models whether it may be released.

They are read once, as keyed sets: of each combination the values that occur in it, with their rows; or its persons, and
these with their values. The counts of a region are those of its combinations together, so that no region is counted
in SQL. Rows add up. Persons do not: one may be in several combinations, and is in their region once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ordermade.privacy.decisions import ClassValues, DatasetValues, Integers, Mask, added_up, passing, starts_of

if TYPE_CHECKING:
    from ordermade.privacy.models import Model


@dataclass(frozen=True, slots=True)
class KeyedSet:
    """The items in each of some regions, region by region from its `starts` on, and there by number.

    `rows` of each item in each region; None where an item is no more than in a region or not. `bits` that the number of
    an item takes. Every region has an item.
    """

    starts: Integers
    items: Integers
    rows: Integers | None
    bits: int

    @classmethod
    def of(cls, combinations: Integers, items: Integers, rows: Integers | None) -> KeyedSet:
        """The set of these items in these combinations, in any order and as often as they come."""
        bits = int(items.max(initial=0)).bit_length()
        return cls._of_codes((combinations << bits) | items, rows, bits, int(combinations.max(initial=-1)) + 1)

    @classmethod
    def _of_codes(cls, codes: Integers, rows: Integers | None, bits: int, number: int) -> KeyedSet:
        """The set from the number of a region and, in the last bits, of an item."""
        if rows is None:
            codes.sort()
            codes = codes[starts_of(codes)]
        else:
            codes, rows = added_up(codes, rows, number << bits)
        return cls(starts_of(codes >> bits), codes & ((1 << bits) - 1), rows, bits)

    @property
    def sizes(self) -> Integers:
        """The number of items in each region."""
        return np.diff(self.starts, append=len(self.items))

    def merged(self, into: Integers, number: int) -> KeyedSet:
        """The set of so many regions made of these: `into` has the new region of each, -1 where it is in none."""
        parts = np.flatnonzero(into >= 0)
        sizes = self.sizes[parts]
        ends = np.cumsum(sizes)
        places = np.arange(ends[-1] if len(ends) else 0) + np.repeat(self.starts[parts] + sizes - ends, sizes)
        codes = np.repeat(into[parts] << self.bits, sizes) | self.items[places]
        return self._of_codes(codes, None if self.rows is None else self.rows[places], self.bits, number)


@dataclass(frozen=True, slots=True)
class SensitiveValues:
    """The values of a sensitive attribute in each region, with the models that decide on them.

    An item is a value; or, where persons are counted, a person with a value: `value_of` each, ascending.
    """

    counted: KeyedSet
    value_of: Integers | None
    models: tuple[Model, ...]
    dataset: DatasetValues

    def of_regions(self, persons: Integers | None) -> ClassValues:
        """The units of each region with each value, given the persons of each where they are counted."""
        values = self.counted.items
        if self.counted.rows is not None:
            return ClassValues(self.counted.starts, values, self.counted.rows)
        if self.value_of is not None:
            values = self.value_of[values]
        is_first = np.concatenate(([True], values[1:] != values[:-1]))
        is_first[self.counted.starts] = True
        places = np.flatnonzero(is_first)
        starts = np.searchsorted(places, self.counted.starts)
        return ClassValues(starts, values[places], np.diff(places, append=len(values)), persons)


@dataclass(frozen=True, slots=True)
class RegionCounts:
    """What decides on so many `regions` beside their rows: k persons, where they are counted, and the models."""

    regions: int
    k: int
    persons: KeyedSet | None
    sensitive: tuple[SensitiveValues, ...]

    def merged(self, into: Integers, number: int) -> RegionCounts:
        """The counts of so many regions made of these: `into` has the new region of each, -1 where it is in none."""
        return RegionCounts(
            number,
            self.k,
            None if self.persons is None else self.persons.merged(into, number),
            tuple(replace(each, counted=each.counted.merged(into, number)) for each in self.sensitive),
        )

    def passing(self) -> Mask:
        """Whether each of the regions, of which there is one at least, may be released if its rows are enough."""
        found, persons = np.ones(self.regions, dtype=np.bool_), None
        if self.persons is not None:
            persons = self.persons.sizes
            found &= persons >= self.k
        for each in self.sensitive:
            values = each.of_regions(persons)
            for model in each.models:
                found &= passing(model, values, each.dataset)
        return found


@dataclass(frozen=True, slots=True)
class SensitiveRecords:
    """A sensitive attribute as it is read: the value of each record, from 0 in their order, and what decides on it.

    `branches`: as of `DatasetValues`. Every value occurs in some record.
    """

    values: Integers
    models: tuple[Model, ...]
    branches: dict[tuple[str, ...], Integers]


def counts_of(
    combinations: Integers,
    rows: Integers,
    k: int,
    persons: Integers | None,
    columns: Sequence[SensitiveRecords],
) -> RegionCounts:
    """The counts of the combinations, from records: of each its combination, its rows and its person, from 0."""
    number = int(combinations.max(initial=-1)) + 1
    sensitive = []
    for each in (column for column in columns if column.models):
        if persons is None:
            counted, value_of = KeyedSet.of(combinations, each.values, rows), None
            units = np.zeros(int(each.values.max(initial=-1)) + 1, dtype=np.int64)
            np.add.at(units, each.values, rows)
        else:
            width = int(persons.max(initial=0)) + 1
            pairs, items = np.unique(each.values * width + persons, return_inverse=True)
            counted, value_of = KeyedSet.of(combinations, items, None), pairs // width
            units = np.bincount(value_of)
        sensitive.append(SensitiveValues(counted, value_of, each.models, DatasetValues(units, each.branches)))
    of_persons = None if persons is None else KeyedSet.of(combinations, persons, None)
    return RegionCounts(number, k, of_persons, tuple(sensitive))
