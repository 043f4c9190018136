"""The least and the most persons of a group by the figures of a pool: integer programs over the classes around it.

Where every figure is in the programs, each solution is other data that agree with the pool, and is kept: groups that
are empty in some of these data, or have k persons or more, need no program of their own. Where several groups are left
together, one program looks for data in which they all have few persons: most of them are empty there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from ordermade.ledger.figures import OUTSIDE, REST, UNBOUNDED, KnownFigures, PersonPartition
from ordermade.ledger.swaps import JoinedClass
from ordermade.tables.cells import Marks, Whole, missing_scipy, scipy_sparse

_NEAR = 1e-6
"""How far a number of a program may be from a whole one."""
_MOST_BRANCHES = 500
"""The most nodes of an integer program: a bound that no machine's pace moves."""
_SOLVED = 0
"""The state of a program that came to its end, as scipy numbers them."""

_MOST_WIDENED = 2_000
"""The most classes, each once for every partition, whose overlapping classes are taken into a program, too."""
_CORNERS, _CORNERS_SEED, _CORNER_BRANCHES = 16, 44, 20
"""How many programs for several groups are solved at most, the seed of their costs, and the most nodes of each."""
_MOST_CORNER_CELLS = 20_000
"""The most cells of all these programs together."""
_MOST_KEPT = 1_000
"""The most solutions that are kept."""
_MOST_OVERLAPPING = 64
"""The most classes of one partition that are taken into a program for what one class overlaps with."""


@dataclass(frozen=True, slots=True)
class GroupBounds:
    """The least and the most persons of a group; `most` is None where nothing bounds it, or where it is not wanted.

    `is_whole`: every figure of the pool was in the program, so that both are numbers that the group may have.
    """

    least: int
    most: int | None
    is_whole: bool


class GroupPrograms:
    """Programs over a pool with each partition once; `solved` counts them, `local` the groups with some figures alone.

    A program of some of the figures says less than all of them, and nothing that is false. `most_cells`: the most
    combinations of codes in a program, those that its figures do not tell apart being one.
    """

    def __init__(self, pool: Sequence[KnownFigures], sizes: Sequence[int], most_cells: int = 3_000) -> None:
        self._pool, self._sizes, self._most_cells = pool, sizes, most_cells
        self._whole = self._everything()
        self._agreeing: Whole = np.zeros((0, 0 if self._whole is None else self._whole.size), dtype=np.int64)
        self._costs = np.random.default_rng(_CORNERS_SEED)
        self._corners = 0 if self._whole is None else min(_CORNERS, _MOST_CORNER_CELLS // self._whole.size)
        self.solved = self.local = 0

    @property
    def is_whole(self) -> bool:
        """Whether every figure is in each program, so that these decide."""
        return self._whole is not None

    @property
    def labels(self) -> Sequence[Whole]:
        """The class of every possible cell in each partition; none where not every figure is in each program."""
        return () if self._whole is None else self._whole.labels

    @property
    def agreeing(self) -> Whole:
        """The data over all possible cells, a row each, that were found so far to agree with every figure."""
        return self._agreeing

    def empty(self, groups: Sequence[Marks]) -> bool:
        """Looks for data in which groups of possible cells together have few persons; whether it found others.

        Each group has a weight that is drawn at random, so that it finds others when it is called again.
        """
        if self._whole is None or not self._corners:
            return False
        self._corners -= 1
        weights = 1.0 + self._costs.exponential(size=len(groups))
        before = len(self._agreeing)
        self._keep(self._whole, self._whole.solved(weights @ np.stack(groups), _CORNER_BRANCHES).x)
        return len(self._agreeing) > before

    def seen(self, group: JoinedClass) -> tuple[int, int] | None:
        """The least and the most persons of a group in the data that were found so far; None where there are none."""
        if self._whole is None or not len(self._agreeing):
            return None
        persons = self._agreeing[:, self._whole.members(group)].sum(axis=1)
        return int(persons.min()), int(persons.max())

    def continue_from(self, earlier: GroupPrograms) -> None:
        """Takes up the data of programs over the same figures."""
        self._agreeing, self._corners, self.local = earlier._agreeing, earlier._corners, earlier.local

    def bounds(self, group: JoinedClass, below: int | None = None) -> GroupBounds:
        """The bounds by all figures, or by those of the classes that overlap with the group and with each other.

        With `below` the most is looked for where the least is 1 or more, and less than that, alone.
        """
        if self._whole is not None:
            return self._solved(group, self._whole, below, is_whole=True)
        self.local += 1
        near = self._overlapping({place: {label} for place, label in group.classes.items()})
        is_wide = sum(map(len, near.values())) * len(self._pool) <= _MOST_WIDENED
        for chosen in (self._overlapping(near), near) if is_wide else (near,):
            system = self._system(chosen)
            if system is not None:
                return self._solved(group, system, below, is_whole=False)
        return GroupBounds(0, None, is_whole=False)

    def _everything(self) -> _System | None:
        """All cells with the classes of every partition; None where they are too many."""
        if math.prod(self._sizes) > self._most_cells:
            return None
        cells = np.array(list(product(*map(range, self._sizes))), dtype=np.int64).reshape(-1, len(self._sizes))
        labels = [each.partition.labels(cells) for each in self._pool]
        return self._with_bounds(labels, {place: set(np.unique(each).tolist()) for place, each in enumerate(labels)})

    def _overlapping(self, chosen: Mapping[int, set[int]]) -> dict[int, set[int]]:
        """These classes and, of each partition, those that have a possible cell in common with one of them."""
        found = {place: set(labels) for place, labels in chosen.items()}
        for place, labels in chosen.items():
            for label in labels:
                codes = self._pool[place].partition.codes_of(label)
                for other, each in enumerate(self._pool):
                    if not each.binds:
                        continue
                    near = _classes_within(each.partition, codes, _MOST_OVERLAPPING)
                    found.setdefault(other, set()).update(near)
        return found

    def _system(self, chosen: Mapping[int, set[int]]) -> _System | None:
        """The cells that these classes tell apart; None where they are too many."""
        of_axis = []
        for axis, size in enumerate(self._sizes):
            told_apart = [np.zeros(size, dtype=np.int64)]
            for place, labels in chosen.items():
                partition = self._pool[place].partition
                if axis in partition.classes and REST in labels:
                    told_apart.append(partition.classes[axis])
                elif axis in partition.classes:
                    told_apart.append(_only(partition.classes[axis], partition, axis, labels))
                told_apart += [each.truths for each in partition.compared.values() if each.axis == axis]
            _, first = np.unique(np.stack(told_apart, axis=1), axis=0, return_index=True)
            of_axis.append(np.sort(first))
        if math.prod(map(len, of_axis)) > self._most_cells:
            return None
        cells = np.array(list(product(*of_axis)), dtype=np.int64).reshape(-1, len(self._sizes))
        return self._with_bounds([each.partition.labels(cells) for each in self._pool], chosen)

    def _with_bounds(self, labels: Sequence[Whole], chosen: Mapping[int, set[int]]) -> _System:
        """The cells of these labels, with the figures of the chosen classes."""
        rows, least, most = [], list[int](), list[int]()
        for place, own in sorted(chosen.items()):
            known = np.array(sorted(own - {OUTSIDE}), dtype=np.int64)
            low, high = self._pool[place].bounds(known)
            for label, a, b in zip(known.tolist(), low.tolist(), high.tolist(), strict=True):
                if a > 0 or b < UNBOUNDED:
                    rows.append(labels[place] == label)
                    least.append(a)
                    most.append(b)
        matrix = np.array(rows, dtype=np.bool_).reshape(len(rows), len(labels[0]))
        return _System(labels, matrix, np.array(least, dtype=np.int64), np.array(most, dtype=np.int64))

    def _solved(self, group: JoinedClass, system: _System, below: int | None, *, is_whole: bool) -> GroupBounds:
        inside = system.members(group)
        lowest, is_least = self._optimum(inside, system, sign=1)
        least = max(0, lowest or 0)
        if below is not None and not 1 <= least < below:
            return GroupBounds(least, None, is_whole and is_least)
        highest, is_most = self._optimum(inside, system, sign=-1)
        return GroupBounds(least, highest, is_whole and is_least and is_most)

    def _optimum(self, inside: Marks, system: _System, *, sign: int) -> tuple[int | None, bool]:
        """The least (`sign` 1) or the most (-1) persons of the group, or a bound beyond it; None without a bound.

        And whether the program came to its end: a bound that it stopped at is no number that the group may have.
        """
        if sign < 0 and (inside & ~system.is_bounded).any():
            return None, True
        self.solved += 1
        found = system.solved(sign * inside.astype(np.float64), _MOST_BRANCHES)
        self._keep(system, found.x)
        is_ended = found.status == _SOLVED
        if found.x is None and found.mip_dual_bound is None:
            return None, is_ended
        bound = float(found.mip_dual_bound if found.mip_dual_bound is not None else found.fun)
        if not math.isfinite(bound):
            return None, is_ended
        return math.ceil(bound - _NEAR) if sign > 0 else math.floor(-bound + _NEAR), is_ended

    def _keep(self, system: _System, data: Any) -> None:
        """Keeps data that agree with all figures, which is looked at in whole numbers."""
        if system is not self._whole or data is None or len(self._agreeing) >= _MOST_KEPT:
            return
        persons = np.rint(np.minimum(data, UNBOUNDED // 2)).astype(np.int64)
        if system.agrees(persons):
            self._agreeing = np.vstack([self._agreeing, persons])


@dataclass(frozen=True, slots=True, eq=False)
class _System:
    """Cells by their class in each partition, and the figures that bind them: a row of cells and its bounds each."""

    labels: Sequence[Whole]
    matrix: Marks
    least: Whole
    most: Whole

    @property
    def size(self) -> int:
        """The number of cells."""
        return len(self.labels[0])

    @property
    def is_bounded(self) -> Marks:
        """The cells that a figure bounds from above."""
        bounded: Marks = np.asarray(self.matrix[self.most < UNBOUNDED].any(axis=0), dtype=np.bool_)
        return bounded

    def members(self, group: JoinedClass) -> Marks:
        """The cells of a group."""
        inside: Marks = np.ones(self.size, dtype=np.bool_)
        for place, label in group.classes.items():
            inside &= self.labels[place] == label
        return inside

    def agrees(self, persons: Whole) -> bool:
        """Whether data agree with every figure."""
        sums = self.matrix @ persons
        return bool((persons >= 0).all() and (sums >= self.least).all() and (sums <= self.most).all())

    def solved(self, costs: Any, branches: int) -> Any:
        """The solution of the program of these costs, as scipy returns it. Raises InputError without scipy."""
        try:
            from scipy.optimize import LinearConstraint, milp
        except ModuleNotFoundError:
            raise missing_scipy() from None
        matrix = scipy_sparse().csr_matrix(self.matrix, dtype=np.float64)
        most = np.where(self.most < UNBOUNDED, self.most, np.inf)
        return milp(
            costs,
            integrality=np.ones(self.size, dtype=np.int64),
            constraints=[LinearConstraint(matrix, self.least, most)] if len(self.least) else [],
            options={"node_limit": branches, "mip_rel_gap": 0.0},
        )


def _classes_within(partition: PersonPartition, codes: Mapping[int, Marks], most: int) -> Iterator[int]:
    """The classes with a cell whose codes are these on their axes; none where they are more than `most`."""
    by_axis = [
        np.unique(classes if axis not in codes else classes[codes[axis]]) for axis, classes in partition.classes.items()
    ]
    if math.prod(map(len, by_axis)) > most:
        return
    numbers = [int(each.max(initial=0)) + 1 for each in partition.classes.values()]
    for every in product(*(each.tolist() for each in by_axis)):
        label = 0
        for own, number in zip(every, numbers, strict=True):
            label = label * number + own
        yield label if partition.listed is None or label in partition.listed else REST


def _only(classes: Whole, partition: PersonPartition, axis: int, labels: set[int]) -> Whole:
    """The class of each code where one of these classes has it, else -1."""
    own = {int(classes[partition.codes_of(label)[axis]][0]) for label in labels if label != OUTSIDE}
    return np.where(np.isin(classes, sorted(own)), classes, -1)
