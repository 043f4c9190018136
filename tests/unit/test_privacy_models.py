"""Every model on one table of ten rows, counted by hand."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import log

import duckdb
import pytest
from sqlglot import exp

from ordermade.privacy.models import AlphaK, DistinctL, EntropyL, Model, RecursiveCL, TCloseness
from ordermade.privacy.statements import Counts, failing_statement
from tests import privacy_by_hand as by_hand
from tests.privacy_by_hand import Asked, asked_of

A, B, C = 1, 2, 3
# Ten rows: 4 in A, 3 in B, 3 in C, which is all NULL. The whole: 10 three times, 20 twice, 30 twice, NULL three times.
CLASSES = {A: Counter([10, 10, 20, 30]), B: Counter([10, 20, 30]), C: Counter([None, None, None])}
INCOMES = {10: ("10", "low"), 20: ("20", "low"), 30: ("30", "high"), None: ("none", "high")}
NESTED = by_hand.nested(INCOMES)


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


@pytest.fixture
def ten_rows(connection: duckdb.DuckDBPyConnection) -> Asked:
    return asked_of(connection, CLASSES, INCOMES)


def hierarchical(t: Fraction) -> TCloseness:
    return TCloseness(t, "hierarchical", NESTED)


HAND_CHECKED = [
    # A has 10, 20 and 30; B too; C has NULL alone, which is a value.
    (DistinctL(2), {C}),
    (DistinctL(3), {C}),
    (DistinctL(4), {A, B, C}),
    # exp(entropy). A: ln 4 - (2 ln 2) / 4 = 1.5 ln 2: 2.828. B: ln 3: exactly 3. C: 1.
    (EntropyL(Fraction("1.1")), {C}),
    (EntropyL(Fraction("2.8")), {C}),
    (EntropyL(Fraction("2.829")), {A, C}),
    (EntropyL(Fraction(3)), {A, C}),
    (EntropyL(Fraction("3.001")), {A, B, C}),
    # A: 2 < c (1 + 1). B: 1 < c (1 + 1). C: 3 < c x 0, never. On the threshold it fails: A with c = 1, B with c = 0.5.
    (RecursiveCL(Fraction("1.1"), 2), {C}),
    (RecursiveCL(Fraction(1), 2), {A, C}),
    (RecursiveCL(Fraction("0.51"), 2), {A, C}),
    (RecursiveCL(Fraction("0.5"), 2), {A, B, C}),
    # From the third commonest on. A: 2 < c x 1. B: 1 < c x 1. From the fourth on: nothing, so none passes.
    (RecursiveCL(Fraction(2), 3), {A, C}),
    (RecursiveCL(Fraction("2.1"), 3), {C}),
    (RecursiveCL(Fraction(1), 3), {A, B, C}),
    (RecursiveCL(Fraction(1_000), 4), {A, B, C}),
    # A: 2/4. B: 1/3. C: 3/3.
    (AlphaK(Fraction("0.5")), {C}),
    (AlphaK(Fraction("0.49")), {A, C}),
    (AlphaK(Fraction(1, 3)), {A, C}),
    (AlphaK(Fraction("0.33")), {A, B, C}),
    # The whole: .3 .2 .2 .3. A: .5 .25 .25 0, more of 10, 20, 30 by .2 + .05 + .05 = .3. B: a third each, more by
    # 1/30 + 4/30 + 4/30 = .3. C: NULL alone, more by .7.
    (TCloseness(Fraction("0.7")), set()),
    (TCloseness(Fraction("0.69")), {C}),
    (TCloseness(Fraction("0.3")), {C}),
    (TCloseness(Fraction("0.299")), {A, B, C}),
    (TCloseness(Fraction(0)), {A, B, C}),
    # Shares up to each rank, NULL the last. The whole: .3 .5 .7 1. A: .5 .75 1 1, apart by (.2 + .25 + .3) / 3 = .25.
    # B: 1/3 2/3 1 1, apart by (1/30 + 5/30 + 9/30) / 3 = 1/6. C: 0 0 0 1, apart by (.3 + .5 + .7) / 3 = .5.
    (TCloseness(Fraction("0.5"), "ordered"), set()),
    (TCloseness(Fraction("0.499"), "ordered"), {C}),
    (TCloseness(Fraction("0.25"), "ordered"), {C}),
    (TCloseness(Fraction("0.249"), "ordered"), {A, C}),
    (TCloseness(Fraction(1, 6), "ordered"), {A, C}),
    (TCloseness(Fraction("0.166"), "ordered"), {A, B, C}),
    # Two levels below `*`: the values, apart by .3 .3 .7 as above; low and high, of the whole .5 .5, of A .75 .25
    # (apart by .25), of B 2/3 1/3 (by 1/6), of C 0 1 (by .5). Means: A .275. B 7/30 = .2333. C .6.
    (hierarchical(Fraction("0.6")), set()),
    (hierarchical(Fraction("0.599")), {C}),
    (hierarchical(Fraction("0.275")), {C}),
    (hierarchical(Fraction("0.274")), {A, C}),
    (hierarchical(Fraction(7, 30)), {A, C}),
    (hierarchical(Fraction("0.233")), {A, B, C}),
]


@pytest.mark.parametrize(("model", "failing"), HAND_CHECKED, ids=lambda each: getattr(each, "written", None))
def test_ten_rows_by_hand(ten_rows: Asked, model: Model, failing: set[int]) -> None:
    assert ten_rows.failing(model) == failing


@pytest.mark.parametrize(("model", "failing"), HAND_CHECKED, ids=lambda each: getattr(each, "written", None))
def test_what_other_tests_call_by_hand_agrees(model: Model, failing: set[int]) -> None:
    assert by_hand.failing(model, CLASSES, INCOMES) == failing


@pytest.mark.parametrize(
    ("model", "figures"),
    [
        (DistinctL(2), {A: 3, B: 3, C: 1}),
        (EntropyL(Fraction(2)), {A: 1.5 * log(2), B: log(3), C: 0}),
        (RecursiveCL(Fraction(1), 2), {A: 2 / 2, B: 2 / 1, C: 0 / 3}),
        (RecursiveCL(Fraction(1), 3), {A: 1 / 2, B: 1 / 1, C: 0 / 3}),
        (AlphaK(Fraction("0.5")), {A: 2 / 4, B: 1 / 3, C: 3 / 3}),
        (TCloseness(Fraction(0)), {A: 0.3, B: 0.3, C: 0.7}),
        (TCloseness(Fraction(0), "ordered"), {A: 0.25, B: 1 / 6, C: 0.5}),
        (hierarchical(Fraction(0)), {A: 0.275, B: 7 / 30, C: 0.6}),
    ],
    ids=lambda each: getattr(each, "written", None),
)
def test_the_figures_of_ten_rows(ten_rows: Asked, model: Model, figures: dict[int, float]) -> None:
    assert ten_rows.figures(model) == pytest.approx(figures, abs=1e-12)
    assert ten_rows.extremes(model) == pytest.approx((min(figures.values()), max(figures.values())), abs=1e-12)


EVERY_KIND = (
    DistinctL(2),
    EntropyL(Fraction("1.5")),
    RecursiveCL(Fraction(1), 2),
    AlphaK(Fraction("0.5")),
    TCloseness(Fraction(0)),
    TCloseness(Fraction(0), "ordered"),
    hierarchical(Fraction(0)),
)


def test_one_class_is_the_whole_dataset(connection: duckdb.DuckDBPyConnection) -> None:
    """Three of 10, two of 20, two of 30, three of NULL: 4 values, 3/10 the commonest, no distance from itself."""
    asked = asked_of(connection, {7: by_hand.whole_of(CLASSES)}, INCOMES)
    assert [asked.failing(model) for model in EVERY_KIND] == [set()] * 7
    # 3 < c (3 + 2 + 2) whenever c > 3/7.
    assert asked.failing(RecursiveCL(Fraction(3, 7), 2)) == {7}
    assert asked.failing(RecursiveCL(Fraction("0.43"), 2)) == set()


def test_a_column_of_nulls_has_one_value_and_one_distribution(connection: duckdb.DuckDBPyConnection) -> None:
    asked = asked_of(connection, {1: Counter([None] * 4), 2: Counter([None] * 6)}, {None: ("none", "high")})
    # One value in every class, certain; and every class is as the whole, whose one rank no share can move over.
    assert [asked.failing(model) for model in EVERY_KIND] == [{1, 2}, {1, 2}, {1, 2}, {1, 2}, set(), set(), set()]
    assert asked.figures(TCloseness(Fraction(0), "ordered")) == {1: 0, 2: 0}


def test_no_class_at_all(connection: duckdb.DuckDBPyConnection) -> None:
    asked = asked_of(connection, {}, {None: ("none", "high")})
    assert [asked.failing(model) for model in EVERY_KIND] == [set()] * 7
    assert {asked.extremes(model) for model in EVERY_KIND} == {(None, None)}


@pytest.mark.parametrize("values", [2, 3, 5, 6, 7, 10])
def test_equal_counts_are_exactly_on_the_threshold(connection: duckdb.DuckDBPyConnection, values: int) -> None:
    """Every value of a class equally often: whatever the count, its entropy is ln of the number of values."""
    counts = {*range(1, 50), 999_983, 999_999, 10**9}
    asked = asked_of(connection, {n: Counter(dict.fromkeys(range(values), n)) for n in counts})
    less, more = Fraction(1, values) - Fraction(1, 10**6), Fraction(values) + Fraction(1, 10**6)
    for passing in (
        EntropyL(Fraction(values)),
        AlphaK(Fraction(1, values)),
        TCloseness(Fraction(0)),
        TCloseness(Fraction(0), "ordered"),
    ):
        assert asked.failing(passing) == set()
    for failing in (
        EntropyL(more),
        AlphaK(less),
        RecursiveCL(Fraction(1, values - 1), 2),
        RecursiveCL(Fraction(1), values),
    ):
        assert asked.failing(failing) == counts


def test_ten_thousand_million_rows_are_decided_exactly(connection: duckdb.DuckDBPyConnection) -> None:
    """Of 10^10 rows, one more or less than the threshold of twelve decimals is seen."""
    half = 5 * 10**9
    # The whole: half and half. Of class 1, with 4 x 10^9 rows, 2 x 10^9 + 1 have value 0: apart by 1 / (4 x 10^9).
    classes = {
        1: Counter({0: 2 * 10**9 + 1, 1: 2 * 10**9 - 1}),
        2: Counter({0: half - 2 * 10**9 - 1, 1: half - 2 * 10**9 + 1}),
    }
    asked = asked_of(connection, classes)
    for distance in ("equal", "ordered"):
        assert 1 not in asked.failing(TCloseness(Fraction("0.00000000025"), distance))
        assert asked.failing(TCloseness(Fraction("0.000000000249"), distance)) == {1}
    assert asked.failing(AlphaK(Fraction("0.500000000167"))) == {1}
    assert asked.failing(AlphaK(Fraction("0.50000000025"))) == set()


def test_where_persons_are_counted_alpha_is_their_share(connection: duckdb.DuckDBPyConnection) -> None:
    """Four persons, three of whom have both values: 3/4 of the persons have value 0, not 3 of 7 entries."""
    asked = asked_of(connection, {1: Counter({0: 3, 1: 4})}, sizes={1: 4})
    assert asked.figures(AlphaK(Fraction("0.9"))) == {1: 4 / 4}
    asked = asked_of(connection, {1: Counter({0: 3, 1: 2})}, sizes={1: 4})
    assert asked.figures(AlphaK(Fraction("0.9"))) == {1: 3 / 4}
    assert asked.failing(AlphaK(Fraction("0.75"))) == set()
    assert asked.failing(AlphaK(Fraction("0.74"))) == {1}


def test_a_value_that_the_dataset_does_not_have_is_wholly_apart(connection: duckdb.DuckDBPyConnection) -> None:
    asked = asked_of(connection, {1: Counter({0: 1})}, whole=Counter({0: 1, 1: 1}))
    assert asked.failing(TCloseness(Fraction("0.4"))) == {1}
    connection.execute("DELETE FROM table_value WHERE value = 0")
    assert asked.figures(TCloseness(Fraction("0.4"))) == {1: 1.0}


def test_tables_that_are_missing_are_named() -> None:
    with pytest.raises(ValueError, match="t_closeness is decided by table_value, value_level too"):
        failing_statement(hierarchical(Fraction("0.1")), Counts(exp.to_table("class_value")))
