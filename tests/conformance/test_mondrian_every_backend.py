"""Mondrian asks every backend alike: the same records in the same order, the same labels of their groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from ordermade.counting.dataset import Dataset, relation
from ordermade.methods.mondrian.algorithm.partition import Partition
from ordermade.methods.mondrian.answer import decide
from ordermade.methods.mondrian.labels import released
from ordermade.methods.mondrian.open_request import PlannedColumn
from ordermade.methods.mondrian.records import MondrianRecords
from ordermade.release.plan import DECISIONS, Plan
from ordermade.release.rows import count_release
from ordermade.requests.row_filter import row_condition
from ordermade.sources.executor import Purpose
from tests.conformance.backends import Made, Row, Table, opened, the_table
from tests.conformance.persons import COLUMNS, PERSONS, RULES
from tests.microdata import grounded

SEX, AGE, JOINED, CODE, HEIGHT, ACTIVE = (
    list(COLUMNS).index(each) for each in ("sex", "age", "joined", "code", "height", "active")
)
KNOWN = "age is not null and height is not null and joined is not null"


def in_their_order(row: Row) -> tuple[Any, ...]:
    """By the quasi-identifiers, then by the kept column: NULL is the last of each."""
    sex, code, active = row[SEX], row[CODE], row[ACTIVE]
    numbers = (row[AGE], row[JOINED], row[HEIGHT])
    return (sex is None, sex or "", *numbers, code is None, code or "", active is None, active)


def label(values: Sequence[Any]) -> str:
    low, high = min(values), max(values)
    return str(low) if low == high else f"[{low}, {high}]"


def by_hand(known: Sequence[Row]) -> Counter[tuple[Any, ...]]:
    """Groups of four as they stand: sets of sexes, intervals, the class of all codes."""
    found: Counter[tuple[Any, ...]] = Counter()
    for start in range(0, len(known), 4):
        part = known[start : start + 4]
        sexes = sorted({row[SEX] for row in part}, key=lambda sex: (sex is None, sex))
        sex = sexes[0] if len(sexes) == 1 else f"{{{', '.join(each or '' for each in sexes)}}}"
        codes = {row[CODE] for row in part}
        code = codes.pop() if len(codes) == 1 else "*"
        intervals = [label([row[place] for row in part]) for place in (AGE, JOINED, HEIGHT)]
        found.update((sex, *intervals, code, row[ACTIVE]) for row in part)
    return found


@pytest.mark.slow
def test_the_same_labels_are_released_from_every_source(make: Callable[[Table], Made]) -> None:
    with opened(make(PERSONS.changed(rows=PERSONS.rows[::-1]))) as backend:
        table = the_table(backend)
        query = relation(table.reference, row_condition(KNOWN, COLUMNS)[0], table.columns)
        asked = Dataset(table.name, backend, query, table.columns)
        columns = (
            PlannedColumn("sex", "VARCHAR", "tree", grounded(asked, 1, "sex", RULES["sex"])),
            *(PlannedColumn(each, COLUMNS[each], "ordered") for each in ("age", "joined", "height")),
            PlannedColumn("code", "VARCHAR", "nested", grounded(asked, 5, "code", RULES["code"])),
        )
        names = tuple(each.column for each in columns)
        plan = Plan(asked, (), (), ("active",), "rows", k=2, aggregated=names)
        records = MondrianRecords.stored(plan, columns, ordered=True)
        assert backend.executor.count([Purpose.RECORDS]) == 1
        known = sorted(
            (row for row in PERSONS.rows if None not in (row[AGE], row[JOINED], row[HEIGHT])), key=in_their_order
        )
        starts = np.array([*range(0, len(known), 4), len(known)])
        levels = np.full((starts.size - 1, 5), -1, dtype=np.int8)
        alike = [len(set(records.codes[one:other, 4])) == 1 for one, other in pairwise(starts)]
        levels[:, 4] = np.where(alike, 0, 3)
        partition = Partition(np.arange(len(known), dtype=np.int32), starts, levels, 0, 0)
        decide(records, partition, released(records, partition))
        decided = backend.connection.execute(f"FROM {DECISIONS}").fetchall()
        settled = count_release(plan)
    assert Counter(row[:6] for row in decided for _ in range(row[-2])) == by_hand(known)
    assert settled.rows == sum(row[-2] for row in decided) == records.rows == len(known)
