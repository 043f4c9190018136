"""`python -m bench.one_measure FILE measure|plain`: ten million rows, measured or grouped once.

In a process of its own: prints the seconds, and the most memory that the process ever held in MiB.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

QUASI_IDENTIFIERS = ("sex", "age", "prefecture", "occupation", "education", "marital", "country")
SENSITIVE = ("diagnosis", "income")
PLAIN = """
SELECT COUNT(*), MIN(n) FROM (SELECT {columns}, COUNT(*) AS n FROM read_parquet($1) GROUP BY {columns}) AS class
"""


def measure(path: str) -> float:
    from ordermade import Engine

    started = time.perf_counter()
    Engine(Path(path).with_name("no state")).measure(path, QUASI_IDENTIFIERS, SENSITIVE)
    return time.perf_counter() - started


def plain(path: str) -> float:
    from ordermade.sources.limits import Limits
    from ordermade.sources.spill_folder import SpillFolder
    from ordermade.sources.workspace import connect

    with SpillFolder() as spill:
        connection = connect(None, spill, Limits())
        started = time.perf_counter()
        statement = PLAIN.format(columns=", ".join((*QUASI_IDENTIFIERS, *SENSITIVE)))
        connection.execute(statement, [path]).fetchall()
        seconds = time.perf_counter() - started
        connection.close()
    return seconds


if __name__ == "__main__":
    done = {"measure": measure, "plain": plain}[sys.argv[2]](sys.argv[1])
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(done, most / (2**20 if sys.platform == "darwin" else 2**10))
