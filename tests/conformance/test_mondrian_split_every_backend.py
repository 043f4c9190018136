"""Records of every backend are split alike: the groups and the labels that plain scans give, missing values counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from ordermade.counting.counts import ground_sensitive
from ordermade.counting.dataset import Dataset, relation
from ordermade.errors import InputError
from ordermade.methods.mondrian.algorithm.domains import Nested, OrderedDomain, Unordered
from ordermade.methods.mondrian.algorithm.split_scoring import Widest
from ordermade.methods.mondrian.algorithm.splitting import partitioned
from ordermade.methods.mondrian.answer import decide
from ordermade.methods.mondrian.labels import released
from ordermade.methods.mondrian.open_request import PlannedColumn
from ordermade.methods.mondrian.records import MondrianRecords
from ordermade.privacy.models import DistinctL
from ordermade.release.plan import DECISIONS, Plan
from ordermade.release.rows import count_release
from ordermade.requests.resolve_mondrian import Kind
from ordermade.requests.row_filter import row_condition
from ordermade.sources.backend import Backend
from ordermade.sources.executor import Purpose
from tests.conformance.backends import Made, Row, Table, dataset, opened, the_table
from tests.conformance.persons import COLUMNS, PERSONS, RULES
from tests.microdata import grounded
from tests.plain_scans.mondrian import PlainMondrian, Sensitive

SPLIT: dict[str, Kind] = {"sex": "nested", "age": "ordered", "height": "ordered", "active": "unordered"}
PLACES = [list(COLUMNS).index(each) for each in (*SPLIT, "code")]
K = 3
KNOWN = "age is not null and height is not null and active is not null"
SEXES = ["female", "male", None]


def filtered(backend: Backend, condition: str) -> Dataset:
    table = the_table(backend)
    tree, _ = row_condition(condition, COLUMNS)
    return Dataset(table.name, backend, relation(table.reference, tree, table.columns), table.columns)


def planned(asked: Dataset, columns: Sequence[str]) -> tuple[Plan, tuple[PlannedColumn, ...]]:
    """The columns to be split, and a plan of classes with two codes each."""
    wanted = [
        PlannedColumn(
            each, COLUMNS[each], SPLIT[each], grounded(asked, 1, each, RULES[each]) if each == "sex" else None
        )
        for each in columns
    ]
    code = ground_sensitive(asked, len(columns) + 1, "code", (DistinctL(2),))
    return Plan(asked, (), (), (), "rows", sensitive=(code,), k=K, aggregated=tuple(columns)), tuple(wanted)


def by_hand() -> Counter[Row]:
    """The labels and the code of each row, equal values being dealt out in the order of all of a row's values."""
    known = [[row[place] for place in PLACES] for row in PERSONS.rows]
    known = [row for row in known if None not in row[1:4]]
    values = [SEXES, *(sorted({row[place] for row in known}) for place in range(1, 4))]
    codes = sorted({row[4] for row in known if row[4] is not None})
    rows = sorted(
        (*(values[place].index(row[place]) for place in range(4)), (codes.index(row[4]) if row[4] else len(codes)))
        for row in known
    )
    ages, heights = (
        OrderedDomain(np.array(values[place], float), float(values[place][-1] - values[place][0])) for place in (1, 2)
    )
    sexes = Nested(np.arange(3, dtype=np.int32)[None], (np.zeros(3),))
    sensitive = [Sensitive([row[4] for row in rows], [DistinctL(2)])]
    plain = PlainMondrian((sexes, ages, heights, Unordered(2)), rows, K, "width", strict=False, sensitive=sensitive)
    found: Counter[Row] = Counter()
    for group in plain.partition():
        held = [[values[place][rows[row][place]] for row in group.rows] for place in range(4)]
        sex = held[0][0] if group.levels[0] == 0 else "*"
        active = "*" if len(set(held[3])) > 1 else str(held[3][0]).lower()
        labels = (sex, *(interval(min(each), max(each)) for each in held[1:3]), active)
        found.update((*labels, [*codes, None][rows[row][4]]) for row in group.rows)
    return found


def interval(low: Any, high: Any) -> str:
    return str(low) if low == high else f"[{low}, {high}]"


@pytest.mark.slow
def test_the_same_groups_are_released_from_every_source(make: Callable[[Table], Made]) -> None:
    with opened(make(PERSONS.changed(rows=PERSONS.rows[::-1]))) as backend:
        plan, wanted = planned(filtered(backend, KNOWN), tuple(SPLIT))
        records = MondrianRecords.stored(plan, wanted, ordered=True)
        assert backend.executor.count([Purpose.RECORDS]) == 1
        partition = partitioned(records.domains, records.codes, Widest(), records.requirement, strict=False)
        decide(records, partition, released(records, partition))
        decided = backend.connection.execute(f"FROM {DECISIONS}").fetchall()
        settled = count_release(plan)
    assert Counter(row[:5] for row in decided for _ in range(row[-2])) == by_hand()
    assert settled.rows == sum(row[-2] for row in decided) == records.rows
    assert settled.classes.k >= K
    assert partition.groups > K


@pytest.mark.slow
@pytest.mark.parametrize(("column", "called"), [("height", "number"), ("active", "value")])
def test_missing_values_are_counted_in_every_source(make: Callable[[Table], Made], column: str, called: str) -> None:
    missing = sum(row[list(COLUMNS).index(column)] is None for row in PERSONS.rows)
    with opened(make(PERSONS)) as backend:
        plan, wanted = planned(dataset(backend), (column,))
        with pytest.raises(InputError, match=f"{missing} rows have no {called}: the column '{column}'"):
            MondrianRecords.stored(plan, wanted, ordered=False)
