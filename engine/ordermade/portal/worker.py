"""The worker process beside the web process: started by it, at low priority, and gone when it is.

`python -m ordermade.portal.worker STATE MEMORY WAIT DELIVERS PARENT`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ordermade.engine import Engine
from ordermade.progress.waiting import Silent
from ordermade.service.worker import Worker
from ordermade.sources.limits import Limits

_NICENESS = 10
_PAUSE = 1.0
_RESTART = 2.0
_END = 5.0


@dataclass(slots=True)
class WorkerProcess:
    """The one worker process of a server, started anew where it ends before it is stopped."""

    state: Path
    wait_seconds: float
    memory: str | None = None
    delivers: bool = True
    _process: subprocess.Popen[bytes] | None = None
    _stopped: threading.Event = field(default_factory=threading.Event)
    _watch: threading.Thread | None = None

    def start(self) -> None:
        """Starts it, and a thread that starts it anew."""
        self._begin()
        self._watch = threading.Thread(target=self._watched, daemon=True)
        self._watch.start()

    def stop(self) -> None:
        """Ends it; a run that it is at is begun anew by the next one."""
        self._stopped.set()
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(_END)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    @property
    def pid(self) -> int | None:
        """The number of the process."""
        return None if self._process is None else self._process.pid

    def _begin(self) -> None:
        delivers, parent = str(int(self.delivers)), str(os.getpid())
        words = (str(self.state), self.memory or "", str(self.wait_seconds), delivers, parent)
        self._process = subprocess.Popen([sys.executable, "-m", "ordermade.portal.worker", *words])

    def _watched(self) -> None:
        while self._process is not None:
            self._process.wait()
            if self._stopped.wait(_RESTART):
                return
            self._begin()


def main(words: Sequence[str]) -> None:
    """Works for as long as the process that started it is there."""
    state, memory, wait, delivers, parent = words
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of the terminal: the web process ends it
    os.nice(_NICENESS)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    limits = Limits(memory, threads=1) if memory else Limits(threads=1)
    engine = Engine(state=state, limits=limits, wait_seconds=float(wait), progress=Silent())
    worker = Worker(engine.submissions, bool(int(delivers)))
    worker.work(lambda: os.getppid() == int(parent), lambda: time.sleep(_PAUSE))


if __name__ == "__main__":
    main(sys.argv[1:])
