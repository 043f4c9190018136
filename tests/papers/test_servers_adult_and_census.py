"""Adult and the census on servers: every search finds what it finds in DuckDB, by as many questions, to the byte."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.methods.generalization.result import GeneralizationResult
from tests.conformance.backends import SERVERS, Table
from tests.made import new_engine
from tests.papers.test_sqlite_adult_and_census import ADULT, add_hierarchies, queries
from tests.services.servers import fresh_schema

FIXTURES = {"postgresql": "postgres", "mariadb": "mariadb"}
CENSUS = ("sex", "age", "prefecture")
METHODS: Mapping[str, Mapping[str, Any]] = {
    "mondrian": {
        "method": "mondrian",
        "k": 10,
        "quasi_identifiers": {"age": {}, **{column: {"hierarchy": f"adult-{column}"} for column in ("sex", "race")}},
        "keep": ["occupation"],
    },
    "microaggregation": {"method": "microaggregation", "k": 10, "attributes": {"age": {}}, "keep": ["education"]},
    "local": {
        "k": 10,
        "quasi_identifiers": {column: {"hierarchy": f"adult-{column}"} for column in ADULT[:4]},
        "suppression_limit": 0.01,
        "recoding": "local",
    },
}

pytestmark = [pytest.mark.services, pytest.mark.slow]


@dataclass(frozen=True)
class Loaded:
    """An engine with Adult and the census in a DuckDB file, and on a server of a kind."""

    engine: Engine
    folder: Path


@pytest.fixture(scope="module", params=SERVERS)
def loaded(
    request: pytest.FixtureRequest, shared_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Loaded]:
    server = request.getfixturevalue(FIXTURES[request.param])
    folder = tmp_path_factory.mktemp("servers")
    engine = new_engine(folder, use_cache=False)
    with ExitStack() as stack:
        for name, (query, parameters) in queries(shared_data).items():
            file = folder / f"{name}.duckdb"
            with duckdb.connect(str(file)) as connection:
                connection.execute(f"CREATE TABLE persons AS {query}", parameters)
                described = connection.execute("DESCRIBE persons").fetchall()
                columns = {column: kind for column, kind, *_ in described}
                rows = connection.execute("SELECT * FROM persons").fetchall()
            schema = stack.enter_context(fresh_schema(server))
            made = SERVERS[request.param](schema, Table("persons", columns, rows))
            for kind, location in (("duckdb", str(file)), ("server", made.location)):
                engine.sources.add(f"{name}-{kind}", location)
                engine.datasets.add(f"{name}-{kind}", f"{name}-{kind}", table="persons", least_k=2)
        add_hierarchies(engine, shared_data, folder)
        yield Loaded(engine, folder)


def require_alike(loaded: Loaded, data: str, request: Mapping[str, Any], folder: Path) -> None:
    results = [
        loaded.engine.run(
            {"dataset": f"{data}-{kind}", **request, "release": {"replace": True, "to": str(folder / f"{kind}.csv")}}
        )
        for kind in ("duckdb", "server")
    ]
    one, other = results
    assert (other.status, other.k, other.divisions, other.rows, other.loss) == (
        one.status,
        one.k,
        one.divisions,
        one.rows,
        one.loss,
    )
    if isinstance(one, GeneralizationResult) and isinstance(other, GeneralizationResult):
        assert other.levels == one.levels
        assert replace(other.search, seconds=0.0) == replace(one.search, seconds=0.0)
    if one.status == "released":
        assert (folder / "server.csv").read_bytes() == (folder / "duckdb.csv").read_bytes()


def _quasi_identifiers(data: str, columns: tuple[str, ...]) -> dict[str, Any]:
    return {"quasi_identifiers": {column: {"hierarchy": f"{data}-{column}"} for column in columns}}


@pytest.mark.parametrize("algorithm", ["guided", "ola", "incognito"])
@pytest.mark.parametrize("k", [2, *(pytest.param(k, marks=pytest.mark.whole) for k in (10, 100))])
def test_every_search_of_adult(loaded: Loaded, algorithm: str, k: int, tmp_path: Path) -> None:
    search = {"algorithm": algorithm}
    require_alike(loaded, "adult", {"k": k, **_quasi_identifiers("adult", ADULT), "search": search}, tmp_path)


def test_the_whole_lattice_of_four_columns_of_adult(loaded: Loaded, tmp_path: Path) -> None:
    request = {"k": 10, **_quasi_identifiers("adult", ADULT[:4]), "search": {"algorithm": "exhaustive"}}
    require_alike(loaded, "adult", request, tmp_path)


@pytest.mark.parametrize("algorithm", ["guided", "incognito", "exhaustive", "paper-pak"])
@pytest.mark.parametrize("k", [2, 50, 500])
def test_every_search_of_the_census(loaded: Loaded, algorithm: str, k: int, tmp_path: Path) -> None:
    search = {"algorithm": algorithm, "objective": "classes"}
    require_alike(loaded, "census", {"k": k, **_quasi_identifiers("census", CENSUS), "search": search}, tmp_path)


@pytest.mark.parametrize("named", METHODS)
def test_every_method_on_adult(loaded: Loaded, named: str, tmp_path: Path) -> None:
    require_alike(loaded, "adult", METHODS[named], tmp_path)
