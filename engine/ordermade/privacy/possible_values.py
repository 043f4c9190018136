"""The sensitive values that remain possible for a person whose quasi-identifiers a reader knows. Pure.

A class that covers the person's combination of values may have the person's row. By labels alone these are all classes
whose labels name the combination: a coarse one beside the finer ones within it. The elimination (`elimination`) leaves
those in which the combination is still possible, and the sensitive values of the others are out: what combinatorial
refinement attacks on ARX's local transformation do (Chhillar, Righi, Sutter and Kornaropoulos, arXiv 2509.03350). Of
that paper the abstract was at hand, and the steps of its algorithms 3 and 4 as an independent implementation describes
them. Ours uses the step that holds for every release in rounds: a class has no cell of a class that came before. It
leaves out the steps that assume how the algorithm went through all generalisations: in each half of a label at least
one row, and in each part of it that was not released fewer than k. These bound numbers of rows, and are what `by the
method` counts.

No elimination that goes by labels, hierarchies, rounds and k leaves a person fewer values than the own class has: where
two rows of a class exchange their sensitive values, the same release comes about in the same way, so that a person of
the class may have the value of any of its rows. The shrinkage is from all covering classes down to the own one. Where
a model decides on sensitive values, that argument fails; minimality then tells more.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ordermade.privacy.elimination import Flags, Places

_WORD = 64
"""The values that are packed into one integer."""

Words = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class PossibleValues:
    """The sensitive values possible for the persons of an original, row by row, by labels and after the elimination.

    `values`: the different ones of the release. `rows`: those of the original that some class may have; the figures
    are over them. `rows_narrowed`: those for which fewer values are left than the labels allow; `rows_of_one`: those
    of them for which one is left. `by_labels`, `left`: the mean number of values of a row; `least_by_labels`,
    `least_left` the least. `candidates_by_labels`, `candidates_left`, `least_candidates`: the same of the released rows
    that may be the person's.
    """

    values: int
    rows: int
    rows_narrowed: int
    rows_of_one: int
    by_labels: float
    left: float
    least_by_labels: int
    least_left: int
    candidates_by_labels: float
    candidates_left: float
    least_candidates: int

    @property
    def share(self) -> float:
        """Rows for which fewer values are left than the labels allow, of all rows: from 0 to 1."""
        return self.rows_narrowed / self.rows if self.rows else 0.0


@dataclass(slots=True)
class _Candidates:
    """Of each combination: its possible values, packed, and the released rows of the classes that may have it."""

    values: Words
    rows: Places

    @classmethod
    def none_yet(cls, combinations: int, words: int) -> _Candidates:
        return cls(np.zeros((combinations, words), dtype=np.uint64), np.zeros(combinations, dtype=np.intp))

    def add(self, places: Places, values: Words, rows: int) -> None:
        """Add the values and rows of a class to the combinations at these places, each of which is there once."""
        self.values[places] |= values
        self.rows[places] += rows


@dataclass(slots=True)
class CandidateClasses:
    """The classes that may have each combination of an original, one class after the other.

    `values[class, value]`: whether the class has the sensitive value; `rows[class]`: its released rows.
    """

    values: Flags
    rows: Places
    combinations: int
    _packed: Words = field(init=False)
    _by_labels: _Candidates = field(init=False)
    _left: _Candidates = field(init=False)

    def __post_init__(self) -> None:
        """Pack the values of each class."""
        self._packed = _packed(self.values)
        self._by_labels, self._left = (_Candidates.none_yet(self.combinations, self._packed.shape[1]) for _ in range(2))

    def add(self, number: int, named: Places, left: Places) -> None:
        """Add a class: the combinations that its labels name, and those of them that are left in it."""
        for candidates, places in ((self._by_labels, named), (self._left, left)):
            candidates.add(places, self._packed[number], int(self.rows[number]))

    def possible(self, rows: Places) -> PossibleValues:
        """The figures; `rows[combination]`: its rows in the original."""
        named, left = (np.bitwise_count(each.values).sum(axis=1) for each in (self._by_labels, self._left))
        own = np.flatnonzero(self._left.rows)
        weights, named, left = rows[own], named[own].astype(np.intp), left[own].astype(np.intp)
        narrowed = left < named
        return PossibleValues(
            values=int(np.count_nonzero(self.values.any(axis=0))),
            rows=int(weights.sum()),
            rows_narrowed=int(weights[narrowed].sum()),
            rows_of_one=int(weights[narrowed & (left == 1)].sum()),
            by_labels=_mean(named, weights),
            left=_mean(left, weights),
            least_by_labels=int(named.min(initial=self.values.shape[1])),
            least_left=int(left.min(initial=self.values.shape[1])),
            candidates_by_labels=_mean(self._by_labels.rows[own], weights),
            candidates_left=_mean(self._left.rows[own], weights),
            least_candidates=int(self._left.rows[own].min()) if len(own) else 0,
        )


def _mean(numbers: Iterable[int], weights: Places) -> float:
    return float(np.average(np.asarray(numbers), weights=weights)) if weights.sum() else 0.0


def _packed(values: Flags) -> Words:
    """The flags of each row in integers of 64 bits."""
    words = max(1, -(-values.shape[1] // _WORD))
    padded = np.zeros((len(values), words * _WORD), dtype=np.bool_)
    padded[:, : values.shape[1]] = values
    return np.packbits(padded, axis=1).view(np.uint64)
