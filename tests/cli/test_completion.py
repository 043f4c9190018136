"""Completion in shells: registered names and choices, from the state alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer._completion_classes import BashComplete

from ordermade import Engine
from ordermade.cli.main import app
from ordermade.state.authority import SHELL
from ordermade.state.names import registered_names
from tests.cli.conftest import Program
from tests.state_by_hand import by_hand

PROGRAM = typer.main.get_command(app)


def completed(*words: str) -> list[str]:
    """The values that complete the last of these words, as the shell is given them."""
    found = BashComplete(PROGRAM, {}, "ordermade", "_ORDERMADE_COMPLETE")
    return [item.value for item in found.get_completions(list(words[:-1]), words[-1])]


def in_shell(shell: str, typed: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """What a shell gets that asks the program itself, as the installed script does."""
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split(" ")) - 1), "_TYPER_COMPLETE_ARGS": typed}
    fish = {"_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    return subprocess.run(
        [sys.executable, "-m", "ordermade"],
        cwd=folder,
        env=os.environ | words | fish | {"_ORDERMADE_COMPLETE": f"complete_{shell}"} | environment,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        (("source", "show", ""), ["shop"]),
        (("source", "remove", "x"), []),
        (("dataset", "add", "x", "--source", "s"), ["shop"]),
        (("dataset", "show", ""), ["members"]),
        (("policy", "show", ""), ["members"]),
        (("policy", "diff", "m"), ["members"]),
        (("hierarchy", "show", "c"), ["city"]),
        (("hierarchy", "check", "age", "--dataset", "m"), ["members"]),
        (("hierarchy", "suggest", ""), ["members"]),
        (("request", "draft", ""), ["members"]),
        (("observations", "list", "--dataset", ""), ["members"]),
        (("cache", "purge", "--dataset", ""), ["members"]),
        (("measure", "sh"), ["shop.members"]),
        (("rules", "suggest", "members", "--hierarchies", "age=a"), ["age=age"]),
        (("request", "predict", "r.yaml", "--predictor", "p"), ["pairs", "power"]),
        (("microaggregation", "compare", "m.csv", "--algorithms", "mdav,opt"), ["mdav,optimal"]),
        (("demo", "re"), ["recommend"]),
        (("hierarchy", "add", "x", "x.csv", "--style", "a"), ["auto", "arx"]),
        (("obs",), ["observations"]),
        (("release", "v"), ["verify"]),
    ],
)
def test_names_and_choices_are_completed(shop: Program, typed: tuple[str, ...], names: list[str]) -> None:
    assert completed(*typed) == names


@pytest.mark.slow
def test_numbers_come_with_their_titles(shop: Program, folder: Path) -> None:
    assert shop("request", "run", "request.yaml").status == 0
    assert completed("request", "show", "") == completed("release", "verify", "") == ["1"]
    assert registered_names(folder / ".ordermade" / "state.sqlite", "requests", SHELL) == [
        ("1", "Members by sex, age and city")
    ]


def test_the_state_that_is_named_or_above_is_read(
    shop: Program, folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "below").mkdir()
    monkeypatch.chdir(folder / "below")
    assert completed("source", "show", "") == ["shop"]
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert completed("source", "show", "") == []
    assert completed("--state", str(folder / ".ordermade" / "state.sqlite"), "source", "show", "") == ["shop"]


def test_a_state_that_cannot_be_read_completes_nothing(shop: Program, folder: Path) -> None:
    copy = folder / "old.sqlite"
    with by_hand(copy) as connection:
        connection.execute("CREATE TABLE t (i INTEGER)")
    assert registered_names(copy, "releases", SHELL) == []
    copy.write_bytes(b"no state at all")
    assert registered_names(copy, "sources", SHELL) == []
    assert registered_names(folder, "sources", SHELL) == []
    assert registered_names(folder / "nowhere.sqlite", "sources", SHELL) == []


REGISTERED = [
    ("source", "show", ""),
    ("dataset", "show", ""),
    ("hierarchy", "--", "show", ""),
    ("request", "show", ""),
    ("release", "report", ""),
    ("policy", "show", ""),
    ("user", "remove", ""),
    ("measure", ""),
    ("cache", "purge", "--dataset", ""),
]


@pytest.mark.slow
def test_a_token_completes_names_for_a_provider_alone(
    shop: Program, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shop("request", "run", "request.yaml").status == 0
    users = Engine().users
    for name in ("data-user", "reviewer", "provider"):
        users.add(f"a {name}", [name])
        (folder / name).write_text(users.token(f"a {name}").secret)
    (folder / "unknown").write_text("x" * 43)
    (folder / "empty").write_text("")
    seen = [completed(*words) for words in REGISTERED]
    assert all(seen)
    assert [completed("--token-file", "provider", *words) for words in REGISTERED] == seen
    for name in ("data-user", "reviewer", "unknown", "empty", "none"):
        for words in REGISTERED:
            assert completed("--token-file", name, *words) == [], (name, words)
    monkeypatch.setenv("ORDERMADE_TOKEN", (folder / "data-user").read_text())
    assert [completed(*words) for words in REGISTERED] == [[]] * len(REGISTERED)
    assert [completed("--token-file", "provider", *words) for words in REGISTERED] == [[]] * len(REGISTERED)


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_are_answered(shop: Program, folder: Path, shell: str) -> None:
    done = in_shell(shell, "ordermade dataset show m", folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert "members" in done.stdout


@pytest.mark.slow
def test_a_locked_state_and_none_are_silent(
    shop: Program, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with by_hand(folder / ".ordermade" / "state.sqlite") as connection:
        connection.execute("BEGIN EXCLUSIVE")
        locked = in_shell("bash", "ordermade dataset show ", folder)
    none = in_shell("bash", "ordermade dataset show ", tmp_path_factory.mktemp("none"))
    for done in (locked, none):
        assert (done.stdout.strip(), done.stderr) == ("", "")


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_shown_and_installed_for_each_shell(folder: Path, shell: str) -> None:
    environment = os.environ | {
        "HOME": str(folder),
        "SHELL": f"/bin/{shell}",
        "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1",
    }
    for option in ("--show-completion", "--install-completion"):
        done = subprocess.run(
            [sys.executable, "-m", "ordermade", option, shell],
            env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "_ORDERMADE_COMPLETE" in done.stdout or "installed" in done.stdout


LOADED_FOR_SOURCES = """
import sys, typer
from ordermade.cli import completion
from ordermade.cli.main import app
context = typer.Context(typer.main.get_command(app))
assert completion.registered("sources")(context, "") == [("shop", "csv")]
limits = "ordermade.sources.limits"  # which open no source
print(*(each for each in sys.modules if each.startswith("ordermade.sources.") and each != limits))
"""


@pytest.mark.slow
def test_no_source_is_connected(shop: Program, folder: Path) -> None:
    command = [sys.executable, "-c", LOADED_FOR_SOURCES]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr
