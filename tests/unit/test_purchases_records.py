"""Purchases out of the source: exact units of every type of number, customers and records in their order, refusals."""

from __future__ import annotations

import datetime as dt
import random
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ordermade.errors import InputError
from tests.made import Row
from tests.purchases import COLUMNS, by_rank, kept_in_units, shown, stored

DAY = "2011-02-%02d"
FIRST = (dt.date(2011, 2, 1) - dt.date(1970, 1, 1)).days


def bought(who: str, day: int, item: str, price: str = "1.00", quantity: int = 1) -> Row:
    return who, DAY % day, item, price, quantity


@pytest.mark.slow
def test_customers_are_in_rank_order_and_the_records_of_each_in_that_of_their_match(tmp_path: Path) -> None:
    rows = [
        *(bought("few", 1, "a"),),
        *(bought("late", day, "a") for day in (9, 8)),
        *(bought("b", 5, item) for item in "ba"),
        *(bought("B", 5, item) for item in "ab"),
        *(bought("most", *each) for each in ((3, "z", "2.00", 1), (4, "a", "2.00", 5), (2, "z", "9.99", 1))),
    ]
    with stored(tmp_path, rows) as found:
        customers = found.plan.dataset.backend.connection.sql("SELECT key FROM history_customers ORDER BY number")
        assert [key for (key,) in customers.fetchall()] == ["most", "B", "b", "late", "few"]
        of_most = [
            (day - FIRST + 1, price, quantity) for who, day, price, quantity, _ in kept_in_units(found) if not who
        ]
        assert of_most == [(2, 999, 1), (4, 200, 5), (3, 200, 1)]
        assert (found.rows, found.customers, found.most, found.negatives) == (10, 5, 3, (0, 0, 0))
        histories = found.histories()
        assert histories.starts.tolist() == [0, 3, 5, 7, 9, 10]
        assert histories.items.tolist()[:5] == [2, 0, 2, 0, 1]
        assert np.allclose(histories.sds, histories.numbers.std(axis=0), rtol=1e-14)
    with stored(tmp_path, rows, match="date", sort=["quantity"]) as found:
        assert [day - FIRST + 1 for who, day, *_ in kept_in_units(found) if not who] == [2, 3, 4]


@pytest.mark.slow
def test_rows_in_any_order_give_the_same_tables(tmp_path: Path) -> None:
    draw = random.Random(8)
    rows = [
        bought(f"c{draw.randrange(7)}", draw.randrange(1, 9), draw.choice("abc"), f"{draw.randrange(4)}.50", 1)
        for _ in range(120)
    ]
    for match in ("rank", "date"):
        answers = []
        for _ in range(2):
            draw.shuffle(rows)
            with stored(tmp_path, rows, match=match) as found:
                lost = by_rank(found, 3, delete_costly=True)
                answers.append((kept_in_units(found), shown(found), lost))
        assert answers[0] == answers[1]


NUMBERS: dict[str, tuple[str, Any, Any, float | None, str, str]] = {
    "cents": ("DOUBLE", 4.95, 0.07, None, "0.01", "[0.07, 4.95]"),
    "short": ("FLOAT", 1.69, 4.95, None, "0.01", "[1.69, 4.95]"),
    "whole": ("DOUBLE", 3.0, -2.0, None, "1", "[-2, 3]"),
    "fine": ("DOUBLE", 1e-6, 123456789.0, None, "0.000001", "[0.000001, 123456789.000000]"),
    "exact": ("DECIMAL(18,4)", "12345678901234.5678", "1.5000", None, "0.0001", "[1.5000, 12345678901234.5678]"),
    "large": ("BIGINT", 9_007_199_254_740_993, 9_007_199_254_740_993, None, "1", "9007199254740993"),
    "small": ("UTINYINT", 255, 0, None, "1", "[0, 255]"),
    "quarters": ("DECIMAL(9,2)", "0.50", "1.75", 0.25, "0.25", "[0.50, 1.75]"),
    "computed": ("DOUBLE", 0.1 + 0.2, 1.1 * 3, None, "0.1", "[0.3, 3.3]"),
    "cents of it": ("DOUBLE", 0.1 + 0.2, 4.95 * 3, 0.01, "0.01", "[0.30, 14.85]"),
    "steps": ("DOUBLE", 0.5, 1.75, 0.25, "0.25", "[0.50, 1.75]"),
    "finer": ("DECIMAL(9,2)", "0.50", "1.75", 0.001, "0.001", "[0.500, 1.750]"),
    "hundreds": ("DOUBLE", 300.0, 1200.0, 100, "100", "[300, 1200]"),
}
"""Columns: their type, two values, the unit that is asked, the unit that they have, what is released for both."""


@pytest.mark.slow
def test_a_number_is_a_whole_number_of_units_and_comes_back_as_it_was(tmp_path: Path) -> None:
    columns = {**COLUMNS, **{name: held[0] for name, held in NUMBERS.items()}}
    rows: list[Row] = [
        (*bought(f"c{place}", 1, "a"), *(held[1 + place] for held in NUMBERS.values())) for place in range(2)
    ]
    asked = {name: {} if held[3] is None else {"unit": held[3]} for name, held in NUMBERS.items()}
    with stored(tmp_path, rows, columns, numbers=asked) as found:
        by_rank(found, 2)
        assert [each.unit for each in found.measures[1:]] == [Decimal(held[4]) for held in NUMBERS.values()]
        assert list(shown(found)[0][5:]) == [held[5] for held in NUMBERS.values()]


@pytest.mark.parametrize(
    ("column_type", "value", "unit", "told"),
    [
        ("DOUBLE", 1 / 3, None, "1 row of the column 'price' is no whole number of units of 0.000001"),
        ("DOUBLE", 4.955, 0.01, "1 row of the column 'price' is no whole number of units of 0.01"),
        ("DOUBLE", 0.06, 0.05, "1 row of the column 'price' is no whole number of units of 0.05"),
        ("DECIMAL(9,2)", "0.06", 0.05, "1 row of the column 'price' is no whole number of units of 0.05"),
        ("BIGINT", 2**62, None, "the column 'price' has numbers too large"),
        ("DOUBLE", "-Infinity", None, "the column 'price' is NaN or an infinity there"),
    ],
)
def test_what_cannot_be_counted_is_refused_by_counts_alone(
    tmp_path: Path, column_type: str, value: Any, unit: float | None, told: str
) -> None:
    columns = {**COLUMNS, "price": column_type}
    rows: list[Row] = [(f"c{place % 2}", DAY % 1, "a", each, 1) for place, each in enumerate([1, value, 2, 1])]
    asked = ["price"] if unit is None else {"price": {"unit": unit}}
    with pytest.raises(InputError) as caught, stored(tmp_path, rows, columns, numbers=asked):
        pass
    assert told in str(caught.value)
    assert str(value) not in str(caught.value)


@pytest.mark.parametrize("place", [0, 2])
def test_a_purchase_lacks_neither_customer_nor_item(tmp_path: Path, place: int) -> None:
    rows = [bought("a", 1, "x"), bought("b", 1, "x")]
    rows.append(tuple(None if at == place else cell for at, cell in enumerate(bought("a", 2, "y"))))
    name = list(COLUMNS)[place]
    with pytest.raises(InputError) as caught, stored(tmp_path, rows):
        pass
    assert f"1 row has no value: the column '{name}' is NULL there" in str(caught.value)
    assert f'"{name}" is not null' in str(caught.value.next_step)


@pytest.mark.parametrize("day", ["0001-12-31 (BC)", "10000-01-01", "5881580-07-10"])
def test_a_day_in_no_calendar_is_refused(tmp_path: Path, day: str) -> None:
    rows = [bought("a", 1, "x"), *(("b", each, "x", "1.00", 1) for each in (day, "0001-01-01", "9999-12-31"))]
    with pytest.raises(InputError) as caught, stored(tmp_path, rows):
        pass
    assert "1 row has no date: the column 'day' is before the year 1 or after the year 9999" in str(caught.value)
    assert "between date ''0001-01-01'' and date ''9999-12-31''" in str(caught.value.next_step)


@pytest.mark.slow
def test_a_time_stamp_is_its_day_and_negative_numbers_are_numbers(tmp_path: Path) -> None:
    columns = {**COLUMNS, "day": "TIMESTAMP_NS", "who": "INTEGER", "item": "BIGINT"}
    rows: list[Row] = [
        (10, "1969-12-31 23:59:59.999999", 10, "-1.50", -2),
        (9, "1970-01-01 00:00:00", 9, "1.50", 3),
    ]
    with stored(tmp_path, rows, columns) as found:
        by_rank(found, 2)
        assert found.negatives[1:] == (1, 1)
        assert shown(found) == [(0, 0, 2, "[1969-12-31, 1970-01-01]", "{9, 10}", "[-1.50, 1.50]", "[-2, 3]")]


def test_no_purchases_are_none(tmp_path: Path) -> None:
    with stored(tmp_path, []) as found:
        assert (found.rows, found.customers, found.most, found.sds) == (0, 0, 0, (0.0, 0.0, 0.0))
        assert found.histories().starts.tolist() == [0]
