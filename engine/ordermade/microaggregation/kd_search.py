"""The nearest and the farthest records of a tree of boxes, ties to the lowest row.

Both go down the most promising box first, and pass over boxes that cannot hold a better record.
"""

from __future__ import annotations

import numpy as np

from ordermade.compiled import inner
from ordermade.microaggregation.arrays import NO_ROW, Column, Path, Table
from ordermade.microaggregation.kd_tree import WIDTH, Tree


@inner
def nearest(tree: Tree, point: Column, excluded: int, distances: Column, rows: Path) -> None:
    """Puts the records nearest to a point in the place of worse ones.

    `distances` (squared) and `rows` are a heap, the worst first: before, infinities and NO_ROW, or what is known
    already. The excluded row is left out.
    """
    waiting, waiting_for, waiting_row = tree.waiting, tree.waiting_for, tree.waiting_row
    found, bounds = tree.found, tree.bounds
    nodes = tree.children.size
    waiting[0], waiting_for[0], waiting_row[0], top = nodes - 1, 0.0, -1, 1
    while top > 0:
        top -= 1
        this = waiting[top]
        if waiting_for[top] > distances[0] or (waiting_for[top] == distances[0] and waiting_row[top] >= rows[0]):
            continue
        if this >= nodes:
            leaf = this - nodes
            _distances(tree.points[leaf], point, found)
            for i in range(tree.filled[leaf]):
                if found[i] <= distances[0]:
                    row = tree.rows[leaf, i]
                    if (found[i] < distances[0] or row < rows[0]) and row != excluded:
                        _replace_worst(distances, rows, found[i], row)
            continue
        _least_distances(tree.low[this], tree.high[this], point, bounds)
        base = top
        for i in range(WIDTH):
            bound, row = bounds[i], tree.lowest_row[this, i]
            if bound < distances[0] or (bound == distances[0] and row < rows[0]):
                top = _insert(tree, base, top, tree.children[this] + i, bound, row)


@inner
def farthest(tree: Tree, point: Column) -> tuple[int, int]:
    """The record farthest from a point, and the number of leaves that were searched."""
    waiting, waiting_for, waiting_row = tree.waiting, tree.waiting_for, tree.waiting_row
    found, bounds = tree.found, tree.bounds
    nodes = tree.children.size
    most, most_row, visited = -1.0, NO_ROW, 0
    waiting[0], waiting_for[0], waiting_row[0], top = nodes - 1, -np.inf, -1, 1
    while top > 0:
        top -= 1
        this, bound = waiting[top], -waiting_for[top]
        if bound < most or (bound == most and waiting_row[top] >= most_row):
            continue
        if this >= nodes:
            leaf = this - nodes
            visited += 1
            _distances(tree.points[leaf], point, found)
            for i in range(tree.filled[leaf]):
                row = tree.rows[leaf, i]
                if found[i] > most or (found[i] == most and row < most_row):
                    most, most_row = found[i], row
            continue
        _largest_distances(tree, this, point, bounds)
        base = top
        for i in range(WIDTH):
            bound, row = bounds[i], tree.lowest_row[this, i]
            if row != NO_ROW and (bound > most or (bound == most and row < most_row)):
                top = _insert(tree, base, top, tree.children[this] + i, -bound, row)
    return most_row, visited


@inner
def _distances(block: Table, point: Column, found: Column) -> None:
    """The squared distances of a leaf's records from a point, as `squared_distance` computes them.

    Four columns at a time, still added one after the other: the sums are read and written less often.
    """
    found[:] = 0.0
    j, columns = 0, point.size
    while j + 4 <= columns:
        p, q, r, s = point[j], point[j + 1], point[j + 2], point[j + 3]
        one, two, three, four = block[j], block[j + 1], block[j + 2], block[j + 3]
        for i in range(WIDTH):
            a, b, c, d = one[i] - p, two[i] - q, three[i] - r, four[i] - s
            found[i] = found[i] + a * a + b * b + c * c + d * d
        j += 4
    while j < columns:
        p, one = point[j], block[j]
        for i in range(found.size):
            a = one[i] - p
            found[i] += a * a
        j += 1


@inner
def _least_distances(low: Table, high: Table, point: Column, bounds: Column) -> None:
    """The squared distances of a point from the nearest corners (or sides) of a node's boxes."""
    for i in range(bounds.size):
        bounds[i] = 0.0
    for j in range(point.size):
        value, least, most = point[j], low[j], high[j]
        for i in range(bounds.size):
            below, above = least[i] - value, value - most[i]
            apart = max(below, above)
            apart = max(apart, 0.0)
            bounds[i] += apart * apart


@inner
def _largest_distances(tree: Tree, node: int, point: Column, bounds: Column) -> None:
    """No record of a node's boxes is farther from a point than this (squared).

    The lesser of two limits. One is the distance of the farthest corner. The other is, by the law of cosines at the
    reference r, |x - r|^2 + |p - r|^2 - 2 (x - r)(p - r) for the farthest x and the least product that a box allows:
    tight for the outermost records, whose boxes have empty corners. It is widened by its possible rounding error.
    """
    low, high, cosines = tree.low[node], tree.high[node], tree.cosines
    for i in range(bounds.size):
        bounds[i], cosines[i] = 0.0, 0.0
    to_point = 0.0
    for j in range(point.size):
        value, origin, least, most = point[j], tree.reference[j], low[j], high[j]
        away = value - origin
        to_point += away * away
        for i in range(bounds.size):
            below, above = value - least[i], most[i] - value
            apart = max(below, above)
            bounds[i] += apart * apart
            one, other = away * (least[i] - origin), away * (most[i] - origin)
            cosines[i] += min(one, other)
    rounded = 1e-15 * (point.size + 8) * 2.0 * (to_point + tree.corner[0]) + 1e-300
    for i in range(bounds.size):
        limit = tree.reach[node, i] + to_point - 2.0 * cosines[i] + rounded
        bounds[i] = min(bounds[i], limit)


@inner
def _insert(tree: Tree, base: int, top: int, child: int, bound: float, row: int) -> int:
    """Lets a child wait among its siblings, which are sorted: the least bound, then row, is taken first."""
    waiting, waiting_for, waiting_row = tree.waiting, tree.waiting_for, tree.waiting_row
    place = top
    while place > base and (
        waiting_for[place - 1] < bound or (waiting_for[place - 1] == bound and waiting_row[place - 1] < row)
    ):
        waiting[place] = waiting[place - 1]
        waiting_for[place], waiting_row[place] = waiting_for[place - 1], waiting_row[place - 1]
        place -= 1
    waiting[place], waiting_for[place], waiting_row[place] = child, bound, row
    return top + 1


@inner
def _replace_worst(distances: Column, rows: Path, distance: float, row: int) -> None:
    """Puts a record in the place of the worst of a heap."""
    place, size = 0, rows.size
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        right = child + 1
        if right < size and (
            distances[right] > distances[child] or (distances[right] == distances[child] and rows[right] > rows[child])
        ):
            child = right
        if distances[child] < distance or (distances[child] == distance and rows[child] < row):
            break
        distances[place], rows[place] = distances[child], rows[child]
        place = child
    distances[place], rows[place] = distance, row
