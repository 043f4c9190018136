"""A view that follows its table has the rows of the release, and never a class smaller than k."""

from __future__ import annotations

import contextlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.errors import InputError, OrdermadeError, ReleaseFault
from ordermade.sources.mysql_writer import MySQLWriter
from ordermade.sources.postgresql_writer import PostgreSQLWriter
from ordermade.sources.server import Lost
from tests.conformance.backends import SERVERS
from tests.long import sampled
from tests.made import new_engine, write_hierarchy, write_table
from tests.services.servers import POSTGRES, Schema

pytestmark = pytest.mark.slow

PLACES = ("Ann", "ann", "ann ", "Bob", None, "o\"h\\'%s", "é\U0001f600")
ROWS: list[Any] = [(i, i % 7 + 20, PLACES[i % 7 // 2 + i % 3], "basic" if i % 5 else None) for i in range(210)]
COLUMNS = {"id": "INTEGER", "age": "INTEGER", "place": "VARCHAR", "plan": "VARCHAR"}
AGES = "intervals:\n  levels:\n    - {width: 2}\n    - {width: 10}\n"


@dataclass(frozen=True)
class Shop:
    """A writable source `s` with the table `persons`, registered as dataset `d`."""

    engine: Engine
    file: Path | None
    schema: Schema | None

    def run(self, sql: str) -> list[Any]:
        if self.schema is not None:
            quoted = sql if self.schema.server.kind is POSTGRES else sql.replace('"', "`")
            return self.schema.run(quoted)
        with duckdb.connect(str(self.file)) as connection:
            return connection.execute(sql).fetchall()

    def rows(self, table: str) -> Counter[Any]:
        return Counter(self.run(f'SELECT * FROM "{table}"'))


def _in_server(schema: Schema, folder: Path) -> Shop:
    schema.run("CREATE TABLE persons (id INTEGER, age INTEGER, place VARCHAR(40), plan VARCHAR(40))")
    with contextlib.closing(schema.connect()) as connection, connection.cursor() as cursor:
        cursor.executemany("INSERT INTO persons VALUES (%s, %s, %s, %s)", ROWS)
    is_postgres = schema.server.kind is POSTGRES
    location = f"{schema.url}?options=-csearch_path%3D{schema.name}" if is_postgres else schema.url
    return _registered(folder, location, f"{schema.name}.persons", None, schema)


def _registered(folder: Path, location: str, table: str, file: Path | None, schema: Schema | None) -> Shop:
    engine = new_engine(folder)
    engine.sources.add("s", location, writable=True)
    engine.datasets.add("d", "s", table=table, least_k=2)
    ages = folder / "age.yaml"
    ages.write_text(AGES, encoding="utf-8")
    engine.hierarchies.add("age", ages)
    paths = [(each, "a" if each and each.lower().startswith("ann") else "other") for each in PLACES]
    engine.hierarchies.add("place", write_hierarchy(folder / "place.csv", ("place", "group"), paths), "header")
    named = write_hierarchy(folder / "named.csv", ("place", "group"), [each for each in paths if each[0] is not None])
    engine.hierarchies.add("named", named, "header")
    return Shop(engine, file, schema)


@pytest.fixture(
    params=["duckdb", *(pytest.param(each, marks=pytest.mark.services) for each in SERVERS)], ids=lambda kind: kind
)
def shop(request: pytest.FixtureRequest, tmp_path: Path) -> Shop:
    if request.param == "duckdb":
        file = tmp_path / "s.duckdb"
        write_table(file, COLUMNS, ROWS)
        return _registered(tmp_path, str(file), "persons", file, None)
    schema = request.getfixturevalue("postgres_schema" if request.param == "postgresql" else "mariadb_schema")
    return _in_server(schema, tmp_path)


def asked(k: int = 10, age: Any = 1, place: Any = 1, **more: Any) -> dict[str, Any]:
    levels = {"age": age, "place": place}
    return {
        "dataset": "d",
        "k": k,
        "quasi_identifiers": {name: {"hierarchy": name, "from": at, "to": at} for name, at in levels.items()},
        "keep": ["plan"],
        "release": {"to": {"table": "out"}, "replace": True},
        **more,
    }


def made(shop: Shop, request: dict[str, Any], name: str = "live") -> str:
    shop.engine.require_live(request, create=True)
    result = shop.engine.run(request)
    assert result.released
    view = shop.engine.live_view(request, result, name, create=True)
    assert view.created
    return view.statement


@pytest.mark.parametrize(("age", "place"), sampled([(0, 0), (1, 1), (2, 1), (0, 2), (3, 0), (3, 2)], 2))
def test_a_view_has_the_rows_of_the_release(shop: Shop, age: int, place: int) -> None:
    made(shop, asked(2, age, place))
    assert shop.rows("live") == shop.rows("out")
    assert sum(shop.rows("out").values()) == len(ROWS)


def test_missing_values_that_are_stars_are_so_in_the_view(shop: Shop) -> None:
    request = asked(2, 0, 0)
    request["quasi_identifiers"]["place"] |= {"hierarchy": "named", "missing": "suppressed"}
    made(shop, request)
    assert shop.rows("live") == shop.rows("out")
    assert sum(n for row, n in shop.rows("live").items() if row[1] == "*") == sum(row[2] is None for row in ROWS)


def test_rows_that_were_suppressed_are_not_shown(shop: Shop) -> None:
    shop.run("DELETE FROM persons WHERE age = 26 AND plan IS NULL")
    shop.run("INSERT INTO persons VALUES (1000, 27, 'ann', 'basic')")
    made(shop, asked(25, suppression_limit=0.5))
    assert 0 < sum(shop.rows("live").values()) < sum(shop.rows("persons").values())
    assert shop.rows("live") == shop.rows("out")


def test_the_filter_of_the_request_holds_in_the_view(shop: Shop) -> None:
    made(shop, asked(2, where="plan = 'basic' AND age < 25"))
    assert shop.rows("live") == shop.rows("out")
    assert {row[2] for row in shop.rows("live")} == {"basic"}


def test_later_rows_never_break_k(shop: Shop) -> None:
    made(shop, asked())
    before = shop.rows("live")
    shop.run("INSERT INTO persons VALUES (1000, 20, 'Ann', 'new')")
    assert sum(shop.rows("live").values()) == sum(before.values()) + 1
    of_class = [i for i, age, place, _ in ROWS if age in (20, 21) and place in ("Ann", "ann", "ann ")]
    kept = 9 - 1  # with the new one
    shop.run(f"DELETE FROM persons WHERE id IN ({', '.join(map(str, of_class[kept:]))})")
    after = shop.rows("live")
    assert sum(after.values()) == sum(before.values()) - len(of_class)
    shop.run("INSERT INTO persons VALUES (1001, 21, 'ann', 'new')")
    assert sum(shop.rows("live").values()) == sum(after.values()) + 10
    sizes = Counter(row[:2] for row in shop.rows("live").elements())
    assert min(sizes.values()) == 10


def test_values_that_came_later_are_not_shown(shop: Shop) -> None:
    made(shop, asked(2))
    before = shop.rows("live")
    for _ in range(3):
        shop.run("INSERT INTO persons VALUES (1000, 20, 'never seen', 'basic')")
    assert shop.rows("live") == before


def test_a_function_of_a_readers_own_sees_no_row_that_is_not_shown(postgres_schema: Schema, tmp_path: Path) -> None:
    shop = _in_server(postgres_schema, tmp_path)
    shop.run("DELETE FROM persons WHERE age = 26 AND plan IS NULL")
    made(shop, asked(25, suppression_limit=0.5))
    shop.run("CREATE TABLE heard (age TEXT, place TEXT)")
    shop.run(
        "CREATE FUNCTION hears(age TEXT, place TEXT) RETURNS BOOLEAN LANGUAGE plpgsql COST 0.0000001 AS "
        "'BEGIN INSERT INTO heard VALUES (age, place); RETURN TRUE; END'"
    )
    shown = shop.run("SELECT age, place FROM live WHERE hears(age, place)")
    assert shop.rows("heard") == Counter(shown)


def test_the_statement_alone_makes_nothing_and_runs_as_it_is(shop: Shop) -> None:
    request = asked()
    view = shop.engine.live_view(request, shop.engine.run(request), 'li"ve')
    assert not view.created
    with pytest.raises(Exception, match="live"):
        shop.rows("live")
    if shop.schema is None:
        shop.run(view.statement)
    else:
        shop.schema.run(view.statement)


def test_a_name_that_is_taken_is_refused_and_left(shop: Shop) -> None:
    request = asked()
    before = shop.rows("persons")
    result = shop.engine.run(request)
    with pytest.raises(OrdermadeError, match="the view could not be made"):
        shop.engine.live_view(request, result, "persons", create=True)
    assert shop.rows("persons") == before


def test_a_connection_that_is_lost_while_the_view_is_made_is_an_error_of_the_release(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*_: object) -> None:
        raise Lost

    if shop.schema is None:
        return  # a DuckDB file has no connection to lose
    for writer in (PostgreSQLWriter, MySQLWriter):
        monkeypatch.setattr(writer, "create_view", lost)
    request = asked()
    result = shop.engine.run(request)
    with pytest.raises(ReleaseFault, match="connection to the server was lost"):
        shop.engine.live_view(request, result, "live", create=True)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"sensitive": {"plan": [{"model": "distinct_l", "l": 2}]}, "keep": []}, "models beyond k"),
        ({"risk": {"highest": 0.5}}, "models beyond k"),
        ({"suppression_limit": 0.1, "suppressed": "star"}, "suppressed rows"),
        ({"release": {"to": {"table": "out"}, "shape": "table"}, "keep": []}, "statistical table"),
    ],
)
def test_what_a_view_does_not_keep_to_is_refused_before_anything_is_counted(
    shop: Shop, more: dict[str, Any], why: str
) -> None:
    with pytest.raises(InputError, match=why):
        shop.engine.require_live(asked(**more))
    assert shop.engine.requests.list() == ()


def test_persons_and_other_methods_are_refused(shop: Shop) -> None:
    table = "persons" if shop.schema is None else f"{shop.schema.name}.persons"
    shop.engine.datasets.add("p", "s", table=table, entity="id", least_k=2)
    quasi = {"place": {"hierarchy": "place"}}
    with pytest.raises(InputError, match="counts persons"):
        shop.engine.require_live({**asked(), "dataset": "p", "quasi_identifiers": quasi})
    with pytest.raises(InputError, match="generalization"):
        shop.engine.require_live({**asked(), "method": "mondrian", "quasi_identifiers": quasi})


def test_files_have_no_live_view(tmp_path: Path) -> None:
    engine = new_engine(tmp_path)
    (tmp_path / "d.csv").write_text("age\n" + "1\n2\n" * 10, encoding="utf-8")
    engine.sources.add("s", str(tmp_path / "d.csv"))
    engine.datasets.add("d", "s", table="d", least_k=2)
    halves = write_hierarchy(tmp_path / "age.csv", ("age", "half"), [("1", "a"), ("2", "a")])
    engine.hierarchies.add("age", halves, "header")
    with pytest.raises(InputError, match="a csv source"):
        engine.require_live(
            {"dataset": "d", "k": 2, "quasi_identifiers": {"age": {"hierarchy": "age"}}, "release": {"to": "r.csv"}}
        )
