"""The sealed partition against trying every split: random levels, which need not nest, prices, regions that fail.

Which fail by any rule at all, or by k persons and models as they are decided by hand.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordermade.methods.generalization.algorithm import sealed_partition
from ordermade.methods.generalization.algorithm.region_counts import SensitiveRecords, counts_of
from ordermade.methods.generalization.algorithm.sealed_partition import Deciding, Partitions, Sealed, SealedLevels
from ordermade.privacy.models import AlphaK, DistinctL, EntropyL, Model, RecursiveCL, TCloseness
from tests.privacy_by_hand import distance
from tests.properties.test_mondrian_requirement import Records
from tests.properties.test_privacy_properties import ANCESTORS, DISTANCES


@dataclass(frozen=True)
class Case:
    """Combinations of cells with their rows, the levels of each attribute, k, prices; a rule that regions fail by."""

    cells: tuple[tuple[int, ...], ...]
    rows: tuple[int, ...]
    attributes: tuple[Attribute, ...]
    k: int
    prices: tuple[float, ...]
    rule: int
    bits: int

    def passes(self, members: tuple[int, ...]) -> bool:
        """Whether the region of these combinations passes the rule: a third of all fail, whatever else passes."""
        return not self.rule or crc32(bytes((self.rule, *sorted(members)))) % 3 > 0


@dataclass(frozen=True)
class Members:
    """Regions by their combinations, decided on by a rule."""

    members: tuple[tuple[int, ...], ...]
    rule: Callable[[tuple[int, ...]], bool]

    @property
    def regions(self) -> int:
        return len(self.members)

    def merged(self, into: np.ndarray[tuple[int], np.dtype[np.int64]], number: int) -> Members:
        found: list[tuple[int, ...]] = [() for _ in range(number)]
        for to, each in zip(into.tolist(), self.members, strict=True):
            if to >= 0:
                found[to] += each
        return Members(tuple(found), self.rule)

    def passing(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        assert self.members
        assert all(self.members)
        return np.array([self.rule(each) for each in self.members])


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
    return Case(
        tuple(cells),
        rows,
        found,
        draw(st.integers(1, 6)),
        prices,
        draw(st.integers(0, 9)),
        draw(st.sampled_from([3, 62])),
    )


def least(case: Case, price: float, passes: Callable[[tuple[int, ...]], bool]) -> float:
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
        if size >= case.k and passes(members):
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
        partitions = _partitions(case, Members(tuple((each,) for each in range(len(case.cells))), case.passes))
        for number, price in enumerate(case.prices):
            found, wanted = partitions.partition(number), least(case, price, case.passes)
            if math.isinf(wanted):
                assert found is None
                continue
            assert found is not None
            assert abs(_cost(case, found, price) - wanted) < 1e-6
            _check(case, found, case.passes)
    finally:
        sealed_partition.MAX_BITS = sealed_partition_bits


SMALL_TABLES = 200


@pytest.mark.slow
def test_no_partition_that_persons_and_models_pass_costs_less() -> None:
    """On small tables of two sensitive attributes, often with the very threshold that some region is on."""
    parted = split = 0
    for seed in range(SMALL_TABLES):
        chance = random.Random(seed)
        case, combinations, records = _small_table(chance)
        required = [[_model(chance, records, attribute) for _ in range(chance.randint(0, 2))] for attribute in (0, 1)]
        if not records.persons and not any(required):
            required[0] = [DistinctL(2)]

        def passes(
            members: tuple[int, ...],
            case: Case = case,
            combinations: list[int] = combinations,
            records: Records = records,
            required: list[list[Model]] = required,
        ) -> bool:
            return records.passes(_rows(combinations, members), case.k if records.persons else 1, required)

        partitions = _partitions(case, _counts(case.k, combinations, records, required))
        for number, price in enumerate(case.prices):
            found, wanted = partitions.partition(number), least(case, price, passes)
            assert (found is None) == math.isinf(wanted), seed
            if found is not None:
                assert abs(_cost(case, found, price) - wanted) < 1e-6, seed
                _check(case, found, passes)
                parted += 1
                split += len(found.nodes) > 1
    assert split > parted / 4


def _small_table(chance: random.Random) -> tuple[Case, list[int], Records]:
    """Two chains of levels, and 10 to 30 records; the combination of each."""
    attributes = tuple(
        Attribute(((0, 1, 2, 3), (0, 0, 1, 1), (0, 0, 0, 0)), ((), (0,), (1,)), ((0,) * 4, (1,) * 2, (4,)))
        if chance.random() < 0.7
        else Attribute(((0, 1, 2), (0, 0, 0)), ((), (0,)), ((0,) * 3, (4,)))
        for _ in range(2)
    )
    number = chance.randint(10, 30)
    drawn = [tuple(chance.randrange(len(each.classes[0])) for each in attributes) for _ in range(number)]
    cells = sorted(set(drawn))
    combinations = [cells.index(each) for each in drawn]
    persons = tuple(chance.randrange(number) for _ in drawn) if chance.random() < 0.5 else None
    domain = list(ANCESTORS)
    values = tuple((chance.choice(domain[:3]), chance.choice(domain)) for _ in drawn)
    rows = tuple(combinations.count(each) for each in range(len(cells)))
    case = Case(tuple(cells), rows, attributes, chance.randint(1, 4), (1.0, 2.0, math.inf), 0, 62)
    return case, combinations, Records(persons, tuple(combinations), values)


def _model(chance: random.Random, records: Records, attribute: int) -> Model:
    some = chance.sample(range(len(records.classes)), chance.randint(1, len(records.classes)))
    counts, whole = records.counted(some, attribute), records.counted(range(len(records.classes)), attribute)
    most = max(counts.values())
    name, along = chance.choice(DISTANCES)
    t = distance(TCloseness(Fraction(0), name, along), counts, whole, ANCESTORS)
    return chance.choice(
        [
            DistinctL(chance.randint(2, 3)),
            EntropyL(Fraction(chance.choice([5, 6, 8]), 4)),
            RecursiveCL(Fraction(most, max(1, counts.total() - most)) + chance.randint(0, 2), 2),
            AlphaK(min(Fraction(most, records.units(some)), Fraction(9, 10))),
            TCloseness(min(t, Fraction(9, 10)), name, along),
        ]
    )


def _rows(combinations: list[int], members: tuple[int, ...]) -> list[int]:
    """The records of some combinations."""
    return [row for row, each in enumerate(combinations) if each in members]


def _counts(k: int, combinations: list[int], records: Records, required: list[list[Model]]) -> Deciding:
    columns = []
    for attribute, models in enumerate(required):
        every = records.sensitive(attribute, tuple(models))
        occurring, values = np.unique(every.codes, return_inverse=True)
        branches = {identity: each[:, occurring].astype(np.int64) for identity, each in every.ancestors.items()}
        columns.append(SensitiveRecords(values.astype(np.int64), tuple(models), branches))
    persons = None if records.persons is None else np.array(records.persons)
    return counts_of(np.array(combinations), np.ones(len(combinations), dtype=np.int64), k, persons, columns)


def _partitions(case: Case, deciding: Deciding) -> Partitions:
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

    return Partitions(levels, np.array(case.rows), case.k, case.prices, None, deciding)


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


def _check(case: Case, found: Sealed, passes: Callable[[tuple[int, ...]], bool]) -> None:
    """Released regions have k rows and pass, and every combination that lies in one is released with it."""
    regions: dict[tuple[tuple[int, int], ...], list[int]] = {}
    for combination, number in enumerate(found.node_of):
        if number >= 0:
            node = found.nodes[number]
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
        assert passes(tuple(members))
        assert sum(case.rows[each] for each in members) >= case.k
    assert sum(found.regions) == len(regions)
    assert found.suppressed == sum(case.rows[each] for each, number in enumerate(found.node_of) if number < 0)
