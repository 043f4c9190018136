"""The witness that costs least, by linear programs and, where they are fractional, small integer programs (HiGHS)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ordermade.tables.cells import CellTable, Marks, Whole, matrix_of, missing_scipy, scipy_sparse
from ordermade.tables.witnesses import Witness, witness_of

Reals = npt.NDArray[np.float64]

_NEAR = 1e-6
"""How far a number of a program may be from a whole one; what is then rounded is checked in whole numbers."""
_MOST_BRANCHES = 200
"""The most nodes of one integer program: a bound that no machine's pace moves."""
_INTEGER_CELLS = 150_000
"""The cells of all integer programs that `within` solves together: the larger a table, the fewer it has."""
_WITHIN_SUPPRESSED = 1e-3
"""What a unit of change costs in a cell that is suppressed anyway: short witnesses leave others free."""
_FIRST = 1e3
"""What a unit of change in the cell itself is worth: more than any way to it costs."""
_FAR = 1e9
"""What stands for no bound: no multiple of a vector is so large."""


class WitnessPrograms:
    """Programs over one table; `solved` counts them.

    First one vector z with A z = 0 that is 1 in the cell, a multiple of which leads to either table: such programs are
    small and nearly always whole. Where none has the width, two moves that need not be multiples of one another.
    """

    def __init__(self, table: CellTable) -> None:
        self._matrix = matrix_of(table.relations, len(table.values)).tocsc()
        self._whole_matrix = self._matrix.astype(np.int64)
        self.solved = 0
        self._integer_left = _INTEGER_CELLS // max(1, len(table.values))
        self._part: _Part | None = None

    def cheapest(self, cell: int, width: int, costs: Reals, slack: Whole) -> Witness | None:
        """A witness of the width in the cell with little cost a unit of change; None where none was found.

        `costs`: infinite where a cell may not change. `slack`: how far each cell may go down.
        """
        part = self._part_of(cell, costs)
        if part is None:
            return None
        found = self._best_multiple(part, cell, width, costs, slack, moves=True)
        return self._two_moves(part, cell, width, costs, slack, whole=True)[0] if found is None else found

    def within(self, cell: int, width: int, costs: Reals, slack: Whole, *, integer: bool) -> Witness | None:
        """As `cheapest`, where cost matters little: fewer and smaller programs; `integer`: whole ones too, if left."""
        part = self._part_of(cell, costs)
        if part is None:
            return None
        found, is_fractional = self._two_moves(part, cell, width, costs, slack, whole=False)
        if not is_fractional or not integer:
            return found
        found = self._best_multiple(part, cell, width, costs, slack)
        if found is not None or not self._integer_left:
            return found
        self._integer_left -= 1
        return self._two_moves(part, cell, width, costs, slack, whole=True)[0]

    def _best_multiple(
        self, part: _Part, cell: int, width: int, costs: Reals, slack: Whole, *, moves: bool = False
    ) -> Witness | None:
        """The cheapest of vectors that are added and taken away in different shares; `moves`: and of other pairs."""
        best: tuple[float, Witness] | None = None
        for up in _splits(width, int(slack[cell])):
            for found in (
                self._multiple(part, cell, up, width - up, costs, slack),
                self._pair(part, cell, up, width - up, costs, slack) if moves else None,
            ):
                if found is not None:
                    price = float(costs[list(found.cells)].sum())
                    if best is None or price < best[0]:
                        best = price, found
        return None if best is None else best[1]

    def _pair(self, part: _Part, cell: int, up: int, down: int, costs: Reals, slack: Whole) -> Witness | None:
        """A cheap move that raises the cell by `up`, and one that lowers it by `down`, cheap beside the first."""
        found = [np.zeros(len(slack), dtype=np.int64)] * 2
        left = costs
        steps = [(0, 1, up), (1, -1, down)]
        for number, sign, amount in steps if up >= down else steps[::-1]:
            if not amount:
                continue
            n = len(part.indices)
            at = int(np.searchsorted(part.indices, cell))
            least_plus, most_plus = np.zeros(n), np.full(n, _FAR)
            room = slack[part.indices].astype(np.float64)
            least_minus = np.zeros(n)
            if sign > 0:
                least_plus[at] = most_plus[at] = amount
                room[at] = 0.0
            else:
                most_plus[at] = 0.0
                least_minus[at] = room[at] = amount
            price = np.maximum(left[part.indices], _WITHIN_SUPPRESSED)
            z = self._solved(
                part, np.concatenate([price, price]), np.concatenate([least_plus, least_minus]), most_plus, room
            )
            move = None if z is None else self._checked(z, part)
            if move is None:
                return None
            found[number] = move
            left = np.where(move != 0, 0.0, left)
        return _wide_enough(found[0], found[1], cell, up + down, slack)

    def _part_of(self, cell: int, costs: Reals) -> _Part | None:
        """What may change; None where the cell itself may not."""
        free = np.isfinite(costs)
        if self._part is None or not np.array_equal(self._part.free, free):
            indices = np.flatnonzero(free)
            matrix = self._matrix[:, indices]
            matrix = matrix[np.flatnonzero(np.bincount(matrix.indices, minlength=matrix.shape[0]))]
            self._part = _Part(free, indices, scipy_sparse().hstack([matrix, -matrix], format="csc"))
        return self._part if free[cell] else None

    def _multiple(self, part: _Part, cell: int, up: int, down: int, costs: Reals, slack: Whole) -> Witness | None:
        """The cheapest vector that can be added `up` times and taken away `down` times."""
        n = len(part.indices)
        at = int(np.searchsorted(part.indices, cell))
        room = slack[part.indices].astype(np.float64)
        most_minus = np.floor(room / up) if up else np.full(n, _FAR)
        most_plus = np.floor(room / down) if down else np.full(n, _FAR)
        least_plus = np.zeros(n)
        least_plus[at], most_plus[at], most_minus[at] = 1.0, 1.0, 0.0
        price = np.maximum(costs[part.indices], _WITHIN_SUPPRESSED)
        z = self._solved(
            part, np.concatenate([price, price]), np.concatenate([least_plus, np.zeros(n)]), most_plus, most_minus
        )
        if z is None:
            return None
        vector = self._checked(z, part)
        if vector is None:
            return None
        return _wide_enough(up * vector, -down * vector, cell, up + down, slack)

    def _two_moves(
        self, part: _Part, cell: int, width: int, costs: Reals, slack: Whole, *, whole: bool
    ) -> tuple[Witness | None, bool]:
        """A move that raises the cell as far as it can be raised, and one that lowers it for what is missing.

        The two tables know nothing of one another, so that there is a pair so far apart if and only if these two are.
        The second value: whether there may be a pair though none was found, as a program was fractional.
        """
        high = self._farthest(part, cell, 1, width, costs, slack, whole=whole)
        if high is None:
            return None, True
        missing = width - int(high[cell])
        if missing <= 0:
            return _wide_enough(high, np.zeros_like(high), cell, width, slack), False
        if missing > slack[cell]:
            return None, False
        low = self._farthest(part, cell, -1, missing, costs, slack, whole=whole)
        return (None, True) if low is None else (_wide_enough(high, low, cell, width, slack), False)

    def _farthest(
        self, part: _Part, cell: int, sign: int, most: int, costs: Reals, slack: Whole, *, whole: bool
    ) -> Whole | None:
        """The move that changes the cell farthest in a direction, up to `most`, in whole numbers; else None."""
        n = len(part.indices)
        at = int(np.searchsorted(part.indices, cell))
        room = slack[part.indices].astype(np.float64)
        most_plus = np.full(n, _FAR)
        if whole:  # what integer programs branch on is bounded
            most_plus, room = np.full(n, 4.0 * most), np.minimum(room, 4.0 * most)
        price = np.maximum(np.minimum(costs[part.indices], 10.0), _WITHIN_SUPPRESSED)
        price = np.concatenate([price, price])
        if sign > 0:
            most_plus[at], room[at] = most, 0.0
            price[at] = -_FIRST
        else:
            most_plus[at], room[at] = 0.0, min(most, room[at])
            price[n + at] = -_FIRST
        z = self._solved(part, price, np.zeros(2 * n), most_plus, room)
        if z is None:
            return None
        found = self._checked(z, part)
        if found is None and whole:
            z = self._solved(part, price, np.zeros(2 * n), most_plus, room, whole=True)
            found = None if z is None else self._checked(z, part)
        return found

    def _solved(
        self, part: _Part, costs: Reals, least: Reals, most_plus: Reals, most_minus: Reals, *, whole: bool = False
    ) -> Reals | None:
        """The cheapest move of what may change that adds up, within its bounds; None where there is none."""
        try:
            from scipy.optimize import Bounds, LinearConstraint, milp
        except ModuleNotFoundError:
            raise missing_scipy() from None
        self.solved += 1
        n = len(part.indices)
        found: Any = milp(
            costs,
            integrality=np.full(2 * n, int(whole)),
            bounds=Bounds(least, np.concatenate([most_plus, most_minus])),
            constraints=LinearConstraint(part.sums, 0, 0),
            options={"node_limit": _MOST_BRANCHES, "mip_rel_gap": 0.05} if whole else {},
        )
        if found.x is None:
            return None
        x = np.asarray(found.x, dtype=np.float64)
        return x[:n] - x[n:]

    def _checked(self, move: Reals, part: _Part) -> Whole | None:
        """A move in whole numbers over all cells, if it is one and adds up."""
        rounded = np.rint(move)
        if np.abs(move - rounded).max() > _NEAR * max(1.0, float(np.abs(move).max())):
            return None
        found = np.zeros(len(part.free), dtype=np.int64)
        found[part.indices] = rounded.astype(np.int64)
        return None if np.any(self._whole_matrix @ found) else found


@dataclass(frozen=True)
class _Part:
    """The cells that may change: their mask, their indices, and the sums over what they gain and lose."""

    free: Marks
    indices: Whole
    sums: Any


def _wide_enough(high: Whole, low: Whole, cell: int, width: int, slack: Whole) -> Witness | None:
    """The witness of two moves that add up, checked in whole numbers; None where it is none."""
    if np.any(high < -slack) or np.any(low < -slack) or int(high[cell] - low[cell]) < width:
        return None
    return witness_of(high, low)


def _splits(width: int, slack: int) -> list[int]:
    """How much of the width a cell with the slack may go up, the rest down: all, half, and as little as it can."""
    least = max(0, width - slack)
    return list(dict.fromkeys((width, max(least, (width + 1) // 2), least)))
