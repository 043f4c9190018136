"""The head of the counts of a statistical table: as a request names it, from the file to its report."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine, RequestError, anonymize
from ordermade.errors import InputError
from ordermade.release.verify import noted
from ordermade.requests.read import read_mapping
from ordermade.requests.resolving import request_hash
from ordermade.state import releases, requests
from tests.made import new_engine, write_hierarchy, write_table

TOWNS = {"1": "東京都", "2": "東京都", "3": "大阪府", "4": "大阪府"}


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    rows = [(number, number % 4 + 1) for number in range(48)]
    write_table(
        tmp_path / "s.duckdb", {"番号": "INTEGER", "市": "INTEGER", "件数": "INTEGER"}, [(*row, 1) for row in rows]
    )
    made = new_engine(tmp_path, use_cache=False)
    made.sources.add("s", str(tmp_path / "s.duckdb"), writable=True)
    made.datasets.add("d", "s", table="persons")
    made.hierarchies.add("市", write_hierarchy(tmp_path / "t.csv", ("value", "label"), list(TOWNS.items())))
    return made


def wanted(to: Any, shape: str = "table", columns: tuple[str, ...] = ("市",), **release: Any) -> dict[str, Any]:
    chosen = {each: {"hierarchy": "市", "from": "label"} for each in columns}
    return {"dataset": "d", "k": 12, "quasi_identifiers": chosen, "release": {"to": to, "shape": shape, **release}}


@pytest.mark.slow
@pytest.mark.parametrize("to", ["out.csv", "out.parquet", {"table": "released"}])
def test_a_named_head_is_written_measured_verified_and_reported(engine: Engine, tmp_path: Path, to: Any) -> None:
    target = str(tmp_path / to) if isinstance(to, str) else to
    found = engine.run(wanted(target, count="件数"))
    assert found.k == 24
    assert list(found.to_pandas().columns) == ["市", "件数"] if isinstance(to, str) else True
    assert engine.releases.verify(found.release.number).findings == ()
    page = engine.releases.report(found.release.number, "user").to_html(tmp_path / "report.html", "ja")
    assert "件数" in page.read_text(encoding="utf-8")
    if to == "out.csv":
        with (tmp_path / to).open(encoding="utf-8", newline="") as file:
            assert list(csv.reader(file)) == [["市", "件数"], ["東京都", "24"], ["大阪府", "24"]]


@pytest.mark.slow
def test_a_file_is_verified_when_the_text_of_its_request_is_erased(engine: Engine, tmp_path: Path) -> None:
    found = engine.run(wanted(str(tmp_path / "out.csv"), count="件数"))
    with engine.state_file.reading() as connection:
        release = releases.get(connection, found.release.number)
        request = requests.get(connection, release.request_id)
    assert noted(release, request).reading.count == "件数"
    assert noted(release, replace(request, request=None)).reading.count == "件数"


@pytest.mark.slow
def test_a_column_of_the_same_name_is_refused(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="has a column `件数` of its own"):
        engine.run(wanted(str(tmp_path / "out.csv"), columns=("市", "件数"), count="件数"))


def test_a_head_is_of_a_table_and_part_of_the_request() -> None:
    def hashed(**release: Any) -> str:
        return request_hash(read_mapping(wanted("out.csv", **release)).request)

    assert hashed(count="count") == hashed()
    assert hashed(count="件数") != hashed()
    with pytest.raises(RequestError, match="count names a column of a statistical table"):
        read_mapping(wanted("out.csv", shape="rows", count="件数"))


@pytest.mark.slow
def test_a_frame_has_the_head_that_a_call_names() -> None:
    import pandas as pd

    table = pd.DataFrame({"性別": ["男", "女"] * 20})
    found = anonymize(table, k=5, quasi_identifiers=["性別"], shape="table", release={"count": "件数"})
    assert list(found.frame().columns) == ["性別", "件数"]
    with pytest.raises(InputError, match="count names a column"):
        anonymize(table, k=5, quasi_identifiers=["性別"], release={"count": "件数"})
