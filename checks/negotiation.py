"""One negotiation from submission to withdrawal, by the command line: `python -m checks.negotiation` prints its page.

Tests play it on the demo and on PostgreSQL, and compare the page `docs/reference/negotiation.md`.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

from ordermade.progress.waiting import COMPILING

ROWS = 3_000
REQUEST = "requests/3-too-detailed.yaml"
POLICY = """\
dataset: members
k: 5
suppression: 2 %
never: {ask: [name]}
quota: {requests: 20, per: month}
terms: Nobody is looked for in the release. It is deleted after the campaign.
reviews: 2
retention: {releases: 365 days}
expiry: 90 days
"""

INTRODUCTION = """\
# A negotiation

The transcript of one request on the data of `ordermade demo --rows 3000`, from its submission to its withdrawal: ann
asks, rei and ron review, the office provides. Each user's token is in `ORDERMADE_TOKEN`; the office has none. The
program printed this page; a test plays it again.
[The service](../tasks/service.md) says what happens at each step.
"""


@dataclass(frozen=True, slots=True)
class Turn:
    """A command of an actor (`office`: the provider's shell), the sentence before it, and how it ends."""

    actor: str
    typed: str
    sentence: str
    status: int = 0


NUMBER = 6
"""The demo has run five requests."""

SUBMIT = "request submit - --why 'for a campaign by mail'"
FROM = f"< {REQUEST}"

TURNS = (
    Turn("office", "policy set policy.yaml", "The office puts the policy of the dataset in force."),
    Turn("ann", f"{SUBMIT} {FROM}", "Ann submits a request for small classes, and has to accept the terms first.", 1),
    Turn("ann", "policy show members", "She reads them,"),
    Turn("ann", f"{SUBMIT} --accept-terms {FROM}", "accepts them, and submits it."),
    Turn("ann", f"request explain {REQUEST}", "The SQL is not for her.", 1),
    Turn("office", f"request propose {NUMBER}", "The office looks at what passes instead,"),
    Turn("office", f"request propose {NUMBER} --offer 1", "and proposes the first offer."),
    Turn("ann", f"request show {NUMBER}", "Ann reads the proposal,"),
    Turn("ann", f"request accept {NUMBER}", "and accepts it."),
    Turn("office", f"request review {NUMBER} --approve", "The office proposed it, and may not review it.", 1),
    Turn("rei", f"request review {NUMBER} --approve --why 'coarse enough'", "Two reviewers vote."),
    Turn("office", f"request run {NUMBER}", "One vote is not enough.", 1),
    Turn("ron", f"request review {NUMBER} --approve", "With the second vote it is approved."),
    Turn("office", f"request run {NUMBER}", "The office runs it,"),
    Turn("ann", f"request collect {NUMBER} --to - > campaign.parquet", "which does not deliver it yet.", 1),
    Turn("office", f"request deliver {NUMBER}", "The release is measured again, and delivered."),
    Turn("ann", f"request collect {NUMBER} --to - > campaign.parquet", "Ann copies it,"),
    Turn("ann", "release report 1 --for user", "and sees no other release.", 2),
    Turn("ann", f"request withdraw {NUMBER}", "She cannot withdraw what is delivered.", 1),
    Turn("office", f"request withdraw {NUMBER} --why 'the list of towns was out of date'", "The office can."),
    Turn("ann", f"request history {NUMBER}", "Everybody who may see the request sees its history."),
    Turn("office", "state verify", "The state is as the commands wrote it,"),
    Turn("office", "audit verify", "and so is the audit."),
)


@dataclass(frozen=True, slots=True)
class Played:
    """A turn, with the exit status and what was printed."""

    turn: Turn
    status: int
    printed: str


def played(folder: Path, on: str = "") -> Iterator[Played]:
    """The turns, played one after the other in a new folder; `on`: the database that the members are loaded into."""
    office = SimpleNamespace(pw_name="office")
    with patch.dict(os.environ, {"COLUMNS": "100"}), patch("pwd.getpwuid", lambda _: office):
        database = ["--on", on] if on else []
        _require(_run(folder.parent, ["demo", "--rows", str(ROWS), "--folder", str(folder), *database], None))
        tokens = {}
        for name, role in (("ann", "data-user"), ("rei", "reviewer"), ("ron", "reviewer")):
            _require(_run(folder, ["user", "add", name, "--role", role], None))
            made = _run(folder, ["user", "token", name, "--json"], None)
            tokens[name] = json.loads(made[1])["token"]
        (folder / "policy.yaml").write_text(POLICY, encoding="utf-8")
        for turn in TURNS:
            typed, _, given = turn.typed.partition(" < ")
            typed, _, _ = typed.partition(" > ")
            content = (folder / given).read_bytes() if given else b""
            status, out, err = _run(folder, _words(typed), tokens.get(turn.actor), content)
            out = "" if " > " in turn.typed else out
            yield Played(turn, status, _settled(out + err, folder))


def page(turns: Sequence[Played]) -> str:
    """The page of the transcript."""
    parts = [INTRODUCTION]
    for each in turns:
        typed = f"{each.turn.actor} $ ordermade {each.turn.typed}"
        parts.append(f"{each.turn.sentence}\n\n```text\n{typed}\n{each.printed.strip()}\n```\n")
    return "\n".join(parts)


def _words(typed: str) -> list[str]:
    import shlex

    return shlex.split(typed)


def _run(folder: Path, words: Sequence[str], token: str | None, given: bytes = b"") -> tuple[int, str, str]:
    import typer

    from ordermade.cli.exit_status import exit_status_of
    from ordermade.cli.main import app

    program = typer.main.get_command(app)
    out, err, before = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO(), Path.cwd()
    acting = {} if token is None else {"ORDERMADE_TOKEN": token}
    stdin = io.TextIOWrapper(io.BytesIO(given), encoding="utf-8")
    os.chdir(folder)
    try:
        with (
            patch.dict(os.environ, acting),
            patch.object(sys, "stdin", stdin),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            status = exit_status_of(lambda: program(list(words), prog_name="ordermade"), words)
    finally:
        os.chdir(before)
    out.flush()
    return status, out.buffer.getvalue().decode("utf-8", "replace"), err.getvalue()


def _require(done: tuple[int, str, str]) -> None:
    if done[0] != 0:
        raise RuntimeError(f"the negotiation cannot begin: {done[2]}")


_TIME = re.compile(r"20\d\d-\d\d-\d\d \d\d:\d\d")
_SECONDS = re.compile(r"\d+\.\d+ s\b")
_HASH = re.compile(r"\b[0-9a-f]{64}\b")


def _settled(text: str, folder: Path) -> str:
    """The text without what differs from run to run: times, seconds, hashes, the folder, spaces at ends of lines.

    And without the notice of a computer on which no method was compiled yet.
    """
    text = text.replace(f"{COMPILING}\n", "")
    text = _HASH.sub("e0e0…", text)
    text = _SECONDS.sub("0.1 s", _TIME.sub("2026-01-31 12:00", text.replace(str(folder), "…")))
    return "\n".join(line.rstrip() for line in text.splitlines())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        sys.stdout.write(page(list(played(Path(made).resolve() / "demo"))))
