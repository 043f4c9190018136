"""What a view of a DuckDB file reaches: no file of the machine, the cache, the state or other releases included."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.errors import InputError, OrdermadeError
from ordermade.sources.limits import Limits
from ordermade.sources.spill_folder import SpillFolder
from ordermade.sources.workspace import connect
from ordermade.state.location import cache_path
from tests.long import sampled
from tests.made import new_engine, write_hierarchy

SECRET = "haruka,1970-01-01"
READS = [
    "SELECT * FROM read_csv('{file}', columns = {{'x': 'VARCHAR'}}, auto_detect = FALSE, header = FALSE, delim = '~')",
    "SELECT * FROM read_csv('{file}')",
    "SELECT * FROM '{file}'",
    "SELECT * FROM '{parquet}'",
    "SELECT * FROM read_parquet('{parquet}')",
    "SELECT * FROM parquet_metadata('{parquet}')",
    "SELECT * FROM parquet_schema('{parquet}')",
    "SELECT * FROM read_text('{file}')",
    "SELECT * FROM read_blob('{file}')",
    "SELECT * FROM read_json_objects('{file}', format = 'unstructured')",
    "SELECT * FROM sniff_csv('{file}')",
    "SELECT * FROM glob('{folder}/*')",
    "SELECT * FROM query('SELECT * FROM read_text(''{file}'')')",
    "SELECT id FROM persons WHERE (SELECT COUNT(*) FROM read_text('{file}')) = 1",
]
"""Statements that a view may be made of, and that read a file."""
BEYOND = [
    *(each for each in READS if "persons" not in each),
    "SELECT * FROM read_csv('https://example.com/a.csv')",
    "SELECT * FROM read_text('{spill}/../{name}')",
    "COPY (SELECT 1) TO '{folder}/out.csv'",
    "COPY (SELECT 1) TO '{folder}/out.parquet'",
    "ATTACH '{folder}/other.duckdb' AS other",
    "EXPORT DATABASE '{folder}/exported'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET enable_external_access = TRUE",
    "SET allowed_directories = ['/']",
    "SET lock_configuration = FALSE",
    "RESET allowed_paths",
    "SET temp_directory = '{folder}'",
    "CREATE SECRET (TYPE s3)",
]


@pytest.fixture
def places(tmp_path: Path) -> dict[str, str]:
    """A file that no view may read, as CSV and as Parquet."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.csv").write_text(f"name,born\n{SECRET}\n")
    found = {"file": outside / "secret.csv", "parquet": outside / "secret.parquet", "folder": outside}
    duckdb.execute("COPY (SELECT 'haruka' AS name) TO $parquet (FORMAT parquet)", {"parquet": str(found["parquet"])})
    return {key: str(path) for key, path in found.items()}


@pytest.mark.parametrize("statement", BEYOND)
def test_a_workspace_reaches_no_file_but_its_own(statement: str, places: dict[str, str]) -> None:
    with SpillFolder() as spill, connect(None, spill, Limits("256MB", 1)) as connection:
        text = statement.format(**places, spill=spill.path, name=Path(places["file"]).name)
        with pytest.raises(duckdb.Error) as refused:
            connection.execute(text).fetchall()
        assert SECRET not in str(refused.value)


def test_a_link_in_the_folder_of_a_workspace_leads_nowhere(places: dict[str, str]) -> None:
    with SpillFolder() as spill, connect(None, spill, Limits("256MB", 1)) as connection:
        (spill.path / "link.csv").symlink_to(places["file"])
        with pytest.raises(duckdb.PermissionException):
            connection.execute("SELECT * FROM read_text($path)", {"path": str(spill.path / "link.csv")})


def test_a_workspace_still_spills_and_changes_its_limits() -> None:
    with SpillFolder() as spill, connect(None, spill, Limits("256MB", 1)) as connection:
        connection.execute("SET threads = 2")
        connection.execute("SET memory_limit = '50MB'")
        connection.execute(
            "CREATE TEMP TABLE t AS SELECT i, hash(i)::VARCHAR AS h FROM range(1000000) AS r(i) ORDER BY h"
        )
        connection.execute("ATTACH ':memory:' AS source")


@pytest.fixture
def engine(tmp_path: Path, places: dict[str, str]) -> Engine:
    made = new_engine(tmp_path)
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute("CREATE TABLE persons AS SELECT i AS id, i % 3 AS age, i % 2 AS sex FROM range(30) AS r(i)")
        connection.execute("CREATE VIEW grown AS SELECT * FROM persons WHERE age > 0")
        for number, text in enumerate(READS):
            connection.execute(f"CREATE VIEW reads_{number} AS {text.format(**places)}")
    made.sources.add("s", str(tmp_path / "s.duckdb"), writable=True)
    return made


@pytest.mark.parametrize("number", range(len(READS)))
def test_a_view_of_a_file_is_no_dataset(engine: Engine, number: int) -> None:
    def shown(name: str, **described: str) -> None:
        engine.datasets.add(name, "s", **described)
        engine.datasets.show(name)

    with pytest.raises(OrdermadeError, match="--allow-external") as refused:
        shown("d", table=f"reads_{number}")
    assert "haruka" not in str(refused.value)
    with pytest.raises(OrdermadeError, match="--allow-external"):
        shown("q", query=f"SELECT * FROM reads_{number}")


@pytest.mark.slow
@pytest.mark.parametrize(
    "to", sampled(["{tmp}/out.csv", "{tmp}/new/out.parquet", "{tmp}/out.csv.gz", "{tmp}/out.xlsx", {"table": "out"}], 2)
)
def test_what_is_released_is_written_and_cached_all_the_same(engine: Engine, tmp_path: Path, to: Any) -> None:
    if isinstance(to, str):
        to = to.format(tmp=tmp_path)
    for name, values in (("age", "12"), ("sex", "01")):
        file = write_hierarchy(tmp_path / f"{name}.csv", (name, "any"), [(each, "any") for each in values])
        engine.hierarchies.add(name, file, "header")
    engine.datasets.add("d", "s", table="grown")
    asked = {
        "dataset": "d",
        "k": 5,
        "quasi_identifiers": {"age": {"hierarchy": "age"}, "sex": {"hierarchy": "sex"}},
        "release": {"to": to, "replace": True},
    }
    first, again = engine.run(asked), engine.run(asked, again=True)
    for each in (first, again):
        assert each.release is not None
        assert each.release.rows == 20
    assert (first.search.source_queries, again.search.source_queries) == (1, 0)
    assert engine.releases.verify(2).intact
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".ordermade-")] == []


@pytest.fixture
def allowed(engine: Engine, tmp_path: Path) -> Engine:
    engine.sources.add("open", str(tmp_path / "s.duckdb"), allow_external=True)
    return engine


def test_who_needs_other_files_says_so(allowed: Engine) -> None:
    allowed.datasets.add("d", "open", table="reads_1")
    assert allowed.datasets.show("d").rows == 1


def test_only_what_can_reach_out_may_be_let(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("age\n1\n")
    with pytest.raises(InputError, match="reads nothing beyond itself"):
        engine.sources.add("c", str(tmp_path / "p.csv"), allow_external=True)


def test_neither_cache_nor_state_is_ever_within_reach(engine: Engine, tmp_path: Path) -> None:
    state = engine.state
    for path in (state, cache_path(state)):
        with (
            SpillFolder() as spill,
            connect(None, spill, Limits("256MB", 1)) as connection,
            pytest.raises(duckdb.PermissionException),
        ):
            connection.execute(f"ATTACH '{path}' AS s (READ_ONLY)")
