"""Any table of texts, numbers and days comes back from a workbook as it went in."""

from __future__ import annotations

import tempfile
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from ordermade import sql
from ordermade.release import workbooks
from ordermade.sources.executor import Executor
from tests.long import rounds

TEXTS = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"], exclude_characters="\uffff\ufffe\0"), st.sampled_from("<r>/_x0&=")
    ),
    min_size=1,
    max_size=12,
)
ROWS = st.lists(
    st.tuples(
        st.integers(-(10**15) + 1, 10**15 - 1),
        TEXTS | st.none(),
        st.floats(allow_nan=False, allow_infinity=False) | st.none(),
        st.dates(date(1900, 1, 1)) | st.none(),
        st.booleans() | st.none(),
    ),
    min_size=1,
    max_size=8,
)


@pytest.mark.slow
@given(rows=ROWS)
@pytest.mark.long
@settings(max_examples=rounds(25, 60))
def test_what_is_written_is_read_back(rows: list[tuple[Any, ...]]) -> None:
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (i BIGINT, t VARCHAR, f DOUBLE, d DATE, b BOOLEAN)")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", rows)
        query = sql.with_relations(sql.select("workspace/taken"), {"dataset": exp.to_table("t")})
        executor = Executor(connection, "test")
        path = Path(folder) / "t.xlsx"
        path.touch()
        workbooks.require_fits(executor, query, "here")
        workbooks.write(executor, query, path)
        read = workbooks.read_back(path, Path(folder))
        found = connection.execute(
            "SELECT i::DOUBLE::BIGINT, t, f::DOUBLE, d::DATE, b::BOOLEAN FROM read_parquet(?)", [str(read)]
        ).fetchall()
    assert found == rows
