"""What a manifest must not say: whoever has the release and the manifest has nothing of suppressed rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ordermade.release.files import MANIFEST
from ordermade.state import versions
from tests.made import new_engine, write_hierarchy, write_table

ROWS = [("f", "flu")] * 5 + [("m", "ache")] * 5 + [("x", "flu")]


@pytest.mark.slow
def test_a_manifest_has_no_hash_of_the_rows(tmp_path: Path) -> None:
    """With the hashes of released rows taken off their sum, trying finds the one row that is suppressed."""
    engine = new_engine(tmp_path)
    write_table(tmp_path / "s.duckdb", {"sex": "VARCHAR", "ill": "VARCHAR"}, ROWS)
    engine.sources.add("s", str(tmp_path / "s.duckdb"))
    engine.datasets.add("d", "s", table="persons", least_k=2)
    paths = [(value, "*") for value in "fmx"]
    engine.hierarchies.add("sex", write_hierarchy(tmp_path / "sex.csv", ("value", "top"), paths), "header")
    result = engine.run(
        {
            "dataset": "d",
            "k": 5,
            "suppression_limit": 0.1,
            "quasi_identifiers": {"sex": {"hierarchy": "sex"}},
            "keep": ["ill"],
            "release": {"replace": True, "to": str(tmp_path / "out.parquet")},
        }
    )
    assert result.suppressed_rows == 1
    text = Path(f"{tmp_path / 'out.parquet'}{MANIFEST}").read_text(encoding="utf-8")
    with engine.state_file.reading() as connection:
        (version,) = versions.listed(connection)
    assert str(version.hash_sum) not in text
    assert json.loads(text)["dataset_version"].keys() == {"rows", "columns_hash", "proof"}
    assert json.loads(text)["suppression_limit"] == "0.1"
