"""The sensitive values that occur in each region, as sets that are united along with the rows: they decide distinct l.

The set of a region is the union of those of its combinations, so it costs as little as the sum of its rows, and no
region is asked for its values in SQL. A set is some whole numbers, united bit by bit. For l = 2 these are the number of
a value and its complement: a bit that is set in both unions has two values. For any other l there is a bit a value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Words: TypeAlias = npt.NDArray[np.uint64]
"""The sets of some regions: a row a region, some columns for each model."""
Integers: TypeAlias = npt.NDArray[np.int64]

BITS = 64
MAX_WORDS = 16
"""Of a set: with more than 1,024 values and l > 2 it costs more to unite sets than to count values."""


@dataclass(frozen=True, slots=True)
class ValueSets:
    """The sets of all combinations under several models.

    `words` has a row a combination; `least[model]` is its l, and `first[model]` to `first[model + 1]` are its columns.
    """

    words: Words
    least: tuple[int, ...]
    first: tuple[int, ...]

    @classmethod
    def of(cls, combinations: int, models: Sequence[DistinctValues]) -> ValueSets:
        """The sets of so many combinations."""
        parts = [_words(combinations, each) for each in models]
        first = np.cumsum([0, *(each.shape[1] for each in parts)]).tolist()
        words = np.concatenate([np.zeros((combinations, 0), dtype=np.uint64), *parts], axis=1)
        return cls(words, tuple(each.least for each in models), tuple(first))

    def pass_in(self, words: Words) -> npt.NDArray[np.bool_]:
        """Whether each of these unions has enough values, by every model."""
        passing = np.ones(len(words), dtype=np.bool_)
        for model, least in enumerate(self.least):
            of_model = words[:, self.first[model] : self.first[model + 1]]
            if least == 2:
                passing &= (of_model[:, 0] & of_model[:, 1]) != 0
            else:
                passing &= np.bitwise_count(of_model).sum(axis=1, dtype=np.int64) >= least
        return passing


@dataclass(frozen=True, slots=True)
class DistinctValues:
    """At least `least` different values, 2 or more, of an attribute that has `different` ones, numbered from 0.

    Each place of `combinations` and `values` is one value that occurs in one combination.
    """

    least: int
    different: int
    combinations: Integers
    values: Integers

    @property
    def is_small(self) -> bool:
        """Whether sets of the values are small enough."""
        return self.least == 2 or self.different <= MAX_WORDS * BITS


def _words(combinations: int, model: DistinctValues) -> Words:
    values = model.values.astype(np.uint64)
    if model.least == 2:
        pair = np.zeros(2 * combinations, dtype=np.uint64)
        np.bitwise_or.at(pair, 2 * model.combinations, values)
        np.bitwise_or.at(pair, 2 * model.combinations + 1, ~values)
        return pair.reshape(combinations, 2)
    width = max(1, -(-model.different // BITS))
    found = np.zeros(combinations * width, dtype=np.uint64)
    bits = np.left_shift(np.uint64(1), values % np.uint64(BITS))
    np.bitwise_or.at(found, width * model.combinations + model.values // BITS, bits)
    return found.reshape(combinations, width)
