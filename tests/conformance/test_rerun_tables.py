"""A request that is run again, whose release is a table of its source: the new one takes its place, or nothing does."""

from __future__ import annotations

import contextlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.catalogue.repeated_requests import rerun
from ordermade.errors import InputError, Refused, ReleaseFault
from tests.conformance.backends import SERVERS
from tests.made import new_engine, write_hierarchy, write_table
from tests.services.servers import POSTGRES, Schema

pytestmark = pytest.mark.slow

COLUMNS = {"age": "INTEGER", "plan": "VARCHAR(20)"}
ROWS: list[Any] = [(i % 4 + 1, "basic" if i % 3 else None) for i in range(24)]
HALVES = [("1", "low"), ("2", "low"), ("3", "high"), ("4", "high")]


@dataclass(frozen=True)
class Office:
    """A writable source with the table `persons`, registered as dataset `d`, whose release 1 is `out_of_d`."""

    engine: Engine
    place: Path | Schema

    def run(self, sql: str) -> list[Any]:
        if isinstance(self.place, Schema):
            return self.place.run(sql)
        with duckdb.connect(str(self.place)) as connection:
            return connection.execute(sql).fetchall()

    @property
    def out(self) -> Counter[Any]:
        """The rows of the released table."""
        return Counter(self.run("SELECT age, plan FROM out_of_d"))

    @property
    def standing(self) -> dict[int, str]:
        return {each.id: each.standing for each in self.engine.releases.list()}


@pytest.fixture(params=["duckdb", *(pytest.param(each, marks=pytest.mark.services) for each in SERVERS)])
def office(request: pytest.FixtureRequest, tmp_path: Path) -> Office:
    place: Path | Schema = tmp_path / "s.duckdb"
    if request.param == "duckdb":
        write_table(tmp_path / "s.duckdb", COLUMNS, ROWS)
        location, table = str(place), "persons"
    else:
        place = schema = request.getfixturevalue(
            "postgres_schema" if request.param == "postgresql" else "mariadb_schema"
        )
        schema.run(f"CREATE TABLE persons ({', '.join(f'{name} {kind}' for name, kind in COLUMNS.items())})")
        with contextlib.closing(schema.connect()) as connection, connection.cursor() as cursor:
            cursor.executemany("INSERT INTO persons VALUES (%s, %s)", ROWS)
        options = f"?options=-csearch_path%3D{schema.name}" if schema.server.kind is POSTGRES else ""
        location, table = schema.url + options, f"{schema.name}.persons"
    engine = new_engine(tmp_path)
    engine.sources.add("s", location, writable=True)
    engine.datasets.add("d", "s", table=table, least_k=2)
    engine.hierarchies.add("age", write_hierarchy(tmp_path / "age.csv", ("value", "half"), HALVES), "header")
    age = {"age": {"hierarchy": "age", "to": 1}}
    release = {"to": {"table": "out_of_d"}}
    engine.run({"dataset": "d", "k": 2, "quasi_identifiers": age, "keep": ["plan"], "release": release})
    made = Office(engine, place)
    assert (made.standing, made.out) == ({1: "stands"}, Counter(ROWS))
    return made


def test_the_new_release_takes_the_place_of_the_earlier_one(office: Office) -> None:
    office.run("INSERT INTO persons VALUES (1, 'new'), (1, 'new')")

    result = rerun(office.engine, 1, replace=True)

    assert result.released
    assert office.out == Counter([*ROWS, (1, "new"), (1, "new")])
    assert office.standing == {1: "superseded by 2", 2: "stands"}
    assert office.engine.releases.verify(2).intact
    with pytest.raises(Refused, match="superseded by release 2"):
        office.engine.releases.verify(1)
    assert [rerun(office.engine, each, replace=True).request for each in (1, result.request)] == [result.request] * 2
    assert office.standing == {1: "superseded by 2", 2: "stands"}


def test_a_refused_one_leaves_the_table(office: Office) -> None:
    office.run("INSERT INTO persons VALUES (9, 'no label')")
    with pytest.raises(InputError, match="hierarchy"):
        rerun(office.engine, 1, replace=True)
    office.run("DELETE FROM persons WHERE age > 1")
    office.run("DELETE FROM persons WHERE plan = 'basic'")
    office.run("UPDATE persons SET age = 3 WHERE plan IS NULL")
    office.run("INSERT INTO persons VALUES (1, 'alone')")

    result = rerun(office.engine, 1, replace=True)

    assert not result.released
    assert office.out == Counter(ROWS)
    assert office.standing == {1: "stands"}
    assert office.engine.releases.verify(1).intact


def test_an_edited_table_is_made_anew(office: Office) -> None:
    office.run("DELETE FROM out_of_d WHERE age = 1")
    assert not office.engine.releases.verify(1).intact

    assert rerun(office.engine, 1, replace=True).released

    assert office.out == Counter(ROWS)
    assert office.standing == {1: "superseded by 2", 2: "stands"}
    assert office.engine.releases.verify(2).intact


def test_a_dropped_table_is_made_anew(office: Office) -> None:
    office.run("DROP TABLE out_of_d")
    with pytest.raises(ReleaseFault, match="no longer there"):
        office.engine.releases.verify(1)

    assert rerun(office.engine, 1, replace=True).released

    assert office.out == Counter(ROWS)
    assert office.standing == {1: "superseded by 2", 2: "stands"}


def test_another_table_of_its_name_is_left_as_it_is(office: Office) -> None:
    office.run("DROP TABLE out_of_d")
    office.run("CREATE TABLE out_of_d (age INTEGER, plan VARCHAR(20))")
    office.run("INSERT INTO out_of_d VALUES (77, 'of another')")
    assert not office.engine.releases.verify(1).intact

    with pytest.raises(InputError, match="not a release of ordermade"):
        rerun(office.engine, 1, replace=True)

    assert office.out == Counter([(77, "of another")])
    assert office.standing == {1: "stands"}


def test_one_that_replaces_nothing_stands_beside_the_earlier_one(office: Office) -> None:
    office.run("INSERT INTO persons VALUES (1, 'new'), (1, 'new')")

    result = rerun(office.engine, 1)

    assert result.released
    assert office.out == Counter(ROWS)
    assert office.standing == {1: "stands", 2: "stands"}
