"""NPN and FDH paths and MHM's groups as their definitions read.

A path's step looks at every record not yet visited (of the region), and at no other: they are kept in a list from which
the visited one is taken out, so that visited records cost nothing. Distances add up column by column, in float64.
"""

from __future__ import annotations

import math

import numba
import numpy as np


def npn(X):
    """The NPN path."""
    return fdh_by_codes(X, np.zeros(len(X), dtype=np.int64))


def fdh(X, anchors, radius_divisor=1.0, radius="mean"):
    """The FDH path around these anchors."""
    codes = np.zeros(len(X), dtype=np.int64)
    for a, anchor in enumerate(anchors):
        apart = np.sqrt(_from_row(X, anchor))
        others = np.delete(apart, anchor)
        if others.size:
            reach = np.mean(others) if radius == "mean" else np.median(others)
            codes[apart > reach / radius_divisor] += 2**a
    return fdh_by_codes(X, codes)


def fdh_by_codes(X, codes):
    """The path through the regions of these codes."""
    start = int(np.argmax(_from_point(X, X.mean(axis=0))))
    regions = {int(code): np.flatnonzero(codes == code) for code in np.unique(codes)}
    means = {code: np.cumsum(X[rows], axis=0)[-1] / len(rows) for code, rows in regions.items()}
    code, path = int(codes[start]), [start]
    left = regions.pop(code)
    left = left[left != start]
    while True:
        path.extend(_walk(X, left.astype(np.int32), path[-1]).tolist())
        if not regions:
            return np.array(path, dtype=np.int32)
        end = X[path[-1]]
        code = min(regions, key=lambda c: ((c ^ code).bit_count(), _squared(end, means[c]), c))
        left = regions.pop(code)


def groups_of_path(X, path, k):
    """MHM's sum of squared errors, and its groups as lists of rows along the path."""
    n = len(path)
    if n < 2 * k:
        return _sse(X[path]), [list(map(int, path))]
    best = [(0.0, 0)] + [(math.inf, 0)] * n
    for end in range(k, n + 1):
        candidates = (
            (best[start][0] + _sse(X[path[start:end]]), start) for start in range(max(0, end - 2 * k + 1), end - k + 1)
        )
        best[end] = min(candidates)
    groups, end = [], n
    while end:
        groups.append(list(map(int, path[best[end][1] : end])))
        end = best[end][1]
    return best[n][0], groups[::-1]


def _sse(records):
    return float(((records - records.mean(axis=0)) ** 2).sum())


def _squared(one, other):
    return sum((float(a) - float(b)) ** 2 for a, b in zip(one, other, strict=True))


@numba.njit(cache=True)
def _from_point(X, point):
    found = np.empty(len(X))
    for row in range(len(X)):
        total = 0.0
        for j in range(X.shape[1]):
            total += (X[row, j] - point[j]) * (X[row, j] - point[j])
        found[row] = total
    return found


def _from_row(X, row):
    return _from_point(X, X[row])


@numba.njit(cache=True)
def _walk(X, left, end):
    """The rows left, each the nearest to the one before."""
    path = np.empty(left.size, dtype=np.int32)
    count = left.size
    for place in range(path.size):
        nearest, least = 0, np.inf
        for i in range(count):
            total = 0.0
            for j in range(X.shape[1]):
                total += (X[left[i], j] - X[end, j]) * (X[left[i], j] - X[end, j])
            if total < least:
                nearest, least = i, total
        end = left[nearest]
        path[place] = end
        count -= 1
        for i in range(nearest, count):
            left[i] = left[i + 1]
    return path
