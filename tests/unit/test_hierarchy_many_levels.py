"""A hierarchy of more levels than 64 is refused with the reason, before its levels are compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from ordermade.errors import HierarchyError
from ordermade.hierarchies import explicit, intervals
from ordermade.hierarchies.hierarchy import MAX_LEVELS
from ordermade.hierarchies.read import read_hierarchy


def of_intervals(levels: int) -> str:
    return "intervals:\n  levels:\n" + "".join(f"    - {{width: {10 * (i + 1)}}}\n" for i in range(levels))


def of_prefixes(levels: int) -> str:
    return f"prefix:\n  keep: [{', '.join(str(i + 1) for i in range(levels))}]\n"


def of_dates(levels: int) -> str:
    return f"date: [{', '.join(['day'] * levels)}]\n"


def of_mapping(levels: int) -> str:
    return f"mapping:\n  a: [{', '.join('x' for _ in range(levels))}]\n"


def of_ordered(levels: int) -> str:
    return "ordered:\n  values: [a, b]\n  levels:\n" + "    - {cuts: [b]}\n" * levels


def of_header(levels: int) -> str:
    header = ",".join(["value", *(f"l{i}" for i in range(levels))])
    return f"{header}\na{',x' * levels}\nb{',x' * levels}\n"


def of_arx(levels: int) -> str:
    return f"a{';x' * levels}\nb{';x' * levels}\n"


FILES = {
    "i.yaml": of_intervals,
    "p.yaml": of_prefixes,
    "d.yaml": of_dates,
    "m.yaml": of_mapping,
    "o.yaml": of_ordered,
    "h.csv": of_header,
    "a.csv": of_arx,
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("levels", [65, 20_000])
def test_more_levels_than_64_are_refused_before_they_are_compared(
    tmp_path: Path, name: str, levels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def compared(*_: object) -> None:
        raise AssertionError("the levels were compared")

    monkeypatch.setattr(explicit, "refinement", compared)
    monkeypatch.setattr(intervals, "_refinement", compared)
    file = tmp_path / name
    file.write_text(FILES[name](levels), encoding="utf-8")
    with pytest.raises(HierarchyError, match=rf"{levels:,} levels, and a hierarchy has at most 64: .* each with each"):
        read_hierarchy(file, "h")


@pytest.mark.parametrize("name", [name for name in FILES if name != "d.yaml"])
def test_64_levels_are_read(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text(FILES[name](MAX_LEVELS), encoding="utf-8")
    assert len(read_hierarchy(file, "h").hierarchy.levels) >= MAX_LEVELS
