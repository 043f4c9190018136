"""What a release by splits tells by being minimal, of tables of any size: which classes, and how much at the least.

A release is made by splits where each class was part of the whole table, split one level further along one attribute
again and again: Mondrian along hierarchies, and the sealed partition (`algorithm.sealed_partition`), k alone being
asked. Let C be a released class of n rows, j an attribute of which a finer accepted level splits its label into parts.

*Some part of C along j has 1 to k - 1 rows.* Else every part with rows has k of them, and

* for Mondrian the split is valid (one part alone is, too), and a group is finished only where no split is valid;
* for the sealed partition to release the parts costs no more than to release C, since costs never fall from a level to
  one that it refines; among equals it splits. So at no price of suppression is C released. (Where the engine falls back
  to the best node alone, under a limit or as it weighs attributes, the release is not by splits.)

It follows, of a release by splits:

* **Open classes**, whose label some accepted level splits into two parts or more: their rows are not all in one part,
  which the labels leave possible. So something is told about every open class, and less than 2 k rows do not help.
* **Closed classes**, the others: nothing is told, by this or by any other method that reads the data at the accepted
  levels alone. Their rows have one combination at the finest accepted levels, as the label says, and to exchange the
  values below changes neither what the method reads nor what it releases.

So the share of open classes is exact for releases by splits, and for other methods an upper bound of the share of
classes about which something is told. (The best node alone without suppression tells that some part of *some* class is
below k, for every attribute: of one class possibly nothing.)

The least number of bits: with rows that have each of the values under their label with the same probability, as in
`attackers`, the placements that are left in C are among those with a part of 1 to k - 1 rows along j, for every j.
Their share is at most that along the one attribute where it is least, p. Conditions on different classes are on
different rows, so that the shares multiply: at least the sum over the classes of -log2 p is told. A bound for readers
to whom all values are alike: whoever knows that some are rare is told less, or more.

A class of fewer than 2 k rows could not be split into two parts with rows, whatever they are. Of it is told that no
part has them all; of larger ones that a split failed for a few rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Reals: TypeAlias = npt.NDArray[np.float64]

MAX_ROWS = 500
"""The largest class whose bits are counted; without those of larger ones the sum is a bound still."""


@dataclass(frozen=True, slots=True)
class LabelSplits:
    """A released class of so many rows, and how its label is split.

    `parts`: for each attribute and each accepted level next below the label's, the number of values under each part
    of the label, one number a part, whether it has rows or not. A level that leaves the label whole is passed over for
    the next below it. No entry where no finer accepted level parts the label.
    """

    rows: int
    parts: tuple[tuple[int, ...], ...]

    @property
    def is_open(self) -> bool:
        """Whether some split has two parts or more."""
        return any(len(each) > 1 for each in self.parts)


@dataclass(frozen=True, slots=True)
class SplitBound:
    """The classes about which a release by splits tells something by being minimal, and how much at the least.

    `told` of `classes`, with `told_rows` of `rows`; `too_small` of the told classes have fewer than 2 k rows. `bits`:
    the least that is told of all rows together.
    """

    classes: int
    rows: int
    told: int
    told_rows: int
    too_small: int
    bits: float

    @property
    def share(self) -> float:
        """The share of classes about which something is told; 0 where nothing is released."""
        return self.told / self.classes if self.classes else 0.0


def split_bound(classes: Iterable[LabelSplits], k: int) -> SplitBound:
    """What is told about the released classes of a release by splits (see the module for what is a bound on what)."""
    every = list(classes)
    told = [each for each in every if each.is_open]
    return SplitBound(
        classes=len(every),
        rows=sum(each.rows for each in every),
        told=len(told),
        told_rows=sum(each.rows for each in told),
        too_small=sum(each.rows < 2 * k for each in told),
        bits=math.fsum(least_bits(each, k) for each in told),
    )


def least_bits(label: LabelSplits, k: int) -> float:
    """The least information that a split which was not made tells of a class; 0 where it has more than `MAX_ROWS`."""
    if label.rows > MAX_ROWS:
        return 0.0
    shares = [share_failing(label.rows, each, k) for each in label.parts if len(each) > 1]
    return -math.log2(min(shares, default=1.0))


def share_failing(rows: int, parts: Sequence[int], k: int) -> float:
    """The probability that some part gets 1 to k - 1 of the rows, each going to a part by its number of values.

    With Poisson numbers in every part, of `rows` in all, it is that of so many in all with a failing part, given the
    sum; the probability without one is added up beside it. Raises ValueError where it is 0: a release by splits has no
    such class.
    """
    logarithms = np.array([math.lgamma(each + 1) for each in range(rows + 1)])
    counts = np.arange(rows + 1)
    fails = (counts > 0) & (counts < k)
    passing, failing = np.zeros(rows + 1), np.zeros(rows + 1)
    passing[0] = 1.0
    for part in parts:
        mean = rows * part / sum(parts)
        here: Reals = np.exp(counts * math.log(mean) - mean - logarithms)
        failing = (np.convolve(failing, here) + np.convolve(passing, np.where(fails, here, 0.0)))[: rows + 1]
        passing = np.convolve(passing, np.where(fails, 0.0, here))[: rows + 1]
    if rows < k or failing[rows] <= 0:
        raise ValueError("a class is released unsplit only where some part may have fewer rows than k")
    return float(failing[rows] / (failing[rows] + passing[rows]))
