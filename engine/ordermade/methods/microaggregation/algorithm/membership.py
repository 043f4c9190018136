"""The membership of records as groups are taken apart and put together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordermade.machine.compiled import inner
from ordermade.methods.microaggregation.algorithm.arrays import Labels, Table
from ordermade.methods.microaggregation.algorithm.groups import groups_of

Rows = NDArray[np.int32]
Counts = NDArray[np.int64]


class Membership(NamedTuple):
    """`labels`: the group of each record. `members`: the rows of each group, in its first `sizes` places.

    `in_use`: one number, how many groups there are. There is room for as many groups as k allows.
    """

    labels: Labels
    members: Rows
    sizes: Counts
    in_use: Counts


def membership_of(X: Table, labels: Labels, k: int) -> tuple[Membership, int]:
    """The groups of labels, those of 2k records or more in halves, and how many halvings there were.

    Halving never raises SSE: so no group of 2k or more has to be thought of later.
    """
    groups = groups_of(_halved(X, labels, k), len(labels))
    room = len(labels) // k
    found = Membership(
        groups.labels,
        members=np.zeros((room, 2 * k), dtype=np.int32),
        sizes=np.zeros(room, dtype=np.int64),
        in_use=np.array([groups.count], dtype=np.int64),
    )
    place = np.arange(len(labels)) - np.repeat(groups.starts, groups.sizes)
    found.members[groups.labels[groups.order], place] = groups.order
    found.sizes[: groups.count] = groups.sizes
    return found, groups.count - int(labels.max()) - 1


def _halved(X: Table, labels: Labels, k: int) -> Labels:
    """Labels of groups below 2k: new ones for records split off."""
    found = labels.copy()
    before = groups_of(labels, len(labels))
    groups = before.count
    for number in np.flatnonzero(before.sizes >= 2 * k):
        waiting = [before.order[before.starts[number] :][: before.sizes[number]]]
        while waiting:
            group = waiting.pop()
            while group.size >= 2 * k:
                widest = X[group][:, np.argmax(np.ptp(X[group], axis=0))]
                group = group[np.argsort(widest, kind="stable")]
                waiting.append(group[group.size // 2 :])
                found[waiting[-1]] = groups
                groups += 1
                group = group[: group.size // 2]
    return found


@inner
def join(membership: Membership, row: int, group: int) -> None:
    """Puts a record into a group (it is to be in no other)."""
    membership.members[group, membership.sizes[group]] = row
    membership.sizes[group] += 1
    membership.labels[row] = group


@inner
def close_up(membership: Membership, empty: int) -> None:
    """The last group takes the number of an empty one, so that no number is left out."""
    last = membership.in_use[0] - 1
    membership.in_use[0] = last
    if empty != last:
        membership.sizes[empty] = 0
        for place in range(membership.sizes[last]):
            join(membership, membership.members[last, place], empty)
    membership.sizes[last] = 0
