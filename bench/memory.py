"""The most memory that a request holds, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

from bench.figure import Figure
from bench.members import Bench


def figures(bench: Bench) -> Sequence[Figure]:
    """The peak of the fine request, in GiB."""
    command = [sys.executable, "-m", "bench.one_request", str(bench.folder), "memory"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [Figure("peak memory of the process", float(done.stdout) / 1024, target=1.5, unit="GiB")]
