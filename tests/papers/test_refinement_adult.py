"""Combinatorial refinement of Adult, occupation being sensitive: nothing where classes share no cell."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import refinement
from bench.adult_classes import _engine as adult_engine

pytestmark = [pytest.mark.slow, pytest.mark.thorough]


@pytest.mark.skipif(not refinement.DATA.exists(), reason=f"no data in {refinement.DATA}")
def test_the_occupations_that_remain_possible(tmp_path: Path) -> None:
    engine = adult_engine(tmp_path)
    found = {method: judgement for method, _, judgement in refinement.of_ours(engine, tmp_path, 5)}

    for method in refinement.WITHOUT_OVERLAPS:
        own = found[method].sensitive[0].possible
        assert (found[method].rows_narrowed, own.rows_narrowed, own.rows) == (0, 0, found[method].rows)
        assert own.left == own.by_labels
        assert own.least_candidates >= 5
    rounds = found[refinement.ROUNDS]
    own = rounds.sensitive[0].possible
    assert (round(rounds.share, 3), round(own.share, 3)) == (0.323, 0.96)
    assert (round(own.by_labels, 2), round(own.left, 2), own.rows_of_one) == (10.03, 5.75, 424)
    assert own.least_candidates == 5
    assert all(each.checked is not None and each.checked.fits for each in found.values())


def test_without_the_data_a_line_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(refinement, "DATA", tmp_path / "none")
    assert refinement.show() == []
    assert "no data in" in capsys.readouterr().out
