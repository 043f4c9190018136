"""Hierarchies on random content, against brute force and against the database."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, product

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from ordermade.hierarchies.dates import PARTS, date_hierarchy
from ordermade.hierarchies.explicit import ListedLevel, explicit_hierarchy, refinement
from ordermade.hierarchies.hierarchy import canonical, content_hash
from ordermade.hierarchies.intervals import Interval, interval_hierarchy
from ordermade.hierarchies.prefixes import prefix_hierarchy
from ordermade.hierarchies.stored import StoredLabels, restore, store
from tests.long import rounds

pytestmark = pytest.mark.slow

texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)


@st.composite
def explicit(draw):
    leaves = draw(st.lists(st.none() | texts, min_size=1, max_size=8, unique=True))
    labels = st.lists(st.sampled_from(["x", "y", "z", "*", "ほか"]), min_size=len(leaves), max_size=len(leaves))
    columns = draw(st.lists(labels, max_size=4))
    return leaves, [ListedLevel(None, tuple(column)) for column in columns]


numbers = st.integers(-400, 400).map(Decimal) | st.decimals(-40, 40, places=2, allow_nan=False, allow_infinity=False)


@st.composite
def intervals(draw):
    rule = st.builds(Interval, numbers.map(abs).filter(bool), numbers)
    return draw(st.lists(rule, min_size=1, max_size=4, unique_by=lambda each: each.width))


def partition(classes):
    return {frozenset(i for i, each in enumerate(classes) if each == label) for label in set(classes)}


def refines(fine, coarse):
    return all(any(one <= other for other in partition(coarse)) for one in partition(fine))


def check_grounding(hierarchy, base, codes):
    """What every grounding promises."""
    grounding = hierarchy.ground(base, codes)
    assert None in grounding.keys
    assert set(grounding.cell_of_key) == set(range(grounding.cells))
    assert set(grounding.classes[hierarchy.top]) == {0}
    for level, classes in grounding.classes.items():
        assert all(classes[own] == own and own <= cell for cell, own in enumerate(classes))
        if level in grounding.labels:
            assert refines(classes, grounding.labels[level])
            assert refines(grounding.labels[level], classes)
    for fine, coarse in combinations(sorted(grounding.classes), 2):
        if hierarchy.order.refines(fine, coarse):
            first, second = grounding.classes[fine], grounding.classes[coarse]
            assert all(second[first[cell]] == second[cell] for cell in range(grounding.cells))
            assert refines(first, second)
    return grounding


@given(explicit())
def test_explicit_refinement_is_that_of_brute_force(given_one):
    leaves, columns = given_one
    hierarchy, _ = explicit_hierarchy("h", leaves, columns)
    levels = [tuple(map(repr, hierarchy.leaves)), *hierarchy.labels]
    for i, j in product(range(len(levels)), repeat=2):
        expected = i <= j and refines(levels[i], levels[j])
        assert hierarchy.order.refines(i, j) == expected
        assert i <= j or not refines(levels[i], levels[j]) or refines(levels[j], levels[i])
    assert set(hierarchy.labels[-1]) == {"*"}
    for base in range(hierarchy.top + 1):
        check_grounding(hierarchy, base, [])


@given(explicit(), st.randoms(use_true_random=False))
def test_hashes_do_not_depend_on_the_order_of_leaves(given_one, random):
    leaves, columns = given_one
    places = list(range(len(leaves)))
    random.shuffle(places)
    shuffled = [ListedLevel(None, tuple(each.labels[place] for place in places)) for each in columns]
    one, _ = explicit_hierarchy("h", leaves, columns)
    other, _ = explicit_hierarchy("other", [leaves[place] for place in places], shuffled)
    assert one.levels == other.levels
    assert one.content_hash == other.content_hash


@given(explicit())
def test_explicit_hierarchies_are_stored_exactly(given_one):
    hierarchy, _ = explicit_hierarchy("h", *given_one)
    stored = store(hierarchy)
    assert restore("h", stored) == hierarchy
    every = tuple(range(len(hierarchy.leaves)))
    levels = enumerate(hierarchy.labels, start=1)
    in_full = tuple(StoredLabels(level, every, hierarchy.leaves, labels) for level, labels in levels)
    assert restore("h", replace(stored, labels=in_full)) == hierarchy  # as states of before have it


@given(explicit())
def test_explicit_hashes_and_refinement_are_those_of_their_definition(given_one):
    hierarchy, _ = explicit_hierarchy("h", *given_one)
    places = sorted(
        range(len(hierarchy.leaves)), key=lambda n: (hierarchy.leaves[n] is not None, hierarchy.leaves[n] or "")
    )
    leaves = [hierarchy.leaves[place] for place in places]
    between = hierarchy.labels[:-1]
    for level, labels in zip(hierarchy.levels[1:-1], between, strict=True):
        lines = [canonical(leaf, labels[place]) for leaf, place in zip(leaves, places, strict=True)]
        assert level.content_hash == content_hash("explicit", *lines)
    heads = [canonical(level.name, level.content_hash) for level in hierarchy.levels]
    assert hierarchy.content_hash == content_hash("explicit", *heads, *map(canonical, leaves))
    pairs = [[len(set(zip(fine, coarse, strict=True))) == len(set(fine)) for coarse in between] for fine in between]
    assert refinement(between) == pairs


@given(intervals())
def test_interval_refinement_is_that_of_brute_force(rules):
    hierarchy, _ = interval_hierarchy("h", rules, [None] * len(rules))
    assert restore("h", store(hierarchy)) == hierarchy
    for i, j in combinations(range(1, hierarchy.top), 2):
        fine, coarse = hierarchy.intervals[i - 1], hierarchy.intervals[j - 1]
        assert hierarchy.order.refines(i, j) == every_start_of(coarse, fine)
        assert not every_start_of(fine, coarse)  # the widths differ, so only one of them can be finer


def every_start_of(coarse, fine):
    """Whether every start of the coarse level's intervals is a start of the fine one's."""
    width, origin = Fraction(fine.width), Fraction(fine.origin)
    period = (Fraction(coarse.width) / width).denominator
    return all(
        ((Fraction(coarse.origin) + n * Fraction(coarse.width) - origin) / width).denominator == 1
        for n in range(min(period, 3) + 1)
    )


def keys_of(hierarchy, column_type, base, values):
    expression = hierarchy.code(exp.column("v"), column_type, base).sql(dialect="duckdb")
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t (n INTEGER, v {column_type})")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [list(row) for row in enumerate(values)])
        return [row[0] for row in connection.sql(f"SELECT {expression} FROM t ORDER BY n").fetchall()]


def labels_of(hierarchy, column_type, base, values):
    """The label of each value at each level from the base up, as the database and the grounding give it."""
    keys = keys_of(hierarchy, column_type, base, values)
    grounding = check_grounding(hierarchy, base, list(set(keys)))
    cell_of = dict(zip(grounding.keys, grounding.cell_of_key, strict=True))
    return {level: [labels[cell_of[key]] for key in keys] for level, labels in grounding.labels.items()}


def interval_of(rule, value, decimals):
    if value is None:
        return None
    start = rule.origin + math.floor((Fraction(value) - Fraction(rule.origin)) / Fraction(rule.width)) * rule.width
    return f"[{start:.{decimals}f}, {start + rule.width:.{decimals}f})"


@pytest.mark.long
@settings(max_examples=rounds(30, 60), deadline=None)
@given(
    intervals(),
    st.sampled_from(["INTEGER", "DOUBLE", "FLOAT", "DECIMAL(12,3)"]),
    st.lists(st.none() | st.decimals(-5000, 5000, places=3) | numbers, min_size=1, max_size=30),
    st.data(),
)
def test_numbers_lie_in_their_intervals(rules, column_type, values, data):
    if column_type == "INTEGER":
        values = [None if value is None else Decimal(int(value)) for value in values]
    hierarchy, _ = interval_hierarchy("h", rules, [None] * len(rules))
    base = data.draw(st.integers(0, hierarchy.top))
    sent = values if column_type.startswith("DEC") else [None if each is None else float(each) for each in values]
    for level, labels in labels_of(hierarchy, column_type, base, sent).items():
        if level == hierarchy.top:
            assert set(labels) == {"*"}
            continue
        rule = hierarchy.intervals[level - 1]
        decimals = next((label[1:].split(",")[0] for label in labels if label), "").partition(".")[2]
        assert labels == [interval_of(rule, value, len(decimals)) for value in values]


@pytest.mark.long
@settings(max_examples=rounds(20, 40), deadline=None)
@given(
    st.lists(st.sampled_from(PARTS), min_size=1, unique=True),
    st.lists(st.none() | st.dates(), min_size=1, max_size=20),
    st.data(),
)
def test_dates_have_their_parts(parts, values, data):
    hierarchy, _ = date_hierarchy("h", parts, [None] * len(parts))
    assert restore("h", store(hierarchy)) == hierarchy
    shown = {
        "day": lambda d: d.isoformat(),
        "month": lambda d: d.isoformat()[:7],
        "quarter": lambda d: f"{d.isoformat()[:4]}-Q{math.ceil(d.month / 3)}",
        "year": lambda d: d.isoformat()[:4],
        "decade": lambda d: d.isoformat()[:3] + "0s",
    }
    base = data.draw(st.integers(0, hierarchy.top))
    for level, labels in labels_of(hierarchy, "DATE", base, values).items():
        if level < hierarchy.top:
            assert labels == [None if d is None else shown[hierarchy.parts[level - 1]](d) for d in values]


@pytest.mark.long
@settings(max_examples=rounds(20, 40), deadline=None)
@given(
    st.lists(st.integers(1, 6), min_size=1, unique=True),
    st.none() | st.integers(6, 8),
    st.lists(st.none() | texts, min_size=1, max_size=20),
    st.data(),
)
def test_prefixes_are_kept(keep, length, values, data):
    hierarchy, _ = prefix_hierarchy("h", keep, [None] * len(keep), length=length)
    assert restore("h", store(hierarchy)) == hierarchy
    base = data.draw(st.integers(0, hierarchy.top))
    for level, labels in labels_of(hierarchy, "VARCHAR", base, values).items():
        if level == hierarchy.top:
            continue
        for value, label in zip(values, labels, strict=True):
            kept = None if value is None else value[: hierarchy.keep[level - 1]]
            assert label == (None if kept is None else kept + "*" if length is None else kept.ljust(length, "*"))
