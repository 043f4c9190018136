"""The cells of one or several linked tables over the same units, and the sums that bind them.

A variable a distinct cell: a cell that stands in two tables is one. A table that leaves a dimension out has its total.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ordermade.errors import InputError
from ordermade.tables.dimensions import Dimension

if TYPE_CHECKING:
    import scipy.sparse

Whole = npt.NDArray[np.int64]
Marks = npt.NDArray[np.bool_]
_MOST_KEYS = 2**62
_MOST_POSSIBLE = 20_000
"""The most cells of no table, finest ones, among which the empty ones are looked for that might not be empty."""


@dataclass(frozen=True)
class Relation:
    """value[total] = sum of value[parts], by the indices of cells."""

    total: int
    parts: tuple[int, ...]


@dataclass(frozen=True)
class CellTable:
    """Cells with their values (counts, or sums in a smallest unit) and what adds up.

    `cells`: a row a cell, the index of its code in each dimension. A cell that is not there is empty, and known to be.
    `hidden`: cells of no published table, which are there so that the others add up (a level left out).
    `layouts`: the codes of each dimension that each linked table has; () where one table has all.
    """

    dimensions: tuple[Dimension, ...]
    cells: Whole
    values: Whole
    relations: tuple[Relation, ...]
    hidden: tuple[int, ...] = ()
    layouts: tuple[tuple[frozenset[int], ...], ...] = ()

    def __post_init__(self) -> None:
        if self.cells.ndim != 2 or self.cells.shape != (len(self.values), len(self.dimensions)):
            raise InputError(
                f"cells of shape {self.cells.shape}, {len(self.values)} values and {len(self.dimensions)} dimensions",
                where="the cells of a table",
                next_step="Give each value one row of codes.",
            )
        if len(self.values) and int(self.values.min()) < 0:
            raise InputError(
                "a cell is below 0",
                where="the cells of a table",
                next_step="Tables of counts, and of sums of what is 0 or more, can be protected.",
            )
        for relation in self.relations:
            if not all(0 <= each < len(self.values) for each in (relation.total, *relation.parts)):
                raise InputError(
                    "a sum names a cell that is not there",
                    where="the sums of a table",
                    next_step="Name cells by their row.",
                )
            if int(self.values[relation.total]) != sum(int(self.values[each]) for each in relation.parts):
                raise InputError(
                    "cells do not add up to their total",
                    where=f"the sum of cell number {relation.total}",
                    next_step="Take the totals from the same rows as the cells.",
                )

    def with_values(self, values: Whole) -> CellTable:
        """The same cells with other values. Raises InputError where these do not add up."""
        return replace(self, values=values)


def keys_of(dimensions: Sequence[Dimension], cells: Whole) -> Whole:
    """One number a cell, ascending as its codes do; the same for the same codes."""
    sizes = [len(each.codes) for each in dimensions]
    most = 1
    for size in sizes:
        most *= size
    if most >= _MOST_KEYS:
        raise InputError(
            f"the dimensions have {most:.3g} combinations of codes",
            where="the dimensions of a table",
            next_step="Leave dimensions out, or take coarser ones.",
        )
    keys = np.zeros(len(cells), dtype=np.int64)
    for place, size in enumerate(sizes):
        column = cells[:, place]
        if len(column) and not 0 <= int(column.min()) <= int(column.max()) < size:
            raise InputError(
                "a cell has a code that its dimension has not",
                where=f"dimension {dimensions[place].name}",
                next_step=f"Codes are numbers from 0 to {size - 1}.",
            )
        keys = keys * size + column
    return keys


def relations_of(dimensions: Sequence[Dimension], cells: Whole) -> tuple[Relation, ...]:
    """The sums that bind cells: for each dimension, a cell is the sum of the cells with the children of its code.

    A child that is not among the cells is empty. A cell whose children are all missing is no sum of them: its table
    ends there. Raises InputError where a cell stands twice.
    """
    keys = keys_of(dimensions, cells)
    order = np.argsort(keys, kind="stable")
    ascending = keys[order]
    if np.any(ascending[1:] == ascending[:-1]):
        raise InputError("a cell stands twice", where="the cells of a table", next_step="Give each cell once.")
    found: list[Relation] = []
    step = 1
    for place in reversed(range(len(dimensions))):
        parents = np.array(dimensions[place].parents, dtype=np.int64)[cells[:, place]]
        children = np.flatnonzero(parents >= 0)
        above = keys[children] + (parents[children] - cells[children, place]) * step
        at = np.minimum(np.searchsorted(ascending, above), max(len(ascending) - 1, 0))
        there = ascending[at] == above
        children, totals = children[there], order[at[there]]
        sorting = np.lexsort((children, totals))
        children, totals = children[sorting], totals[sorting]
        starts = np.flatnonzero(np.r_[True, totals[1:] != totals[:-1]][: len(totals)])
        found += [
            Relation(int(totals[start]), tuple(children[start:end].tolist()))
            for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(totals)][: len(starts)], strict=True)
        ]
        step *= len(dimensions[place].codes)
    return tuple(sorted(found, key=lambda each: (each.total, each.parts)))


def matrix_of(relations: Sequence[Relation], n: int) -> scipy.sparse.csr_matrix[Any]:
    """The matrix A of the sums over n cells: A x = 0 of every table that adds up.

    Raises InputError where scipy is not installed.
    """
    sparse = scipy_sparse()
    lengths = np.array([1 + len(each.parts) for each in relations], dtype=np.int64)
    columns = np.array([cell for each in relations for cell in (each.total, *each.parts)], dtype=np.int64)
    signs = np.full(len(columns), -1.0)
    starts = np.r_[0, np.cumsum(lengths)].astype(np.int64)
    signs[starts[:-1]] = 1.0
    found: scipy.sparse.csr_matrix[Any] = sparse.csr_matrix((signs, columns, starts), shape=(len(relations), n))
    return found


def scipy_sparse() -> Any:
    """scipy.sparse; raises InputError with what to install where it is not there."""
    try:
        import scipy.sparse
    except ModuleNotFoundError:
        raise missing_scipy() from None
    return scipy.sparse


def missing_scipy() -> InputError:
    """The error of an installation without scipy."""
    return InputError(
        "protecting a table with totals needs the package scipy, which is not installed",
        next_step="Install it with `pip install 'ordermade[tables]'`.",
    )


def summed_cells(
    dimensions: Sequence[Dimension],
    leaves: Whole,
    amounts: Whole,
    tables: Sequence[Mapping[str, Sequence[int]]] = (),
) -> CellTable:
    """The non-empty cells with all totals, of rows: `leaves` has the leaf code of each row a dimension.

    `amounts`: what each row adds (1 for a count). `tables`: linked tables, each the codes it has by dimension; a
    dimension that it leaves out is summed to its total. () is one table of all codes. Cells of no table that bind those
    of the tables are `hidden`: levels that a table leaves out between others or above them, and, of tables in a ring
    (AB, BC, CA), the cells that all of them are sums of. Raises InputError where a dimension that is left
    out has no total.
    """
    every = tuple(frozenset(range(len(each.codes))) for each in dimensions)
    layouts = [_layout(dimensions, each) for each in tables] or [every]
    keys, cells, values = _summed(dimensions, layouts, leaves, amounts)
    closures = [
        tuple(_closed(*each, to_root=len(layouts) > 1) for each in zip(dimensions, layout, strict=True))
        for layout in layouts
    ]
    ring = _in_a_ring(closures)
    binding = [tuple(frozenset[int]().union(*each) for each in zip(*ring, strict=True))] if ring else []
    hidden: tuple[int, ...] = ()
    if binding or closures != layouts:
        all_keys, cells, values = _summed(dimensions, [*closures, *binding], leaves, amounts)
        for layout in binding:
            possible = _possible(dimensions, layout, closures, all_keys)
            cells, values = np.concatenate([cells, possible]), np.r_[values, np.zeros(len(possible), dtype=np.int64)]
            all_keys = np.concatenate([all_keys, keys_of(dimensions, possible)])
            order = np.argsort(all_keys, kind="stable")
            all_keys, cells, values = all_keys[order], cells[order], values[order]
        hidden = tuple(np.flatnonzero(~np.isin(all_keys, keys)).tolist())
    relations = relations_of(dimensions, cells)
    return CellTable(tuple(dimensions), cells, values, relations, hidden, (*closures, *binding) if tables else ())


def _in_a_ring(closures: Sequence[tuple[frozenset[int], ...]]) -> list[tuple[frozenset[int], ...]]:
    """The tables whose sums alone do not say whether there are rows that have all of them as margins; [] if none.

    A table that shares with all others together no more than with one of them is never of these: whatever its cells
    are, their rows can be joined to those of the others.
    """
    left = list(dict.fromkeys(closures))
    while len(left) > 1:
        for each in left:
            others = [other for other in left if other != each]
            shared = [
                codes & frozenset[int]().union(*(other[place] for other in others)) for place, codes in enumerate(each)
            ]
            if any(all(map(frozenset.issubset, shared, other)) for other in others):
                left.remove(each)
                break
        else:
            return left
    return []


def _possible(
    dimensions: Sequence[Dimension],
    layout: tuple[frozenset[int], ...],
    closures: Sequence[tuple[frozenset[int], ...]],
    keys: Whole,
) -> Whole:
    """The empty cells of a layout that no table shows to be empty; none of very many: all are then taken for known."""
    finest = [
        sorted(code for code in codes if not codes.intersection(dimension.children(code)))
        for dimension, codes in zip(dimensions, layout, strict=True)
    ]
    if math.prod(map(len, finest)) > _MOST_POSSIBLE:
        return np.zeros((0, len(dimensions)), dtype=np.int64)
    atoms = np.array(list(product(*finest)), dtype=np.int64)
    for closure in closures:
        above = atoms.copy()
        for place, (dimension, codes) in enumerate(zip(dimensions, closure, strict=True)):
            lowest = [next((each for each in dimension.path(code) if each in codes), -1) for code in finest[place]]
            above[:, place] = np.array(lowest)[np.searchsorted(finest[place], atoms[:, place])]
        beside = np.any(above < 0, axis=1)  # under no code of the table
        atoms = atoms[beside | np.isin(keys_of(dimensions, np.maximum(above, 0)), keys)]
    _, cells, _ = _summed(dimensions, [layout], atoms, np.ones(len(atoms), dtype=np.int64))
    return cells[~np.isin(keys_of(dimensions, cells), keys)]


def cells_above(table: CellTable, leaves: Whole) -> tuple[Whole, Whole]:
    """Every pair of a row of leaf codes and a cell of the table that it is in: rows by number, and cells by index."""
    keys = keys_of(table.dimensions, table.cells)
    order = np.argsort(keys, kind="stable")
    ascending = keys[order]
    rows, found = np.arange(len(leaves), dtype=np.int64), np.zeros(len(leaves), dtype=np.int64)
    for place, dimension in enumerate(table.dimensions):
        repeated, codes = _spread(leaves[rows, place], [dimension.path(code) for code in range(len(dimension.codes))])
        rows, found = rows[repeated], found[repeated] * len(dimension.codes) + codes
    at = np.minimum(np.searchsorted(ascending, found), max(len(ascending) - 1, 0))
    there = ascending[at] == found if len(ascending) else np.zeros(len(found), dtype=np.bool_)
    return rows[there], order[at[there]]


def _spread(codes: Whole, paths: Sequence[Sequence[int]]) -> tuple[Whole, Whole]:
    """Each code as often as its path has codes, by its place, and the codes of the paths one after the other."""
    lengths = np.array([len(each) for each in paths], dtype=np.int64)
    flat = np.array([each for path in paths for each in path], dtype=np.int64)
    starts = np.r_[0, np.cumsum(lengths)[:-1]].astype(np.int64)
    repeats = lengths[codes]
    rows = np.repeat(np.arange(len(codes)), repeats)
    within = np.arange(len(rows)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    return rows, flat[starts[codes[rows]] + within]


def _layout(dimensions: Sequence[Dimension], table: Mapping[str, Sequence[int]]) -> tuple[frozenset[int], ...]:
    """The codes of one table in every dimension."""
    known = {each.name for each in dimensions}
    for name in table:
        if name not in known:
            raise InputError(
                "a table has a dimension that is not there", where=f"dimension {name}", next_step="Name a dimension."
            )
    found = []
    for dimension in dimensions:
        codes = frozenset(table.get(dimension.name, dimension.roots))
        if dimension.name not in table and len(dimension.roots) != 1:
            raise InputError(
                "a table leaves a dimension out that has no total",
                where=f"dimension {dimension.name}",
                next_step="Give the dimension a total, or each table its codes.",
            )
        if not codes or not codes <= frozenset(range(len(dimension.codes))):
            raise InputError(
                "a table has no code of a dimension, or one that is not there",
                where=f"dimension {dimension.name}",
                next_step=f"Codes are numbers from 0 to {len(dimension.codes) - 1}.",
            )
        found.append(codes)
    return tuple(found)


def _closed(dimension: Dimension, codes: frozenset[int], *, to_root: bool) -> frozenset[int]:
    """The codes with all that stand between them and what adds up to them: everything needed for the sums."""
    found = set(codes)
    # Above: from each code up to the highest ancestor that is there; the way between joins the two by sums. Up to the
    # root where another table may have the same sums.
    for code in codes:
        path = dimension.path(code)
        last = len(path) - 1 if to_root else max(place for place, each in enumerate(path) if each in codes)
        found.update(path[: last + 1])
    # Siblings: a sum needs all its parts.
    for code in sorted(found):
        below = dimension.children(code)
        if any(each in found for each in below):
            found.update(below)
    return frozenset(found)


def _summed(
    dimensions: Sequence[Dimension], layouts: Sequence[tuple[frozenset[int], ...]], leaves: Whole, amounts: Whole
) -> tuple[Whole, Whole, Whole]:
    """Keys, codes and values of the cells of the layouts, each once, by ascending key."""
    if leaves.ndim != 2 or leaves.shape != (len(amounts), len(dimensions)):
        raise InputError(
            f"codes of shape {leaves.shape} for {len(amounts)} rows and {len(dimensions)} dimensions",
            where="the rows of a table",
            next_step="Give each row one leaf code a dimension.",
        )
    keys_of(dimensions, leaves)  # raises where a code is not there
    parts = []
    for layout in layouts:
        codes, sums = leaves, amounts
        for place, (dimension, wanted) in enumerate(zip(dimensions, layout, strict=True)):
            paths = [[each for each in dimension.path(code) if each in wanted] for code in range(len(dimension.codes))]
            rows, column = _spread(codes[:, place], paths)
            codes, sums = codes[rows].copy(), sums[rows]
            codes[:, place] = column
            _, first, inverse = np.unique(keys_of(dimensions, codes), return_index=True, return_inverse=True)
            added = np.zeros(len(first), dtype=np.int64)
            np.add.at(added, inverse, sums)
            codes, sums = codes[first], added
        parts.append((keys_of(dimensions, codes), codes, sums))
    keys, first = np.unique(np.concatenate([each for each, _, _ in parts]), return_index=True)
    cells = np.concatenate([each for _, each, _ in parts])[first]
    values = np.concatenate([each for _, _, each in parts])[first]
    present = values > 0
    return keys[present], cells[present], values[present]
