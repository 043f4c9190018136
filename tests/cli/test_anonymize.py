"""`ordermade anonymize`: one command from a file to a release, its folder, what it refuses, and hostile names."""

from __future__ import annotations

import csv
import io
import os
import shlex
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from ordermade.requests.read import read_request
from tests.cli.conftest import MARKER, Program, write_hierarchies, write_members
from tests.one_command import least_class

PARTS = ("--quasi-identifiers", "sex,age,city", "--keep", "plan", "--identifiers", "name,phone")


@pytest.fixture
def members(folder: Path, ordermade: Program) -> Program:
    """The program in a folder with members.csv and nothing else."""
    write_members(folder / "members.csv")
    return ordermade


def names_in(folder: Path) -> list[str]:
    """The names in a folder, sorted."""
    return sorted(each.name for each in folder.iterdir())


def command_in(text: str) -> list[str]:
    """The words of the command that a message ends with, as a shell reads them."""
    command = text[text.index("ordermade anonymize") :]
    return shlex.split(command.replace(" \\\n", " "))


@pytest.mark.slow
def test_one_command_releases_a_file_and_leaves_its_request(members: Program, folder: Path) -> None:
    found = members("anonymize", "members.csv", "--k", "5", *PARTS)

    assert found.status == 0, found.err
    assert names_in(folder) == [
        "members.anonymized.csv",
        "members.anonymized.csv.manifest.json",
        "members.anonymized.request",
        "members.csv",
    ]
    release = folder / "members.anonymized.csv"
    assert least_class(release, ["sex", "age", "city"]) >= 5
    assert next(csv.reader(io.StringIO(release.read_text()))) == ["sex", "age", "city", "plan"]
    assert "(you required 5)" in found.out
    assert "members.anonymized.request/run.sh" in found.out
    assert all(len(line) <= 100 for line in found.out.splitlines())
    # Every file is its owner's alone.
    for path in [release, *(folder / "members.anonymized.request").rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


@pytest.mark.slow
def test_a_key_that_repeats_is_proposed_for_the_persons(ordermade: Program, folder: Path) -> None:
    lines = ["patient_id,sex,age"] + [f"P{each % 200:04},{'fm'[each % 2]},{20 + each % 40}" for each in range(600)]
    (folder / "visits.csv").write_text("\n".join(lines))

    proposed = ordermade("anonymize", "visits.csv", "--k", "5")
    assert "200 values of patient_id in 600 rows: a person has several rows." in proposed.out
    assert "k counts persons (--entity patient_id)." in proposed.out
    command = command_in(proposed.err)
    assert command[command.index("--entity") + 1] == "patient_id"

    accepted = ordermade("anonymize", "visits.csv", "--k", "5", "--accept-roles")
    assert "it counts persons, by patient_id" in accepted.out
    whole = ("--quasi-identifiers", "sex,age", "--identifiers", "patient_id", "--to", "rows.csv")
    rows = ordermade("anonymize", "visits.csv", "--k", "5", *whole)
    assert "k counts rows, which protects a person less: --entity patient_id counts persons." in rows.out
    assert "it counts rows" in rows.out


@pytest.mark.slow
def test_ages_that_nobody_has_are_warned_of_on_the_screen_alone(ordermade: Program, folder: Path) -> None:
    ages = [20 + each % 40 for each in range(186)] + [999] * 14
    lines = ["sex,age"] + [f"{'fm'[place % 2]},{age}" for place, age in enumerate(ages)]
    (folder / "visits.csv").write_text("\n".join(lines))

    found = ordermade("anonymize", "visits.csv", "--k", "5", "--accept-roles")
    assert "Warning: age has ages over 130 or below 0 in 7 % of the rows." in found.err
    assert "over 130" not in found.out
    as_json = ordermade("anonymize", "visits.csv", "--k", "5", "--accept-roles", "--json", "--to", "again.csv")
    assert "over 130" not in as_json.out + as_json.err
    written = [each for each in folder.rglob("*") if each.is_file()]
    assert not any("over 130" in each.read_text(errors="replace") for each in written)


@pytest.mark.slow
def test_a_column_that_says_nothing_any_more_is_warned_of(ordermade: Program, folder: Path) -> None:
    towns = ["Asahi", "Kita"] * 100 + ["Midori"]
    lines = ["sex,town"] + [f"{'fm'[place // 2 % 2]},{town}" for place, town in enumerate(towns)]
    (folder / "visits.csv").write_text("\n".join(lines))
    parts = ("--header", "--quasi-identifiers", "sex,town", "--suppression-limit", "0")

    found = ordermade("anonymize", "visits.csv", "--k", "5", *parts)
    assert "Warning: town lost all detail. --suppression-limit 0.02 gives up" in found.err
    usual = ordermade("anonymize", "visits.csv", "--k", "5", *parts[:3], "--to", "usual.csv")
    assert "lost" not in usual.err


@pytest.mark.thorough
def test_the_folder_runs_again_and_its_edits_count(members: Program, folder: Path) -> None:
    members("anonymize", "members.csv", "--k", "5", *PARTS)
    request = folder / "members.anonymized.request" / "request.yaml"
    request.write_text(request.read_text().replace("k: 5", "k: 12"))

    program = Path(sys.executable).parent
    environment = os.environ | {"PATH": f"{program}{os.pathsep}{os.environ['PATH']}"}
    ran = subprocess.run(
        ["sh", "members.anonymized.request/run.sh"], capture_output=True, text=True, env=environment, check=False
    )

    assert ran.returncode == 0, ran.stderr
    again = folder / "members.anonymized.request" / "again.csv"
    assert least_class(again, ["sex", "age", "city"]) >= 12
    assert not (folder / ".ordermade").exists()
    assert str(again) in ran.stdout
    assert "Next:" not in ran.stdout
    kept = again.read_bytes()
    once_more = subprocess.run(
        ["sh", "members.anonymized.request/run.sh"], capture_output=True, text=True, env=environment, check=False
    )
    assert once_more.returncode == 0, once_more.stderr
    (beside,) = again.parent.glob("again-*.csv")
    assert str(beside) in once_more.stdout
    assert beside.read_bytes() == again.read_bytes() == kept
    assert "/state" not in ran.stdout


@pytest.mark.slow
def test_what_the_folder_prints_holds_from_another_folder(
    members: Program, folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The release by its place, nothing of the state that is removed; a failing run keeps its status and its words."""
    members("anonymize", "members.csv", "--k", "5", *PARTS)
    script = folder / "members.anonymized.request" / "run.sh"
    programs, elsewhere = tmp_path_factory.mktemp("programs"), tmp_path_factory.mktemp("a & b")
    program = programs / "ordermade"
    answer = r"release          again.csv\n\nNext: ordermade release report 1\n"
    program.write_text(
        '#!/bin/sh\ncase "$1" in\ninit) echo "Made the state $ORDERMADE_STATE." ;;\n'
        f"request) printf '{answer}'; exit ${{STATUS:-0}} ;;\nesac\n"
    )
    program.chmod(0o700)
    shutil.move(script.parent, elsewhere / "a&b")
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("CDPATH", str(elsewhere))

    def ran(status: int) -> subprocess.CompletedProcess[str]:
        command = ["sh", "a&b/run.sh"]
        environment = os.environ | {"STATUS": str(status)}
        return subprocess.run(command, capture_output=True, text=True, cwd=elsewhere, env=environment, check=False)

    assert ran(0).stdout == f"release          {elsewhere}/a&b/again.csv\n\n"
    refused = ran(1)
    assert refused.returncode == 1
    assert "again.csv" in refused.stdout


@pytest.mark.slow
def test_without_a_terminal_the_command_to_give_is_printed_and_runs(members: Program, folder: Path) -> None:
    asked = members("anonymize", "members.csv", "--k", "5", "--where", "age > 21")

    assert asked.status == 2
    assert names_in(folder) == ["members.csv"]
    words = command_in(asked.err)
    assert "--where" in words
    given = members(*words[1:])
    assert given.status == 0, given.err
    assert "quasi-identifier" not in given.out  # nothing was proposed


@pytest.mark.slow
def test_accepted_roles_are_shown_with_their_reasons(members: Program) -> None:
    found = members("anonymize", "members.csv", "--k", "5", "--accept-roles")

    assert found.status == 0, found.err
    assert "reason" in found.out
    assert max(map(len, found.out.partition("Released")[0].splitlines())) <= 80
    assert "quasi-identifier" in found.out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "status"),
    [
        ("y\n", 0),
        ("\n", 2),
        pytest.param("n\n", 2, marks=pytest.mark.thorough),
        pytest.param("", 2, marks=pytest.mark.thorough),
    ],
)
def test_a_terminal_is_asked_once_and_only_yes_is_yes(
    members: Program, folder: Path, monkeypatch: pytest.MonkeyPatch, typed: str, status: int
) -> None:
    terminal = io.StringIO(typed)
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", terminal)
    monkeypatch.setattr("ordermade.cli.anonymize.is_terminal", lambda: True)

    found = members("anonymize", "members.csv", "--k", "5")

    assert found.status == status
    assert found.err.count("[y/N]") == 1
    assert (folder / "members.anonymized.csv").exists() == (status == 0)


@pytest.mark.slow
def test_json_has_parts_files_and_figures(members: Program, folder: Path) -> None:
    found = members("anonymize", "members.csv", "--k", "5", *PARTS, "--json")

    assert found.status == 0
    document = found.document
    assert document["k"] >= 5
    assert document["release"] == str(folder / "members.anonymized.csv")
    assert document["folder"] == str(folder / "members.anonymized.request")
    assert {each["column"]: each["role"] for each in document["roles"]}["phone"] == "identifier"


@pytest.mark.slow
def test_json_asks_nobody(members: Program) -> None:
    found = members("anonymize", "members.csv", "--k", "5", "--json")

    assert found.status == 2
    failure = found.document["error"]
    assert failure["code"] == "input_error"
    assert "--quasi-identifiers" in failure["next"]  # the command to give
    assert failure["where"] == "members.csv"


@pytest.mark.slow
def test_an_existing_state_is_left_alone_and_a_named_one_keeps_the_request(members: Program, folder: Path) -> None:
    members("init")
    before = (folder / ".ordermade" / "state.sqlite").read_bytes()

    members("anonymize", "members.csv", "--k", "5", *PARTS)
    assert (folder / ".ordermade" / "state.sqlite").read_bytes() == before

    kept = members("--state", "kept.sqlite", "anonymize", "members.csv", "--k", "5", *PARTS, "--to", "kept.csv")
    assert kept.status == 0, kept.err
    assert (
        members("--state", "kept.sqlite", "request", "list", "--json").document["requests"][0]["status"] == "released"
    )
    twice = members("--state", "kept.sqlite", "anonymize", "members.csv", "--k", "6", *PARTS, "--to", "twice.csv")
    assert twice.status == 0, twice.err
    assert len(members("--state", "kept.sqlite", "source", "list", "--json").document["sources"]) == 1


@pytest.mark.slow
def test_a_registered_source_is_read_and_its_terms_hold(members: Program, folder: Path) -> None:
    members("init")
    members("source", "add", "shop", "members.csv")
    members("dataset", "add", "members", "--source", "shop", "--table", "members", "--least-k", "20")

    refused = members("anonymize", "shop.members", "--k", "5", *PARTS)
    released = members("anonymize", "shop.members", "--k", "20", *PARTS)

    assert refused.status == 2
    assert "20" in refused.err
    assert released.status == 0, released.err
    assert least_class(folder / "members.anonymized.csv", ["sex", "age", "city"]) >= 20


@pytest.mark.slow
def test_hierarchies_and_models_of_ones_own(members: Program, folder: Path) -> None:
    write_hierarchies(folder)

    found = members(
        *("anonymize", "members.csv", "--k", "4", "--quasi-identifiers", "sex,age,city", "--identifiers", "name,phone"),
        *("--hierarchy", "city=city.yaml", "--hierarchy", "age=age.csv", "--sensitive", "plan: distinct_l 2"),
    )

    assert found.status == 0, found.err
    written = folder / "members.anonymized.request" / "hierarchies"
    assert (written / "city.yaml").read_bytes() == (folder / "city.yaml").read_bytes()
    assert "distinct_l" in (folder / "members.anonymized.request" / "request.yaml").read_text()


@pytest.mark.thorough
@pytest.mark.parametrize("method", ["local", "mondrian", "microaggregation", "best", "generalization"])
def test_methods(members: Program, folder: Path, method: str) -> None:
    found = members("anonymize", "members.csv", "--k", "5", *PARTS, "--method", method)

    assert found.status == 0, found.err
    assert least_class(folder / "members.anonymized.csv", ["sex", "age", "city"]) >= 5


@pytest.mark.thorough
def test_a_comparison_releases_one_method_alone(members: Program, folder: Path) -> None:
    found = members("anonymize", "members.csv", "--k", "5", *PARTS, "--compare")

    assert found.status == 0, found.err
    shown = [" ".join(line.split()) for line in found.out.splitlines()]
    assert "other method detail given up rows suppressed" in shown
    for name in ("sealed local recoding", "Mondrian along the hierarchies"):
        assert any(line.startswith(f"{name} ") and " % " in line for line in shown)
    assert len(list(folder.glob("*.csv"))) == 2


Refusal = tuple[Sequence[str], int, str]
REFUSALS: dict[str, Refusal] = {
    "k of one": (["members.csv", "--k", "1", *PARTS], 2, "from 2 to"),
    "more than the rows": (["members.csv", "--k", "145", *PARTS], 1, "fewer than 145 rows"),
    "a column twice": (["members.csv", "--k", "5", "--keep", "plan", "--identifiers", "plan"], 2, "in --keep too"),
    "an unknown column": (["members.csv", "--k", "5", "--keep", "plam"], 2, "Did you mean 'plan'?"),
    "an unknown method": (["members.csv", "--k", "5", *PARTS, "--method", "locale"], 2, "Did you mean 'local'?"),
    "an unknown model": (["members.csv", "--k", "5", "--sensitive", "plan: distinct_m 2"], 2, "distinct_l"),
    "no such folder": (["members.csv", "--k", "5", *PARTS, "--to", "out/a.csv"], 2, "no such folder"),
    "an ending that is none": (["members.csv", "--k", "5", *PARTS, "--to", "a.pdf"], 2, ".parquet"),
    "the input itself": (["members.csv", "--k", "5", *PARTS, "--to", "members.csv"], 2, "already"),
    "no such file": (["memberz.csv", "--k", "5", *PARTS], 2, "neither a file"),
    "nobody to protect": (
        ["members.csv", "--k", "5", "--keep", "plan,sex,age,city", "--identifiers", "name,phone"],
        2,
        "no quasi-identifier",
    ),
    "a name released as it is": (["members.csv", "--k", "5", "--keep", "name", "--accept-roles"], 1, "identifies"),
    "a limit beyond 1": (["members.csv", "--k", "5", *PARTS, "--suppression-limit", "2"], 2, "from 0 to 1"),
    "a filter that is none": (["members.csv", "--k", "5", *PARTS, "--where", "age >"], 2, "--where"),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", REFUSALS)
def test_refused_before_anything_is_left(members: Program, folder: Path, case: str) -> None:
    arguments, status, words = REFUSALS[case]

    found = members("anonymize", *arguments)

    assert found.status == status, found.err
    assert words in found.err
    assert names_in(folder) == ["members.csv"]


@pytest.mark.parametrize("standing", ["r.csv", "r.csv.manifest.json", "r.request"])
def test_nothing_is_overwritten(members: Program, folder: Path, standing: str) -> None:
    (folder / standing).write_text("mine")

    found = members("anonymize", "members.csv", "--k", "5", *PARTS, "--to", "r.csv")

    assert found.status == 2
    assert (folder / standing).read_text() == "mine"
    assert names_in(folder) == sorted(["members.csv", standing])


@pytest.mark.slow
def test_nothing_passes_a_column_of_one_value_that_must_differ(folder: Path, ordermade: Program) -> None:
    rows = "".join(f"{20 + place % 7},x\n" for place in range(60))
    (folder / "one.csv").write_text("age,illness\n" + rows)

    found = ordermade("anonymize", "one.csv", "--k", "5", "--quasi-identifiers", "age", "--sensitive", "illness")

    assert found.status == 1
    assert "Refused" in found.err
    assert names_in(folder) == ["one.csv"]


def _csv(path: Path, header: Sequence[str], rows: Sequence[Sequence[object]], end: str = "\n", mark: str = "") -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(mark)
        writer = csv.writer(file, lineterminator=end)
        writer.writerow(header)
        writer.writerows(rows)


HOSTILE = (
    'a "quoted" name',
    "it's",
    "*",
    "key: [value, {x}]",
    "- item # comment",
    "null",
    "with, comma",
    "$(rm -rf x) `y`",
    "--k",
    "語\u3000表",
)


@pytest.mark.thorough
def test_hostile_names_are_released_and_run_again(folder: Path, ordermade: Program) -> None:
    rows = [[(place * step) % 4 for step in range(1, 1 + len(HOSTILE))] for place in range(80)]
    _csv(folder / "hostile.csv", HOSTILE, rows)

    asked = ordermade("anonymize", "hostile.csv", "--k", "5")
    words = command_in(asked.err)
    assert asked.status == 2
    assert f"{len(HOSTILE)} of the {len(HOSTILE)} columns" in asked.err
    listed = ",".join(f'"{each.replace(chr(34), chr(34) * 2)}"' for each in HOSTILE)
    found = ordermade("anonymize", "hostile.csv", "--k", "5", "--quasi-identifiers", listed)
    assert found.status == 0, found.err
    assert least_class(folder / "hostile.anonymized.csv", HOSTILE) >= 5
    (folder / "hostile.anonymized.csv").rename(folder / "first.csv")
    (folder / "hostile.anonymized.csv.manifest.json").unlink()
    (folder / "hostile.anonymized.request").rename(folder / "first.request")
    assert ordermade(*words[1:]).status == 0

    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    ran = subprocess.run(["sh", "first.request/run.sh"], capture_output=True, text=True, env=environment, check=False)
    assert ran.returncode == 0, ran.stderr
    assert (folder / "first.request" / "again.csv").read_bytes() == (folder / "first.csv").read_bytes()


def _ages(count: int) -> list[list[object]]:
    return [[20 + place % 30, "fm"[place % 2]] for place in range(count)]


Made = Callable[[Path], None]
SHAPES: dict[str, tuple[Made, int]] = {
    "empty": (lambda path: path.write_text("") and None, 3),
    "header only": (lambda path: _csv(path, ["age", "sex"], []), 2),
    "one column": (lambda path: _csv(path, ["age"], [[each[0]] for each in _ages(90)]), 0),
    "all unique": (lambda path: _csv(path, ["age"], [[each] for each in range(90)]), 0),
    "all constant": (lambda path: _csv(path, ["age", "sex"], [[20, "f"]] * 30), 2),
    "nulls": (lambda path: _csv(path, ["age", "sex"], [*_ages(60), *[["", ""]] * 9]), 0),
    "byte order mark": (lambda path: _csv(path, ["age", "sex"], _ages(60), mark="\ufeff"), 0),
    "carriage returns": (lambda path: _csv(path, ["age", "sex"], _ages(60), end="\r\n"), 0),
    "long values": (
        lambda path: _csv(path, ["age", "text"], [[each[0], str(each[1]) * 10_000] for each in _ages(60)]),
        0,
    ),
}


IN_SHORT = ("empty", "header only", "nulls")


@pytest.mark.slow
@pytest.mark.parametrize(
    "shape", [pytest.param(each, marks=[] if each in IN_SHORT else [pytest.mark.thorough]) for each in SHAPES]
)
def test_shapes_of_files(folder: Path, ordermade: Program, shape: str) -> None:
    made, status = SHAPES[shape]
    made(folder / "shape.csv")

    found = ordermade("anonymize", "shape.csv", "--k", "5", "--accept-roles", "--header", "--json")

    assert found.status == status, found.err
    if status == 0:
        columns = [each["column"] for each in found.document["roles"] if each["role"] == "quasi-identifier"]
        assert least_class(folder / "shape.anonymized.csv", columns) >= 5
    else:
        assert names_in(folder) == ["shape.csv"]


@pytest.mark.thorough
def test_names_with_a_line_break(folder: Path, ordermade: Program) -> None:
    _csv(folder / "lines.csv", ["age\nin years", "sex"], _ages(60))

    found = ordermade("anonymize", "lines.csv", "--k", "5")

    assert found.status == 2
    if "ordermade anonymize" in found.err:
        words = command_in(found.err)
        assert ordermade(*words[1:]).status == 0


@pytest.mark.slow
def test_interrupted_nothing_is_left(members: Program, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = folder / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ordermade.engine.Engine.run", interrupted)

    found = members("anonymize", "members.csv", "--k", "5", *PARTS)

    assert found.status == 130
    assert names_in(folder) == ["members.csv", "temporary"]
    assert names_in(temporary) == []


def _run(before: str, *arguments: str, temporary: Path) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, after these statements."""
    program = f"import os, signal, sys\n{before}\nfrom ordermade.cli.main import run\nrun()"
    environment = os.environ | {"TMPDIR": str(temporary)}
    return subprocess.run(
        [sys.executable, "-c", program, "anonymize", *arguments],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )


@pytest.mark.thorough
@pytest.mark.usefixtures("members")
def test_the_next_command_removes_the_leftovers_of_a_killed_one(folder: Path) -> None:
    temporary = folder / "temporary"
    temporary.mkdir()
    kill = "from ordermade.engine import Engine\nEngine.run = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)"
    asked = ("members.csv", "--k", "5", *PARTS)

    killed = _run(kill, *asked, temporary=temporary)

    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert names_in(temporary)
    assert any(name.startswith(".members.anonymized.request-") for name in names_in(folder))

    again = _run("", *asked, temporary=temporary)

    assert again.returncode == 0, again.stderr
    assert names_in(temporary) == []
    assert not any(name.startswith(".") for name in names_in(folder))


@pytest.mark.thorough
@pytest.mark.usefixtures("members")
@pytest.mark.parametrize("options", [("--method", "best"), ("--compare",), ("--method", "mondrian")])
def test_a_missing_extra_is_an_error_and_never_another_answer(folder: Path, options: Sequence[str]) -> None:
    temporary = folder / "temporary"
    temporary.mkdir()

    counted = "from ordermade.engine import Engine\nEngine.sweep = lambda *_, **__: open('counted', 'x')"
    before = f"sys.modules['numba'] = None\n{counted}"
    found = _run(before, "members.csv", "--k", "5", *PARTS, *options, temporary=temporary)

    assert found.returncode == 2, found.stderr
    assert "pip install 'ordermade[microaggregation]' (or [mondrian]" in found.stderr.replace("`", "")
    assert not folder.joinpath("counted").exists()
    assert names_in(folder) == ["members.csv", "temporary"]


@pytest.mark.slow
def test_no_value_of_a_person_is_in_a_message(folder: Path, ordermade: Program) -> None:
    notes = [f"{MARKER} {'abcdefgh'[place % 8] * (place + 1)} was seen again by us" for place in range(60)]
    _csv(folder / "notes.csv", ["age", "note"], [[20 + place % 9, note] for place, note in enumerate(notes)])

    found = ordermade("anonymize", "notes.csv", "--k", "5", "--quasi-identifiers", "note", "--accept-roles")

    assert found.status == 2
    assert MARKER not in found.err
    assert "no hierarchy can be drafted" in found.err
    assert names_in(folder) == ["notes.csv"]


@pytest.mark.slow
@pytest.mark.parametrize("roles", [("--accept-roles",), ("--quasi-identifiers", "sex", "--keep", "visit,amount")])
def test_texts_that_only_look_like_dates_or_numbers_are_left_as_they_are(
    folder: Path, ordermade: Program, roles: Sequence[str]
) -> None:
    days = ["2023/2/28", "2023/2/29", "2023/3/1"]
    amounts = ["-￥-5", "￥1,200", "￥3,000"]
    rows = [["fm"[place % 2], days[place % 3], amounts[place % 3]] for place in range(60)]
    _csv(folder / "visits.csv", ["sex", "visit", "amount"], rows)

    found = ordermade("anonymize", "visits.csv", "--k", "5", *roles)

    assert found.status == 0
    assert "visit: it looks like dates, but some of its texts are none" in found.out + found.err
    assert "2023/2/29" not in found.err
    assert ordermade("measure", "visits.anonymized.csv", "--quasi-identifiers", "sex").status == 0
    assert "-￥-5" in (folder / "visits.anonymized.csv").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_filter_does_not_hide_a_text_that_is_no_date(folder: Path, ordermade: Program) -> None:
    rows = [["fm"[place % 2], "2023/2/29" if place % 20 == 0 else "2023/3/1", place % 4] for place in range(60)]
    _csv(folder / "visits.csv", ["sex", "visit", "ward"], rows)

    found = ordermade("anonymize", "visits.csv", "--k", "5", "--accept-roles", "--where", "ward > 0")

    assert found.status == 0
    assert "visit: it looks like dates" in found.out + found.err


@pytest.mark.slow
def test_a_hierarchy_that_is_none_is_named_by_its_column(members: Program, folder: Path) -> None:
    (folder / "sex.csv").write_text("value,all\nf,a\nf,b\n", encoding="utf-8")
    found = members("anonymize", "members.csv", "--k", "5", *PARTS, "--hierarchy", "sex=sex.csv")
    assert found.status == 2
    assert "the hierarchy of 'sex': 1 value is listed twice" in found.err


@pytest.mark.slow
def test_a_hierarchy_is_read_from_a_file_alone(members: Program, folder: Path) -> None:
    os.mkfifo(folder / "sex.csv")
    for given in ("sex.csv", "/dev/zero", "."):
        found = members("anonymize", "members.csv", "--k", "5", *PARTS, "--hierarchy", f"sex={given}")
        assert found.status == 2
        assert f"{given}: the hierarchy cannot be read (it is no file)" in found.err


@pytest.mark.parametrize(
    "command", [("anonymize", "", "--k", "5", *PARTS), ("measure", "", "--quasi-identifiers", "sex")]
)
def test_an_empty_path_is_no_folder(members: Program, folder: Path, command: Sequence[str]) -> None:
    found = members(*command)
    assert found.status == 2
    assert "the path of the table is empty" in found.err
    assert names_in(folder) == ["members.csv"]


@pytest.mark.slow
def test_a_name_of_any_length_is_released_and_run_again(folder: Path, ordermade: Program) -> None:
    names = ["c" * 10_000, "é" * 900, "s" * 2_000]
    _csv(folder / "long.csv", names, [["ab"[place % 2], "cd"[place % 2], "ef"[place // 2 % 2]] for place in range(60)])
    roles = ("--quasi-identifiers", ",".join(names[:2]), "--sensitive", names[2])

    found = ordermade("anonymize", "long.csv", "--k", "5", "--header", *roles)

    assert found.status == 0, found.err[-300:]
    assert (folder / "long.anonymized.csv").read_text(encoding="utf-8").splitlines()[0].split(",") == names
    request = (folder / "long.anonymized.request" / "request.yaml").read_text(encoding="utf-8")
    assert list(read_request(request).request.quasi_identifiers) == names[:2]


@pytest.mark.slow
@pytest.mark.parametrize("outcome", ["text", "json", "state"])
def test_a_dry_run_shows_the_release_and_leaves_nothing(
    members: Program, folder: Path, tmp_path_factory: pytest.TempPathFactory, outcome: str
) -> None:
    """The fault: a try that has to be cleaned up, or that the state keeps as a release."""
    command = ("anonymize", "members.csv", "--k", "5", *PARTS, "--dry-run")
    if outcome == "state":
        state = tmp_path_factory.mktemp("kept") / "state.sqlite"
        found = members("--state", str(state), *command)
        assert not state.exists()
    else:
        found = members(*command, *(["--json"] if outcome == "json" else []))

    assert found.status == 0, found.err
    assert names_in(folder) == ["members.csv"]
    if outcome == "json":
        document = found.document
        assert (document["dry_run"], document["release"], document["folder"]) == (True, None, None)
        assert document["k"] >= 5
    else:
        assert "Would be released: members" in found.out
        assert "Nothing was written" in found.out
        assert "members.anonymized" not in found.out
    written = members(*command[:-1], "--json").document
    assert written["dry_run"] is False
    if outcome == "json":
        assert (document["k"], document["levels"], document["loss"]) == (
            written["k"],
            written["levels"],
            written["loss"],
        )


@pytest.mark.slow
def test_a_dry_run_is_not_reported(members: Program, folder: Path) -> None:
    found = members("anonymize", "members.csv", "--k", "5", *PARTS, "--dry-run", "--html", "report.html")

    assert found.status == 2
    assert names_in(folder) == ["members.csv"]


@pytest.mark.slow
def test_a_table_of_classes_has_a_title_and_runs_again(members: Program, folder: Path) -> None:
    parts = ("--quasi-identifiers", "sex,age,city", "--identifiers", "name,phone,plan")
    options = ("--shape", "table", "--title", "Members: by place", "--office", "Statistics")
    options += ("--html", "report.html", "--for", "user")
    found = members("anonymize", "members.csv", "--k", "5", *parts, *options, "--to", "table.csv")

    assert found.status == 0, found.err
    header, *rows = csv.reader(io.StringIO((folder / "table.csv").read_text()))
    assert header == ["sex", "age", "city", "count"]
    assert all(int(row[-1]) >= 5 for row in rows)
    ages = [int("".join(filter(str.isdigit, age.split(",")[0]))) for sex, age, *_ in rows if sex == rows[0][0]]
    assert ages == sorted(ages)  # 5 to 9 before 10 to 14, and not by their texts
    request = (folder / "table.request" / "request.yaml").read_text()
    assert 'title: "Members: by place"' in request
    assert read_request(request).request.release.shape == "table"
    report = (folder / "report.html").read_text(encoding="utf-8")
    assert "Report, for data users: report.html" in found.out
    assert "do not pass on" not in report
    assert "Members: by place" in report
    assert "Statistics" in report


@pytest.mark.slow
@pytest.mark.parametrize(("entity", "head"), [((), "件数"), (("--entity", "name"), "人数")])
def test_a_japanese_table_has_a_japanese_head(
    members: Program, folder: Path, entity: tuple[str, ...], head: str
) -> None:
    parts = ("--quasi-identifiers", "sex,city", "--identifiers", "name,phone,plan,age")
    found = members("anonymize", "members.csv", "--k", "5", *parts, *entity, "--shape", "table", "--lang", "ja")
    assert found.status == 0, found.err
    assert (folder / "members.anonymized.csv").read_text().splitlines()[0] == f"sex,city,{head}"


@pytest.mark.slow
def test_a_warning_names_the_option_that_allows_an_identifying_column(members: Program) -> None:
    parts = ("--quasi-identifiers", "sex", "--keep", "phone", "--identifiers", "name,plan,age,city")
    found = members("anonymize", "members.csv", "--k", "5", *parts, "--allow-identifying", "phone", "--to", "table.csv")
    assert found.status == 0, found.err
    assert "which --allow-identifying allows" in found.err


@pytest.mark.slow
def test_a_release_begins_with_a_byte_order_mark_where_it_is_to(members: Program, folder: Path) -> None:
    marked = ("--output-encoding", "utf-8-sig")
    refused = members("anonymize", "members.csv", "--k", "5", *PARTS, *marked, "--to", "table.xlsx")
    assert refused.status == 2
    assert "--output-encoding" in refused.err
    assert names_in(folder) == ["members.csv"]

    found = members("anonymize", "members.csv", "--k", "5", *PARTS, *marked, "--to", "table.csv")
    assert found.status == 0, found.err
    assert (folder / "table.csv").read_bytes().startswith(b"\xef\xbb\xbfsex,")
    assert "encoding: utf-8-sig" in (folder / "table.request" / "request.yaml").read_text()
    measured = members("measure", "table.csv", "--quasi-identifiers", "sex,age", "--json")
    assert measured.status == 0, measured.err
    assert '"k": ' in measured.out


@pytest.mark.slow
def test_a_named_column_that_a_table_of_classes_cannot_have_is_refused(members: Program, folder: Path) -> None:
    found = members("anonymize", "members.csv", "--k", "5", *PARTS, "--shape", "table")

    assert found.status == 2
    assert "plan" in found.err
    assert names_in(folder) == ["members.csv"]
