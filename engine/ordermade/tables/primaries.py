"""Primary cells: those that may not be published by themselves, whatever stands around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ordermade.errors import InputError
from ordermade.tables.cells import Marks, Whole


@dataclass(frozen=True)
class Contributions:
    """What each person adds to each cell: one row a cell and person (rows of the same two are added up).

    `n`: the number of cells. Amounts are 0 or more; a person who adds 0 is in the cell all the same.
    """

    n: int
    cells: Whole
    persons: Whole
    amounts: Whole

    def __post_init__(self) -> None:
        if not len(self.cells) == len(self.persons) == len(self.amounts):
            raise InputError(
                f"{len(self.cells)} cells, {len(self.persons)} persons and {len(self.amounts)} amounts",
                where="the contributions to a table",
                next_step="Give each row a cell, a person and an amount.",
            )
        if len(self.cells) and not 0 <= int(self.cells.min()) <= int(self.cells.max()) < self.n:
            raise InputError(
                "a contribution is to a cell that is not there",
                where="the contributions to a table",
                next_step=f"Name cells by their row, 0 to {self.n - 1}.",
            )
        if len(self.persons) and int(self.persons.min()) < 0:
            raise InputError(
                "a person has a number below 0",
                where="the contributions to a table",
                next_step="Number persons from 0.",
            )
        if len(self.amounts) and int(self.amounts.min()) < 0:
            raise InputError(
                "a contribution is below 0",
                where="the contributions to a table",
                next_step="Dominance and p % are defined for amounts of 0 or more.",
            )
        order = np.lexsort((self.persons, self.cells))
        cells, persons, amounts = self.cells[order], self.persons[order], self.amounts[order]
        first = np.flatnonzero(np.r_[True, (cells[1:] != cells[:-1]) | (persons[1:] != persons[:-1])][: len(cells)])
        summed = np.add.reduceat(amounts, first) if len(first) else amounts
        cells, persons = cells[first], persons[first]
        order = np.lexsort((persons, -summed, cells))  # the largest of each cell first
        object.__setattr__(self, "cells", cells[order])
        object.__setattr__(self, "persons", persons[order])
        object.__setattr__(self, "amounts", summed[order])

    def numbers(self) -> Whole:
        """The number of persons of each cell."""
        return np.bincount(self.cells, minlength=self.n).astype(np.int64)

    def totals(self) -> Whole:
        """The sum of each cell."""
        found = np.zeros(self.n, dtype=np.int64)
        np.add.at(found, self.cells, self.amounts)
        return found

    def largest(self, most: int) -> Whole:
        """The sum of the `most` largest contributions to each cell."""
        starts = np.searchsorted(self.cells, self.cells, side="left")
        among = np.arange(len(self.cells)) - starts < most
        found = np.zeros(self.n, dtype=np.int64)
        np.add.at(found, self.cells[among], self.amounts[among])
        return found

    def sole(self) -> Whole:
        """The person of each cell that has one alone, else -1."""
        found = np.full(self.n, -1, dtype=np.int64)
        alone = self.numbers()[self.cells] == 1
        found[self.cells[alone]] = self.persons[alone]
        return found


@dataclass(frozen=True, eq=False)
class LargestContributions:
    """The largest contributions to each cell, a row a cell, descending; and the sum of all."""

    descending: Whole
    sums: Whole

    def totals(self) -> Whole:
        """The sum of each cell."""
        return self.sums

    def largest(self, most: int) -> Whole:
        """The sum of the `most` largest contributions to each cell. Raises ValueError for more than are known."""
        if most > self.descending.shape[1]:
            raise ValueError(f"{self.descending.shape[1]} contributions are known, not {most}")
        found: Whole = self.descending[:, :most].sum(axis=1)
        return found


class _Contributed(Protocol):
    def totals(self) -> Whole: ...
    def largest(self, most: int) -> Whole: ...


def few_persons(numbers: Whole, k: int, *, zeros: bool = False) -> Marks:
    """The cells of fewer than k persons, and where `zeros` the empty ones too. Raises InputError for a k below 1."""
    if k < 1:
        raise InputError(f"k is {k}", where="the rule for persons", next_step="Give a whole number of 1 or more.")
    return (numbers < k) & ((numbers > 0) | zeros)


def dominated(contributions: _Contributed, largest: int, percent: float) -> Marks:
    """The cells whose `largest` biggest contributions are more than `percent` of the sum.

    Raises InputError for a number below 1 or a share that is not between 0 and 100.
    """
    if largest < 1 or not 0 < percent <= 100:
        raise InputError(
            f"the rule ({largest}, {percent})",
            where="dominance",
            next_step="Give a number of 1 or more, and a percentage above 0 and at most 100.",
        )
    return contributions.largest(largest) * 100.0 > percent * contributions.totals()


def closely_estimated(contributions: _Contributed, percent: float) -> Marks:
    """The cells in which the second largest contributor knows the largest to within `percent` of it (the p % rule).

    The sum less the two largest is then less than that. Raises InputError for a share that is not above 0.
    """
    if not percent > 0:
        raise InputError(f"p is {percent}", where="the p % rule", next_step="Give a percentage above 0.")
    first, two = contributions.largest(1), contributions.largest(2)
    return (contributions.totals() - two) * 100.0 < percent * first


def widths_for_percent(contributions: _Contributed, percent: float, least: int) -> Whole:
    """How wide each cell must be that none estimates the largest contribution to within `percent`; at least `least`."""
    first, two = contributions.largest(1), contributions.largest(2)
    needed = np.ceil(percent * first / 100.0 - (contributions.totals() - two)).astype(np.int64)
    return np.maximum(needed, least)
