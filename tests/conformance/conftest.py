"""One parameter a backend: every test of this folder that asks for `make` runs on each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance.backends import BACKENDS, Made, Table

OFTEN = ("duckdb", "csv")
"""The kinds of source that are tried when only fast tests are asked for."""


@pytest.fixture(params=[each if each in OFTEN else pytest.param(each, marks=pytest.mark.slow) for each in BACKENDS])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Table], Made]:
    """Puts a table into a fresh source of one kind."""
    count = iter(range(1000))

    def put(table: Table) -> Made:
        folder = tmp_path / f"made-{next(count)}"
        folder.mkdir()
        return BACKENDS[request.param](folder, table)

    return put
