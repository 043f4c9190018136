"""A tree of boxes of records, which can be taken away, to find the nearest and the farthest of those left.

The leaves hold up to 16 records, column by column, so that 16 distances are computed at once; a node holds the boxes of
up to 16 children in the same way. The bound of a box is computed as distances are (every operation rounds the same
way), so a box is passed over only if none of its records can be the answer, ties included: the answers are those of a
scan of all records, to the last bit. Boxes shrink as records go. Where boxes exclude nothing (many columns), all leaves
are visited, which is still a scan.

After J. L. Bentley (1975), Multidimensional binary search trees used for associative searching.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordermade.compiled import compiled, inner
from ordermade.microaggregation.arrays import NO_ROW, Column, Path, Table
from ordermade.microaggregation.kd_order import tree_order

WIDTH = 16
"""Records of a leaf, children of a node."""
KEPT, KEPT_OF_LARGE, LARGE, FEW = 0.6, 0.25, 32, 500
"""A tree is best made anew when less than a share of its records is left: of groups of `LARGE` or more, which ask it
seldom, a smaller one. A tree of few is not worth it."""

Blocks = NDArray[np.float64]
Rows = NDArray[np.int32]
Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Tree(NamedTuple):
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


def tree_of(X: Table, members: Path, reference: Column) -> Tree:
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
    tree = Tree(
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
def refer(tree: Tree, reference: Column) -> None:
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
def take_away(tree: Tree, members: Path) -> None:
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
def _measure_leaf(tree: Tree, leaf: int) -> bool:
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
def _measure_node(tree: Tree, node: int) -> bool:
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
