"""The end of a command: its exit status, and one message where it failed."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from ordermade.cli.screen import notify
from ordermade.errors import InputError, OrdermadeError

FAULT = 3
STOPPED = 130
READER_GONE = 141
"""The shell's status of a program ended by SIGPIPE: the reader of the output closed it."""

LOG_VARIABLE = "ORDERMADE_LOG"
LOG_LEVELS = ("debug", "info")


class _Interrupts:
    """Remembers Ctrl-C: a library that is interrupted may raise an error of its own instead of KeyboardInterrupt.

    A second Ctrl-C ends the process at once. A database may take its time to stop, and a process that is killed leaves
    nothing half written either.
    """

    seen = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.seen = True
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.default_int_handler(number, frame)


def exit_status_of(command: Callable[[], object]) -> int:
    """Runs `command` and gives the exit status of the process; every error becomes one message on stderr."""
    with _interrupts() as interrupts:
        try:
            _log_if_requested()
            command()
            sys.stdout.flush()
        except SystemExit as ended:
            # A search that was interrupted may have ended with a release all the same.
            if interrupts.seen and _number(ended):
                return _stopped()
            # Typer ends with 1 where the reader of a pipe is gone, and 1 means refused.
            gone = ended.__context__
            return _failed(gone) if isinstance(gone, BrokenPipeError) else _flushed(_number(ended))
        except BaseException as error:  # noqa: BLE001  (the outermost handler: every error ends in one message)
            return _stopped() if interrupts.seen or isinstance(error, KeyboardInterrupt) else _failed(error)
    return 0


def leave(status: int) -> NoReturn:
    """Ends the process with this status, everything printed.

    Python's own way out frees every object of every module, which takes longer than many a command; by now each file
    and connection is closed.
    """
    status = _flushed(status)
    sys.stderr.flush()
    os._exit(status)


def _stopped() -> int:
    notify("Stopped: nothing was left half written.")
    return STOPPED


def _failed(error: BaseException) -> int:
    """The exit status of a command that raised, after its one message."""
    if _debugging():
        import traceback

        sys.stderr.write("".join(traceback.format_exception(error)))
    if isinstance(error, OrdermadeError):
        notify("\n".join((f"Error: {error.message}", *getattr(error, "__notes__", ()))))
        return error.exit_status
    if isinstance(error, BrokenPipeError):
        _let_go_of_output()
        return READER_GONE
    if isinstance(error, OSError) and error.strerror:
        where = error.filename or "the output"
        notify(f"Error: {where}: {error.strerror}. Check the path, the permissions and the space that is left.")
        if not error.filename:
            _let_go_of_output()
        return FAULT
    # Not the error's own words: they may quote a value of the data.
    notify(
        f"Error: an unexpected {type(error).__name__} stopped the command; nothing was left half written. Please "
        f"report it, with the command and its output when run again with {LOG_VARIABLE}=debug (read that first: "
        "it may quote values of the data)."
    )
    return FAULT


def _flushed(status: int) -> int:
    """The status, once everything printed is out; flushing fails where the reader is gone or a disk is full."""
    try:
        sys.stdout.flush()
    except OSError as error:
        return _failed(error)
    return status


def _let_go_of_output() -> None:
    """Points stdout nowhere, so that Python does not fail once more when it flushes at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, sys.stdout.fileno())
    finally:
        os.close(nowhere)


def _number(ended: SystemExit) -> int:
    return ended.code if isinstance(ended.code, int) else int(ended.code is not None)


@contextmanager
def _interrupts() -> Iterator[_Interrupts]:
    """Ctrl-C remembered while the block runs."""
    interrupts = _Interrupts()
    before = signal.signal(signal.SIGINT, interrupts)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, before)


def _debugging() -> bool:
    return os.environ.get(LOG_VARIABLE, "").lower() == "debug"


def _log_if_requested() -> None:
    """Sends the engine's log to stderr where ORDERMADE_LOG is set. Raises InputError for an unknown level."""
    level = os.environ.get(LOG_VARIABLE, "").lower()
    if not level:
        return
    if level not in LOG_LEVELS:
        raise InputError(
            f"'{level}' is not a level of the log", where=LOG_VARIABLE, next_step=f"Known: {', '.join(LOG_LEVELS)}."
        )
    import logging

    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s %(message)s"))
    log = logging.getLogger("ordermade")
    log.addHandler(handler)
    log.setLevel(level.upper())
