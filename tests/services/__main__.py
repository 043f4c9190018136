"""`make services`: find or start the servers, run the tests marked `services`, stop what was started.

`python -m tests.services [arguments of pytest]`. The exit status is pytest's; it is 1 as well where a server answers
and tests were skipped that could have been run, and where the environment names a server that cannot be used. A server
that cannot be started is reported with the end of its log, and its tests are skipped.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import ExitStack

import pytest

from tests.services.servers import KINDS, Kind, NoServer, Server, Unreachable
from tests.services.skips import Skips
from tests.services.throwaway import NotStarted, obtained

LINES_OF_LOG = 40


def had(kind: Kind, stack: ExitStack) -> Server | None:
    """The server of this kind, running until the stack is closed, and a line about it; None where there is none."""
    try:
        server = stack.enter_context(obtained(kind))
    except NoServer as none:
        print(f"{kind.title}: none; {none}", flush=True)
        if isinstance(none, NotStarted):
            print("\n".join(f"    {line}" for line in none.log.splitlines()[-LINES_OF_LOG:]), flush=True)
        os.environ[kind.variable] = f"none: {none}"
        return None
    print(f"{kind.title} {server.version()}: {'started' if server.throwaway else 'found'} at {server}", flush=True)
    os.environ[kind.variable] = server.url
    return server


def main(arguments: list[str]) -> int:
    """Run the tests; the exit status."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)  # what is started is stopped however this ends
    skips = Skips()
    with ExitStack() as stack:
        try:
            answering = {kind: had(kind, stack) is not None for kind in KINDS}
        except Unreachable as fault:
            print(fault, file=sys.stderr)
            return 1
        status = int(pytest.main(["-m", "services", *arguments], plugins=[skips]))
    unexcused = skips.unexcused(answering)
    for test, reason in unexcused.items():
        print(f"skipped though a server answers: {test}: {reason}", file=sys.stderr)
    return status or int(bool(unexcused))


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
