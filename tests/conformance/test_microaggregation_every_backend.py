"""Microaggregation asks every backend alike: the same records in the same order, the same release of their groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from statistics import mean
from typing import Any

import pytest

from ordermade.counting.dataset import Dataset, relation
from ordermade.errors import InputError
from ordermade.methods.microaggregation.groups import decide, released
from ordermade.methods.microaggregation.open_request import Aggregated
from ordermade.methods.microaggregation.records import PulledRecords
from ordermade.release.plan import DECISIONS
from ordermade.release.rows import count_release
from ordermade.requests.row_filter import row_condition
from ordermade.sources.backend import Backend
from ordermade.sources.executor import Purpose
from tests.conformance.backends import Made, Row, Table, dataset, opened, the_table
from tests.conformance.persons import COLUMNS, PERSONS, RULES
from tests.microdata import grounded, in_order, plan_of, to_14_digits

SEX, AGE, CODE, HEIGHT, ACTIVE = (list(COLUMNS).index(each) for each in ("sex", "age", "code", "height", "active"))
KNOWN = "age is not null and height is not null"


def filtered(backend: Backend, condition: str) -> Dataset:
    table = the_table(backend)
    tree, _ = row_condition(condition, COLUMNS)
    return Dataset(table.name, backend, relation(table.reference, tree, table.columns), table.columns)


def in_their_order(row: Row) -> tuple[Any, ...]:
    """Class by class, then by age, height, code and the kept column: NULL is the last of each."""
    sex, code, active = row[SEX], row[CODE], row[ACTIVE]
    return (sex is None, sex or "", row[AGE], row[HEIGHT], code is None, code or "", active is None, active)


def by_hand() -> Counter[tuple[Any, ...]]:
    """Of each sex groups of two in their order, the last of three where one is left."""
    known = sorted((row for row in PERSONS.rows if None not in (row[AGE], row[HEIGHT])), key=in_their_order)
    found: Counter[tuple[Any, ...]] = Counter()
    for sex in ("female", "male", None):
        held = [row for row in known if row[SEX] == sex]
        parts = [held[first : first + 2] for first in range(0, len(held) // 2 * 2, 2)]
        parts[-1] += held[len(held) // 2 * 2 :]
        for part in parts:
            codes = [row[CODE] for row in part]
            code = min(codes, key=lambda each: (-codes.count(each), each is None, each or ""))
            numbers = [to_14_digits(float(mean(row[place] for row in part))) for place in (AGE, HEIGHT)]
            shared = (sex, *numbers, code)
            found.update((*shared, row[ACTIVE]) for row in part)
    return found


@pytest.mark.slow
def test_the_same_groups_are_released_from_every_source(make: Callable[[Table], Made]) -> None:
    with opened(make(PERSONS.changed(rows=PERSONS.rows[::-1]))) as backend:
        asked = filtered(backend, KNOWN)
        columns = (
            Aggregated("age", "BIGINT"),
            Aggregated("height", "DOUBLE"),
            Aggregated("code", "VARCHAR", grounded=grounded(asked, 2, "code", RULES["code"])),
        )
        plan = plan_of(asked, columns, [(grounded(asked, 1, "sex", RULES["sex"]), 0)], ["active"])
        records = PulledRecords.stored(plan, columns)
        assert backend.executor.count([Purpose.RECORDS]) == 1
        groups = in_order(records.sizes)
        decide(records, groups, released(records, groups))
        decided = backend.connection.execute(f"FROM {DECISIONS}").fetchall()
        settled = count_release(plan)
    assert Counter(tuple(map(to_14_digits, row[:5])) for row in decided for _ in range(row[-2])) == by_hand()
    assert settled.rows == sum(row[-2] for row in decided) == records.rows
    assert settled.classes.k >= 2


def test_missing_numbers_are_counted_in_every_source(make: Callable[[Table], Made]) -> None:
    missing = sum(row[HEIGHT] is None for row in PERSONS.rows)
    with opened(make(PERSONS)) as backend:
        asked = dataset(backend)
        columns = (Aggregated("height", "DOUBLE"),)
        with pytest.raises(InputError, match=f"{missing} row"):
            PulledRecords.stored(plan_of(asked, columns), columns)
