"""The choice among the splits of a group: the one with the greatest score that leaves every child valid.

A score looks at the group (`Widest`), at its children (`Precise`, `Gain`), or also at all other groups (`Guided`).
Scores are compared to 12 decimals, so that equal ones tie in whatever order they were added up. Ties go to the first
attribute.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ordermade.mondrian.domains import Codes
from ordermade.mondrian.guide import Guide

DECIMALS = 12
"""The decimals to which scores are compared."""


@dataclass(frozen=True, slots=True)
class Widest:
    """The split by the attribute of which the group covers the greatest share (LeFevre et al. 2006)."""


@dataclass(frozen=True, slots=True)
class Precise:
    """The split that gains most precision: the share that the group covers, less that of its records' children.

    That of the children is a mean over the records. A class of a hierarchy covers level / height here, so that to go a
    level down gains 1 / height.
    """


@dataclass(frozen=True, slots=True, eq=False)
class Guided:
    """The split whose children separate the rules best: tf-idf, groups being documents and rules being terms.

    The score of a split is the mean, over its children c, of the sum over the rules r of weight_r x tf(r, c) x idf(r).
    With m(r, g) = 1 where a group's class meets the rule on every attribute, else 0: tf(r, c) = m(r, c) / sum over s of
    m(s, c), idf(r) = ln(N / sum over all g of m(r, g)), both 0 where that is 0 / 0 or N / 0. N groups are there after
    the split: its children, the open groups and the finished ones. So a group's best split depends on the others.
    """

    guide: Guide


@dataclass(frozen=True, slots=True, eq=False)
class Gain:
    """The split of the greatest information gain on a target, in nats (LeFevre et al., KDD 2006, InfoGain Mondrian).

    `target`: the number of each record's value, below `values`. Ordered attributes are cut where that gains most.
    """

    target: Codes
    values: int


Choice: TypeAlias = Widest | Precise | Guided | Gain
