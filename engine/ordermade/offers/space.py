"""The space of alternatives to a refused request: concessions, which of them gives up more, and the nearest ones first.

An alternative changes the request in one kind of way: levels beyond those accepted, one column left out, a smaller k, a
greater suppression limit, local recoding, Mondrian. Its concession is a vector: the levels beyond the coarsest accepted
one, column by column, where a column at `*` gives up as much as one left out; how much smaller k is; how much greater
the limit; whether rows are recoded locally; whether Mondrian makes the classes. An alternative dominates another that
gives up at least as much of everything, and more of something.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import count
from typing import Literal, TypeAlias

from ordermade.lattice.lattice import Axis, Lattice, Node
from ordermade.lattice.observation import Observation, Requirement
from ordermade.loss.objectives import Score

Kind = Literal["levels", "column", "suppression", "k", "local", "mondrian"]
"""The kind of thing that an alternative gives up."""

LIMITS = (Fraction(1, 100), Fraction(2, 100), Fraction(5, 100))
"""The suppression limits that may be offered."""
MAX_OFFERS = 7
"""The most alternatives that are offered."""

Beyond: TypeAlias = tuple[int, ...]
"""The levels of each column beyond its coarsest accepted one, in the order of the request."""


@dataclass(frozen=True, slots=True)
class Concession:
    """The concession of an alternative; it gives up nothing where all is 0."""

    beyond: Beyond
    less_k: int = 0
    more_suppressed: Fraction = Fraction(0)
    local: bool = False
    mondrian: bool = False

    @property
    def parts(self) -> tuple[int | Fraction, ...]:
        """The vector: 0 where nothing is given up."""
        return (*self.beyond, self.less_k, self.more_suppressed, int(self.local), int(self.mondrian))

    def dominates(self, other: Concession) -> bool:
        """True if this gives up no more of anything than the other, and less of something."""
        pairs = list(zip(self.parts, other.parts, strict=True))
        return all(mine <= its for mine, its in pairs) and any(mine < its for mine, its in pairs)


def beyond_of(lattice: Lattice, node: Node) -> Beyond:
    """The levels of each column of a node beyond its coarsest accepted one."""
    return tuple(max(0, level - axis.accepted[-1]) for level, axis in zip(node, lattice.axes, strict=True))


def furthest(lattice: Lattice) -> Beyond:
    """The most levels that each column can be beyond its coarsest accepted one: at `*`."""
    return tuple(axis.top - axis.accepted[-1] for axis in lattice.axes)


def widened_by(lattice: Lattice, beyond: Beyond) -> Lattice:
    """The lattice with so many levels beyond the coarsest accepted one of each column accepted too."""
    return Lattice(
        tuple(
            Axis(axis.column, axis.order, (*axis.accepted, *range(axis.accepted[-1] + 1, axis.accepted[-1] + 1 + more)))
            for axis, more in zip(lattice.axes, beyond, strict=True)
        )
    )


def column_left_out(lattice: Lattice, beyond: Beyond) -> int | None:
    """The place of the one column that is at `*` where all others are as accepted; None where it is not so.

    Such a node tells what the others tell: the column is left out. The last column of a request cannot be.
    """
    raised = [place for place, levels in enumerate(beyond) if levels]
    if len(raised) != 1 or len(beyond) == 1:
        return None
    return raised[0] if beyond[raised[0]] == furthest(lattice)[raised[0]] else None


def greatest_k(requirement: Requirement, observation: Observation, least: int, most: int) -> int | None:
    """The greatest k from `least` to `most` with which a measured node passes; None where it passes with none.

    Which classes are released changes at their sizes alone.
    """
    persons = () if observation.persons is None else (observation.persons.alone, observation.persons.fitting or ())
    sizes = {size for each in (observation.sizes, observation.failing or (), *persons) for size, _ in each}
    tried = {most, least} | {size for size in sizes if least < size < most}
    return next((k for k in sorted(tried, reverse=True) if replace(requirement, k=k).passes(observation)), None)


@dataclass(frozen=True, slots=True)
class NearestNode:
    """A passing node of the widened lattice that is as near as any: its levels beyond those accepted, and its rank."""

    beyond: Beyond
    key: tuple[Score, Node]


Within: TypeAlias = Callable[[Beyond], NearestNode | None]
"""Finds the nearest passing node at most so far beyond the accepted levels; None where none passes."""


def nearest_first(most: Beyond, nearest: Within) -> Iterator[NearestNode]:
    """The passing alternatives of levels that no other one dominates, the nearest first, each found when it is wanted.

    The nodes at most so far beyond are a box. The nearest passing node of a box is dominated by no other of the box,
    and the others of the box that it does not dominate are nearer than it in some column: in one of the boxes that end
    before it there.
    """
    order = count()
    # By what no node of a box is nearer than; of a box not looked into yet, what held of the box around it.
    waiting: list[tuple[tuple[object, ...], int, Beyond, NearestNode | None]] = []
    if any(most):
        heapq.heappush(waiting, ((), next(order), most, None))
    while waiting:
        bound, _, box, found = heapq.heappop(waiting)
        if found is None:
            found = nearest(box)
            if found is not None:
                heapq.heappush(waiting, (found.key, next(order), box, found))
            continue
        yield found
        around = [(bound, box), *((each[0], each[2]) for each in waiting if _holds(each[2], found.beyond))]
        waiting = [each for each in waiting if not _holds(each[2], found.beyond)]
        heapq.heapify(waiting)
        for at_least, outer in around:
            for inner in _ending_before(outer, found.beyond):
                if any(inner) and not any(_holds(each[2], inner) for each in waiting):
                    heapq.heappush(waiting, (at_least, next(order), inner, None))


def _holds(box: Beyond, beyond: Beyond) -> bool:
    return all(its <= most for its, most in zip(beyond, box, strict=True))


def _ending_before(box: Beyond, beyond: Beyond) -> Iterator[Beyond]:
    """The boxes within a box that end before a node in one column, and are as large otherwise."""
    for place, levels in enumerate(beyond):
        if levels:
            yield (*box[:place], levels - 1, *box[place + 1 :])
