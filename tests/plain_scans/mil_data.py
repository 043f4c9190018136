"""The MIL paper's data sets (its Table 1): 100 values a component, each the mean of six uniform numbers."""

from __future__ import annotations

import numpy as np

COMPONENTS = {
    "DS0": ((0, 1),),
    "DS1": ((5, 1), (10, 1)),
    "DS2": ((5, 1), (8, 1)),
    "DS3": ((5, 1), (10, 2)),
    "DS4": ((10, 3), (20, 2)),
    "DS5": ((0, 1), (5, 2), (12, 3)),
    "DS6": ((5, 1.5), (10, 1), (15, 1.5)),
    "DS7": ((5, 3), (15, 2), (20, 1)),
    "DS8": ((5, 3), (12, 1.5), (20, 2)),
    "DS9": ((5, 2), (10, 1.5), (18, 3)),
    "DS10": ((0, 1), (5, 1), (10, 1)),
    "DS11": ((0, 1), (3, 1), (6, 1)),
}
"""Mean and standard deviation of each component."""


def data_set(name, seed):
    """The values of a data set, sorted."""
    rng = np.random.default_rng(seed)
    return np.sort(np.concatenate([mean + sd * nearly_normal(rng, 100) for mean, sd in COMPONENTS[name]]))


def nearly_normal(rng, values):
    """The paper's N(0, 1)."""
    return (rng.random((values, 6)).mean(1) - 0.5) * np.sqrt(72)
