"""One parameter a backend: every test of this folder that asks for `make` runs on each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.conformance.backends import BACKENDS, SERVERS, Made, Table
from tests.conformance.two_databases import TwoDatabases
from tests.services.servers import fresh_schema

OFTEN = ("duckdb", "csv")
"""The kinds of source that are tried when only fast tests are asked for."""


FIXTURES = {"postgresql": "postgres", "mariadb": "mariadb"}
"""The fixture of the server of each kind that needs one."""
KINDS = [
    *(each if each in OFTEN else pytest.param(each, marks=pytest.mark.slow) for each in BACKENDS),
    *(pytest.param(each, marks=pytest.mark.services) for each in SERVERS),
]


@pytest.fixture(params=KINDS)
def make(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[Table], Made]]:
    """Puts a table into a fresh source of one kind. `apart`: a DuckDB file that is opened apart from the workspace."""
    if request.param == "apart":
        monkeypatch.setattr("ordermade.sources.open.DuckDBFile", TwoDatabases)
    server = request.getfixturevalue(FIXTURES[request.param]) if request.param in SERVERS else None
    schemas = ExitStack()
    count = iter(range(1000))

    def put(table: Table) -> Made:
        folder = tmp_path / f"made-{next(count)}"
        folder.mkdir()
        if server is not None:
            return SERVERS[request.param](schemas.enter_context(fresh_schema(server)), table)
        return BACKENDS[request.param](folder, table)

    with schemas:
        yield put
