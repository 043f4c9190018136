"""The worker process of `ordermade serve`, with the log of the command that started it.

`python -m ordermade.cli.worker LEVEL …`, and the words of `portal/worker.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ordermade.cli.log import LOG


def main(level: str, words: Sequence[str]) -> None:
    """Starts the log at a level, none where that is empty, and works."""
    from ordermade.portal.worker import main as work

    LOG.start(level, "--log")
    work(words)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
