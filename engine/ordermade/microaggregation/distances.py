"""Squared distances between records, added up column by column in order: the same figure wherever it is computed."""

from __future__ import annotations

from ordermade.compiled import compiled, inner
from ordermade.microaggregation.arrays import Column, Table


@inner
def squared_distance(X: Table, row: int, point: Column) -> float:
    """Between a record and a point."""
    total = 0.0
    for j in range(X.shape[1]):
        apart = X[row, j] - point[j]
        total += apart * apart
    return total


@inner
def squared_distance_of_rows(X: Table, one: int, other: int) -> float:
    """Between two records."""
    total = 0.0
    for j in range(X.shape[1]):
        apart = X[one, j] - X[other, j]
        total += apart * apart
    return total


@compiled
def squared_distances(X: Table, point: Column, apart: Column) -> None:
    """Writes the distance of every record from a point."""
    for row in range(X.shape[0]):
        apart[row] = squared_distance(X, row, point)
