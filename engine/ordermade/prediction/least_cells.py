"""The size of the least of many Poisson cells: the one that is not empty, or the first beyond the suppressed ones.

Cells come as their number in each bin of ln lambda (see `cells`); a row of counts is a node. Figures of a node are ln
of the k that is expected, the standard deviation of ln k that lies in the Poisson counts, and the non-empty cells.

Without a limit k is the median of the least non-empty cell. Where that is 1, ln k goes on below 0 as far as the cells
of one row outnumber those that would make 1 the median: nodes of k = 1 differ.

Where W rows may be suppressed, R(m), the rows in cells of at most m rows, has the mean sum of E[X; X <= m] and the
variance sum of E[X^2; X <= m]: about h times a Poisson number, h being the mean size of the cell that such a row is in.
The k that is reached is where the median of R(m) passes W; ln k is interpolated as `reached.ln_reached` does for
measured nodes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from ordermade.prediction.reached import AT_ONE, FLATTEST, STEEPEST, slope_at_one

Reals: TypeAlias = npt.NDArray[np.float64]

_TAILS = (0.05, 0.5, 0.95)
_LOW, _MEDIAN, _HIGH = (-math.log1p(-tail) for tail in _TAILS)
_Z = 1.6449


class LeastCells(Protocol):
    """The expectations of nodes, from the number of cells that each has in every bin."""

    def figures(self, counts: Reals) -> Reals:
        """Ln k, its standard deviation, and the number of classes: three rows, a column for each row of `counts`."""
        ...


@lru_cache(maxsize=4)
def least_cells(rows: int, width: float, first: int, bins: int, most_withheld: int = 0) -> LeastCells:
    """For cells of so many rows in all, in bins of a width from `first` on. `most_withheld` is below `rows`.

    Its tables take some 50 ms, and a dataset's predictors all need the same ones.
    """
    expected = np.exp(width * (first + np.arange(bins)))
    tests = np.array(list(_tests(rows, width)), dtype=np.float64)
    if most_withheld:
        return _BeyondWithheld(expected, tests, most_withheld)
    return _LeastNonEmpty(expected, tests)


class _LeastNonEmpty:
    """Nothing may be suppressed: the least cell decides."""

    def __init__(self, expected: Reals, tests: Reals) -> None:
        from scipy.special import pdtr

        self._tests = tests
        # For every bin -ln P(not 1 <= X <= m) by m, and last P(X >= 1).
        self._outcomes = np.empty((len(expected), len(tests) + 1))
        for column, m in enumerate(tests):
            least, most = _within_reach(expected, m)
            self._outcomes[:least, column] = expected[:least]
            self._outcomes[most:, column] = 0.0
            at = expected[least:most]
            inside = np.clip(pdtr(m, at) - np.exp(-at), 0.0, 1 - 1e-16)
            self._outcomes[least:most, column] = -np.log1p(-inside)
        self._outcomes[:, -1] = -np.expm1(-expected)

    def figures(self, counts: Reals) -> Reals:
        """See `LeastCells`."""
        outcome = counts @ self._outcomes
        below, divisions = outcome[:, :-1], outcome[:, -1]
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


class _BeyondWithheld:
    """The smallest cells may be suppressed, up to so many rows: the next one decides."""

    def __init__(self, expected: Reals, tests: Reals, most_withheld: int) -> None:
        from scipy.special import pdtr

        self._most_withheld = most_withheld
        self._ends = np.log(np.concatenate(([0.5], tests + 0.5)))
        # For every bin E[X; X <= m] by m, and last P(X >= 1). E[X; X <= m] = lambda P(X <= m - 1).
        self._outcomes = np.empty((len(expected), len(tests) + 1))
        self._squares = np.empty((len(tests), len(expected)))
        for column, m in enumerate(tests):
            least, most = _within_reach(expected, m)
            self._outcomes[:least, column] = expected[:least]
            self._squares[column, :least] = expected[:least] * (1 + expected[:least])
            self._outcomes[most:, column] = self._squares[column, most:] = 0.0
            at = expected[least:most]
            once = at * (pdtr(m - 1, at) if m > 1 else np.exp(-at))
            self._outcomes[least:most, column] = once
            self._squares[column, least:most] = once + (at**2 * pdtr(m - 2, at) if m > 1 else 0.0)
        self._outcomes[:, -1] = -np.expm1(-expected)

    def figures(self, counts: Reals) -> Reals:
        """See `LeastCells`."""
        from scipy.special import gammaincinv

        outcome = counts @ self._outcomes
        held, divisions = outcome[:, :-1], outcome[:, -1]
        at = np.minimum((held <= self._most_withheld).sum(axis=1), held.shape[1] - 1)
        squares = np.einsum("nb,nb->n", counts, self._squares[at])
        size = np.maximum(squares / np.maximum(held[np.arange(len(at)), at], 1e-300), 1.0)
        # P(Poisson number of mean x is above n) is the regularised gamma function of n + 1 at x.
        low, median, high = (
            self._reached(held, size * gammaincinv(self._most_withheld / size + 1, tail)) for tail in _TAILS
        )
        return np.array([median, np.maximum(high - low, 0.0) / (2 * _Z), np.maximum(divisions, 1.0)])

    def _reached(self, held: Reals, target: Reals) -> Reals:
        """Where the rows in cells of at most m rows, which rise with m, pass the target, a row a node; its ln."""
        last = held.shape[1] - 1
        at = np.minimum((held <= target[:, None]).sum(axis=1), last)
        nodes = np.arange(len(at))
        above = np.maximum(held[nodes, at], 1e-300)
        below = np.where(at > 0, held[nodes, np.maximum(at - 1, 0)], 0.0)
        share = np.clip((target - below) / np.maximum(above - below, 1e-300), 0.0, 1.0)
        ln_k = self._ends[at] + share * (self._ends[at + 1] - self._ends[at])
        slope = slope_at_one(above, held[nodes, min(1, last)])
        deeper = AT_ONE - slope * np.log(np.maximum(above / np.maximum(target, 1e-300), 1.0))
        ln_reached: Reals = np.where((at == 0) & (above > target), deeper, ln_k)
        return ln_reached


def _within_reach(expected: Reals, m: float) -> tuple[int, int]:
    """The bins in which a cell may or may not be of more than m rows: in the ones before hardly, beyond surely."""
    reach = 12 * math.sqrt(m) + 12
    least, most = np.searchsorted(expected, (max(m - reach, 0.0), m + reach))
    return int(least), int(most)


def _tests(rows: int, width: float) -> Iterator[int]:
    """1, 2, 3, … and by factors of a bin width where that is a longer step, up to the number of rows."""
    m = 1
    while m < rows:
        yield m
        m = math.ceil(m * math.exp(width))
    yield rows
