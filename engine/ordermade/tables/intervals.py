"""What follows for suppressed cells from the published ones: the least and the most that each can be.

Each sum of a table narrows its cells (`_propagated`); a linear program a bound gives the rest. Every solution of a
program is a table, and widens what is known to be possible of all cells at once, so that a bound that one of them
reaches needs no program of its own. Programs leave out that cells are whole numbers, so an interval is never narrower
than the truth. HiGHS runs in one thread, with no limit of time: equal tables give equal intervals.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, hstack, identity
from scipy.sparse.csgraph import connected_components

from ordermade.errors import InputError
from ordermade.tables.cells import Relation, matrix_of

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

MAX_ROUNDS = 200
"""The most rounds in which sums narrow cells: each takes one look at every sum."""
_OPTIMAL, _INFEASIBLE, _UNBOUNDED = 0, 2, 3


@dataclass(frozen=True, slots=True)
class CellInterval:
    """The least and the most that a cell can be; `most` is None where nothing bounds it."""

    least: int
    most: int | None

    @property
    def width(self) -> int | None:
        """The most less the least; None without a most."""
        return None if self.most is None else self.most - self.least


@dataclass(frozen=True, slots=True)
class AuditedCells:
    """The intervals of cells, by number.

    `unfinished`: those that were not audited, as the programs ran out: their interval follows from one sum after the
    other, and may be wider than what all sums together allow. `programs`: how many were solved.
    """

    intervals: Mapping[int, CellInterval]
    unfinished: frozenset[int]
    programs: int


def intervals(
    relations: Sequence[Relation],
    values: npt.NDArray[np.int64],
    suppressed: Sequence[int],
    lower: npt.NDArray[np.int64],
    fixed: Collection[int] = (),
) -> dict[int, CellInterval]:
    """The interval of each suppressed cell over all tables that add up, with the published values, none below `lower`.

    `fixed`: suppressed cells whose value the reader knows. Raises InputError where no table agrees.
    """
    return dict(audited(relations, values, suppressed, lower, fixed=fixed).intervals)


def audited(
    relations: Sequence[Relation],
    values: npt.NDArray[np.int64],
    suppressed: Sequence[int],
    lower: npt.NDArray[np.int64],
    *,
    fixed: Collection[int] = (),
    unpublished: Collection[int] = (),
    most_programs: int | None = None,
) -> AuditedCells:
    """As `intervals`, beside cells that are in no table (`unpublished`), by at most so many programs (None: any).

    Raises InputError where no table agrees.
    """
    least, most = _first_bounds(values, [*suppressed, *unpublished], lower)
    known = np.array(sorted(fixed), dtype=np.intp)
    least[known] = most[known] = values[known]
    matrix = matrix_of(relations, len(values))
    _propagated(matrix, least, most)
    if np.any(least > most):
        raise _no_table()
    search = _Search(matrix, least, most, np.array(suppressed, dtype=np.intp), most_programs)
    search.run()
    found = {
        cell: CellInterval(int(search.least[cell]), None if math.isinf(search.most[cell]) else int(search.most[cell]))
        for cell in suppressed
    }
    return AuditedCells(found, frozenset(search.unfinished), search.programs)


def contradictions(
    relations: Sequence[Relation],
    values: npt.NDArray[np.int64],
    unknown: Sequence[int],
    lower: npt.NDArray[np.int64],
) -> tuple[int, ...]:
    """The numbers of sums that cannot hold, in order; without them some table agrees with the published values.

    First the sums that cannot hold by themselves; of the others, those that a table with the least deviations in all
    breaks: where several together are wrong, these are the ones that explain it with the least change.
    """
    least, most = _first_bounds(values, unknown, lower)
    matrix = matrix_of(relations, len(values))
    low, high = _activities(matrix, least, most)
    wrong = (low > 0) | (high < 0)
    rows = np.flatnonzero(~wrong)
    if not len(rows):
        return tuple(np.flatnonzero(wrong).tolist())
    narrowed_least, narrowed_most = least.copy(), most.copy()
    free = np.flatnonzero(least < most)
    _propagated(matrix[rows], narrowed_least, narrowed_most)
    if np.any(narrowed_least > narrowed_most) or not _feasible(matrix[rows], narrowed_least, narrowed_most):
        sums = matrix[rows]
        constant = -(sums @ np.where(least < most, 0.0, least))
        each = identity(len(rows), format="csr")
        slacks = np.zeros(2 * len(rows))
        found = _solved(
            np.concatenate([np.zeros(len(free)), slacks + 1]),
            csr_matrix(hstack([sums[:, free], each, -each])),
            constant,
            np.concatenate([least[free], slacks]),
            np.concatenate([most[free], slacks + np.inf]),
        )
        if found.status != _OPTIMAL:
            raise InputError("the sums of the tables cannot be checked", next_step="Judge fewer tables at a time.")
        slack = found.x[len(free) :]
        wrong[rows[(slack[: len(rows)] + slack[len(rows) :]) > _tolerance(constant)]] = True
    return tuple(np.flatnonzero(wrong).tolist())


def _no_table() -> InputError:
    return InputError(
        "no table agrees with the published cells: they do not add up",
        next_step="Correct the cells, or judge the tables one by one.",
    )


def _first_bounds(
    values: npt.NDArray[np.int64], unknown: Sequence[int], lower: npt.NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """The bounds of each cell before any sum: a published one is its value, an unknown one at least `lower`."""
    least, most = values.astype(np.float64), values.astype(np.float64)
    places = np.array(unknown, dtype=np.intp)
    least[places], most[places] = lower[places], np.inf
    return least, most


def _tolerance(numbers: Floats) -> float:
    """By how much a program may err: what it gives within this of a whole number is that number."""
    largest = float(np.abs(numbers).max()) if len(numbers) else 0.0
    return min(0.25, 1e-5 + 1e-9 * largest)


def _activities(matrix: csr_matrix, least: Floats, most: Floats) -> tuple[Floats, Floats]:
    """Of each row the least and the most of its sum."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    plus = matrix.data > 0
    low = np.where(plus, least[matrix.indices], -most[matrix.indices])
    high = np.where(plus, most[matrix.indices], -least[matrix.indices])
    count = matrix.shape[0]
    return np.bincount(rows, low, count).astype(np.float64), np.bincount(rows, high, count).astype(np.float64)


def _propagated(matrix: csr_matrix, least: Floats, most: Floats) -> None:
    """Narrow the bounds by each sum in turn, in place, until nothing changes, two cross, or MAX_ROUNDS are over."""
    count = matrix.shape[0]
    rows = np.repeat(np.arange(count), np.diff(matrix.indptr))
    cells, plus = matrix.indices, matrix.data > 0
    for _ in range(MAX_ROUNDS):
        low = np.where(plus, least[cells], -most[cells])
        high = np.where(plus, most[cells], -least[cells])
        # The others of a sum: what is not bounded is counted apart, as infinity less infinity is no number.
        others_low, others_high = _others(rows, low, count), _others(rows, high, count)
        new_least = np.where(plus, -others_high, others_low)
        new_most = np.where(plus, -others_low, others_high)
        before = least.copy(), most.copy()
        np.maximum.at(least, cells, new_least)
        np.minimum.at(most, cells, new_most)
        if np.any(least > most) or (np.array_equal(before[0], least) and np.array_equal(before[1], most)):
            return


def _others(rows: Places, terms: Floats, count: int) -> Floats:
    """Of each term the sum of the other ones of its row."""
    endless = np.isinf(terms)
    finite = np.where(endless, 0.0, terms)
    infinity = float(terms[endless][0]) if endless.any() else 0.0
    sums = np.bincount(rows, finite, count)[rows] - finite
    others_endless = np.bincount(rows, endless, count)[rows] - endless > 0
    return np.where(others_endless, infinity, sums)


def _feasible(matrix: csr_matrix, least: Floats, most: Floats) -> bool:
    """Whether the sums can hold with values between these bounds."""
    free = np.flatnonzero(least < most)
    constant = -(matrix @ np.where(least < most, 0.0, least))
    if not len(free):
        return not np.any(constant)
    found = _solved(np.zeros(len(free)), matrix[:, free], constant, least[free], most[free])
    return bool(found.status == _OPTIMAL)


def _solved(objective: Floats, matrix: csr_matrix, constant: Floats, least: Floats, most: Floats) -> Any:
    """The table between these bounds, adding up, with the least objective: HiGHS' dual simplex, in one thread."""
    program: Any = linprog  # its types refuse sparse matrices
    return program(objective, A_eq=matrix, b_eq=constant, bounds=np.column_stack([least, most]), method="highs-ds")


class _Search:
    """The bounds of the suppressed cells, one connected part of the table after the other.

    `least` and `most`: bounds that hold for sure; those of a cell are final unless it is among `unfinished`.
    """

    def __init__(
        self, matrix: csr_matrix, least: Floats, most: Floats, suppressed: Places, most_programs: int | None
    ) -> None:
        self.least, self.most = least, most
        self.programs = 0
        self.unfinished: set[int] = set()
        self._limit = most_programs
        self._suppressed = np.zeros(len(least), dtype=np.bool_)
        self._suppressed[suppressed] = True
        self._free = np.flatnonzero(least < most)
        self._constant = -(matrix @ np.where(least < most, 0.0, least))
        self._matrix = matrix[:, self._free]

    def run(self) -> None:
        """Find the bounds. Raises InputError where no table agrees."""
        count = self._matrix.shape[0]
        per_row = np.diff(self._matrix.indptr)
        if np.any(self._constant[per_row == 0]):
            raise _no_table()
        joined = abs(self._matrix)
        graph = csr_matrix(
            (
                joined.data,
                joined.indices + count,
                np.concatenate([joined.indptr, np.full(len(self._free), joined.nnz)]),
            ),
            shape=(count + len(self._free),) * 2,
        )
        _, parts = connected_components(graph, directed=False)
        of_rows, of_cells = parts[:count], parts[count:]
        for part in np.unique(of_cells[self._suppressed[self._free]]).tolist():
            rows, cells = np.flatnonzero(of_rows == part), np.flatnonzero(of_cells == part)
            _Part(self, self._matrix[rows][:, cells], self._constant[rows], self._free[cells]).run()

    def is_reported(self, cells: Places) -> npt.NDArray[np.bool_]:
        """Which of these cells are suppressed ones, whose bounds are sought."""
        return self._suppressed[cells]

    def may_go_on(self) -> bool:
        """Whether one more program may be solved."""
        return self._limit is None or self.programs < self._limit


class _Part:
    """A connected part of a table: its sums as a matrix over its cells, and the right sides."""

    def __init__(self, search: _Search, matrix: csr_matrix, constant: Floats, cells: Places) -> None:
        self._search, self._matrix, self._constant, self._cells = search, matrix, constant, cells
        self._least, self._most = search.least[cells], search.most[cells]
        self._reported = search.is_reported(cells)
        self._tolerance = _tolerance(np.concatenate([constant, search.least[cells]]))
        self._lowest = np.full(len(cells), np.inf)
        self._highest = np.full(len(cells), -np.inf)

    def run(self) -> None:
        """Find the bounds of all its suppressed cells, first many by one program, then what is left one by one."""
        if self._matrix.shape[0] == 0:
            return  # a cell of no sum: nothing narrows it
        sides = {1.0: self._low_left, -1.0: self._high_left}
        before = dict.fromkeys(sides, -1)
        while sides:
            for sign, left in list(sides.items()):
                still = left()
                number = int(still.sum())
                if not number or number == before[sign] or not self._search.may_go_on():
                    del sides[sign]  # all are reached, or one program for all of them reaches no more
                    continue
                before[sign] = number
                self._solve(sign * still.astype(np.float64))
        for place in np.flatnonzero(self._reported).tolist():
            self._settle(place, is_least=True)
            self._settle(place, is_least=False)

    def _low_left(self) -> npt.NDArray[np.bool_]:
        """Which suppressed cells have no solution yet that reaches their least."""
        reached = np.ceil(self._lowest - self._tolerance) <= self._search.least[self._cells]
        return self._reported & ~reached

    def _high_left(self) -> npt.NDArray[np.bool_]:
        """Which suppressed cells with a most have no solution yet that reaches it."""
        most = self._search.most[self._cells]
        return self._reported & np.isfinite(most) & ~(np.floor(self._highest + self._tolerance) >= most)

    def _settle(self, place: int, *, is_least: bool) -> None:
        """Find one bound of a cell, unless a solution reached it."""
        cell = int(self._cells[place])
        if is_least:
            reached = not self._low_left()[place]
        else:
            reached = math.isfinite(self._search.most[cell]) and not self._high_left()[place]
        if reached:
            return
        if not self._search.may_go_on():
            self._search.unfinished.add(cell)
            return
        objective = np.zeros(len(self._cells))
        objective[place] = 1.0 if is_least else -1.0
        best = self._solve(objective)
        if best is None:
            self._search.unfinished.add(cell)
        elif is_least:
            self._search.least[cell] = max(self._search.least[cell], math.ceil(best - self._tolerance))
        elif math.isfinite(best):
            self._search.most[cell] = min(self._search.most[cell], math.floor(-best + self._tolerance))

    def _solve(self, objective: Floats) -> float | None:
        """The least of an objective; -inf where there is none, None where the program came to no end."""
        self._search.programs += 1
        found = _solved(objective, self._matrix, self._constant, self._least, self._most)
        if found.status == _OPTIMAL:
            np.minimum(self._lowest, found.x, out=self._lowest)
            np.maximum(self._highest, found.x, out=self._highest)
            return float(found.fun)
        if found.status == _UNBOUNDED:
            return -math.inf
        if found.status == _INFEASIBLE:
            raise _no_table()
        return None
