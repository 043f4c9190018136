"""Histories ask every backend alike: the same purchases as arrays, the same slots, in one statement."""

from __future__ import annotations

import datetime as dt
import random
from collections import Counter
from collections.abc import Callable
from decimal import Decimal

import numpy as np
import pytest

from ordermade.counting.dataset import Dataset, relation
from ordermade.methods.histories.records import Purchases
from ordermade.requests.row_filter import row_condition
from ordermade.sources.executor import Purpose
from tests.conformance.backends import Made, Table, opened, the_table
from tests.histories_by_hand import Cells, Purchase, in_rank_order, of_the_paper, units_of
from tests.purchases import COLUMNS, HISTORY, by_rank, plan_of, resolved_of, shown

FIRST = dt.date(1970, 1, 1).toordinal()


def purchases() -> list[Purchase]:
    """Texts of several scripts, ties, a customer and items that sort otherwise where letters are folded."""
    draw = random.Random(3)
    return [
        (
            draw.choice(["a", "B", "Ä", "鈴木", "c;d"]),
            dt.date(2010, 12, 30) + dt.timedelta(days=draw.randrange(4)),
            draw.choice(["apple", "Apple", "梨", "zebra"]),
            Decimal(draw.choice(["0.95", "1.50", "12.00"])),
            draw.choice([-1, 1, 3]),
        )
        for _ in range(60)
    ]


@pytest.mark.slow
def test_the_same_purchases_come_from_every_source(make: Callable[[Table], Made]) -> None:
    rows = purchases()
    with_others = [*rows, *(("left out", *row[1:]) for row in rows[:5])]
    with opened(make(Table("bought", COLUMNS, with_others[::-1]))) as backend:
        table = the_table(backend)
        where, _ = row_condition("who <> 'left out'", COLUMNS)
        dataset = Dataset("d", backend, relation(table.reference, where, table.columns), table.columns)
        resolved = resolved_of({each.name: each.type for each in table.columns}, HISTORY | {"match": "rank"})
        found = Purchases.stored(plan_of(dataset, resolved), resolved)
        assert backend.executor.count([Purpose.RECORDS]) == 1
        histories = found.histories()
        by_rank(found, 2)
        slots = Counter[Cells]()
        for _, _, n, *cells in shown(found):
            slots[tuple(cells)] += n
    owned = in_rank_order(rows, "rank")
    items = sorted({row[2] for row in rows})
    expected = [row for each in owned for row in each]
    assert np.diff(histories.starts).tolist() == [len(each) for each in owned]
    assert histories.items.tolist() == [items.index(row[2]) for row in expected]
    assert histories.numbers.tolist() == [
        [units_of(row[1], 0) - FIRST, units_of(row[3], 2), units_of(row[4], 3)] for row in expected
    ]
    assert slots == of_the_paper(rows, 2, "rank")
