"""Random messy columns: what the query of a reading gives in DuckDB is what each text was written for."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordermade.drafts.text_column import ColumnReading
from ordermade.drafts.text_parsers import dataset_query, examined
from ordermade.requests.dataset_query import parse_dataset_query
from tests.messy_texts import KINDS, column_of, profile_of


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        yield opened


@pytest.mark.slow
@given(kind=st.sampled_from(sorted(KINDS)), rows=st.integers(1, 30), seed=st.integers(0, 10**6))
def test_a_reading_gives_the_values_of_its_texts(
    connection: duckdb.DuckDBPyConnection, kind: str, rows: int, seed: int
) -> None:
    pairs = column_of(kind, rows, seed)
    found = examined(profile_of("c", [text for text, _ in pairs]))
    if not isinstance(found, ColumnReading):
        return  # too few texts to tell: they are left as they are
    query = dataset_query("t", ["i", "c"], [found])
    parse_dataset_query(query)
    connection.execute(
        "CREATE OR REPLACE TABLE t AS SELECT unnest($1) AS i, unnest($2::VARCHAR[]) AS c",
        [list(range(rows)), [text for text, _ in pairs]],
    )
    answer = [row[1] for row in sorted(connection.execute(query).fetchall(), key=lambda row: int(row[0]))]
    wanted = [value for _, value in pairs]
    if found.type == "VARCHAR":  # codes, where all that was written are digits
        answer, wanted = (
            [None if each is None else str(each).lstrip("0") for each in side] for side in (answer, wanted)
        )
    assert answer == wanted
