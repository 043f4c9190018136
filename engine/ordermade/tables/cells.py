"""The cells of a table, and the sums that hold between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from ordermade.tables.dimensions import Dimension


@dataclass(frozen=True, slots=True)
class Relation:
    """A sum: the value of the cell `total` is that of all cells `parts` together; cells by number."""

    total: int
    parts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CellTable:
    """A table: `cells[i]` has the code of cell i in each dimension, `values[i]` its value; the sums that hold."""

    dimensions: tuple[Dimension, ...]
    cells: npt.NDArray[np.int64]
    values: npt.NDArray[np.int64]
    relations: tuple[Relation, ...]


def relations_of(dimensions: Sequence[Dimension], cells: npt.NDArray[np.int64]) -> tuple[Relation, ...]:
    """The sums between cells: each cell whose code in a dimension has children among the cells, and these.

    A child that is no cell is an empty one, known to be 0. In the order of totals, then of dimensions.
    """
    number = {cell: place for place, cell in enumerate(map(tuple, cells.tolist()))}
    parts: dict[tuple[int, int], list[int]] = {}
    for cell, place in number.items():
        for at, dimension in enumerate(dimensions):
            parent = dimension.parents[cell[at]]
            total = None if parent < 0 else number.get((*cell[:at], parent, *cell[at + 1 :]))
            if total is not None:
                parts.setdefault((total, at), []).append(place)
    return tuple(Relation(total, tuple(parts[total, at])) for total, at in sorted(parts))


def matrix_of(relations: Sequence[Relation], n: int) -> csr_matrix:
    """The matrix A of n columns with a row a sum, so that A x = 0 for the values x of a table that adds up."""
    rows = np.repeat(np.arange(len(relations)), [1 + len(each.parts) for each in relations])
    columns = np.array([place for each in relations for place in (each.total, *each.parts)], dtype=np.int64)
    signs = np.array([sign for each in relations for sign in (1, *(-1 for _ in each.parts))], dtype=np.float64)
    return csr_matrix((signs, (rows, columns)), shape=(len(relations), n))
