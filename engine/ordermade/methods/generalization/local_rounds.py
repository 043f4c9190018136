"""Rounds of local recoding: which node each round tries, when to stop, and the loss of a plan.

Said of the release: `loss`, `entropy`, `prec` and `prec_suppressed_as_1`, which are then one (each row by its own
levels, a suppressed one as `*`); `classes`, `dm`, `aecs`, `c_avg` (by the classes that a reader of the release sees).
Not said, None: `height`, `dm_star`, `entropy_ignoring_suppression`, which are figures of one node.

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

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from ordermade.errors import RequestError
from ordermade.lattice.lattice import Lattice, Node
from ordermade.lattice.observation import Observation
from ordermade.loss.costs import DECIMALS, AttributeCosts, information
from ordermade.loss.metrics import METRICS, prec_steps

RowsByCell = Mapping[int | None, Mapping[int, int]]
"""Rows released of each cell of one attribute, by the number of the round (None: suppressed)."""

Losses = Mapping[str, float | int | None]


@dataclass(frozen=True, slots=True)
class CellClasses:
    """The cells of one attribute: `classes[level][cell]`, the class of each at each level below `*`.

    `leaves[level][class]`: the leaves of the hierarchy under a class, for the levels between 0 and `*`.
    """

    base: int
    top: int
    classes: Mapping[int, Mapping[int, int]]
    leaves: Mapping[int, Mapping[int, int]]
    costs: AttributeCosts


def loss_of(attributes: Sequence[CellClasses], levels: Sequence[Node], rows: Sequence[RowsByCell]) -> float | None:
    """Loss (NCP) of the release: the mean over the attributes, suppressed rows as `*`; None where it is not known.

    `levels`: the node of each round, the first being round 1. Each attribute is rounded down to ten decimals, as the
    Loss of one node is.
    """
    units = [_loss_units(each, [node[place] for node in levels], rows[place]) for place, each in enumerate(attributes)]
    known = [each for each in units if each is not None]
    return float(Fraction(sum(known), max(1, len(units)) * DECIMALS)) if len(known) == len(units) else None


def _loss_units(attribute: CellClasses, levels: Sequence[int], rows: RowsByCell) -> int | None:
    """(sum of leaves over the rows - N) / (N (d - 1)), in whole units of the last decimal."""
    domain, all_rows = attribute.costs.domain_leaves, _all(rows)
    if all_rows == 0 or domain == 1 or attribute.top == 0:
        return 0
    above = Fraction(0)
    for number, cells in rows.items():
        level = attribute.top if number is None else levels[number - 1]
        if level == attribute.top:
            above += sum(cells.values())
        elif level > 0:
            if domain is None:
                return None
            under, classes = attribute.leaves[level], attribute.classes[level]
            above += Fraction(sum(n * (under[classes[cell]] - 1) for cell, n in cells.items()), domain - 1)
    return math.floor(above * DECIMALS / all_rows)


def _summed(classes: Mapping[int, int], of_cells: Mapping[int, int]) -> dict[int, int]:
    found: dict[int, int] = {}
    for cell, number in classes.items():
        found[number] = found.get(number, 0) + of_cells.get(cell, 0)
    return found


def _all(rows: RowsByCell) -> int:
    return sum(sum(cells.values()) for cells in rows.values())


def _entropy(attribute: CellClasses, levels: Sequence[int], rows: RowsByCell) -> float | None:
    """Bits lost: the sum over the rows of log2(rows of the dataset with the released value / with the original)."""
    all_rows, at_top = _all(rows), attribute.costs.entropy[attribute.top]
    if all_rows == 0 or attribute.top == 0:
        return 0.0
    if at_top is None:
        return None
    whole: dict[int, int] = {}
    for cells in rows.values():
        for cell, n in cells.items():
            whole[cell] = whole.get(cell, 0) + n
    counts = {level: _summed(of, whole) for level, of in attribute.classes.items()}
    parts = [-(information(whole.values()) if attribute.base == 0 else all_rows * math.log2(all_rows) - at_top)]
    for number, cells in rows.items():
        level = attribute.top if number is None else levels[number - 1]
        for cell, n in cells.items():
            size = all_rows if level == attribute.top else counts[level][attribute.classes[level][cell]]
            parts.append(n * math.log2(size))
    return max(0.0, math.floor(math.fsum(parts) * DECIMALS) / DECIMALS)


def _prec(attribute: CellClasses, levels: Sequence[int], rows: RowsByCell) -> Fraction:
    if attribute.top == 0:
        return Fraction(0)
    steps = sum(
        (attribute.top if number is None else levels[number - 1]) * sum(cells.values())
        for number, cells in rows.items()
    )
    return Fraction(steps, attribute.top * max(1, _all(rows)))


def losses_of(
    attributes: Sequence[CellClasses],
    levels: Sequence[Node],
    rows: Sequence[RowsByCell],
    released: Observation,
    units: int,
    suppressed: int,
    k: int,
) -> Losses:
    """Every metric of the release, by name; None where one has no meaning for local recoding.

    `released`: its classes as a reader sees them; `units` (rows, or persons) of the dataset, `suppressed` of them.
    """
    by_attribute = [(each, [node[place] for node in levels], rows[place]) for place, each in enumerate(attributes)]
    bits = [_entropy(*each) for each in by_attribute]
    of_known = [each for each in bits if each is not None]
    classes = released.divisions + (1 if suppressed else 0)
    prec = sum((_prec(*each) for each in by_attribute), Fraction(0)) / max(1, len(attributes))
    known: Losses = {
        "prec": float(prec),
        "prec_suppressed_as_1": float(prec),
        "classes": released.divisions,
        "dm": released.sum_of_squares + units * suppressed,
        "c_avg": float(Fraction(units - suppressed, released.divisions * k)) if released.divisions else 0.0,
        "aecs": float(Fraction(units, classes)) if classes else 0.0,
        "entropy": math.fsum(of_known) if len(of_known) == len(bits) else None,
        "loss": loss_of(attributes, levels, rows),
    }
    return {name: known.get(name) for name in METRICS}


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


def run_each_round(
    order: Sequence[Node], remaining: Remaining, least: int, progress: Callable[[int], None] | None = None
) -> tuple[Round, ...]:
    """The same, node by node, where releasing costs no more than looking."""
    done: list[Round] = []
    for place, node in enumerate(order):
        if remaining.rows < least:
            break
        if progress:
            progress(len(order) - place)
        found = remaining.release(node)
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
    order: Sequence[Node], rounds: Sequence[Round], remaining: Remaining, most_suppressed: int
) -> tuple[Round, ...] | None:
    """The rounds with the last ones replaced by one that releases their rows and the rest; None where none does.

    For a rest of more than may be suppressed: a few rows that were left over when all like them were released. As few
    rounds are taken back (1, 2, 4, …) as it needs to let one node release what remains then but for `most_suppressed`
    units. No node before the first round taken back can: it released none of what remained there.
    """
    back = 1
    while back < len(rounds):
        kept = len(rounds) - back
        remaining.take_back(kept)
        for _, batch in _batches(order[order.index(rounds[kept].node) :]):
            for node, classes in zip(batch, remaining.classes(batch), strict=True):
                found = remaining.release(node) if classes.large and classes.too_small <= most_suppressed else None
                if found is not None and remaining.units <= most_suppressed:
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
