"""Sizes of equivalence classes and the risks that follow from them. Pure: counts in, figures out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ordermade.counting.table_figures import THRESHOLDS
from ordermade.lattice.observation import Observation, mean_risk
from ordermade.reports.figures import Count, ReportedRisks, SizeBin, Sizes, Unit

MAX_SIZES = 12
"""Bins of class sizes."""

RISKS = tuple(sorted({*THRESHOLDS, Fraction(1, 10), Fraction(1, 2)}))
"""The thresholds above which rows are counted."""


def by_size(sizes: Mapping[int, int]) -> dict[int, int]:
    """The units in the classes of each size, where each is in one class."""
    return {size: size * classes for size, classes in sizes.items()}


def smallest_first(units: Mapping[int, int], floor: int) -> dict[int, int]:
    """The units by size, those that are fewer than the floor taken as of the next smaller size.

    Persons who are in several classes go by their smallest one, so that any number of them may be left for a greater
    size; of the smallest size there are as many as the class has. Risks become no smaller by it.
    """
    found: dict[int, int] = {}
    few = 0
    for size in sorted(units, reverse=True):
        few += units[size]
        if few >= floor or size == min(units):
            found[size], few = few, 0
    return found


def risks_of(k: int, classes: int, units: Mapping[int, int], sampling_fraction: Fraction, floor: int) -> ReportedRisks:
    """The risks of classes, by the rows (or persons) whose smallest class has each size."""
    total = sum(units.values())
    average = mean_risk(tuple(units.items()))
    return ReportedRisks(
        prosecutor=1 / k,
        journalist=float(sampling_fraction / k),
        # Persons in several classes go by their smallest; the few units taken as of a smaller size do not raise it.
        marketer=float(sampling_fraction * min(average, Fraction(classes, total))),
        average=float(average),
        above=tuple(
            (float(each), sum(number for size, number in units.items() if each * size < 1) / total) for each in RISKS
        ),
        uniques=Count.of(units.get(1, 0), floor),
    )


def sizes_of(classes: Observation, unit: Unit) -> Sizes:
    """The sizes of equivalence classes, in units, in bins that double."""
    sizes = classes.sizes
    number = classes.divisions
    held = sum(size * each for size, each in sizes)
    return Sizes(
        bins=tuple(_size_bins(sizes)),
        least=sizes[0][0],
        median=_median(sizes, number),
        mean=held / number,
        greatest=sizes[-1][0],
        unit=unit,
    )


def _size_bins(sizes: Sequence[tuple[int, int]]) -> Sequence[SizeBin]:
    if len(sizes) <= MAX_SIZES:
        return [SizeBin(size, size, classes, size * classes) for size, classes in sizes]
    least, greatest, found = sizes[0][0], sizes[-1][0], []
    factor = max(2.0, (greatest / least) ** (1 / MAX_SIZES))
    first = least
    while first <= greatest:
        last = max(first, int(first * factor) - 1)
        within = [(size, classes) for size, classes in sizes if first <= size <= last]
        if within:
            units = sum(size * classes for size, classes in within)
            found.append(SizeBin(first, min(last, greatest), sum(classes for _, classes in within), units))
        first = last + 1
    return found


def _median(sizes: Sequence[tuple[int, int]], number: int) -> float:
    def at(place: int) -> int:
        seen = 0
        for size, classes in sizes:
            seen += classes
            if place < seen:
                return size
        return sizes[-1][0]

    return (at((number - 1) // 2) + at(number // 2)) / 2
