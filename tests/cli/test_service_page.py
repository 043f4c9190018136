"""The commands and the script of the page on the service do as the page says."""

from __future__ import annotations

import os
import re
import shlex
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from ordermade import Engine
from tests.cli.conftest import Program, write_request

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tasks" / "service.md"
PROGRAMS = Path(sys.executable).parent


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def in_shell(folder: Path, typed: str, **variables: str) -> subprocess.CompletedProcess[str]:
    path = f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, **variables}
    return subprocess.run(["/bin/sh", "-c", typed], cwd=folder, env=environment, capture_output=True, text=True)


def typed(block: str) -> list[str]:
    return [line.partition("$ ")[2] for line in block.splitlines()]


@pytest.mark.slow
def test_the_commands_of_the_page_lead_to_a_release(shop: Program, folder: Path) -> None:
    write_request(folder / "request.yaml", k=20, end=1)
    (users,) = [each for each in blocks("console") if "user add" in each]
    (moves,) = [each for each in blocks("text") if "request deliver" in each]
    for each in [*typed(users), "ordermade user token rei > rei.token", *typed(moves)]:
        done = in_shell(folder, each)
        assert done.returncode == 0, (each, done.stderr)
    assert stat.S_IMODE((folder / "ann.token").stat().st_mode) == 0o600
    assert (folder / "members.csv").read_text(encoding="utf-8").count("\n") > 100


@pytest.mark.slow
def test_the_script_of_the_page_lets_a_user_do_as_the_token_allows(shop: Program, folder: Path) -> None:
    (script,) = [each for each in blocks("python") if "SSH_ORIGINAL_COMMAND" in each]
    (line,) = [each for each in blocks("text") if "authorized_keys" not in each and "command=" in each]
    (command,) = re.findall(r'^restrict,command="/srv/office/(.*?)" ssh-', line)
    (folder / "served.py").write_text(script, encoding="utf-8")
    (folder / "served.py").chmod(0o700)
    engine = Engine()
    engine.users.add("ann", ["data-user"])
    (folder / "ann.token").write_text(engine.users.token("ann").secret + "\n", encoding="utf-8")

    def by_ssh(original: str, given: str = "/dev/null") -> subprocess.CompletedProcess[str]:
        return in_shell(Path("/"), f"{folder}/{command} < {shlex.quote(given)}", SSH_ORIGINAL_COMMAND=original)

    told = by_ssh("ordermade request submit - --why 'for the yearbook'", str(folder / "request.yaml"))
    assert (told.returncode, told.stdout.startswith("Submitted as request 1")) == (0, True), told.stderr
    for refused in (
        "",
        "sh",
        "ordermade",
        "ordermade --state x request list",
        "ordermade user list",
        "request list",
        "ordermade request 'list",
    ):
        done = by_ssh(refused)
        assert (done.returncode, done.stdout) == (1, ""), refused
    assert by_ssh("ordermade request 'list").stderr == by_ssh("sh").stderr  # no trace of the file, nor of its path
    for passing in ("request -- run 1", "release -- list", "request -- explain x", "-- audit list", "state -- status"):
        assert by_ssh(f"ordermade {passing}").returncode == 1, passing
    two = by_ssh("ordermade request list; id")
    assert (two.returncode, two.stdout) == (2, "")
    assert by_ssh("ordermade request explain request.yaml").returncode == 1
