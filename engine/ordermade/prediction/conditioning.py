"""Residuals of measured nodes, spread over all nodes of a grid, one at a time: sequential Gaussian conditioning."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ordermade.lattice.node import Node
from ordermade.prediction.cells import Reals
from ordermade.prediction.interactions import Levels, Nearness


class Conditioning:
    """Mean and variance of the residual of every node of a product of levels, given those that were measured.

    The cost of one more node is one pass over (nodes so far) x (nodes of the grid) figures.
    """

    def __init__(self, nearness: Nearness, axes: Sequence[Levels], scale: float) -> None:
        """`axes`: the levels of each attribute; `scale`: the standard deviation of ln k that a pair adds."""
        self._nearness = nearness
        self._axes = axes
        self._scale2 = scale**2
        self._points: list[Node] = []
        self._root = np.zeros((0, 0))
        self._innovations: list[float] = []
        self._gains = np.zeros((0, math.prod(len(each) for each in axes)), dtype=np.float32)
        self._shape = tuple(len(each) for each in axes)
        self.mean: Reals = np.zeros(self._shape)
        self.variance: Reals = self._scale2 * nearness.own(axes)

    def __len__(self) -> int:
        return len(self._points)

    def add(self, node: Node, value: float, noise: float) -> None:
        """Take in the residual of a node, in the grid or not, whose noise has that variance (above 0)."""
        at = np.array([node], dtype=np.int64)
        own = self._scale2 * float(self._nearness.own_of(at)[0])
        if own == 0:
            return
        covariance = self._scale2 * self._nearness.to_all(node, self._axes).reshape(-1)
        past = self._past(at)
        count = len(past)
        covariance = covariance - past.astype(np.float32) @ self._gains[:count]
        pivot = math.sqrt(max(own - float(past @ past), 0.0) + noise)
        gain = covariance / pivot
        innovation = (value - float(past @ np.array(self._innovations))) / pivot
        self.mean = self.mean + (innovation * gain).reshape(self._shape)
        self.variance = np.maximum(self.variance - (gain**2).reshape(self._shape), 0.0)
        self._grow(count)
        self._gains[count] = gain
        self._root[count, :count] = past
        self._root[count, count] = pivot
        self._innovations.append(innovation)
        self._points.append(node)

    def _past(self, at: Levels) -> Reals:
        """Condition one more node on the nodes so far: its row of the covariance's triangular root."""
        from scipy.linalg import solve_triangular

        count = len(self._points)
        if not count:
            return np.zeros(0)
        near = self._scale2 * self._nearness.covariance(np.array(self._points, dtype=np.int64), at)[:, 0]
        past: Reals = solve_triangular(self._root[:count, :count], near, lower=True, check_finite=False)
        return past

    def _grow(self, count: int) -> None:
        if count < len(self._gains):
            return
        room = max(16, 2 * count)
        gains, root = np.zeros((room, self._gains.shape[1]), dtype=np.float32), np.zeros((room, room))
        gains[:count], root[:count, :count] = self._gains[:count], self._root[:count, :count]
        self._gains, self._root = gains, root
