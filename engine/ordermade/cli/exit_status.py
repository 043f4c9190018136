"""The end of a command: its exit status, and one message where it failed; with `--json` a document too."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from ordermade.cli.log import LOG, LOG_VARIABLE, start_as_environment_says
from ordermade.cli.options import TOKEN
from ordermade.documents.error import code_of, command_of, of_error, of_other
from ordermade.errors import CodeListError, DatasetClosed, OrdermadeError
from ordermade.machine.exhaustion import exhausted
from ordermade.machine.interrupts import InterruptThread, passed_on
from ordermade.service.faults_for_users import for_user
from ordermade.views.screen import document_is_printed, notify, one_document, print_document

FAULT = 3
STOPPED = 130
READER_GONE = 141
"""The shell's status of a program ended by SIGPIPE: the reader of the output closed it."""


class _Interrupts:
    """Remembers Ctrl-C: a library that is interrupted may raise an error of its own instead of KeyboardInterrupt.

    A second Ctrl-C ends the process at once. A database may take its time to stop, and a process that is killed leaves
    nothing half written either.
    """

    seen = False
    passing: InterruptThread | None = None
    """What ends the statements that run, while it does."""

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.seen = True
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if self.passing is not None:
            self.passing.wait()
        signal.default_int_handler(number, frame)


def exit_status_of(command: Callable[[], object], arguments: Sequence[str] = ()) -> int:
    """Runs `command` and gives the exit status of the process; every error becomes one message on stderr.

    `arguments`: the command line. With `--json` on it the error is a document on stdout too, unless one was printed.
    """
    try:
        status = _status_of(command, arguments)
        LOG.ended(arguments, status)
    finally:
        LOG.stop()
    return status


def _status_of(command: Callable[[], object], arguments: Sequence[str]) -> int:
    with _interrupts() as interrupts, one_document():
        try:
            start_as_environment_says()
            command()
            sys.stdout.flush()
        except SystemExit as ended:
            # A search that was interrupted may have ended with a release all the same.
            if interrupts.seen and _number(ended):
                return _stopped(arguments)
            # Typer ends with 1 where the reader of a pipe is gone, and 1 means refused.
            cause = ended.__context__
            if isinstance(cause, BrokenPipeError):
                return _failed(cause, arguments)
            return _flushed(_misused(cause, _number(ended), arguments))
        except BaseException as error:  # noqa: BLE001  (the outermost handler: every error ends in one message)
            stopped = interrupts.seen or isinstance(error, KeyboardInterrupt)
            return _stopped(arguments) if stopped else _failed(error, arguments)
    return 0


def leave(status: int) -> NoReturn:
    """Ends the process with this status, everything printed.

    Python's own way out frees every object of every module, which takes longer than many a command; by now each file
    and connection is closed.
    """
    status = _flushed(status)
    sys.stderr.flush()
    os._exit(status)


def _stopped(arguments: Sequence[str]) -> int:
    notify("Stopped: nothing was left half written.")
    _as_document(arguments, "interrupted", "the command was stopped; nothing was left half written")
    return STOPPED


def _misused(cause: BaseException | None, status: int, arguments: Sequence[str]) -> int:
    """The exit status itself, after the document of a malformed command line, whose message Typer has printed."""
    words = getattr(cause, "format_message", None)
    if status and words is not None:
        path = getattr(getattr(cause, "ctx", None), "command_path", "ordermade")
        _as_document(arguments, "usage", words(), path, f"`{path} --help` shows its arguments and options.")
    return status


def _as_document(arguments: Sequence[str], code: str, what: str, where: str = "", next_step: str = "") -> None:
    """Prints a failure that is no error of the engine as JSON, where JSON is wanted."""
    if _json_is_wanted(arguments):
        print_document(command_of(arguments), of_other(code, what, where, next_step))


def _json_is_wanted(arguments: Sequence[str]) -> bool:
    """Whether `--json` stands on the command line, in whatever place, and no document was printed yet."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in options and not document_is_printed()


def _failed(error: BaseException, arguments: Sequence[str] = ()) -> int:
    """The exit status of a command that raised, after its one message."""
    if LOG.debugging:
        sys.stderr.write("".join(traceback.format_exception(error)))
    is_own = isinstance(error, OrdermadeError | BrokenPipeError) or not isinstance(error, Exception)
    if not is_own and _is_by_token(arguments):
        error = for_user(error)
    short = exhausted(error)
    if short is not None and not isinstance(error, OrdermadeError | OSError):  # at once: nothing more may be imported
        LOG.failed("exhausted")
        notify(f"Error: {short.what}; nothing was left half written. {short.next_step}")
        _as_document(arguments, "exhausted", short.what, next_step=short.next_step)
        return FAULT

    LOG.failed(code_of(type(error)))
    if isinstance(error, DatasetClosed | CodeListError) and error.reason and not _is_by_token(arguments):
        error.add_note(f"For the provider alone: {error.reason}")
    if isinstance(error, OrdermadeError):
        notify("\n".join((f"Error: {error.message}", *getattr(error, "__notes__", ()))))
        if _json_is_wanted(arguments):
            print_document(command_of(arguments), of_error(error))
        return error.exit_status
    if isinstance(error, BrokenPipeError):
        _let_go_of_output()
        return READER_GONE
    if isinstance(error, OSError) and error.strerror:
        where = error.filename or "the output"
        remedy = "Check the path, the permissions and the space that is left." if short is None else short.next_step
        notify(f"Error: {where}: {error.strerror}. {remedy}")
        if error.filename:
            _as_document(arguments, "os_error", error.strerror, str(where), remedy)
        else:
            _let_go_of_output()
        return FAULT
    # Not the error's own words: they may quote a value of the data.
    what = f"an unexpected {type(error).__name__} stopped the command; nothing was left half written"
    remedy = (
        f"Please report it, with the command and its output when run again with {LOG_VARIABLE}=debug (read that "
        "first: it may quote values of the data)."
    )
    notify(f"Error: {what}. {remedy}")
    _as_document(arguments, "unexpected", what, next_step=remedy)
    return FAULT


def _is_by_token(arguments: Sequence[str]) -> bool:
    """Whether a user by a token may have given the command: who reads the message is then not the provider."""
    return TOKEN in os.environ or any(each.startswith("--token") for each in arguments)


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
        with passed_on() as interrupts.passing:
            yield interrupts
    finally:
        signal.signal(signal.SIGINT, before)
