"""The filter of a call to anonymise goes the way of every filter: all is read first, and nothing is pushed into."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import anonymize
from ordermade.anonymization import proposal
from ordermade.counting.dataset import Dataset
from ordermade.sources.executor import Executor, Purpose


@pytest.mark.slow
def test_a_proposal_under_a_filter_evaluates_every_row_first_and_fences_the_view(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with duckdb.connect(tmp_path / "shop.duckdb") as database:
        database.execute("CREATE TABLE t AS SELECT i % 4 AS age, CAST(i % 7 AS VARCHAR) AS code FROM range(200) r(i)")
        database.execute("CREATE VIEW v AS SELECT age, CAST(code AS INTEGER) AS code FROM t")
    passes: list[str] = []
    rows, profiles = Executor.rows, proposal.column_profiles

    def noted(self: Executor, purpose: Purpose, statement: Any, *rest: Any) -> list[Any]:
        if purpose is Purpose.VERSION and not isinstance(statement, str):
            passes.append(statement.sql("duckdb"))
        return rows(self, purpose, statement, *rest)

    def profiled(dataset: Dataset, *rest: Any, **named: Any) -> Any:
        passes.append(dataset.relation.sql("duckdb"))
        return profiles(dataset, *rest, **named)

    monkeypatch.setattr(Executor, "rows", noted)
    monkeypatch.setattr(proposal, "column_profiles", profiled)
    assert anonymize(
        tmp_path / "shop.duckdb", table="v", k=5, quasi_identifiers=["age"], where="code >= 1"
    ).result.released

    at = next(place for place, each in enumerate(passes) if "WHERE" in each)
    assert "LIMIT 9223372036854775807" in passes[at]
    assert "HASH" in passes[at - 1].upper()
    assert '"code"' in passes[at - 1]
