"""Intervals with open ends and by bounds: labels and refinement as a person would find them, value by value."""

from __future__ import annotations

from decimal import Decimal
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordermade.hierarchies.interval_labels import span_of_label
from ordermade.hierarchies.intervals import Interval, on_grid
from ordermade.hierarchies.read import parse_yaml

SPAN = range(-60, 61)


@cache
def ends_of(rule: Interval) -> tuple[int, ...]:
    """Every end of an interval near the values, looked for one by one."""
    if rule.width is None:
        return tuple(map(int, rule.bounds))
    low, high = rule.below, rule.above
    regular = (end for end in range(-400, 401) if (end - int(rule.origin)) % int(rule.width) == 0)
    inside = {end for end in regular if (low is None or end > low) and (high is None or end < high)}
    return tuple(sorted(inside | {int(each) for each in (low, high) if each is not None}))


def by_hand(rule: Interval, value: int) -> tuple[int | None, int | None]:
    """The interval of a value: the nearest ends at or below it and above it."""
    ends = ends_of(rule)
    return max((e for e in ends if e <= value), default=None), min((e for e in ends if e > value), default=None)


widths = st.builds(
    lambda width, origin, ends, kinds: Interval(
        Decimal(width),
        Decimal(origin),
        Decimal(min(ends)) if "below" in kinds else None,
        Decimal(max(ends)) if "above" in kinds else None,
    ),
    st.integers(1, 12),
    st.integers(-15, 15),
    st.sets(st.integers(-40, 40), min_size=2, max_size=2),
    st.sets(st.sampled_from(["below", "above"])),
)
bounds = st.sets(st.integers(-40, 40), min_size=1, max_size=9).map(
    lambda ends: Interval(None, bounds=tuple(map(Decimal, sorted(ends))))
)
rules = widths | bounds


@pytest.mark.slow
@given(rules)
def test_every_value_is_in_the_interval_that_its_ends_give(rule):
    (grid,) = on_grid([rule])
    assert [grid.interval(value) for value in SPAN] == [by_hand(rule, value) for value in SPAN]


@given(rules, rules)
def test_a_rule_refines_another_where_no_interval_of_it_is_in_two(fine, coarse):
    # Far enough out that regular ends repeat: both widths divide 27,720 only together with their offsets.
    wide = range(-300, 301)
    one, other = on_grid([fine])[0], on_grid([coarse])[0]
    inside = {}
    nested = all(inside.setdefault(one.interval(v), other.interval(v)) == other.interval(v) for v in wide)
    assert one.refines(other) == nested


@pytest.mark.slow
@given(st.lists(rules, min_size=1, max_size=4, unique_by=ends_of))
def test_labels_name_the_intervals_of_their_level(levels):
    lines = [
        f"    - {{bounds: {[int(b) for b in each.bounds]}}}"
        if each.bounds
        else "    - {"
        + ", ".join(
            f"{key}: {number}"
            for key, number in (
                ("width", each.width),
                ("origin", each.origin),
                ("below", each.below),
                ("above", each.above),
            )
            if number is not None
        )
        + "}"
        for each in levels
    ]
    hierarchy, _ = parse_yaml("intervals:\n  levels:\n" + "\n".join(lines), "h", where="h")
    for base in range(hierarchy.top):
        step = hierarchy._step(base)
        keys = sorted({(value - step.origin) // step.width for value in SPAN})
        for level in range(max(base, 1), hierarchy.top):
            rule = hierarchy.intervals[level - 1]
            labels = dict(zip(keys, hierarchy.labels_of(keys, level, base), strict=True))
            for value in SPAN:
                label = labels[(value - step.origin) // step.width]
                assert span_of_label(label) == by_hand(rule, value)
                assert level in hierarchy.levels_of(label)
