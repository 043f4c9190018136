"""What the machine has run out of, by an error of any library: file handles, memory, threads, disk."""

from __future__ import annotations

import errno
from dataclasses import dataclass

_HANDLES = ("Too many open files", "unable to open database file: too many")
_MEMORY = ("Out of Memory", "out of memory", "Cannot allocate memory", "bad_alloc", "malloc of size")
_THREADS = ("can't start new thread", "Resource temporarily unavailable", "thread constructor failed")
_DISK = ("No space left on device", "Disk quota exceeded")


@dataclass(frozen=True, slots=True)
class Exhausted:
    """What there is no more of, in a sentence, and the next step."""

    what: str
    next_step: str


_OF_HANDLES = Exhausted(
    "the process has no file handle left",
    "Raise the limit (`ulimit -n 4096` in the same shell), or end programs that hold files open, then run it again.",
)
_OF_MEMORY = Exhausted(
    "the memory is used up",
    "Give the engine more (`ordermade --memory 4GB …`), end other programs, or request fewer columns.",
)
_OF_THREADS = Exhausted(
    "the machine starts no more threads or processes",
    "Raise the limit (`ulimit -u`), or end other programs, then run it again.",
)
_OF_DISK = Exhausted("the disk is full", "Free some space, then run it again.")


def exhausted(error: BaseException) -> Exhausted | None:
    """What an error says that the machine has run out of; None where it says another thing."""
    number = error.errno if isinstance(error, OSError) else None
    text = str(error)
    if number in (errno.EMFILE, errno.ENFILE) or any(each in text for each in _HANDLES):
        return _OF_HANDLES
    if isinstance(error, MemoryError) or number == errno.ENOMEM or any(each in text for each in _MEMORY):
        return _OF_MEMORY
    if isinstance(error, RuntimeError | OSError) and any(each in text for each in _THREADS):
        return _OF_THREADS
    if number in (errno.ENOSPC, errno.EDQUOT) or any(each in text for each in _DISK):
        return _OF_DISK
    return None
