"""Witnesses: two integer tables that agree with all that is published and differ in a suppressed cell; and cubes.

A witness is a proof without any program: its two moves away from the true table are checked by sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from ordermade.tables.cells import CellTable, Marks, Whole, keys_of
from ordermade.tables.dimensions import Dimension

_MOST_MOVES = 48
"""The most moves of one kind that are tried for one code of one dimension: those of the largest leaves."""
_MOST_CUBES = 200_000
"""The most cubes of one kind that are tried for one cell."""


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


class Cubes:
    """The cubes through a cell: products of one move a dimension, each with signs +1 and -1, and so with A z = 0.

    A move of a dimension raises one leaf and lowers another, with their ancestors below the common one; or raises a
    leaf with all its ancestors. Corners that no table has are left out; an empty cell refuses the cube.
    """

    def __init__(self, table: CellTable) -> None:
        self._dimensions = table.dimensions
        self._cells = table.cells
        keys = keys_of(table.dimensions, table.cells) if table.dimensions else np.zeros(0, dtype=np.int64)
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]
        self._layouts = [
            [
                np.isin(np.arange(len(each.codes)), sorted(codes))
                for each, codes in zip(table.dimensions, layout, strict=True)
            ]
            for layout in table.layouts
        ]
        self._weights = [self._weights_of(place, table) for place in range(len(table.dimensions))]
        self._moves: dict[tuple[int, int, str], list[tuple[tuple[int, ...], tuple[int, ...]]]] = {}

    def _weights_of(self, place: int, table: CellTable) -> Whole:
        """The sum of the cells of each code: large codes have the larger slack."""
        found = np.zeros(len(table.dimensions[place].codes), dtype=np.int64)
        np.add.at(found, table.cells[:, place], table.values)
        return found

    def cheapest(self, cell: int, width: int, costs: npt.NDArray[np.float64], slack: Whole) -> Witness | None:
        """The cube through a cell that has the width and costs least, of the first kind that has one; None if none has.

        `costs`: what each cell adds if it is part of it, infinite where it may not be. Kinds: siblings, then with
        totals, then cousins. Ties go to the cube that comes first.
        """
        codes = self._cells[cell].tolist()
        dimensions = range(len(codes))
        kinds: list[list[tuple[str, ...]]] = [
            [("sibling",) * len(codes)],
            [each for each in product(("sibling", "total"), repeat=len(codes)) if "total" in each],
            [each for each in product(("sibling", "total", "cousin"), repeat=len(codes)) if "cousin" in each],
        ]
        for kind in kinds:
            best: tuple[float, Whole, Whole] | None = None
            for names in kind:
                moves = [self._of(place, codes[place], names[place]) for place in dimensions]
                if not all(moves):
                    continue
                found = self._best(moves, width, costs, slack)
                if found is not None and (best is None or found[0] < best[0]):
                    best = found
            if best is not None:
                _, cells, signs = best
                return witness_of_vector(cells, signs, slack[cells], width)
        return None

    def _of(self, place: int, code: int, kind: str) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """The moves of one dimension that raise a code, the largest first: codes and signs."""
        found = self._moves.get((place, code, kind))
        if found is None:
            found = self._moves[place, code, kind] = self._made(self._dimensions[place], place, code, kind)
        return found

    def _made(
        self, dimension: Dimension, place: int, code: int, kind: str
    ) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        weights = self._weights[place]

        def largest(codes: Sequence[int], most: int) -> list[int]:
            return sorted(codes, key=lambda each: (-int(weights[each]), each))[:most]

        raised = largest(dimension.leaves_under(code), _MOST_MOVES if kind == "total" else 6)
        if kind == "total":
            return [(path, (1,) * len(path)) for path in map(dimension.path, raised)]
        found = []
        parent = dimension.parents[code]
        siblings = dimension.children(parent) if parent >= 0 else dimension.roots
        near = frozenset(leaf for each in siblings for leaf in dimension.leaves_under(each))
        own = frozenset(dimension.leaves_under(code))
        lowered = near - own if kind == "sibling" else frozenset(dimension.leaves) - near
        for leaf in raised:
            path = dimension.path(leaf)
            for other in largest(sorted(lowered), _MOST_MOVES):
                other_path = dimension.path(other)
                common = frozenset(path) & frozenset(other_path)
                up = [each for each in path if each not in common]
                down = [each for each in other_path if each not in common]
                found.append(((*up, *down), (1,) * len(up) + (-1,) * len(down)))
        found.sort(key=lambda each: len(each[0]))
        return found[:_MOST_MOVES]

    def _best(
        self,
        moves: Sequence[list[tuple[tuple[int, ...], tuple[int, ...]]]],
        width: int,
        costs: npt.NDArray[np.float64],
        slack: Whole,
    ) -> tuple[float, Whole, Whole] | None:
        """The cheapest cube of one kind, with its cells and signs."""
        best: tuple[float, Whole, Whole] | None = None
        groups = [_by_length(each) for each in moves]
        for group in product(*groups):
            numbers = [len(codes) for codes, _ in group]
            while np.prod(numbers, dtype=np.float64) > _MOST_CUBES:  # the largest leaves stand first
                widest = numbers.index(max(numbers))
                numbers[widest] = (numbers[widest] + 1) // 2
            n = int(np.prod(numbers))
            keys, signs = np.zeros((n, 1), dtype=np.int64), np.ones((n, 1), dtype=np.int64)
            inside = [np.ones((n, 1), dtype=np.bool_) for _ in self._layouts]
            index = np.indices(numbers).reshape(len(numbers), n)
            for place, (codes, each_signs) in enumerate(group):
                chosen, chosen_signs = codes[index[place]], each_signs[index[place]]
                keys = (keys[:, :, None] * len(self._dimensions[place].codes) + chosen[:, None, :]).reshape(n, -1)
                signs = (signs[:, :, None] * chosen_signs[:, None, :]).reshape(n, -1)
                inside = [
                    (each[:, :, None] & layout[place][chosen][:, None, :]).reshape(n, -1)
                    for each, layout in zip(inside, self._layouts, strict=True)
                ]
            at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
            there = self._keys[at] == keys
            corners = self._order[at]
            outside = ~np.logical_or.reduce(inside) if inside else np.zeros_like(there)
            prices = np.where(there, costs[corners], np.where(outside, 0.0, np.inf)).sum(axis=1)
            room = np.where(there, slack[corners], np.iinfo(np.int64).max // 4)
            taking = np.where(signs < 0, room, np.iinfo(np.int64).max // 4).min(axis=1)
            giving = np.where(signs > 0, room, np.iinfo(np.int64).max // 4).min(axis=1)
            prices[np.minimum(taking, width) + np.minimum(giving, width) < width] = np.inf
            cheapest = int(np.argmin(prices))
            if np.isfinite(prices[cheapest]) and (best is None or prices[cheapest] < best[0]):
                own = there[cheapest]
                best = (float(prices[cheapest]), corners[cheapest][own], signs[cheapest][own])
        return best


def _by_length(moves: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]) -> list[tuple[Whole, Whole]]:
    """Moves with as many codes together, as arrays of codes and signs."""
    lengths = sorted({len(codes) for codes, _ in moves})
    return [
        (
            np.array([codes for codes, _ in moves if len(codes) == length], dtype=np.int64),
            np.array([signs for codes, signs in moves if len(codes) == length], dtype=np.int64),
        )
        for length in lengths
    ]


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
