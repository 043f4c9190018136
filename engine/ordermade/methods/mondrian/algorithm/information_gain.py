"""Information gain of a split about a target, and the cut with the greatest gain.

Gains are in nats: InfoGain Mondrian (LeFevre et al., KDD 2006). Sums are of whole numbers (see `scale_of`), so that
they do not depend on the order of the records; gains are compared to 12 decimals.
"""

from __future__ import annotations

from math import frexp, ldexp, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordermade.machine.compiled import compiled, inner
from ordermade.methods.mondrian.algorithm.check import Check, Checking, Numbers, SplitScratch
from ordermade.methods.mondrian.algorithm.cuts import ascending, deal, divide
from ordermade.methods.mondrian.algorithm.domains import ORDERED, Attributes, Codes
from ordermade.methods.mondrian.algorithm.partition import Workspace
from ordermade.methods.mondrian.algorithm.requirement import (
    all_pass,
    begin_class,
    forget_class,
    holds,
    include,
    lay_out,
)
from ordermade.methods.mondrian.algorithm.split_scoring import DECIMALS, NO_SPLIT

UNITS = 10.0**DECIMALS
"""Units of a score in a nat."""
NO_CUT = -1
"""The score of an invalid cut or none, and the code where there is none."""
LOWER_HALF = 2**32 - 1
"""The bits of a key below the code."""
TRIED_ALONE = 3
"""The number of best cuts that are tested one by one, before all are tested for validity together."""


TERMS = 2**20
"""The counts of which the terms are tabulated."""


class Target(NamedTuple):
    """The target: the number of each record's value, its rows; `terms[c]`: c ln c, of the counts below `TERMS`."""

    codes: Codes
    weights: Numbers
    terms: NDArray[np.float64]


class TargetRoom(NamedTuple):
    """Scratch memory of a thread to score splits. `left`, `right`: all zero in between, a number a value of the target.

    The rest is written over, a number a record: `keys` (its code and its value), `ordered` (the records in the order of
    their codes), `weights` (their rows), `scores` (of the cut behind it).
    """

    left: Numbers
    right: Numbers
    keys: Numbers
    ordered: Codes
    weights: Numbers
    scores: Numbers


def target_of(codes: Codes, n: int, weights: Numbers | None = None) -> Target:
    """The target of n records; where nothing is to be gained, an empty one of no records, to be handed over.

    `weights`: the rows that each record stands for, one without them.
    """
    rows = np.ones(n, dtype=np.int64) if weights is None else weights
    terms = np.empty(min(int(rows.sum()) + 1, TERMS))
    tabulate(terms)
    return Target(np.require(codes, np.int32, ["C", "W"]), np.require(rows, np.int64, ["C", "W"]), terms)


def target_room(values: int, n: int) -> TargetRoom:
    """Scratch memory to score splits of up to n records: 28 bytes a record, 16 a value of the target."""
    left, right, keys, weights, scores = (np.zeros(size, dtype=np.int64) for size in (values, values, n, n, n))
    return TargetRoom(left, right, keys, np.zeros(n, dtype=np.int32), weights, scores)


@compiled
def tabulate(terms: NDArray[np.float64]) -> None:
    """Write the term of each count: its product with its logarithm, as `term` computes it for greater ones."""
    for count in range(terms.size):
        terms[count] = count * log(count) if count > 0 else 0.0


@compiled
def scale_of(n: int) -> float:
    """The factor of c ln c, of the counts c in a class of n rows, before it is made a whole number.

    The greatest power of two at which their sums surely fit into 64 bits.
    """
    return ldexp(1.0, 60 - frexp(n * np.log(n))[1])


@inner
def term(terms: NDArray[np.float64], count: int, scale: float) -> int:
    """The count times its logarithm, as a whole number."""
    if count < terms.size:
        return int(terms[count] * scale)
    return int(count * log(count) * scale)


@compiled
def entropy_of(target: Target, room: TargetRoom, rows: Codes, start: int, end: int, scale: float) -> int:
    """The entropy of the target among the records `rows[start:end]`, times their number of rows, times `scale`."""
    terms, size = target.terms, 0
    for place in range(start, end):
        room.left[target.codes[rows[place]]] += target.weights[rows[place]]
        size += target.weights[rows[place]]
    found = term(terms, size, scale)
    for place in range(start, end):
        value = target.codes[rows[place]]
        if room.left[value] > 0:
            found -= term(terms, room.left[value], scale)
            room.left[value] = 0
    return found


@compiled
def score_of(gained: int, n: int, scale: float) -> float:
    """The gain of a split of n rows as a whole number of 1e-12 nats, at least 0: equal gains are equal.

    `gained`: `entropy_of` the class less those of its children, all with the class's own `scale_of(n)`.
    """
    return max(float(np.rint(gained / (n * scale) * UNITS)), 0.0)


@compiled
def best_cut(
    k: int,
    checking: Checking | None,
    target: Target,
    target_room: TargetRoom,
    codes: Codes,
    attribute: int,
    rows: Codes,
    start: int,
    end: int,
    missing: int,
) -> tuple[float, int]:
    """The `score_of` and the code of the cut of the greatest gain among those that leave both halves valid.

    `codes[start:end, attribute]` are the codes of the records `rows[start:end]`. Records up to the code go left.
    `missing`: `entropy_of` the target among them, with their own `scale_of` their rows. A cut is valid if both halves
    have k rows and pass the check, if there is one: (-1.0, -1) where none is valid. Ties go to the cut nearest the
    middle of the rows, then to the lower one.
    """
    n = end - start
    order_by_code(target, target_room, codes, attribute, rows, start, end)
    size = 0
    for place in range(n):
        size += target_room.weights[place]
    score_cuts(k, target, target_room, n, size, missing)
    scores, weights = target_room.scores, target_room.weights
    cut = best_of(scores, weights, n, size)
    if checking is not None:
        tried = 0
        while cut != NO_CUT and tried <= TRIED_ALONE:
            first, last = (cut, cut) if tried < TRIED_ALONE else (0, n - 2)
            leave_valid_cuts(checking.check, checking.room, target_room, first, last, n)
            if scores[cut] != NO_CUT:
                break
            tried += 1
            cut = best_of(scores, weights, n, size)
    if cut == NO_CUT:
        return -1.0, NO_CUT
    return float(scores[cut]), target_room.keys[cut] >> 32


@inner
def order_by_code(
    target: Target, room: TargetRoom, codes: Codes, attribute: int, rows: Codes, start: int, end: int
) -> None:
    """Write the records' keys, code before value, and their rows, in the order of the codes.

    Records are put into as many ranges of codes as there are records, about; the few that share a range are sorted.
    """
    n = end - start
    low, high = codes[start, attribute], codes[start, attribute]
    for place in range(start, end):
        low, high = min(low, codes[place, attribute]), max(high, codes[place, attribute])
    shift = 0
    while (high - low) >> shift >= n:
        shift += 1
    put_into_ranges(room, codes, attribute, rows, start, end, low, shift)
    begin, ends = 0, room.scores
    for part in range(((high - low) >> shift) + 1):
        if shift > 0 and ends[part] - begin > 1:
            ascending(room.keys[begin : ends[part]], ends[part] - begin)
        begin = ends[part]
    for place in range(n):
        row = room.keys[place] & LOWER_HALF
        room.ordered[place] = row
        room.weights[place] = target.weights[row]
        room.keys[place] += target.codes[row] - row


@inner
def put_into_ranges(
    room: TargetRoom, codes: Codes, attribute: int, rows: Codes, start: int, end: int, low: int, shift: int
) -> None:
    """Write the records' keys, code before row, in the order of ranges of 2^shift codes, from the code `low` on.

    There are no more ranges than records. `scores` has where each ends.
    """
    n = end - start
    ends = room.scores
    ends[:n] = 0
    for place in range(start, end):
        ends[(codes[place, attribute] - low) >> shift] += 1
    begin = 0
    for part in range(n):
        ends[part], begin = begin, begin + ends[part]
    for place in range(start, end):
        code = codes[place, attribute]
        part = (code - low) >> shift
        room.keys[ends[part]] = (code << 32) | rows[place]
        ends[part] += 1


@inner
def score_cuts(k: int, target: Target, room: TargetRoom, n: int, rows: int, missing: int) -> None:
    """Write the score of the cut behind each record, if both halves have k rows: the gain, as `score_of` has it.

    `rows`: of all n records; `missing`: as `best_cut` has it. From cut to cut, records go from the right half to the
    left one; of both, the sum of the terms is known.
    """
    terms, scale = target.terms, scale_of(rows)
    lefts, rights, scores = room.left, room.right, room.scores
    left, right = 0, term(terms, rows, scale) - missing
    for place in range(n):
        rights[room.keys[place] & LOWER_HALF] += room.weights[place]
        scores[place] = NO_CUT
    start, end = 0, 0  # the records of the left half whose terms are known, and those of the next one
    size = 0
    while True:
        before, end = end, next_cut(room.keys, end + 1, n)
        for place in range(before, end):
            size += room.weights[place]
        if rows - size < k:
            break
        if size < k:
            continue
        if end - start > lefts.size:
            left, right = move(target, room, end - start, end, scale)
        else:
            for place in range(start, end):
                value, more = room.keys[place] & LOWER_HALF, room.weights[place]
                left -= term(terms, lefts[value], scale)
                right -= term(terms, rights[value], scale)
                lefts[value] += more
                rights[value] -= more
                left += term(terms, lefts[value], scale)
                right += term(terms, rights[value], scale)
        halves = term(terms, size, scale) - left + term(terms, rows - size, scale) - right
        scores[end - 1] = int(score_of(missing - halves, rows, scale))
        start = end
    for place in range(n):
        value = room.keys[place] & LOWER_HALF
        lefts[value], rights[value] = 0, 0


@inner
def next_cut(keys: Numbers, size: int, n: int) -> int:
    """The records of the left half of the next cut, from so many on; n where there is no cut left."""
    while size < n and keys[size - 1] >> 32 == keys[size] >> 32:
        size += 1
    return size


@inner
def move(target: Target, room: TargetRoom, more: int, size: int, scale: float) -> tuple[int, int]:
    """Move `more` records to the left half, which has `size` then. Return the sums of the terms of both halves.

    The sums are made anew from the counts: for more records than the target has values.
    """
    lefts, rights = room.left, room.right
    for place in range(size - more, size):
        value = room.keys[place] & LOWER_HALF
        lefts[value] += room.weights[place]
        rights[value] -= room.weights[place]
    left, right = 0, 0
    for value in range(lefts.size):
        left += term(target.terms, lefts[value], scale)
        right += term(target.terms, rights[value], scale)
    return left, right


@inner
def best_of(scores: Numbers, weights: Numbers, n: int, rows: int) -> int:
    """The last record of the left half of the best cut, ties going to the middle, then to the lower; NO_CUT if none."""
    best, greatest, apart, size = NO_CUT, NO_CUT, 0, 0
    for place in range(n):
        score = scores[place]
        size += weights[place]
        if score > NO_CUT and score >= greatest:
            off = abs(2 * size - rows)
            if score > greatest or off < apart:
                best, greatest, apart = place, score, off
    return best


@inner
def leave_valid_cuts(check: Check, room: SplitScratch, target_room: TargetRoom, first: int, last: int, n: int) -> None:
    """Takes their score from the cuts, of those behind record `first` to `last`, that leave a half invalid.

    From either end a half grows record by record, so that all are tested in about the time of one.
    """
    scores = target_room.scores
    for turn in range(2):
        begin_class(room)
        counted = n if turn else 0
        for step in range(last - first + 1):
            cut = last - step if turn else first + step
            if scores[cut] != NO_CUT:
                start, end = (cut + 1, counted) if turn else (counted, cut + 1)
                include(check, room, target_room.ordered, start, end)
                counted = cut + 1
                if not holds(check, room):
                    scores[cut] = NO_CUT
        forget_class(check, room)


class Scoring(NamedTuple):
    """The target of information gain, and scratch memory to score splits."""

    target: Target
    room: TargetRoom


@inner
def look_for_gain(
    attributes: Attributes,
    space: Workspace,
    checking: Checking | None,
    scoring: Scoring,
    table: Codes,
    weights: Numbers | None,
    rows: Codes,
    spare: Codes,
    j: int,
    start: int,
    end: int,
    size: int,
    k: int,
    strict: bool,
    missing: int,
) -> float:
    """The gain of a split by an attribute, below 0 if it is not valid. Its children are written.

    `size`: the rows of the group; `missing`: the entropy of the target in it, as `entropy_of` has it.
    """
    target, room = scoring.target, scoring.room
    if attributes.kinds[j] == ORDERED:
        score, code = best_cut(k, checking, target, room, table, j, rows, start, end, missing)
        space.parts[j] = 0
        if score >= 0.0:
            first = deal(table, weights, j, start, end, code, size, space.child)
            space.parts[j], space.sizes[0], space.sizes[1] = 2, first, size - first
        return score
    parts = divide(attributes, space, table, weights, j, start, end, size, k, strict)
    if checking is not None:
        parts = all_pass(space, checking, rows, spare, start, end, parts)
    space.parts[j] = parts
    if parts == 0:
        return NO_SPLIT
    lay_out(space, rows, spare, start, end, parts)
    scale, gained = scale_of(size), missing
    for c in range(parts):
        gained -= entropy_of(target, room, spare, start, start + space.lengths[c], scale)
        start += space.lengths[c]
    return score_of(gained, size, scale)
