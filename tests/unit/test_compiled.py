"""What is kept on disk of compiled functions is of the sources that there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from ordermade import compiled
from ordermade.methods.microaggregation.algorithm.mdav_groups import __file__ as module

ENGINE = Path(module).resolve().parents[3]


def test_every_compiled_function_is_in_a_room_whose_sources_are_looked_at() -> None:
    found = {
        path.parent.relative_to(ENGINE).as_posix()
        for path in ENGINE.rglob("*.py")
        if "from ordermade.compiled import" in path.read_text(encoding="utf-8")
    }
    assert found == set(compiled.ROOMS)


def test_what_was_compiled_of_other_sources_is_compiled_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import numba

    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))

    def kept(sources: str) -> int:
        """How often the function was found compiled."""
        monkeypatch.setattr(compiled, "SOURCES", sources)
        found = compiled.compiled(_more)
        assert found(1) == 2
        return sum(found.stats.cache_hits.values())  # type: ignore[attr-defined]

    assert [kept("one"), kept("one"), kept("other"), kept("other")] == [0, 1, 0, 1]


def _more(number: int) -> int:
    return number + 1
