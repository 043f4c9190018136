"""One parameter a backend: every test of this folder that asks for `make` runs on each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.conformance.backends import BACKENDS, CLUSTERS, SERVERS, Made, Table
from tests.conformance.two_databases import TwoDatabases
from tests.services.servers import fresh_schema

OFTEN = ("duckdb", "csv")
"""The kinds of source that are tried when only fast tests are asked for."""
VARIANTS = ("apart", "csv-glob", "parquet", "parquet-glob", "workbook")
"""The kinds that are read as another is: a DuckDB file apart from the workspace as a SQLite file, Parquet as CSV,
and a workbook as Parquet, once it is parsed."""
HEAVY = (
    "test_certificates_every_backend.py",
    "test_foretold_costs_every_backend.py",
    "test_gone_every_backend.py",
    "test_ledger_every_backend.py",
    "test_registered_columns_every_backend.py",
    "test_releases_together_every_backend.py",
    "test_repeat_every_backend.py",
    "test_tables_every_backend.py",
    "test_version_query_every_backend.py",
)
"""Files of many whole requests: on kinds but a DuckDB file they are thorough."""
SAMPLES = (
    "test_a_filter_gives_those_away_whom_it_leaves_out",
    "test_a_renamed_column_is_one_gone_and_another_new",
    "test_dropped_classes_follow_from_a_total",
    "test_every_source_gives_the_same_bytes",
)
"""Tests of them that run on every kind all the same."""
OF_CSV = ("test_every_backend.py", "test_commands_every_backend.py", "test_values_every_backend.py")
"""Files that are always run on a CSV file: it is read into a DuckDB file, of which the others ask."""

FIXTURES = {"postgresql": "postgres", "mariadb": "mariadb", "spark": "spark"}
"""The fixture of the server of each kind that needs one, or of what else it needs."""


def _marks(kind: str) -> list[pytest.MarkDecorator]:
    if kind in VARIANTS:
        return [pytest.mark.thorough]
    return [] if kind in OFTEN else [pytest.mark.slow]


KINDS = [
    *(pytest.param(each, marks=_marks(each)) for each in BACKENDS),
    *(pytest.param(each, marks=pytest.mark.services) for each in SERVERS),
    *(pytest.param(each, marks=pytest.mark.spark) for each in CLUSTERS),
]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks heavy files on further kinds of source before the marks choose what runs, and others on CSV."""
    for item in items:
        is_heavy = item.path.name in HEAVY and getattr(item, "originalname", "") not in SAMPLES
        others = [kind for kind in BACKENDS if kind != "duckdb"] if is_heavy else ["csv"]
        if item.path.name not in OF_CSV and any(f"[{kind}" in item.name for kind in others):
            item.add_marker(pytest.mark.thorough)


@contextmanager
def putting(request: pytest.FixtureRequest, folder: Path) -> Iterator[Callable[[Table], Made]]:
    """Puts each table into a fresh source of the kind that is the parameter, in a folder of its own."""
    needed = request.getfixturevalue(FIXTURES[request.param]) if request.param in FIXTURES else None
    count = iter(range(1000))

    def put(table: Table) -> Made:
        own = folder / f"made-{next(count)}"
        own.mkdir()
        if request.param in SERVERS:
            return SERVERS[request.param](schemas.enter_context(fresh_schema(needed)), table)
        return {**BACKENDS, **CLUSTERS}[request.param](own, table)

    with ExitStack() as schemas, pytest.MonkeyPatch.context() as patch:
        if request.param == "apart":
            patch.setattr("ordermade.sources.open.DuckDBFile", TwoDatabases)
        yield put


@pytest.fixture(params=KINDS)
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[Table], Made]]:
    """Puts a table into a fresh source of one kind. `apart`: a DuckDB file that is opened apart from the workspace."""
    with putting(request, tmp_path) as put:
        yield put


@pytest.fixture(scope="module", params=KINDS)
def make_once(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[Table], Made]]:
    """As `make`, for sources that several tests of a module read and none changes."""
    with putting(request, tmp_path_factory.mktemp("sources")) as put:
        yield put
