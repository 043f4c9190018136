"""The persons of a dataset by what a pool tells apart alone: many cells become few, and nothing that follows changes.

Codes of an axis are distinct where a partition has them in different classes, or a comparison of a filter differs
between them. Of cells whose codes are not told apart every partition has the same class, so that figures bound their
sum alone: data that agree with a pool are those that agree with it once such cells are one, parted in any way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ordermade.ledger.figures import JointCells, KnownFigures, PersonPartition
from ordermade.ledger.numbering import paired
from ordermade.tables.cells import Whole


@dataclass(frozen=True, slots=True, eq=False)
class _ToldApart:
    """The distinct codes of an axis: the number of every code, and the first code of each number."""

    number: Whole
    first: Whole


def coarsened(pool: Sequence[KnownFigures], joint: JointCells) -> tuple[tuple[KnownFigures, ...], JointCells]:
    """The same pool over fewer codes, those that it does not tell apart being one; its classes keep their numbers."""
    axes = [_told_apart(pool, axis, size) for axis, size in enumerate(joint.sizes)]
    number, most = np.zeros(len(joint.cells), dtype=np.int64), 1
    for axis, own in enumerate(axes):
        number, most = paired(number, most, own.number[joint.cells[:, axis]], len(own.first))
    _, first, of = np.unique(number, return_index=True, return_inverse=True)
    columns = [own.number[joint.cells[first, axis]] for axis, own in enumerate(axes)]
    cells = np.stack(columns, axis=1) if columns else joint.cells[first]
    persons = np.bincount(of.reshape(-1), joint.persons, len(first)).astype(np.int64)
    sizes = tuple(len(own.first) for own in axes)
    fewer = tuple(replace(each, partition=_over(each.partition, axes)) for each in pool)
    return fewer, JointCells(sizes, cells, persons)


def _told_apart(pool: Iterable[KnownFigures], axis: int, size: int) -> _ToldApart:
    levels = {np.zeros(size, dtype=np.int64).tobytes(): np.zeros(size, dtype=np.int64)}
    for each in pool:
        compared = (one.truths for one in each.partition.compared.values() if one.axis == axis)
        own = each.partition.classes.get(axis)
        for classes in (*compared, *(() if own is None else (own,))):
            levels.setdefault(classes[:size].tobytes(), classes[:size])
    _, first, number = np.unique(
        np.stack(list(levels.values()), axis=1), axis=0, return_index=True, return_inverse=True
    )
    return _ToldApart(number.reshape(-1).astype(np.int64), first)


def _over(partition: PersonPartition, axes: Sequence[_ToldApart]) -> PersonPartition:
    """The partition over the codes that are left."""
    return replace(
        partition,
        classes={axis: classes[axes[axis].first] for axis, classes in partition.classes.items()},
        compared={
            comparison: replace(each, truths=each.truths[axes[each.axis].first])
            for comparison, each in partition.compared.items()
        },
    )
