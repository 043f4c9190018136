"""Local recoding, the part that thinks: which node each round tries, when to stop, which plan loses least. No SQL.

A round is one accepted node: it releases those classes of the rows that remain which pass by themselves. Rounds go
through the accepted nodes once, from the one that loses least to the one that loses most (by Loss, over all rows). So
every row is released at the first node, in that order, at which enough of the rows that were not released finer share
its values. ARX iterates instead (iterative optimisation: each round the node that is best for all the remaining rows,
suppressed rows priced by a factor), makes fewer rounds and loses more: whatever the price, such a round takes rows to a
node that is coarser than they need. Measured on Adult (`python -m bench local`).

Trying a node once is enough where k alone decides: what remains only shrinks, so a node at which nothing was large
enough releases nothing later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from ordermade.errors import RequestError
from ordermade.lattice.lattice import Lattice
from ordermade.lattice.node import Node
from ordermade.loss.costs import DECIMALS, AttributeCosts
from ordermade.loss.losses import prec_steps

MAX_NODES = 100_000
"""Every accepted node is counted, against what remains; beyond, that takes longer than anybody waits."""
CHECKED_TOGETHER = 16
LOOKED_AHEAD = 6
"""Of the nodes checked together."""
CANDIDATES = 24
"""Nodes that are considered to look ahead at."""

Places: TypeAlias = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Round:
    """One round of local recoding: its node, and the classes and rows that it released."""

    node: Node
    classes: int
    rows: int


@dataclass(frozen=True, slots=True)
class Classes:
    """The classes of the remaining rows at one node: how many are large enough, and the units in the others."""

    large: int
    too_small: int


class Remaining(Protocol):
    """The rows that are still to be released, counted in SQL."""

    @property
    def rows(self) -> int:
        """The number of remaining rows."""
        ...

    @property
    def units(self) -> int:
        """The number of remaining units: rows, or persons."""
        ...

    def classes(self, nodes: Sequence[Node]) -> Sequence[Classes]:
        """The classes of the remaining rows at each node, whatever the models say."""
        ...

    def release(self, node: Node) -> Round | None:
        """Releases the classes of a node that pass, of the remaining rows; None where none does."""
        ...

    def take_back(self, kept: int) -> None:
        """Takes back all rounds but the first `kept`."""
        ...


def check_size(lattice: Lattice) -> None:
    """Raises RequestError where a lattice has too many nodes to go through."""
    if lattice.size > MAX_NODES:
        raise RequestError(
            f"local recoding would go through {lattice.size:,} nodes, more than {MAX_NODES:,}",
            where="recoding",
            next_step="Narrow `from` and `to`, leave attributes out, or write `recoding: full-domain`.",
        )


def in_order(
    lattice: Lattice, costs: Sequence[AttributeCosts], weights: Mapping[str, Fraction] | None = None
) -> tuple[Node, ...]:
    """Order every accepted node by its loss over all rows; among equals, the first listed attribute keeps its detail.

    By Loss, each attribute weighed; by Prec where the Loss of an accepted level is not known.
    """
    by_level = [each.loss for each in costs]
    known = all(
        losses[level] is not None
        for axis, losses in zip(lattice.axes, by_level, strict=True)
        for level in axis.accepted
    )
    steps = [[round((loss or 0) * DECIMALS) for loss in each] for each in by_level] if known else prec_steps(lattice)
    scores = np.zeros(lattice.shape)
    for place, (axis, each) in enumerate(zip(lattice.axes, steps, strict=True)):
        weight = float((weights or {}).get(axis.column, 1))
        along = np.array([each[level] * weight for level in axis.accepted], dtype=np.float64)
        scores = scores + along.reshape([-1 if other == place else 1 for other in range(len(lattice.axes))])
    nodes = tuple(lattice.nodes())
    return tuple(nodes[place] for place in np.argsort(np.ravel(scores), kind="stable"))


def run_rounds(
    lattice: Lattice,
    order: Sequence[Node],
    remaining: Remaining,
    least: int,
    progress: Callable[[int], None] | None = None,
) -> tuple[Round, ...]:
    """The rounds that released something, going through the nodes in order.

    Ends when fewer rows remain than `least`, the size of the smallest class that can pass. With the nodes whose turn it
    is some later ones are checked: where nothing is large enough at one, nothing is at any node that refines it, and
    these need no turn. It saves a third to a half of the checks.
    """
    done: list[Round] = []
    turns = _Turns(lattice, order)
    while remaining.rows >= least and (batch := turns.next()):
        if progress:
            progress(turns.left)
        ahead = turns.ahead()
        nodes = [order[place] for place in (*batch, *ahead)]
        large = [each.large > 0 for each in remaining.classes(nodes)]
        turns.learn(ahead, large[len(batch) :])
        for place, enough in zip(batch, large, strict=False):
            found = remaining.release(order[place]) if enough else None
            if found is not None:
                done.append(found)
    return tuple(done)


class _Turns:
    """The order of the nodes that are still to be tried, and the later nodes that prove most of those before them.

    The look-ahead adapts to its success: it goes further where most of the nodes looked at have nothing large enough.
    """

    def __init__(self, lattice: Lattice, order: Sequence[Node]) -> None:
        self._levels = np.array(order, dtype=np.intp).reshape(len(order), len(lattice.axes))
        self._finer = [np.array(axis.order.finer, dtype=np.bool_) for axis in lattice.axes]
        self._waiting = np.arange(len(order))
        self._window = 100.0

    @property
    def left(self) -> int:
        """The number of nodes still waiting for their turn."""
        return len(self._waiting)

    def next(self) -> list[int]:
        """The places of the nodes whose turn it is; it does not come again."""
        batch: list[int] = self._waiting[: CHECKED_TOGETHER - LOOKED_AHEAD].tolist()
        self._waiting = self._waiting[len(batch) :]
        return batch

    def ahead(self) -> list[int]:
        """Of some of the nodes that wait, those that most of the nodes before them refine."""
        window = self._waiting[: int(self._window)]
        if len(window) == 0:
            return []
        some = np.unique(np.linspace(0, len(window) - 1, CANDIDATES).astype(np.intp))
        refined = [(int(np.count_nonzero(self._refining(window, place))), place) for place in window[some].tolist()]
        return [place for refining, place in sorted(refined, reverse=True)[:LOOKED_AHEAD] if refining > 1]

    def learn(self, ahead: Sequence[int], large: Sequence[bool]) -> None:
        """Record whether some class is large enough at each of the nodes looked at ahead."""
        for place, enough in zip(ahead, large, strict=True):
            if not enough:
                self._waiting = self._waiting[~self._refining(self._waiting, place)]
        if ahead:
            most = sum(large) * 2 <= len(ahead)
            self._window = self._window * 1.5 if most else max(2.0 * CHECKED_TOGETHER, self._window / 1.5)

    def _refining(self, places: Places, place: int) -> npt.NDArray[np.bool_]:
        """Return which of the nodes refine the one at `place`, itself included."""
        found = np.ones(len(places), dtype=np.bool_)
        for axis, finer in enumerate(self._finer):
            found &= finer[self._levels[places, axis], self._levels[place, axis]]
        return found


def gather(
    order: Sequence[Node], rounds: Sequence[Round], remaining: Remaining, most_withheld: int
) -> tuple[Round, ...] | None:
    """The rounds with the last ones replaced by one that releases their rows and the rest; None where none does.

    For a rest of more than may be suppressed: a few rows that were left over when all like them were released. As few
    rounds are taken back (1, 2, 4, …) as it needs to let one node release what remains then but for `most_withheld`
    units. No node before the first round taken back can: it released none of what remained there.
    """
    back = 1
    while back < len(rounds):
        kept = len(rounds) - back
        remaining.take_back(kept)
        for _, batch in _batches(order[order.index(rounds[kept].node) :]):
            for node, classes in zip(batch, remaining.classes(batch), strict=True):
                found = remaining.release(node) if classes.large and classes.too_small <= most_withheld else None
                if found is not None and remaining.units <= most_withheld:
                    return (*rounds[:kept], found)
                if found is not None:
                    remaining.take_back(kept)
        back *= 2
    return None


def _batches(order: Sequence[Node]) -> Iterator[tuple[int, Sequence[Node]]]:
    """Nodes that are checked in one statement, with the number of nodes that are left."""
    for start in range(0, len(order), CHECKED_TOGETHER):
        yield len(order) - start, order[start : start + CHECKED_TOGETHER]


def first(node: Node, order: Iterable[Node]) -> tuple[Node, ...]:
    """The order with one node before all others: what releases at least what that node alone would."""
    return (node, *(each for each in order if each != node))
