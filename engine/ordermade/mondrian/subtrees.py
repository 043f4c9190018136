"""Groups with their subtrees: grown in one thread, or subtree by subtree in several.

Different groups hold different records, side by side, so that several threads write to the same arrays.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordermade.mondrian.attributes import most_parts
from ordermade.mondrian.check import Check, Checking, check_of, room_of
from ordermade.mondrian.choice import Gain
from ordermade.mondrian.domains import Codes
from ordermade.mondrian.gain import Target, target_of, target_room
from ordermade.mondrian.growing import grow
from ordermade.mondrian.looking import Parameters, Rooms
from ordermade.mondrian.requirement import Requirement
from ordermade.mondrian.rules import packed
from ordermade.mondrian.telling import Scoring
from ordermade.mondrian.workspace import (
    GROUPS,
    OPEN,
    SETTLED,
    Levels,
    Records,
    Waiting,
    meeting_for,
    records_of,
    waiting_for,
    workspace_for,
)
from ordermade.side_by_side import Crew

AT_ONCE = 20_000_000
"""The number of codes to read before control returns to Python: some tenth of a second."""
TASKS = 16
"""The number of subtrees to each thread, about, so that none waits long for the others."""

Progress: TypeAlias = tuple[int, int, int]
"""The work since the last report: records settled, splits made, splits tried."""


@dataclass(frozen=True, slots=True)
class Group:
    """An open group: where its records are, in which of the two tables, and the levels of its classes."""

    start: int
    end: int
    side: int
    levels: Levels

    @property
    def size(self) -> int:
        """The number of its records."""
        return self.end - self.start


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """Open groups, and scratch memory to split them."""

    parameters: Parameters
    records: Records
    waiting: Waiting
    rooms: Rooms
    checking: Checking | None
    scoring: Scoring | None

    @property
    def is_open(self) -> bool:
        """Whether there is an open group left."""
        return bool(self.rooms.space.tally[OPEN])

    @property
    def next_group(self) -> Group:
        """The open group to split next."""
        last = int(self.rooms.space.tally[OPEN]) - 1
        start, end, side = self.waiting.spans[last].tolist()
        return Group(start, end, side, self.waiting.levels[last].copy())

    def put(self, group: Group) -> None:
        """Open a group, to be split next."""
        tally = self.rooms.space.tally
        self.waiting.spans[tally[OPEN]] = group.start, group.end, group.side
        self.waiting.levels[tally[OPEN]] = group.levels
        self.waiting.words[tally[OPEN]] = 0
        tally[OPEN] += 1
        tally[GROUPS] += 1

    def take(self) -> Group:
        """Take out the next group, which belongs to another tree from now on."""
        group = self.next_group
        self.rooms.space.tally[[OPEN, GROUPS]] -= 1
        return group

    def meet(self, met: NDArray[np.bool_]) -> None:
        """Record the rules that the one open group meets."""
        self.waiting.words[0], self.rooms.meeting.met[:] = packed(met[np.newaxis])[0], met

    def grow(self, enough: int) -> Progress:
        """Split or finish the next group, and further ones until so many codes have been read."""
        grow(self.parameters, self.records, self.waiting, self.rooms, self.checking, self.scoring, enough)
        done = self.rooms.space.tally[SETTLED:]
        settled, made, tried = done.tolist()
        done[:] = 0
        return settled, made, tried


@dataclass(frozen=True, slots=True, eq=False)
class Forest:
    """The data that all trees of a partition share. `child`, `picked`: a number a record, of no meaning yet.

    `check`, where more than k records are required of a child; `target` with the number of its values, if there is one.
    """

    parameters: Parameters
    records: Records
    child: Codes
    picked: Codes
    check: Check | None
    target: Target | None
    targets: int

    @classmethod
    def of(cls, parameters: Parameters, codes: Codes, requirement: Requirement, gain: Gain | None) -> Forest:
        """The forest of all records."""
        n = len(codes)
        return cls(
            parameters=parameters,
            records=records_of(codes, requirement.k),
            child=np.empty(n, dtype=np.int32),
            picked=np.empty(n, dtype=np.int32),
            check=None if requirement.only_rows else check_of(requirement, n),
            target=target_of(gain.target, n) if gain else None,
            targets=gain.values if gain else 0,
        )

    def tree(self, group: Group) -> Tree:
        """A tree of one group. Room that is never written to takes no memory."""
        attributes, rules, k = self.parameters.attributes, self.parameters.rules, self.parameters.k
        most = max(2, min(most_parts(attributes), group.size // k))
        rooms = Rooms(workspace_for(attributes, self.child, self.picked, most), meeting_for(rules, most))
        checking = Checking(self.check, room_of(self.check)) if self.check else None
        scoring = Scoring(self.target, target_room(self.targets, group.size)) if self.target else None
        waiting = waiting_for(attributes, rules, group.size, k)
        tree = Tree(self.parameters, self.records, waiting, rooms, checking, scoring)
        tree.put(group)
        return tree

    def grown(self, tree: Tree, threads: int) -> Iterator[Progress]:
        """Grow a tree until no group of it is open; yield progress from time to time."""
        crew, apart = Crew(threads), list[Group]()
        while tree.is_open:
            if threads > 1 and tree.next_group.size * threads * TASKS < self.records.order.size:
                apart.append(tree.take())
            else:
                yield tree.grow(1 if threads > 1 else AT_ONCE)
        apart.sort(key=lambda group: group.size, reverse=True)
        yield from crew.each(partial(self._subtree, crew.stop), apart)

    def _subtree(self, stop: threading.Event, group: Group) -> Progress:
        """Grow a group's own tree, in a thread."""
        tree, settled, made, tried = self.tree(group), 0, 0, 0
        while tree.is_open and not stop.is_set():
            more = tree.grow(AT_ONCE)
            settled, made, tried = settled + more[0], made + more[1], tried + more[2]
        return settled, made, tried
