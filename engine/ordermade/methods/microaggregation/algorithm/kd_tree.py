"""A kd-tree of records: leaf order, removal, nearest and farthest records with ties to the lowest row.

The leaves hold up to 16 records, column by column, so that 16 distances are computed at once; a node holds the boxes of
up to 16 children in the same way. The bound of a box is computed as distances are (every operation rounds the same
way), so a box is passed over only if none of its records can be the answer, ties included: the answers are those of a
scan of all records, to the last bit. Boxes shrink as records go. Where boxes exclude nothing (many columns), all leaves
are visited, which is still a scan.

After J. L. Bentley (1975), Multidimensional binary search trees used for associative searching.

Both go down the most promising box first, and pass over boxes that cannot hold a better record.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordermade.machine.compiled import compiled, inner
from ordermade.methods.microaggregation.algorithm.arrays import NO_ROW, Column, Path, Table

Numbers = NDArray[np.int64]

DEEPEST = 128
"""Fewer parts wait at once: some five cuts leave parts that are powers of the width, and 2^31 is at most 16^8."""


def tree_order(X: Table, members: Path, width: int) -> None:
    """Puts members in such an order that each `width` of them lie near each other, and each `width` of such blocks, ….

    Equal values are parted by row, so that equal records end in blocks of consecutive rows.
    """
    _put_in_order(X, members, width, np.zeros((DEEPEST, 2), dtype=np.int64), np.empty((2, X.shape[1])))


@compiled
def _put_in_order(X: Table, members: Path, width: int, waiting: Numbers, sums: Table) -> None:
    waiting[0, 0], waiting[0, 1], top = 0, members.size, 1
    while top > 0:
        top -= 1
        start, end = waiting[top, 0], waiting[top, 1]
        blocks = (end - start + width - 1) // width
        if blocks < 2:
            continue
        unit = 1
        while unit * width < blocks:
            unit *= width
        left = max(1, (blocks // 2 + unit // 2) // unit) * unit
        middle = start + left * width
        _part(X, members, _widest(X, members, start, end, sums[0], sums[1]), start, end, middle)
        waiting[top, 0], waiting[top, 1] = start, middle
        waiting[top + 1, 0], waiting[top + 1, 1] = middle, end
        top += 2


@inner
def _widest(X: Table, members: Path, start: int, end: int, sums: Column, squares: Column) -> int:
    """The column that varies most among these members.

    Variance and not range: a column of few ones among zeros is no good place for a cut in the middle.
    """
    columns = X.shape[1]
    for j in range(columns):
        sums[j], squares[j] = 0.0, 0.0
    first = members[start]
    for place in range(start, end):
        row = members[place]
        for j in range(columns):
            value = X[row, j] - X[first, j]
            sums[j] += value
            squares[j] += value * value
    widest, most = 0, -1.0
    for j in range(columns):
        varies = squares[j] - sums[j] * (sums[j] / (end - start))
        if varies > most:
            widest, most = j, varies
    return widest


@inner
def _part(X: Table, members: Path, column: int, start: int, end: int, middle: int) -> None:
    """The members before `middle` become those with the least values (then rows), by Hoare's selection."""
    low, high = start, end - 1
    while low < high:
        pivot = members[(low + high) // 2]
        value = X[pivot, column]
        i, j = low, high
        while i <= j:
            while X[members[i], column] < value or (X[members[i], column] == value and members[i] < pivot):
                i += 1
            while X[members[j], column] > value or (X[members[j], column] == value and members[j] > pivot):
                j -= 1
            if i <= j:
                members[i], members[j] = members[j], members[i]
                i, j = i + 1, j - 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


WIDTH = 16
"""Records of a leaf, children of a node."""
KEPT, KEPT_OF_LARGE, LARGE, FEW = 0.6, 0.25, 32, 500
"""A tree is best made anew when less than a share of its records is left: of groups of `LARGE` or more, which ask it
seldom, a smaller one. A tree of few is not worth it."""

Blocks = NDArray[np.float64]
Rows = NDArray[np.int32]
Flags = NDArray[np.bool_]


class KdTree(NamedTuple):
    """Leaf `i` is child `i % WIDTH` of node `i // WIDTH`; so it goes on, up to the one node of the last level.

    Nodes are numbered from the lowest level up, leaves after the last node. A node's arrays have one entry a child.
    """

    points: Blocks
    """leaf, column, record"""
    rows: Rows
    filled: Path
    leaf_of: Path
    """The leaf of each row that is left."""
    low: Blocks
    """node, column, child"""
    high: Blocks
    lowest_row: Rows
    reach: Table
    """The largest squared distance of a child's records from the reference."""
    children: Numbers
    """The number of each node's first child."""
    parents: Numbers
    reference: Column
    corner: Column
    """The squared distance from the reference to the farthest corner of all records' box: one number."""
    stale: Flags
    """The nodes and leaves to be measured afresh."""
    waiting: Numbers
    """Room for a search: the nodes and leaves still to be looked at."""
    waiting_for: Column
    waiting_row: Path
    found: Column
    bounds: Column
    cosines: Column


def tree_of(X: Table, members: Path, reference: Column) -> KdTree:
    """The tree of some of the records. The order of `members` is changed."""
    n, columns = members.size, X.shape[1]
    tree_order(X, members, WIDTH)
    leaves = (n + WIDTH - 1) // WIDTH
    children, parents = _family(leaves)
    nodes, waiting = children.size, 8 * WIDTH + 1
    leaf, slot = np.divmod(np.arange(n, dtype=np.int32), WIDTH)
    points, rows = np.zeros((leaves, columns, WIDTH)), np.full((leaves, WIDTH), NO_ROW, dtype=np.int32)
    points[leaf, :, slot], rows[leaf, slot] = X[members], members
    leaf_of = np.full(len(X), -1, dtype=np.int32)
    leaf_of[members] = leaf
    tree = KdTree(
        points=points,
        rows=rows,
        filled=np.bincount(leaf).astype(np.int32),
        leaf_of=leaf_of,
        low=np.full((nodes, columns, WIDTH), np.inf),
        high=np.full((nodes, columns, WIDTH), -np.inf),
        lowest_row=np.full((nodes, WIDTH), NO_ROW, dtype=np.int32),
        reach=np.full((nodes, WIDTH), -1.0),
        children=children,
        parents=parents,
        reference=np.empty(columns),
        corner=np.zeros(1),
        stale=np.zeros(nodes + leaves, dtype=np.bool_),
        waiting=np.empty(waiting, dtype=np.int64),
        waiting_for=np.empty(waiting),
        waiting_row=np.empty(waiting, dtype=np.int32),
        found=np.empty(WIDTH),
        bounds=np.empty(WIDTH),
        cosines=np.empty(WIDTH),
    )
    refer(tree, reference)
    return tree


def enough(records: int, k: int) -> int:
    """The fewest records left in a tree of so many before it is built anew, in a search for groups of k."""
    share = KEPT if k < LARGE else KEPT_OF_LARGE
    return math.ceil(share * records) if records > FEW else 0


def _family(leaves: int) -> tuple[Numbers, Numbers]:
    """The first child of every node, and the parent of every node but the last."""
    widths = [leaves]
    while widths[-1] > 1 or len(widths) == 1:
        widths.append((widths[-1] + WIDTH - 1) // WIDTH)
    nodes = sum(widths[1:])
    children, parents = np.empty(nodes, dtype=np.int64), np.full(nodes, -1, dtype=np.int64)
    first, below = 0, nodes
    for width in widths[1:]:
        places = np.arange(width)
        children[first : first + width] = below + places * WIDTH
        if width > 1:
            parents[first : first + width] = first + width + places // WIDTH
        first, below = first + width, first
    return children, parents


@compiled
def refer(tree: KdTree, reference: Column) -> None:
    """Measure all boxes anew, and their reach from a new point of reference."""
    nodes, columns = tree.children.size, reference.size
    for j in range(columns):
        tree.reference[j] = reference[j]
    for leaf in range(tree.filled.size):
        _measure_leaf(tree, leaf)
    for node in range(nodes - 1):
        _measure_node(tree, node)
    tree.corner[0] = 0.0
    for j in range(columns):
        most = 0.0
        for i in range(WIDTH):
            if tree.lowest_row[nodes - 1, i] != NO_ROW:
                most = max(most, abs(reference[j] - tree.low[nodes - 1, j, i]))
                most = max(most, abs(tree.high[nodes - 1, j, i] - reference[j]))
        tree.corner[0] += most * most


@inner
def take_away(tree: KdTree, members: Path) -> None:
    """Take records out of the tree. A node that held several of them is measured once."""
    nodes, stale = tree.children.size, tree.stale
    for row in members:
        leaf, slot = tree.leaf_of[row], 0
        last = tree.filled[leaf] - 1
        while tree.rows[leaf, slot] != row:
            slot += 1
        tree.rows[leaf, slot] = tree.rows[leaf, last]
        for j in range(tree.reference.size):
            tree.points[leaf, j, slot] = tree.points[leaf, j, last]
        tree.filled[leaf] = last
        stale[nodes + leaf] = True
    any_stale = False
    for row in members:
        leaf = int(np.int64(tree.leaf_of[row]))
        node = leaf // WIDTH
        if stale[nodes + leaf]:
            stale[nodes + leaf] = False
            if _measure_leaf(tree, leaf):
                stale[node], any_stale = True, True
        tree.leaf_of[row] = node
    while any_stale:
        # All leaves are equally far below the last node, so `leaf_of`, now the node, comes to all nodes of a level.
        any_stale = False
        for row in members:
            node = int(np.int64(tree.leaf_of[row]))
            parent = tree.parents[node]
            if stale[node]:
                stale[node] = False
                if parent >= 0 and _measure_node(tree, node):
                    stale[parent], any_stale = True, True
            tree.leaf_of[row] = parent


@inner
def _measure_leaf(tree: KdTree, leaf: int) -> bool:
    """Write a leaf's figures to its node; return whether they have changed."""
    node, slot, filled = leaf // WIDTH, leaf % WIDTH, tree.filled[leaf]
    changed = False
    tree.found[:] = 0.0
    for j in range(tree.reference.size):
        least, most, origin = np.inf, -np.inf, tree.reference[j]
        for i in range(filled):
            value = tree.points[leaf, j, i]
            least, most = min(least, value), max(most, value)
            tree.found[i] += (value - origin) * (value - origin)
        changed |= least != tree.low[node, j, slot] or most != tree.high[node, j, slot]
        tree.low[node, j, slot], tree.high[node, j, slot] = least, most
    lowest, reach = NO_ROW, -1.0
    for i in range(filled):
        lowest, reach = min(lowest, tree.rows[leaf, i]), max(reach, tree.found[i])
    changed |= lowest != tree.lowest_row[node, slot] or reach != tree.reach[node, slot]
    tree.lowest_row[node, slot], tree.reach[node, slot] = lowest, reach
    return bool(changed)


@inner
def _measure_node(tree: KdTree, node: int) -> bool:
    """Write a node's figures to its parent; return whether they have changed."""
    parent = tree.parents[node]
    slot = node - tree.children[parent]
    changed = False
    for j in range(tree.reference.size):
        least, most = np.inf, -np.inf
        for i in range(WIDTH):
            least, most = min(least, tree.low[node, j, i]), max(most, tree.high[node, j, i])
        changed |= least != tree.low[parent, j, slot] or most != tree.high[parent, j, slot]
        tree.low[parent, j, slot], tree.high[parent, j, slot] = least, most
    lowest, reach = NO_ROW, -1.0
    for i in range(WIDTH):
        lowest, reach = min(lowest, tree.lowest_row[node, i]), max(reach, tree.reach[node, i])
    changed |= lowest != tree.lowest_row[parent, slot] or reach != tree.reach[parent, slot]
    tree.lowest_row[parent, slot], tree.reach[parent, slot] = lowest, reach
    return bool(changed)


@inner
def nearest(tree: KdTree, point: Column, excluded: int, distances: Column, rows: Path) -> None:
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
def farthest(tree: KdTree, point: Column) -> tuple[int, int]:
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
def _largest_distances(tree: KdTree, node: int, point: Column, bounds: Column) -> None:
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
def _insert(tree: KdTree, base: int, top: int, child: int, bound: float, row: int) -> int:
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
