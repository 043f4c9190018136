"""What measuring a node gives: the figures that table C keeps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

Sizes: TypeAlias = tuple[tuple[int, int], ...]
"""A whole histogram of class sizes: (class size, number of classes of that size), ascending."""

LARGEST_SIZE_KEPT = 1_000


@dataclass(frozen=True, slots=True)
class Observation:
    """One measured node.

    `rows` of the dataset, `divisions` (number of equivalence classes), `k` (rows of the smallest class, 0 for
    an empty dataset), `sum_of_squares` of all class sizes, and `sizes`: (class size, number of classes of
    that size), ascending, for sizes up to `LARGEST_SIZE_KEPT`.
    """

    rows: int
    divisions: int
    k: int
    sum_of_squares: int
    sizes: tuple[tuple[int, int], ...]

    @classmethod
    def from_histogram(cls, histogram: Iterable[tuple[int, int]]) -> Observation:
        """The observation of a whole histogram of class sizes: pairs (class size, number of classes)."""
        pairs = sorted(histogram)
        return cls(
            rows=sum(size * classes for size, classes in pairs),
            divisions=sum(classes for _, classes in pairs),
            k=pairs[0][0] if pairs else 0,
            sum_of_squares=sum(size * size * classes for size, classes in pairs),
            sizes=tuple((size, classes) for size, classes in pairs if size <= LARGEST_SIZE_KEPT),
        )

    def passes(self, k: int) -> bool:
        """Whether every class has at least `k` rows. An empty dataset passes nothing."""
        return self.k >= k and self.rows > 0
