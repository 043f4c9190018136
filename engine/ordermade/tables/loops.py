"""Loops: closed ways over the cells of two dimensions, times one move of each other one.

Where no cube through a cell is cheap, as a corner is empty, too small or large, a loop goes round the corner.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ordermade.tables.cells import Whole
from ordermade.tables.witnesses import Corners, Cubes, Moves, Reals, Witness, priced, witness_of_vector

_MOST_TURNS = 5
"""The most rows that a loop comes through beside the cell's own: a cube comes through one."""
_MOST_SIDES = 400
"""The most products of moves of the other dimensions that are tried for one cell: the cheapest of each."""


@dataclass(frozen=True)
class _Loop:
    """A loop by its price: the corners, the turns (row and column of each step, with its sign) and the other moves."""

    price: float
    corners: Corners
    steps: tuple[tuple[int, int, int], ...]
    others: tuple[int, ...]
    pair: tuple[int, int]


class Loops:
    """The loops through a cell of a table."""

    def __init__(self, cubes: Cubes, dimensions: int) -> None:
        self._cubes = cubes
        self._dimensions = dimensions

    def cheapest(
        self, cell: int, width: int, costs: Reals, slack: Whole, sole: Whole | None = None, most: float = np.inf
    ) -> Witness | None:
        """The loop through a cell that can be added `width` times and costs least, below `most`; None if none is.

        As for `Cubes.cheapest`. Ties go to the first pair of dimensions, then to the shortest loop.
        """
        best: _Loop | None = None
        able = [
            self._cubes.able(place, cell, width, costs, slack, sole, most, far=False)
            for place in range(self._dimensions)
        ]
        for pair in combinations(range(self._dimensions), 2):
            moves: list[Moves] = []
            for place in range(self._dimensions):
                found = self._cubes.chains(place, cell) if place in pair else able[place]
                if found is None:
                    break
                moves.append(found)
            else:
                loop = self._loop(pair, _few(moves, pair), cell, width, costs, slack, sole)
                if loop is not None and loop.price < (most if best is None else best.price):
                    best = loop
        return None if best is None else self._witness(best, cell, width, slack)

    def _loop(
        self,
        pair: tuple[int, int],
        moves: Sequence[Moves],
        cell: int,
        width: int,
        costs: Reals,
        slack: Whole,
        sole: Whole | None,
    ) -> _Loop | None:
        """The cheapest loop over two dimensions."""
        corners = self._cubes.corners(moves)
        prices, giving, taking = (
            np.moveaxis(each, pair, (-2, -1)) for each in priced(corners, cell, width, costs, slack, sole)
        )
        sides = prices.shape[:-2]
        rows, columns = prices.shape[-2:]
        prices, giving, taking = (each.reshape(-1, rows, columns) for each in (prices, giving, taking))
        # The last row and column are totals: they change the other way round than their parts.
        same = np.ones((rows, columns), dtype=np.bool_)
        same[-1] ^= True
        same[:, -1] ^= True
        lowers = np.where(same, taking, giving) >= width
        raises = np.where(same, giving, taking) >= width
        found = _shortest(np.where(lowers, prices, np.inf), np.where(raises, prices, np.inf))
        if found is None:
            return None
        price, side, turns = found
        steps = tuple((row, column, sign if same[row, column] else -sign) for row, column, sign in turns)
        return _Loop(price, corners, steps, tuple(int(each) for each in np.unravel_index(side, sides)), pair)

    def _witness(self, loop: _Loop, cell: int, width: int, slack: Whole) -> Witness | None:
        """The witness of a loop; None where ways that cross leave it too narrow."""
        vector = np.zeros(len(slack), dtype=np.int64)
        for row, column, sign in loop.steps:
            numbers = list(loop.others)
            for place, number in zip(loop.pair, (row, column), strict=True):
                numbers.insert(place, number)
            cells, signs = self._cubes.cube(loop.corners, numbers)
            np.add.at(vector, cells, sign * signs)
        if vector[cell] < 1:
            return None
        cells = np.flatnonzero(vector)
        return witness_of_vector(cells, vector[cells], slack[cells], width)


def _few(moves: Sequence[Moves], pair: tuple[int, int]) -> list[Moves]:
    """The moves, with so many of the dimensions out of the pair that at most `_MOST_SIDES` products are left."""
    numbers = [1 if place in pair else len(each.up) for place, each in enumerate(moves)]
    while int(np.prod(numbers)) > _MOST_SIDES:
        widest = numbers.index(max(numbers))
        numbers[widest] = (numbers[widest] + 1) // 2
    return [
        each if place in pair or len(each.up) == number else each.only(np.arange(number))
        for place, (each, number) in enumerate(zip(moves, numbers, strict=True))
    ]


def _shortest(plus: Reals, minus: Reals) -> tuple[float, int, list[tuple[int, int, int]]] | None:
    """The cheapest closed way through the first row and column of one of several tables, of each the prices by sign.

    Gives its price, the number of its table, and its steps (row, column, sign); each row and column that it comes
    through has as many steps of one sign as of the other.
    """
    at_rows, at_columns = [minus[:, :, 0].copy()], []
    best: tuple[float, int, int] | None = None
    for turn in range(_MOST_TURNS):
        at_rows[turn][:, 0] = np.inf
        columns = (at_rows[turn][:, :, None] + plus).min(axis=1)
        columns[:, 0] = np.inf
        at_columns.append(columns)
        closing = plus[:, 0, 0] + (columns + minus[:, 0]).min(axis=1)
        table = int(np.argmin(closing))
        if np.isfinite(closing[table]) and (best is None or closing[table] < best[0]):
            best = float(closing[table]), table, turn
        at_rows.append((columns[:, None, :] + minus).min(axis=2))
    if best is None:
        return None
    price, table, turn = best
    steps = [(0, 0, 1)]
    row = 0
    for back in range(turn, -1, -1):
        column = int(np.argmin(at_columns[back][table] + minus[table, row]))
        steps.append((row, column, -1))
        row = int(np.argmin(at_rows[back][table] + plus[table, :, column]))
        steps.append((row, column, 1))
    return price, table, [*steps, (row, 0, -1)]
