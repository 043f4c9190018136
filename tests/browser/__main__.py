"""`make browser`: install the distribution's Chromium where there is none and it may, then run the `browser` tests.

`python -m tests.browser [arguments of pytest]`. The exit status is pytest's; it is 1 as well where a browser is
installed and starts, and tests were skipped all the same. Where none can be installed, it says how to, and the tests
are skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser.browser import found, starts
from tests.services.skips import Skips

FOLDER = str(Path(__file__).parent)
INSTALLERS = (
    ("apt-get", ("apt-get", "install", "--yes", "--no-install-recommends", "chromium")),
    ("dnf", ("dnf", "install", "--assumeyes", "chromium")),
)


def install() -> None:
    """Installs the distribution's Chromium where this process may; else says how to."""
    for program, command in INSTALLERS:
        if shutil.which(program) is None:
            continue
        if os.geteuid() != 0:
            print(f"There is no Chromium. Install it with: sudo {' '.join(command)}", flush=True)
            return
        print(f"There is no Chromium: {' '.join(command)}", flush=True)
        done = subprocess.run(command, check=False)
        if done.returncode:
            print(f"It was not installed ({program} ended with {done.returncode}).", flush=True)
        return
    print("There is no Chromium, and neither apt-get nor dnf to install it: put one on the PATH.", flush=True)


def main(arguments: list[str]) -> int:
    """Run the tests; the exit status."""
    if found() is None:
        install()
    must_run = starts()
    skips = Skips()
    status = int(pytest.main([FOLDER, "-m", "browser", "-n0", *arguments], plugins=[skips]))
    if must_run:
        for test, reason in skips.reasons.items():
            print(f"skipped though a browser starts: {test}: {reason}", file=sys.stderr)
        status = status or int(bool(skips.reasons))
    return status


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
