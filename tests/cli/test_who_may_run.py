"""Who may run which command, in every way of writing it: nothing passes that the table of roles does not list.

`pytest -s` prints a table of what passed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from typer._click.core import Context
from typer.core import TyperArgument, TyperGroup

from ordermade import Engine
from ordermade.cli.permitted import declared
from ordermade.service.lifecycle import Actor
from ordermade.service.submissions import Submissions
from tests.cli.conftest import PROGRAM, Outcome, Program

USER, REVIEWER = "data-user", "reviewer"
BOTH = {USER, REVIEWER}
MAY: Mapping[str, set[str]] = {
    "request submit": {USER},
    "request accept": {USER},
    "request revise": {USER},
    "request withdraw": {USER},
    "request collect": {USER},
    "request certificate": {USER},
    "request rerun": {USER},
    "request review": {REVIEWER},
    "request comment": BOTH,
    "request list": BOTH,
    "request show": BOTH,
    "request history": BOTH,
    "request check": BOTH,
    "request schema": BOTH,
    "hierarchy upload": {USER},
    "hierarchy list": {USER},
    "hierarchy remove": {USER},
    "release report": BOTH,
    "policy show": BOTH,
    "policy schema": BOTH,
    "microaggregation methods": BOTH,
    "taxonomy keywords": BOTH,
    "schema": BOTH,
}
"""The table of roles, written down a second time: a command that is not here is the provider's alone."""
REFUSALS = ("` is for a ", "this token is not one of this state", "was revoked")


def leaves(group: Any, path: str = "") -> Iterator[str]:
    for name, each in group.commands.items():
        named = f"{path} {name}".strip()
        if hasattr(each, "commands"):
            yield from leaves(each, named)
        else:
            yield named


COMMANDS = tuple(leaves(PROGRAM))


def of(command: str) -> Any:
    """The command itself."""
    found: Any = PROGRAM
    for word in command.split():
        found = found.commands[word]
    return found


def needed(command: Any, besides: str = "") -> list[str]:
    """Words that fill what must be given; `besides`: the parameter that is given otherwise."""
    words: list[str] = []
    for each in command.params:
        if each.required and each.name != besides:
            choices = getattr(each.type_descriptor, "choices", None) if hasattr(each, "type_descriptor") else None
            value = str(choices[0]) if choices else "1"
            words += [value] if isinstance(each, TyperArgument) else [each.opts[0], value]
    return words


def ways(command: str) -> Iterator[tuple[str, list[str]]]:
    """Every way of writing a command, with a name."""
    words, rest = command.split(), needed(of(command))
    yield "plain", [*words, *rest]
    yield "options before", ["--wait", "5", *words, *rest]
    yield "= option before", ["--wait=5", "--memory=1GB", *words, *rest]
    yield "--json", [*words, "--json", *rest]
    yield "--json last", [*words, *rest, "--json"]
    yield "wrong option", [*words, "--no-such-option"]
    yield "--help", [*words, "--help"]
    yield "-- before", ["--", *words, *rest]
    yield "-- after", [*words, "--", *rest]
    yield "-- twice", [*(each for word in words for each in ("--", word)), *rest]
    yield "-- and options", ["--wait", "5", "--", *words, "--json", *rest]
    yield "an option between", [words[0], "--json", *words[1:], *rest]
    yield "an option of the program between", [words[0], "--wait", "5", *words[1:], *rest]
    yield "a token that is empty between", [words[0], "--token-file", os.devnull, *words[1:], *rest]
    yield "a log of SQL", ["--log", "debug", *words, *rest]
    yield "a log of statements", ["--log=INFO", *words, *rest]
    yield "another state", ["--state", "other.sqlite", *words, *rest]
    yield "another token", ["--token-file", "other.token", *words, *rest]
    yield "abbreviated", [word[:-1] for word in words] + rest
    yield "in capitals", [word.capitalize() for word in words] + rest
    yield "with a blank", [f"{words[0]} ", *words[1:], *rest]
    if len(words) > 1:
        yield "noun -- command", [words[0], "--", *words[1:], *rest]
        yield "noun -- command --json", [words[0], "--", *words[1:], "--json", *rest]
        yield "one word", [" ".join(words), *rest]
        yield "command alone", [words[-1], *rest]


@contextmanager
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The commands that run, which do nothing here."""
    ran: list[str] = []
    invoke: Callable[..., Any] = Context.invoke

    def noted(self: Any, callback: Any, /, *given: Any, **named: Any) -> Any:
        if isinstance(self.command, TyperGroup):
            return invoke(self, callback, *given, **named)
        ran.append(self.command_path)
        return None

    with monkeypatch.context() as patched:
        patched.setattr(Context, "invoke", noted)
        yield ran


def became(told: Outcome, ran: list[str]) -> str:
    """What became of a command: it ran, was refused, is none, or its own words were read, which a refusal precedes."""
    if ran:
        return "ran"
    if told.status == 1 and any(each in told.err for each in REFUSALS):
        return "refused"
    if told.status == 2 and ("No such command" in told.err or "COMMAND [ARGS]" in told.err):
        return "no command"
    return "read"


def passed(program: Program, role: str | None, monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, str], str]:
    """What became of each command in each way of writing it."""
    found = {}
    with watched(monkeypatch) as ran:
        for command in COMMANDS:
            for way, words in ways(command):
                ran.clear()
                found[command, way] = became(program(*words), ran)
    return found


def table(role: str, found: Mapping[tuple[str, str], str]) -> str:
    """How many commands ran, or had their words read, in each way of writing them: those listed and those beyond."""
    lines = [f"{role}: {len(COMMANDS)} commands, {len([each for each in MAY.values() if role in each])} listed"]
    lines.append(f"{'':<36}{'listed':>8}{'beyond':>8}{'refused':>9}{'no command':>12}")
    for way in dict.fromkeys(way for _, way in found):
        of_way = {command: what for (command, each), what in found.items() if each == way}
        passing = [command for command, what in of_way.items() if what in ("ran", "read")]
        listed = sum(role in MAY.get(each, ()) for each in passing)
        refused, none = (sum(what == each for what in of_way.values()) for each in ("refused", "no command"))
        lines.append(f"{way:<36}{listed:>8}{len(passing) - listed:>8}{refused:>9}{none:>12}")
    return "\n".join(lines)


@pytest.mark.slow
@pytest.mark.parametrize("role", [USER, REVIEWER])
def test_no_way_of_writing_a_command_passes_the_table_of_roles(
    shop: Program, monkeypatch: pytest.MonkeyPatch, role: str
) -> None:
    """Who acts is looked up once, in another test: looking it up takes most of the time of a refusal."""
    monkeypatch.setenv("ORDERMADE_TOKEN", "x")
    monkeypatch.setattr(Submissions, "acting", lambda _: Actor("ann", frozenset({role})))
    found = passed(shop, role, monkeypatch)
    beyond = [
        f"{command}, {way}: {what}"
        for (command, way), what in found.items()
        if what in ("ran", "read") and role not in MAY.get(command, ())
    ]
    print(table(role, found))
    assert not beyond
    for command, roles in MAY.items():
        assert (found[command, "plain"], found[command, "-- twice"]) == (
            ("ran", "ran") if role in roles else ("refused",) * 2
        )


@pytest.mark.slow
def test_the_provider_runs_every_command(shop: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    found = passed(shop, None, monkeypatch)
    assert {what for (_, way), what in found.items() if way in ("plain", "options before", "-- twice")} == {"ran"}


WORDS: tuple[tuple[str, ...], ...] = (
    ("audit", "--", "list"),
    ("audit", "--", "export", "made"),
    ("state", "--", "status"),
    ("state", "--", "backup", "made"),
    ("state", "--", "restore", "copy"),
    ("--", "state", "--", "migrate"),
    ("cache", "--", "list"),
    ("release", "--", "list"),
    ("release", "--", "show", "1"),
    ("policy", "--", "list"),
    ("dataset", "opt-out", "--", "list", "--json"),
    ("--", "init"),
)
"""Commands of the provider as a user tried to give them."""


@pytest.fixture
def tokens(shop: Program) -> dict[str, str]:
    """Tokens by what they are."""
    users = Engine().users
    for name, role in (("ann", USER), ("rei", REVIEWER), ("rob", "provider"), ("pro", "provider")):
        users.add(name, [role])
    found = {name: users.token(name).secret for name in ("ann", "rei", "rob", "pro")}
    users.revoke("rob")
    return found


@pytest.mark.slow
def test_a_user_with_a_token_gives_no_command_of_the_provider(
    shop: Program, tokens: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shop("state", "backup", "copy").status == 0
    before = sorted(Path().rglob("*"))
    state = (Path(".ordermade") / "state.sqlite").stat().st_ino
    for name in ("ann", "rei", "rob"):
        monkeypatch.setenv("ORDERMADE_TOKEN", tokens[name])
        for words in WORDS:
            told = shop(*words)
            assert (told.status, "is for a provider" in told.err or "was revoked" in told.err) == (1, True), words
            assert "AttributeError" not in told.err
    assert sorted(Path().rglob("*")) == before
    assert (Path(".ordermade") / "state.sqlite").stat().st_ino == state
    monkeypatch.setenv("ORDERMADE_TOKEN", tokens["pro"])
    assert [shop(*words).status for words in (("audit", "--", "list"), ("state", "status"))] == [0, 0]


@pytest.mark.slow
@pytest.mark.parametrize("words", [WORDS[0], WORDS[4], ("--wait", "5", "--", "release", "--", "list", "--json")])
def test_a_process_of_its_own_refuses_alike(shop: Program, tokens: dict[str, str], words: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ordermade", *words],
        env={**os.environ, "ORDERMADE_TOKEN": tokens["ann"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "is for a provider" in done.stderr) == (1, True), done.stderr


def test_a_token_in_the_environment_keeps_its_user_from_what_lies_around(
    shop: Program, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a state in which they are the provider, nor the start-up files of the account."""
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("ORDERMADE_TOKEN", "x" * 43)
    before = sorted(folder.rglob("*"))
    for words in (
        ("--state", "own.sqlite", "request", "list"),
        ("--install-completion",),
        ("--install-completion", "bash"),
    ):
        assert shop(*words).status == 2
    assert sorted(folder.rglob("*")) == before


def named_files(command: str) -> Iterator[list[str]]:
    """The words that name a file of the program's account, for each parameter of a command that is a path."""
    kinds = get_type_hints(of(command).callback)
    for each in of(command).params:
        if Path in (kinds.get(each.name), *get_args(kinds.get(each.name))):
            own = ["own.yaml"] if isinstance(each, TyperArgument) else [each.opts[0], "own.yaml"]
            yield [*command.split(), *needed(of(command), each.name), *own]


@pytest.mark.slow
def test_no_token_makes_the_program_open_a_file_of_its_account(
    shop: Program, tokens: dict[str, str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, tried = sorted(folder.rglob("*")), []
    for command, roles in MAY.items():
        monkeypatch.setenv("ORDERMADE_TOKEN", tokens["ann" if USER in roles else "rei"])
        for words in named_files(command):
            told = shop(*words)
            assert (told.status, "by a token" in told.err) == (1, True), (words, told.err)
            tried.append(command)
    assert {"request submit", "request revise", "request collect", "release report", "taxonomy keywords"} <= set(tried)
    assert sorted(folder.rglob("*")) == before


def test_the_declared_roles_are_those_of_the_table() -> None:
    assert {name: set(roles) for name, roles in declared(PROGRAM) if roles} == MAY
