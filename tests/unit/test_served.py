"""Whom a partition serves by a rule: shares of released cells by hand, and counts of records and persons."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ordermade.methods.mondrian.algorithm.domains import Nested, OrderedDomain
from ordermade.methods.mondrian.algorithm.partition import Partition
from ordermade.methods.mondrian.algorithm.rule_coverage import (
    ClassCells,
    Reached,
    SetCells,
    SpanCells,
    cells_of,
    inside,
    limits,
    meant,
    quality,
    served,
)
from ordermade.methods.mondrian.algorithm.rules import Guide, NestedReach, OrderedReach, ValuesReach

YEARS = np.arange(1970, 1990)
HEIGHTS = np.arange(150, 190)
TENS = (((YEARS - 1970) // 10).astype(np.int32), ((HEIGHTS - 150) // 10).astype(np.int32))
CLASSES = tuple(np.stack([np.arange(tens.size, dtype=np.int32), tens]) for tens in TENS)
"""Years and heights in tens, whole."""


def nested(means: np.ndarray, classes: np.ndarray) -> NestedReach:
    """A reach whose classes have the values that are numbered."""
    levels = [*classes, np.zeros(classes.shape[1], dtype=np.int32)]
    shares = [np.stack([np.bincount(of, row) / np.bincount(of) for row in means]) for of in levels]
    return NestedReach(tuple((each > 0).astype(np.uint8) for each in shares), tuple(shares), means)


def between(values: np.ndarray, *ends: tuple[float, float]) -> np.ndarray:
    return np.array([(values >= low) & (values <= high) for low, high in ends])


def the_papers_guide() -> Guide:
    """Clothes A: height 165 to 171. Clothes B: born 1974 to 1979, height 167 to 188."""
    open_end = (-np.inf, np.inf)
    born, height = between(YEARS, open_end, (1974, 1979)), between(HEIGHTS, (165, 171), (167, 188))
    reaches = tuple(nested(means, classes) for means, classes in zip((born, height), CLASSES, strict=True))
    return Guide(np.ones(2), reaches, np.array([[False, True], [True, True]]))


def test_the_share_of_a_class_that_lies_inside_is_a_product() -> None:
    guide = the_papers_guide()
    seventies, eighties, all_years = (1, 0), (1, 1), (2, 0)
    sixties, seventies_tall, tallest, all_heights = (1, 1), (1, 2), (1, 3), (2, 0)
    groups = [
        (seventies, sixties),
        (seventies, seventies_tall),
        (seventies, tallest),
        (eighties, seventies_tall),
        (all_years, seventies_tall),
        (seventies, all_heights),
        ((0, 4), (0, 17)),
    ]
    cells = [
        ClassCells(np.array([group[place][0] for group in groups], np.int8), np.array([g[place][1] for g in groups]))
        for place in range(2)
    ]
    assert inside(guide, 0, cells).tolist() == pytest.approx([0.5, 0.2, 0, 0.2, 0.2, 7 / 40, 1])
    assert served(guide, 0, cells).tolist() == [True, False, False, False, False, False, True]
    assert inside(guide, 1, cells).tolist() == pytest.approx([0.18, 0.6, 0.54, 0, 0.3, 0.6 * 22 / 40, 1])
    assert served(guide, 1, cells).tolist() == [False, True, True, False, False, False, True]


def test_intervals_sets_and_numbers() -> None:
    points = np.array([1.0, 2, 4, 8, 16])
    low, high = np.array([2.5, -np.inf]), np.array([8.0, np.inf])
    ends = {"low": low, "high": high, "first": np.array([2, 0], np.int32), "last": np.array([3, 4], np.int32)}
    spans = SpanCells(np.array([1.0, 4, 8, 1, 16]), np.array([4.0, 4, 16, 16, 16]))
    asks = np.array([[True], [False]])
    whole = Guide(np.ones(2), (OrderedReach(points, **ends, step=1.0),), asks)
    assert inside(whole, 0, [spans]).tolist() == pytest.approx([2 / 4, 1, 1 / 9, 6 / 16, 0])
    continuous = Guide(np.ones(2), (OrderedReach(points, **ends, step=0.0),), asks)
    assert inside(continuous, 0, [spans]).tolist() == pytest.approx([1.5 / 3, 1, 0, 5.5 / 15, 0])
    assert served(continuous, 0, [spans]).tolist() == [True, True, False, False, False]
    assert served(continuous, 1, [spans]).all()  # a rule that is silent
    # A mean of whole numbers need not be one.
    assert served(whole, 0, [SpanCells(np.array([2.6, 2.4]), np.array([2.6, 2.4]))]).tolist() == [True, False]
    sets = SetCells(np.array([0, 2, 3, 6]), np.array([0, 2, 3, 0, 1, 3], np.int32))
    assert inside(whole, 0, [sets]).tolist() == pytest.approx([1 / 2, 1, 1 / 3])
    values = Guide(np.ones(2), (ValuesReach(np.array([[True, True, False, False, False]] * 2)),), asks)
    assert inside(values, 0, [sets]).tolist() == pytest.approx([1 / 2, 0, 2 / 3])
    with pytest.raises(TypeError, match="do not fit"):
        inside(values, 0, [spans])


def by_groups(labels: np.ndarray, levels: np.ndarray) -> Partition:
    order = np.argsort(labels, kind="stable").astype(np.int32)
    starts = np.searchsorted(labels[order], np.arange(labels.max() + 2))
    return Partition(order, starts.astype(np.int64), levels, 0, 0)


def test_recall_and_precision_are_those_of_records_or_of_persons() -> None:
    guide = the_papers_guide()
    years = np.array([1974, 1975, 1971, 1974, 1980, 1979, 1970])
    heights = np.array([170, 175, 179, 165, 171, 188, 150])
    codes = np.column_stack([years - 1970, heights - 150]).astype(np.int32)
    labels = np.array([0, 0, 0, 1, 1, 1, 1])
    partition = by_groups(labels, np.array([[1, 1], [2, 2]], np.int8))
    cells = cells_of(guide, codes, partition, CLASSES)
    assert [np.flatnonzero(meant(guide, rule, codes)).tolist() for rule in range(2)] == [[0, 3, 4], [0, 1, 5]]
    nobody, clothes_b = quality(guide, codes, partition, cells)
    assert nobody == Reached(meant=3, served=0, both=0)
    assert (nobody.recall, nobody.precision) == (0.0, None)
    assert clothes_b == Reached(meant=3, served=3, both=2)
    assert (clothes_b.recall, clothes_b.precision) == (2 / 3, 2 / 3)
    # Records 1 and 5 are of one person, who is served by the first.
    persons = np.array([0, 1, 2, 3, 4, 1, 0], np.int32)
    assert quality(guide, codes, partition, cells, persons)[1] == Reached(meant=2, served=3, both=2)
    assert Reached(0, 1, 0).recall is None


def test_cells_are_what_is_released_of_each_group() -> None:
    points = np.array([1.0, 2, 4, 8])
    whole = OrderedReach(points, np.zeros(1), np.ones(1), np.zeros(1, np.int32), np.zeros(1, np.int32), 1.0)
    guide = Guide(np.ones(1), (whole, ValuesReach(np.ones((1, 3), np.bool_))), np.ones((1, 2), np.bool_))
    codes = np.array([[3, 0], [1, 2], [0, 1], [3, 0], [1, 1]], np.int32)
    partition = by_groups(np.array([1, 0, 0, 1, 1]), np.full((2, 2), -1, np.int8))
    none = [np.empty((0, 0), np.int32)] * 2
    spans, sets = cells_of(guide, codes, partition, none)
    assert isinstance(spans, SpanCells)
    assert isinstance(sets, SetCells)
    assert (spans.low.tolist(), spans.high.tolist()) == ([1, 2], [2, 8])
    assert (sets.starts.tolist(), sets.codes.tolist()) == ([0, 2, 4], [1, 2, 0, 1])
    of_numbers, _ = cells_of(guide, codes, partition, none, sets=True)
    assert isinstance(of_numbers, SetCells)
    assert of_numbers.codes.tolist() == [0, 1, 1, 3]
    means, _ = cells_of(guide, codes, partition, none, numbers={0: np.array([1.5, 6.0])})
    assert isinstance(means, SpanCells)
    assert means.low is means.high


@pytest.mark.slow
def test_what_bounds_a_rule_holds_for_every_group_there_is() -> None:
    """Every combination of a class and an interval between values: its rows are the largest group with that cell."""
    rng = np.random.default_rng(7)
    tens, points = CLASSES[0][:, :12], np.arange(9.0)
    nested_domain, cut = Nested(tens, ()), OrderedDomain(points, 8.0)
    known = []
    for _ in range(40):
        codes = np.column_stack([rng.integers(12, size=14), rng.integers(9, size=14)]).astype(np.int32)
        persons = rng.integers(9, size=14).astype(np.int32)
        ends = np.sort(rng.integers(9, size=2)).astype(np.int32)
        means = (rng.random((1, 12)) < 0.5) if rng.random() < 0.5 else between(np.arange(12), (1, 9))
        low, high = points[ends[:1]], points[ends[1:]]
        reaches = (nested(means, tens), OrderedReach(points, low, high, ends[:1], ends[1:], float(rng.integers(2))))
        guide = Guide(np.ones(1), reaches, np.array([rng.random(2) < [0.9, 0.6]]))
        k, finest = int(rng.integers(2, 6)), int(rng.integers(2))
        found = limits(guide, 0, (Nested(tens, (), finest), cut), codes, k, persons=persons)
        someone_meant, serves = np.isin(persons, persons[meant(guide, 0, codes)]), False
        boxes = [(level, number) for level in range(finest, 3) for number in range((12, 2, 1)[level])]
        for (level, number), (first, last) in itertools.product(
            boxes, itertools.combinations_with_replacement(range(9), 2)
        ):
            classes = tens[level][codes[:, 0]] if level < nested_domain.top else np.zeros(14, np.int32)
            rows = (classes == number) & (codes[:, 1] >= first) & (codes[:, 1] <= last)
            if np.unique(persons[rows]).size >= k and someone_meant[rows].any():
                of_class = ClassCells(np.array([level], np.int8), np.array([number], np.int32))
                interval = codes[rows, 1]
                of_span = SpanCells(points[[interval.min()]], points[[interval.max()]])
                serves |= bool(served(guide, 0, [of_class, of_span])[0])
        possible = found.together >= 0.5 and found.crowded
        assert possible or not serves
        if not guide.asks[0, 1]:
            assert possible == serves  # of classes alone everything is looked at
        known.append((serves, possible))
    assert {(True, True), (False, False)} <= set(known)


def test_persons_are_counted_once_in_what_bounds_a_rule() -> None:
    guide = the_papers_guide()
    domains = tuple(Nested(classes, (), finest=1) for classes in CLASSES)
    codes = np.array([[4, 20], [5, 25], [1, 29], [4, 15]], np.int32)
    persons = np.array([0, 0, 1, 2], np.int32)
    of_records, of_persons = limits(guide, 1, domains, codes, 3), limits(guide, 1, domains, codes, 3, persons=persons)
    assert (of_records.meant, of_persons.meant) == (2, 1)
    assert of_records.shares == pytest.approx((0.6, 1.0))
    assert (of_records.crowded, of_persons.crowded) == (True, False)
    assert limits(guide, 1, domains, codes, 2, persons=persons).crowded


def test_a_person_may_be_served_by_a_record_that_the_rule_does_not_mean() -> None:
    years = np.array([1970, 1971, 1972, 1987, 1988, 1989])
    persons = np.array([0, 1, 2, 0, 1, 2], np.int32)
    means = ((YEARS == 1970) | ((YEARS >= 1980) & (YEARS <= 1985)))[None]  # a tenth of the seventies, most eighties
    guide = Guide(np.ones(1), (nested(means, CLASSES[0]),), np.array([[True]]))
    codes = (years - 1970).astype(np.int32)[:, None]
    partition = by_groups(np.array([0, 0, 0, 1, 1, 1]), np.array([[1], [1]], np.int8))
    cells = cells_of(guide, codes, partition, CLASSES[:1])
    assert quality(guide, codes, partition, cells, persons) == (Reached(meant=1, served=3, both=1),)
    domain = Nested(CLASSES[0], (), finest=1)
    assert limits(guide, 0, (domain,), codes, 3, persons=persons).crowded
    assert not limits(guide, 0, (domain,), codes, 3).crowded
