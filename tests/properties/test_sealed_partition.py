"""The sealed partition against trying every split: random levels, which need not nest, prices, nodes that fail."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordermade.methods.generalization.algorithm import sealed_partition
from ordermade.methods.generalization.algorithm.sealed_partition import Partitions, Sealed, SealedLevels


@dataclass(frozen=True)
class Case:
    """Combinations of cells with their rows, the levels of each attribute, k, prices, nodes that release nothing."""

    cells: tuple[tuple[int, ...], ...]
    rows: tuple[int, ...]
    attributes: tuple[Attribute, ...]
    k: int
    prices: tuple[float, ...]
    forbidden: frozenset[tuple[int, ...]]
    bits: int


@dataclass(frozen=True)
class Attribute:
    """For each level the class of each cell, the levels next below it, and the cost of each class, in quarters."""

    classes: tuple[tuple[int, ...], ...]
    finer: tuple[tuple[int, ...], ...]
    costs: tuple[tuple[int, ...], ...]


@st.composite
def attributes(draw: st.DrawFn) -> Attribute:
    """A chain of levels, or two levels that do not nest beneath a third."""
    size = draw(st.integers(1, 5))
    levels = [tuple(range(size))]
    while len(levels) < draw(st.integers(1, 4)):
        finer = levels[-1]
        to = draw(st.lists(st.integers(0, max(finer)), min_size=max(finer) + 1, max_size=max(finer) + 1))
        levels.append(tuple(to[each] for each in finer))
    below: list[tuple[int, ...]] = [(), *((level - 1,) for level in range(1, len(levels)))]
    if draw(st.booleans()):
        crossing = tuple(draw(st.integers(0, 1)) for _ in range(size))
        levels, below = [levels[-1], crossing, (0,) * size], [(), (), (0, 1)]
    costs = tuple(tuple(draw(st.integers(0, 4)) for _ in range(max(each) + 1)) for each in levels)
    return Attribute(tuple(levels), tuple(below), costs)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    found = tuple(draw(attributes()) for _ in range(draw(st.integers(1, 3))))
    cells = draw(
        st.lists(
            st.tuples(*(st.integers(0, len(each.classes[0]) - 1) for each in found)),
            min_size=1,
            max_size=12,
            unique=True,
        )
    )
    rows = tuple(draw(st.integers(1, 4)) for _ in cells)
    prices = tuple(draw(st.lists(st.sampled_from([1.0, 1.5, 3.0, math.inf]), min_size=1, max_size=3, unique=True)))
    nodes = [()]
    for each in found:
        nodes = [(*node, level) for node in nodes for level in range(len(each.classes))]
    forbidden = frozenset(draw(st.lists(st.sampled_from(nodes), max_size=4)))
    return Case(tuple(cells), rows, found, draw(st.integers(1, 6)), prices, forbidden, draw(st.sampled_from([3, 62])))


def least(case: Case, price: float) -> float:
    """The least cost, in quarters of a row, by trying every split of every region."""
    share = len(case.attributes)

    def class_of(place: int, level: int, combination: int) -> int:
        return case.attributes[place].classes[level][case.cells[combination][place]]

    def cost(node: tuple[int, ...], members: tuple[int, ...]) -> float:
        each = (
            case.rows[one] * case.attributes[place].costs[level][class_of(place, level, one)]
            for one in members
            for place, level in enumerate(node)
        )
        return sum(each) / share

    def parted(node: tuple[int, ...], members: tuple[int, ...]) -> float:
        size = sum(case.rows[each] for each in members)
        found = [price * 4 * size]
        if size >= case.k and node not in case.forbidden:
            found.append(cost(node, members))
        if size >= case.k:
            for place, level in enumerate(node):
                for below in case.attributes[place].finer[level]:
                    finer = (*node[:place], below, *node[place + 1 :])
                    groups: dict[int, list[int]] = {}
                    for each in members:
                        groups.setdefault(class_of(place, below, each), []).append(each)
                    found.append(sum(parted(finer, tuple(group)) for group in groups.values()))
        return min(found)

    root = tuple(len(each.classes) - 1 for each in case.attributes)
    whole: dict[tuple[int, ...], list[int]] = {}
    for each in range(len(case.cells)):
        whole.setdefault(tuple(class_of(place, level, each) for place, level in enumerate(root)), []).append(each)
    return sum(parted(root, tuple(group)) for group in whole.values())


@pytest.mark.slow
@given(case=cases())
def test_no_partition_by_splits_costs_less(case: Case) -> None:
    sealed_partition_bits = sealed_partition.MAX_BITS
    sealed_partition.MAX_BITS = case.bits
    try:
        partitions = _partitions(case)
        for number, price in enumerate(case.prices):
            found, wanted = partitions.partition(number), least(case, price)
            if math.isinf(wanted):
                assert found is None
                continue
            assert found is not None
            assert abs(_cost(case, found, price) - wanted) < 1e-6
            _check(case, found)
    finally:
        sealed_partition.MAX_BITS = sealed_partition_bits


def _partitions(case: Case) -> Partitions:
    every = np.arange(len(case.cells))
    levels = [
        SealedLevels.of_cells(
            place,
            np.array([each[place] for each in case.cells]),
            [np.array(each) for each in own.classes],
            own.finer,
            [np.array(each) / 4 / len(case.attributes) for each in own.costs],
        )
        for place, own in enumerate(case.attributes)
    ]

    def passing(node: tuple[int, ...]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return every[:0] if node in case.forbidden else every

    return Partitions(levels, np.array(case.rows), case.k, case.prices, passing if case.forbidden else None)


def _cost(case: Case, found: Sealed, price: float) -> float:
    total = 0.0
    for combination, number in enumerate(found.node_of):
        if number < 0:
            total += price * 4 * case.rows[combination]
            continue
        for place, level in enumerate(found.nodes[number]):
            own = case.attributes[place]
            paid = own.costs[level][own.classes[level][case.cells[combination][place]]]
            total += case.rows[combination] * paid / len(case.attributes)
    return total


def _check(case: Case, found: Sealed) -> None:
    """Released regions have k rows, every combination that lies in one is released with it, and none is forbidden."""
    regions: dict[tuple[tuple[int, int], ...], list[int]] = {}
    for combination, number in enumerate(found.node_of):
        if number >= 0:
            node = found.nodes[number]
            assert node not in case.forbidden
            region = tuple(
                (level, own.classes[level][case.cells[combination][place]])
                for place, (own, level) in enumerate(zip(case.attributes, node, strict=True))
            )
            regions.setdefault(region, []).append(combination)
    for region, members in regions.items():
        inside = [
            each
            for each, cells in enumerate(case.cells)
            if all(
                own.classes[level][cell] == held
                for own, cell, (level, held) in zip(case.attributes, cells, region, strict=True)
            )
        ]
        assert inside == members
        assert sum(case.rows[each] for each in members) >= case.k
    assert sum(found.regions) == len(regions)
    assert found.suppressed == sum(case.rows[each] for each, number in enumerate(found.node_of) if number < 0)
