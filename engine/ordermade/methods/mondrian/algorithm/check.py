"""A requirement as arrays that compiled code reads, and scratch memory to count a class. All counts are whole numbers.

A model's parameters become numerators and denominators, its figures of the whole dataset become counts: products of
them are compared in 128 bits, so that a class exactly on a threshold is decided as the templates in `sql/` decide it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import log
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordermade.errors import InputError
from ordermade.methods.mondrian.algorithm.domains import Codes
from ordermade.privacy.decisions import ROUNDING

if TYPE_CHECKING:
    from ordermade.privacy.models import Model

Numbers = NDArray[np.int64]

ATTRIBUTE, KIND, L, NUMERATOR, DENOMINATOR, WHOLE, EXTENT, BRANCHES = range(8)
"""The columns of `Check.models`, a row a model. WHOLE: the units of the dataset; EXTENT: the divisor of a distance, the
steps from rank to rank or the levels; BRANCHES: the beginning of those of its hierarchy."""
DISTINCT, ENTROPY, RECURSIVE, ALPHA, EQUAL, ORDERED, HIERARCHICAL = range(7)
"""The kinds of models, one for each of the three distances of t-closeness."""
KERNELS = {
    "privacy/distinct_l": DISTINCT,
    "privacy/entropy_l": ENTROPY,
    "privacy/recursive_cl": RECURSIVE,
    "privacy/alpha_k": ALPHA,
    "privacy/t_closeness_equal": EQUAL,
    "privacy/t_closeness_ordered": ORDERED,
    "privacy/t_closeness_hierarchical": HIERARCHICAL,
}
"""The kind that decides as a template does, for every model that the registry says has a kernel."""
LARGEST_PRODUCT = 2**62
MAX_MARKED = 2**31 - 1


class Check(NamedTuple):
    """The requirement of classes of n records. The values of all attributes are numbered through, and so are pairs.

    `weights`: the rows that each record stands for; empty where it is one, or where persons are counted. `persons`: the
    person of each record; empty where records are counted. `values[row, attribute]`: its value, those of an attribute
    from `first_value[attribute]`; `pairs[row, attribute]`: its person with that value, numbered after the persons.
    `models`: a row a model, with the columns above. `entropies`: the least that each model passes. Of the whole
    dataset, a number a value: `counts` of its units, `up_to` (of all values up to it) and `before` (the sum of `up_to`
    of the values before it; with one more at the end of each attribute). `branches`: the branch of each value at each
    level, level after level; `branch_counts`: the units of each branch.
    """

    k: int
    weights: Numbers
    persons: Codes
    values: Codes
    pairs: Codes
    first_value: Numbers
    models: Numbers
    entropies: NDArray[np.float64]
    counts: Numbers
    up_to: Numbers
    before: Numbers
    branches: Numbers
    branch_counts: Numbers


class SplitScratch(NamedTuple):
    """Scratch memory of a thread to count one class at a time. All zero in between, but for `mark` and `seen`.

    `seen[person or pair]`: the `mark` of the last class it was counted in. `units`: one number, the size of the class.
    Of each attribute `totals` (the sum of its counts) and `found` (how many values it has there). `tally[value]`: the
    count; `present`: the values found, from `first_value` of the attribute. The rest is for one model at a time.
    """

    mark: Codes
    seen: Codes
    units: Numbers
    totals: Numbers
    found: Numbers
    tally: Numbers
    present: Numbers
    sorted: Numbers
    branch_tally: Numbers
    branch_present: Numbers


class Checking(NamedTuple):
    """The requirement, and the scratch memory to count one class at a time."""

    check: Check
    room: SplitScratch


@dataclass(frozen=True, slots=True)
class CheckedAttribute:
    """A sensitive attribute of which every value occurs. `held`: the identifier of a unit, None for its row.

    `counts`: the units of each value. `branches`: as `SensitiveCodes.ancestors`, of each model in turn.
    """

    codes: Codes
    held: Codes | None
    counts: Numbers
    models: tuple[Model, ...]
    branches: tuple[Codes | None, ...]


@dataclass(slots=True)
class Branches:
    """The branches of all hierarchies so far, numbered through."""

    of_values: list[Numbers] = field(default_factory=list)
    counts: list[Numbers] = field(default_factory=list)
    begin: int = 0
    numbered: int = 0

    def add(self, ancestors: Codes, counts: Numbers) -> int:
        """Add a hierarchy, levels x values; return where its branches begin."""
        begin = self.begin
        for level in ancestors:
            different, branch = np.unique(level, return_inverse=True)
            self.of_values.append(branch.reshape(-1) + self.numbered)
            self.counts.append(np.bincount(branch.reshape(-1), weights=counts).astype(np.int64))
            self.numbered += different.size
            self.begin += level.size
        return begin


def check_of(requirement: SplitRequirement, n: int) -> Check:
    """The requirement of n records, as arrays.

    Raises InputError where there are so many records and values that a model's products do not fit into 64 bits.
    """
    attributes = [_attribute(each, requirement) for each in requirement.sensitive if each.models]
    first_value = np.cumsum([0, *(each.counts.size for each in attributes)], dtype=np.int64)
    branches = Branches()
    models = [
        _row(number, model, ancestors, attribute.counts, branches)
        for number, attribute in enumerate(attributes)
        for model, ancestors in zip(attribute.models, attribute.branches, strict=True)
    ]
    persons = np.empty(0, dtype=np.int32) if requirement.persons is None else requirement.persons
    weights = requirement.weights if requirement.persons is None else None
    required = [model for attribute in attributes for model in attribute.models]
    counts = [attribute.counts for attribute in attributes]
    up_to = [np.cumsum(each) for each in counts]
    return Check(
        k=requirement.k,
        weights=_joined([] if weights is None else [weights]),
        persons=_contiguous(persons),
        values=_numbered_through([each.codes for each in attributes], first_value, n),
        pairs=_numbered_pairs(persons, [each.held for each in attributes if each.held is not None]),
        first_value=first_value,
        models=np.array(models, dtype=np.int64).reshape(-1, 8),
        entropies=np.array([_least_entropy(model) for model in required], dtype=np.float64),
        counts=_joined(counts),
        up_to=_joined(up_to),
        before=_joined([np.concatenate(([0], np.cumsum(each))) for each in up_to]),
        branches=_joined(branches.of_values),
        branch_counts=_joined(branches.counts),
    )


def room_of(check: Check) -> SplitScratch:
    """Scratch memory to count a class: 4 bytes a person and a person with a value, 24 a value, 16 a branch."""
    last = check.pairs if check.pairs.size else check.persons
    attributes, values = check.first_value.size - 1, int(check.first_value[-1])

    def zeros(size: int) -> Numbers:
        return np.zeros(size, dtype=np.int64)

    return SplitScratch(
        mark=np.zeros(1, dtype=np.int32),
        seen=np.zeros(int(last.max()) + 1 if last.size else 0, dtype=np.int32),
        units=zeros(1),
        totals=zeros(attributes),
        found=zeros(attributes),
        tally=zeros(values),
        present=zeros(values),
        sorted=zeros(int(np.diff(check.first_value).max(initial=0))),
        branch_tally=zeros(check.branch_counts.size),
        branch_present=zeros(check.branch_counts.size),
    )


def _attribute(sensitive: SensitiveCodes, requirement: SplitRequirement) -> CheckedAttribute:
    """The attribute with its values numbered anew where some do not occur: they have no rank among those that do."""
    codes, held, persons = sensitive.codes, None, requirement.persons
    counts = counted(codes, sensitive.values, requirement.weights)
    if persons is not None:
        held = sensitive.pairs if sensitive.pairs is not None else _pairs(persons, codes, sensitive.values)
        value_of = np.zeros(int(held.max()) + 1, dtype=np.int64)
        value_of[held] = codes
        counts = np.bincount(value_of, minlength=sensitive.values)
    occur = counts > 0
    if not occur.all():
        codes = (np.cumsum(occur) - 1).astype(np.int32)[codes]
    branches = [
        sensitive.ancestors[each.identity][:, occur] if each.named_hierarchy is not None else None
        for each in sensitive.models
    ]
    return CheckedAttribute(codes, held, counts[occur].astype(np.int64), sensitive.models, tuple(branches))


def counted(codes: NDArray[np.integer[Any]], values: int, weights: Numbers | None) -> Numbers:
    """The rows of each code below `values`. `weights`: the rows of each record, one without them."""
    if weights is None:
        return np.bincount(codes, minlength=values)
    found = np.zeros(values, dtype=np.int64)  # bincount adds weights up as floats
    np.add.at(found, codes, weights)
    return found


def _row(number: int, model: Model, ancestors: Codes | None, counts: Numbers, branches: Branches) -> list[int]:
    """The row of `Check.models` of a model of the attribute `number`."""
    whole = int(counts.sum())
    known = model.parameters
    kind = KERNELS[model.template]
    extent = counts.size - 1 if kind == ORDERED else 1
    begin = 0
    if ancestors is not None:
        begin, extent = branches.add(ancestors, counts), len(ancestors)
    if model.definition.needs_dataset and (extent + 1) * whole**2 > LARGEST_PRODUCT:
        raise InputError(
            f"{model.name} cannot be decided exactly of {whole:,} records with so many different values",
            next_step="Ask it with distance: equal, or of fewer records.",
        )
    return [
        number,
        kind,
        known.get("l", 0),
        known.get("numerator", 0),
        known.get("denominator", 1),
        whole,
        extent,
        begin,
    ]


def _least_entropy(model: Model) -> float:
    known = model.parameters
    return log(known["numerator"] / known["denominator"]) - ROUNDING if KERNELS[model.template] == ENTROPY else 0.0


def _pairs(persons: Codes, codes: Codes, values: int) -> Codes:
    """The number of each record's person with its value."""
    of_person_and_value: NDArray[np.int64] = persons.astype(np.int64) * values + codes
    _, number = np.unique(of_person_and_value, return_inverse=True)
    numbers: Codes = number.reshape(-1).astype(np.int32)
    return numbers


def _numbered_through(columns: Sequence[Codes], first: Numbers, n: int) -> Codes:
    """Columns side by side, each numbered from where `first` says."""
    if len(columns) == 1 and first[0] == 0:
        return _contiguous(columns[0]).reshape(-1, 1)
    table = np.empty((n, len(columns)), dtype=np.int32)
    for column, (codes, begin) in enumerate(zip(columns, first, strict=False)):
        np.add(codes, begin, out=table[:, column], casting="same_kind")
    return table


def _numbered_pairs(persons: Codes, held: Sequence[Codes]) -> Codes:
    sizes = [int(each.max()) + 1 for each in (persons, *held) if each.size]
    if sum(sizes) > MAX_MARKED:
        raise InputError(
            "there are more persons and values of theirs than can be numbered",
            next_step="Ask for fewer records, or fewer sensitive attributes.",
        )
    return _numbered_through(held, np.cumsum(sizes, dtype=np.int64), persons.size)


def _contiguous(codes: Codes) -> Codes:
    return np.require(codes, np.int32, ["C", "W"])


def _joined(parts: Sequence[Numbers]) -> Numbers:
    return np.concatenate([np.empty(0, dtype=np.int64), *parts]).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class SensitiveCodes:
    """A sensitive attribute: of each record the number of its value, from 0, in the order of the values, NULL last.

    `values`: how many there are. `pairs`, where persons are counted: the number of each record's person with its value,
    from 0. `ancestors`: for each model that goes by a hierarchy (by its identity) the number of every value's class at
    each level below `*`, levels x values. `column`: its name in messages about models.
    """

    codes: Codes
    values: int
    models: tuple[Model, ...]
    pairs: Codes | None = None
    ancestors: Mapping[tuple[str, ...], Codes] = field(default_factory=dict)
    column: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class SplitRequirement:
    """At least k rows in every class, or k persons where `persons` has the number of each record's, from 0.

    And every model of every sensitive attribute; of persons, each counts once for every value it has. `weights`: the
    rows that each record stands for; None where a record is a row.
    """

    k: int
    persons: Codes | None = None
    sensitive: tuple[SensitiveCodes, ...] = ()
    weights: Numbers | None = None

    def rows(self, records: int) -> int:
        """The rows that so many records, which are all, stand for."""
        return records if self.weights is None else int(self.weights.sum())

    @property
    def only_rows(self) -> bool:
        """Whether a class passes by its number of rows alone."""
        return self.persons is None and not any(each.models for each in self.sensitive)
