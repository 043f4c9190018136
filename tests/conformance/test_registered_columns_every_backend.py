"""A dataset is the columns that it was registered with, whatever becomes of its table, in every kind of source."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine
from ordermade.catalogue.changed_columns import ChangedColumns
from ordermade.catalogue.datasets import DatasetDescription
from ordermade.catalogue.sources import opened
from ordermade.counting.dataset import Version, version
from ordermade.errors import InputError, OrdermadeError
from ordermade.sources.limits import Limits
from tests.conformance.backends import BACKENDS, CLUSTERS, SERVERS, Made, Table, name, the_table
from tests.made import new_engine, write_hierarchy

pytestmark = pytest.mark.slow

Make = Callable[[Table], Made]

COLUMNS = {"id": "BIGINT", "age": "BIGINT", "plan": "VARCHAR"}
ROWS = [(i, 20 + i % 4, "basic" if i % 8 < 4 else "plus") for i in range(40)]
PERSONS = Table("persons", COLUMNS, ROWS)
EXTRA = "Secretcolumn"


@dataclass
class Persons:
    """A source with the table `persons`, its dataset `d`, and what the table is changed to."""

    made: Made
    kind: str
    folder: Path
    engine: Engine
    table: str

    def change(self, columns: Mapping[str, str], value: Callable[[dict[str, Any]], tuple[Any, ...]]) -> None:
        """Gives the table other columns; `value`: a row of these from one of before."""
        rows = [value(dict(zip(COLUMNS, row, strict=True))) for row in ROWS]
        changed = Table("persons", columns, rows)
        if self.made.schema is not None:
            self.made.schema.run("DROP TABLE persons")
            SERVERS[self.kind](self.made.schema, changed)
            return
        for each in self.made.files:
            each.unlink()
        {**BACKENDS, **CLUSTERS}[self.kind](self.made.files[0].parent, changed)

    def add_column(self) -> None:
        """Puts another column between those that are there."""
        columns = {"id": "BIGINT", EXTRA: "BIGINT", "age": "BIGINT", "plan": "VARCHAR"}
        self.change(columns, lambda row: (row["id"], 7 * row["id"], row["age"], row["plan"]))

    def version(self, dataset: str = "d", where: Any = None) -> Version:
        with self.engine.datasets.open(dataset) as found:
            return version(found.filtered(where))

    def run(self, dataset: str = "d", **more: Any) -> Any:
        to = {"to": str(self.folder / "out.csv"), "replace": True}
        asked = {"dataset": dataset, "k": 5, "quasi_identifiers": {"age": {"hierarchy": "age"}}, "release": to}
        return self.engine.run({**asked, **more}, again=True)

    def shown(self, dataset: str = "d") -> DatasetDescription:
        return self.engine.datasets.show(dataset)

    def changes(self) -> ChangedColumns:
        found = self.shown().changes
        assert found is not None
        return found


@pytest.fixture
def persons(make: Make, request: pytest.FixtureRequest, tmp_path: Path) -> Persons:
    made = make(PERSONS)
    folder = tmp_path / "a"
    folder.mkdir()
    engine = new_engine(folder, limits=Limits("256MB", 1))
    engine.sources.add("s", made.location)
    with opened(engine.sources.get("s"), engine.limits) as backend:
        table = the_table(backend).name
    engine.datasets.add("d", "s", table=table, least_k=2)
    engine.datasets.add("q", "s", query=f"SELECT * FROM {name(table)}", least_k=2)
    engine.datasets.add("parted", "s", table=table, least_k=2, parts="plan", entity="id")
    ages = [(str(age), "low" if age < 22 else "high", "*") for age in range(20, 24)]
    engine.hierarchies.add("age", write_hierarchy(folder / "age.csv", ("value", "half", "top"), ages))
    return Persons(made, request.node.callspec.params["make"], folder, engine, table)


@pytest.mark.parametrize("dataset", ["d", "q", "parted"])
def test_a_new_column_changes_no_answer(persons: Persons, caplog: pytest.LogCaptureFixture, dataset: str) -> None:
    asked: list[dict[str, Any]] = [{}, {"where": "plan = 'basic'"}, {"keep": ["plan"]}]
    first = [persons.run(dataset, **each) for each in asked]
    seen, kept = persons.version(dataset), len(persons.engine.observations.list())
    persons.add_column()

    with caplog.at_level(logging.DEBUG, "ordermade.sql"):
        again = [persons.run(dataset, **each) for each in asked]
        assert persons.version(dataset) == seen

    for before, after in zip(first, again, strict=True):
        assert (after.k, after.levels, after.divisions, after.rows) == (
            before.k,
            before.levels,
            before.divisions,
            before.rows,
        )
        assert after.search.source_queries == 0
    assert len(persons.engine.observations.list()) == kept
    sent = [each.getMessage() for each in caplog.records if each.getMessage().startswith("source: ")]
    data = [each for each in sent if not each.startswith(("source: catalog", "source: load"))]
    assert data
    assert [each for each in data if EXTRA in each] == []


def test_a_new_column_is_said_and_taken(persons: Persons) -> None:
    seen = persons.version()
    assert not persons.changes()
    persons.add_column()

    assert [each.name for each in persons.changes().new] == [EXTRA]
    assert [each.name for each in persons.shown().columns] == list(COLUMNS)
    unknown: list[str] = []
    for column in (EXTRA, "Nosuchcolumns"):
        with pytest.raises(OrdermadeError) as caught:
            persons.run(keep=[column])
        unknown.append(str(caught.value).replace(column, "…"))
    assert unknown[0] == unknown[1]
    assert not [each for each in unknown if EXTRA in each]

    taken = persons.engine.datasets.refresh("d")
    assert [each.name for each in taken.changes.new] == [EXTRA]
    assert [each.name for each in taken.columns] == ["id", EXTRA, "age", "plan"]
    assert not persons.changes()
    assert persons.version() != seen
    assert persons.run(keep=[EXTRA], allow_identifying=[EXTRA]).k >= 1
    assert not persons.engine.datasets.refresh("d").changes


def test_a_dropped_column_fails_what_names_it(persons: Persons) -> None:
    persons.run()
    kept = {"keep": ["plan"]}
    persons.run(**kept)
    seen = persons.version()
    persons.change({"id": "BIGINT", "age": "BIGINT"}, lambda row: (row["id"], row["age"]))

    assert persons.run().released
    assert persons.version() != seen
    with pytest.raises(InputError, match="plan"):
        persons.run(**kept)
    with pytest.raises(InputError, match="plan"):
        persons.version("parted")
    (gone,) = persons.changes().gone
    assert (gone.name, gone.named_by) == ("plan", ())
    assert [each.name for each in persons.engine.datasets.refresh("d").columns] == ["id", "age"]
    taken = persons.engine.datasets.refresh("parted")
    assert [(each.name, each.named_by) for each in taken.changes.gone] == [("plan", ("--parts of the dataset",))]
    assert [each.name for each in taken.columns] == ["id", "age", "plan"]


def test_a_renamed_column_is_one_gone_and_another_new(persons: Persons) -> None:
    persons.run()
    columns = {"id": "BIGINT", "years": "BIGINT", "plan": "VARCHAR"}
    persons.change(columns, lambda row: tuple(row.values()))

    with pytest.raises(InputError, match="age"):
        persons.run()
    with pytest.raises(InputError, match="years"):
        persons.run(quasi_identifiers={"years": {"hierarchy": "age"}})
    changes = persons.changes()
    assert ([each.name for each in changes.new], [each.name for each in changes.gone]) == (["years"], ["age"])
    persons.engine.datasets.refresh("d")
    assert persons.run(quasi_identifiers={"years": {"hierarchy": "age"}}).released


def test_a_column_of_another_type_is_another_version(persons: Persons) -> None:
    persons.run()
    seen = persons.version()
    columns = {"id": "BIGINT", "age": "BIGINT", "plan": "BIGINT"}
    persons.change(columns, lambda row: (row["id"], row["age"], row["id"] % 3))

    assert persons.version() != seen
    (changed,) = persons.changes().retyped
    assert (changed.name, changed.registered) == ("plan", "VARCHAR")
    assert changed.type != "VARCHAR"
    with pytest.raises(OrdermadeError):
        persons.run(where="plan = 'basic'")
    persons.engine.datasets.refresh("d")
    assert not persons.changes()
    assert persons.run(where="plan = 2").released


def test_a_table_without_a_registered_column_is_no_dataset(persons: Persons) -> None:
    persons.change({"a": "BIGINT", "b": "BIGINT"}, lambda row: (row["id"], row["age"]))
    with pytest.raises(OrdermadeError, match="no column that the dataset was registered with"):
        persons.run()
    assert [each.name for each in persons.engine.datasets.refresh("d").columns] == ["a", "b"]
    assert persons.version().rows == 40
