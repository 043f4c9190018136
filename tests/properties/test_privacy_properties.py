"""Privacy models on random tables: the templates against counting by hand, and what is declared monotone."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordermade.privacy.models import AlphaK, DistinctL, EntropyL, Model, RecursiveCL, TCloseness
from tests import privacy_by_hand as by_hand
from tests.long import rounds
from tests.privacy_by_hand import Ancestors, Classes, asked_of

pytestmark = pytest.mark.slow

ANCESTORS: Ancestors = {
    1: ("1", "a", "x"),
    2: ("2", "a", "x"),
    3: ("3", "b", "x"),
    4: ("4", "c", "y"),
    5: ("5", "c", "y"),
    None: ("none", "none", "none"),
}
NESTED = by_hand.nested(ANCESTORS)
VALUES = st.sampled_from(list(ANCESTORS))
PARTS = st.lists(VALUES, min_size=1, max_size=8).map(Counter)
CLASSES = st.lists(PARTS, min_size=1, max_size=6).map(lambda parts: dict(enumerate(parts)))
DISTANCES = (("equal", None), ("ordered", None), ("hierarchical", NESTED))


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    return duckdb.connect(config={"threads": 1})


@st.composite
def models(draw: st.DrawFn, classes: Classes, kind: str | None = None) -> Model:
    """Any model; often with the very threshold that one of the classes is on."""
    part = classes[draw(st.sampled_from(sorted(classes)))]
    counts = sorted(part.values(), reverse=True)
    share = st.fractions(0, 1, max_denominator=40)
    kind = kind or draw(st.sampled_from(["distinct", "entropy", "recursive", "alpha", "t"]))
    if kind == "distinct":
        return DistinctL(draw(st.integers(2, 6)))
    if kind == "entropy":
        return EntropyL(draw(st.integers(2, 6).map(Fraction) | share.filter(bool).map(lambda more: 1 + 3 * more)))
    if kind == "recursive":
        place = draw(st.integers(2, 4))
        others = sum(counts[place - 1 :])
        on_it = [Fraction(counts[0], others)] if others else [Fraction(1)]
        return RecursiveCL(draw(st.sampled_from(on_it) | share.filter(bool).map(lambda part: 4 * part)), place)
    if kind == "alpha":
        on_it = [Fraction(counts[0], sum(counts))]
        return AlphaK(
            draw((st.sampled_from(on_it) | share).filter(lambda alpha: 0 < alpha < 1) | st.just(Fraction(1, 2)))
        )
    fitting = [each for each in DISTANCES if kind in ("t", each[0])]
    distance, hierarchy = draw(st.sampled_from(fitting))
    exact = by_hand.distance(TCloseness(Fraction(0), distance, hierarchy), part, by_hand.whole_of(classes), ANCESTORS)
    return TCloseness(draw((st.just(exact) | share).filter(lambda t: t < 1)), distance, hierarchy)


@st.composite
def classes_and_model(draw: st.DrawFn) -> tuple[Classes, Model]:
    classes = draw(CLASSES)
    return classes, draw(models(classes))


@pytest.mark.long
@settings(max_examples=rounds(50, 100))
@given(classes_and_model())
def test_the_templates_decide_as_counting_by_hand(
    connection: duckdb.DuckDBPyConnection, drawn: tuple[Classes, Model]
) -> None:
    classes, model = drawn
    asked = asked_of(connection, classes, ANCESTORS)
    assert asked.failing(model) == by_hand.failing(model, classes, ANCESTORS)


@settings(max_examples=20)
@given(CLASSES, st.integers(2, 4))
def test_the_figures_are_those_counted_by_hand(
    connection: duckdb.DuckDBPyConnection, classes: Classes, place: int
) -> None:
    asked = asked_of(connection, classes, ANCESTORS)
    whole = by_hand.whole_of(classes)
    for distance, hierarchy in DISTANCES:
        model = TCloseness(Fraction(0), distance, hierarchy)
        exact = {each: float(by_hand.distance(model, part, whole, ANCESTORS)) for each, part in classes.items()}
        assert asked.figures(model) == pytest.approx(exact, abs=1e-12)
        assert asked.extremes(model) == pytest.approx((min(exact.values()), max(exact.values())), abs=1e-12)
    shares = {each: [n / part.total() for n in part.values()] for each, part in classes.items()}
    assert asked.figures(AlphaK(Fraction(1, 2))) == pytest.approx({each: max(of) for each, of in shares.items()})
    assert asked.figures(DistinctL(2)) == {each: len(of) for each, of in shares.items()}
    entropy = {each: -sum(p * np.log(p) for p in of) for each, of in shares.items()}
    assert asked.figures(EntropyL(Fraction(2))) == pytest.approx(entropy, abs=1e-12)
    others = {each: sum(sorted(of, reverse=True)[place - 1 :]) / max(of) for each, of in shares.items()}
    assert asked.figures(RecursiveCL(Fraction(1), place)) == pytest.approx(others, abs=1e-12)


@settings(max_examples=30)
@given(PARTS, PARTS)
def test_each_distance_is_the_least_work_of_moving_one_distribution_to_the_other(
    part: Counter[by_hand.Value], rest: Counter[by_hand.Value]
) -> None:
    """The earth mover's distance as it is defined (Li et al. 2007), by linear programming."""
    from scipy.optimize import linprog

    whole = part + rest
    values = by_hand.ranked(whole)
    levels = len(ANCESTORS[1])

    def joined_at(one: by_hand.Value, other: by_hand.Value) -> int:
        paths = zip(ANCESTORS[one], ANCESTORS[other], strict=True)
        return next((level for level, (mine, its) in enumerate(paths) if mine == its), levels)

    grounds = {
        "equal": lambda i, j: float(i != j),
        "ordered": lambda i, j: abs(i - j) / max(1, len(values) - 1),
        "hierarchical": lambda i, j: joined_at(values[i], values[j]) / levels,
    }
    shares = [[each[value] / each.total() for value in values] for each in (part, whole)]
    places = range(len(values))
    rows = [[float(i == place) for i, _ in product(places, places)] for place in places]
    columns = [[float(j == place) for _, j in product(places, places)] for place in places]
    for distance, hierarchy in DISTANCES:
        costs = [grounds[distance](i, j) for i, j in product(places, places)]
        work = linprog(costs, A_eq=[*rows, *columns], b_eq=[*shares[0], *shares[1]]).fun
        model = TCloseness(Fraction(0), distance, hierarchy)
        assert float(by_hand.distance(model, part, whole, ANCESTORS)) == pytest.approx(work, abs=1e-9)


# ---- what finer nodes can keep ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["distinct", "entropy", "recursive", "alpha", "equal", "ordered", "hierarchical"])
@pytest.mark.long
@settings(max_examples=max(rounds(25, 60), settings.default.max_examples // 2))
@given(classes=CLASSES, data=st.data())
def test_no_part_of_a_class_that_satisfies_a_model_is_larger_than_what_is_said_to_be_keepable(
    connection: duckdb.DuckDBPyConnection, kind: str, classes: Classes, data: st.DataObject
) -> None:
    """Every part of every class is tried. The bound is of use, too: a class that fails keeps fewer than it has."""
    model = data.draw(models(classes, kind))
    whole = by_hand.whole_of(classes)
    failing = by_hand.failing(model, classes, ANCESTORS)
    keepable = asked_of(connection, classes, ANCESTORS).keepable(model)
    assert failing <= set(keepable)
    for number, most in keepable.items():
        part = classes[number]
        assert by_hand.largest_part(model, part, whole, ANCESTORS) <= most <= part.total()
        assert (most < part.total()) == (number in failing)
        if number in failing and isinstance(model, TCloseness):
            apart = by_hand.distance(model, part, whole, ANCESTORS)
            assert most <= part.total() * (1 - apart) / (1 - model.t)


FEW = st.lists(st.lists(VALUES, min_size=1, max_size=4).map(Counter), min_size=1, max_size=3)


@pytest.mark.long
@settings(max_examples=max(rounds(25, 60), settings.default.max_examples // 2))
@given(parts=FEW, rest=PARTS, data=st.data())
def test_however_a_class_is_divided_its_passing_parts_are_no_more_than_its_largest_part(
    parts: list[Counter[by_hand.Value]], rest: Counter[by_hand.Value], data: st.DataObject
) -> None:
    divided = dict(enumerate([*parts, rest]))
    model = data.draw(models(divided))
    whole = by_hand.whole_of(divided)
    kept = sum(part.total() for part in parts if by_hand.passes(model, part, whole, ANCESTORS))
    assert kept <= by_hand.largest_part(model, sum(parts, Counter()), whole, ANCESTORS)


# ---- what is declared monotone ---------------------------------------------------------------------------------------


@pytest.mark.long
@settings(max_examples=rounds(100, 200))
@given(classes_and_model(), st.data())
def test_while_nothing_is_suppressed_merged_classes_pass_if_their_parts_do(
    drawn: tuple[Classes, Model], data: st.DataObject
) -> None:
    """Every model, rows being counted: a coarser node passes where a finer one does."""
    classes, model = drawn
    whole = by_hand.whole_of(classes)
    passing = sorted(set(classes) - by_hand.failing(model, classes, ANCESTORS))
    chosen = data.draw(st.sets(st.sampled_from(passing), min_size=1)) if passing else set()
    if chosen:
        union = sum((classes[number] for number in chosen), Counter())
        assert by_hand.passes(model, union, whole, ANCESTORS)


@pytest.mark.long
@settings(max_examples=rounds(75, 150))
@given(CLASSES, st.integers(2, 5), st.integers(1, 6), st.data())
def test_under_a_limit_rows_suppressed_for_k_and_distinct_l_never_grow(
    classes: Classes, least: int, k: int, data: st.DataObject
) -> None:
    def suppressed(node: Classes) -> int:
        failing = by_hand.failing(DistinctL(least), node)
        return sum(part.total() for number, part in node.items() if number in failing or part.total() < k)

    into = {number: data.draw(st.integers(0, 2)) for number in classes}
    assert suppressed(by_hand.merged(classes, into)) <= suppressed(classes)


PERSONS = st.dictionaries(
    st.integers(1, 8), st.sets(st.tuples(st.integers(0, 3), VALUES), min_size=1, max_size=3), min_size=1, max_size=8
)
"""For each person the rows: (class, value)."""


def of_persons(
    rows: dict[int, set[tuple[int, by_hand.Value]]], into: dict[int, int]
) -> dict[int, dict[by_hand.Value, set[int]]]:
    """The persons with each value in each class of the node that `into` makes."""
    found: dict[int, dict[by_hand.Value, set[int]]] = {}
    for person, held in rows.items():
        for number, value in held:
            found.setdefault(into[number], {}).setdefault(value, set()).add(person)
    return found


@pytest.mark.long
@settings(max_examples=rounds(75, 150))
@given(PERSONS, st.integers(2, 4), st.integers(1, 4), st.data())
def test_persons_suppressed_for_k_and_distinct_l_never_grow(
    rows: dict[int, set[tuple[int, by_hand.Value]]], least: int, k: int, data: st.DataObject
) -> None:
    """A person is suppressed who has a row in a suppressed class."""

    def suppressed(into: dict[int, int]) -> set[int]:
        persons: set[int] = set()
        for values in of_persons(rows, into).values():
            held = set().union(*values.values())
            persons |= held if len(values) < least or len(held) < k else set()
        return persons

    into = {number: data.draw(st.integers(0, 2)) for number in range(4)}
    assert suppressed(into) <= suppressed({number: number for number in range(4)})


@pytest.mark.long
@settings(max_examples=rounds(75, 150))
@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.data())
def test_while_nothing_is_suppressed_the_average_risk_never_rises(sizes: list[int], data: st.DataObject) -> None:
    into = [data.draw(st.integers(0, 2)) for _ in sizes]
    assert Fraction(len(set(into)), sum(sizes)) <= Fraction(len(sizes), sum(sizes))
