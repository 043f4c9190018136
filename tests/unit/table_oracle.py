"""All integer tables that agree with what is published, one by one: what a reader cannot tell apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ordermade.tables.cells import CellTable, Whole, summed_cells
from ordermade.tables.dimensions import Dimension, dimension_of_levels


class TooMany(Exception):
    """There are more tables than are looked at."""


def enumerated(
    table: CellTable, unknown: Sequence[int], lower: Sequence[int], above: int, most: int = 60_000
) -> dict[int, tuple[int, int]]:
    """The least and most value of each unknown cell over all tables, no cell more than `above` over its true value.

    The last unknown cell of a sum follows from the others. Raises TooMany after `most` steps.
    """
    sums = [(each.total, *each.parts) for each in table.relations]
    sums_of: dict[int, list[int]] = {}
    for number, members in enumerate(sums):
        for cell in members:
            sums_of.setdefault(cell, []).append(number)
    order = _by_sums(list(unknown), sums, sums_of)
    values = {cell: int(value) for cell, value in enumerate(table.values)}
    left = [sum(cell in set(unknown) for cell in members) for members in sums]
    for cell in unknown:
        del values[cell]
    found: dict[int, tuple[int, int]] = {}
    steps = 0

    def rest(number: int, cell: int) -> int:
        """What the only unknown cell of a sum is."""
        total, *parts = sums[number]
        if cell == total:
            return sum(values[each] for each in parts)
        return values[total] - sum(values[each] for each in parts if each != cell)

    def place(at: int) -> None:
        nonlocal steps
        steps += 1
        if steps > most:
            raise TooMany
        if at == len(order):
            for cell in unknown:
                least, largest = found.get(cell, (values[cell], values[cell]))
                found[cell] = min(least, values[cell]), max(largest, values[cell])
            return
        cell = order[at]
        forced = {rest(number, cell) for number in sums_of.get(cell, ()) if left[number] == 1}
        true = int(table.values[cell])
        choices = forced or range(lower[cell], true + above + 1)
        if len(forced) > 1:
            return
        for number in sums_of.get(cell, ()):
            left[number] -= 1
        for choice in choices:
            if lower[cell] <= choice <= true + above:
                values[cell] = choice
                place(at + 1)
        values.pop(cell, None)
        for number in sums_of.get(cell, ()):
            left[number] += 1

    place(0)
    return found


def _by_sums(unknown: list[int], sums: list[tuple[int, ...]], sums_of: dict[int, list[int]]) -> list[int]:
    """An order in which sums are soon complete."""
    left = [sum(cell in unknown for cell in members) for members in sums]
    order = []
    waiting = sorted(unknown)
    while waiting:
        cell = min(
            waiting, key=lambda each: (min((left[number] for number in sums_of.get(each, ())), default=99), each)
        )
        waiting.remove(cell)
        order.append(cell)
        for number in sums_of.get(cell, ()):
            left[number] -= 1
    return order


def tiny_dimension(random: np.random.Generator, name: str, leaves: int, *, deep: bool) -> Dimension:
    """Some leaves with a total, and where `deep` two groups between."""
    levels = [[f"{name}{each}" for each in range(leaves)]]
    if deep:
        cut = int(random.integers(1, leaves))
        levels.append([f"{name}-{int(each >= cut)}" for each in range(leaves)])
    return dimension_of_levels(name, levels, total=f"{name}-all").dimension


def tiny_table(random: np.random.Generator, kind: str) -> tuple[CellTable, Whole, Whole]:
    """A table with totals and its rows: leaf codes and amounts. Kinds: plain, deep, linked, sums."""
    numbers = int(random.integers(2, 5)) if kind in ("plain", "linked") else 2
    sizes = [int(random.integers(2, 4 if numbers == 2 else 3)) for _ in range(numbers)]
    if numbers == 2:
        sizes = [each + 1 for each in sizes]
    dimensions = [
        tiny_dimension(random, "abcd"[place], size, deep=kind in ("deep", "sums") and place == 0)
        for place, size in enumerate(sizes)
    ]
    rows = int(random.integers(8, 50))
    weights = [random.dirichlet(np.ones(size) * 1.5) for size in sizes]
    columns = [
        np.array(dimension.leaves)[random.choice(size, rows, p=weight)]
        for dimension, size, weight in zip(dimensions, sizes, weights, strict=True)
    ]
    leaves = np.stack(columns, axis=1).astype(np.int64)
    amounts = random.integers(1, 6, rows).astype(np.int64) if kind == "sums" else np.ones(rows, dtype=np.int64)
    tables = []
    if kind == "linked":
        names = [each.name for each in dimensions]
        every = {each.name: tuple(range(len(each.codes))) for each in dimensions}
        tables = [
            {name: every[name] for name in names if name != left_out}
            for left_out in random.choice(names, 2, replace=False).tolist()
        ]
    return summed_cells(dimensions, leaves, amounts, tables), leaves, amounts
