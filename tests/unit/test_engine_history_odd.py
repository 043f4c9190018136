"""What requests for histories do with odd purchases: each either released as it must be, or one error that counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.errors import InputError, OrdermadeError, Refused, RequestError
from tests.histories_by_hand import set_of
from tests.long import sampled
from tests.made import new_engine, registered, write_hierarchy

pytestmark = pytest.mark.slow

HISTORY = {"customer": "who", "when": "day", "item": "item", "numbers": ["price", "n"]}
SHOP = (
    "SELECT 'c' || i % 4 AS who, DATE '2011-01-01' + i AS day, 'g' || i % 3 AS item, 1.50 AS price, i AS n, i "
    "FROM rows WHERE i < {}"
)
ODD = [";", ",", "a}", '"', "{a;b}", "[1, 2]", " a", "", "*", "NULL", "a\nb", "語"]


def shop(rows: int = 20, **instead: str) -> str:
    """Purchases of 4 customers; `instead` of a column another expression of the row number i."""
    replaced = ", ".join(f"{expression} AS {column}" for column, expression in instead.items())
    return f"SELECT * {f'REPLACE ({replaced})' if replaced else ''} FROM ({SHOP.format(rows)})"


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """An engine on a database of numbers: every test asks of a query."""
    folder = tmp_path_factory.mktemp("odd")
    with duckdb.connect(str(folder / "s.duckdb")) as connection:
        connection.execute("CREATE TABLE rows AS SELECT CAST(i AS INTEGER) AS i FROM RANGE(48) AS t(i)")
    made = new_engine(folder)
    made.sources.add("s", str(folder / "s.duckdb"), allow_inline=True)
    return made


def asked(engine: Engine, to: Path, query: str, history: Mapping[str, Any] | None = None, k: int = 2) -> dict[str, Any]:
    """A request for the purchases of a query, put together as in the paper unless `history` says otherwise."""
    return {
        "dataset": registered(engine, "s", query),
        "method": "history",
        "k": k,
        "history": {**HISTORY, "match": "rank", "cluster": "rank"} | dict(history or {}),
        "release": {"replace": True, "to": str(to)},
    }


def released(path: Path, columns: str = "*") -> list[tuple[Any, ...]]:
    """What is released, in order."""
    return duckdb.sql(f"SELECT {columns} FROM '{path}' ORDER BY ALL").fetchall()


@pytest.mark.parametrize(
    ("query", "history", "kind", "told"),
    sampled(
        [
            (shop(), {"customer": "client"}, RequestError, "there is no column 'client'"),
            (
                shop(who="CASE WHEN i > 2 THEN who END"),
                {},
                InputError,
                "3 rows have no value: the column 'who' is NULL",
            ),
            (shop(day="CASE WHEN i > 1 THEN day END"), {}, InputError, "2 rows have no date: the column 'day' is NULL"),
            (shop(item="NULLIF(item, 'g1')"), {}, InputError, "7 rows have no value: the column 'item' is NULL"),
            (
                shop(n="CASE WHEN i > 0 THEN n END"),
                {},
                InputError,
                "fewer than 2 rows have no number: the column 'n' is NULL",
            ),
            (
                shop(day="CASE WHEN i < 1 THEN DATE 'infinity' ELSE day END"),
                {},
                InputError,
                "fewer than 2 rows have no date",
            ),
            (shop(price="4.955::DOUBLE"), {"numbers": {"price": {"unit": 0.01}}}, InputError, "20 rows of the column"),
        ],
        2,
    ),
)
def test_what_cannot_be_released_is_one_error_that_counts(
    engine: Engine, tmp_path: Path, query: str, history: Mapping[str, Any], kind: type[OrdermadeError], told: str
) -> None:
    with pytest.raises(kind) as caught:
        engine.run(asked(engine, tmp_path / "out.csv", query, history | {"map": str(tmp_path / "map.csv")}))
    assert told in str(caught.value)
    if "have no" in told:
        assert "Leave them out with `where" in str(caught.value)
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("rows", "k", "reason"),
    [(20, 5, "fewer than 5 customers remain"), (0, 2, "fewer than 2 customers remain")],
)
def test_fewer_customers_than_k_are_refused(engine: Engine, tmp_path: Path, rows: int, k: int, reason: str) -> None:
    request = asked(engine, tmp_path / "out.csv", shop(rows), {"map": str(tmp_path / "map.csv")}, k)
    result = engine.run(request)
    assert (result.status, result.release, result.history) == ("refused", None, None)
    assert reason in result.reason
    assert engine.sweep(request, [k]).points[0].reason == result.reason
    assert not [*tmp_path.iterdir()]


def test_returned_goods_and_a_customer_with_most_of_the_rows_are_warned_of(engine: Engine, tmp_path: Path) -> None:
    query = shop(24, who="CASE WHEN i < 4 THEN who ELSE 'c0' END", n="5 - i")
    result = engine.run(asked(engine, tmp_path / "out.parquet", query))
    negative, most = result.warnings
    assert "18 rows have a 'n' below 0" in negative
    assert '"n" >= 0' in negative
    assert "one customer has 21 of the 24 rows" in most
    assert (result.k, result.release.rows, result.suppressed_rows) == (2, 4, 20)
    assert {row[0] for row in released(tmp_path / "out.parquet", "n")} == {"[2, 3]", "[4, 5]"}


def test_purchases_that_are_the_same_stay_as_many(engine: Engine, tmp_path: Path) -> None:
    query = shop(20, day="DATE '2011-01-01'", item="'it'", n="1", price="1.50")
    for more in ({}, {"match": "optimal", "cluster": "similar"}):
        to = tmp_path / "out.parquet"
        result = engine.run(asked(engine, to, query, more))
        assert released(to, "* EXCLUDE (customer)") == [("2011-01-01", "it", "1.50", "1")] * 20
        # Two clusters have one history: a class is all customers who share it.
        assert (result.k, result.divisions, result.history.clusters) == (4, 1, 2)
        assert (result.loss["utility"], result.loss["deleted_share"]) == (0, 0)


def test_one_purchase_each_of_all_customers_together(engine: Engine, tmp_path: Path) -> None:
    query = shop(4, day="day + INTERVAL '86399' SECOND", price="0.1::DOUBLE + LEAST(i, 1) * 0.2::DOUBLE")
    for more in ({}, {"match": "date", "delete_costly": True}, {"match": "optimal", "cluster": "similar"}):
        to = tmp_path / "out.parquet"
        result = engine.run(asked(engine, to, query, more, 4) | {"allow_identifying": ["item"]})
        day, item, price, n = "[2011-01-01, 2011-01-04]", "{g0, g1, g2}", "[0.1, 0.3]", "[0, 3]"
        cells = ("*", item, "*", "*") if more else (day, item, price, n)
        assert released(to, "* EXCLUDE (customer)") == [cells] * 4
        assert len(set(released(to, "customer"))) == 4
        assert (result.k, result.divisions, result.loss["deleted_share"]) == (4, 1, 0)


def test_items_for_about_every_purchase_identify_and_are_not_released(engine: Engine, tmp_path: Path) -> None:
    """Sets of names beside narrow days and prices would say what each of them bought. Rows count, not customers."""
    for item, refused in (("'Zqx' || i", True), ("'g' || LEAST(i, 10)", True), ("'g' || LEAST(i, 9)", False)):
        request = asked(engine, tmp_path / "out.parquet", shop(item=item))
        result = engine.run(request)
        assert (result.released, "as rows are in 'item'" in str(result.reason)) == (not refused, refused)
        if refused:
            with pytest.raises(Refused, match="more than half as many values as rows are in 'item'"):
                engine.check_data(request)
            assert engine.run(request | {"allow_identifying": ["item"]}).released


def test_clusters_of_which_every_purchase_is_deleted_are_dropped(engine: Engine, tmp_path: Path) -> None:
    """Where no value is deleted alone, purchases far apart are: those of the first two customers, or all that are."""
    far, to = "CASE WHEN i IN (1, 3, 5) THEN {1} ELSE {0} END", tmp_path / "out.parquet"
    query = shop(
        46,
        who="CASE WHEN i < 6 THEN i % 2 ELSE 2 + i % 20 END",
        day=far.format("DATE '2011-01-01'", "DATE '2019-01-01'"),
        price=far.format(1, 1000),
        n=far.format(1, 1000),
        item="'it'",
    )
    request = asked(
        engine, to, query, {"match": "optimal", "delete_costly": False, "map": str(tmp_path / "map.parquet")}
    )
    result = engine.run(request)
    assert (result.history.clusters, result.history.dropped, result.suppressed_persons) == (10, 2, 2)
    assert (result.k, result.divisions, result.release.persons) == (20, 1, 20)
    whose = Counter(released(to))
    assert set(whose.values()) == {2}
    assert {row[:-1] for row in whose} == {("2011-01-01", "it", "1", "1")}
    assert len({row[-1] for row in whose}) == 20
    before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    refused = engine.run(request | {"k": 22})
    assert refused.reason.startswith("every purchase would be deleted")
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == before
    assert [each.reason for each in engine.sweep(request, [2, 22]).points] == [None, refused.reason]


def test_prices_that_were_computed_are_the_cents_that_they_are_nearest_to(engine: Engine, tmp_path: Path) -> None:
    query = shop(20, price="0.1::DOUBLE + 0.2::DOUBLE", n="3.3::DOUBLE * 3")
    more = {"numbers": {"price": {"unit": 0.01}, "n": {}}, "map": str(tmp_path / "map.csv")}
    engine.run(asked(engine, tmp_path / "out.parquet", query, more))
    assert set(released(tmp_path / "out.parquet", "price, n")) == {("0.30", "9.9")}
    assert duckdb.sql(f"SELECT DISTINCT price, n FROM '{tmp_path / 'map.csv'}'").fetchall() == [(0.3, 9.9)]


def test_items_that_look_like_sets_or_nothing_are_told_apart(engine: Engine, tmp_path: Path) -> None:
    """Alone and in sets, as goods and as categories: `*` is never one that was deleted."""
    texts = "[" + ", ".join("'" + each.replace("'", "''") + "'" for each in ODD) + "]"
    query = shop(48, item=f"{texts}[1 + (i // 4 + (i % 4 // 2) * (i % 2)) % 12]", n="100 - i // 4")
    taxonomy = write_hierarchy(tmp_path / "t.csv", ["item", "class"], [(each, each) for each in ODD if each])
    for more, items in (({}, ODD), ({"items": {"taxonomy": str(taxonomy)}}, [each for each in ODD if each])):
        to = tmp_path / "out.csv"
        engine.run(asked(engine, to, query, more) | ({"where": "item <> ''"} if more else {}))
        cells = [cell for (cell,) in duckdb.sql(f"SELECT item FROM read_csv('{to}', all_varchar = true)").fetchall()]
        assert "*" not in cells
        assert set.union(*(set_of(cell) for cell in cells)) == {*items}
        assert any(cell.startswith("{") for cell in cells)
        assert '"*"' in cells


def test_without_numbers_days_and_items_are_what_there_is(engine: Engine, tmp_path: Path) -> None:
    to = tmp_path / "out.parquet"
    result = engine.run(asked(engine, to, shop(), {"numbers": [], "match": "optimal", "cluster": "similar"}))
    assert result.loss["utility_by_column"].keys() == {"day", "item"}
    assert result.k >= 2
    assert len(released(to)[0]) == 3


def test_columns_called_as_tables_of_the_engine_are_columns(engine: Engine, tmp_path: Path) -> None:
    """Names that statements use themselves, quotes, other scripts: the release is that of plain names."""
    names = ["customer", "slot", "u1", 'a "b" c', "n"]
    plain, odd = ["who", "day", "item", "price", "n"], tmp_path / "odd.parquet"
    quoted = ['"' + each.replace('"', '""') + '"' for each in names]
    columns = ", ".join(f"{one} AS {other}" for one, other in zip(plain, quoted, strict=True))
    called = dict(zip(("customer", "when", "item"), names, strict=False)) | {"numbers": names[3:]}
    request = asked(engine, odd, f"SELECT {columns} FROM ({shop()})", called | {"map": str(tmp_path / "map.parquet")})
    engine.run(request | {"release": {"replace": True, "to": str(odd), "pseudonym": "語"}})
    engine.run(asked(engine, tmp_path / "plain.parquet", shop()))
    same: Sequence[str] = quoted[1:]
    assert released(odd, ", ".join(same)) == released(tmp_path / "plain.parquet", ", ".join(plain[1:]))
