"""Requests asked again: each method's, after its data changed; what differs; and the lines for schedulers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import duckdb
import pytest

from checks.modules_run import METHODS, provider
from ordermade import Engine
from ordermade.catalogue.again import differences, rerun, schedule
from ordermade.errors import InputError, UnknownName


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return provider(tmp_path)


def more(folder: Path) -> None:
    with (folder / "purchases.csv").open("a", encoding="utf-8") as file:
        file.write("900,c1,30,p3,2024-01-05,i2,9\n")


@pytest.mark.parametrize("method", ["generalization", "mondrian", "history"])
def test_a_request_on_other_data_supersedes_its_release(engine: Engine, tmp_path: Path, method: str) -> None:
    to = tmp_path / "out.csv"
    limit = {"suppression_limit": 0.05} if method == "generalization" else {}
    request = {"dataset": "purchases", "method": method, "k": 5, "release": {"to": str(to)}, **METHODS[method], **limit}
    first = engine.run(request)
    assert rerun(engine, first.request).request == first.request
    more(tmp_path)
    second = rerun(engine, first.request)
    assert second.released
    assert second.rows == (first.rows or 0) + 1
    assert [each.standing for each in engine.releases.list()] == ["stands", "superseded by 2"]
    found = differences(engine.state_file, first.request, second.request)
    assert {each.where for each in found} == {"came out"}
    assert "dataset version" in {each.what for each in found}


def test_what_was_asked_for_differently_is_told_from_what_came_out(engine: Engine, tmp_path: Path) -> None:
    asked = {"dataset": "purchases", "k": 5, "release": {"to": str(tmp_path / "a.csv")}, **METHODS["generalization"]}
    engine.run(asked)
    engine.run({**asked, "k": 9, "release": {"to": str(tmp_path / "b.csv")}})
    found = {(each.where, each.what): (each.first, each.second) for each in differences(engine.state_file, 1, 2)}
    assert found["asked", "k"] == ("5", "9")
    assert found["asked", "target_path"] == (str(tmp_path / "a.csv"), str(tmp_path / "b.csv"))
    assert ("asked", "title") not in found
    assert differences(engine.state_file, 1, 1) == ()


def test_a_request_that_was_not_kept_is_not_run(engine: Engine, tmp_path: Path) -> None:
    request = {"dataset": "purchases", "k": 5, "release": {"to": str(tmp_path / "a.csv")}, **METHODS["generalization"]}
    engine.run(request)
    with duckdb.connect(str(engine.state_file.path)) as connection:
        connection.execute("UPDATE requests SET request = NULL")
    with pytest.raises(InputError, match="before requests were kept"):
        rerun(engine, 1)
    with pytest.raises(UnknownName):
        rerun(engine, 9)


def test_the_line_for_cron_runs_in_a_shell(engine: Engine, tmp_path: Path) -> None:
    request = {"dataset": "purchases", "k": 5, "release": {"to": str(tmp_path / "a.csv")}, **METHODS["generalization"]}
    engine.run(request)
    folder = tmp_path / "it's 5 %"
    folder.mkdir()
    made = schedule(engine.state_file, 1, "week", Path("/bin/echo"), folder)
    assert made.cron.startswith("0 3 * * 1 cd ")
    typed = made.cron.removeprefix("0 3 * * 1 ").replace(r"\%", "%")
    done = subprocess.run(["/bin/sh", "-c", f"{typed}; pwd"], capture_output=True, text=True, check=True)
    assert done.stdout == f"--state {engine.state_file.path} request rerun 1\n{folder}\n"
    assert f"WorkingDirectory={tmp_path}/it's 5 %%\n" in made.service
    assert "OnCalendar=Mon *-*-* 03:00:00\n" in made.timer
