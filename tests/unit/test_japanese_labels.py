"""Labels of intervals with a unit, as a Japanese table has them: written, read, kept in the state."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd
import pytest

from ordermade import anonymize
from ordermade.errors import HierarchyError
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.hierarchies.interval_labels import span_of_label
from ordermade.hierarchies.intervals import IntervalHierarchy
from ordermade.hierarchies.read import parse_yaml
from ordermade.hierarchies.stored import restore, store
from ordermade.reports.charts import interval
from ordermade.reports.language import Language

AGES = "intervals: {unit: 歳, levels: [{width: 1}, {width: 5, above: 85}, {bounds: [15, 65, 75]}]}"


def parsed(text: str) -> IntervalHierarchy:
    hierarchy: Hierarchy = parse_yaml(text, "年齢", where="年齢.yaml")[0]
    assert isinstance(hierarchy, IntervalHierarchy)
    return hierarchy


def test_labels_of_ages() -> None:
    """The fault: `< 15`, `[15, 65)` and `75+` in a Japanese table."""
    ages = parsed(AGES)

    assert ages.labels_of([0, 15, 64], 1, 1) == ["0歳", "15歳", "64歳"]
    assert ages.labels_of([0, 64, 85], 2, 1) == ["0～4歳", "60～64歳", "85歳以上"]
    assert ages.labels_of([14, 15, 74, 75], 3, 1) == ["15歳未満", "15～64歳", "65～74歳", "75歳以上"]


def test_labels_of_bounds_with_decimals() -> None:
    weights = parsed("intervals: {unit: kg, levels: [{bounds: [1.5, 2.5]}]}")

    assert weights.labels_of([0, 1, 2], 1, 1) == ["1.5kg未満", "1.5kg以上2.5kg未満", "2.5kg以上"]


@pytest.mark.parametrize(
    ("label", "low", "high"),
    [
        ("15歳未満", None, 15),
        ("15～64歳", 15, 65),
        ("15歳", 15, 16),
        ("75歳以上", 75, None),
        ("-5～-1度", -5, 0),
        ("1.5kg以上2.5kg未満", 1.5, 2.5),
    ],
)
def test_labels_are_read_back(label: str, low: float | None, high: float | None) -> None:
    span = span_of_label(label)

    assert span == tuple(None if each is None else Fraction(each) for each in (low, high))


@pytest.mark.parametrize("label", ["15 歳", "歳", "1.5kg以上2.5m未満", "2013-10", "15～歳", "15～64", "１５歳"])
def test_other_texts_name_no_interval(label: str) -> None:
    assert span_of_label(label) is None


def test_a_label_of_another_unit_is_of_no_level() -> None:
    ages = parsed(AGES)

    assert set(ages.levels_of("15～64歳")) == {3}
    assert ages.levels_of("15～64人") == {}
    assert ages.levels_of("[15, 65)") == {}
    assert parsed(AGES.replace("unit: 歳, ", "")).levels_of("15～64歳") == {}


def test_unit_is_kept_and_makes_another_hierarchy() -> None:
    """The fault: a release of before stands for a request whose labels are others now."""
    ages, plain = parsed(AGES), parsed(AGES.replace("unit: 歳, ", ""))

    assert restore("年齢", store(ages)) == ages
    assert {each.content_hash for each in ages.levels[1:-1]}.isdisjoint(
        each.content_hash for each in plain.levels[1:-1]
    )


@pytest.mark.parametrize("unit", ["10", "a b", "以上", "歳未満", "～", "x" * 11, "[歳]"])
def test_unit_that_no_label_could_be_read_with_is_refused(unit: str) -> None:
    with pytest.raises(HierarchyError, match="unit"):
        parsed(AGES.replace("歳", f"'{unit}'"))


@pytest.mark.parametrize(
    ("low", "high", "unit", "shown"),
    [
        (15.0, 65.0, "歳", "15～64歳"),
        (15.0, 16.0, "歳", "15歳"),
        (None, 15.0, "歳", "15歳未満"),
        (75.0, None, "歳", "75歳以上"),
        (1.5, 2.5, "kg", "1.5kg以上2.5kg未満"),
        (15.0, 65.0, "", "15以上65未満"),
        (None, 15.0, "", "15未満"),
        (75.0, None, "", "75以上"),
    ],
)
def test_bins_of_a_japanese_report(low: float | None, high: float | None, unit: str, shown: str) -> None:
    assert interval(low, high, unit, Language.of("ja")) == shown


@pytest.mark.slow
def test_a_report_reads_the_labels_as_numbers() -> None:
    """The fault: ages as texts in a report, the most frequent first, with no axis."""
    ages = pd.DataFrame({"年齢": [age for age in (3, 14, 15, 64, 65, 74, 75, 90) for _ in range(5)]})
    rules = {"intervals": {"unit": "歳", "levels": [{"bounds": [15, 65, 75]}]}}
    released = anonymize(ages, 10, quasi_identifiers=["年齢"], hierarchies={"年齢": rules}, report="provider")

    assert set(released.frame()["年齢"]) == {"15歳未満", "15～64歳", "65～74歳", "75歳以上"}
    assert released.report is not None
    (found,) = released.report.distributions
    assert (found.kind, found.unit) == ("numbers", "歳")
    assert [(bar.low, bar.high, bar.after.number) for bar in found.bars] == [
        (None, 15.0, 10), (15.0, 65.0, 10), (65.0, 75.0, 10), (75.0, None, 10)
    ]  # fmt: skip
    assert [bar.before.number for bar in found.bars if bar.before is not None] == [10, 10, 10, 10]
    (column,) = released.report.columns
    assert [label for label, _ in column.labels] == ["15歳未満", "15～64歳", "65～74歳", "75歳以上"]
