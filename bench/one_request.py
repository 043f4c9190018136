"""`python -m bench.one_request FOLDER NAME`: the fine request on a bench, in a process of its own.

Prints the most memory that the process ever held, in MiB.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path

from bench.members import FINE, Bench


def main(folder: str, name: str) -> None:
    bench = Bench(Path(folder))
    bench.engine(name).run(bench.request(FINE, name), again=True)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(most / (2**20 if sys.platform == "darwin" else 2**10))


if __name__ == "__main__":
    main(*sys.argv[1:])
