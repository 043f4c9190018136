"""`make whole`: every part of the suite in turn, and where all pass, a line of CONTRIBUTING.md and the durations.

The line has the date, the commit and each part's tests and seconds; `checks.rest` goes by the commit. The durations of
files order the tests (`tests/durations.py`). pytest writes both in its JUnit file.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from checks.rest import REPOSITORY, RUNS

PARTS = ("test", "thorough", "long", "services", "spark", "browser")
"""The targets of `make` that are run."""
LONG = "long"
"""Its tests are of the other parts, with fewer rounds."""
DURATIONS = REPOSITORY / "tests" / "durations.json"
COLUMNS = f"| date | commit | {' | '.join(PARTS)} |"


@dataclass(frozen=True)
class Ran:
    """A part that passed: how many tests ran, how many were skipped, the seconds, and those of each file."""

    tests: int
    skipped: int
    seconds: float
    of_files: Mapping[str, float]

    @property
    def cell(self) -> str:
        """Its cell of the table."""
        skipped = f", {self.skipped:,} skipped" if self.skipped else ""
        return f"{self.tests - self.skipped:,} in {self.seconds:,.0f} s{skipped}"


def read_junit(text: str) -> Ran:
    """What the JUnit file of a run of pytest says."""
    suites = list(ElementTree.fromstring(text).iter("testsuite"))
    of_files: dict[str, float] = {}
    for case in ElementTree.fromstring(text).iter("testcase"):
        file = _file(case.get("classname", ""))
        of_files[file] = of_files.get(file, 0.0) + float(case.get("time", 0))
    return Ran(
        sum(int(each.get("tests", 0)) for each in suites),
        sum(int(each.get("skipped", 0)) for each in suites),
        sum(float(each.get("time", 0)) for each in suites),
        of_files,
    )


def _file(classname: str) -> str:
    """The file of a test: its module, without the classes in it."""
    parts = classname.split(".")
    module = next((place for place, part in enumerate(parts) if part.startswith("test_")), len(parts) - 1)
    return "/".join(parts[: module + 1]) + ".py"


def with_line(page: str, line: str) -> str:
    """The page with another line at the end of the table of whole runs."""
    before, columns, after = page.partition(COLUMNS)
    if not columns:
        raise ValueError(f"CONTRIBUTING.md has no table with the columns {COLUMNS}")
    table, gap, rest = after.partition("\n\n")
    return f"{before}{columns}{table.rstrip()}\n{line}{gap or chr(10)}{rest}"


def durations(ran: Mapping[str, Ran]) -> str:
    """The durations as they are stored: a line a file, the seconds of each part to a tenth."""
    of_files: dict[str, dict[str, float]] = {}
    for part, each in ran.items():
        for file, seconds in each.of_files.items():
            if part != LONG and round(seconds, 1) > 0:
                of_files.setdefault(file, {})[part] = round(seconds, 1)
    lines = (f"  {json.dumps(file)}: {json.dumps(of_files[file])}" for file in sorted(of_files))
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _run(part: str, folder: Path) -> Ran | None:
    report = folder / f"{part}.xml"
    options = f"{os.environ.get('PYTEST_ADDOPTS', '')} --junitxml={report}"
    done = subprocess.run(["make", part], cwd=REPOSITORY, env={**os.environ, "PYTEST_ADDOPTS": options}, check=False)
    if done.returncode:
        return None
    return read_junit(report.read_text(encoding="utf-8")) if report.is_file() else Ran(0, 0, 0.0, {})


def main() -> int:
    """Run the parts; 1 if the work tree has changes, or one fails: nothing is recorded then."""
    git = ["git", "-C", str(REPOSITORY)]
    if subprocess.run([*git, "status", "--porcelain"], capture_output=True, text=True, check=True).stdout:
        print("commit first: a whole run is recorded with its commit", file=sys.stderr)
        return 1
    head = [*git, "rev-parse", "--short=12", "HEAD"]
    commit = subprocess.run(head, capture_output=True, text=True, check=True).stdout.strip()
    ran: dict[str, Ran] = {}
    with tempfile.TemporaryDirectory() as folder:
        for part in PARTS:
            one = _run(part, Path(folder))
            if one is None:
                print(f"nothing is recorded: make {part} failed", file=sys.stderr)
                return 1
            ran[part] = one
    cells = " | ".join(each.cell for each in ran.values())
    line = f"| {datetime.now(UTC).date()} | `{commit}` | {cells} |"
    RUNS.write_text(with_line(RUNS.read_text(encoding="utf-8"), line), encoding="utf-8")
    DURATIONS.write_text(durations(ran), encoding="utf-8")
    print(f"{line}\nwritten into CONTRIBUTING.md, and tests/durations.json: commit both")
    return 0


if __name__ == "__main__":
    sys.exit(main())
