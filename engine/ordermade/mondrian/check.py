"""A requirement as arrays that compiled code reads, and the room it counts a class in. All numbers are whole.

A model's parameters become numerators and denominators, what it needs of the whole dataset becomes counts: products of
them are compared in 128 bits, so that a class exactly on a threshold is decided as the templates in `sql/` decide it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordermade.errors import InputError
from ordermade.mondrian.domains import Codes
from ordermade.privacy.models import AlphaK, DistinctL, EntropyL, Model, RecursiveCL, TCloseness

if TYPE_CHECKING:
    from ordermade.mondrian.requirement import Requirement, SensitiveCodes

Numbers = NDArray[np.int64]

ATTRIBUTE, KIND, L, NUMERATOR, DENOMINATOR, WHOLE, EXTENT, BRANCHES = range(8)
"""What is known of a model, the columns of `Check.models`."""
DISTINCT, ENTROPY, RECURSIVE, ALPHA, EQUAL, ORDERED, HIERARCHICAL = range(7)
"""The kinds of models, the three distances of t-closeness told apart."""
ROUNDING = 5e-10
"""Nats by which an entropy may be below its threshold: less than its template's 1e-9, so that what passes here by a
rounding does so there, and more than the rounding of the logarithms, so that a class on the threshold passes."""
LARGEST_PRODUCT = 2**62


class Check(NamedTuple):
    """What is required, of n records. Attributes and their values are numbered through: `first_value` tells from where.

    `persons`: the person of each record, nothing where records are counted. `values[row, attribute]`: its value;
    `pairs[row, attribute]`: its person with that value, numbered after the persons, from `first_pair`. `models`: a row
    a model, columns as above. `entropies`: the least that passes, of each model. Of the whole dataset, by value:
    `counts` of its units, `up_to` (all up to the value, it included) and `before` (the sum of `up_to` of the values
    before; one more at the end of each attribute). `branches`: the branch of each value at each level, all levels of a
    hierarchy after another, from `models[:, BRANCHES]`; `branch_counts`: the units of each branch.
    """

    k: int
    persons: Codes
    values: Codes
    pairs: Codes
    first_value: Numbers
    first_pair: Numbers
    models: Numbers
    entropies: NDArray[np.float64]
    counts: Numbers
    up_to: Numbers
    before: Numbers
    branches: Numbers
    branch_counts: Numbers


class Room(NamedTuple):
    """Where one class at a time is counted: one a thread. All zero in between, but for `mark` and `seen`.

    `seen[person or pair]`: the `mark` of the last class it was counted in. `units`: one number, the class's size. Of
    each attribute `totals` (its values' counts in sum) and `found` (how many values there are). `tally[value]`: the
    count; `present`: the values found, from `first_value` of the attribute. The rest is for one model at a time.
    """

    mark: NDArray[np.int32]
    seen: NDArray[np.int32]
    units: Numbers
    totals: Numbers
    found: Numbers
    tally: Numbers
    present: Numbers
    sorted: Numbers
    branch_tally: Numbers
    branch_present: Numbers


def check_of(requirement: Requirement, n: int) -> Check:
    """The requirement of n records, as arrays.

    Raises InputError where there are so many records and values that a model's products do not fit into 64 bits.
    """
    raise NotImplementedError


def room_of(check: Check) -> Room:
    """Room to count a class in: 4 bytes a person and a person with a value, 24 a value."""
    raise NotImplementedError
