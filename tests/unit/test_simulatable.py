"""What released figures alone decide, and what other answers tell: no count of the data is looked at."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction

import numpy as np
import pytest

from ordermade.hierarchies.explicit import ListedLevel, explicit_hierarchy
from ordermade.ledger.entries import LedgerEntry, ShownClasses, ShownColumn, ShownRelease
from ordermade.ledger.figures import UNBOUNDED
from ordermade.ledger.simulatable import RequestedLevels, bits_of, foreseen, question_hash

AGE, _ = explicit_hierarchy("age", ["1", "2", "3"], [ListedLevel("coarse", ("low", "low", "high"))])
SEX, _ = explicit_hierarchy("sex", ["f", "m"], [])
KNOWN = {each.content_hash: each for each in (AGE, SEX)}
FINE, COARSE = (ShownColumn("age", AGE.content_hash, level) for level in (0, 1))
BY_SEX = ShownColumn("sex", SEX.content_hash, 0)


def entry(classes: ShownClasses, **changes: object) -> LedgerEntry:
    made = LedgerEntry(
        id=1,
        key="k1",
        dataset="d1",
        dataset_name="members",
        status="released",
        recipients=("a",),
        made_at=datetime(2026, 1, 2, tzinfo=UTC),
        method="generalization",
        k=5,
        filter=None,
        rows_hash="v1",
        opted_out=0,
        shown=ShownRelease((classes,)),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


EXACT = ShownClasses.of([FINE, BY_SEX], [("1", "f"), ("2", "m"), ("3", "m")], [5, 7, 9])
DROPPING = ShownClasses.of([COARSE], [("low",)], [20], others_most=4, rest=(6, 6))
OPEN = ("open", ())


def decided(wanted: RequestedLevels, *entries: LedgerEntry, rows_hash: str = "v1", opted_out: int = 0) -> object:
    return foreseen(wanted, entries, KNOWN, rows_hash, opted_out)


def test_a_coarser_partition_follows_from_an_exact_one() -> None:
    coarser = RequestedLevels(None, 5, finest=(COARSE,), coarsest=(), shows_all=True)
    assert decided(coarser, entry(EXACT)) == ("follows", (1,))
    assert decided(replace(coarser, finest=()), entry(EXACT)) == ("follows", (1,)), "the total"
    assert decided(replace(coarser, finest=None), entry(EXACT)) == OPEN
    assert decided(coarser) == OPEN, "nothing was released"
    crossing = replace(coarser, finest=(FINE, ShownColumn("city", SEX.content_hash, 0)))
    assert decided(crossing, entry(EXACT)) == OPEN
    assert decided(coarser, entry(DROPPING)) == OPEN, "classes are suppressed"


@pytest.mark.parametrize(
    "other",
    [
        entry(EXACT, filter='"age" > 1'),
        entry(EXACT, rows_hash="v0"),
        entry(EXACT, opted_out=1),
        entry(replace(EXACT, others_most=4)),
        entry(replace(EXACT, rest=(6, 6))),
        entry(replace(EXACT, most=EXACT.most + 1)),
        entry(replace(EXACT, hidden=np.array([True, False, False]))),
        entry(EXACT, shown=ShownRelease((), "is of no one level")),
    ],
)
def test_nothing_follows_from_other_rows_or_from_figures_that_are_not_exact(other: LedgerEntry) -> None:
    assert decided(RequestedLevels(None, 5, finest=(COARSE,)), other) == OPEN


def test_nothing_follows_where_the_hash_of_the_rows_is_not_known() -> None:
    wanted = RequestedLevels(None, 5, finest=(COARSE,))
    assert decided(wanted, entry(EXACT, rows_hash=""), rows_hash="") == OPEN


def test_a_release_that_must_show_a_hidden_cell_is_a_breach() -> None:
    hidden = np.array([False, False, True])
    table = entry(replace(EXACT, hidden=hidden, most=np.where(hidden, UNBOUNDED, EXACT.most)))
    finer = RequestedLevels(None, 5, coarsest=(FINE, BY_SEX), shows_all=True)
    assert decided(finer, table) == ("breach", (1,))
    assert decided(replace(finer, limit=Fraction(1, 100)), table) == OPEN, "the class may be suppressed"
    assert decided(replace(finer, coarsest=(COARSE, BY_SEX)), table) == OPEN
    assert decided(replace(finer, shows_all=False), table) == OPEN


def test_a_request_fails_where_too_many_rows_are_known_to_be_in_small_classes() -> None:
    finer = RequestedLevels(None, 5, coarsest=(FINE,), limit=Fraction(1, 10), shows_all=True)
    assert decided(finer, entry(DROPPING)) == ("fails", (1,)), "6 of 26 rows are in classes of at most 4"
    assert decided(replace(finer, limit=Fraction(6, 26)), entry(DROPPING)) == OPEN
    assert decided(replace(finer, k=4), entry(DROPPING)) == OPEN, "classes of 4 may be among them"
    larger = replace(finer, k=8, coarsest=(FINE, BY_SEX), limit=Fraction(0))
    assert decided(larger, entry(EXACT)) == ("fails", (1,)), "classes of 5 and 7"
    assert decided(replace(larger, k=22), entry(EXACT)) == OPEN, "that fewer than k are left is said in other words"


def test_what_is_of_no_levels_is_never_proved() -> None:
    local = RequestedLevels(None, 5, unjudged="is of no one level")
    assert decided(local, entry(EXACT)) == ("undecided", (1,))
    assert decided(local, entry(EXACT), opted_out=1) == OPEN, "who opted out is no figure of the pool"
    assert decided(local) == OPEN


def test_an_answer_tells_the_logarithm_of_the_number_of_answers() -> None:
    assert (bits_of(1), bits_of(2), bits_of(5)) == (0, 1, math.log2(5))


def test_a_question_is_the_same_for_the_same_pool_with_the_same_releases() -> None:
    one, other = entry(EXACT), entry(EXACT, key="k2")
    pool = frozenset({"a", "b"})
    same = question_hash("r1", [(pool, [one])], "v1", "p1")
    assert question_hash("r1", [(frozenset({"b", "a"}), [one])], "v1", "p1") == same
    others = [
        question_hash("r2", [(pool, [one])], "v1", "p1"),
        question_hash("r1", [(frozenset({"a"}), [one])], "v1", "p1"),
        question_hash("r1", [(None, [one])], "v1", "p1"),
        question_hash("r1", [(pool, [one, other])], "v1", "p1"),
        question_hash("r1", [(pool, [one])], "v2", "p1"),
        question_hash("r1", [(pool, [one])], "v1", "p2"),
    ]
    assert len({same, *others}) == 7
