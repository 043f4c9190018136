"""Rules that are mined: by hand, and as a plain scan of every combination of classes finds them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
import pytest

from ordermade.errors import InputError
from ordermade.methods.mondrian.algorithm import mining
from ordermade.methods.mondrian.algorithm.mining import Condition, MinedCombinations, MinedRule, MiningThresholds, mined

Entry = tuple[tuple[int, ...], int, int, int]
"""Cells, value of the target, rows, person."""
Levels = Sequence[Sequence[Sequence[int]]]
"""Of each attribute, at each level, the class of each cell."""


def given(entries: Sequence[Entry], *, persons: bool = False) -> MinedCombinations:
    cells = np.array([each[0] for each in entries], dtype=np.int32).reshape(len(entries), -1)
    target, rows, person = (np.array([each[place] for each in entries]) for place in (1, 2, 3))
    return MinedCombinations(
        tuple(cells.T), target.astype(np.int32), rows.astype(np.int64), person.astype(np.int32) if persons else None
    )


def arrays(levels: Levels) -> list[list[np.ndarray]]:
    return [[np.array(level, dtype=np.int32) for level in attribute] for attribute in levels]


# Ten persons of each class of two attributes; who is in class 0 of the first has the value 1, and half of the others.
HALF = [((0, 0), 1, 20, 0), ((0, 1), 1, 20, 0), *(((1, other), value, 10, 0) for other in (0, 1) for value in (0, 1))]
FLAT = [[[0, 1]], [[0, 1]]]


def test_figures_by_hand() -> None:
    rules = mined(given(HALF), arrays(FLAT), MiningThresholds(k=10, support=0.1, lift=1.2, conditions=2))
    assert rules == (
        MinedRule((Condition(0, 0, 1),), value=0, both=20, meeting=40, having=20, everybody=80),
        MinedRule((Condition(0, 0, 0),), value=1, both=40, meeting=40, having=60, everybody=80),
    )
    assert [each.lift for each in rules] == [2.0, 4 / 3]
    assert (rules[0].support, rules[0].confidence) == (0.25, 0.5)


def test_counts_are_rounded_before_anything_is_decided() -> None:
    entries = [((0,), 1, 14, 0), ((0,), 0, 2, 0), ((1,), 1, 4, 0), ((1,), 0, 22, 0)]
    [rule] = mined(given(entries), arrays([[[0, 1]]]), MiningThresholds(k=10, support=0.25, lift=1, conditions=1))[1:]
    # 14 of 16, 18 of 42: as 10 of 20, 20 of 40.
    assert rule == MinedRule((Condition(0, 0, 0),), value=1, both=10, meeting=20, having=20, everybody=40)
    assert len(mined(given(entries), arrays([[[0, 1]]]), MiningThresholds(10, 0.26, 1, 1))) == 1
    nine = [((0,), 1, 9, 0), ((1,), 0, 30, 0)]  # rounds to 10, and is fewer than 10 all the same
    assert mined(given(nine), arrays([[[0, 1]]]), MiningThresholds(10, 0, 1, 1))[0].value == 0


def test_a_person_counts_once_whatever_the_rows() -> None:
    entries = [
        *(((cell,), 1, 3, person) for person in range(6) for cell in (0, 1)),
        *(((2,), 0, 1, person) for person in range(4, 12)),
    ]
    rules = mined(given(entries, persons=True), arrays([[[0, 1, 2]]]), MiningThresholds(2, 0.1, 1.5, 1))
    figures = [(each.both, each.meeting, each.having, each.everybody) for each in rules]
    assert figures == [(6, 6, 6, 12), (6, 6, 6, 12), (8, 8, 8, 12)]
    assert len(mined(given(entries, persons=True), arrays([[[0, 0, 2]]]), MiningThresholds(2, 0.1, 1.5, 1))) == 2


def test_the_same_persons_are_told_of_by_their_coarsest_class() -> None:
    entries = [((0,), 1, 30, 0), ((1,), 0, 30, 0), ((2,), 0, 30, 0)]
    levels = [[[0, 1, 2], [0, 1, 1], [7, 7, 7]]]
    rules = mined(given(entries), arrays(levels), MiningThresholds(5, 0.1, 1.4, 1))
    assert [(each.conditions, each.value) for each in rules] == [((Condition(0, 1, 0),), 1), ((Condition(0, 1, 1),), 0)]


def test_classes_that_cannot_be_numbered_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mining, "LARGEST_KEY", 8)
    assert mined(given(HALF), arrays(FLAT), MiningThresholds(10, 0.1, 1.2, 1))
    with pytest.raises(InputError, match="greater support"):
        mined(given(HALF), arrays(FLAT), MiningThresholds(10, 0.1, 1.2, 2))


@pytest.mark.slow
@pytest.mark.parametrize("persons", [False, True])
@pytest.mark.parametrize("round_", range(3))
def test_as_a_plain_scan(round_: int, seed: int, *, persons: bool) -> None:
    chance = np.random.default_rng([seed, round_])
    levels = [[chance.integers(-1, most, 6).tolist() for most in (6, 3, 2)] for _ in range(3)]
    levels[0] = [[0, 1, 2, 3, 4, 5], [0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1]]  # one that nests
    entries = [
        (tuple(chance.integers(0, 6, 3).tolist()), int(chance.integers(-1, 4)), int(chance.integers(1, 9)), int(person))
        for person in chance.integers(0, 60, 150)
    ]
    entries = list({(each[0], each[1], each[3] if persons else 0): each for each in entries}.values())
    asked = MiningThresholds(k=int(chance.integers(2, 6)), support=0.03, lift=1.15, conditions=3)
    rules = mined(given(entries, persons=persons), arrays(levels), asked)
    assert rules
    assert sorted(rules, key=str) == sorted(scanned(entries, levels, asked, persons=persons), key=str)
    shuffled = [entries[place] for place in chance.permutation(len(entries))]
    assert mined(given(shuffled, persons=persons), arrays(levels), asked) == rules


def scanned(entries: Sequence[Entry], levels: Levels, asked: MiningThresholds, *, persons: bool) -> Iterator[MinedRule]:
    """Every combination of classes with every value, looked at one by one."""
    k = asked.k

    def count(met: Sequence[frozenset[int] | None], value: int | None) -> int:
        found = [
            each
            for each in entries
            if value in (None, each[1])
            and all(cells is None or cell in cells for cell, cells in zip(each[0], met, strict=True))
        ]
        return len({each[3] for each in found}) if persons else sum(each[2] for each in found)

    def rounded(number: int) -> int:
        return int(Fraction(number, k) + Fraction(1, 2)) * k

    options = [_classes({each[0][place] for each in entries}, of) for place, of in enumerate(levels)]
    nothing: list[frozenset[int] | None] = [None] * len(levels)
    everybody = rounded(count(nothing, None))
    told: dict[tuple[Condition, ...], list[frozenset[int] | None]] = {}
    for chosen in itertools.product(*([None, *each] for each in options)):
        places = [Condition(place, *each[0]) for place, each in enumerate(chosen) if each is not None]
        told[tuple(places)] = [None if each is None else each[1] for each in chosen]
    del told[()]
    for value in sorted({each[1] for each in entries} - {-1}):
        having = count(nothing, value)
        known = {}
        for conditions, met in told.items():
            both = count(met, value)
            if both >= k and having >= k and rounded(both) >= Fraction(str(asked.support)) * everybody:
                known[conditions] = (rounded(both), rounded(count(met, None)))
        for conditions, (both, meeting) in known.items():
            lift = Fraction(both * everybody, meeting * rounded(having))
            surely = (both - Fraction(k, 2)) / meeting
            general = (
                known[other]
                for other in known
                if other != conditions and _more_general(told[other], told[conditions], other, conditions)
            )
            worth = all(surely >= Fraction(11, 10) * Fraction(*each) for each in general)
            if lift >= Fraction(str(asked.lift)) and worth:
                yield MinedRule(conditions, value, both, meeting, rounded(having), everybody)


def _classes(occurring: set[int], levels: Sequence[Sequence[int]]) -> list[tuple[tuple[int, int], frozenset[int]]]:
    """Each set of cells that a class has, with the coarsest level at which it is one; not the set of all."""
    found = {}
    for level, of_cell in enumerate(levels):
        for number in sorted({each for each in of_cell if each >= 0}):
            cells = frozenset(cell for cell in occurring if of_cell[cell] == number)
            if cells and cells != occurring:
                found[cells] = (level, number)
    return [(place, cells) for cells, place in found.items()]


def _more_general(
    other: Sequence[frozenset[int] | None],
    met: Sequence[frozenset[int] | None],
    named: Sequence[Condition],
    conditions: Sequence[Condition],
) -> bool:
    level = {each.attribute: each.level for each in conditions}
    return all(
        theirs is None or (own is not None and own <= theirs) for own, theirs in zip(met, other, strict=True)
    ) and all(each.level >= level[each.attribute] for each in named)
