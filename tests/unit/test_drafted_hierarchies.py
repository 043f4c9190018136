"""Drafts of hierarchies for numbers, dates and texts: levels that a data officer would keep."""

from __future__ import annotations

import random
from collections import Counter
from datetime import date, timedelta
from decimal import Decimal

import pytest

from ordermade.drafts.hierarchies import DraftedHierarchy, Undrafted, drafted_hierarchy, file_names
from ordermade.hierarchies.dates import DateHierarchy
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.intervals import IntervalHierarchy
from tests.drafted import assert_worth_keeping, counted, labels_by_level, profile_of, read_back


def drafted(counts, type="VARCHAR", *, least_rows=5, name="column", nulls=0):
    found = drafted_hierarchy(profile_of(counts, type, name=name, nulls=nulls), least_rows=least_rows)
    return assert_worth_keeping(found, counts, least_rows)


def undrafted(counts, type="VARCHAR", *, least_rows=5, name="column"):
    found = drafted_hierarchy(profile_of(counts, type, name=name), least_rows=least_rows)
    assert isinstance(found, Undrafted)
    return found.reason


def bounds_of(hierarchy):
    assert isinstance(hierarchy, IntervalHierarchy)
    return [[*map(int, each.bounds)] for each in hierarchy.intervals]


def ages(rows=20_000):
    rng = random.Random(1)
    return counted(max(0, min(99, int(rng.gauss(43, 18)))) for _ in range(rows))


def test_ages_have_round_bounds():
    levels = bounds_of(drafted(ages(), "INTEGER"))
    assert levels[-1] == [40]
    assert levels[-2] == [30, 40, 50]
    assert all(bound % 5 == 0 for bound in levels[-3])
    assert len(levels[0]) == 15


def test_skewed_incomes_keep_four_classes_and_more():
    levels = bounds_of(drafted(counted([*range(100, 501), *range(100, 501), 10**7]), "BIGINT"))
    assert all(max(each) <= 500 for each in levels)
    assert len(levels[0]) + 1 == 16
    assert [len(each) + 1 for each in levels] == [16, 8, 4, 2]


def test_whole_numbers_of_few_values_have_coarser_levels():
    levels = bounds_of(drafted({str(n): 400 >> n for n in range(8)}, "INTEGER"))
    assert levels[-1] == [1]
    assert levels[0] == [1, 2, 3, 4]


@pytest.mark.slow
def test_numbers_without_listed_values_go_by_quantiles():
    rng = random.Random(2)
    counts = counted(int(rng.lognormvariate(15, 0.6)) for _ in range(30_000))
    profile = profile_of(counts, "BIGINT")
    assert not profile.lists_all
    hierarchy = read_back(drafted_hierarchy(profile, least_rows=5))
    shares = Counter(labels_by_level(hierarchy, counts)[0].values()).values()
    assert len(shares) == 16
    assert max(shares) <= 3 * 30_000 / 16


def test_decimals_and_small_numbers():
    rng = random.Random(3)
    assert bounds_of_decimals(drafted(counted(f"{rng.random():.4f}" for _ in range(5_000)), "DOUBLE")) == ["0.5"]
    assert drafted(counted(f"{rng.random() * 1e-8:.14f}" for _ in range(500)), "DOUBLE").kind == "interval"


def bounds_of_decimals(hierarchy):
    return [str(each) for each in hierarchy.intervals[-1].bounds]


@pytest.mark.parametrize("odd", ["inf", "-inf", "nan", "1e16"])
def test_numbers_that_no_interval_places_are_not_drafted(odd):
    counts = {**{str(n): 10 for n in range(30)}, odd: 10}
    profile = profile_of({str(n): 10 for n in range(31)}, "DOUBLE")
    values = tuple(each.__class__(odd if each.value == "30" else each.value, each.rows) for each in profile.values)
    found = drafted_hierarchy(profile.__class__(**{**fields(profile), "values": values}), least_rows=5)
    assert isinstance(found, Undrafted)
    assert "dataset's query" in found.reason
    assert counts


def fields(profile):
    return {name: getattr(profile, name) for name in profile.__slots__}


def test_two_numbers_are_values_or_the_top():
    hierarchy = drafted({"1": 20, "2": 30}, "INTEGER")
    assert isinstance(hierarchy, ExplicitHierarchy)
    assert len(hierarchy.levels) == 2


@pytest.mark.parametrize(
    ("days", "type", "rows", "parts"),
    [
        (90 * 365, "DATE", 20, ("month", "year", "decade")),
        (3 * 365, "DATE", 20, ("month", "quarter", "year")),
        (300, "DATE", 20, ("month", "quarter")),
        (90 * 365, "DATE", 1, ("year", "decade")),
    ],
)
def test_dates_have_the_parts_that_part_them(days, type, rows, parts):
    first = date(2001, 1, 1) if days < 30_000 else date(1931, 1, 1)
    counts = {str(first + timedelta(each)): rows for each in range(0, days, 7)}
    hierarchy = drafted(counts, type, least_rows=50 if days > 30_000 else 5)
    assert isinstance(hierarchy, DateHierarchy)
    assert hierarchy.parts == parts


def test_time_stamps_have_days():
    counts = {f"2020-01-{day:02d} {hour:02d}:30:00": 2 for day in range(1, 21) for hour in range(24)}
    hierarchy = drafted(counts, "TIMESTAMP")
    assert isinstance(hierarchy, DateHierarchy)
    assert hierarchy.parts == ("day",)


def test_dates_before_the_year_1_are_not_drafted():
    profile = profile_of({"2001-01-01": 9, "2002-01-01": 9}, "DATE")
    values = (*profile.values[:1], profile.values[1].__class__("0044-03-15 (BC)", 9))
    found = drafted_hierarchy(profile.__class__(**{**fields(profile), "values": values}), least_rows=5)
    assert isinstance(found, Undrafted)


@pytest.mark.slow
def test_frequent_texts_stay_and_rare_ones_are_other():
    counts = {"private": 700, "local": 120, "state": 110, "federal": 30, "none": 2, "never": 1}
    hierarchy = drafted(counts)
    first, last = labels_by_level(hierarchy, counts)
    assert first["private"] == "private"
    assert first["none"] == first["never"] == first["federal"] == "other"
    assert set(last.values()) == {"private", "other than private"}


def test_a_group_is_never_called_like_a_value():
    counts = {"private": 700, "Other": 120, "state": 110, "federal": 30, "none": 2, "never": 1}
    labels = {label for level in labels_by_level(drafted(counts), counts) for label in level.values()}
    assert "other" not in labels
    assert "other (3 values)" in labels


def test_groups_of_japanese_values_have_japanese_names():
    counts = {"会社員": 700, "自営業": 120, "学生": 110, "農業": 30, "漁業": 2, "林業": 1}
    first, last = labels_by_level(drafted(counts), counts)
    assert first["農業"] == first["漁業"] == "その他"
    assert set(last.values()) == {"会社員", "会社員以外"}
    counts = {"事務": 400, "販売": 200, "その他": 150, "管理": 120, "農業": 2, "漁業": 1}
    labels = {label for level in labels_by_level(drafted(counts), counts) for label in level.values()}
    assert any(each.startswith("その他（") and each.endswith("区分）") for each in labels)
    counts = dict.fromkeys(["10代", "20代", "30代", "40代", "50代", "60代"], 20)
    assert "10代～30代" in set(labels_by_level(drafted(counts), counts)[-1].values())


def test_bands_are_cut_in_their_order():
    counts = dict.fromkeys(["<20", "20-29", "30-39", "40-49", "50-59", "60+"], 20)
    finer, coarser = labels_by_level(drafted(counts), counts)
    assert coarser["<20"] == coarser["30-39"] == "<20..30-39"
    assert finer["60+"] == "50-59..60+"


def test_values_in_disguise_survive():
    counts = {
        value: 10 + at
        for at, value in enumerate(
            ["", "null", "~", "yes", "01", 'q"\\ #: [', "\u2028\n\x00", "- a", "*", "\u202eabc", "x" * 10_000, "a: b"]
        )
    }
    hierarchy = drafted(counts)
    assert isinstance(hierarchy, ExplicitHierarchy)
    assert set(hierarchy.leaves) == set(counts)
    assert {label for level in hierarchy.labels[:-1] for label in level if label == "*"} == set()


def test_the_name_of_a_column_stays_in_its_comment():
    found = drafted_hierarchy(profile_of({"a": 20, "b": 10}, name="x\nmapping: {}\n# y"), least_rows=5)
    assert read_back(found).kind == "explicit"


def test_nulls_keep_their_way():
    hierarchy = drafted({"a": 20, "b": 10, "c": 9}, nulls=7)
    assert isinstance(hierarchy, ExplicitHierarchy)
    assert None not in hierarchy.leaves


@pytest.mark.parametrize(
    ("counts", "type", "reason"),
    [
        ({f"a sentence {n} of four words": 1 for n in range(500)}, "VARCHAR", "free text"),
        ({f"{n:x}": 1 for n in range(10**6, 10**6 + 3 * 10**5, 977)}, "VARCHAR", "a value of its own"),
        ({}, "VARCHAR", "no value but NULL"),
        ({str(n): 1 for n in range(40)}, "BLOB", "no coarser form"),
        ({f"{n:02d}:00:00": 10 for n in range(24)}, "TIME", "no coarser form"),
        ({chr(97 + n) * 2: 1 for n in range(25)}, "VARCHAR", "no value has 5 rows"),
    ],
)
def test_what_cannot_be_drafted_says_why(counts, type, reason):
    assert reason in undrafted(counts, type)


def test_reasons_hold_no_value():
    for counts in ({f"secret{n} x y z w": 1 for n in range(500)}, {f"secret{chr(97 + n)}": 1 for n in range(25)}):
        assert "secret" not in undrafted(counts)


@pytest.mark.slow
def test_a_list_that_no_file_holds_is_not_drafted():
    assert "MiB" in undrafted({f"{n:04d}" + "é" * 3_000: 2 + n % 7 for n in range(1_000)}, least_rows=2)


def test_files_have_names_of_their_own():
    names = file_names(["age", "Age", "a/b", "a b", "../x", "", "列", "x" * 300])
    assert len({each.casefold() for each in names.values()}) == 8
    assert all("/" not in each and not each.startswith(".") and len(each) < 80 for each in names.values())
    assert names["age"] == "age.yaml"


def test_drafts_are_decimal_exact():
    found = drafted_hierarchy(profile_of(counted(Decimal(n) / 8 for n in range(400)), "DECIMAL(9,3)"), least_rows=5)
    assert isinstance(found, DraftedHierarchy)
    assert "E" not in found.text.partition("intervals:")[2]


def test_words_before_a_number_are_the_same_for_all():
    classes = {f"class {n}": 20 for n in range(1, 9)}
    assert labels_by_level(drafted(classes), classes)[-1]["class 4"] == "class 1..class 4"
    mixed = {"a 1": 90, "b 2": 80, "c 3": 70, "d 4": 60, "e 5": 20}
    assert ".." not in drafted_hierarchy(profile_of(mixed), least_rows=5).text
