"""Cells of a node under independence: expected rows, the least non-empty cell, the k that a node reaches.

Two nodes that reach the same k differ: the one that would reach the next k if one row more could be suppressed is
nearer to it than one that would need a hundred. So ln k is interpolated between ln(k - 1/2) and ln(k + 1/2), by the
share of the classes of that size that may be suppressed. Where k is 1 it goes on below, the more rows are alone in
their class. The result is at least ln(k - 1/2) exactly where k is reached.

Cells come as their number in each bin of ln lambda (see `cells`); a row of counts is a node. Figures of a node are ln
of the k that is expected, the standard deviation of ln k that lies in the Poisson counts, and the non-empty cells.

Without a limit k is the median of the least non-empty cell. Where that is 1, ln k goes on below 0 as far as the cells
of one row outnumber those that would make 1 the median: nodes of k = 1 differ.

Where W rows may be suppressed, R(m), the rows in cells of at most m rows, has the mean sum of E[X; X <= m] and the
variance sum of E[X^2; X <= m]: about h times a Poisson number, h being the mean size of the cell that such a row is in.
The k that is reached is where the median of R(m) passes W; ln k is interpolated as `reached.ln_reached` does for
measured nodes.

Were the attributes independent, a cell (one class of every attribute) would hold about a Poisson number of rows with
mean lambda = N x the product of its classes' shares. The size of the least cell (see
`least_cells`) and the number of non-empty ones depend on the lambdas alone. So a node is kept as its number of cells
along ln lambda, in bins of one width; one attribute more shifts and adds. Cost does not grow with the number of cells.

A bin's cells are split between its two ends such that ln lambda keeps its mean. The least class is met within about
one bin width (in ln k) of the exact calculation, which `tests/unit/test_prediction_predictors.py` checks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation, Sizes

STEEPEST, FLATTEST = 3.0, 0.1
"""Bounds of how fast ln k rises with the logarithm of the cells, or rows, in classes of at most k rows."""
AT_ONE = math.log(1.5)
"""Ln k of a node that all but reaches 2."""


def ln_reached(observation: Observation, most_suppressed: int) -> float:
    """Ln of the k reached within a limit; ln k itself, from 0 up, where nothing may be suppressed.

    Raises ValueError where the observation does not determine it (see `Observation.determines_within`).
    """
    k = observation.k_within(most_suppressed)
    if most_suppressed == 0 or k == 0:
        return math.log(max(k, 1))
    below, with_these = observation.below(k), observation.below(k + 1)
    if k == 1 and with_these > most_suppressed:
        slope = float(slope_at_one(np.array([with_these]), np.array([observation.below(3)]))[0])
        return AT_ONE - slope * math.log(with_these / most_suppressed)
    least, most = math.log(k - 0.5), math.log(k + 0.5)
    return least + (most - least) * min((most_suppressed - below) / max(with_these - below, 1), 1.0)


def slope_at_one(ones: npt.NDArray[np.float64], twos: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The slope of ln k in ln of the rows in the smallest classes: from those in classes of 1, and of 1 or 2."""
    ones = np.maximum(ones, 1e-300)
    slope: npt.NDArray[np.float64] = np.clip(
        math.log(2) / np.log(np.maximum(twos, ones * 1.001) / ones), FLATTEST, STEEPEST
    )
    return slope


Reals: TypeAlias = npt.NDArray[np.float64]

_TAILS = (0.05, 0.5, 0.95)
_LOW, _MEDIAN, _HIGH = (-math.log1p(-tail) for tail in _TAILS)
_Z = 1.6449


class LeastCells(Protocol):
    """The expectations of nodes, from the number of cells that each has in every bin.

    `outcomes`: what a cell of each bin adds to the sums that decide, a column a sum.
    """

    outcomes: Reals

    def figures(self, summed: Reals) -> Reals:
        """Ln k, its standard deviation, and the number of classes: three rows, a column for each row of sums."""
        ...


class _RowsBelow:
    """The rows in cells of fewer than k, the one figure of a node."""

    def __init__(self, expected: Reals, k: int) -> None:
        # E[X; X < k] = lambda P(X <= k - 2).
        self.outcomes = expected[:, None] * at_most(np.array([max(k, 2) - 2.0]), expected)

    def figures(self, summed: Reals) -> Reals:
        """The sums themselves."""
        return summed.T


@lru_cache(maxsize=4)
def least_cells(rows: int, fineness: Fineness, first: int, bins: int, most_suppressed: int = 0) -> LeastCells:
    """For cells of so many rows in all, in bins of a width from `first` on. `most_suppressed` is below `rows`.

    A dataset's predictors all need the same tables.
    """
    expected = _means(fineness.bins, first, bins)
    tests = np.array(list(_tests(rows, fineness.sizes)), dtype=np.float64)
    if most_suppressed:
        return _BeyondSuppressed(expected, tests, most_suppressed)
    return _LeastNonEmpty(expected, tests)


def _means(width: float, first: int, bins: int) -> Reals:
    """The expected rows of a cell of each bin."""
    means: Reals = np.exp(width * (first + np.arange(bins)))
    return means


class _LeastNonEmpty:
    """Nothing may be suppressed: the least cell decides."""

    def __init__(self, expected: Reals, tests: Reals) -> None:
        self._tests = tests
        # For every bin -ln P(not 1 <= X <= m) by m, and last P(X >= 1). Where P(X <= m) is 1 it is the mean, where that
        # is 0 it is 0: of a large dataset, most of them.
        below = at_most(tests, expected)
        outcomes = below * np.minimum(expected, -math.log1p(-MAX_INSIDE))[:, None]
        row, column = np.nonzero((below > 0) & (below < 1))
        inside = np.clip(below[row, column] - np.exp(-expected)[row], 0.0, MAX_INSIDE)
        outcomes[row, column] = -np.log1p(-inside)
        # Of cells that hardly reach a row, P(1 <= X <= m) is their mean, which a difference would round.
        rare = expected < RARE
        outcomes[rare] = -np.log1p(-expected[rare, None])
        self.outcomes = np.column_stack((outcomes, -np.expm1(-expected)))

    def figures(self, summed: Reals) -> Reals:
        """See `LeastCells`."""
        below, divisions = summed[:, :-1], summed[:, -1]
        low, median, high = (self._reached(below, target) for target in (_LOW, _MEDIAN, _HIGH))
        # The slope of ln k in ln of the cells below it, from the cells of one and of at most two rows.
        ones = np.maximum(below[:, 0], 1e-300)
        twos = np.maximum(below[:, min(1, below.shape[1] - 1)], ones * 1.001)
        slope = np.clip(math.log(2) / np.log(twos / ones), FLATTEST, STEEPEST)
        deeper = median == 0
        spread = np.where(deeper, slope * math.log(_HIGH / _LOW), high - low) / (2 * _Z)
        ln_k = np.where(deeper, -slope * np.log(np.maximum(ones / _MEDIAN, 1)), median)
        return np.array([ln_k, spread, np.maximum(divisions, 1.0)])

    def _reached(self, below: Reals, target: float) -> Reals:
        """The least m at which -ln P(no cell of 1 to m rows), which rises with m, reaches the target; its logarithm."""
        found: Reals = np.log(self._tests[np.minimum((below < target).sum(axis=1), len(self._tests) - 1)])
        return found


class _BeyondSuppressed:
    """The smallest cells may be suppressed, up to so many rows: the next one decides."""

    def __init__(self, expected: Reals, tests: Reals, most_suppressed: int) -> None:
        self._most_suppressed = most_suppressed
        self._ends = np.log(np.concatenate(([0.5], tests + 0.5)))
        self._mean_sizes = (np.concatenate(([1.0], tests[:-1] + 1)) + tests) / 2
        # For every bin E[X; X <= m] by m, and last P(X >= 1). E[X; X <= m] = lambda P(X <= m - 1).
        self.outcomes = np.column_stack((expected[:, None] * at_most(tests - 1, expected), -np.expm1(-expected)))

    def figures(self, summed: Reals) -> Reals:
        """See `LeastCells`."""
        held, divisions = summed[:, :-1], summed[:, -1]
        at = np.minimum((held <= self._most_suppressed).sum(axis=1), held.shape[1] - 1)
        # The mean size of the cell that one of the suppressed rows is in: rows by the sizes that are tested.
        nodes = np.arange(len(at))
        squares = np.cumsum(np.diff(held, axis=1, prepend=0.0) * self._mean_sizes, axis=1)[nodes, at]
        size = np.maximum(squares / np.maximum(held[nodes, at], 1e-300), 1.0)
        # P(Poisson number of mean x is above n) is the regularised gamma function of n + 1 at x.
        low, median, high = (
            self._reached(held, size * _gamma_quantile(self._most_suppressed / size + 1, z)) for z in (-_Z, 0.0, _Z)
        )
        return np.array([median, np.maximum(high - low, 0.0) / (2 * _Z), np.maximum(divisions, 1.0)])

    def _reached(self, held: Reals, target: Reals) -> Reals:
        """Where the rows in cells of at most m rows, which rise with m, pass the target, a row a node; its ln."""
        last = held.shape[1] - 1
        at = np.minimum((held <= target[:, None]).sum(axis=1), last)
        nodes = np.arange(len(at))
        above = np.maximum(held[nodes, at], 1e-300)
        below = np.where(at > 0, held[nodes, np.maximum(at - 1, 0)], 0.0)
        gap = np.maximum(above - below, 1e-300)
        share = np.clip(target - below, 0.0, gap) / gap  # clipped before it is divided, which may overflow
        ln_k = self._ends[at] + share * (self._ends[at + 1] - self._ends[at])
        slope = slope_at_one(above, held[nodes, min(1, last)])
        deeper = AT_ONE - slope * np.log(np.maximum(above / np.maximum(target, 1e-300), 1.0))
        ln_reached: Reals = np.where((at == 0) & (above > target), deeper, ln_k)
        return ln_reached


COUNTED = 32
"""Poisson probabilities of at most fewer than so many are added up, those of more are approximated."""
MAX_INSIDE = 1 - 1e-16
"""The greatest P(1 <= X <= m) that has a logarithm of what is left."""
RARE = 1e-3
"""Cells that expect fewer rows hold more than one so rarely that it makes no difference."""
FAR = 10.0
"""Standard deviations beyond which a normal tail is 0: nine in ten of the figures lie there, and none is computed."""


def at_most(counts: Reals, expected: Reals) -> Reals:
    """P(X <= m) of Poisson numbers: a row for each mean, in ascending order, a column for each whole m from 0 up.

    From 32 up by Wilson and Hilferty's normal approximation of the gamma distribution, right to 0.001.
    """
    means = expected[:, None]
    share = np.cumprod(np.hstack((np.exp(-means), means / np.arange(1.0, COUNTED))), axis=1)
    few = np.cumsum(share, axis=1)
    small = counts < COUNTED
    # Of each m the probability is 1 for the means before `first`, 0 from `last` on, and computed for those between.
    roots, shape = np.cbrt(expected), counts + 1
    middle, spread = np.cbrt(shape) * (1 - 1 / (9 * shape)), np.cbrt(shape) / (3 * np.sqrt(shape))
    first, last = (np.searchsorted(roots, middle + far * spread) for far in (-FAR, FAR))
    found: Reals = (np.arange(len(expected))[:, None] < first).astype(np.float64)
    found[:, small] = few[:, counts[small].astype(np.intp)]
    column = np.repeat(np.arange(len(counts)), np.where(small, 0, last - first))
    row = np.arange(len(column)) - np.searchsorted(column, column) + first[column]
    found[row, column] = normal_above((roots[row] - middle[column]) / spread[column])
    return found


def _gamma_quantile(shape: Reals, z: float) -> Reals:
    """The quantile of gamma distributions whose tail is that of a normal one at z, after Wilson and Hilferty."""
    quantile: Reals = shape * np.maximum(1 - 1 / (9 * shape) + z / (3 * np.sqrt(shape)), 0.0) ** 3
    return quantile


_ERFC = (
    -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806,
    0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277,
)  # fmt: skip


def normal_above(z: Reals) -> Reals:
    """P(Z > z) of a standard normal number, right to 1e-7 of itself (Press et al., Numerical Recipes, erfcc).

    It stands for scipy's because importing that costs more than a search thinks.
    """
    x = np.abs(z) * math.sqrt(0.5)
    t = 1 / (1 + 0.5 * x)
    power = np.full_like(t, _ERFC[-1])
    for each in _ERFC[-2::-1]:
        power *= t
        power += each
    tail = 0.5 * t * np.exp(power - x * x)
    above: Reals = np.where(z < 0, 1 - tail, tail)
    return above


def _tests(rows: int, step: float) -> Iterator[int]:
    """1, 2, 3, … and by steps in the logarithm where these are longer, up to the number of rows."""
    m = 1
    while m < rows:
        yield m
        m = math.ceil(m * math.exp(step))
    yield rows


@dataclass(frozen=True, slots=True)
class Fineness:
    """The width of the `bins` of ln lambda, and the steps in ln m between the `sizes` of cells that are tested."""

    bins: float
    sizes: float


FINEST_BIN = 0.01
WITHIN_BIN = 0.03
OF_10_000_NODES = 0.1
"""Wide enough for a search, which only chooses its next question: ln k of a node is off by 0.01 in the mean."""
FINEST_OF_SEARCH = 0.02
STEPS_OF_SEARCH = 0.1
COARSEST_BIN = 0.2
NODES_AT_ONCE = 4096
FINEST = Fineness(FINEST_BIN, FINEST_BIN)
LEAST_EXPECTED = 1e-4
"""Cells that expect fewer rows are counted as fewer cells of this many: only the sum of their lambdas matters."""


@dataclass(frozen=True, slots=True)
class ExpectedCount:
    """The expectation under independence, one figure a node.

    `ln_k`: ln of the median of the least non-empty cell. Where that is 1 it goes on below 0, as far as the cells of one
    row outnumber those that would make 1 the median: nodes of k = 1 differ. Where rows may be suppressed, it is the k
    reached then. `spread`: the standard deviation of ln k that lies in the Poisson counts. `divisions`: the
    non-empty cells.
    """

    ln_k: Reals
    spread: Reals
    divisions: Reals


class ExpectedCells:
    """The cells of any node of one dataset version, from the class sizes of each attribute alone."""

    def __init__(
        self,
        rows: int,
        sizes: Sequence[dict[int, Sizes]],
        *,
        fineness: Fineness = FINEST,
        most_suppressed: int = 0,
    ) -> None:
        """`sizes`: for each attribute, the class sizes of its levels by level number. `rows` is at least 1.

        `most_suppressed`: rows of the smallest cells that may be suppressed; one row is always left.
        """
        self._width = fineness.bins
        first = math.floor(math.log(LEAST_EXPECTED) / self._width)
        self._first = first
        self._bins = max(math.ceil(math.log(rows) / self._width), 0) - first + 1
        self._rows = rows
        self._shifts = [{level: self._shift(each) for level, each in levels.items()} for levels in sizes]
        # Attributes of many class sizes come first: nodes share their beginnings, which are counted once.
        work = [sum(map(len, levels.values())) for levels in self._shifts]
        self._costly_first = sorted(range(len(work)), key=lambda position: -work[position])
        self._least = least_cells(rows, fineness, first, self._bins, min(most_suppressed, rows - 1))

    def expected(self, nodes: Sequence[Node]) -> ExpectedCount:
        """The expectation of each node, in order. Raises KeyError for a level without class sizes."""
        levels = np.array(nodes, dtype=np.int64).reshape(len(nodes), len(self._shifts))
        order = np.lexsort(levels[:, self._costly_first[::-1]].T)
        figures = np.empty((3, len(nodes)))
        for start in range(0, len(order), NODES_AT_ONCE):
            chosen = order[start : start + NODES_AT_ONCE]
            figures[:, chosen] = self._least.figures(self._counts(levels[chosen]) @ self._least.outcomes)
        return ExpectedCount(*figures)

    def expected_over(self, levels: Sequence[npt.NDArray[np.int64]]) -> ExpectedCount:
        """The expectation of every node of a product of levels, in their order: what `expected` gives, sooner.

        The sums of a node are a product of two: the cells of its first attributes by bins, and what cells of every bin
        come to once the other attributes split them. So each half of the attributes is gone through by itself.
        """
        return ExpectedCount(*self._figures_over(levels, self._least))

    def rows_below_over(self, levels: Sequence[npt.NDArray[np.int64]], k: int) -> Reals:
        """The rows in classes of fewer than `k` (at least 2) of every node of a product of levels, in their order."""
        rows: Reals = self._figures_over(levels, _RowsBelow(_means(self._width, self._first, self._bins), k))[0]
        return rows

    def _figures_over(self, levels: Sequence[npt.NDArray[np.int64]], least: LeastCells) -> Reals:
        """The figures of every node of a product of levels, a row a figure."""
        sums = least.outcomes.shape[1]
        halves = self._halves([len(each) for each in levels], sums)
        (many, first), (few, second) = ((half, [levels[position] for position in half]) for half in halves)
        counts = self._counts_over(many, first)
        outcomes = self._outcomes_over(few, second, least.outcomes)
        nodes = len(outcomes)
        by_bin = outcomes.transpose(1, 0, 2).reshape(self._bins, nodes * sums)
        together = max(NODES_AT_ONCE // nodes, 1)
        parts = []
        for start in range(0, len(counts), together):
            found = least.figures((counts[start : start + together] @ by_bin).reshape(-1, sums))
            parts.append(found.reshape(len(found), -1, nodes))
        figures = np.concatenate(parts, axis=1)
        shape = [len(levels[position]) for position in (*many, *few)]
        order = [0, *(1 + np.argsort([*many, *few]))]
        over: Reals = np.transpose(figures.reshape(len(figures), *shape), order).reshape(len(figures), -1)
        return over

    def _halves(self, sizes: Sequence[int], sums: int) -> tuple[list[int], list[int]]:
        """Two groups of attributes. The first, with the costly ones, has the more nodes: of each, one row is counted.

        Of a node of the second there is a row a sum.
        """
        half, nodes = 0, 1
        while half < len(sizes) and nodes * nodes < math.prod(sizes) * sums:
            nodes *= sizes[self._costly_first[half]]
            half += 1
        return self._costly_first[:half], self._costly_first[half:]

    def _counts_over(self, positions: Sequence[int], levels: Sequence[npt.NDArray[np.int64]]) -> Reals:
        """The cells of every bin, a row for each node of these attributes."""
        counts = np.zeros((1, self._bins))
        self._add(counts[0], math.log(self._rows), 1.0)
        for position, chosen in zip(positions, levels, strict=True):
            shifts = self._shifts[position]
            counts = np.stack([self._shifted(counts, shifts[level]) for level in chosen.tolist()], axis=1)
            counts = counts.reshape(-1, self._bins)
        return counts

    def _outcomes_over(
        self, positions: Sequence[int], levels: Sequence[npt.NDArray[np.int64]], of_a_cell: Reals
    ) -> Reals:
        """The sums that a cell of every bin comes to when each node of these attributes splits it."""
        outcomes = of_a_cell[None]
        for position, chosen in zip(positions, levels, strict=True):
            shifts = self._shifts[position]
            outcomes = np.stack([self._split(outcomes, shifts[level]) for level in chosen.tolist()], axis=1)
            outcomes = outcomes.reshape(-1, *of_a_cell.shape)
        return outcomes

    def _split(self, outcomes: Reals, shifts: list[tuple[int, float]]) -> Reals:
        """The transpose of `_shifted`."""
        split = np.zeros_like(outcomes)
        scale = np.exp(self._width * np.arange(self._bins))
        for bins, classes in shifts:
            kept, below = max(self._bins - bins, 0), min(bins, self._bins)
            split[:, bins:] += classes * outcomes[:, :kept]
            least = scale[:below] * (classes * math.exp(-self._width * bins))
            split[:, :below] += least[:, None] * outcomes[:, :1]
        return split

    def _counts(self, nodes: npt.NDArray[np.int64]) -> Reals:
        """The number of cells of each bin, a row a node; nodes are sorted, so that they share their beginnings."""
        counts = np.zeros((1, self._bins))
        self._add(counts[0], math.log(self._rows), 1.0)
        parents = np.zeros(len(nodes), dtype=np.int64)
        for position in self._costly_first:
            shifts, levels = self._shifts[position], nodes[:, position]
            begins = np.ones(len(nodes), dtype=np.bool_)
            begins[1:] = (np.diff(parents) != 0) | (np.diff(levels) != 0)
            first = np.flatnonzero(begins)
            grown = np.empty((len(first), self._bins))
            for level in set(levels.tolist()):  # `np.unique` imports masked arrays, which nothing needs
                at = np.flatnonzero(levels[first] == level)
                grown[at] = self._shifted(counts[parents[first[at]]], shifts[level])
            counts, parents = grown, np.cumsum(begins) - 1
        return counts[parents]

    def _shift(self, sizes: Sizes) -> list[tuple[int, float]]:
        """By how many bins each class of a level lowers ln lambda, and how many classes do: (bins, classes)."""
        figures = np.array(sizes, dtype=np.float64).reshape(-1, 2)
        # Persons of several values do not add up to those of a class, which is everybody at most.
        exact = -np.log(np.minimum(figures[:, 0], self._rows) / self._rows) / self._width
        whole = exact.astype(np.int64)
        above = exact - whole
        classes = np.bincount(whole, figures[:, 1] * (1 - above), minlength=int(whole.max(initial=0)) + 2)
        classes += np.bincount(whole + 1, figures[:, 1] * above, minlength=len(classes))
        shifted = np.flatnonzero(classes > 0)
        return list(zip(shifted.tolist(), classes[shifted].tolist(), strict=True))

    def _shifted(self, counts: Reals, shifts: list[tuple[int, float]]) -> Reals:
        grown = np.zeros_like(counts)
        scale = np.exp(self._width * np.arange(self._bins))
        for bins, classes in shifts:
            kept = max(self._bins - bins, 0)
            if kept:
                grown[:, :kept] += classes * counts[:, bins:]
            below = min(bins, self._bins)
            # Cells that fall below the first bin keep the sum of their lambdas there.
            grown[:, 0] += counts[:, :below] @ scale[:below] * (classes * math.exp(-self._width * bins))
        return grown

    def _add(self, counts: Reals, ln_expected: float, cells: float) -> None:
        place = ln_expected / self._width - self._first
        whole = min(int(place), self._bins - 2)
        counts[whole] += cells * (1 - (place - whole))
        counts[whole + 1] += cells * (place - whole)


def fineness_of(nodes: int, *, between_sizes: bool = False) -> Fineness:
    """The fineness that keeps the cost of that many nodes in bounds: finest up to 10,000 nodes.

    `between_sizes`: the sought size is found between the sizes that are tested, so bins may be wider.
    """
    finest = WITHIN_BIN if between_sizes else FINEST_BIN
    width = min(max(finest * nodes / 10_000, finest), COARSEST_BIN)
    return Fineness(width, width)


def fineness_of_search(nodes: int, *, between_sizes: bool = False) -> Fineness:
    """The fineness of a search's forecast of so many nodes: some 20 ms go into it, less if they are few."""
    width = OF_10_000_NODES * math.sqrt(nodes / 10_000)
    return Fineness(min(max(width, FINEST_OF_SEARCH), COARSEST_BIN), COARSEST_BIN if between_sizes else STEPS_OF_SEARCH)
