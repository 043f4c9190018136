"""Tiny tables by a seed, of the engine and by hand: dimensions, hierarchies, sums, linked tables, persons."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from ordermade.tables.cells import CellTable, summed_cells
from ordermade.tables.dimensions import LevelledDimension, dimension_of_levels
from ordermade.tables.primaries import Contributions
from tests.properties.tables_by_hand import Cell, Group, TablesByHand, is_in

KINDS = ("plain", "deep", "sums", "linked", "levels")
"""Two to four dimensions; a hierarchy; sums by contributor; several tables; tables that have some levels each."""


@dataclass(frozen=True)
class TinyTables:
    """The same tables twice. `levels`: of each dimension the label of each leaf, the leaves first, the total last."""

    levels: tuple[tuple[tuple[str, ...], ...], ...]
    layouts: tuple[tuple[tuple[int, ...], ...], ...]
    rows: tuple[tuple[int, ...], ...]
    amounts: tuple[int, ...]
    persons: tuple[int, ...]

    @cached_property
    def by_hand(self) -> TablesByHand:
        """The tables as a reader sees them."""
        return TablesByHand(
            tuple(len(levels[0]) for levels in self.levels),
            self.rows,
            self.amounts,
            tuple(
                tuple(
                    tuple(dict.fromkeys(group for level in wanted for group in self._groups(place, level)))
                    for place, wanted in enumerate(layout)
                )
                for layout in self.layouts
            ),
        )

    def _groups(self, place: int, level: int) -> list[Group]:
        labels = self.levels[place][level]
        return [frozenset(leaf for leaf, label in enumerate(labels) if label == each) for each in dict.fromkeys(labels)]

    @cached_property
    def _dimensions(self) -> tuple[LevelledDimension, ...]:
        return tuple(dimension_of_levels("abcd"[place], levels) for place, levels in enumerate(self.levels))

    @cached_property
    def table(self) -> CellTable:
        """The tables as the engine has them."""
        dimensions = [each.dimension for each in self._dimensions]
        tables = [
            {
                each.dimension.name: sorted({code for level in wanted for code in each.places[level]})
                for each, wanted in zip(self._dimensions, layout, strict=True)
            }
            for layout in self.layouts
        ]
        leaves = np.array(
            [
                [each.places[0][leaf] for each, leaf in zip(self._dimensions, row, strict=True)]
                for row in self.rows
            ],
            dtype=np.int64,
        )  # fmt: skip
        amounts = np.array(self.amounts, dtype=np.int64)
        is_whole = len(tables) == 1 and all(
            len(codes) == len(each.codes) for each, codes in zip(dimensions, tables[0].values(), strict=True)
        )
        return summed_cells(dimensions, leaves, amounts, () if is_whole else tables)

    @cached_property
    def cells(self) -> dict[Cell, int]:
        """The number that the engine gives each cell that is not empty."""
        numbers = {tuple(codes): number for number, codes in enumerate(self.table.cells.tolist())}
        found = {}
        for cell in self.by_hand.cells():
            codes = tuple(
                next(
                    places[min(group)]
                    for level, places in enumerate(each.places)
                    if group in self._groups(place, level)
                )
                for place, (each, group) in enumerate(zip(self._dimensions, cell, strict=True))
            )
            if codes in numbers:
                found[cell] = numbers[codes]
        return found

    @cached_property
    def contributions(self) -> Contributions:
        """What each person adds to each cell of the engine's, hidden ones too."""
        paths = [
            [set(each.dimension.path(each.places[0][leaf])) for leaf in range(len(each.places[0]))]
            for each in self._dimensions
        ]
        found = [
            (cell, person, amount)
            for row, person, amount in zip(self.rows, self.persons, self.amounts, strict=True)
            for cell, codes in enumerate(self.table.cells.tolist())
            if all(code in paths[place][row[place]] for place, code in enumerate(codes))
        ]
        cells, persons, amounts = (np.array(each, dtype=np.int64) for each in zip(*found, strict=True))
        return Contributions(len(self.table.values), cells, persons, amounts)

    def alone(self) -> dict[int, set[Cell]]:
        """By hand: the cells in which a person is alone, by person."""
        found: dict[int, set[Cell]] = {}
        for cell in self.by_hand.cells():
            inside = {person for row, person in zip(self.rows, self.persons, strict=True) if is_in(row, cell)}
            if len(inside) == 1:
                found.setdefault(inside.pop(), set()).add(cell)
        return found


def tiny_tables(random: np.random.Generator, kind: str, *, rows_each: int = 1) -> TinyTables:
    """Tables of a kind; a person has about `rows_each` rows, in any cells."""
    dimensions = int(random.integers(2, 5)) if kind == "plain" else 3 if kind == "linked" else 2
    sizes = [int(random.integers(2, 5 if dimensions == 2 else 3)) for _ in range(dimensions)]
    if kind != "plain" and dimensions == 2:
        sizes[0] = int(random.integers(3, 6))
    levels = []
    for place, size in enumerate(sizes):
        each = [tuple(f"{leaf}" for leaf in range(size))]
        if kind not in ("plain", "linked") and (place == 0 or random.random() < 0.3):
            cuts = np.sort(random.choice(size, size=int(random.integers(1, min(size, 3))), replace=False))
            each.append(tuple(f"group {int(np.searchsorted(cuts, leaf, side='right'))}" for leaf in range(size)))
        levels.append((*each, ("all",) * size))
    every = tuple(tuple(range(len(each))) for each in levels)
    n = int(random.integers(5, 26))
    weights = [random.dirichlet(np.ones(size) * 1.5) for size in sizes]
    columns = [random.choice(size, n, p=weight).tolist() for size, weight in zip(sizes, weights, strict=True)]
    amounts = random.integers(1, 6, n).tolist() if kind == "sums" else [1] * n
    persons = list(range(n)) if rows_each == 1 else random.integers(0, max(2, n // rows_each), n).tolist()
    return TinyTables(
        tuple(levels), _layouts(random, kind, every), tuple(zip(*columns, strict=True)), tuple(amounts), tuple(persons)
    )


def _layouts(
    random: np.random.Generator, kind: str, every: tuple[tuple[int, ...], ...]
) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """The levels of each dimension that each table has."""
    if kind == "linked":  # margins of a table that is not published, two of them or all
        margins = list(combinations(range(len(every)), 2))
        chosen = random.permutation(len(margins))[: int(random.integers(2, 4))].tolist()
        return tuple(
            tuple(each if place in margins[at] else each[-1:] for place, each in enumerate(every)) for at in chosen
        )
    if kind == "levels":
        found = []
        for _ in range(int(random.integers(1, 4))):
            table = []
            for each in every:
                kept = [level for level in each[:-1] if random.random() < 0.6]
                table.append((*kept, *each[-1:]) if not kept or random.random() < 0.8 else tuple(kept))
            found.append(tuple(table))
        return tuple(found)
    return (every,)
