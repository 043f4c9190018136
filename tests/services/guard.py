"""The end of a throwaway server, however the tests end: `python guard.py FOLDER`, with a pipe from the tests as input.

Nothing is ever written to the pipe. It closes when the tests close it, and when they are killed; then the process group
that `FOLDER/running` names is ended, if there still is one, and the folder is removed. It imports nothing of the tests,
so that it starts at once.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from pathlib import Path

RUNNING = "running"
SECONDS_TO_END = 10.0


def end(group: int) -> None:
    """End the server's process group: SIGQUIT is a prompt shutdown to PostgreSQL and to MariaDB, SIGKILL to all."""
    for number in (signal.SIGQUIT, signal.SIGKILL):
        give_up = time.monotonic() + SECONDS_TO_END
        try:
            os.killpg(group, number)
            while time.monotonic() < give_up:
                os.killpg(group, 0)
                time.sleep(0.05)
        except ProcessLookupError:
            return


def main(folder: Path) -> None:
    """Wait for the end of the tests, then leave nothing behind."""
    sys.stdin.buffer.read()
    running = folder / RUNNING
    if running.exists():
        end(int(running.read_text(encoding="ascii")))
    give_up = time.monotonic() + SECONDS_TO_END
    while folder.exists() and time.monotonic() < give_up:  # a process of the server may still write its last file
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
