"""What releases of changed data say of the change: documented cases, hidden and dropped classes, levels, filters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from ordermade.ledger import versions
from ordermade.ledger.entries import LedgerEntry, ShownClasses, ShownColumn, ShownRelease
from ordermade.ledger.figures import UNBOUNDED
from ordermade.ledger.versions import (
    ValueLabels,
    changed_between,
    changed_classes,
    opted_out_since,
    suppressed_in_both,
)

K = 10
CAMPAIGN = ShownColumn("campaign", "c", 0)
AGE, DECADE, OTHER_AGE = ShownColumn("age", "a", 0), ShownColumn("age", "a", 1), ShownColumn("age", "b", 1)
AGES: ValueLabels = {
    AGE: ("20", "29", "30", "39", "40"),
    DECADE: ("20-29", "20-29", "30-39", "30-39", "40-49"),
    OTHER_AGE: ("20-25", "26-35", "26-35", "36-", "36-"),
}


def of(column: ShownColumn, sizes: dict[str, int], others_most: int = 0, rest: int | None = None) -> ShownClasses:
    known = None if rest is None else (rest, rest)
    return ShownClasses.of((column,), [(each,) for each in sizes], list(sizes.values()), others_most, known)


def total(persons: int) -> ShownClasses:
    return ShownClasses.of((), [()], [persons])


def answer(
    earlier: ShownClasses | Sequence[ShownClasses],
    later: ShownClasses | Sequence[ShownClasses],
    labels: ValueLabels | None = None,
    k: int = K,
) -> str:
    first, second = ([each] if isinstance(each, ShownClasses) else each for each in (earlier, later))
    return changed_classes(first, second, k, labels or {}).answer


def entry(*classes: ShownClasses, filter: str | None = None, unjudged: str = "", opted_out: int = 0) -> LedgerEntry:
    made_at = datetime(2026, 1, 1, tzinfo=UTC)
    shown = ShownRelease(classes, unjudged)
    return LedgerEntry(1, "", "d", "d", "released", ("a",), made_at, "table", K, filter, "v", opted_out, shown)


def test_a_row_that_changed_by_one_is_refused() -> None:
    """Google Ads Data Hub: campaign 123 has 400 users, then 401; the other rows are of other campaigns."""
    earlier, later = of(CAMPAIGN, {"123": 400, "124": 569}), of(CAMPAIGN, {"123": 401, "224": 1325})
    (found,) = changed_classes([earlier], [later], K, {}).found
    assert (found.answer, found.columns, found.classes) == ("breach", ("campaign",), 1)
    assert suppressed_in_both([earlier], later, K, {}, None) == (0,)


def test_a_total_that_changed_by_two_is_refused_although_its_rows_changed_by_many() -> None:
    earlier, later = of(CAMPAIGN, {"123": 200, "124": 200}), of(CAMPAIGN, {"123": 250, "124": 152})
    (found,) = changed_classes([earlier], [later], K, {}).found
    assert (found.answer, found.columns) == ("breach", ())


def test_a_row_and_with_it_the_total_that_changed_by_two_are_refused() -> None:
    """Google Ads Data Hub: 400 users, then 402; the other row has 1,367 both times."""
    earlier, later = of(CAMPAIGN, {"123": 400, "124": 1367}), of(CAMPAIGN, {"123": 402, "124": 1367})
    found = changed_classes([earlier], [later], K, {})
    assert {each.columns for each in found.found} == {(), ("campaign",)}
    assert suppressed_in_both([earlier], later, K, {}, 1769) is None, "the total follows from what is suppressed"
    assert suppressed_in_both([earlier], later, K, {}, None) == (0,)


def test_no_change_and_many_changes_pass() -> None:
    earlier = of(CAMPAIGN, {"123": 400, "124": 569})
    assert answer(earlier, earlier) == "safe"
    assert answer(earlier, of(CAMPAIGN, {"123": 410, "124": 569})) == "safe"
    assert answer(earlier, of(CAMPAIGN, {"123": 391, "124": 569})) == "breach"


def test_hidden_cells_are_judged_by_their_intervals() -> None:
    earlier = of(CAMPAIGN, {"a": 40, "b": 50, "c": 60})
    later = of(CAMPAIGN, {"a": 43, "b": 60, "c": 80})
    later.hidden[:2] = True
    later.least[:2], later.most[:2] = 0, UNBOUNDED
    assert answer(earlier, later) == "safe"
    later.least[0], later.most[0] = 41, 49
    assert answer(earlier, later) == "breach"


def test_hidden_cells_of_a_known_sum_are_judged_together() -> None:
    region = ShownColumn("region", "r", 0)
    cells = [("a", "n"), ("b", "n"), ("c", "n"), ("a", "s"), ("b", "s"), ("c", "s")]
    earlier = ShownClasses.of((CAMPAIGN, region), cells, [40, 50, 60, 10, 10, 10])
    later = ShownClasses.of((CAMPAIGN, region), cells, [43, 48, 80, 30, 30, 30])
    later.hidden[[0, 1, 3]] = True
    later.least[[0, 1, 3]], later.most[[0, 1, 3]] = 0, UNBOUNDED
    assert answer(earlier, later) == "safe"
    by_region = ShownClasses.of((region,), [("n",), ("s",)], [171, 90])
    found = changed_classes([earlier], [later, by_region], K, {}).found
    assert {(each.answer, each.remainder, each.columns) for each in found} == {
        ("breach", True, ("region",)),
        ("breach", True, ()),
    }


def test_a_hidden_cell_is_narrowed_by_the_sum_that_it_is_in() -> None:
    """Of 15 persons in the north 10 to 12 are in b: a has 3 to 5, and had 1."""
    region = ShownColumn("region", "r", 0)
    cells = [("a", "n"), ("b", "n"), ("a", "s"), ("b", "s")]
    earlier = ShownClasses.of((CAMPAIGN, region), cells, [1, 30, 20, 20])
    later = ShownClasses.of((CAMPAIGN, region), cells, [5, 10, 60, 60])
    later.hidden[:3] = True
    later.least[:3], later.most[:3] = (0, 10, 40), (9, 12, 80)
    assert answer(earlier, later) == "safe"
    by_region = ShownClasses.of((region,), [("n",), ("s",)], [15, 120])
    found = changed_classes([earlier], [later, by_region], K, {}).found
    assert [each.classes for each in found if each.columns == ("campaign", "region")] == [1]


@pytest.mark.parametrize(("after", "expected"), [(17, "breach"), (26, "safe"), (7, "breach"), (6, "safe")])
def test_a_dropped_class_is_known_by_the_rest(after: int, expected: str) -> None:
    """Two classes that both releases leave out have 16 persons, then as many as the release says."""
    labels: ValueLabels = {CAMPAIGN: ("a", "b", "c")}
    earlier, later = of(CAMPAIGN, {"a": 90}, 20, 16), of(CAMPAIGN, {"a": 120}, 20, after)
    assert answer(earlier, later, labels) == expected
    assert answer(earlier, of(CAMPAIGN, {"a": 120}, 20), labels) == "safe", "nobody says how many are left out"


def test_what_one_release_or_the_other_drops_is_judged_together() -> None:
    """Of a, b and c neither says all; together they had 36 persons, and have 37."""
    labels: ValueLabels = {CAMPAIGN: ("a", "b", "c", "d")}
    earlier, later = of(CAMPAIGN, {"c": 20, "d": 100}, 20, 16), of(CAMPAIGN, {"a": 21, "d": 140}, 20, 16)
    (found,) = changed_classes([earlier], [later], K, labels).found
    assert (found.answer, found.remainder, found.columns) == ("breach", True, ())


def test_a_class_that_was_dropped_and_is_shown_is_bounded() -> None:
    labels: ValueLabels = {CAMPAIGN: ("a", "b")}
    earlier = of(CAMPAIGN, {"a": 90}, 9)
    assert answer(earlier, of(CAMPAIGN, {"a": 90, "b": 10}), labels) == "safe", "0 to 9 persons before: 1 to 10 more"
    assert answer(replace(earlier, rest=(4, 4)), of(CAMPAIGN, {"a": 90, "b": 10}), labels) == "breach"
    least = replace(earlier, rest=(1, 9))
    assert answer(least, of(CAMPAIGN, {"a": 90, "b": 10}), labels) == "breach", "1 to 9 persons more"


def test_a_later_coarser_release_is_compared_by_sums() -> None:
    earlier = of(AGE, {"20": 20, "29": 20, "30": 20, "39": 20, "40": 20})
    assert answer(earlier, of(DECADE, {"20-29": 41, "30-39": 60, "40-49": 40}), AGES) == "breach"
    assert answer(earlier, of(DECADE, {"20-29": 40, "30-39": 60, "40-49": 40}), AGES) == "safe"
    assert answer(of(DECADE, {"20-29": 41, "30-39": 60, "40-49": 40}), earlier, AGES) == "breach"


def test_levels_that_cross_are_compared_where_they_meet() -> None:
    """30-39 is in 26-35 and 36-: every label hangs together, and the total alone is compared."""
    earlier = of(DECADE, {"20-29": 40, "30-39": 40, "40-49": 20})
    (found,) = changed_classes([earlier], [of(OTHER_AGE, {"20-25": 21, "26-35": 40, "36-": 40})], K, AGES).found
    assert (found.answer, found.columns) == ("breach", ())
    assert answer(earlier, of(OTHER_AGE, {"20-25": 30, "26-35": 90, "36-": 90}), AGES) == "safe"


def test_a_column_that_one_release_lacks_is_summed_over() -> None:
    region = ShownColumn("region", "r", 0)
    cells = [("123", "n"), ("123", "s"), ("124", "n")]
    earlier = ShownClasses.of((CAMPAIGN, region), cells, [200, 200, 569])
    assert answer(earlier, of(CAMPAIGN, {"123": 401, "124": 600})) == "breach"
    assert answer(earlier, of(CAMPAIGN, {"123": 400, "124": 600})) == "safe"
    assert answer(earlier, total(970)) == "breach"


def test_the_classes_of_one_release_are_subtracted_from_the_total_of_another() -> None:
    """The second class of the earlier release is left out: the total of another says how many it has."""
    labels: ValueLabels = {CAMPAIGN: ("a", "b")}
    earlier, later = of(CAMPAIGN, {"a": 90}, UNBOUNDED), of(CAMPAIGN, {"a": 120, "b": 31})
    assert answer(earlier, later, labels) == "safe"
    found = changed_classes([earlier, total(120)], [later], K, labels)
    assert found.answer == "breach"
    assert found.waiting_helps


def test_releases_of_one_version_are_subtracted_from_each_other() -> None:
    """20-29 less 20-25 is 29: the two later releases together have a size of it, as the earlier one has."""
    earlier = of(AGE, {"20": 20, "29": 20, "30": 20})
    later = [of(DECADE, {"20-29": 61}, UNBOUNDED), of(OTHER_AGE, {"20-25": 40}, UNBOUNDED)]
    assert answer(earlier, later[0], AGES) == answer(earlier, later[1], AGES) == "safe"
    (found,) = changed_classes([earlier], later, K, AGES).found
    assert (found.answer, found.columns, found.classes) == ("breach", ("age",), 1)
    assert answer(earlier, [of(DECADE, {"20-29": 60}, UNBOUNDED), later[1]], AGES) == "safe", "as many as before"


def test_suppressed_classes_of_two_releases_of_one_version_bound_each_other() -> None:
    """36- has 40 persons, of whom 39 in one release: the other, which drops classes below k, leaves 1 for 40-49."""
    earlier = [of(DECADE, {"20-29": 40, "30-39": 39}, K - 1), of(OTHER_AGE, {"36-": 40}, UNBOUNDED)]
    earlier.append(of(AGE, {"39": 39}, UNBOUNDED))
    later = of(DECADE, {"20-29": 40, "30-39": 39}, 0)
    assert answer(earlier[0], later, AGES) == "safe"
    assert answer(earlier, later, AGES) == "breach", "the one of 40-49 is gone"


def test_levels_that_nothing_relates_are_undecided() -> None:
    earlier, later = of(AGE, {"20": 20}), of(DECADE, {"20-29": 20})
    (found,) = changed_classes([earlier], [later], K, {}).found
    assert (found.answer, found.columns, found.why) == ("undecided", ("age",), "levels")


def test_a_label_that_is_gone_is_undecided_where_it_may_matter() -> None:
    """Nobody is 29 today: where an earlier class of that age would be, the data do not say."""
    today: ValueLabels = {column: [each for i, each in enumerate(own) if i != 1] for column, own in AGES.items()}
    earlier = of(AGE, {"20": 20, "29": 20, "30": 40})
    later = of(DECADE, {"20-29": 41, "30-39": 60, "40-49": 30})
    assert answer(earlier, later, today) == "undecided"
    assert answer(earlier, later, AGES) == "breach"
    assert answer(earlier, total(200), today) == "safe", "all ages are added up"
    assert answer(earlier, of(AGE, {"20": 20, "30": 40, "39": 60}), today) == "safe", "one level: each label for itself"


def test_releases_of_one_version_that_contradict_each_other_are_undecided() -> None:
    """20-25 is part of 20-29, and has more persons in another release of the same version."""
    earlier = of(AGE, {"20": 20, "29": 20, "30": 20})
    later = [of(DECADE, {"20-29": 60}, UNBOUNDED), of(OTHER_AGE, {"20-25": 70}, UNBOUNDED)]
    found = changed_classes([earlier], later, K, AGES)
    assert (found.answer, {each.why for each in found.found}) == ("undecided", {"figures"})


def test_figures_that_contradict_each_other_are_undecided() -> None:
    assert answer([total(90), total(91)], total(200)) == "undecided"


def test_entries_of_other_filters_and_of_no_levels_are_undecided() -> None:
    one, other = of(CAMPAIGN, {"123": 400}), of(CAMPAIGN, {"123": 900})
    assert changed_between([entry(one)], [entry(other)], K, {}).answer == "safe"
    (found,) = changed_between([entry(one)], [entry(other, filter="a = 1")], K, {}).found
    assert (found.answer, found.why) == ("undecided", "filters")
    (found,) = changed_between([entry(one)], [entry(unjudged="it is a history")], K, {}).found
    assert (found.answer, found.why) == ("undecided", "unjudged")


def test_entries_are_named_by_their_places() -> None:
    one, changed = of(CAMPAIGN, {"123": 400, "124": 500}), of(CAMPAIGN, {"123": 401, "124": 600})
    many = of(CAMPAIGN, {"123": 900})
    found = changed_between([entry(many), entry(one, filter="a = 1")], [entry(changed, filter="a = 1")], K, {})
    breach = next(each for each in found.found if each.answer == "breach" and each.columns)
    assert (breach.earlier, breach.later) == (1, 0)
    assert not found.waiting_helps, "the other filter stays undecided"


@pytest.mark.parametrize(("now", "expected"), [(20, False), (21, True), (29, True), (30, False), (15, True)])
def test_few_opt_outs_since_a_release_are_a_breach(now: int, *, expected: bool) -> None:
    assert opted_out_since(entry(opted_out=20), now, K) is expected


def test_a_second_class_is_left_out_where_the_number_of_the_first_follows() -> None:
    earlier = of(CAMPAIGN, {"a": 400, "b": 500, "c": 600})
    later = of(CAMPAIGN, {"a": 401, "b": 530, "c": 600})
    gone = suppressed_in_both([earlier], later, K, {}, 1531)
    assert gone == (0, 1), "31 persons more, together"
    assert suppressed_in_both([earlier], earlier, K, {}, 1500) == ()


def test_more_columns_than_are_summed_over_in_all_ways_are_judged() -> None:
    columns = tuple(ShownColumn(f"column {each}", "h", 0) for each in range(10))
    rows = [tuple(str(each) for each in row) for row in np.random.default_rng(1).integers(0, 4, size=(50, 10))]
    rows = list(dict.fromkeys(rows))
    earlier = ShownClasses.of(columns, rows, [100] * len(rows))
    later = ShownClasses.of(columns, rows, [101, *[100] * (len(rows) - 1)])
    assert changed_classes([earlier], [earlier], K, {}).answer == "safe"
    assert changed_classes([earlier], [later], K, {}).answer == "breach"


def test_a_group_of_dropped_classes_alone_is_never_passed_unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody was in b and c; of 16 persons in both now, 9 at most each, 7 to 9 are in b."""
    labels: ValueLabels = {CAMPAIGN: ("a", "b", "c")}
    earlier, later = of(CAMPAIGN, {"a": 90}), of(CAMPAIGN, {"a": 120}, 9, 16)
    assert answer(earlier, later, labels) == "breach"
    monkeypatch.setattr(versions, "MOST_GROUPS", 0)
    (found,) = changed_classes([earlier], [later], K, labels).found
    assert (found.answer, found.why) == ("undecided", "groups")


@pytest.mark.parametrize(("kept", "said"), [(50, "undecided"), (49 + K, "undecided"), (49 + 70 - 1, "breach")])
def test_a_label_of_nobody_today_is_not_in_the_only_group_that_levels_have(kept: int, said: str) -> None:
    """All values of today are of one decade; the earlier release lists another, whose persons have gone."""
    labels: ValueLabels = {AGE: ("20", "29"), DECADE: ("20-29", "20-29")}
    earlier, later = of(DECADE, {"20-29": 49, "30-39": 70}), of(AGE, {"20": 20, "29": kept - 20})
    assert changed_classes([earlier], [later], K, labels).answer == said
