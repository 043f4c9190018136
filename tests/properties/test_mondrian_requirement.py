"""What is required of a class of a partition, in compiled code, against the same decided by hand and by the templates.

And the cut of an ordered attribute that tells most of a target, against trying all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import log

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordermade.errors import InputError
from ordermade.machine.compiled import compiled
from ordermade.methods.mondrian.algorithm import check as checks
from ordermade.methods.mondrian.algorithm.check import (
    MAX_MARKED,
    Checking,
    SensitiveCodes,
    SplitRequirement,
    SplitScratch,
    check_of,
    room_of,
)
from ordermade.methods.mondrian.algorithm.domains import Codes
from ordermade.methods.mondrian.algorithm.information_gain import (
    TRIED_ALONE,
    best_cut,
    entropy_of,
    scale_of,
    score_of,
    target_of,
    target_room,
)
from ordermade.methods.mondrian.algorithm.requirement import exceeds, passes, root_fails
from ordermade.privacy.models import AlphaK, DistinctL, EntropyL, Model, RecursiveCL, TCloseness
from tests import privacy_by_hand as by_hand
from tests.privacy_by_hand import Value, asked_of
from tests.properties.test_privacy_properties import ANCESTORS, VALUES, models

Parts = dict[int, Counter[Value]]


@dataclass(frozen=True)
class Records:
    """Of each record its person (None: its row), its class, and its values of two sensitive attributes."""

    persons: tuple[int, ...] | None
    classes: tuple[int, ...]
    values: tuple[tuple[Value, Value], ...]

    def rows(self, number: int) -> Codes:
        """The rows of a class."""
        return np.flatnonzero(np.array(self.classes) == number).astype(np.int32)

    def units(self, rows: Sequence[int]) -> int:
        """How many persons, or rows, there are among some rows."""
        return len({self.persons[row] if self.persons else row for row in rows})

    def counted(self, rows: Sequence[int], attribute: int) -> Counter[Value]:
        """How many units among some rows have each value."""
        return Counter(
            value
            for _, value in {(self.persons[row] if self.persons else row, self.values[row][attribute]) for row in rows}
        )

    def requirement(self, k: int, asked: Sequence[Sequence[Model]]) -> SplitRequirement:
        """That every class has k units and passes the models of each attribute."""
        persons = None if self.persons is None else numbered(self.persons)
        sensitive = tuple(self.sensitive(attribute, tuple(models)) for attribute, models in enumerate(asked))
        return SplitRequirement(k, persons, sensitive)

    def sensitive(self, attribute: int, models: tuple[Model, ...]) -> SensitiveCodes:
        """An attribute as codes: all values of the hierarchy have one, whether they occur or not."""
        values = [each[attribute] for each in self.values]
        domain = by_hand.ranked(ANCESTORS)
        branches = [
            numbered([ANCESTORS[value][level] for value in domain]) for level in range(len(ANCESTORS[domain[0]]))
        ]
        pairs = None if self.persons is None else numbered(list(zip(self.persons, values, strict=True)))
        along = {each.identity: np.array(branches) for each in models if isinstance(each, TCloseness)}
        codes = np.array([domain.index(value) for value in values], dtype=np.int32)
        return SensitiveCodes(codes, len(domain), models, pairs, along, f"attribute {attribute}")

    def passes(self, rows: Sequence[int], k: int, asked: Sequence[Sequence[Model]]) -> bool:
        """Whether a class of some rows passes, by hand."""
        everyone = range(len(self.classes))
        return self.units(rows) >= k and all(
            by_hand.passes(
                model, self.counted(rows, attribute), self.counted(everyone, attribute), ANCESTORS, self.units(rows)
            )
            for attribute, models in enumerate(asked)
            for model in models
        )


def numbered(items: Sequence[object]) -> Codes:
    """The number of each item, in the order in which they come."""
    number_of: dict[object, int] = {}
    return np.array([number_of.setdefault(item, len(number_of)) for item in items], dtype=np.int32)


@st.composite
def records(draw: st.DrawFn) -> Records:
    persons, classes = st.integers(0, draw(st.sampled_from([5, 9]))), st.integers(0, draw(st.integers(0, 1)))
    values = st.sampled_from(draw(st.lists(VALUES, min_size=1, max_size=6)))
    fewest = draw(st.sampled_from([14, 14, 1]))
    rows = draw(st.lists(st.tuples(persons, classes, st.tuples(values, values)), min_size=fewest, max_size=24))
    columns = tuple(zip(*rows, strict=True))
    return Records(columns[0] if draw(st.booleans()) else None, *columns[1:])


@st.composite
def asked_of_records(draw: st.DrawFn) -> tuple[Records, int, list[list[Model]]]:
    """Records and what is required of their classes, often with the very threshold that one of them is on."""
    drawn = draw(records())
    parts: list[Parts] = [
        {number: drawn.counted(drawn.rows(number), attribute) for number in set(drawn.classes)} for attribute in (0, 1)
    ]
    asked = [draw(st.lists(models(part), min_size=1 - attribute, max_size=2)) for attribute, part in enumerate(parts)]
    if drawn.persons and asked[0]:
        rows = drawn.rows(drawn.classes[0])
        share = Fraction(max(parts[0][drawn.classes[0]].values()), drawn.units(rows))
        asked[0][0] = AlphaK(share) if share < 1 else asked[0][0]
    return drawn, draw(st.sampled_from([1, 1, 2, 4])), asked


def all_zero(room: SplitScratch) -> bool:
    """Whether the room is ready for another class."""
    return not any(array.any() for array in (room.units, room.totals, room.found, room.tally, room.branch_tally))


@pytest.mark.slow
@given(asked_of_records())
def test_a_class_passes_as_it_does_by_hand(drawn: tuple[Records, int, list[list[Model]]]) -> None:
    found, k, asked = drawn
    check = check_of(found.requirement(k, asked), len(found.classes))
    room = room_of(check)
    room.mark[:], room.seen[:] = MAX_MARKED - 1, 1  # marks begin anew meanwhile
    for number in set(found.classes):
        rows = found.rows(number)
        expected = found.passes(rows, k, asked)
        assert passes(check, room, np.concatenate([rows[:1], rows]), 1, rows.size + 1) == expected
        assert all_zero(room)


def test_pairs_that_are_not_given_are_found() -> None:
    found = Records((1, 1, 2, 2, 3, 3), (0,) * 6, ((1, 1), (1, 2), (1, 1), (2, 2), (1, 1), (None, 3)))
    requirement = found.requirement(3, [[AlphaK(Fraction(2, 3))], [DistinctL(3)]])
    alone = replace(requirement, sensitive=tuple(replace(each, pairs=None) for each in requirement.sensitive))
    assert root_fails(requirement, 6) == root_fails(alone, 6) == "alpha_k {alpha: 2/3} of column 'attribute 0'"
    assert root_fails(replace(alone, sensitive=alone.sensitive[1:]), 6) is None
    assert root_fails(replace(alone, k=4), 6) == "alpha_k {alpha: 2/3} of column 'attribute 0'"
    assert root_fails(replace(alone, k=4, sensitive=()), 6) == "k"


@compiled
def exceeding(a: int, b: int, c: int, d: int) -> bool:
    """As `exceeds`, which is there for compiled code alone."""
    return exceeds(a, b, c, d)


FACTOR = st.integers(0, 2**31 - 1)
LARGE = st.integers(0, 2**63 - 1)


@given(LARGE, LARGE, LARGE, LARGE, FACTOR, FACTOR, FACTOR)
def test_products_are_compared_exactly(a: int, b: int, c: int, d: int, p: int, q: int, r: int) -> None:
    assert exceeding(a, b, c, d) == (a * b > c * d)
    assert not exceeding(p * q, r, p, q * r)
    assert not exceeding(p, q * r, p * q, r)
    assert exceeding(p * q + 1, r, p, q * r) == (r > 0)
    assert exceeding(p, q * r + 1, p * q, r) == (p > 0)


def test_a_model_with_all_its_decimals_is_decided_exactly() -> None:
    least = Fraction(1, 10**12)
    codes = np.repeat(np.arange(3, dtype=np.int32), (4097 * 2, 4096, 4096))

    def passing(model: Model) -> bool:
        return root_fails(SplitRequirement(1, None, (SensitiveCodes(codes, 3, (model,)),)), codes.size) is None

    assert not passing(RecursiveCL(Fraction(4097, 4096), 2))
    assert passing(RecursiveCL(Fraction(4097, 4096) + least, 2))
    assert passing(RecursiveCL(10**6 - least, 3))
    assert not passing(RecursiveCL(10**6 - least, 4))
    share = Fraction(4097 * 2, codes.size)
    assert [passing(AlphaK(near)) for near in (share - Fraction(1, 10**8), share)] == [False, True]


def test_what_does_not_fit_into_64_bits_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "LARGEST_PRODUCT", 299)
    codes = np.arange(10, dtype=np.int32) % 3
    equal, ordered = TCloseness(Fraction(0)), TCloseness(Fraction(0), "ordered")
    assert root_fails(SplitRequirement(1, None, (SensitiveCodes(codes, 3, (equal,)),)), 10) is None
    with pytest.raises(InputError, match="t_closeness cannot be decided exactly of 10 records"):
        check_of(SplitRequirement(1, None, (SensitiveCodes(codes, 3, (ordered,)),)), 10)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_larger_classes_pass_as_by_the_templates(seed: int) -> None:
    """Classes of hundreds of records with up to forty values, each model with thresholds that classes are about on."""
    chance = np.random.default_rng(seed)
    of_class = np.sort(chance.integers(0, 60, 6_000))
    drawn = (chance.gamma(1.0 + of_class % 7, 3.0) + of_class / 10).astype(np.int64) % 40
    codes = np.unique(drawn, return_inverse=True)[1].astype(np.int32)
    classes = {number: Counter(codes[of_class == number].tolist()) for number in range(60)}
    ancestors = {value: (str(value), f"a{value // 3}", f"b{value // 12}") for value in range(int(codes.max()) + 1)}
    nested = by_hand.nested(ancestors)
    asked = asked_of(duckdb.connect(config={"threads": 1}), classes, ancestors)
    branches = np.array([numbered([ancestors[value][level] for value in ancestors]) for level in range(3)])
    kinds = [("equal", None), ("ordered", None), ("hierarchical", nested)]
    thresholds: list[Model] = [
        DistinctL(12),
        EntropyL(Fraction(9)),
        RecursiveCL(Fraction(1, 3), 4),
        AlphaK(Fraction(1, 5)),
    ]
    closeness = [TCloseness(Fraction(1, 5), distance, hierarchy) for distance, hierarchy in kinds]  # type: ignore[arg-type]
    for model in [*thresholds, *closeness]:
        figures = sorted(asked.figures(model).values())
        if isinstance(model, TCloseness):
            model = replace(model, t=Fraction(figures[30]).limit_denominator(10**12))
        sensitive = SensitiveCodes(codes, len(ancestors), (model,), ancestors={model.identity: branches})
        check = check_of(SplitRequirement(1, None, (sensitive,)), codes.size)
        room = room_of(check)
        starts = np.searchsorted(of_class, range(61))
        every = np.arange(codes.size, dtype=np.int32)
        failing = {
            number for number in classes if not passes(check, room, every, int(starts[number]), int(starts[number + 1]))
        }
        assert failing == asked.failing(model)
        assert 0 < len(failing) < 60


# ---- cuts ------------------------------------------------------------------------------------------------------------


def entropy_by_hand(values: Sequence[int]) -> float:
    return -sum(n / len(values) * log(n / len(values)) for n in Counter(values).values())


def gain_by_hand(whole: Sequence[int], *parts: Sequence[int]) -> float:
    return entropy_by_hand(whole) - sum(len(part) / len(whole) * entropy_by_hand(part) for part in parts)


@pytest.mark.slow
@given(asked_of_records(), st.data())
def test_the_best_cut_is_the_best_of_all_that_are_valid(
    drawn: tuple[Records, int, list[list[Model]]], data: st.DataObject
) -> None:
    found, k, asked = drawn
    n = len(found.classes)
    spread = data.draw(st.sampled_from([1, 1000]))  # codes are sorted in two ways
    code = [spread * each for each in data.draw(st.lists(st.integers(0, 12), min_size=n, max_size=n))]
    told = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    rows = data.draw(st.permutations(range(n)))[: data.draw(st.integers(1, n))]
    best = (-1, 0, 0, -1)
    for cut in sorted({code[row] for row in rows})[:-1]:
        halves = [[row for row in rows if code[row] <= cut], [row for row in rows if code[row] > cut]]
        if all(found.passes(half, k, asked) for half in halves):
            targets = [[told[row] for row in half] for half in halves]
            score = max(round(gain_by_hand([told[row] for row in rows], *targets) * 1e12), 0)
            best = max(best, (score, -abs(2 * len(halves[0]) - len(rows)), -cut, cut))
    check = check_of(found.requirement(k, asked), n)
    room, target = room_of(check), target_of(np.array(told, dtype=np.int32), n)
    its_room = target_room(3, len(rows))
    ordered = np.array([0, *rows], dtype=np.int32)
    codes = np.zeros((len(rows) + 1, 2), dtype=np.int32)
    codes[1:, 1] = [code[row] for row in rows]
    ends = 1, len(rows) + 1
    missing = entropy_of(target, its_room, ordered, *ends, scale_of(len(rows)))
    score, cut = best_cut(k, Checking(check, room), target, its_room, codes, 1, ordered, *ends, missing)
    assert (cut, score) == (best[3], pytest.approx(best[0], abs=1))
    assert all_zero(room)
    assert not its_room.left.any()
    assert not its_room.right.any()


@pytest.mark.parametrize("of_persons", [False, True])
def test_the_few_valid_ones_of_many_cuts_are_found(of_persons: bool) -> None:
    chance = np.random.default_rng(7)
    n = 300
    values = chance.integers(0, 4, n).astype(np.int32)
    persons = chance.integers(0, 120, n).astype(np.int32) if of_persons else None
    told = (chance.integers(0, 40, n) + np.arange(n) > 40).astype(np.int32)
    rows = np.arange(n, dtype=np.int32)
    gains = [gain_by_hand(told.tolist(), told[:cut].tolist(), told[cut:].tolist()) for cut in range(1, n)]
    for t in (Fraction(1, 12), Fraction(1, 20), Fraction(1, 30)):
        sensitive = SensitiveCodes(values, 4, (TCloseness(t), EntropyL(Fraction(19, 5))))
        check = check_of(SplitRequirement(20, persons, (sensitive,)), n)
        room = room_of(check)
        valid = [passes(check, room, rows, 0, cut) and passes(check, room, rows, cut, n) for cut in range(1, n)]
        best = max(gain for gain, passed in zip(gains, valid, strict=True) if passed)
        assert sum(gain > best for gain in gains[20:-20]) > TRIED_ALONE
        its_room = target_room(2, n)
        target = target_of(told, n)
        missing = entropy_of(target, its_room, rows, 0, n, scale_of(n))
        codes = rows.reshape(-1, 1)
        score, cut = best_cut(20, Checking(check, room), target, its_room, codes, 0, rows, 0, n, missing)
        assert (cut, score) == (gains.index(best), pytest.approx(best * 1e12, abs=1))
        assert [score >= 0 for score in its_room.scores] == [*valid, False]
        assert all_zero(room)


def test_what_a_split_gains_is_told_by_its_children() -> None:
    told = np.array([0, 0, 0, 1, 1, 2, 2, 2], dtype=np.int32)
    target, room = target_of(told, 8), target_room(3, 8)
    scale = scale_of(8)
    rows = np.arange(8, dtype=np.int32)
    before, *after = (entropy_of(target, room, rows, *ends, scale) for ends in ((0, 8), (0, 3), (3, 5), (5, 8)))
    assert after == [0, 0, 0]
    assert score_of(before, 8, scale) == pytest.approx(entropy_by_hand(told.tolist()) * 1e12, abs=1)
    assert score_of(0, 8, scale) == 0
