"""Random numbers for compiled code: the same from the same seed on every machine, whatever the version of numpy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ordermade.machine.compiled import inner
from ordermade.methods.microaggregation.algorithm.arrays import generator_from

Chance = NDArray[np.uint64]
"""One number, which every draw changes."""


def chance_of(rng: np.random.Generator | None) -> Chance:
    """The chance that a generator (None: `default_rng(0)`) starts. Raises InputError for anything else."""
    return generator_from(rng).integers(0, 2**64, size=1, dtype=np.uint64, endpoint=False)


@inner
def share(chance: Chance) -> float:
    """A number from 0 to below 1, every one equally likely (SplitMix64: Steele, Lea and Flood, 2014)."""
    chance[0] += np.uint64(0x9E3779B97F4A7C15)
    bits = chance[0]
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    bits ^= bits >> np.uint64(31)
    return float(bits >> np.uint64(11)) / 9007199254740992.0


@inner
def one_of(chance: Chance, choices: int) -> int:
    """A whole number from 0 to below `choices`, every one equally likely."""
    return int(share(chance) * choices)
