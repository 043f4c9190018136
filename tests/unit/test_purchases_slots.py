"""What purchases in one slot have in common, and what is lost: by SQL as by the arrays, and by hand."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from ordermade.methods.histories.algorithm.clustering import clusters_by_rank
from ordermade.methods.histories.algorithm.loss_estimate import utility
from ordermade.methods.histories.slots import cluster_as, fill_slots, losses, place_as
from tests.made import Row, write_hierarchy
from tests.plain_scans.placed_by_rank import slots_by_rank
from tests.purchases import by_rank, shown, stored


@pytest.mark.slow
def test_utility_is_that_of_the_arrays_whoever_places(tmp_path: Path) -> None:
    """Duplicates, ties, a customer with half of the rows, numbers below 0."""
    draw = random.Random(4)
    customers = [f"c{draw.randrange(9)}" for _ in range(90)] + ["most"] * 90
    rows: list[Row] = [
        (
            who,
            f"2011-{draw.randrange(1, 4):02}-01",
            draw.choice("abcd"),
            f"{draw.randrange(-9, 99)}.5",
            draw.randrange(3),
        )
        for who in customers
    ]
    with stored(tmp_path, rows + rows[:20]) as found:
        histories = found.histories()
        for k, delete_costly in ((2, False), (3, True)):
            clusters = clusters_by_rank(histories.customers, k)
            slots = slots_by_rank(histories, clusters)
            by_arrays = utility(histories, clusters, slots, delete_costly=delete_costly)
            by_sql = by_rank(found, k, delete_costly=delete_costly)
            assert by_sql.utility == pytest.approx(by_arrays.utility, abs=1e-12)
            assert [each.utility for each in by_sql.columns] == pytest.approx(by_arrays.by_column, abs=1e-12)
            assert by_sql.deleted_share == by_arrays.deleted_share
            ranked = shown(found)
            cluster_as(found, clusters)
            place_as(found, slots)
            fill_slots(found, delete_costly=delete_costly)
            assert losses(found) == by_sql
            assert shown(found) == ranked
        backwards = np.where(slots >= 0, slots.max() - slots, slots).astype(np.int32)  # other numbers, the same slots
        place_as(found, backwards)
        fill_slots(found, delete_costly=True)
        assert losses(found) == by_sql


@pytest.mark.slow
def test_a_value_is_released_as_it_is_an_interval_or_a_set_and_costly_numbers_are_deleted(tmp_path: Path) -> None:
    odd = ["x;y", "{p}", 'say "hi"', "*", ""]
    rows: list[Row] = [
        (who, "2011-01-01", item, f"{9 - place}.00", 1) for who in "ab" for place, item in enumerate(odd)
    ]
    rows += [("a", "2011-01-01", "*", "3.50", 1), ("b", "2011-01-31", "zed", "3.00", 900)]
    with stored(tmp_path, rows) as found:
        lost = by_rank(found, 2, delete_costly=True)
        *alike, last = shown(found)
    assert [row[4] for row in alike] == ['"x;y"', '"{p}"', '"say ""hi"""', '"*"', '""']
    assert {(row[3], row[6]) for row in alike} == {("2011-01-01", "1")}
    assert last == (0, 5, 2, "*", '{"*", zed}', "[3.00, 3.50]", "*")
    assert [(each.kept, each.deleted) for each in lost.columns] == [(10, 2), (10, 0), (10, 0), (10, 2)]


@pytest.mark.slow
def test_categories_are_scored_against_the_goods_and_as_the_paper_does(tmp_path: Path) -> None:
    """The slots: {fruit} for apple and pear, {fruit, tool} for pear and saw. Fruit are 3 goods, tools 1."""
    file = write_hierarchy(
        tmp_path / "categories.csv",
        ["item", "category"],
        [("apple", "fruit"), ("pear", "fruit"), ("plum", "fruit"), ("saw", "tool")],
    )
    rows: list[Row] = [
        ("a", "2011-01-01", "apple", "3.00", 1),
        ("a", "2011-01-01", "pear", "2.00", 1),
        ("b", "2011-01-01", "pear", "3.00", 1),
        ("b", "2011-01-01", "saw", "2.00", 1),
        ("c", "2011-01-01", "plum", "1.00", 1),
    ]
    with stored(tmp_path, rows, items={"taxonomy": str(file)}) as found:
        lost = by_rank(found, 2)
        assert [row[3:5] for row in shown(found)] == [("2011-01-01", "fruit"), ("2011-01-01", "{fruit, tool}")]
        connection = found.plan.dataset.backend.connection
        goods = connection.sql("SELECT key FROM purchases JOIN history_goods USING (good) ORDER BY purchases.rowid")
        assert [good for (good,) in goods.fetchall()] == ["apple", "pear", "pear", "saw", "plum"]
    items = lost.columns[1]
    assert items.utility == pytest.approx((2 * (2 / 3) + 2 * (3 / 4) + 1) / 5)
    assert (items.kept, lost.deleted_rows) == (0, 1)
    assert lost.utility == pytest.approx((items.utility + 3 / 5) / 4)
    assert lost.utility_as_categories == pytest.approx(((0 + 2 * (1 / 2) + 1) / 5 + 3 / 5) / 4)
