"""What CI runs of the heavy rest: what changes reach, in turn, as far as the time goes."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import SimpleNamespace

import grimp
import pytest

from checks import rest, whole_run
from tests.durations import part_of, seconds_of_files
from tests.time_left import TimeLeft, turned

REPOSITORY = Path(__file__).resolve().parents[2]
COLUMNS = f"Text.\n\n{whole_run.COLUMNS}\n|---|\n"


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return rest.import_graph()


def reached(graph: grimp.ImportGraph, *changed: str) -> set[str]:
    return {each.rpartition(".")[2] for each in rest.reached(changed, graph).tests}


@pytest.mark.slow
def test_a_module_reaches_the_tests_that_import_it_and_no_others(graph: grimp.ImportGraph) -> None:
    mining = reached(graph, "engine/ordermade/methods/mondrian/algorithm/mining.py")

    assert {"test_mining", "test_engine_mondrian"} <= mining
    assert not mining & {"test_mdav", "test_paths", "test_lattice"}
    assert "test_mdav_properties" in reached(graph, "tests/plain_scans/mdav.py")
    assert reached(graph, "tests/unit/test_mdav.py") == {"test_mdav"}
    assert reached(graph, "engine/ordermade/demo/purchases.py", "tests/unit/test_mdav.py") >= {
        "test_mdav",
        "test_demo_purchases",
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changed", "test"),
    [
        ("engine/ordermade/cli/judge.py", "test_judge"),  # the program imports its commands by name
        ("engine/ordermade/cli/judge.py", "test_process"),  # this starts the program
        ("engine/ordermade/search/hitting_set.py", "test_search"),  # a search is imported by name
        ("engine/ordermade/methods/mondrian/method.py", "test_engine_mondrian"),  # so is a method
        ("engine/ordermade/methods/microaggregation/algorithm/kd_tree.py", "test_microaggregation_methods"),
        ("engine/ordermade/sources/mysql.py", "test_views_of_servers"),  # the fixture of its folder's conftest
        ("docs/notebooks/first-release.ipynb", "test_notebooks"),
    ],
)
def test_what_is_imported_by_name_is_reached(graph: grimp.ImportGraph, changed: str, test: str) -> None:
    assert test in reached(graph, changed)


@pytest.mark.slow
@pytest.mark.parametrize(
    "changed",
    [
        *("sql/counting.sql", "migrations/0001_state.sql", "pyproject.toml", ".ci/run", "Makefile", "checks/rest.py"),
        *(
            "tests/conftest.py",
            "tests/conformance/conftest.py",
            "tests/services/fixtures.py",
            "tests/golden/k_check.sql",
        ),
        *("engine/ordermade/gone.py", "engine/ordermade/reports/report.html", "bench/__main__.py"),
    ],
)
def test_a_file_of_another_kind_reaches_everything(graph: grimp.ImportGraph, changed: str) -> None:
    found = rest.reached(["tests/unit/test_mdav.py", changed], graph)

    assert found == rest.Reached(rest.files_of_tests(graph), changed)
    assert len(found.tests) == len(list((REPOSITORY / "tests").rglob("test_*.py")))


def test_records_reach_nothing(graph: grimp.ImportGraph) -> None:
    assert rest.reached(["CONTRIBUTING.md", "CHANGELOG.md", "tests/durations.json"], graph) == rest.Reached(set())


def test_the_last_line_of_the_table_names_the_commit() -> None:
    page = whole_run.with_line(f"{COLUMNS}\nMore.\n", "| 2026-01-01 | `0123456789ab` | 1 in 2 s |")
    page = whole_run.with_line(page, "| 2026-01-02 | `ba9876543210` | 1 in 2 s |")

    assert rest.last_whole_run(page) == "ba9876543210"
    assert page.endswith("ab` | 1 in 2 s |\n| 2026-01-02 | `ba9876543210` | 1 in 2 s |\n\nMore.\n")
    assert rest.last_whole_run(COLUMNS) is None


def test_the_page_of_contributions_has_the_table() -> None:
    assert whole_run.with_line(rest.RUNS.read_text(encoding="utf-8"), "| x |")


@pytest.mark.slow
def test_changes_since_a_commit_are_those_of_the_work_tree(tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        named = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        return subprocess.run(
            ["git", "-C", tmp_path, *named, *arguments], capture_output=True, text=True, check=True
        ).stdout

    git("init", "-q")
    for name in ("same.py", "changed.py", "moved.py", "gone.py"):
        (tmp_path / name).write_text(name)
    git("add", ".")
    git("commit", "-qm", "First")
    first = git("rev-parse", "HEAD").strip()
    git("mv", "moved.py", "new place.py")
    git("commit", "-qm", "Second")
    (tmp_path / "changed.py").write_text("else")
    (tmp_path / "gone.py").unlink()
    (tmp_path / "added.py").write_text("")

    found = rest.changed_since(first[:12], tmp_path)

    assert found == ["added.py", "changed.py", "gone.py", "moved.py", "new place.py"]
    assert rest.changed_since("0" * 40, tmp_path) is None


def test_every_file_comes_first_within_few_turns() -> None:
    seconds = {f"{name}.py": 1.0 + number % 4 for number, name in enumerate("abcdefghij")}

    turns = [turned(seconds, turn) for turn in range(25)]

    assert all(sorted(each) == sorted(seconds) for each in turns)
    assert {each[0] for each in turns} == set(seconds)
    assert turns[0] == sorted(seconds)


def test_a_file_begins_only_if_it_ends_in_time_on_a_machine_as_slow_as_it_was() -> None:
    clock = [1000.0]
    left = TimeLeft(1100.0, {"a": 10.0, "b": 35.0, "c": 45.0, "d": 5.5}, now=lambda: clock[0])

    assert left.has("a")
    clock[0] = 1020.0  # twice as slow
    assert left.has("a")
    assert left.has("b")  # until 1090
    clock[0] = 1090.0
    assert left.has("b"), "what has begun is run to its end"
    assert not left.has("c")
    assert not left.has("d"), "twice 5.5 seconds are not left"


def test_files_have_the_seconds_of_the_parts_that_are_run() -> None:
    def item(file: str, *marks: str) -> SimpleNamespace:
        return SimpleNamespace(path=REPOSITORY / file, get_closest_marker=lambda name: name if name in marks else None)

    durations = {"tests/a.py": {"test": 1.0, "thorough": 2.0, "services": 4.0}}
    run = [item("tests/a.py"), item("tests/a.py", "thorough"), item("tests/b.py")]

    assert seconds_of_files(run, durations) == {"tests/a.py": 3.0, "tests/b.py": 0.0}
    assert seconds_of_files(run, durations, 9.0) == {"tests/a.py": 3.0, "tests/b.py": 9.0}
    assert part_of(item("tests/a.py", "services", "thorough", "slow")) == "services"


def test_a_run_is_read_from_what_pytest_wrote() -> None:
    text = """<testsuites><testsuite tests="4" skipped="1" failures="0" time="61.5">
      <testcase classname="tests.unit.test_a" name="x" time="1.25"/>
      <testcase classname="tests.unit.test_a.TestClass" name="y" time="2"/>
      <testcase classname="tests.faults.test_b" name="z" time="0.01"/>
      <testcase classname="tests.faults.test_b" name="s" time="0.0"><skipped/></testcase>
    </testsuite></testsuites>"""

    ran = whole_run.read_junit(text)

    assert ran.cell == "3 in 62 s, 1 skipped"
    assert whole_run.durations({"test": ran, "long": ran}) == '{\n  "tests/unit/test_a.py": {"test": 3.2}\n}\n'
