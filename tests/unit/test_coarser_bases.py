"""Levels that a column's own counts rule out are not counted where combinations near the rows; the answers stay."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine
from ordermade.counting import encoding
from ordermade.progress.waiting import Silent
from ordermade.sources.executor import ExecutedStatement, Purpose
from tests.conformance.prepared import copied, prepare
from tests.long import sampled

pytestmark = pytest.mark.slow

COLUMNS = {"age": "INTEGER", "place": "VARCHAR", "sex": "VARCHAR"}


class Heard(Silent):
    """Notes the statements that count combinations."""

    def __init__(self) -> None:
        self.counted: list[str] = []

    def statement(self, statement: ExecutedStatement) -> None:
        if statement.purpose is Purpose.FREQUENCY_SET:
            self.counted.append(statement.text)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory, seed: int) -> Path:
    """Persons of whom some have an age or a place alone, so that level 0 of both is ruled out."""
    folder = tmp_path_factory.mktemp("prepared")
    drawn = random.Random(seed)
    rows = [
        (int(drawn.triangular(0, 40, 5)), f"p{int(drawn.triangular(0, 30, 3))}", drawn.choice("fm")) for _ in range(600)
    ]
    ages = [(str(n), f"{n // 5}", f"{n // 15}") for n in range(41)]
    places = [(f"p{n}", f"q{n // 6}", f"r{n // 18}") for n in range(31)]
    hierarchies = {
        name: ((name, "some", "few")[: len(paths[0])], paths)
        for name, paths in (("age", ages), ("place", places), ("sex", [("f", "*"), ("m", "*")]))
    }
    return prepare(folder, COLUMNS, [*rows, (40, "p30", "f")], hierarchies, writable=False)


def answered(engine: Engine, folder: Path, **more: Any) -> tuple[Any, ...]:
    request = {
        "dataset": "d",
        "k": 4,
        "quasi_identifiers": {name: {"hierarchy": name} for name in COLUMNS},
        "release": {"to": str(folder / "out.csv"), "replace": True},
        **more,
    }
    found = engine.run(request, again=True)
    released = (folder / "out.csv").read_bytes() if found.released else b""
    return found.status, dict(found.levels), found.k, found.divisions, found.suppressed_rows, released


@pytest.mark.parametrize(
    ("algorithm", "limit"),
    sampled(
        [
            ("guided", 0),
            ("guided", 0.1),
            ("ola", 0),
            ("incognito", 0.1),
            *(
                pytest.param(*each, marks=pytest.mark.thorough)
                for each in (("ola", 0.1), ("incognito", 0), ("exhaustive", 0), ("exhaustive", 0.1))
            ),
        ],
        2,
    ),
)
def test_the_answer_is_that_of_the_finest_levels(
    prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, algorithm: str, limit: float
) -> None:
    more = {"suppression_limit": limit, "search": {"algorithm": algorithm}}
    plain = copied(prepared, tmp_path / "plain", monkeypatch)
    expected = answered(plain, tmp_path / "plain", **more)
    monkeypatch.setattr(encoding, "WORTH_ROWS", 1)
    monkeypatch.setattr(encoding, "NEAR_ROWS", 0)
    heard = Heard()
    coarse = replace(copied(prepared, tmp_path / "coarse", monkeypatch), progress=heard)
    assert answered(coarse, tmp_path / "coarse", **more) == expected
    assert 'keys_1."q1_l' in heard.counted[0] or limit  # under a limit no level may be ruled out
    assert answered(coarse, tmp_path / "coarse", k=2, **more) == answered(plain, tmp_path / "plain", k=2, **more)
