"""Every method through the whole engine on servers: the releases of a DuckDB file, and the statements by snapshot.

`ORDERMADE_RENEW_GOLDEN=1 make services` writes the snapshots in `tests/golden/<server>/` anew.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.sources.limits import Limits
from tests.conformance.backends import SERVERS, Table
from tests.conformance.test_every_method_in_sqlite import COLUMNS, QIS, REQUESTS, RULES, Asked, _rows, release
from tests.made import new_engine
from tests.services.servers import Schema, fresh_schema

GOLDEN = Path(__file__).parents[1] / "golden"
RENEW = bool(os.environ.get("ORDERMADE_RENEW_GOLDEN"))
FIXTURES = {"postgresql": "postgres", "mariadb": "mariadb"}

pytestmark = pytest.mark.services


@dataclass(frozen=True)
class OnServer(Asked):
    """An engine with the datasets `duckdb` and `server`, and of persons `persons-duckdb` and `persons-server`."""

    kind: str
    schema: Schema


@pytest.fixture(scope="module", params=SERVERS)
def asked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OnServer]:
    server = request.getfixturevalue(FIXTURES[request.param])
    folder = tmp_path_factory.mktemp("methods")
    with duckdb.connect(str(folder / "s.duckdb")) as connection:
        connection.execute(f"CREATE TABLE t ({', '.join(f'{name} {kind}' for name, kind in COLUMNS.items())})")
        connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(COLUMNS))})", _rows())
    engine = new_engine(folder, use_cache=False, limits=Limits("256MB", 1))
    with fresh_schema(server) as schema:
        made = SERVERS[request.param](schema, Table("t", COLUMNS, _rows()))
        for kind, location in (("duckdb", str(folder / "s.duckdb")), ("server", made.location)):
            engine.sources.add(kind, location)
            engine.datasets.add(kind, kind, table="t", least_k=2)
            engine.datasets.add(f"persons-{kind}", kind, table="t", entity="who", least_k=2)
        for column, text in RULES.items():
            (folder / f"{column}.yaml").write_text(text, encoding="utf-8")
            engine.hierarchies.add(column, folder / f"{column}.yaml")
        yield OnServer(engine, folder, request.param, schema)


@pytest.mark.parametrize("named", REQUESTS)
def test_a_release_is_the_same_to_the_byte(asked: OnServer, named: str, tmp_path: Path) -> None:
    one, expected = release(asked, "duckdb", REQUESTS[named], tmp_path / "one.csv")
    other, found = release(asked, "server", REQUESTS[named], tmp_path / "other.csv")
    assert found == expected
    assert (other.k, other.rows, other.loss) == (one.k, one.rows, one.loss)


@pytest.mark.parametrize("named", ["rows", "limit", "models", "mondrian"])
def test_persons_are_released_alike(asked: OnServer, named: str, tmp_path: Path) -> None:
    request = {**REQUESTS[named], "k": 3}
    one, expected = release(asked, "persons-duckdb", request, tmp_path / "one.csv")
    other, found = release(asked, "persons-server", request, tmp_path / "other.csv")
    assert (other.k, other.loss) == (one.k, one.loss)
    assert len(found.splitlines()) == len(expected.splitlines())


@pytest.mark.parametrize("of_persons", [False, True])
@pytest.mark.parametrize("named", ["rows", "models", "limit"])
def test_checks_in_the_source_find_the_same(asked: OnServer, named: str, of_persons: bool, tmp_path: Path) -> None:
    entity = "persons-" if of_persons else ""
    given = {**REQUESTS[named], "quasi_identifiers": {"sex": QIS["sex"], "age": QIS["age"]}, "k": 3}
    results = []
    for kind in ("duckdb", "server"):
        to = {"to": str(tmp_path / f"{kind}.csv"), "replace": True}
        results.append(_run(asked.engine, {"dataset": f"{entity}{kind}", **given, "release": to}))
    one, other = results
    assert (other.status, other.levels, other.k, other.loss) == (one.status, one.levels, one.k, one.loss)


def _run(engine: Engine, request: dict[str, Any]) -> Any:
    return engine.run(request, roll_up=False, again=True)


def test_purchase_histories_lose_the_same(asked: OnServer, tmp_path: Path) -> None:
    given = {
        "method": "history",
        "k": 2,
        "history": {"customer": "who", "when": "joined", "item": "code", "numbers": ["age", "height"]},
    }
    one, first = release(asked, "persons-duckdb", given, tmp_path / "one.csv")
    other, second = release(asked, "persons-server", given, tmp_path / "other.csv")
    assert (other.k, other.rows, other.loss) == (one.k, one.rows, one.loss)
    assert len(first.splitlines()) == len(second.splitlines())


def _statements(asked: OnServer, dataset: str, named: str, folder: Path) -> str:
    """The statements of a request that run on the server, with one name for the schema of each run."""
    given = {key: value for key, value in REQUESTS[named].items() if key != "shape"}
    steps = asked.engine.explain({"dataset": dataset, **given, "release": {"to": str(folder / "x.csv")}})
    texts = [f"-- {each.title}\n{each.sql};\n" for each in steps if each.runs_in == "source"]
    return "\n".join(texts).replace(asked.schema.name, "shop")


SNAPSHOTS = [
    *(("server", each) for each in ("rows", "filtered", "models", "local", "microaggregation", "mondrian")),
    *(("persons-server", each) for each in ("rows", "models", "mondrian")),
]


@pytest.mark.parametrize(("dataset", "named"), SNAPSHOTS)
def test_the_statements_are_those_of_the_snapshots(asked: OnServer, named: str, dataset: str, tmp_path: Path) -> None:
    file = GOLDEN / asked.kind / f"{'persons_' if 'persons' in dataset else ''}{named}.sql"
    text = _statements(asked, dataset, named, tmp_path)
    if RENEW:
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == text, "renew with ORDERMADE_RENEW_GOLDEN=1 if this was meant"
