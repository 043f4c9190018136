"""A worker on a state whose leases are short: `python -m tests.portal.working STATE`, until it is killed."""

from __future__ import annotations

import sys
import time
from datetime import timedelta

from ordermade import Engine
from ordermade.service import worker
from ordermade.state import leases

leases.LASTS, leases.RENEWED_EVERY = timedelta(seconds=1), timedelta(seconds=0.25)  # each is read as it is used
worker.FIRST_PAUSE = 0.2


def main(state: str) -> None:
    found = worker.Worker(Engine(state).submissions)
    found.work(lambda: True, lambda: time.sleep(0.1))


if __name__ == "__main__":
    main(sys.argv[1])
