"""Ln of the k that a measured node reaches where its smallest classes may be suppressed, finer than the whole number.

Two nodes that reach the same k differ: the one that would reach the next k if one row more could be suppressed is
nearer to it than one that would need a hundred. So ln k is interpolated between ln(k - 1/2) and ln(k + 1/2), by the
share of the classes of that size that may be suppressed. Where k is 1 it goes on below, the more rows are alone in
their class. The result is at least ln(k - 1/2) exactly where k is reached.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ordermade.lattice.observation import Observation

STEEPEST, FLATTEST = 3.0, 0.1
"""Bounds of how fast ln k rises with the logarithm of the cells, or rows, in classes of at most k rows."""
AT_ONE = math.log(1.5)
"""Ln k of a node that all but reaches 2."""


def ln_reached(observation: Observation, most_withheld: int) -> float:
    """Ln of the k reached within a limit; ln k itself, from 0 up, where nothing may be suppressed.

    Raises ValueError where the observation does not determine it (see `Observation.determines_within`).
    """
    k = observation.k_within(most_withheld)
    if most_withheld == 0 or k == 0:
        return math.log(max(k, 1))
    below, with_these = observation.below(k), observation.below(k + 1)
    if k == 1 and with_these > most_withheld:
        slope = float(slope_at_one(np.array([with_these]), np.array([observation.below(3)]))[0])
        return AT_ONE - slope * math.log(with_these / most_withheld)
    least, most = math.log(k - 0.5), math.log(k + 0.5)
    return least + (most - least) * min((most_withheld - below) / max(with_these - below, 1), 1.0)


def slope_at_one(ones: npt.NDArray[np.float64], twos: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The slope of ln k in ln of the rows in the smallest classes: from those in classes of 1, and of 1 or 2."""
    ones = np.maximum(ones, 1e-300)
    slope: npt.NDArray[np.float64] = np.clip(
        math.log(2) / np.log(np.maximum(twos, ones * 1.001) / ones), FLATTEST, STEEPEST
    )
    return slope
