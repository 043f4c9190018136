"""The worker process beside the web process: started by it, at low priority, and gone when it is.

`python -m ordermade.portal.worker STATE MEMORY WAIT DELIVERS MAIL SENDER LINKS CHANNEL`. By the channel, a socket, it
gives signs of life, and learns that the web process is gone. A worker that is stopped, or hangs, is silent, and is
killed after a minute: its lease is over by then, too, and what it ran is run again.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from ordermade.engine import Engine
from ordermade.errors import OrdermadeError
from ordermade.portal.mail import Mailer
from ordermade.portal.mail_server import MailServer
from ordermade.progress.waiting import Silent
from ordermade.service.worker import Worker
from ordermade.sources.limits import Limits
from ordermade.state import mails
from ordermade.state.authority import SHELL
from ordermade.state.database import StateFile
from ordermade.state.leases import LASTS

SILENCE = LASTS.total_seconds()
"""Seconds without a sign of life after which a worker is killed."""
FIRST_RESTART, LONGEST_RESTART = 1.0, 60.0
"""Seconds before a worker is started anew, at first and at most."""

_NICENESS = 10
_PAUSE = 1.0
_MAIL_PAUSE = 5.0
_END = 10.0
_BEATS_EVERY = 5.0
_ONE_THREAD: Mapping[str, str] = {f"{each}_NUM_THREADS": "1" for each in ("OPENBLAS", "OMP", "NUMBA", "MKL")}


def next_restart(last: float, lived: float) -> float:
    """The seconds before the next start of a worker that lived so many: twice the last ones, unless it lived long."""
    return FIRST_RESTART if lived > LONGEST_RESTART else min(max(2 * last, FIRST_RESTART), LONGEST_RESTART)


@dataclass(slots=True)
class WorkerProcess:
    """The one worker process of a server, started anew where it ends before it is stopped, or is silent.

    `program`: the module that it runs, and what comes before the words of this one.
    """

    state: Path
    wait_seconds: float
    memory: str | None = None
    delivers: bool = True
    mail: MailServer | None = None
    program: tuple[str, ...] = ("ordermade.portal.worker",)
    silence: float = SILENCE
    _process: subprocess.Popen[bytes] | None = None
    _channel: socket.socket | None = None
    _stopped: threading.Event = field(default_factory=threading.Event)
    _watch: threading.Thread | None = None

    def start(self) -> None:
        """Starts it, by a thread that starts it anew."""
        self._watch = threading.Thread(target=self._watched, daemon=True)
        self._watch.start()

    def stop(self) -> None:
        """Ends it; a run that it is at is put back, and begun anew by the next one."""
        self._stopped.set()
        if self._channel is not None:
            with suppress(OSError):
                self._channel.shutdown(socket.SHUT_RDWR)
        if self._watch is not None:
            self._watch.join()

    @property
    def pid(self) -> int | None:
        """The number of the process."""
        return None if self._process is None else self._process.pid

    def words(self) -> list[str]:
        """The command that starts it, but for the channel."""
        words = (str(self.state), self.memory or "", str(self.wait_seconds), str(int(self.delivers)))
        mail = ("", "", "") if self.mail is None else (self.mail.location, self.mail.sender, self.mail.links)
        return [sys.executable, "-m", *self.program, *words, *mail]

    def _watched(self) -> None:
        pause = 0.0
        while not self._stopped.wait(pause):
            began = time.monotonic()
            self._one()
            pause = next_restart(pause, time.monotonic() - began)

    def _one(self) -> None:
        """Starts a worker, and waits for its end."""
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                number = theirs.fileno()
                environment = {**os.environ, **_ONE_THREAD}
                process = subprocess.Popen([*self.words(), str(number)], env=environment, pass_fds=[number])
            self._process, self._channel = process, ours
            ours.settimeout(self.silence)
            with suppress(OSError):
                if not self._stopped.is_set():
                    _hear(ours, process)
        try:
            process.wait(_END)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _hear(channel: socket.socket, process: subprocess.Popen[bytes]) -> None:
    """Hears signs of life until the process has none, and kills it where it is silent."""
    try:
        while channel.recv(64):
            pass
    except TimeoutError:
        process.kill()


@contextmanager
def ended_by_signals(*signals: signal.Signals) -> Iterator[None]:
    """These signals interrupt the block, once: what it does at its end is not interrupted again."""

    def interrupt(_: int, __: FrameType | None) -> None:
        for each in signals:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = [signal.signal(each, interrupt) for each in signals]
    try:
        yield
    finally:
        for each, handler in zip(signals, before, strict=True):
            signal.signal(each, handler)


def _beat(channel: socket.socket) -> None:
    """Gives signs of life until the other end is gone, and then ends this process as a signal does."""
    with suppress(OSError):
        while True:
            heard, _, _ = select.select([channel], [], [], _BEATS_EVERY)
            if heard and not channel.recv(1):
                break
            channel.send(b".")
    os.kill(os.getpid(), signal.SIGTERM)


def _send_mail(mailer: Mailer) -> None:
    """Sends mail until the process ends, whatever it is sent in the middle of: it is sent again then."""
    mailer.work(lambda: True, lambda: time.sleep(_MAIL_PAUSE))


def _forget_mail(state: StateFile) -> None:
    """Takes away what nobody sent in its time, and nobody sends."""
    with suppress(OrdermadeError), state.writing() as connection:  # the next worker tries again
        mails.forget(connection)


def main(words: Sequence[str]) -> None:
    """Works until the process that started it is gone, or SIGTERM; a run is put back then."""
    state, memory, wait, delivers, *mail, channel = words
    os.nice(_NICENESS)
    limits = Limits(memory, threads=1) if memory else Limits(threads=1)
    engine = Engine(state=state, limits=limits, wait_seconds=float(wait), progress=Silent())
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of the terminal: the web process ends it
    with suppress(KeyboardInterrupt), ended_by_signals(signal.SIGTERM):
        to = socket.socket(fileno=int(channel))
        threading.Thread(target=_beat, args=(to,), daemon=True).start()
        file = StateFile(Path(state), SHELL, float(wait))
        if all(mail):
            mailer = Mailer(file, MailServer(*mail))
            threading.Thread(target=_send_mail, args=(mailer,), daemon=True).start()
        else:
            _forget_mail(file)
        Worker(engine.submissions, bool(int(delivers))).work(lambda: True, lambda: time.sleep(_PAUSE))


if __name__ == "__main__":
    main(sys.argv[1:])
