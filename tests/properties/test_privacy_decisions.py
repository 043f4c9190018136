"""Models decided in memory against their templates and against counting by hand: rows, persons, thresholds met."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordermade.methods.generalization.algorithm.region_counts import RegionCounts, SensitiveRecords, counts_of
from ordermade.privacy import decisions
from ordermade.privacy.decisions import ClassValues, DatasetValues, Integers, added_up, passing
from ordermade.privacy.models import Model, TCloseness
from tests import privacy_by_hand as by_hand
from tests.long import rounds
from tests.privacy_by_hand import Classes, asked_of
from tests.properties.test_mondrian_requirement import Records, asked_of_records, numbered
from tests.properties.test_privacy_properties import ANCESTORS, CLASSES, NESTED, classes_and_model, models

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    return duckdb.connect(config={"threads": 1})


def failing(model: Model, classes: Classes) -> set[int]:
    """The classes that fail in memory."""
    whole = by_hand.whole_of(classes)
    number_of = {value: number for number, value in enumerate(by_hand.ranked(whole))}
    ordered = [sorted((number_of[value], n) for value, n in part.items()) for part in classes.values()]
    starts = np.cumsum([0, *(len(each) for each in ordered[:-1])])
    values, units = (np.array(each) for each in zip(*(pair for each in ordered for pair in each), strict=True))
    found = passing(model, ClassValues(starts, values, units), DatasetValues(of_values(whole), branches([*number_of])))
    return {number for number, passed in zip(classes, found.tolist(), strict=True) if not passed}


def of_values(whole: Counter[by_hand.Value]) -> Integers:
    return np.array([whole[value] for value in by_hand.ranked(whole)], dtype=np.int64)


def branches(values: list[by_hand.Value]) -> dict[tuple[str, ...], Integers]:
    """The branches by the identity of every model that goes by the hierarchy."""
    levels = [[ANCESTORS[value][level] for value in values] for level in range(len(ANCESTORS[1]))]
    found = np.array([numbered(each) for each in levels], dtype=np.int64)
    return _ByHierarchy(found)


class _ByHierarchy(dict[tuple[str, ...], Integers]):
    """The same branches, whatever t is."""

    def __init__(self, found: Integers) -> None:
        super().__init__()
        self._found = found

    def __missing__(self, identity: tuple[str, ...]) -> Integers:
        assert identity[-1] == NESTED.content_hash
        return self._found


@pytest.mark.long
@settings(max_examples=rounds(60, 400))
@given(drawn=classes_and_model(), largest=st.sampled_from([decisions.LARGEST_PRODUCT, 40]))
def test_memory_decides_as_the_templates_do(
    connection: duckdb.DuckDBPyConnection, drawn: tuple[Classes, Model], largest: int
) -> None:
    """With whole numbers of 64 bits, and where these would be too few."""
    classes, model = drawn
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decisions, "LARGEST_PRODUCT", largest)
        assert failing(model, classes) == asked_of(connection, classes, ANCESTORS).failing(model)


@pytest.mark.parametrize("kind", ["distinct", "entropy", "recursive", "alpha", "equal", "ordered", "hierarchical"])
@settings(max_examples=rounds(40, 200))
@given(classes=CLASSES, data=st.data())
def test_memory_decides_as_counting_by_hand(kind: str, classes: Classes, data: st.DataObject) -> None:
    model = data.draw(models(classes, kind))
    assert failing(model, classes) == by_hand.failing(model, classes, ANCESTORS)


@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
def test_a_billion_rows_are_decided_exactly(distance: str) -> None:
    """A class exactly on t passes, and a class of one row more away does not."""
    classes: Classes = {0: Counter({1: 10**9, 2: 10**9 + 1, 4: 10**9}), 1: Counter({1: 3 * 10**9, 4: 7, 5: 1})}
    hierarchy = NESTED if distance == "hierarchical" else None
    model = TCloseness(Fraction(0), distance, hierarchy)  # type: ignore[arg-type]
    exact = [by_hand.distance(model, part, by_hand.whole_of(classes), ANCESTORS) for part in classes.values()]
    most = max(exact)
    t = Fraction(int(most * 10**12), 10**12)
    expected = {number for number, each in enumerate(exact) if each > t}
    assert expected
    assert failing(TCloseness(t, distance, hierarchy), classes) == expected  # type: ignore[arg-type]
    assert failing(TCloseness(t + Fraction(1, 10**12), distance, hierarchy), classes) == set()  # type: ignore[arg-type]


def counts(found: Records, k: int, required: list[list[Model]]) -> RegionCounts:
    """What decides on regions, at first on the records, each a combination of its own."""
    columns = []
    for attribute, of in enumerate(required):
        domain = by_hand.ranked({each[attribute] for each in found.values})
        values = np.array([domain.index(each[attribute]) for each in found.values])
        columns.append(SensitiveRecords(values, tuple(of), branches(domain)))
    every = np.arange(len(found.classes))
    persons = None if found.persons is None else numbered(found.persons).astype(np.int64)
    return counts_of(every, np.ones(len(every), dtype=np.int64), k, persons, columns)


@pytest.mark.long
@settings(max_examples=rounds(40, 200))
@given(drawn=asked_of_records(), sparse=st.sampled_from([0, decisions.SPARSE]), data=st.data())
def test_regions_have_the_persons_and_values_of_their_combinations(
    connection: duckdb.DuckDBPyConnection,
    drawn: tuple[Records, int, list[list[Model]]],
    sparse: int,
    data: st.DataObject,
) -> None:
    """By the templates too, merged at once and in two steps, with records left out on the way."""
    found, k, required = drawn
    n, numbers = len(found.classes), sorted(set(found.classes))
    region_of = np.array([numbers.index(each) for each in found.classes])
    part_of = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    parts = sorted(set(zip(region_of.tolist(), part_of, strict=True)))
    first = np.array([parts.index(each) for each in zip(region_of.tolist(), part_of, strict=True)])
    k = k if found.persons else 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decisions, "SPARSE", sparse)
        combinations = counts(found, k, required)
        at_once = combinations.merged(region_of, len(numbers)).passing()
        stepwise = combinations.merged(first, len(parts)).merged(np.array([each for each, _ in parts]), len(numbers))
        alone = combinations.merged(np.where(region_of == 0, 0, -1), 1).passing()
    assert stepwise.passing().tolist() == at_once.tolist()
    assert alone.tolist() == at_once[:1].tolist()
    rows = {place: found.rows(number).tolist() for place, number in enumerate(numbers)}
    assert at_once.tolist() == [found.passes(rows[place], k, required) for place in rows]
    sizes = {place: found.units(each) for place, each in rows.items()} if found.persons else None
    failed = {place for place, size in (sizes or {}).items() if size < k}
    for attribute, of in enumerate(required):
        classes = {place: found.counted(each, attribute) for place, each in rows.items()}
        asked = asked_of(connection, classes, ANCESTORS, found.counted(range(n), attribute), sizes)
        failed |= {place for model in of for place in asked.failing(model)}
    assert {place for place in rows if not at_once[place]} == failed


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 5)), max_size=20), st.sampled_from([10, 10**6]))
def test_units_are_added_up_code_by_code(pairs: list[tuple[int, int]], possible: int) -> None:
    expected: Counter[int] = Counter()
    for code, units in pairs:
        expected[code] += units
    codes, units = (np.array([each[place] for each in pairs], dtype=np.int64) for place in (0, 1))
    found, sums = added_up(codes, units, possible)
    assert list(zip(found.tolist(), sums.tolist(), strict=True)) == sorted(expected.items())
