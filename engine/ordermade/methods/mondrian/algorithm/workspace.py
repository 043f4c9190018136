"""The memory of a partition: the records, which move, the open groups, and room for one split."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordermade.methods.mondrian.algorithm.domains import Attributes, Codes, Numbers, Shares, most_parts
from ordermade.methods.mondrian.algorithm.rules import Rules, Words

DIGITS = 2048
"""The most ranges that codes are counted in to find a median."""
OPEN, GROUPS, SETTLED, MADE, TRIED = range(5)
"""The tally: open groups, all groups; records of finished groups, splits made, splits tried."""
START, END, SIDE = range(3)
"""The place of an open group: its records, and which of the two tables they are in."""

Levels = NDArray[np.int8]


class Records(NamedTuple):
    """The records, those of one group side by side, and the finished groups. Groups of different records share it.

    A split writes the records of each child, in their order, to the other of the two tables.
    """

    tables: NDArray[np.int32]
    """side, record, attribute"""
    rows: NDArray[np.int32]
    """side, record"""
    order: Codes
    begins: Numbers
    """The start of the finished group that starts at k x i to k x (i + 1) - 1; -1 where there is none."""
    levels: Levels
    """The levels of that group."""


class Waiting(NamedTuple):
    """The open groups, the next one last. `words`: the rules that each meets."""

    spans: NDArray[np.int64]
    levels: Levels
    words: Words


class Workspace(NamedTuple):
    """Scratch memory to split one group. Of `child` and `picked` each has the part where its records are."""

    tally: Numbers
    child: Codes
    """The child of each record."""
    picked: Codes
    own_levels: Numbers
    low: Numbers
    """The least code of each ordered attribute, in the group."""
    high: Numbers
    bounds: Shares
    parts: Numbers
    """The children that a split by each attribute would make; one more, for none, that is 0."""
    counts: Numbers
    """All 0 between uses."""
    touched: Numbers
    number: Numbers
    sample: Numbers
    digits: Numbers
    sizes: Numbers
    """The records of each child."""
    variety: Numbers
    """The values of either of two children."""
    next_at: Numbers
    codes: Numbers
    """A code of each child's records."""


class Meeting(NamedTuple):
    """Scratch memory for the rules that the children of a group meet, and the number of groups that meet each."""

    own_words: Numbers
    words: Words
    value_words: Words
    low: Numbers
    high: Numbers
    met: Numbers
    """The number of groups that meet each rule."""
    worth: Shares
    """The worth of each rule that a child meets: its weight times idf."""


def records_of(codes: Codes, k: int) -> Records:
    """All records, in the first table."""
    n, columns = codes.shape
    records = Records(
        tables=np.empty((2, n, columns), dtype=np.int32),
        rows=np.empty((2, n), dtype=np.int32),
        order=np.empty(n, dtype=np.int32),
        begins=np.full(n // k + 1, -1, dtype=np.int64),
        levels=np.empty((n // k + 1, columns), dtype=np.int8),
    )
    records.tables[0] = codes
    records.rows[0] = np.arange(n, dtype=np.int32)
    return records


def waiting_for(attributes: Attributes, rules: Rules, records: int, k: int) -> Waiting:
    """Room for the open groups of so many records. Room that is never written to takes no memory."""
    most = records // k + 1
    return Waiting(
        spans=np.empty((most, SIDE + 1), dtype=np.int64),
        levels=np.empty((most, attributes.kinds.size), dtype=np.int8),
        words=np.empty((most, rules.words.shape[1]), dtype=np.int64),
    )


def workspace_for(attributes: Attributes, child: Codes, picked: Codes, most: int) -> Workspace:
    """Room to split groups into `most` children at most. `child`, `picked`: a number a record, of no meaning yet."""

    def numbers(size: int) -> Numbers:
        return np.zeros(size, dtype=np.int64)

    columns = attributes.kinds.size
    values = max(int(attributes.values.max()), most_parts(attributes)) + 1
    return Workspace(
        tally=numbers(TRIED + 1),
        child=child,
        picked=picked,
        own_levels=numbers(columns),
        low=numbers(columns),
        high=numbers(columns),
        bounds=np.zeros(columns),
        parts=numbers(columns + 1),
        counts=numbers(values),
        touched=numbers(values),
        number=numbers(values),
        sample=numbers(values),
        digits=numbers(DIGITS),
        sizes=numbers(most),
        variety=numbers(2),
        next_at=numbers(most),
        codes=numbers(most),
    )


def meeting_for(rules: Rules, most: int) -> Meeting:
    """Room for the rules of `most` children at most."""
    words = rules.words.shape[1]
    return Meeting(
        own_words=np.zeros(words, dtype=np.int64),
        words=np.zeros((most, words), dtype=np.int64),
        value_words=np.zeros((most, words), dtype=np.int64),
        low=np.zeros(most, dtype=np.int64),
        high=np.zeros(most, dtype=np.int64),
        met=np.zeros(rules.weights.size, dtype=np.int64),
        worth=np.zeros(rules.weights.size),
    )
