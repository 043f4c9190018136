"""`make mutants`: put each fault of the list into a copy of the engine, and see its tests fail.

`python -m tests.mutants [WORDS of files or faults]`. The exit status is 1 where a mutant survives, where its text is no
longer found exactly once, and where its tests fail without it or cannot be run. The work tree is never written to.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.mutants.mutant import REPOSITORY, Mutant, Stale, mutants

COPIED = ("engine", "sql", "migrations")
LIGHT = "not thorough and not services and not browser and not spark"
LONGEST = 300
"""Seconds of a run of tests: a mutant that goes on for ever is found, too."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of the engine, which tests import in place of the work tree's."""

    folder: Path

    @classmethod
    def made(cls, folder: Path) -> Copy:
        """A copy in an empty folder, with what Python compiled, which goes by the times of the files."""
        for name in COPIED:
            shutil.copytree(REPOSITORY / name, folder / name)
        return cls(folder)

    def run(self, tests: Sequence[str]) -> tuple[int | None, str]:
        """The exit status of pytest, None where the time is over, and what it printed."""
        own = {"PYTHONPATH": str(self.folder / "engine"), "PYTEST_ADDOPTS": ""}
        options = ["-x", "-n0", "-q", "-p", "no:cacheprovider", "--tb=no", "-m", LIGHT]
        command = [sys.executable, "-m", "pytest", *options, *tests]
        try:
            ended = subprocess.run(
                command,
                cwd=REPOSITORY,
                env={**os.environ, **own},
                capture_output=True,
                text=True,
                timeout=LONGEST,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None, ""
        return ended.returncode, ended.stdout + ended.stderr

    def run_with(self, mutant: Mutant, number: int) -> tuple[int | None, str]:
        """The same with the mutant in the copy, which is as before then."""
        file = self.folder / mutant.file
        text, at = file.read_text(encoding="utf-8"), file.stat().st_mtime
        file.write_text(mutant.applied(text), encoding="utf-8")
        # What was compiled is known by the second and the length of its source, which two mutants may share.
        os.utime(file, (at + number, at + number))
        try:
            return self.run(mutant.tests)
        finally:
            file.write_text(text, encoding="utf-8")
            os.utime(file, (at, at))


def failed_test(printed: str) -> str:
    """The first test that failed, in brackets; empty where none is named."""
    lines = (line.removeprefix("FAILED ").removeprefix("ERROR ") for line in printed.splitlines() if "::" in line)
    return next((f" ({line.partition(' - ')[0]})" for line in lines if line.startswith("tests/")), "")


def main(words: Sequence[str]) -> int:
    """Run the mutants whose files or faults have one of the words, all of them without; the exit status."""
    chosen = [each for each in mutants() if not words or any(word in f"{each.file} {each.fault}" for word in words)]
    began, killed = time.monotonic(), 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy.made(Path(folder))
        status, printed = copy.run(sorted({test for each in chosen for test in each.tests}))
        if status != pytest.ExitCode.OK:
            print(f"the tests do not pass without a mutant:\n{printed}")
            return 1
        for number, mutant in enumerate(chosen, start=1):
            at = time.monotonic()
            try:
                status, printed = copy.run_with(mutant, number)
            except Stale as stale:
                print(f"no longer there: {stale}", flush=True)
                continue
            took = f"{time.monotonic() - at:.0f} s"
            if status in (pytest.ExitCode.TESTS_FAILED, None):
                killed += 1
                how = f" by time, after {LONGEST} s" if status is None else failed_test(printed)
                print(f"killed, {took}: {mutant.fault}{how}", flush=True)
            elif status == pytest.ExitCode.OK:
                print(f"SURVIVED, {took}: {mutant.fault}", flush=True)
            else:
                print(f"NOT RUN, {took}: {mutant.fault}\n{printed[-1_000:]}", flush=True)
    print(f"{killed} of {len(chosen)} mutants killed in {time.monotonic() - began:.0f} s")
    return int(killed != len(chosen))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
