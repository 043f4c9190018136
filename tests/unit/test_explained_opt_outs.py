"""What is explained of a source lists no person who opted out; on servers, `tests/services/test_opt_outs.py` looks."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.made import new_engine


@pytest.mark.slow
def test_statements_of_sqlite_name_nobody_who_opted_out(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "s.sqlite")) as database, database:
        database.execute("CREATE TABLE visits (id TEXT NOT NULL, a INTEGER)")
        database.executemany("INSERT INTO visits VALUES (?, ?)", [(f"Zqxname{i % 12}", i % 3) for i in range(48)])
    engine = new_engine(tmp_path)
    engine.sources.add("s", str(tmp_path / "s.sqlite"))
    engine.datasets.add("visits", "s", table="visits", entity="id", least_k=2)
    engine.datasets.opt_outs.add("visits", ["Zqxname1", "Zqxname7"])
    (tmp_path / "h.csv").write_text("value,g,top\n0,x,*\n1,x,*\n2,x,*\n")
    engine.hierarchies.add("h", tmp_path / "h.csv")
    request = {
        "dataset": "visits",
        "k": 2,
        "quasi_identifiers": {"a": {"hierarchy": "h"}},
        "release": {"to": str(tmp_path / "out.csv")},
    }
    texts = [each.sql for each in engine.explain(request)]
    assert any("opted_out" in each for each in texts)
    assert not any("Zqxname" in each for each in texts)
