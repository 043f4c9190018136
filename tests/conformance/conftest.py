"""One parameter a backend: every test of this folder that asks for `make` runs on each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance.backends import BACKENDS, Made, Table
from tests.conformance.two_databases import TwoDatabases

OFTEN = ("duckdb", "csv")
"""The kinds of source that are tried when only fast tests are asked for."""


@pytest.fixture(params=[each if each in OFTEN else pytest.param(each, marks=pytest.mark.slow) for each in BACKENDS])
def make(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Table], Made]:
    """Puts a table into a fresh source of one kind. `apart`: a DuckDB file that is opened apart from the workspace."""
    if request.param == "apart":
        monkeypatch.setattr("ordermade.sources.open.DuckDBFile", TwoDatabases)
    count = iter(range(1000))

    def put(table: Table) -> Made:
        folder = tmp_path / f"made-{next(count)}"
        folder.mkdir()
        return BACKENDS[request.param](folder, table)

    return put
