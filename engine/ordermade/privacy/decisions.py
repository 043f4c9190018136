"""Models decided in memory, of many classes at once: exactly as their templates in `sql/privacy.sql` decide them.

Counts decide in whole numbers: of 64 bits where every product fits, else as large as they get. Where persons are
counted, each counts once for every value that it has, and the sizes of classes are of persons.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import log
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ordermade.privacy.models import Model

Integers: TypeAlias = npt.NDArray[np.int64]
Mask: TypeAlias = npt.NDArray[np.bool_]
Exact: TypeAlias = npt.NDArray[Any]
"""Whole numbers: of 64 bits, or Python's own where these are too few."""

ROUNDING = 5e-10
"""Nats by which an entropy may be below its threshold: less than its template's 1e-9, so that what passes here passes
there, however the logarithms are rounded; more than that rounding, so that a class on the threshold passes."""
LARGEST_PRODUCT = 2**62
SPARSE = 4
"""So many possible codes for each that is counted are counted in a table; of more, the codes are sorted."""


@dataclass(frozen=True, slots=True)
class ClassValues:
    """The units of some classes that have each value of a sensitive attribute.

    One place of `values` and `units` is one value that occurs in one class, with the rows or persons that have it. They
    stand class by class, each from its `starts` on, and there by value. `sizes`: the persons of each class; None where
    rows are counted.
    """

    starts: Integers
    values: Integers
    units: Integers
    sizes: Integers | None = None

    @property
    def found(self) -> Integers:
        """The number of values in each class."""
        return np.diff(self.starts, append=len(self.values))

    @property
    def classes(self) -> Integers:
        """The class of each place."""
        return np.repeat(np.arange(len(self.starts)), self.found)

    @property
    def totals(self) -> Integers:
        """The units of each class, each as often as it has values."""
        return np.add.reduceat(self.units, self.starts)


@dataclass(frozen=True, slots=True)
class DatasetValues:
    """The units of the whole dataset with each value, suppressed ones too: values are numbered in their order.

    Every value occurs. `branches`, for each model that goes by a hierarchy (by its identity): the number of the branch
    of every value at each level below `*`, levels x values.
    """

    units: Integers
    branches: Mapping[tuple[str, ...], Integers] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """The units, each as often as it has values."""
        return int(self.units.sum())


def passing(model: Model, classes: ClassValues, dataset: DatasetValues) -> Mask:
    """Whether each of the classes, of which there is one at least, satisfies the model."""
    return DECIDERS[model.template](model, classes, dataset)


def added_up(codes: Integers, units: Integers, possible: int) -> tuple[Integers, Integers]:
    """The different codes, ascending, with the sum of the units of each; codes are below `possible`."""
    if possible <= SPARSE * len(codes):
        sums = np.bincount(codes, weights=units, minlength=possible)
        found = np.flatnonzero(sums)
        return found, sums[found].astype(np.int64)
    order = np.argsort(codes, kind="stable")
    codes = codes[order]
    starts = starts_of(codes)
    return codes[starts], np.add.reduceat(units[order], starts) if len(codes) else units


def starts_of(codes: Integers) -> Integers:
    """The places at which another code begins than the one before; codes are in order."""
    return np.flatnonzero(np.concatenate((np.ones(min(1, len(codes)), dtype=np.bool_), codes[1:] != codes[:-1])))


def _distinct_l(model: Model, classes: ClassValues, _: DatasetValues) -> Mask:
    return classes.found >= model.parameters["l"]


def _entropy_l(model: Model, classes: ClassValues, _: DatasetValues) -> Mask:
    known = model.parameters
    units, totals = classes.units.astype(np.float64), classes.totals.astype(np.float64)
    entropy = np.log(totals) - np.add.reduceat(units * np.log(units), classes.starts) / totals
    found: Mask = entropy >= log(known["numerator"] / known["denominator"]) - ROUNDING
    return found


def _recursive_cl(model: Model, classes: ClassValues, _: DatasetValues) -> Mask:
    known, starts = model.parameters, classes.starts
    width = int(classes.units.max()) + 1
    commonest_first = np.sort(classes.classes * width + (width - 1 - classes.units))
    units = width - 1 - commonest_first % width
    places = np.arange(len(units)) - np.repeat(starts, classes.found)
    others = np.add.reduceat(np.where(places >= known["l"] - 1, units, 0), starts)
    return ~_at_most(others, known["numerator"], units[starts], known["denominator"])


def _alpha_k(model: Model, classes: ClassValues, _: DatasetValues) -> Mask:
    commonest = np.maximum.reduceat(classes.units, classes.starts)
    sizes = classes.totals if classes.sizes is None else classes.sizes
    return _at_most(commonest, model.parameters["denominator"], sizes, model.parameters["numerator"])


def _t_closeness_equal(model: Model, classes: ClassValues, dataset: DatasetValues) -> Mask:
    moved = _moved(classes.starts, classes.classes, classes.units, dataset.units[classes.values], classes, dataset)
    return _close(model, moved, 1, classes, dataset)


def _t_closeness_hierarchical(model: Model, classes: ClassValues, dataset: DatasetValues) -> Mask:
    levels = dataset.branches[model.identity]
    moved = np.zeros(len(classes.starts), dtype=_exact(dataset, len(levels)))
    for branch_of in levels:
        branches = int(branch_of.max()) + 1
        in_dataset = np.zeros(branches, dtype=np.int64)
        np.add.at(in_dataset, branch_of, dataset.units)
        codes = classes.classes * branches + branch_of[classes.values]
        codes, units = added_up(codes, classes.units, len(classes.starts) * branches)
        in_class, branch = np.divmod(codes, branches)
        moved = moved + _moved(starts_of(in_class), in_class, units, in_dataset[branch], classes, dataset)
    return _close(model, moved, len(levels), classes, dataset)


def _t_closeness_ordered(model: Model, classes: ClassValues, dataset: DatasetValues) -> Mask:
    """Between two values of a class its share stays and the dataset's rises: they cross at one rank, `place`."""
    ranks, whole, starts = len(dataset.units), dataset.total, classes.starts
    kind = _exact(dataset, ranks)
    up_to_rank = np.cumsum(dataset.units)
    before = np.concatenate(([0], np.cumsum(up_to_rank.astype(kind))))
    totals = classes.totals.astype(kind)
    sizes = totals[classes.classes]
    running = np.cumsum(classes.units)
    up_to = (running - np.repeat(running[starts] - classes.units[starts], classes.found)).astype(kind)
    start, until = classes.values, np.append(classes.values[1:], ranks)
    until[starts[1:] - 1] = ranks
    crossing = -((-up_to * whole) // sizes)
    place = np.clip(np.searchsorted(up_to_rank, crossing.astype(np.int64)), start, until)
    apart = up_to * whole * (2 * place - start - until) + sizes * (before[start] + before[until] - 2 * before[place])
    moved = np.add.reduceat(apart, starts) + before[start[starts]] * totals
    return _close(model, moved, ranks - 1, classes, dataset)


Decider: TypeAlias = "Callable[[Model, ClassValues, DatasetValues], Mask]"

DECIDERS: Mapping[str, Decider] = {
    "privacy/distinct_l": _distinct_l,
    "privacy/entropy_l": _entropy_l,
    "privacy/recursive_cl": _recursive_cl,
    "privacy/alpha_k": _alpha_k,
    "privacy/t_closeness_equal": _t_closeness_equal,
    "privacy/t_closeness_ordered": _t_closeness_ordered,
    "privacy/t_closeness_hierarchical": _t_closeness_hierarchical,
}
"""What decides as a template does, for the template of every model."""


def _moved(
    starts: Integers,
    in_class: Integers,
    units: Integers,
    in_dataset: Integers,
    classes: ClassValues,
    dataset: DatasetValues,
) -> Exact:
    """The share of each class that would have to change its value, or its branch, times both sizes."""
    kind, whole = _exact(dataset, 1), dataset.total
    more = units.astype(kind) * whole - in_dataset.astype(kind) * classes.totals[in_class]
    found: Exact = np.add.reduceat(np.maximum(more, 0), starts)
    return found


def _close(model: Model, moved: Exact, extent: int, classes: ClassValues, dataset: DatasetValues) -> Mask:
    """Whether a distance, times both sizes and its extent, is at most t."""
    known = model.parameters
    return _at_most(moved, known["denominator"], classes.totals, known["numerator"] * extent * dataset.total)


def _exact(dataset: DatasetValues, extent: int) -> Any:
    """The type that holds sums of products of two sizes over so many ranks or levels."""
    return np.int64 if 4 * (extent + 1) * dataset.total**2 <= LARGEST_PRODUCT else object


def _at_most(one: Exact, times: int, other: Exact, other_times: int) -> Mask:
    """Whether each one x times <= other x other_times, exactly; none is negative."""
    largest = max(times, other_times, int(one.max()) * times, int(other.max()) * other_times)
    kind: Any = np.int64 if largest <= LARGEST_PRODUCT else object
    found: Mask = (one.astype(kind) * times <= other.astype(kind) * other_times).astype(np.bool_)
    return found
