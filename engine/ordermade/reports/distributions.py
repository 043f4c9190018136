"""Distributions of released columns before and after, over bars that hold the floor on both sides.

The bars of labels are the most frequent ones, in the order of their values, and all others together. The bars of
numbers lie between common edges: the ends of released intervals where these do not overlap, else round numbers from the
least to the greatest released number, which rise by about the same factor where most rows would be in one bar of equal
ones. The rows of an interval that reaches over several bars are spread evenly over its extent. Edges come from the
release alone, so that they reveal nothing of the original.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ordermade.drafts.label_order import by_value
from ordermade.reports.figures import Bar, Count, ReportedDistribution
from ordermade.reports.places import Scale, ScaledColumn, binned, frequent, rows_of, spans

MAX_BARS = 12
"""Bars of labels, without that of all others."""

MAX_BINS = 20
"""Bins of numbers between round edges."""

MAX_INTERVALS = 40
"""So many released intervals are bars of their own."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The bars of a column, laid out by its release: `labels` or `edges`, and the released rows of each.

    `after` has one count a label and that of all other labels, or one count a bin: below the first edge, between each
    and the next, from the last on.
    """

    column: str
    scale: Scale
    after: tuple[int, ...]
    labels: tuple[str, ...] = ()
    edges: tuple[float, ...] = ()

    @property
    def is_numeric(self) -> bool:
        """Whether it has bins of numbers."""
        return bool(self.edges)


def laid_out(column: ScaledColumn, scale: Scale) -> Layout:
    """The layout of a released column."""
    if column.is_numeric:
        edges = _edges(column, scale)
        return Layout(column.column, scale, whole_counts(binned(column, edges)), edges=edges)
    shown = frequent(column, MAX_BARS)
    others = column.rows - column.missing - sum(n for _, n in shown)
    return Layout(column.column, scale, (*(n for _, n in shown), others), labels=tuple(label for label, _ in shown))


def counted_before(layout: Layout, original: ScaledColumn) -> tuple[int, ...]:
    """The rows of the original in each bar of a layout."""
    if layout.is_numeric:
        return whole_counts(binned(original, layout.edges))
    found = rows_of(original, layout.labels)
    counts = [found.get(label, 0) for label in layout.labels]
    return (*counts, original.rows - original.missing - sum(counts))


def distribution(
    layout: Layout, before: Sequence[int] | None, column: ScaledColumn, floor: int
) -> ReportedDistribution | None:
    """The distribution: bars merged until each holds `floor` rows on either side, or none; None where none is left.

    The difference of all rows to those of the bars reveals no number below the floor either: rows without a value are
    among the others where they are so few, and there is no distribution of numbers without an original then.
    """
    sides = [list(layout.after)] if before is None else [list(layout.after), list(before)]
    if layout.is_numeric:
        outside = column.rows - sum(layout.after)
        return None if before is None and 0 < outside < floor else _of_numbers(layout, sides, floor)
    hidden = column.missing if 0 < column.missing < floor else 0
    sides[0][-1] += hidden
    labels = list(layout.labels)
    while labels:  # into the others go the labels of too few rows, then the rarest until the others have enough
        few = [place for place in range(len(labels)) if any(0 < side[place] < floor for side in sides)]
        if not few and not any(0 < side[-1] < floor for side in sides):
            break
        place = few[-1] if few else len(labels) - 1
        del labels[place]
        for side in sides:
            side[-1] += side.pop(place)
    bars = [
        Bar(label, None, None, _count(sides, 1, place, floor), Count.of(sides[0][place], floor))
        for place, label in [*((place, labels[place]) for place in by_value(labels)), (len(labels), "")]
        if label or any(side[-1] for side in sides)
    ]
    return ReportedDistribution(layout.column, "labels", tuple(bars)) if bars else None


def _of_numbers(layout: Layout, sides: list[list[int]], floor: int) -> ReportedDistribution | None:
    bounds: list[float | None] = [None, *layout.edges, None]
    while len(sides[0]) > 1 and not any(side[0] for side in sides):
        bounds = bounds[1:]
        sides = [side[1:] for side in sides]
    while len(sides[0]) > 1 and not any(side[-1] for side in sides):
        bounds = bounds[:-1]
        sides = [side[:-1] for side in sides]
    while len(sides[0]) > 1:
        short = next((place for place in range(len(sides[0])) if any(0 < side[place] < floor for side in sides)), None)
        if short is None:
            break
        neighbours = [each for each in (short - 1, short + 1) if 0 <= each < len(sides[0])]
        other = min(neighbours, key=lambda place: min(side[place] for side in sides))
        first = min(short, other)
        del bounds[first + 1]
        for side in sides:
            side[first : first + 2] = [side[first] + side[first + 1]]
    if any(0 < count < floor for side in sides for count in side):
        return None
    bars = tuple(
        Bar("", low, high, _count(sides, 1, place, floor), Count.of(sides[0][place], floor))
        for place, (low, high) in enumerate(pairwise(bounds))
    )
    return ReportedDistribution(layout.column, "numbers", bars, "days" if layout.scale == "days" else "")


def _count(sides: Sequence[Sequence[int]], side: int, place: int, floor: int) -> Count | None:
    return Count.of(sides[side][place], floor) if side < len(sides) else None


def _edges(column: ScaledColumn, scale: Scale) -> tuple[float, ...]:
    """The edges of the bins of numbers, ascending."""
    found = spans(column, MAX_INTERVALS + 1)
    reaches = [(-math.inf if low is None else low, math.inf if high is None else high) for low, high, _ in found]
    apart = all(low < high for low, high in reaches) and all(one[1] <= other[0] for one, other in pairwise(reaches))
    if len(found) <= MAX_INTERVALS and apart:
        return tuple(sorted({end for reach in reaches for end in reach if math.isfinite(end)}))
    return _fitting_edges(column, scale)


def _fitting_edges(column: ScaledColumn, scale: Scale) -> tuple[float, ...]:
    """Round edges a step apart; of numbers that would nearly all be in one bin then, edges a factor apart."""
    least, greatest = column.least or 0.0, column.greatest or 0.0
    even = round_edges(least, greatest, whole=scale != "numbers")
    if scale == "days" or least < 0 or len(even) < 4:
        return even
    counts = binned(column, even)
    if 2 * max(counts) <= sum(counts):
        return even
    rising = rising_edges(least, greatest, whole=scale != "numbers")
    return rising if max(binned(column, rising)) < max(counts) else even


_MANTISSAS = ((1.0, 1.5, 2.0, 3.0, 5.0, 7.0), (1.0, 2.0, 5.0), (1.0,))


def rising_edges(least: float, greatest: float, *, whole: bool) -> tuple[float, ...]:
    """At most `MAX_BINS` + 1 round numbers that rise by factors, from one up to `least` to one above `greatest`.

    The first is 0 where the least number is 0, or more powers of 10 below the greatest than there is room for.
    """
    top = math.floor(math.log10(greatest)) + 1 if greatest > 0 else 0
    smallest = least if least > 0 else (1.0 if whole else greatest / 10**6)
    bottom = math.floor(math.log10(smallest)) if smallest > 0 else top - 1
    for mantissas in _MANTISSAS:
        written = [
            _exact(round(each * 10), 10.0 ** (power - 1)) for power in range(bottom, top + 1) for each in mantissas
        ]
        edges = [each for each in written if not whole or each == math.floor(each)]
        below = [each for each in edges if each <= least]
        start = edges.index(below[-1]) if below else 0
        end = next(place for place, each in enumerate(edges) if each > greatest) + 1
        found = edges[start:end] if below else [0.0, *edges[start:end]]
        if len(found) <= MAX_BINS + 1:
            return tuple(found)
    return (0.0, *found[-MAX_BINS:])


def round_edges(least: float, greatest: float, *, whole: bool) -> tuple[float, ...]:
    """At most `MAX_BINS` + 1 round numbers from one that is at most `least` to one above `greatest`."""
    extent = greatest - least
    rough = extent / (MAX_BINS - 2) if extent > 0 else abs(greatest) or 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * (1 - 1e-9))
    if whole:
        step = max(1.0, step)
    first, last = math.floor(least / step), math.floor(greatest / step) + 1
    while _exact(first, step) > least:  # a quotient that was rounded up, or down
        first -= 1
    while _exact(last, step) <= greatest:
        last += 1
    return tuple(_exact(number, step) for number in range(first, last + 1))


def _exact(number: int, step: float) -> float:
    """`number` steps, without the noise of binary fractions."""
    return round(number * step, max(0, 2 - math.floor(math.log10(step))))


def whole_counts(shares: Sequence[float]) -> tuple[int, ...]:
    """The counts rounded to whole rows, their sum kept: those with the largest remainders are rounded up."""
    counts = [math.floor(each + 1e-9) for each in shares]
    left = round(sum(shares)) - sum(counts)
    by_remainder = sorted(range(len(shares)), key=lambda place: counts[place] - shares[place])
    for place in by_remainder[: max(0, left)]:
        counts[place] += 1
    return tuple(counts)
