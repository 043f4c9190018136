"""`make spark`: run the tests marked `spark` on a local Spark. `python -m tests.spark [arguments of pytest]`.

The exit status is pytest's; it is 1 as well where PySpark and Java are there, Spark starts, and a test was skipped.
Without PySpark or Java it says so, and nothing is run.
"""

from __future__ import annotations

import sys

import pytest

from tests.services.skips import NO_DATA, Skips
from tests.spark.started import NO_DISK, NoSpark, require_programs


def main(arguments: list[str]) -> int:
    """Run the tests; the exit status."""
    try:
        require_programs()
    except NoSpark as none:
        print(f"no Spark, and none of its tests: {none}", flush=True)
        return 0
    skips = Skips()
    # One process: it starts Spark once, and Spark uses the cores.
    status = int(pytest.main(["-m", "spark", "-n0", *arguments], plugins=[skips]))
    unexcused = {test: reason for test, reason in skips.reasons.items() if not reason.startswith((*NO_DATA, NO_DISK))}
    for test, reason in unexcused.items():
        print(f"skipped though Spark is there: {test}: {reason}", file=sys.stderr)
    return status or int(bool(unexcused))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
