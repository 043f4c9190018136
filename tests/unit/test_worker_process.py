"""The worker process: started again, killed where it is silent, ended with the pages, interrupted once."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

import pytest

from ordermade.portal.worker import FIRST_RESTART, LONGEST_RESTART, WorkerProcess, ended_by_signals, next_restart

SILENT_ONCE = """
import os, signal, socket, sys
began, channel = sys.argv[1:]
if os.path.exists(began):
    to = socket.socket(fileno=int(channel))
    with open(began + ".second", "w") as second:
        second.write("began")
    to.recv(1)
else:
    open(began, "w").close()
    os.kill(os.getpid(), signal.SIGSTOP)
"""


def test_a_signal_interrupts_once_and_its_handlers_are_back_afterwards() -> None:
    def interrupted() -> None:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        finally:
            os.kill(os.getpid(), signal.SIGTERM)
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt), ended_by_signals(signal.SIGTERM, signal.SIGINT):
        interrupted()
    assert signal.getsignal(signal.SIGTERM) == before


def test_a_worker_that_ends_at_once_is_started_again_more_and_more_slowly() -> None:
    pause, found = 0.0, []
    for _ in range(9):
        pause = next_restart(pause, 0.1)
        found.append(pause)
    assert found == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert next_restart(60, LONGEST_RESTART + 1) == FIRST_RESTART


@pytest.mark.slow
def test_a_silent_worker_is_killed_and_another_one_ends_with_the_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, waited = tmp_path / "began", tmp_path / "began.second", threading.Event()
    words = [sys.executable, "-c", SILENT_ONCE, str(first)]
    monkeypatch.setattr(WorkerProcess, "words", lambda _: words)
    process = WorkerProcess(tmp_path / "state.sqlite", 1.0, silence=5.0)
    process.start()
    for _ in range(600):
        if second.exists():
            break
        waited.wait(0.1)
    assert second.exists()
    last = process.pid
    process.stop()
    assert last is not None
    with pytest.raises(ProcessLookupError):
        os.kill(last, 0)
