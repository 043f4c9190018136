"""The worker process of `ordermade serve`, with the log of the command that started it.

`python -m ordermade.cli.worker LEVEL …`, and the words of `portal/worker.py`.
"""

from __future__ import annotations

import sys

from ordermade.cli.log import LOG
from ordermade.portal.worker import main

if __name__ == "__main__":
    LOG.start(sys.argv[1], "--log")
    main(sys.argv[2:])
