"""Requests asked again: each method's, after its data changed; what differs; and the lines for schedulers."""

from __future__ import annotations

import itertools
import re
import shlex
import shutil
import subprocess
from datetime import date
from pathlib import Path

import pytest

from ordermade import Engine
from ordermade.catalogue.repeated_requests import differences, rerun, schedule
from ordermade.errors import InputError, UnknownName
from ordermade.release.files import free_beside
from ordermade.state.authority import SHELL
from ordermade.state.database import StateFile
from tests.made import new_state
from tests.one_of_each_method import METHODS, provider
from tests.state_by_hand import by_hand

pytestmark = pytest.mark.slow


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return provider(tmp_path)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state with one request, which was run."""
    folder = tmp_path_factory.mktemp("ran")
    engine = provider(folder)
    request = {"dataset": "purchases", "k": 5, "release": {"to": str(folder / "a.csv")}, **METHODS["generalization"]}
    engine.run(request)
    return engine.state_file.path


def state_of(ran: Path, folder: Path, name: str = "state") -> StateFile:
    """A copy of the state with one request."""
    return StateFile(Path(shutil.copy(ran, folder / f"{name}.sqlite")), SHELL)


def more(folder: Path) -> None:
    with (folder / "purchases.csv").open("a", encoding="utf-8") as file:
        file.write("900,c1,30,p3,2024-01-05,i2,9\n")


@pytest.mark.parametrize("method", ["generalization", "mondrian", "history"])
def test_a_request_on_other_data_is_released_beside_or_supersedes_its_release(
    engine: Engine, tmp_path: Path, method: str
) -> None:
    to = tmp_path / "out.csv"
    limit = {"suppression_limit": 0.05} if method == "generalization" else {}
    request = {"dataset": "purchases", "method": method, "k": 5, "release": {"to": str(to)}, **METHODS[method], **limit}
    first = engine.run(request)
    assert rerun(engine, first.request).request == first.request
    more(tmp_path)
    before = to.read_bytes()
    beside = rerun(engine, first.request)
    assert beside.released
    assert beside.release is not None
    assert re.fullmatch(r"out-\d{4}-\d\d-\d\d\.csv", Path(beside.release.path).name)
    assert to.read_bytes() == before  # the fault: the earlier release is gone
    assert [each.standing for each in engine.releases.list()] == ["stands", "stands"]
    assert rerun(engine, beside.request).request == beside.request
    second = rerun(engine, first.request, replace=True)
    assert second.released
    assert second.rows == (first.rows or 0) + 1
    assert [each.standing for each in engine.releases.list()] == ["stands", "stands", "superseded by 3"]
    found = differences(engine.state_file, first.request, second.request)
    assert {each.where for each in found} == {"came out"}
    assert "dataset version" in {each.what for each in found}


def test_what_was_asked_for_differently_is_told_from_what_came_out(engine: Engine, tmp_path: Path) -> None:
    asked = {"dataset": "purchases", "k": 5, "release": {"to": str(tmp_path / "a.csv")}, **METHODS["generalization"]}
    engine.run(asked)
    engine.run({**asked, "k": 9, "release": {"to": str(tmp_path / "b.csv")}})
    found = {(each.where, each.what): (each.first, each.second) for each in differences(engine.state_file, 1, 2)}
    assert found["asked", "k"] == ("5", "9")
    assert found["asked", "file"] == (str(tmp_path / "a.csv"), str(tmp_path / "b.csv"))
    assert ("asked", "title") not in found
    assert differences(engine.state_file, 1, 1) == ()


def test_columns_named_like_keys_hide_no_difference(tmp_path: Path) -> None:
    columns = ("title", "k", "method", "identifiers", "keep")
    lines = [",".join(columns), *(",".join([str(i % 3)] * len(columns)) for i in range(60))]
    (tmp_path / "odd.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "thirds.csv").write_text("".join(f"{i};t{i};*\n" for i in range(3)), encoding="utf-8")
    engine = Engine(new_state(tmp_path / "state.sqlite"))
    engine.sources.add("odd", str(tmp_path / "odd.csv"))
    engine.datasets.add("odd", "odd", table="odd")
    engine.hierarchies.add("thirds", tmp_path / "thirds.csv")
    coarse: dict[str, object] = {each: {"hierarchy": "thirds"} for each in columns[:4]}
    asked: dict[str, object] = {"dataset": "odd", "quasi_identifiers": coarse}
    release = {"to": str(tmp_path / "out.csv"), "replace": True}
    engine.run({**asked, "title": "one", "k": 5, "keep": ["keep"], "release": release})
    finest = {**coarse, "identifiers": {"hierarchy": "thirds", "from": 1}}
    engine.run(
        {**asked, "quasi_identifiers": finest, "title": "two", "k": 9, "identifiers": ["keep"], "release": release}
    )
    found = {each.what for each in differences(engine.state_file, 1, 2) if each.where == "asked"}
    assert found == {"title", "k", "quasi-identifier identifiers", "identifiers", "kept"}


def test_a_difference_is_in_plain_words(engine: Engine, tmp_path: Path) -> None:
    for number, (name, method) in enumerate(METHODS.items()):
        engine.run(
            {
                "dataset": "purchases",
                "method": name,
                "k": 5 + number,
                "release": {"to": str(tmp_path / f"{name}.csv")},
                **method,
            }
        )
    numbers = range(1, len(METHODS) + 1)
    found = [each for one, two in itertools.pairwise(numbers) for each in differences(engine.state_file, one, two)]
    assert not [each for each in found if "_" in each.what and "loss" not in each.what]
    assert {"file", "classes", "rows suppressed", "history column item"} <= {each.what for each in found}


def test_a_request_that_was_not_kept_is_not_run(ran: Path, tmp_path: Path) -> None:
    engine = Engine(state_of(ran, tmp_path).path)
    with by_hand(engine.state_file.path) as connection:
        connection.execute("UPDATE requests SET request = NULL")
    with pytest.raises(InputError, match="before requests were kept"):
        rerun(engine, 1)
    with pytest.raises(UnknownName):
        rerun(engine, 9)


def test_the_line_for_cron_runs_in_a_shell(ran: Path, tmp_path: Path) -> None:
    state = state_of(ran, tmp_path)
    folder = tmp_path / "it's 5 %"
    folder.mkdir()
    made = schedule(state, 1, "week", Path("/bin/echo"), folder)
    assert made.cron.startswith("0 3 * * 1 cd ")
    typed = made.cron.removeprefix("0 3 * * 1 ").replace(r"\%", "%")
    done = subprocess.run(["/bin/sh", "-c", f"{typed}; pwd"], capture_output=True, text=True, check=True)
    assert done.stdout == f"--state {state.path} request rerun 1\n{folder}\n"
    assert f"WorkingDirectory={tmp_path}/it's 5 %%\n" in made.service
    assert "OnCalendar=Mon *-*-* 03:00:00\n" in made.timer


@pytest.mark.parametrize(
    "name", ["a b", "it's", 'a "b"', "back\\slash", "$HOME", "${x}", "100 %h", "semi;colon", '\\$"%']
)
def test_the_line_for_systemd_has_the_words_as_they_are(ran: Path, tmp_path: Path, name: str) -> None:
    state = state_of(ran, tmp_path, name.replace("\\", "_"))  # no state has a backslash in its path
    made = schedule(state, 1, "week", Path("/opt") / name / "ordermade", tmp_path)
    (line,) = [each for each in made.service.splitlines() if each.startswith("ExecStart=")]
    # Double quotes and backslashes are the shell's; specifiers are resolved everywhere, variables in arguments alone.
    program, *arguments = [each.replace("%%", "%") for each in shlex.split(line.removeprefix("ExecStart="))]
    assert "%" not in line.replace("%%", "")
    assert program == f"/opt/{name}/ordermade"
    assert not [each for each in arguments if "$" in each.replace("$$", "")]
    assert [each.replace("$$", "$") for each in arguments] == ["--state", str(state.path), "request", "rerun", "1"]


def test_a_free_name_overwrites_nothing(tmp_path: Path) -> None:
    to, day = tmp_path / "out.csv.gz", date(2026, 11, 28)
    for name in ("out.csv.gz", "out-2026-11-28.csv.gz", "out-2026-11-28-2.csv.gz.manifest.json"):
        (tmp_path / name).touch()

    assert free_beside(to, day).name == "out-2026-11-28-3.csv.gz"
    assert free_beside(tmp_path / "out-2026-11-28.csv.gz", date(2026, 12, 28)).name == "out-2026-12-28.csv.gz"
