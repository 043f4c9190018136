"""A dataset in parts by a column has the version and the answers of the whole in every kind of source."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine
from ordermade.catalogue.sources import opened
from ordermade.counting.dataset import version
from ordermade.errors import InputError
from ordermade.sources.limits import Limits
from tests.conformance.backends import Made, Table, the_table
from tests.made import new_engine, write_hierarchy

pytestmark = pytest.mark.slow

Make = Callable[[Table], Made]

COLUMNS = {"id": "BIGINT", "age": "BIGINT", "shop": "VARCHAR", "day": "DATE", "at": "TIMESTAMP"}
SHOPS = ("a", "A", "a ", "é", "e'", "b")
ROWS = [
    (i % 30, 20 + i % 4, SHOPS[i % 6], date(2024, 1, 1 + i % 3), datetime(2024, 1, 1, 10, 0, i % 4, 500_000))
    for i in range(90)
]
VISITS = Table("Visits", COLUMNS, ROWS)


def registered(folder: Path, made: Made, **more: Any) -> Engine:
    """An engine with the table in the source `s`, as the dataset `whole`, and in parts by each column."""
    engine = new_engine(folder, limits=Limits("256MB", 1))
    engine.sources.add("s", made.location)
    with opened(engine.sources.get("s"), engine.limits) as backend:
        table = the_table(backend).name
    engine.datasets.add("whole", "s", table=table, least_k=2, **more)
    for column in ("shop", "day", "at", "id"):
        engine.datasets.add(column, "s", table=table, least_k=2, parts=column, **more)
    ages = [(str(age), "low" if age < 22 else "high", "*") for age in range(20, 24)]
    engine.hierarchies.add("age", write_hierarchy(folder / "age.csv", ("value", "half", "top"), ages))
    return engine


def test_parts_are_the_whole(make: Make, tmp_path: Path) -> None:
    engine = registered(tmp_path, make(VISITS), entity="id")
    with engine.datasets.open("whole") as found:
        seen = version(found.filtered(None))
    for column in ("shop", "day", "at", "id"):
        with engine.datasets.open(column) as found:
            parts = found.filtered(None).parts
            assert parts is not None
            assert (parts.version(), parts.number) == (seen, len({row[list(COLUMNS).index(column)] for row in ROWS}))
    results: dict[str, Any] = {}
    for name, counted in (("shop", 6), ("shop", 0), ("whole", 0)):
        to = tmp_path / f"{name}.csv"
        request = {"dataset": name, "k": 5, "quasi_identifiers": {"age": {"hierarchy": "age"}}}
        request |= {"where": "age > 20", "release": {"to": str(to), "replace": True}}
        result: Any = engine.run(request, again=True)
        assert (result.status, result.search.source_queries) == ("released", counted)
        results[name] = (result.k, result.divisions, result.levels, to.read_bytes())
    assert results["shop"] == results["whole"]


def test_rows_without_a_part_are_refused(make: Make, tmp_path: Path) -> None:
    rows = [*ROWS, (91, 20, None, None, None)]
    engine = registered(tmp_path, make(VISITS.changed(rows=rows)))
    for column in ("shop", "day", "at"):
        with engine.datasets.open(column) as found:
            parts = found.filtered(None).parts
            assert parts is not None
            with pytest.raises(InputError, match="rows are in no part"):
                parts.version()
