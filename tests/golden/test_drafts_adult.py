"""Adult with drafted hierarchies: no more than 1.15 times the Loss with the hierarchies that ARX ships."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.drafts import TARGET, compared
from bench.local import DATA


@pytest.mark.thorough
@pytest.mark.skipif(not DATA.exists(), reason=f"no data in {DATA}")
@pytest.mark.parametrize("columns", [8, 9])
def test_drafts_of_adult_lose_little_more_than_shipped_hierarchies(tmp_path: Path, columns: int) -> None:
    assert [each.k for each in compared(tmp_path, [columns]) if each.ratio > TARGET] == []
