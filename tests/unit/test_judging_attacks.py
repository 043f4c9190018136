"""Attacks on small releases: whom they find where nothing is generalised, and how many where k customers are alike."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest

from ordermade.evaluation.attacks import Attacked, attacked
from ordermade.evaluation.tables import Pair
from ordermade.progress.waiting import Silent
from ordermade.sources.executor import Executor, Purpose

pytestmark = pytest.mark.slow

CUSTOMERS = 12
SHOPPING = [
    (customer, 100 + 10 * customer + place, 50 * customer + 7 * place, 20 * customer + place)
    for customer in range(CUSTOMERS)
    for place in range(3 + customer)
]
"""Customer, day, price, item: each customer buys more often than the one before, later, dearer and other things."""

RIGHT = """
SELECT COUNT(*) FROM attack_named AS named
JOIN truth ON named.customer = truth.customer
JOIN released_histories AS theirs ON truth.pseudonym = theirs.pseudonym
JOIN released_histories AS said ON named.pseudonym = said.pseudonym
WHERE theirs.history = said.history
"""
"""Of the customers who were named last: those whose history was found."""


@pytest.fixture
def executor() -> Executor:
    return Executor(duckdb.connect(config={"threads": 2}), "workspace")


def pair(executor: Executor, k: int) -> Pair:
    """The shopping, and its release: each k customers are alike as far as they bought; pseudonyms are in no order."""
    numbers = [(5 * each + 3) % CUSTOMERS for each in range(CUSTOMERS)]
    records, sets, released, places = [], [], [], dict.fromkeys(range(CUSTOMERS), 0)
    for record, (customer, day, price, item) in enumerate(SHOPPING):
        records.append((record, customer, day, price, item, item))
        first, place = customer - customer % k, places[customer]
        places[customer] += 1
        if place < 3 + first:
            alike = [
                (100 + 10 * each + place, 50 * each + 7 * place, 20 * each + place) for each in range(first, first + k)
            ]
            days, prices, items = zip(*alike, strict=True)
            bounds = (min(days), max(days), min(prices), max(prices))
            released.append((len(released) + 1, numbers[customer], *map(float, bounds), 100 * first + place))
            sets += [(100 * first + place, each, k, k) for each in items] if customer == first else []
    keep(executor, "original_records", "record customer u1 u2 item element", records)
    keep(executor, "released_records", "line pseudonym low_1 high_1 low_2 high_2 item_set", released)
    keep(executor, "released_sets", "item_set element size goods", sets)
    histories = [(numbers[each], each // k, 3 + each - each % k) for each in range(CUSTOMERS)]
    keep(executor, "released_histories", "pseudonym history rows", histories)
    keep(executor, "truth", "pseudonym customer", [(numbers[each], each) for each in range(CUSTOMERS)])
    return Pair(executor, ("price",), CUSTOMERS, CUSTOMERS, k)


def keep(executor: Executor, table: str, names: str, rows: list[tuple[float, ...]]) -> None:
    columns = dict(zip(names.split(), zip(*rows, strict=True), strict=True))
    executor.take(Purpose.MEASURE, table, pa.table({name: list(values) for name, values in columns.items()}))


def by_name(pair: Pair, *, attempts: int | None = None, seed: int = 0) -> dict[str, Attacked]:
    return {each.name: each for each in attacked(pair, attempts=attempts, seed=seed, progress=Silent())}


def test_where_nothing_is_generalised_every_attack_finds_everybody(executor: Executor) -> None:
    found = by_name(pair(executor, 1))
    assert list(found) == ["number of purchases", "items", "dates", "price", "all together"]
    assert {(each.attempts, each.hits, each.unsafe) for each in found.values()} == {(CUSTOMERS, CUSTOMERS, True)}
    assert all(each.within for each in found.values())  # 1/1 predicts no fewer


@pytest.mark.parametrize("seed", [0, 1])
def test_every_history_is_found_where_three_share_it_and_one_of_them_is_guessed(executor: Executor, seed: int) -> None:
    found = by_name(pair(executor, 3), seed=seed)
    assert executor.rows(Purpose.MEASURE, RIGHT) == [(CUSTOMERS,)]
    assert all(each.within and each.attempts == CUSTOMERS for each in found.values())
    assert 0 < found["all together"].hits < CUSTOMERS


def test_so_many_are_attacked_as_are_asked_for_and_the_seed_says_who(executor: Executor) -> None:
    of_three = pair(executor, 3)
    first, again = by_name(of_three, attempts=5, seed=7), by_name(of_three, attempts=5, seed=7)
    assert first == again
    assert {each.attempts for each in first.values()} == {5}
    assert first["items"].expected == pytest.approx(5 / 3)
    assert first["items"].most == pytest.approx(5 / 3 + 3 * (5 * (1 / 3) * (2 / 3)) ** 0.5)
    assert first["items"].unsafe_from is None  # no number of hits among so few is
    assert by_name(of_three, attempts=10**20)["items"].attempts == CUSTOMERS  # more than the database counts
