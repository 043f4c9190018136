"""What is kept on disk of compiled functions is of the sources that there are."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from ordermade import Silent
from ordermade.machine import compiled
from ordermade.methods.microaggregation.algorithm.mdav_groups import __file__ as module
from ordermade.progress.waiting import COMPILING, hearing_of_compiling, one_at_a_time, report_compiling

ENGINE = Path(module).resolve().parents[3]


def test_every_compiled_function_is_in_a_room_whose_sources_are_looked_at() -> None:
    found = {
        path.parent.relative_to(ENGINE).as_posix()
        for path in ENGINE.rglob("*.py")
        if "from ordermade.machine.compiled import" in path.read_text(encoding="utf-8")
    }
    assert found == set(compiled.ROOMS)


@pytest.mark.slow
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


@pytest.mark.slow
def test_compiling_is_reported_once_and_never_for_what_is_on_disk(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import numba

    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    heard: list[bool] = []
    for _ in range(2):
        with hearing_of_compiling(heard.append):
            assert compiled.compiled(_more)(1) == 2
            assert compiled.compiled(_more)(1) == 2  # another function of Python, found on disk
    assert heard == [True, False]


def test_functions_of_others_are_not_reported() -> None:
    import numba

    heard: list[bool] = []
    with hearing_of_compiling(heard.append):
        assert numba.njit(_more)(1) == 2
    assert heard == []


def test_an_engine_gives_notice_once_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    shown: list[bool] = []
    progress = SimpleNamespace(compiling=shown.append)

    @one_at_a_time
    def call(engine: object) -> None:
        for _ in range(2):
            report_compiling(True)
            report_compiling(False)

    call(SimpleNamespace(progress=progress, notice=said.append))
    assert said == [COMPILING]
    assert shown == [True, False, True, False]
    call(SimpleNamespace(progress=Silent(), notice=None))


def _more(number: int) -> int:
    return number + 1


def test_signatures_compiled_by_two_processes_at_once_keep_their_own_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("numba")
    from ordermade.machine.compiled import _FileAKey

    one, other = (_FileAKey(str(tmp_path), "f", "stamp") for _ in range(2))
    for each in (one, other):
        each._data_name_pattern = "f.{number}.nbc"
    save = one._save_data

    def overtaken(name: str, data: object) -> None:  # the other process read the index before this one's entry was in
        monkeypatch.setattr(other, "_load_index", dict)
        other.save("floats", "code for floats")
        save(name, data)

    monkeypatch.setattr(one, "_save_data", overtaken)
    one.save("integers", "code for integers")
    later = _FileAKey(str(tmp_path), "f", "stamp")
    assert later.load("floats") in (None, "code for floats")
    assert later.load("integers") in (None, "code for integers")
