"""An answer that comes in many batches is kept as one that comes in a few: its rows, their order, nothing beside."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest
from sqlglot import parse_one

from ordermade import sql
from ordermade.sources import executor
from ordermade.sources.executor import ARRIVING, Executor, Purpose


@pytest.mark.parametrize("rows", [0, 3, 5, 6, 10, 11, 23])
@pytest.mark.parametrize("calculated", [False, True])
def test_an_answer_is_kept_whole_and_in_its_order(rows: int, calculated: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor, "AT_ONCE", 5)
    table = pa.table({"a": pa.array(range(rows), pa.int64())})
    answer = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(2))
    around = parse_one(f"SELECT a + $more AS a FROM {ARRIVING}", dialect=sql.DIALECT) if calculated else None
    with duckdb.connect() as connection:
        workspace = Executor(connection, "workspace")
        workspace.take_batches(Purpose.STORE, "kept", answer, around, {"more": 1} if calculated else None)  # type: ignore[arg-type]
        assert connection.table("kept").fetchall() == [(i + calculated,) for i in range(rows)]
        assert [name for (name,) in connection.sql("SHOW TABLES").fetchall()] == ["kept"]


def test_no_more_rows_are_in_memory_than_the_groups_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor, "AT_ONCE", 5)
    given, taken = 0, 0

    def batches() -> object:
        nonlocal given
        for start in range(0, 40, 2):
            given += 2
            assert given - taken <= 2 * (5 + 2)
            yield pa.record_batch({"a": pa.array([start, start + 1])})

    def note(statement: object) -> None:
        nonlocal taken
        taken += 6

    with duckdb.connect() as connection:
        reader = pa.RecordBatchReader.from_batches(pa.schema([("a", pa.int64())]), batches())
        Executor(connection, "workspace", listener=note).take_batches(Purpose.STORE, "kept", reader)
    assert given == 40
