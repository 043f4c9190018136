"""A look at the catalog of a source: it reads no row, and opens no file of text."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from ordermade import Engine
from ordermade.catalogue.registered import described
from ordermade.catalogue.still_there import CatalogLook, catalog_look
from tests.made import new_engine


def looked(engine: Engine, dataset: str, *columns: str) -> CatalogLook:
    with engine.state_file.reading() as connection:
        found = described(connection, dataset)
    return catalog_look(found, columns, engine.limits)


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """An engine with the table `persons` of a SQLite file as `d`, and a query on it as `q`."""
    made = new_engine(tmp_path)
    with closing(sqlite3.connect(tmp_path / "s.sqlite")) as connection, connection:
        connection.execute("CREATE TABLE persons (age INTEGER, town TEXT)")
        connection.executemany("INSERT INTO persons VALUES (?, ?)", [(i, "Oslo") for i in range(9)])
    made.sources.add("s", str(tmp_path / "s.sqlite"))
    made.datasets.add("d", "s", table="persons")
    made.datasets.add("q", "s", query="SELECT * FROM persons AS p")
    return made


def test_no_row_of_a_sqlite_table_is_read(engine: Engine, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "ordermade.sql"):
        assert looked(engine, "d", "AGE", "town") == looked(engine, "q", "age") == CatalogLook()
    sent = [each.getMessage().upper() for each in caplog.records if each.getMessage().startswith("source: ")]
    assert len(sent) == 4
    assert [each for each in sent if "PRAGMA_TABLE_INFO" not in each and "SQLITE_MASTER" not in each] == []


@pytest.mark.parametrize(
    ("dataset", "where"),
    [("d", "in the table 'persons' in the source 's'"), ("q", "in the tables of the dataset query, in the source 's'")],
)
def test_each_column_is_named_once_in_order(engine: Engine, dataset: str, where: str) -> None:
    gone = looked(engine, dataset, "sex", "age", "home", "sex").gone
    assert gone == (f"there is no column 'sex' {where}", f"there is no column 'home' {where}")


def test_a_file_of_text_is_not_read(tmp_path: Path) -> None:
    engine = new_engine(tmp_path)
    (tmp_path / "persons.csv").write_text("age,town\n1,Oslo\n", encoding="utf-8")
    engine.sources.add("s", str(tmp_path / "persons.csv"))
    engine.datasets.add("d", "s", table="persons")
    (tmp_path / "persons.csv").write_bytes(b"\xff\x00")
    assert looked(engine, "d", "sex") == CatalogLook()
    (tmp_path / "persons.csv").unlink()
    assert looked(engine, "d", "sex") == CatalogLook(unopened="there is no such file")


def test_no_password_is_asked_for(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    given = []

    def opened(source: object, limits: object, listener: object = None) -> None:
        given.append(limits)
        raise AssertionError("enough is seen")

    monkeypatch.setattr("ordermade.catalogue.still_there.opened", opened)
    asking = Engine(engine.state, limits=replace(engine.limits, ask_password=str))
    with pytest.raises(AssertionError, match="enough"):
        looked(asking, "d")
    assert [each.ask_password for each in given] == [None]
