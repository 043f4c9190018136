"""The types of public calls from a user's side: mypy, and pyright or basedpyright where it is installed.

`python -m checks.user_types` checks `tests/typing/`, where calls are written as a user writes them, with what they are
to return. A mistake that is expected there is marked, and a mark without a mistake is a finding.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

CALLS = Path(__file__).resolve().parents[1] / "tests" / "typing"
PYRIGHTS = ("pyright", "basedpyright")
"""Either reads the same marks; the second needs no Node.js beside it."""


def mypy_findings(folder: Path = CALLS) -> Iterator[str]:
    """The findings of mypy, strict and without the settings of this repository."""
    with tempfile.TemporaryDirectory() as cache:
        options = ["--strict", "--config-file=", "--no-error-summary", f"--cache-dir={cache}"]
        yield from _lines([sys.executable, "-m", "mypy", *options, *map(str, sorted(folder.glob("*.py")))])


def pyright() -> str | None:
    """The program that is installed, beside this Python or on the PATH; None where there is none."""
    beside = str(Path(sys.executable).parent)
    return next((found for each in PYRIGHTS if (found := shutil.which(each, path=beside) or shutil.which(each))), None)


def pyright_findings(program: str, folder: Path = CALLS) -> Iterator[str]:
    """The errors of pyright in its standard mode, in a project of its own: settings name no folder outside."""
    wanted = {"typeCheckingMode": "standard", "enableTypeIgnoreComments": False}
    with tempfile.TemporaryDirectory() as made:
        (Path(made) / "pyrightconfig.json").write_text(json.dumps(wanted), encoding="utf-8")
        for each in sorted(folder.glob("*.py")):
            shutil.copy(each, made)
        for line in _lines([program, "--project", made, "--pythonpath", sys.executable]):
            if " - error: " in line:
                yield line.strip().removeprefix(f"{made}/")


def _lines(command: Sequence[str]) -> Iterator[str]:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        yield f"{command[0]} ended with {done.returncode}: {done.stderr.strip()[-500:]}"
    yield from (line for line in done.stdout.splitlines() if line.strip())


def main() -> int:
    """Print every finding, and whether pyright was there."""
    found = list(mypy_findings())
    program = pyright()
    if program is not None:
        found += pyright_findings(program)
    for each in found:
        print(each)
    beside = "no pyright is installed" if program is None else Path(program).name
    print(f"types of public calls: mypy, {beside}: {len(found)} findings")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
