"""A file that a command writes under a name is whole, or there is none."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from tests.cli.conftest import Program

pytestmark = pytest.mark.slow

COMMANDS = (
    "hierarchy suggest members age --to new/draft.yaml",
    "hierarchy suggest members --all --to new/drafts",
    "request draft members --to new/drafted.yaml",
    "taxonomy keywords --to new/keywords.yaml",
    "request run request.yaml --certify new/certificate.json",
    "certificate copy c.json new/copy.json --for user",
    "release report 1 --html new/report.html",
)


def test_a_full_disk_leaves_no_beginning_of_a_file(
    shop: Program, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shop("request", "run", "request.yaml", "--certify", "c.json").status == 0
    new = folder / "new"
    new.mkdir()
    to_the_disk = os.fsync

    def full(descriptor: int) -> None:
        if Path(f"/proc/self/fd/{descriptor}").readlink().is_relative_to(new) and stat.S_ISREG(
            os.fstat(descriptor).st_mode
        ):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        to_the_disk(descriptor)

    for command in COMMANDS:
        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", full)
            failed = shop(*command.split())
        assert failed.status == 3, (command, failed.err)
        assert [each for each in new.rglob("*") if each.is_file()] == [], command
    for command in COMMANDS:
        assert shop(*command.split()).status == 0, command
