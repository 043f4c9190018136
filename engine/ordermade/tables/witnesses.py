"""Witnesses: two integer tables that agree with all that is published and differ in a suppressed cell; and cubes.

A witness is a proof without any program: its two moves away from the true table are checked by sums.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ordermade.tables.cells import CellTable, Marks, Whole, keys_of
from ordermade.tables.dimensions import Dimension

Reals = npt.NDArray[np.float64]

ENDS = 2
"""How many entries follow those of the cells, for corners that are no cells: an empty one, and one of no table."""
_MOST_MOVES = 4_096
"""The most moves against siblings, to the total and against cousins of one code: those of the largest leaves."""
_MOST_ABLE = 48
"""The most moves of one dimension that are tried for one cell: those that cost least along its own line."""
_MOST_CUBES = 200_000
"""The most cubes that are tried together for one cell."""
_MOST_COMBINATIONS = 2_000_000
"""The most combinations of codes whose cells are looked up in one array; those of more are searched for."""


@dataclass(frozen=True)
class Witness:
    """Two moves from the true table to two others: `cells[i]` changes by `high[i]` in one, by `low[i]` in the other.

    Both tables are whole numbers, add up, and agree in every published cell.
    """

    cells: tuple[int, ...]
    high: tuple[int, ...]
    low: tuple[int, ...]

    def width(self, cell: int) -> int:
        """How far the two tables are apart in a cell; 0 in a cell that is not in it."""
        if cell not in self.cells:
            return 0
        place = self.cells.index(cell)
        return abs(self.high[place] - self.low[place])


def witness_of(high: Whole, low: Whole) -> Witness:
    """The witness of two moves over all cells."""
    support = np.flatnonzero((high != 0) | (low != 0))
    return Witness(tuple(support.tolist()), tuple(high[support].tolist()), tuple(low[support].tolist()))


def witness_of_vector(cells: Whole, signs: Whole, slack: Whole, width: int) -> Witness | None:
    """The witness of the multiples of one vector z with A z = 0; None where it gives less than the width.

    `slack`: how far each of the cells may go down. The vector is added as often as the cells that it takes from allow,
    and taken away for what is missing: the width counts multiples of the vector.
    """
    minus, plus = signs < 0, signs > 0
    up = int((slack[minus] // -signs[minus]).min()) if minus.any() else width
    down = int((slack[plus] // signs[plus]).min()) if plus.any() else width
    if up + down < width:
        return None
    # Half and half, as far as both allow: the true table is then no end of the interval more often than need be.
    raised = min(up, max(width - down, (width + 1) // 2))
    lowered = width - raised
    order = np.argsort(cells, kind="stable")
    return Witness(
        tuple(cells[order].tolist()), tuple((raised * signs[order]).tolist()), tuple((-lowered * signs[order]).tolist())
    )


@dataclass(frozen=True)
class Moves:
    """Moves of one dimension: a row a move, with the places in `codes` of what it raises and of what it lowers.

    The place `len(codes)` stands for nothing, where a move has fewer codes than another.
    """

    codes: Whole
    up: Whole
    down: Whole

    def only(self, chosen: Whole) -> Moves:
        """Some of the moves, with the codes that they need."""
        up, down = self.up[chosen], self.down[chosen]
        used = np.zeros(len(self.codes) + 1, dtype=np.bool_)
        used[up] = used[down] = True
        used[-1] = False
        places = np.cumsum(used) - 1
        places[-1] = int(used.sum())
        return Moves(self.codes[used[:-1]], places[up], places[down])


@dataclass(frozen=True)
class Corners:
    """The moves of each dimension, and the cell of each combination of their codes: n an empty one, n + 1 no cell.

    Each axis has one more entry than codes, for what pads a move.
    """

    moves: tuple[Moves, ...]
    cells: Whole


class Cubes:
    """The cubes through a cell: products of one move a dimension, each with signs +1 and -1, and so with A z = 0.

    A move of a dimension raises one leaf and lowers another, with their ancestors below the common one; or raises a
    leaf with all its ancestors. Corners that no table has are left out; an empty cell refuses the cube.
    """

    def __init__(self, table: CellTable) -> None:
        self._n = len(table.values)
        self._dimensions = table.dimensions
        self._cells = table.cells
        sizes = [len(each.codes) for each in table.dimensions]
        self._strides = [math.prod(sizes[place + 1 :]) for place in range(len(sizes))]
        keys = keys_of(table.dimensions, table.cells)
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]
        self._layouts = [
            [
                np.isin(np.arange(len(each.codes)), sorted(codes))
                for each, codes in zip(table.dimensions, layout, strict=True)
            ]
            for layout in table.layouts
        ]
        self._all: Whole | None = None
        if math.prod(sizes) <= _MOST_COMBINATIONS:
            self._all = self._cells_of([np.arange(size) for size in sizes]).ravel()
        self._weights = [self._weights_of(place, table) for place in range(len(table.dimensions))]
        self._moves: dict[tuple[int, int, bool], Moves] = {}
        self._chains: dict[tuple[int, int], Moves] = {}

    def _weights_of(self, place: int, table: CellTable) -> Whole:
        """The sum of the cells of each code: large codes have the larger slack."""
        found = np.zeros(len(table.dimensions[place].codes), dtype=np.int64)
        np.add.at(found, table.cells[:, place], table.values)
        return found

    def cheapest(
        self, cell: int, width: int, costs: Reals, slack: Whole, sole: Whole | None = None, most: float = np.inf
    ) -> Witness | None:
        """The cube through a cell that has the width and costs least, below `most`; None where there is none.

        `costs`: what each cell adds if it is part of it, infinite where it may not be; `slack`: how far it may go down;
        `sole`: as in `is_allowed`. All three have an entry a cell and `ENDS` of them more. Cubes of cousins are sought
        where siblings and totals have none. Ties go to the cube that comes first.
        """
        for far in (False, True):
            found = self._best(cell, width, costs, slack, sole, most, far=far)
            if found is not None:
                return witness_of_vector(*found, slack[found[0]], width)
        return None

    def _best(
        self, cell: int, width: int, costs: Reals, slack: Whole, sole: Whole | None, most: float, *, far: bool
    ) -> tuple[Whole, Whole] | None:
        """The cells and signs of the cheapest cube; `far`: of cousins too."""
        chosen: list[Moves] = []
        for place in range(len(self._strides)):
            able = self.able(place, cell, width, costs, slack, sole, most, far=far)
            if able is None:
                return None
            chosen.append(able)
        corners = self.corners(_fewer(chosen))
        prices, giving, taking = priced(corners, cell, width, costs, slack, sole)
        prices[giving + taking < width] = np.inf
        cheapest = int(np.argmin(prices))
        if not prices.flat[cheapest] < most:
            return None
        return self.cube(corners, [int(each) for each in np.unravel_index(cheapest, prices.shape)])

    def able(
        self,
        place: int,
        cell: int,
        width: int,
        costs: Reals,
        slack: Whole,
        sole: Whole | None,
        most: float,
        *,
        far: bool,
    ) -> Moves | None:
        """The moves of a dimension that some cube through the cell may have, the cheapest along its line first."""
        own = self._cells[cell]
        moves = self._of(place, int(own[place]), far=far)
        line = [moves.codes if at == place else own[at : at + 1] for at in range(len(own))]
        corners = Corners((moves,), np.append(self._cells_of(line).ravel(), self._n + 1))
        prices, giving, taking = priced(corners, cell, width, costs, slack, sole)
        # What the cell's own line does not allow, no cube does.
        found = np.flatnonzero((giving + taking >= width) & (prices < most))
        if not len(found):
            return None
        return moves.only(found[np.argsort(prices[found], kind="stable")][:_MOST_ABLE])

    def chains(self, place: int, cell: int) -> Moves | None:
        """The leaves below a cell's code and its siblings, each raised with what is above it up to there.

        The first is below the code itself; the last holds all that is above siblings instead. None for a root.
        """
        dimension, code = self._dimensions[place], int(self._cells[cell, place])
        parent = dimension.parents[code]
        if parent < 0:
            return None
        if (place, code) not in self._chains:
            above = frozenset(dimension.path(parent))
            weights = self._weights[place]
            own = frozenset(dimension.leaves_under(code))
            leaves = sorted(dimension.leaves_under(parent), key=lambda each: (each not in own, -weights[each], each))
            found = [tuple(each for each in dimension.path(leaf) if each not in above) for leaf in leaves[:_MOST_ABLE]]
            self._chains[place, code] = _moves([*((each, ()) for each in found), (dimension.path(parent), ())])
        return self._chains[place, code]

    def corners(self, moves: Sequence[Moves]) -> Corners:
        """The cells of the products of moves, one list of them a dimension."""
        cells = np.full([len(each.codes) + 1 for each in moves], self._n + 1)
        cells[tuple(slice(-1) for _ in moves)] = self._cells_of([each.codes for each in moves])
        return Corners(tuple(moves), cells)

    def cube(self, corners: Corners, numbers: Sequence[int]) -> tuple[Whole, Whole]:
        """The cells and signs of the cube of one move a dimension, by its number."""
        places, signs = [], np.ones(1, dtype=np.int64)
        for each, number in zip(corners.moves, numbers, strict=True):
            up, down = each.up[number], each.down[number]
            places.append(np.concatenate([up, down]))
            signs = np.multiply.outer(signs, np.repeat([1, -1], [len(up), len(down)])).ravel()
        cells = corners.cells[np.ix_(*places)].ravel()
        there = cells < self._n
        return cells[there], signs[there]

    def _cells_of(self, codes: Sequence[Whole]) -> Whole:
        """The cell of each combination of codes, by dimension; n where it is empty, n + 1 where no table has it."""
        keys = codes[0] * self._strides[0]
        for each, stride in zip(codes[1:], self._strides[1:], strict=True):
            keys = np.add.outer(keys, each * stride)
        if self._all is not None:
            return self._all[keys]
        at = np.minimum(np.searchsorted(self._keys, keys), self._n - 1)
        there = self._keys[at] == keys
        found = np.where(there, self._order[at], self._n)
        if self._layouts:
            inside = np.zeros(keys.shape, dtype=np.bool_)
            for layout in self._layouts:
                among = [each[own] for each, own in zip(layout, codes, strict=True)]
                inside |= functools.reduce(np.logical_and.outer, among)
            found[~(there | inside)] = self._n + 1
        return found

    def _of(self, place: int, code: int, *, far: bool) -> Moves:
        """The moves of one dimension that raise a code: against siblings, to the total, if `far` against cousins."""
        found = self._moves.get((place, code, far))
        if found is None:
            found = self._moves[place, code, far] = self._made(self._dimensions[place], place, code, far=far)
        return found

    def _made(self, dimension: Dimension, place: int, code: int, *, far: bool) -> Moves:
        weights = self._weights[place]

        def largest_first(codes: Iterable[int]) -> list[int]:
            return sorted(codes, key=lambda each: (-int(weights[each]), each))

        parent = dimension.parents[code]
        siblings = dimension.children(parent) if parent >= 0 else dimension.roots
        own = frozenset(dimension.leaves_under(code))
        near = frozenset(leaf for each in siblings for leaf in dimension.leaves_under(each))
        raised = largest_first(own)
        found = _against(dimension, raised, largest_first(near - own))
        found += [(dimension.path(leaf), ()) for leaf in raised[:_MOST_MOVES]]
        if far:
            found += _against(dimension, raised, largest_first(frozenset(dimension.leaves) - near))
        return _moves(found)


def _moves(found: Sequence[tuple[Sequence[int], Sequence[int]]]) -> Moves:
    """Moves of the codes that each raises and lowers."""
    codes = sorted({each for up, down in found for each in (*up, *down)})
    places = {each: at for at, each in enumerate(codes)}

    def padded(sides: Sequence[Sequence[int]]) -> Whole:
        table = np.full((len(sides), max(map(len, sides), default=0)), len(codes), dtype=np.int64)
        for row, side in enumerate(sides):
            table[row, : len(side)] = [places[each] for each in side]
        return table

    return Moves(np.array(codes, dtype=np.int64), padded([up for up, _ in found]), padded([down for _, down in found]))


def _fewer(moves: Sequence[Moves]) -> list[Moves]:
    """As many of the moves, the first of each dimension, as make `_MOST_CUBES` at most."""
    numbers = [len(each.up) for each in moves]
    while math.prod(numbers) > _MOST_CUBES:
        widest = numbers.index(max(numbers))
        numbers[widest] = (numbers[widest] + 1) // 2
    return [
        each if len(each.up) == number else each.only(np.arange(number))
        for each, number in zip(moves, numbers, strict=True)
    ]


def _against(
    dimension: Dimension, raised: Sequence[int], lowered: Sequence[int]
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The moves that raise one leaf and lower another, with their ancestors below the common one: the shortest first.

    Where there are too many, those of the first leaves.
    """
    numbers = [len(raised), len(lowered)]
    while math.prod(numbers) > _MOST_MOVES:
        longer = numbers.index(max(numbers))
        numbers[longer] = (numbers[longer] + 1) // 2
    found = []
    for leaf in raised[: numbers[0]]:
        path = dimension.path(leaf)
        for other in lowered[: numbers[1]]:
            other_path = dimension.path(other)
            common = frozenset(path) & frozenset(other_path)
            found.append(
                (
                    tuple(each for each in path if each not in common),
                    tuple(each for each in other_path if each not in common),
                )
            )
    return sorted(found, key=lambda each: len(each[0]) + len(each[1]))


def priced(
    corners: Corners, cell: int, width: int, costs: Reals, slack: Whole, sole: Whole | None
) -> tuple[Reals, Whole, Whole]:
    """Of each product of moves its price, and how far the table may be taken away from and added to it, up to `width`.

    Sums and least values over corners come dimension by dimension: what one move adds is added for all others at once.
    """
    prices, giving = costs[corners.cells], np.minimum(slack[corners.cells], width)
    if sole is not None:
        others = sole[corners.cells]
        prices[(others >= 0) & (others != sole[cell])] = np.inf
    taking = np.full_like(giving, width)
    turned = (*range(1, giving.ndim), 0)
    for each in corners.moves:
        up, down = each.up.T, each.down.T
        prices = functools.reduce(np.add, [prices[codes] for codes in (*up, *down)])
        raised = [*(giving[codes] for codes in up), *(taking[codes] for codes in down)]
        lowered = [*(taking[codes] for codes in up), *(giving[codes] for codes in down)]
        giving, taking = functools.reduce(np.minimum, raised), functools.reduce(np.minimum, lowered)
        # The next dimension first: after all of them each stands where it stood.
        prices, giving, taking = (table.transpose(turned) for table in (prices, giving, taking))
    return prices, giving, taking


def with_ends(costs: Reals, slack: Whole) -> tuple[Reals, Whole]:
    """Costs and slack as `Cubes.cheapest` takes them: an empty cell may not change, a corner of no table is free."""
    return np.append(costs, [np.inf, 0.0]), np.append(slack, [0, np.iinfo(np.int64).max // 4])


def is_allowed(support: Sequence[int] | Whole, cell: int, sole: Whole) -> bool:
    """Whether a witness over the cells counts for a cell: each sole contributor in it is the cell's own.

    `sole`: the contributor of each cell that has one alone, -1 elsewhere. Who is alone in a cell knows it.
    """
    others = sole[np.asarray(support, dtype=np.int64)]
    return not bool(np.any((others >= 0) & (others != sole[cell])))


def marks(indices: Sequence[int], n: int) -> Marks:
    """The mask of the cells of these indices."""
    found = np.zeros(n, dtype=np.bool_)
    found[np.asarray(indices, dtype=np.int64)] = True
    return found
