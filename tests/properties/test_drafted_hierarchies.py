"""Every draft is read back, covers the values, and has levels worth keeping, whatever the column."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordermade.drafts.hierarchies import (
    DraftedHierarchy,
    ProfiledDistribution,
    Undrafted,
    drafted_bounds,
    drafted_hierarchy,
)
from ordermade.hierarchies.intervals import IntervalHierarchy
from tests.drafted import assert_worth_keeping, counted, profile_of, read_back

ROWS = st.integers(min_value=1, max_value=60)
LEAST = st.integers(min_value=1, max_value=12)
HOSTILE = st.text(
    st.one_of(
        st.sampled_from("\"'\\:{}[]#&*!|>%@`~,-? \n\t\r\x00\x07\u2028\ufeff\u202e\u0661null"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=8,
)
WORDS = st.sampled_from(
    [
        "*", "~", "null", "yes", "other", "Other", "'*'", "(empty)", "Asia", "Japan", "JAPAN", "France",
        "Kenya", "Peru", "東京都", "大阪", "京都府", "関東地方", "CA", "TX", "NY", "", "other (2 values)", "- a", "? b",
        "a: b", "Asia, other", "Eastern Asia", "20-29", "30-39", "A10.1", "A10.2", "B20", "a@x.org",
        "b@x.org", "c@y.jp",
    ]
)  # fmt: skip
TEXTS = st.dictionaries(st.one_of(HOSTILE, WORDS, st.integers(0, 99).map(str)), ROWS, min_size=1, max_size=40)


@given(TEXTS, LEAST, st.integers(0, 3))
def test_texts(counts, least_rows, nulls):
    found = drafted_hierarchy(profile_of(counts, nulls=nulls), least_rows=least_rows)
    if isinstance(found, DraftedHierarchy):
        assert_worth_keeping(found, counts, least_rows)
    else:
        assert isinstance(found, Undrafted)
        assert found.reason


NUMBERS = (
    st.integers(-30, 30),
    st.integers(-1_000, 1_000),
    st.integers(-(9 * 10**15) + 1, 9 * 10**15 - 1),
    st.decimals(-10_000, 10_000, allow_nan=False, allow_infinity=False, places=3),
    st.floats(-1e6, 1e6, width=32),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
)


@pytest.mark.slow
@given(st.one_of([st.dictionaries(each.map(str), ROWS, min_size=1, max_size=60) for each in NUMBERS]), LEAST)
def test_numbers(counts, least_rows):
    by_number = {}
    for text, rows in counts.items():
        by_number.setdefault(Decimal(text), (text, 0))
        by_number[Decimal(text)] = (text, by_number[Decimal(text)][1] + rows)
    counts = dict(by_number.values())
    found = drafted_hierarchy(profile_of(counts, "DOUBLE"), least_rows=least_rows)
    if isinstance(found, DraftedHierarchy):
        assert_worth_keeping(found, counts, least_rows)


@given(
    st.dictionaries(st.integers(-30_000, 30_000).map(lambda n: str(date(1990, 1, 1) + timedelta(n))), ROWS, min_size=1),
    LEAST,
)
def test_dates(counts, least_rows):
    found = drafted_hierarchy(profile_of(counts, "DATE"), least_rows=least_rows)
    if isinstance(found, DraftedHierarchy):
        assert_worth_keeping(found, counts, least_rows)


@pytest.mark.slow
@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=200, max_size=400, unique=True))
def test_classes_of_different_numbers_hold_like_shares(numbers):
    distribution = ProfiledDistribution.of(profile_of(counted(Decimal(each) for each in numbers), "DOUBLE"))
    assert distribution is not None
    for bounds in drafted_bounds(distribution, least_share=0.01):
        share = 1 / (len(bounds) + 1)
        shares = distribution.shares(bounds)
        assert min(shares) >= share / 4
        assert max(shares) <= share * 3


@pytest.mark.slow
@given(st.integers(100, 10_000), st.integers(6, 15))
def test_one_outlier_leaves_the_other_classes_alone(rows, power):
    counts = counted([*(100 + each % 401 for each in range(rows)), 10**power])
    hierarchy = read_back(drafted_hierarchy(profile_of(counts, "BIGINT"), least_rows=5))
    assert isinstance(hierarchy, IntervalHierarchy)
    assert len(hierarchy.intervals[0].bounds) >= 3
    assert max(hierarchy.intervals[0].bounds) <= 500
