"""A search that ends before its proof: by a budget, by Ctrl-C; what it releases, says and leaves."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from ordermade import Engine
from ordermade.cli.progress import PipedProgress
from ordermade.errors import InputError, RequestError
from ordermade.progress.waiting import Silent
from ordermade.search.problem import SoFar
from tests.made import new_engine

pytestmark = pytest.mark.slow

COLUMNS = [f"c{i}" for i in range(14)]
ROWS = 300


@pytest.fixture(scope="module")
def registered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fourteen columns of four levels: 268 million nodes, which nothing may list."""
    folder = tmp_path_factory.mktemp("wide")
    chance = random.Random(19)
    lines = [",".join(COLUMNS), *(",".join(str(chance.randrange(8)) for _ in COLUMNS) for _ in range(ROWS))]
    (folder / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "h.csv").write_text("".join(f"{i};{i // 2}x;{i // 4}y;*\n" for i in range(8)), encoding="utf-8")
    engine = new_engine(folder)
    engine.sources.add("s", str(folder / "t.csv"))
    engine.datasets.add("t", "s", table="t", least_k=2)
    engine.hierarchies.add("h", folder / "h.csv")
    return engine.state_file.path


@pytest.fixture
def wide(registered: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state of its own: nothing is known from the other tests."""
    return Path(shutil.copy(registered, tmp_path_factory.mktemp("state") / "state.sqlite"))


def asked(folder: Path, k: int, **search: Any) -> dict[str, Any]:
    return {
        "title": "wide",
        "dataset": "t",
        "k": k,
        "quasi_identifiers": {each: {"hierarchy": "h"} for each in COLUMNS},
        "search": search,
        "release": {"to": str(folder / "out.csv")},
    }


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        ({"seconds": 0}, "above 0 seconds"),
        ({"seconds": -1}, "above 0 seconds"),
        ({"seconds": 10**9}, "a day"),
        ({"seconds": "soon"}, "budget"),
        ({"questions": 0}, "at least 1 question"),
        ({"questions": 1.5}, "budget"),
        ({"questions": True}, "budget"),
        ({"questions": 10**12}, "at most"),
        ({}, "seconds or questions"),
        ({"minutes": 1}, "minutes"),
        (30, "budget"),
    ],
    ids=str,
)
def test_a_budget_that_is_none_is_refused(wide: Path, tmp_path: Path, budget: Any, said: str) -> None:
    with pytest.raises(RequestError, match=said):
        Engine(wide).run(asked(tmp_path, 2, budget=budget))
    assert not list(tmp_path.iterdir())


def test_the_best_node_of_a_budget_is_released_and_said_to_be_unproved(wide: Path, tmp_path: Path) -> None:
    result = Engine(wide).run(asked(tmp_path, 3, budget={"questions": 12}))

    found = result.as_dict()["search"]
    assert result.released
    assert (found["algorithm"], found["certified"], found["stopped"]) == ("hitting-set", False, "questions")
    assert found["nodes_measured"] <= 12
    assert found["nodes_proven"] is None
    gap = found["gap"]
    assert gap["objective"] == "prec"
    assert gap["score"] == pytest.approx(result.loss["prec"])
    assert 0 < gap["bound"] <= gap["score"]
    assert gap["gap"] == pytest.approx(gap["score"] - gap["bound"])
    manifest = json.loads((tmp_path / "out.csv.manifest.json").read_text(encoding="utf-8"))
    assert manifest["optimum_proved"] is False


def test_a_budget_too_small_for_any_answer_is_refused_and_says_so(wide: Path, tmp_path: Path) -> None:
    request = asked(tmp_path, 4, budget={"seconds": 0.0001})
    request["quasi_identifiers"] = {each: {"hierarchy": "h", "to": 2} for each in COLUMNS}
    result = Engine(wide, use_cache=False).run(request)

    assert result.status == "refused"
    assert "nothing found yet: its budget of seconds ended before a node passed" in (result.reason or "")
    assert not list(tmp_path.iterdir())


def test_a_small_lattice_has_a_bound_whatever_searches(wide: Path, tmp_path: Path) -> None:
    for algorithm in ("guided", "exhaustive", "ola", "incognito"):
        request = asked(tmp_path / algorithm, 5, algorithm=algorithm, budget={"questions": 2})
        request["quasi_identifiers"] = {each: {"hierarchy": "h"} for each in COLUMNS[:5]}
        found = Engine(wide).run(request).as_dict()["search"]
        assert found["certified"] or (found["stopped"], found["gap"]["bound"] is None) == ("questions", False)


class Interrupted(Silent):
    """Interrupts the search as it is about to count for the nth time."""

    def __init__(self, at: int) -> None:
        self.left = at

    def so_far(self, compute: SoFar) -> None:
        compute()
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


def test_an_interrupted_search_is_an_error_in_the_library(wide: Path, tmp_path: Path) -> None:
    engine = Engine(wide, progress=Interrupted(5), use_cache=False)
    with pytest.raises(KeyboardInterrupt):
        engine.run(asked(tmp_path, 6))
    assert engine.requests.list()[0].status == "failed"
    assert not list(tmp_path.iterdir())


def test_an_interrupted_search_can_answer_with_its_best_node(wide: Path, tmp_path: Path) -> None:
    engine = Engine(wide, progress=Interrupted(9), use_cache=False)
    result = engine.run(asked(tmp_path, 7), on_interrupt="answer")

    found = result.as_dict()
    assert found["status"] == "stopped"
    assert found["search"]["stopped"] == "interrupted"
    assert found["search"]["gap"]["bound"] <= found["loss"]["prec"]
    assert set(found["levels"]) == set(COLUMNS)
    assert found["k"] >= 7
    assert not list(tmp_path.iterdir())
    assert engine.requests.list()[0].status == "failed"
    # What was measured is kept: the next request begins there.
    again = Engine(wide).run(asked(tmp_path, 7, budget={"questions": 1}))
    assert again.loss["prec"] <= found["loss"]["prec"]


def test_an_interrupted_search_can_release_its_best_node(wide: Path, tmp_path: Path) -> None:
    engine = Engine(wide, progress=Interrupted(9), use_cache=False)
    result = engine.run(asked(tmp_path, 8), on_interrupt="release")

    assert result.released
    assert (tmp_path / "out.csv").is_file()
    assert (result.k or 0) >= 8


def test_a_sweep_of_a_request_with_a_budget_is_refused(wide: Path, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"search.budget.*Leave the budget out"):
        Engine(wide).sweep(asked(tmp_path, 9, budget={"questions": 5}), [5, 9])


def test_another_way_to_end_is_named(wide: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"on_interrupt.*raise, answer, release"):
        Engine(wide).run(asked(tmp_path, 9), on_interrupt="stop")  # type: ignore[arg-type]


INTERRUPTING = """
import os, signal, sys
from ordermade.cli import progress
from ordermade.cli.main import run
counts = iter(range(8, -1, -1))
def so_far(self, compute):
    if next(counts, None) == 0:
        os.kill(os.getpid(), signal.SIGINT)
progress.PipedProgress.so_far = so_far
run()
"""


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--release-best"]], ids=["shown", "released"])
def test_ctrl_c_in_the_search_shows_the_best_node(wide: Path, tmp_path: Path, options: list[str]) -> None:
    (tmp_path / "r.yaml").write_text(yaml.safe_dump(asked(tmp_path, 9 + len(options))), encoding="utf-8")
    command = [sys.executable, "-c", INTERRUPTING, "--state", str(wide), "request", "run", str(tmp_path / "r.yaml")]
    done = subprocess.run([*command, "--no-cache", *options], capture_output=True, text=True, check=False)

    assert "optimum not proved" in done.stdout
    assert "interrupted" in done.stdout
    assert "nothing less than" in done.stdout
    if options:
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("Released:")
        assert (tmp_path / "out.csv").is_file()
    else:
        assert done.returncode == 130, done.stderr
        assert done.stdout.startswith("Not released:")
        assert "--release-best" in done.stderr
        assert [each.name for each in tmp_path.iterdir()] == ["r.yaml"]


def test_a_line_on_a_pipe_has_best_bound_and_gap(
    wide: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with PipedProgress(every=0) as progress:
        Engine(wide, progress=progress, use_cache=False).run(asked(tmp_path, 12, budget={"questions": 12}))
    said = capsys.readouterr().err
    assert "search (hitting-set)" in said
    assert ", best 1, bound " in said
    assert ", bound " in said
    assert ", gap " in said


def test_nothing_is_printed_on_a_pipe_before_ten_seconds(
    wide: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with PipedProgress() as progress:
        Engine(wide, progress=progress).run(asked(tmp_path, 13, budget={"questions": 2}))
    assert capsys.readouterr().err == ""
