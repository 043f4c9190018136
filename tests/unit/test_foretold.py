"""The forecast while choosing: what order and released class sizes decide, and everything that it must not go by."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from ordermade.hierarchies.explicit import ListedLevel, explicit_hierarchy
from ordermade.hierarchies.intervals import Interval, interval_hierarchy
from ordermade.hierarchies.prefixes import prefix_hierarchy
from ordermade.ledger.entries import LedgerEntry, ShownClasses, ShownColumn, ShownRelease
from ordermade.ledger.figures import UNBOUNDED
from ordermade.ledger.pools import ANYONE
from ordermade.ledger.received import ReceivedClasses, received
from ordermade.prediction.foretold import Foretold, ForetoldLevels, foretold

AGE, _ = explicit_hierarchy("age", ["1", "2", "3", "4"], [ListedLevel("coarse", ("low", "low", "high", "high"))])
SEX, _ = explicit_hierarchy("sex", ["f", "m"], [])
AREA, _ = explicit_hierarchy("area", ["n", "s", "w"], [])
KNOWN = {each.content_hash: each for each in (AGE, SEX, AREA)}
FINE, COARSE = (ShownColumn("age", AGE.content_hash, level) for level in (0, 1))
BY_SEX, BY_AREA = ShownColumn("sex", SEX.content_hash, 0), ShownColumn("area", AREA.content_hash, 0)
ANSWERS = Foretold("likely", "released", "likely"), Foretold("unlikely", "released", "unlikely")
LIKELY, UNLIKELY = ANSWERS

EXACT = ShownClasses.of([FINE, BY_SEX], [(age, sex) for age in "1234" for sex in "fm"], [40, 60, 50, 50, 8, 92, 45, 55])
DROPPING = ShownClasses.of([COARSE, BY_SEX], [("low", "f"), ("low", "m"), ("high", "m")], [90, 110, 30], 9, (12, 12))


def entry(classes: ShownClasses | None, number: int = 1, **changes: object) -> LedgerEntry:
    made = LedgerEntry(
        id=number,
        key=f"k{number}",
        dataset="d1",
        dataset_name="members",
        status="released",
        recipients=("ann",),
        made_at=datetime(2026, 1, 2, tzinfo=UTC),
        method="generalization",
        k=5,
        filter=None,
        rows_hash="v1",
        opted_out=0,
        shown=ShownRelease(() if classes is None else (classes,)),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def of(*levels: ShownColumn, k: int = 10, limit: float = 0, **changes: object) -> ForetoldLevels:
    """A request for these levels and no other ones."""
    return replace(ForetoldLevels(None, k, Fraction(str(limit)), levels, levels), **changes)  # type: ignore[arg-type]


def found(wanted: ForetoldLevels, *given: LedgerEntry | ShownClasses) -> Foretold:
    """The forecast by these releases, the latest first."""
    entries = [each if isinstance(each, LedgerEntry) else entry(each) for each in given]
    return foretold(wanted, [one for each in entries for one in ReceivedClasses.of(each)], KNOWN)


@pytest.mark.parametrize(
    ("wanted", "given", "expected"),
    [
        (of(FINE, BY_SEX, k=8), EXACT, LIKELY),
        (of(FINE, BY_SEX, k=9), EXACT, UNLIKELY),
        (of(FINE, BY_SEX, k=9, limit=0.02), EXACT, LIKELY),  # 8 of 400 rows are suppressed
        (of(FINE, BY_SEX, k=9, limit=0.01), EXACT, UNLIKELY),
        (of(COARSE, BY_SEX, k=53), EXACT, LIKELY),  # 8 + 45 of one class
        (of(COARSE, BY_SEX, k=54), EXACT, UNLIKELY),
        (of(FINE, k=100), EXACT, LIKELY),
        (of(FINE, k=101), EXACT, UNLIKELY),
        (of(k=400), EXACT, LIKELY),
        (of(k=401), EXACT, UNLIKELY),
        (of(FINE, BY_SEX, BY_AREA, k=9), EXACT, UNLIKELY),  # finer than what fails
        (of(COARSE, BY_SEX, k=30, limit=0.05), DROPPING, LIKELY),  # 12 of 242
        (of(COARSE, BY_SEX, k=30), DROPPING, UNLIKELY),
        (of(COARSE, BY_SEX, k=31, limit=0.05), DROPPING, UNLIKELY),
        (of(FINE, BY_SEX, k=10), DROPPING, UNLIKELY),
    ],
)
def test_the_order_of_levels_decides_by_what_was_released(
    wanted: ForetoldLevels, given: ShownClasses, expected: Foretold
) -> None:
    assert found(wanted, given) == expected


@pytest.mark.parametrize(
    ("wanted", "given"),
    [
        (of(BY_SEX, k=95), DROPPING),  # the suppressed ones may be women, or men
        (of(COARSE, k=20), replace(DROPPING, others_most=9, rest=(0, 60))),
        (of(FINE), DROPPING),
        (of(BY_AREA), EXACT),
    ],
)
def test_it_is_open_where_released_figures_do_not_decide(wanted: ForetoldLevels, given: ShownClasses) -> None:
    assert found(wanted, given).answer == "open"


@pytest.mark.parametrize("wanted", [of(), of(FINE, BY_SEX), of(k=2)])
def test_a_cold_model_is_open(wanted: ForetoldLevels) -> None:
    assert found(wanted) == Foretold("open", "unknown", "open")


def test_a_request_may_be_coarser_than_its_finest_levels() -> None:
    wanted = of(FINE, BY_SEX, k=9, coarsest=())
    assert found(wanted, EXACT) == Foretold("likely", "released", "unlikely")
    assert found(replace(wanted, finest=None), EXACT) == Foretold("likely", "released", "open")
    assert found(replace(wanted, coarsest=None), EXACT) == Foretold("open", "method", "open")


def test_rows_of_a_filter_are_forecast_by_releases_of_the_same_filter_alone() -> None:
    filtered = of(FINE, k=8, filter="sex = 'f'")
    assert found(filtered, EXACT) == Foretold("open", "filter", "open")
    assert found(of(FINE, k=8), entry(EXACT, filter="sex = 'f'")) == Foretold("open", "unknown", "open")
    assert found(filtered, entry(EXACT, filter="sex = 'f'")) == LIKELY
    two = [entry(ShownClasses.of([each], [("1",), ("2",)], [500, 500]), filter="sex = 'f'") for each in (FINE, BY_AREA)]
    assert found(replace(of(FINE, BY_AREA), filter="sex = 'f'"), *two).why == "filter", "no model"


@pytest.mark.parametrize(
    "hidden",
    [
        replace(EXACT, hidden=np.array([True] + [False] * 7)),
        replace(EXACT, most=np.array([UNBOUNDED] * 8)),
        replace(DROPPING, rest=None),
        ShownClasses.of([FINE, ShownColumn("plan", "", 0)], [("1", "x"), ("2", "x")], [50, 50]),
    ],
)
def test_classes_without_bounds_decide_nothing(hidden: ShownClasses) -> None:
    assert found(of(FINE, k=2), hidden) == Foretold("open", "unknown", "open")


def test_more_than_k_is_never_likely_by_k_and_may_fail_by_it() -> None:
    assert found(of(FINE, BY_SEX, k=8, only_k=False), EXACT) == Foretold("open", "models", "open")
    assert found(of(FINE, BY_SEX, k=9, only_k=False), EXACT) == UNLIKELY


def test_the_last_release_that_decides_does() -> None:
    fewer = replace(EXACT, least=EXACT.least // 10, most=EXACT.most // 10)
    assert found(of(FINE, k=50), entry(EXACT, 2), entry(fewer, 1)) == LIKELY
    assert found(of(FINE, k=50), entry(fewer, 2), entry(EXACT, 1)) == UNLIKELY


def test_other_hierarchies_of_a_column_and_other_missing_values_are_not_compared() -> None:
    other, _ = explicit_hierarchy("age", ["1", "2", "3", "4"], [ListedLevel("odd", ("o", "e", "o", "e"))])
    known = KNOWN | {other.content_hash: other}
    of_release = tuple(ReceivedClasses.of(entry(EXACT)))
    for each in (ShownColumn("age", other.content_hash, 0), replace(FINE, missing_as_star=True)):
        assert foretold(of(each, k=3), of_release, known).answer == "open"


def released_apart(sizes: int) -> tuple[ShownClasses, ...]:
    """Two columns, each by itself."""
    return (
        ShownClasses.of([FINE], [(each,) for each in "1234"], [3 * sizes] * 4),
        ShownClasses.of([BY_AREA], [(each,) for each in "nsw"], [4 * sizes] * 3),
    )


@pytest.mark.parametrize(("k", "answer"), [(10, "likely"), (5_000, "unlikely")])
def test_columns_released_apart_are_estimated_together(k: int, answer: str) -> None:
    estimated = found(of(FINE, BY_AREA, k=k), *released_apart(1_000))
    assert (estimated.answer, estimated.why) == (answer, "estimated" if k == 10 else "released")


def test_an_estimate_that_may_come_out_either_way_is_open() -> None:
    assert found(of(FINE, BY_AREA, k=1_000), *released_apart(1_000)) == Foretold("open", "estimated", "open")


def test_dependence_that_was_released_corrects_an_estimate() -> None:
    apart, joint = released_apart(1_000), [(age, area) for age in "1234" for area in "nsw"]
    diagonal = [2_980 if place % 4 == 0 else 10 for place in range(12)]
    by_area = ShownClasses.of([FINE, BY_AREA], joint, diagonal)
    wanted = of(FINE, BY_AREA, BY_SEX, k=200)
    even = ShownClasses.of([BY_SEX], [("f",), ("m",)], [6_000, 6_000])
    assert found(wanted, *apart, even).answer == "likely"
    assert found(wanted, by_area, *apart, even).answer == "unlikely"


@pytest.mark.parametrize(
    ("changes", "counts"),
    [
        ({}, True),
        ({"recipients": ("bob",)}, True),  # all recipients may join what they have
        ({"recipients": ("ann", ANYONE)}, True),
        ({"recipients": (ANYONE,)}, False),  # nobody is known to have it
        ({"status": "intended"}, False),
        ({"status": "absent"}, False),
        ({"status": "destroyed"}, False),
        ({"release": 7}, True),
        ({"release": 8}, False),  # it was not delivered
    ],
)
def test_only_what_reached_named_recipients_is_received(changes: dict[str, object], counts: bool) -> None:
    assert bool(received([entry(EXACT, **changes)], "ann", None, {7})) == counts


@pytest.mark.parametrize(
    ("pools", "recipient", "counts"),
    [
        ([["ann", "bob"]], "bob", True),
        ([["ann"], ["bob"]], "bob", False),
        ([["ann", "bob"], ["ann", "eve"]], "bob", False),  # eve would learn of it from ann's forecasts
        ([["ann", "bob"], ["ann", "eve"]], "ann", True),
        ([["bob", "eve"]], "bob", False),
        ([["bob", "eve"]], "ann", True),
    ],
)
def test_what_every_pool_of_the_user_has_is_received(pools: list[list[str]], recipient: str, counts: bool) -> None:
    assert bool(received([entry(EXACT, recipients=(recipient,))], "ann", pools, ())) == counts


@pytest.mark.parametrize("pools", [None, [["ann"], ["bob"]]])
def test_what_is_published_everybody_has_while_it_is(pools: list[list[str]] | None) -> None:
    given = [entry(EXACT, recipients=(ANYONE,), release=7)]
    assert received(given, "ann", pools, {7}, {7})
    assert not received(given, "ann", pools, {7}, {8})
    assert not received([entry(EXACT, recipients=("bob",), release=7)], "eve", [["bob"]], {7}, {7})


def test_labels_say_coarser_classes_by_the_hierarchy_alone() -> None:
    tens, _ = interval_hierarchy("age", [Interval(width=Decimal(5)), Interval(width=Decimal(10))], [None, None])
    found_classes = tens.coarser_classes(["[0, 5)", "[5, 10)", "[10, 15)", None], 1, 2)
    assert found_classes is not None
    assert [found_classes[0] == each for each in found_classes] == [True, True, False, False]
    assert tens.coarser_classes(["3"], 0, 1) is None
    zip_code, _ = prefix_hierarchy("zip", [3, 2], [None, None])
    assert zip_code.coarser_classes(["123*", "124*", "134*"], 1, 2) == ("12", "12", "13")
    assert AGE.coarser_classes(["1", "2", "4", None], 0, 1) == ("low", "low", "high", None)
    assert AGE.coarser_classes(["1", "unknown"], 0, 1) is None
    assert AGE.coarser_classes(["low", "high"], 1, 2) == (None, None)
    assert AGE.coarser_classes(["low"], 1, 0) is None
