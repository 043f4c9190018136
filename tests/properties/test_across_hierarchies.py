"""What is said of levels of two hierarchies holds on every column that both cover, counted value by value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ordermade.hierarchies.cross_refinement import contents, refines
from ordermade.hierarchies.dates import PARTS, date_hierarchy
from ordermade.hierarchies.explicit import ExplicitHierarchy, ListedLevel, explicit_hierarchy
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.hierarchies.intervals import Interval, interval_hierarchy
from ordermade.hierarchies.prefixes import prefix_hierarchy
from tests.long import rounds
from tests.properties.test_hierarchy_properties import intervals, keys_of, labels_of, numbers, texts

Classes = Mapping[int, Sequence[object]]
"""The class of each value at each level, by level number."""


def in_one_class_each(fine: Sequence[object], coarse: Sequence[object]) -> bool:
    return len(set(zip(fine, coarse, strict=True))) == len(set(fine))


def assert_sound(one: Hierarchy, other: Hierarchy, column_type: str, classes: tuple[Classes, Classes]) -> int:
    """Every refinement that is said holds on these values; how many are said beside those of level 0 and `*`."""
    said = 0
    for i, j in product(range(one.top + 1), range(other.top + 1)):
        if refines(contents(one)[i], contents(other)[j], column_type):
            assert in_one_class_each(classes[0][i], classes[1][j]), (one.levels[i].name, other.levels[j].name)
            said += 0 < i < one.top and 0 < j < other.top
        assert refines(contents(one)[i], contents(other)[j], column_type) or (i > 0 and j < other.top)
    return said


def assert_own_order_is_known(hierarchy: Hierarchy, column_type: str) -> None:
    levels = contents(hierarchy)
    for i, j in product(range(hierarchy.top + 1), repeat=2):
        if hierarchy.order.refines(i, j):
            assert refines(levels[i], levels[j], column_type)


def classes_of(hierarchy: Hierarchy, column_type: str, values: Sequence[object]) -> Classes:
    """The class of each value at every level, as the database and the grounding give them."""
    return {**labels_of(hierarchy, column_type, 0, values), 0: [repr(each) for each in values]}


def listed_classes(hierarchy: ExplicitHierarchy, written: Sequence[str | None]) -> Classes:
    """The same above level 0 of listed values, each by the text that the hierarchy writes it with."""
    found: dict[int, list[object]] = {}
    for level in range(1, hierarchy.top + 1):
        labels = dict(zip(hierarchy.leaves, hierarchy.labels[level - 1], strict=True))
        star = "*" if level == hierarchy.top else None
        found[level] = [labels.get(each, star) for each in written]
    return found


SPELLINGS = {1: ("1", "01", "1.0"), 2: ("2", "02", "2.0"), 3: ("3", "03", "3.0"), 4: ("4", "04", "4.0")}


@st.composite
def explicit_over(draw: st.DrawFn, column_type: str) -> tuple[ExplicitHierarchy, dict[int | None, str | None]]:
    """A hierarchy of some of four values (and perhaps NULL), and how it writes each of them."""
    values = draw(st.lists(st.sampled_from(sorted(SPELLINGS)), min_size=1, unique=True))
    spelling = st.sampled_from(range(3)) if column_type == "INTEGER" else st.just(0)
    written: dict[int | None, str | None] = {each: SPELLINGS[each][draw(spelling)] for each in values}
    leaves = [*written.values(), *([None] if draw(st.booleans()) else [])]
    label = st.sampled_from(["x", "y", "z"])
    levels = draw(st.lists(st.tuples(*[label] * len(leaves)), min_size=1, max_size=3))
    hierarchy, _ = explicit_hierarchy("h", leaves, [ListedLevel(None, each) for each in levels])
    return hierarchy, {**written, None: None}


@given(data=st.data(), column_type=st.sampled_from(["INTEGER", "VARCHAR"]))
@pytest.mark.long
@settings(max_examples=rounds(60, 300))
@pytest.mark.slow
def test_levels_of_listed_values(data: st.DataObject, column_type: str) -> None:
    (one, first), (other, second) = (data.draw(explicit_over(column_type)) for _ in range(2))
    covered = sorted(first.keys() & second.keys(), key=lambda value: value or 0)  # what a column may hold of both
    classes = tuple(
        {**listed_classes(hierarchy, [written[value] for value in covered]), 0: covered}
        for hierarchy, written in ((one, first), (other, second))
    )
    assert_sound(one, other, column_type, classes)
    assert_own_order_is_known(one, column_type)


def test_values_written_in_two_ways_are_taken_for_any_of_each_other() -> None:
    one, _ = explicit_hierarchy("one", ["1", "2"], [ListedLevel(None, ("x", "y"))])
    two, _ = explicit_hierarchy("two", ["01", "02", "3"], [ListedLevel(None, ("x", "y", "y"))])
    assert not refines(contents(one)[1], contents(two)[1], "INTEGER")
    assert refines(contents(one)[1], contents(two)[1], "VARCHAR")  # no text is listed by both: such a column is empty


def test_a_level_that_one_hierarchy_lists_more_values_for_is_the_same_level_on_what_both_cover() -> None:
    leaves = ["1", "2", "3", "4"]
    one, _ = explicit_hierarchy("one", leaves, [ListedLevel(None, ("a", "a", "b", "b"))])
    more, _ = explicit_hierarchy("more", [*leaves, "5"], [ListedLevel(None, ("u", "u", "v", "v", "v"))])
    assert one.levels[1] != more.levels[1]
    assert refines(contents(one)[1], contents(more)[1], "INTEGER")
    assert refines(contents(more)[1], contents(one)[1], "INTEGER")


@example(has_path=False)
@given(has_path=st.booleans())
def test_null_is_a_class_of_its_own_where_it_has_no_path(has_path: bool) -> None:
    leaves: list[str | None] = ["1", "2", *([None] if has_path else [])]
    with_null, _ = explicit_hierarchy("with", ["1", "2", None], [ListedLevel(None, ("a", "b", "a"))])
    one, _ = explicit_hierarchy("one", leaves, [ListedLevel(None, ("a", "b", "a")[: len(leaves)])])
    assert refines(contents(one)[1], contents(with_null)[1], "INTEGER")
    assert refines(contents(with_null)[1], contents(one)[1], "INTEGER") == has_path


@pytest.mark.slow
@pytest.mark.long
@settings(max_examples=rounds(20, 60))
@given(
    one=intervals(),
    other=intervals(),
    column_type=st.sampled_from(["INTEGER", "DOUBLE", "FLOAT", "DECIMAL(12,3)"]),
    values=st.lists(st.none() | st.decimals(-50, 50, places=3) | numbers, min_size=1, max_size=40),
)
def test_levels_of_intervals(one, other, column_type, values) -> None:
    if column_type == "INTEGER":
        values = [None if value is None else int(value) for value in values]
    sent = values if column_type.startswith("DEC") else [None if each is None else float(each) for each in values]
    pair = [interval_hierarchy("h", rules, [None] * len(rules))[0] for rules in (one, other)]
    stored = keys_of_values(column_type, sent)
    classes = tuple({**classes_of(each, column_type, sent), 0: stored} for each in pair)
    assert_sound(*pair, column_type, classes)
    assert_own_order_is_known(pair[0], column_type)


def keys_of_values(column_type: str, values: Sequence[object]) -> list[object]:
    """The values as the column holds them."""
    whole, _ = prefix_hierarchy("as text", [200], [None])
    return keys_of(whole, "DECIMAL" if column_type.startswith("DEC") else column_type, 1, values)


def test_grids_of_different_decimals_are_compared_on_whole_numbers_only() -> None:
    tens, _ = interval_hierarchy("tens", [Interval(Decimal(10))], [None])
    halves, _ = interval_hierarchy("halves", [Interval(Decimal("2.5"))], [None])
    assert refines(contents(halves)[1], contents(tens)[1], "BIGINT")
    assert not refines(contents(halves)[1], contents(tens)[1], "DOUBLE")
    # 0.9999996 is rounded to 1 on the grid of whole numbers, and to 9.999996 tenths on the other.
    values = [0.9999996, 0.95]
    ones, _ = interval_hierarchy("ones", [Interval(Decimal(1))], [None])
    with_tenths, _ = interval_hierarchy("tenths", [Interval(Decimal(1)), Interval(Decimal("0.1"))], [None, None])
    assert not in_one_class_each(
        labels_of(with_tenths, "DOUBLE", 2, values)[2], labels_of(ones, "DOUBLE", 1, values)[1]
    )


some_parts = st.lists(st.sampled_from(PARTS), min_size=1, unique=True)


@pytest.mark.slow
@pytest.mark.long
@settings(max_examples=rounds(15, 30))
@given(one=some_parts, other=some_parts, values=st.lists(st.none() | st.dates(), min_size=1, max_size=20))
def test_levels_of_dates(one, other, values) -> None:
    pair = [date_hierarchy("h", parts, [None] * len(parts))[0] for parts in (one, other)]
    said = assert_sound(*pair, "DATE", tuple(classes_of(each, "DATE", values) for each in pair))
    assert said == sum(PARTS.index(i) <= PARTS.index(j) for i in one for j in other)


lengths = st.none() | st.integers(4, 6)
kept = st.lists(st.integers(1, 4), min_size=1, unique=True)
short = st.text("ab*-", max_size=5)


@pytest.mark.slow
@pytest.mark.long
@settings(max_examples=rounds(30, 100))
@given(
    one=st.tuples(kept, st.sampled_from("*-"), lengths),
    other=st.tuples(kept, st.sampled_from("*-"), lengths),
    values=st.lists(st.none() | short | texts, min_size=1, max_size=30),
)
@example(one=([3], "*", 5), other=([3], "*", None), values=["12", "12*"])
@example(one=([3], "*", 5), other=([3], "-", 5), values=["12", "12*"])
def test_levels_of_prefixes(one, other, values) -> None:
    pair = [
        prefix_hierarchy("h", keep, [None] * len(keep), mask=mask, length=length)[0]
        for keep, mask, length in (one, other)
    ]
    said = assert_sound(*pair, "VARCHAR", tuple(classes_of(each, "VARCHAR", values) for each in pair))
    if one[2] is None:
        assert said == sum(i >= j for i in one[0] for j in other[0])


def test_levels_of_different_kinds_are_not_compared() -> None:
    dates, _ = date_hierarchy("dates", ["year"], [None])
    prefixes, _ = prefix_hierarchy("years", [4], [None])
    assert not refines(contents(dates)[1], contents(prefixes)[1], "DATE")
    assert refines(contents(dates)[0], contents(prefixes)[1], "DATE")
    assert refines(contents(dates)[1], contents(prefixes)[2], "DATE")
