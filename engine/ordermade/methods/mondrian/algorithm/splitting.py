"""Mondrian: one group of all records is split depth first, in one thread or by subtree in several.

Different groups hold different records, side by side, so that several threads write to the same arrays.

After K. LeFevre, D. J. DeWitt and R. Ramakrishnan (2006), Mondrian multidimensional k-anonymity.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordermade.machine.compiled import compiled, inner
from ordermade.machine.parallel import WorkerPool
from ordermade.methods.mondrian.algorithm.check import Check, Checking, SplitRequirement, check_of, room_of
from ordermade.methods.mondrian.algorithm.cuts import begin_children, divide, put_weight, weight_of
from ordermade.methods.mondrian.algorithm.domains import Codes, Domain, attributes_of, most_parts
from ordermade.methods.mondrian.algorithm.guiding import count_met
from ordermade.methods.mondrian.algorithm.information_gain import (
    Scoring,
    Target,
    entropy_of,
    look_for_gain,
    scale_of,
    target_of,
    target_room,
)
from ordermade.methods.mondrian.algorithm.partition import (
    END,
    GROUPS,
    MADE,
    OPEN,
    ROWS,
    SETTLED,
    SIDE,
    START,
    TRIED,
    EncodedRecords,
    Levels,
    Partition,
    WaitingPart,
    Workspace,
    meeting_for,
    records_of,
    waiting_for,
    workspace_for,
)
from ordermade.methods.mondrian.algorithm.requirement import all_pass
from ordermade.methods.mondrian.algorithm.rules import met_by_all, no_rules, packed, rules_of
from ordermade.methods.mondrian.algorithm.split_scoring import (
    GAIN,
    GUIDED,
    NO_SPLIT,
    PRECISE,
    WIDEST,
    Choice,
    Gain,
    Guided,
    Parameters,
    Precise,
    Rooms,
    bound,
    foremost,
    measure,
    worth,
)

LOOKED_AT = -2.0
"""The bound of a split whose score is known already."""


@compiled
def grow(
    parameters: Parameters,
    records: EncodedRecords,
    waiting: WaitingPart,
    rooms: Rooms,
    checking: Checking | None,
    scoring: Scoring | None,
    enough: int,
) -> None:
    """Finish or split open groups, one at least, until so many codes have been read or no group is open.

    Code for arguments that are None is not compiled: mostly a child is valid by its number of records alone, and there
    is no target.
    """
    attributes, space, tally = parameters.attributes, rooms.space, rooms.space.tally
    columns, done = attributes.kinds.size, 0
    while tally[OPEN] > 0 and done < enough:
        start, end, side, size = _take(waiting, rooms)
        table, rows, spare = records.tables[side], records.rows[side], records.rows[1 - side]
        weights = _on_side(records.weights, side)
        measure(attributes, space, table, start, end)
        for j in range(columns):
            space.bounds[j] = bound(
                attributes, space, parameters.choice, table, weights, j, start, end, size, parameters.k
            )
        if scoring is not None:
            missing = entropy_of(scoring.target, scoring.room, rows, start, end, scale_of(size))
            if missing == 0:  # no split gains anything: the first valid one is made
                for j in range(columns):
                    space.bounds[j] = min(space.bounds[j], 0.0)
        best, best_score, last = columns, NO_SPLIT, columns
        while True:
            # Splits are looked at in the order of the most they can score, until none that is left can be better.
            j = foremost(space.bounds)
            most = space.bounds[j]
            found = most < 0.0 or most < best_score or (most == best_score and j > best)
            if found and best in (last, columns):
                break
            if found:
                j = best  # whose children have been written over
            if scoring is not None:
                score = look_for_gain(
                    attributes,
                    space,
                    checking,
                    scoring,
                    table,
                    weights,
                    rows,
                    spare,
                    j,
                    start,
                    end,
                    size,
                    parameters.k,
                    parameters.strict,
                    missing,
                )
            else:
                parts = divide(attributes, space, table, weights, j, start, end, size, parameters.k, parameters.strict)
                if checking is not None:
                    parts = all_pass(space, checking, rows, spare, start, end, parts)
                space.parts[j] = parts
                score = worth(parameters, rooms, table, j, start, end, size, parts)
            if score > best_score or (score == best_score and j < best and best < columns):
                best, best_score = j, score
            last, space.bounds[j] = j, LOOKED_AT
            tally[TRIED] += not found
            done += end - start
        done += end - start
        if best == columns:
            _finish(records, rows, space, start, end, size)
        else:
            _split(parameters, records, waiting, rooms, best, start, end, side)


@inner
def _take(waiting: WaitingPart, rooms: Rooms) -> tuple[int, int, int, int]:
    """Close the next open group and return its place and its rows. Its levels and the rules it meets are copied."""
    rooms.space.tally[OPEN] -= 1
    at = rooms.space.tally[OPEN]
    for j in range(waiting.levels.shape[1]):
        rooms.space.own_levels[j] = waiting.levels[at, j]
    for word in range(waiting.words.shape[1]):
        rooms.meeting.own_words[word] = waiting.words[at, word]
    return waiting.spans[at, START], waiting.spans[at, END], waiting.spans[at, SIDE], waiting.spans[at, ROWS]


@inner
def _split(
    parameters: Parameters,
    records: EncodedRecords,
    waiting: WaitingPart,
    rooms: Rooms,
    j: int,
    start: int,
    end: int,
    side: int,
) -> None:
    """Put the children, which are written, in the place of the group."""
    parts, tally = rooms.space.parts[j], rooms.space.tally
    rooms.space.lengths[0] = end - start
    if parts > 1:
        _move(rooms.space, records, side, start, end, parts)
        side = 1 - side
    _open(waiting, rooms, j, start, side, parts)
    if parameters.choice == GUIDED:
        count_met(rooms.meeting, parts)
    tally[GROUPS] += parts - 1
    tally[MADE] += 1


@inner
def _finish(records: EncodedRecords, rows: Codes, space: Workspace, start: int, end: int, size: int) -> None:
    """Record a group that is not split."""
    for i in range(start, end):
        records.order[i] = rows[i]
    place = start // records.least
    records.begins[place] = start
    for j in range(space.own_levels.size):
        records.levels[place, j] = space.own_levels[j]
    space.tally[SETTLED] += size


@inner
def _move(space: Workspace, records: EncodedRecords, side: int, start: int, end: int, parts: int) -> None:
    """Write the records to the other table, child after child, in their order."""
    rows, to_rows = records.rows[side], records.rows[1 - side]
    weights, to_weights = _on_side(records.weights, side), _on_side(records.weights, 1 - side)
    table, to_table = records.tables[side], records.tables[1 - side]
    begin_children(space, start, end, parts)
    for i in range(start, end):
        c = space.child[i]
        to = space.next_at[c]
        space.next_at[c] = to + 1
        to_rows[to] = rows[i]
        put_weight(to_weights, to, weight_of(weights, i))
        for j in range(table.shape[1]):
            to_table[to, j] = table[i, j]


@inner
def _on_side(weights: NDArray[np.int64] | None, side: int) -> NDArray[np.int64] | None:
    """The rows of the records in one of the two tables; None where a record is a row."""
    if weights is None:
        return None
    of_side: NDArray[np.int64] = weights[side]
    return of_side


@inner
def _open(waiting: WaitingPart, rooms: Rooms, j: int, start: int, side: int, parts: int) -> None:
    """Open the children of a split by an attribute, in an order that makes the first the next one to take."""
    space, at = rooms.space, rooms.space.tally[OPEN] + parts
    rooms.space.tally[OPEN] = at
    for c in range(parts):
        at -= 1
        waiting.spans[at, START], waiting.spans[at, END] = start, start + space.lengths[c]
        waiting.spans[at, SIDE], waiting.spans[at, ROWS] = side, space.sizes[c]
        start += space.lengths[c]
        for other in range(space.own_levels.size):
            waiting.levels[at, other] = space.own_levels[other]
        if space.own_levels[j] > 0:
            waiting.levels[at, j] = space.own_levels[j] - 1
        for word in range(waiting.words.shape[1]):
            waiting.words[at, word] = rooms.meeting.words[c, word]


AT_ONCE = 20_000_000
"""The number of codes to read before control returns to Python: some tenth of a second."""
TASKS = 16
"""The number of subtrees to each thread, about, so that none waits long for the others."""

Progress: TypeAlias = tuple[int, int, int]
"""The work since the last report: rows settled, splits made, splits tried."""


@dataclass(frozen=True, slots=True)
class Group:
    """An open group: where its records are, in which of the two tables, their rows, the levels of its classes."""

    start: int
    end: int
    side: int
    rows: int
    levels: Levels

    @property
    def size(self) -> int:
        """The number of its records."""
        return self.end - self.start


@dataclass(frozen=True, slots=True, eq=False)
class SplitTree:
    """Open groups, and scratch memory to split them."""

    parameters: Parameters
    records: EncodedRecords
    waiting: WaitingPart
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
        start, end, side, rows = self.waiting.spans[last].tolist()
        return Group(start, end, side, rows, self.waiting.levels[last].copy())

    def put(self, group: Group) -> None:
        """Open a group, to be split next."""
        tally = self.rooms.space.tally
        self.waiting.spans[tally[OPEN]] = group.start, group.end, group.side, group.rows
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
    """The data that all trees of a partition share. `child` and both `picked`: a number a record, of no meaning yet.

    `check`, where more than k records are required of a child; `target` with the number of its values, if there is one.
    """

    parameters: Parameters
    records: EncodedRecords
    child: Codes
    picked: Codes
    picked_weights: NDArray[np.int64] | None
    check: Check | None
    target: Target | None
    targets: int

    @classmethod
    def of(cls, parameters: Parameters, codes: Codes, requirement: SplitRequirement, gain: Gain | None) -> Forest:
        """The forest of all records."""
        n = len(codes)
        return cls(
            parameters=parameters,
            records=records_of(codes, requirement.weights, requirement.k),
            child=np.empty(n, dtype=np.int32),
            picked=np.empty(n, dtype=np.int32),
            picked_weights=None if requirement.weights is None else np.empty(n, dtype=np.int64),
            check=None if requirement.only_rows else check_of(requirement, n),
            target=target_of(gain.target, n, requirement.weights) if gain else None,
            targets=gain.values if gain else 0,
        )

    def tree(self, group: Group) -> SplitTree:
        """A tree of one group. Room that is never written to takes no memory."""
        attributes, rules, least = self.parameters.attributes, self.parameters.rules, self.records.least
        most = max(2, min(most_parts(attributes), group.size // least))
        space = workspace_for(attributes, self.child, self.picked, self.picked_weights, most)
        rooms = Rooms(space, meeting_for(rules, most))
        checking = Checking(self.check, room_of(self.check)) if self.check else None
        scoring = Scoring(self.target, target_room(self.targets, group.size)) if self.target else None
        waiting = waiting_for(attributes, rules, group.size, least)
        tree = SplitTree(self.parameters, self.records, waiting, rooms, checking, scoring)
        tree.put(group)
        return tree

    def grown(self, tree: SplitTree, threads: int) -> Iterator[Progress]:
        """Grow a tree until no group of it is open; yield progress from time to time."""
        pool, apart = WorkerPool(threads), list[Group]()
        while tree.is_open:
            if threads > 1 and tree.next_group.size * threads * TASKS < self.records.order.size:
                apart.append(tree.take())
            else:
                yield tree.grow(1 if threads > 1 else AT_ONCE)
        apart.sort(key=lambda group: group.size, reverse=True)
        yield from pool.each(partial(self._subtree, pool.stop), apart)

    def _subtree(self, stop: threading.Event, group: Group) -> Progress:
        """Grow a group's own tree, in a thread."""
        tree, settled, made, tried = self.tree(group), 0, 0, 0
        while tree.is_open and not stop.is_set():
            more = tree.grow(AT_ONCE)
            settled, made, tried = settled + more[0], made + more[1], tried + more[2]
        return settled, made, tried


def partitioned(
    domains: Sequence[Domain],
    codes: Codes,
    choice: Choice,
    requirement: SplitRequirement,
    *,
    strict: bool = True,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Partition:
    """The groups of records that no valid split is left of, in the order in which they are finished, depth first.

    `codes`: one row a record, one column an attribute (of `domains`), contiguous rows. All records together are taken
    to pass the requirement (`root_fails`). A split is valid if every child that has records passes it; of an attribute
    that is cut or parted it has two children, so that a group with one value of it is not split there, `strict` or not.
    Ties among splits go to the first attribute. `strict`: equal values stay together; else the records that are equal
    to the median go, in their order, to the half that lacks records. The partition is the same for any `threads`.

    Records that stand for more rows than one (`SplitRequirement.weights`) count as often: groups are of rows.
    `progress` receives, from time to time, the number of rows in finished groups. Ctrl-C ends it within a second.
    Raises ValueError for such records unless `strict`: equal rows would have to be dealt out.
    """
    n, k, rows = len(codes), requirement.k, requirement.rows(len(codes))
    if not strict and requirement.weights is not None:
        raise ValueError("relaxed Mondrian deals out rows, each of which is a record of its own")
    parameters = Parameters(
        attributes=attributes_of(domains),
        rules=rules_of(choice.guide, min(n, rows // k)) if isinstance(choice, Guided) else no_rules(len(domains)),
        choice=_number(choice),
        k=k,
        strict=strict,
    )
    forest = Forest.of(parameters, codes, requirement, choice if isinstance(choice, Gain) else None)
    tree = forest.tree(Group(0, n, 0, rows, parameters.attributes.tops.astype(np.int8)))
    if isinstance(choice, Guided):
        tree.meet(met_by_all(choice.guide, codes))
        threads = 1  # the best split of a group depends on all others
    settled = made = tried = 0
    for more_settled, more_made, more_tried in forest.grown(tree, threads):
        settled, made, tried = settled + more_settled, made + more_made, tried + more_tried
        if progress:
            progress(settled)
    records = forest.records
    finished = records.begins >= 0
    return Partition(
        order=records.order,
        starts=np.append(records.begins[finished], n),
        levels=records.levels[finished],
        made=made,
        tried=tried,
        weights=requirement.weights,
    )


def _number(choice: Choice) -> int:
    if isinstance(choice, Guided):
        return GUIDED
    return GAIN if isinstance(choice, Gain) else PRECISE if isinstance(choice, Precise) else WIDEST
