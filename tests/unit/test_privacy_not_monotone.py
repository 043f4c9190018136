"""A counterexample for everything that is not declared monotone: a node that passes, and a coarser one that fails.

Each is small enough to check by eye; the templates and `Requirement` decide it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

import duckdb
import pytest

from ordermade.lattice.observation import Observation, PersonSizes, Requirement
from ordermade.privacy.models import AlphaK, DistinctL, EntropyL, Model, RecursiveCL, TCloseness
from ordermade.privacy.requirement import Risk, requirement_of
from tests.privacy_by_hand import Classes, asked_of, merged, nested, whole_of

TREE = {"a": ("a", "ab"), "b": ("b", "ab")}


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


def observed(connection: duckdb.DuckDBPyConnection, node: Classes, model: Model) -> Observation:
    """A node as it is measured: the sizes of all classes, and of those that fail."""
    failing = asked_of(connection, node, TREE).failing(model)
    observation = Observation.from_histogram(Counter(part.total() for part in node.values()).items())
    sizes = Counter(node[number].total() for number in failing)
    return Observation(
        rows=observation.rows,
        divisions=observation.divisions,
        k=observation.k,
        sum_of_squares=observation.sum_of_squares,
        sizes=observation.sizes,
        failing=tuple(sorted(sizes.items())),
    )


# Class 1 has a and b alike and passes; class 2 has a alone and fails: its 2 rows of 12 are suppressed, and 2 may be.
# Class 3 keeps the whole table near half and half. Coarser, 1 and 2 are one class: a twice as often as b, which fails,
# and 6 rows would be suppressed.
FINER = {1: Counter("aabb"), 2: Counter("aa"), 3: Counter("aaabbb")}
INTO = {1: 1, 2: 1, 3: 3}


@pytest.mark.parametrize(
    "model",
    [
        EntropyL(Fraction(2)),  # 1: ln 2. Merged: 4 and 2, 0.64 < ln 2.
        RecursiveCL(Fraction("1.5"), 2),  # 1: 2 < 1.5 x 2. Merged: 4 < 1.5 x 2 does not hold.
        AlphaK(Fraction("0.5")),  # 1: 2/4. Merged: 4/6.
    ],
    ids=lambda model: model.written,
)
def test_under_a_limit_a_failing_class_drags_a_passing_one_down(
    connection: duckdb.DuckDBPyConnection, model: Model
) -> None:
    requirement = requirement_of(2, limit=Fraction(2, 12), units=12, models=[model])
    assert not requirement.monotone
    assert passes(requirement, observed(connection, FINER, model)) == (True, 2)
    assert passes(requirement, observed(connection, merged(FINER, INTO), model)) == (False, 6)


# The whole: 5 a and 5 b. Class 1 is like it; 2 and 3 are .5 away and suppressed, 4 rows of 10, and 4 may be. Coarser, 1
# and 2 are one class of 4 a and 2 b, 1/6 away from the whole: with class 3, 8 rows would be suppressed.
APART = {1: Counter("aabb"), 2: Counter("aa"), 3: Counter("bb"), 4: Counter("ab")}


@pytest.mark.parametrize(
    "model",
    [
        TCloseness(Fraction("0.1")),
        TCloseness(Fraction("0.1"), "ordered"),
        TCloseness(
            Fraction("0.08"), "hierarchical", nested(TREE)
        ),  # Two levels, on one of which nothing differs: 1/12.
    ],
    ids=lambda model: model.written,
)
def test_under_a_limit_merging_a_far_class_takes_a_near_one_away(
    connection: duckdb.DuckDBPyConnection, model: Model
) -> None:
    assert whole_of(APART) == Counter(a=5, b=5)
    requirement = requirement_of(2, limit=Fraction(4, 10), units=10, models=[model])
    assert not requirement.monotone
    assert passes(requirement, observed(connection, APART, model)) == (True, 4)
    coarser = merged(APART, {1: 1, 2: 1, 3: 3, 4: 4})
    assert passes(requirement, observed(connection, coarser, model)) == (False, 8)


def test_the_same_tables_are_no_counterexample_for_distinct_l(connection: duckdb.DuckDBPyConnection) -> None:
    requirement = requirement_of(2, limit=Fraction(2, 12), units=12, models=[DistinctL(2)])
    assert requirement.monotone
    assert passes(requirement, observed(connection, FINER, DistinctL(2))) == (True, 2)
    assert passes(requirement, observed(connection, merged(FINER, INTO), DistinctL(2))) == (True, 0)


def test_under_a_limit_the_average_risk_rises_with_what_is_no_longer_suppressed() -> None:
    """Of 12 rows, 10 in one class are released: 1 class / 10 rows. Coarser, the 2 others are a class too: 2 / 12."""
    requirement = requirement_of(2, limit=Fraction(2, 12), units=12, risk=Risk(average=Fraction("0.1")))
    assert not requirement.monotone
    assert passes(requirement, Observation.from_histogram([(1, 2), (10, 1)])) == (True, 2)
    assert passes(requirement, Observation.from_histogram([(2, 1), (10, 1)])) == (False, 0)


def passes(requirement: Requirement, observation: Observation) -> tuple[bool, int]:
    """Whether the node passes, and what is suppressed."""
    return requirement.passes(observation), requirement.suppressed(observation)


# ---- persons, nothing suppressed -------------------------------------------------------------------------------------

# The rows of each person: (class, value). Every class has one person with a and one with b. Coarser, 1 and 2 are one
# class, as are 3 and 4: person 1 is in both 1 and 2, so that the first has a of one person and b of two; person 6 is in
# both 3 and 4, so that the second has a of two and b of one. Whole: a of 1, 4, 5, and b of 2, 3, 6.
ROWS = {
    1: [(1, "a"), (2, "a")],
    2: [(1, "b")],
    3: [(2, "b")],
    4: [(3, "a")],
    5: [(4, "a")],
    6: [(3, "b"), (4, "b")],
}
COARSER = {1: 1, 2: 1, 3: 3, 4: 3}


@pytest.mark.parametrize(
    "model",
    [
        EntropyL(Fraction(2)),  # Finer: ln 2. Coarser: 1 and 2, 0.64 < ln 2.
        RecursiveCL(Fraction("1.5"), 2),  # Finer: 1 < 1.5 x 1. Coarser: 2 < 1.5 x 1 does not hold.
        AlphaK(Fraction("0.5")),  # Finer: 1 of 2 persons. Coarser: 2 of 3.
        TCloseness(Fraction("0.1")),  # Finer: as the whole. Coarser: 1/6 away.
        TCloseness(Fraction("0.1"), "ordered"),
        TCloseness(Fraction("0.08"), "hierarchical", nested(TREE)),  # 1/12.
    ],
    ids=lambda model: model.written,
)
def test_persons_of_merged_classes_do_not_add_up(connection: duckdb.DuckDBPyConnection, model: Model) -> None:
    requirement = requirement_of(2, units=6, models=[model], persons=True)
    assert not requirement.monotone
    assert requirement.passes(persons_observed(connection, {number: number for number in COARSER}, model))
    assert not requirement.passes(persons_observed(connection, COARSER, model))


def test_the_same_persons_are_no_counterexample_for_distinct_l(connection: duckdb.DuckDBPyConnection) -> None:
    requirement = requirement_of(2, units=6, models=[DistinctL(2)], persons=True)
    assert requirement.monotone
    assert requirement.passes(persons_observed(connection, {number: number for number in COARSER}, DistinctL(2)))
    assert requirement.passes(persons_observed(connection, COARSER, DistinctL(2)))


def persons_observed(connection: duckdb.DuckDBPyConnection, into: Mapping[int, int], model: Model) -> Observation:
    """The node that `into` makes of the classes of ROWS, persons being counted."""
    entries = {(into[number], value, person) for person, rows in ROWS.items() for number, value in rows}
    classes: dict[int, Counter[int | str | None]] = {number: Counter() for number in into.values()}
    for number, value, _ in entries:
        classes[number][value] += 1
    held = {number: {person for each, _, person in entries if each == number} for number in classes}
    sizes = {number: len(persons) for number, persons in held.items()}
    whole = Counter(value for value, _ in {(value, person) for _, value, person in entries})
    failing = asked_of(connection, classes, TREE, whole, sizes).failing(model)
    observation = Observation.from_histogram(Counter(sizes.values()).items(), units=len(ROWS))
    least = Counter(min(sizes[number] for number in classes if person in held[number]) for person in ROWS)
    return Observation(
        rows=observation.rows,
        divisions=observation.divisions,
        k=observation.k,
        sum_of_squares=observation.sum_of_squares,
        sizes=observation.sizes,
        failing=tuple(sorted(Counter(sizes[number] for number in failing).items())),
        persons=PersonSizes(tuple(sorted(least.items()))),
    )
