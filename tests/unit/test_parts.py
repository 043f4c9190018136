"""Datasets in parts: what a request reads of them, what is kept, and what is refused, by name."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade.counting.dataset import FINGERPRINT, version
from ordermade.errors import InputError, OrdermadeError, SourceChanged, SourceFault
from ordermade.progress.waiting import Silent
from ordermade.sources.executor import ExecutedStatement, Purpose
from ordermade.state.authority import SHELL
from ordermade.state.database import StateFile
from tests.made import new_engine, write_hierarchy

pytestmark = pytest.mark.slow

BY_PRINT = {"file_parts": True, "version": FINGERPRINT}


@dataclass
class Heard(Silent):
    """Notes every statement and step; `then` does something at a step."""

    statements: list[ExecutedStatement] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    then: Callable[[str], None] = lambda _: None

    def step(self, name: str) -> None:
        self.steps.append(name)
        self.then(name)

    def statement(self, statement: ExecutedStatement) -> None:
        self.statements.append(statement)


class Months:
    """A folder of Parquet files, one a month, and an engine that has them as a source."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "months"
        self.folder.mkdir()
        for month in range(1, 4):
            self.write(month)
        self.heard = Heard()
        self.engine = replace(new_engine(folder), progress=self.heard)
        self.engine.sources.add("s", str(self.folder / "*.parquet"))
        paths = [(age, f"a{age // 4}") for age in range(8)]
        self.engine.hierarchies.add("age", write_hierarchy(folder / "age.csv", ("age", "a"), paths), "header")
        self.to = folder / "out.csv"

    def path(self, month: int) -> Path:
        return self.folder / f"{month}.parquet"

    def write(self, month: int, rows: int = 80, select: str = "*") -> None:
        made = f"SELECT i % 8 AS age, i AS person, {month} AS month, 'n' || i AS name FROM RANGE({rows}) AS row(i)"
        duckdb.execute(f"COPY (SELECT {select} FROM ({made})) TO '{self.path(month)}'")

    def add(self, **more: Any) -> None:
        self.engine.datasets.add("d", "s", table="data", least_k=2, **more)

    def run(self, **more: Any) -> Any:
        self.heard.statements.clear()
        self.heard.steps.clear()
        release = {"to": str(self.to), "replace": True}
        request = {"dataset": "d", "k": 5, "quasi_identifiers": {"age": {"hierarchy": "age"}}, "release": release}
        return self.engine.run({**request, **more}, again=True)

    def read(self) -> set[str]:
        """The files that statements read by themselves, whatever for."""
        texts = [each.text for each in self.heard.statements if each.purpose not in (Purpose.LOAD, Purpose.RELEASE)]
        return {month for month in "12345" if any(f"/{month}.parquet" in text for text in texts)}


@pytest.fixture
def months(tmp_path: Path) -> Months:
    return Months(tmp_path)


def test_a_part_is_read_once_and_again_when_it_changed(months: Months) -> None:
    months.add(**BY_PRINT)
    assert months.run().search.source_queries == 3
    assert next(each for each in months.heard.steps if each.startswith("part")) == "part 1 of 3"
    assert months.run().search.source_queries == 0
    assert months.read() == set()
    months.write(4)
    assert (months.run().search.source_queries, months.read()) == (1, {"4"})
    months.write(2, rows=160)
    result = months.run()
    assert (result.search.source_queries, months.read(), result.rows) == (1, {"2"}, 400)
    months.path(1).unlink()
    result = months.run()
    assert (result.search.source_queries, months.read(), result.rows, result.k) == (0, set(), 320, 40)


def test_other_columns_are_counted_apart_and_other_levels_are_not(months: Months) -> None:
    months.add(**BY_PRINT)
    months.run()
    coarse = {"quasi_identifiers": {"age": {"hierarchy": "age", "from": "a"}}}
    assert months.run(**coarse).search.source_queries == 0
    assert months.run(where="age < 4").search.source_queries == 3
    assert months.run(sensitive={"month": [{"model": "distinct_l", "l": 2}]}).search.source_queries == 3


def test_parts_with_nulls_are_changed_added_and_removed_at_once(months: Months) -> None:
    months.add(**BY_PRINT)
    months.engine.datasets.add("whole", "s", table="data", least_k=2)
    null = "CASE WHEN person % 5 > 0 THEN age END AS age, person, month, name"
    for month in range(1, 6):
        months.write(month, rows=40 * month, select=null)
    request: dict[str, Any] = {"k": 2, "keep": ["month"]}
    months.run(**request)
    for month, rows in ((1, 120), (2, 50), (6, 60)):
        months.write(month, rows=rows, select=null)
    months.path(3).unlink()
    found = months.run(**request)
    assert (found.search.source_queries, months.read()) == (3, {"1", "2"})  # and the sixth
    released = months.to.read_bytes()
    whole = months.run(**request, dataset="whole")
    assert (found.k, found.divisions, found.rows) == (whole.k, whole.divisions, whole.rows)
    assert released == months.to.read_bytes()


def test_datasets_parted_in_two_ways_keep_their_counts_apart(months: Months) -> None:
    months.add(**BY_PRINT)
    months.engine.datasets.add("e", "s", table="data", least_k=2, file_parts=True)
    assert months.run().search.source_queries == 3
    assert months.run(dataset="e").search.source_queries == 3
    months.engine.cache.drop_missing_versions([])  # what is left are the counts of parts
    assert months.run().search.source_queries == 0
    assert months.run(dataset="e").search.source_queries == 0


@pytest.mark.parametrize("parted", [{"file_parts": True}, {"parts": "month"}])
def test_the_version_is_that_of_the_whole(months: Months, parted: dict[str, Any]) -> None:
    months.add(**parted)
    months.engine.datasets.add("whole", "s", table="data")
    with months.engine.datasets.open("d") as found, months.engine.datasets.open("whole") as whole:
        assert version(found.filtered(None)) == version(whole.filtered(None))


def test_the_manifest_says_that_fingerprints_vouch(months: Months) -> None:
    months.add(**BY_PRINT)
    months.run()
    assert '"vouched_by": "fingerprint"' in (months.to.parent / "out.csv.manifest.json").read_text(encoding="utf-8")


def test_explain_shows_the_statement_of_a_part(months: Months) -> None:
    months.add(**BY_PRINT)
    request = {"dataset": "d", "k": 5, "quasi_identifiers": {"age": {"hierarchy": "age"}}}
    steps = months.engine.explain({**request, "release": {"to": str(months.to)}})
    (part,) = [each for each in steps if each.title == "the combinations of a part"]
    assert part.runs_in == "source"
    assert "1.parquet" in part.sql
    assert "2.parquet" not in part.sql


def test_a_purge_drops_the_counts_of_parts(months: Months) -> None:
    from ordermade.state.cache_ages import kept_of

    months.add(**BY_PRINT)
    months.run()
    assert len(months.engine.cache.contents().twins) == 4
    with months.engine.state_file.reading() as connection:
        kept = kept_of(connection, "d")
    months.engine.cache.purge(*kept)
    assert months.engine.cache.contents().twins == ()
    assert months.run().search.source_queries == 3


def fault(run: Callable[[], object], kind: type[OrdermadeError]) -> str:
    with pytest.raises(kind) as raised:
        run()
    return str(raised.value)


@pytest.mark.parametrize(
    ("select", "said"),
    [
        ("age, person, name", "a part has no column 'month'"),
        ("*, 1 AS more", "a part has no column 'more'"),  # all together have it, and the others have it not
        ("* REPLACE (CAST(age AS SMALLINT) AS age)", "the column 'age' of a part has the type SMALLINT"),
    ],
)
def test_parts_of_other_columns_are_named(months: Months, select: str, said: str) -> None:
    months.add(**BY_PRINT)
    months.run()
    months.write(3, select=select)
    if "more" in said:
        assert months.run().released  # it was not registered
        with StateFile(months.engine.state_file.path, SHELL).writing() as connection:
            connection.execute("UPDATE datasets SET columns = NULL")
    assert said in fault(months.run, InputError)


def test_rows_in_no_part_are_named(months: Months) -> None:
    months.write(3, select="* REPLACE (NULLIF(month, 3) AS month)")
    months.add(parts="month")
    assert "rows are in no part: the column is NULL there" in fault(months.run, InputError)


def test_one_file_under_two_names_is_named(months: Months) -> None:
    months.add(**BY_PRINT)
    os.link(months.path(1), months.path(5))
    assert "the same file is here as '1.parquet'" in fault(months.run, InputError)
    months.path(5).unlink()
    months.path(5).symlink_to(months.path(2))
    other = replace(months.engine).datasets
    assert "its rows would count twice" in fault(lambda: other.add("e", "s", table="data", **BY_PRINT), InputError)


@pytest.mark.parametrize("gone", [True, False])
@pytest.mark.parametrize("parted", [BY_PRINT, {"file_parts": True}])
def test_a_part_that_changes_in_the_middle_is_named(months: Months, gone: bool, parted: dict[str, Any]) -> None:
    months.add(**parted)

    def change(step: str) -> None:
        if step.startswith("part 2"):
            months.path(2).unlink() if gone else months.write(2, rows=10)

    months.heard.then = change
    said = fault(months.run, SourceChanged)
    assert "a part changed, or is gone" in said
    assert "2.parquet" in said
    months.heard.then = lambda _: None
    result = months.run()
    # The first part's counts are kept, if its version shows that it is the same.
    assert result.search.source_queries == (1 if gone else 2)
    assert result.rows == (160 if gone else 170)


def test_no_parts_are_named(months: Months) -> None:
    months.add(**BY_PRINT)
    for month in range(1, 4):
        months.path(month).unlink()
    assert "there is no such file" in fault(months.run, SourceFault)


def test_what_cannot_be_parted_is_named(months: Months, tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS age, 1.5::DOUBLE AS x, [1] AS listed")
    months.engine.sources.add("t", str(tmp_path / "t.duckdb"))
    add = months.engine.datasets.add
    for said, more in (
        ("not made of Parquet files", {"file_parts": True}),
        ("is a DOUBLE, which parts no dataset", {"parts": "x"}),
        ("is a INTEGER[], which parts no dataset", {"parts": "listed"}),
        ("parted in one way", {"parts": "age", "file_parts": True}),
        ("fingerprints are of files", {"version": FINGERPRINT}),
        ("there is no such version", {"file_parts": True, "version": "mtime"}),
        ("speaks of the whole", {"parts": "age", "version_query": "SELECT count(*) FROM t"}),
    ):
        options: dict[str, Any] = more
        assert said in fault(lambda options=options: add("e", "t", table="t", **options), InputError)  # type: ignore[misc]
    assert "of a table, not of a query" in fault(
        lambda: add("e", "s", query="SELECT * FROM data", file_parts=True), InputError
    )
