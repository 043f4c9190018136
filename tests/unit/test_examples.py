"""Examples of released values: the first side lies under the second, and is no value of a row."""

from __future__ import annotations

from decimal import Decimal

import pytest

from ordermade.hierarchies.dates import date_hierarchy
from ordermade.hierarchies.explicit import ListedLevel, explicit_hierarchy
from ordermade.hierarchies.intervals import Interval, interval_hierarchy
from ordermade.hierarchies.prefixes import prefix_hierarchy
from ordermade.methods.shared.released_columns import (
    MIXED,
    ColumnResult,
    Example,
    ReleasedForms,
    columns_of,
    in_words,
    level_in_words,
    value_under,
)
from ordermade.methods.shared.result import ReleaseReport, Result, facts, loss_in_words, risk_in_words
from ordermade.records.cells import counted, one_in, percent
from ordermade.state.releases import ReleaseColumn

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize("label", ["[20, 29]", "{red, green}", "37.5"])
def test_a_label_made_of_the_values_of_a_class_has_no_example(label: str) -> None:
    forms = ReleasedForms([ReleaseColumn("x", "quasi-identifier", None, "interval")], {}, lambda: {"x": label})
    (column,) = columns_of(forms)
    assert (column.example, in_words(column)) == (None, "the interval of its class")


@pytest.mark.parametrize(
    ("label", "value"),
    [("[30, 40)", "34"), ("< 20", "14"), ("60+", "64"), ("[20, 30)", "24")],
)
def test_a_number_lies_in_the_interval_of_its_level(label: str, value: str) -> None:
    rule = Interval(Decimal(10), below=Decimal(20), above=Decimal(60))
    hierarchy, _ = interval_hierarchy("age", [rule], ["ten"])
    found = value_under(hierarchy, 1, label)
    assert found == value
    low, high = hierarchy.span_of(label, 1)  # type: ignore[misc]
    assert low is None or low <= int(found)
    assert high is None or int(found) < high


@pytest.mark.parametrize(("level", "label"), [(1, "2024-02"), (2, "2024")])
def test_a_day_lies_in_the_part_of_the_calendar(level: int, label: str) -> None:
    hierarchy, _ = date_hierarchy("day", ["month", "year"], [None, None])
    found = value_under(hierarchy, level, label)
    assert found is not None
    assert found.startswith(label)


def test_a_prefix_keeps_its_characters() -> None:
    hierarchy, _ = prefix_hierarchy("zip", [3], [None])
    assert value_under(hierarchy, 1, "123*") == "123…"


def test_a_leaf_of_the_hierarchy_lies_under_its_label() -> None:
    levels = [ListedLevel("region", ("North", "North", "South")), ListedLevel(None, ("*", "*", "*"))]
    hierarchy, _ = explicit_hierarchy("city", ["Oslo", "North", "Rome"], levels)
    assert value_under(hierarchy, 1, "North") == "Oslo"  # and not the leaf of the same name
    assert value_under(hierarchy, 1, "East") is None
    forms = ReleasedForms(
        [ReleaseColumn("city", "quasi-identifier", None, MIXED), ReleaseColumn("plan", "keep")],
        {"city": hierarchy},
        lambda: {"city": "South"},
    )
    city, plan = columns_of(forms)
    assert city.example == Example("Rome", "South", is_listed=True)
    assert (level_in_words(city), in_words(city)) == ("several", "Rome → South")
    assert (plan.example, in_words(plan)) == (None, "as it was")


def test_forms_of_columns_in_words() -> None:
    assert in_words(ColumnResult("age", "quasi-identifier", level=0, level_name="value")) == "as it was"
    assert in_words(ColumnResult("age", "quasi-identifier", level=3, level_name="*")) == "*"
    assert in_words(ColumnResult("age", "quasi-identifier", level_name="mean")) == "the mean of its class"
    assert in_words(ColumnResult("age", "pseudonym")) == "drawn at random"


def test_figures_in_words() -> None:
    assert (counted(1, "row"), counted(2_000, "row")) == ("1 row", "2,000 rows")
    assert [percent(each) for each in (0, 1, 0.335, 0.013, 0.00001, 0.999)] == [
        *("0 %", "100 %", "34 %", "1.3 %", "less than 0.01 %", "more than 99 %")
    ]
    assert (one_in(0.02), one_in(1 / 3), one_in(0.03)) == ("1 in 50", "1 in 3", "1 in 33")
    assert risk_in_words({}) is None
    assert risk_in_words({"prosecutor": 0.02}) == "at most 1 in 50 in the smallest class"
    assert loss_in_words({"loss": 0.33}) == "33 %"
    assert loss_in_words({"sse_over_sst": 0.25}) == "25 % of the variance"


@pytest.mark.parametrize(
    ("entity", "persons", "words"),
    [
        (None, None, "6 (you required 3); it counts rows"),
        ("card", 2, "6 (you required 3); it counts persons, by card"),
        (None, 2, "6 (you required 3); it counts persons"),
    ],
)
def test_k_beside_the_required_one_and_its_unit(entity: str | None, persons: int | None, words: str) -> None:
    """The fault: k in rows where it counts persons, and no total of them."""
    release = ReleaseReport("out.csv", "0" * 64, 90, persons=None if persons is None else 1_030)
    result = Result(
        request=1, status="released", k_requested=3, k=6, rows=100, suppressed_persons=persons, release=release
    )
    found = dict(facts(result, None, entity))

    assert found["k"] == words
    assert found.get("persons") == (None if persons is None else "1,030 released")
