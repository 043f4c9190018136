"""The evidence of a certificate: an inclusion-minimal cover of all better nodes, out of what a search has measured.

The boxes of `claims` are all that counts. Where those of the measured nodes leave a node over, it is counted, too; then
every piece of evidence that the others make superfluous is left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import EllipsisType
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ordermade.certificates.claims import Box, ClaimedFigures, ClaimedTerms, Node, Why, left_over, proved
from ordermade.lattice.cells import Region, box

MAX_CELLS = 20_000_000
"""Nodes of a lattice up to which all of them are laid out in an array."""
LARGEST_EXACT = 2**62

Flags = npt.NDArray[np.bool_]
Count = Callable[[Node], ClaimedFigures]


@dataclass(frozen=True, slots=True)
class Reason:
    """A counted node, why it leaves nothing better around it, and the nodes that it rules out."""

    node: Node
    why: Why
    box: Box


class Uncovered(Exception):
    """A node that is better than the certified one and passes. Holds the node."""

    def __init__(self, node: Node) -> None:
        super().__init__("a better node passes")
        self.node = node


class _Cover(Protocol):
    """The boxes chosen so far, and what they leave over."""

    def add(self, reason: Reason) -> bool: ...

    def left(self) -> Node | None: ...

    def minimal(self) -> list[Reason]: ...


def covering(
    terms: ClaimedTerms, best: Fraction | None, known: Mapping[Node, ClaimedFigures], count: Count
) -> list[Reason]:
    """An inclusion-minimal cover of the accepted nodes that could be better than `best`.

    `known`: the figures of nodes, at any levels; `count` gives those of another. Raises Uncovered where one that is
    better passes.
    """
    size = math.prod(len(each.accepted) for each in terms.columns)
    cover: _Cover = _Laid(terms, best) if size <= MAX_CELLS else _Listed(terms, best)
    reasons = [each for node, figures in known.items() for each in _reasons(terms, best, node, figures)]
    for each in sorted(reasons, key=lambda reason: (-_size(terms, reason.box), reason.node, reason.why)):
        cover.add(each)
    climb = _Climb(terms, best, count)
    while (node := cover.left()) is not None:
        if not sum([cover.add(each) for each in climb.reasons(node)]):
            raise Uncovered(node)
    return cover.minimal()


class _Climb:
    """From a failing node to a coarsest one that fails with all that refine it: it rules out the most."""

    def __init__(self, terms: ClaimedTerms, best: Fraction | None, count: Count) -> None:
        self._terms, self._best, self._count = terms, best, count
        self._counted: dict[Node, ClaimedFigures] = {}  # what was known before may lack the cost of suppressed rows

    def reasons(self, node: Node) -> list[Reason]:
        """Every reason of a node; where it fails with all that refine it, those of the coarsest such node above it."""
        found = self._of(node)
        if not any(each.why == "fails" for each in found):
            return found
        for i, column in enumerate(self._terms.columns):
            for level in range(column.top, node[i], -1):
                higher = (*node[:i], level, *node[i + 1 :])
                if column.refines[node[i]][level] and any(each.why == "fails" for each in self._of(higher)):
                    node = higher
                    break
        return self._of(node)

    def _of(self, node: Node) -> list[Reason]:
        if node not in self._counted:
            self._counted[node] = self._count(node)
        return list(_reasons(self._terms, self._best, node, self._counted[node]))


def _reasons(terms: ClaimedTerms, best: Fraction | None, node: Node, figures: ClaimedFigures) -> Iterable[Reason]:
    return [Reason(node, why, box) for why, box in proved(terms, best, node, figures)]


def _size(terms: ClaimedTerms, box: Box) -> int:
    pairs = zip(box.levels, terms.columns, strict=True)
    return math.prod(len(levels.intersection(each.accepted)) for levels, each in pairs)


class _Laid:
    """A cover of a lattice that fits an array: how many boxes cover each node that could be better."""

    def __init__(self, terms: ClaimedTerms, best: Fraction | None) -> None:
        self._columns = terms.columns
        shape = tuple(len(each.accepted) for each in terms.columns)
        self._costs = _LevelCosts(terms)
        self._times = np.zeros(shape, dtype=np.int32)
        self._margin = terms.margin
        self._open: Flags = np.ones(shape, dtype=np.bool_)
        if best is not None and any(each.costs for each in terms.columns):
            self._open = self._costs.below(best - self._margin)
        self._pays = best is None or any(each.costs for each in terms.columns)
        self._chosen: list[tuple[Reason, Region, Flags]] = []

    def add(self, reason: Reason) -> bool:
        """Takes a box, unless all that it covers is covered; returns whether it was taken."""
        pairs = zip(self._columns, reason.box.levels, strict=True)
        place = box([[i for i, level in enumerate(each.accepted) if level in levels] for each, levels in pairs])
        inside = self._open[place]
        if reason.box.least is not None:
            inside = inside & ~self._costs.below(reason.box.least - self._margin, place)
        if not (inside & (self._times[place] == 0)).any():
            return False
        self._times[place] += inside
        self._chosen.append((reason, place, inside))
        return True

    def left(self) -> Node | None:
        """The node worth counting: of those left over, one with many left over that refine it or that it refines."""
        left = self._open & (self._times == 0)
        if not left.any():
            return None
        finer, coarser = self._around(left)
        worth = finer if self._pays else finer * coarser
        place = np.unravel_index(int(np.argmax(np.where(left, worth, -1.0))), left.shape)
        return tuple(each.accepted[int(i)] for each, i in zip(self._columns, place, strict=True))

    def _around(self, left: Flags) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """For each node, how many of those left over refine it, and how many it refines."""
        finer = coarser = left.astype(np.float64)
        for axis, each in enumerate(self._columns):
            order = np.array([[each.refines[i][j] for j in each.accepted] for i in each.accepted], dtype=np.float64)
            finer = np.moveaxis(np.tensordot(order.T, finer, axes=(1, axis)), 0, axis)
            coarser = np.moveaxis(np.tensordot(order, coarser, axes=(1, axis)), 0, axis)
        return finer, coarser

    def minimal(self) -> list[Reason]:
        """The boxes without those that the others make superfluous, the ones that cover least left out first."""
        kept = []
        for reason, place, inside in sorted(self._chosen, key=lambda each: int(each[2].sum())):
            if (self._times[place][inside] > 1).all():
                self._times[place] -= inside
            else:
                kept.append(reason)
        return kept[::-1]


class _Listed:
    """A cover of a lattice of any size: nodes left over are looked for, none is listed."""

    def __init__(self, terms: ClaimedTerms, best: Fraction | None) -> None:
        self._terms = terms
        self._best = best
        self._chosen: list[Reason] = []

    def add(self, reason: Reason) -> bool:
        """Takes a box, unless one that was taken holds it; returns whether it was taken."""
        if any(_holds(each.box, reason.box) for each in self._chosen):
            return False
        self._chosen.append(reason)
        return True

    def left(self) -> Node | None:
        """The first node left over."""
        return left_over(self._terms, self._best, [each.box for each in self._chosen])

    def minimal(self) -> list[Reason]:
        """The boxes without those that the others make superfluous."""
        kept = list(self._chosen)
        for reason in reversed(self._chosen):
            others = [each for each in kept if each is not reason]
            if left_over(self._terms, self._best, [each.box for each in others]) is None:
                kept = others
        return kept


def _holds(large: Box, small: Box) -> bool:
    if not all(part <= whole for part, whole in zip(small.levels, large.levels, strict=True)):
        return False
    return large.least is None or (small.least is not None and large.least <= small.least)


class _LevelCosts:
    """The costs of the levels of every accepted node: exact where they fit 64 bits, else to 12 digits."""

    def __init__(self, terms: ClaimedTerms) -> None:
        every = [cost for each in terms.columns for cost in each.costs or ()]
        self._unit = math.lcm(*(cost.denominator for cost in every)) if every else 1
        self._exact = sum(max(each.costs or (Fraction(),)) for each in terms.columns) * self._unit < LARGEST_EXACT
        total: npt.NDArray[Any] = np.zeros((1,) * len(terms.columns), dtype=np.int64 if self._exact else np.float64)
        for axis, each in enumerate(terms.columns):
            shape = [-1 if i == axis else 1 for i in range(len(terms.columns))]
            costs = [each.costs[level] if each.costs else Fraction() for level in each.accepted]
            own = [int(cost * self._unit) if self._exact else float(cost) for cost in costs]
            total = total + np.array(own, dtype=total.dtype).reshape(shape)
        self._total = total

    def below(self, cost: Fraction, place: Region | EllipsisType = ...) -> Flags:
        """The nodes, of all or of some, whose levels cost less."""
        least = math.ceil(cost * self._unit) if self._exact else float(cost) * (1 + 1e-12)
        found: Flags = self._total[place] < least
        return found
