"""The document of a command that failed: the same content as its message, in parts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ordermade.documents.names import NAMES
from ordermade.errors import OrdermadeError
from ordermade.records.printed import printed


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure in parts; it has no value of the data."""

    code: str
    """The kind of failure: one of the error codes. Treat one that you do not know by the exit status."""
    what: str
    """The fault."""
    where: str
    """The file, field, option or table that has it; may be empty."""
    next: str
    """The remedy; may be empty."""
    problems: Sequence[str] | None = field(default=None, metadata=printed(optional=True))
    """Of a malformed request: every mistake that was found."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A command that failed. The message is on stderr too, and the exit status is that of the error."""

    error: Failure
    """The failure."""


OTHERS: dict[str, str] = {
    "usage": "The command line is malformed: an unknown option, a missing argument, a value of another type.",
    "os_error": "A file or the output cannot be read or written.",
    "exhausted": "The machine has no file handle, memory, thread or disk left.",
    "interrupted": "Ctrl-C ended the command.",
    "unexpected": "A fault of the program.",
}
"""The codes of failures that are no error of the engine, with their meanings."""


def code_of(kind: type[BaseException]) -> str:
    """The code of an error: the name of its class in snake case."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", kind.__name__).lower()


def of_error(error: OrdermadeError) -> Failed:
    """The document of an error of the engine."""
    notes: Sequence[str] = getattr(error, "__notes__", ())
    problems: Sequence[str] = getattr(error, "problems", ())
    next_step = "\n".join(part for part in (error.next_step, *notes) if part)
    return Failed(Failure(code_of(type(error)), error.what, error.where, next_step, problems or None))


def of_other(code: str, what: str, where: str = "", next_step: str = "") -> Failed:
    """The document of another failure; `code`: one of `OTHERS`."""
    return Failed(Failure(code, what, where, next_step))


_WITH_VALUE = frozenset(("--state", "--wait", "--memory", "--token-file", "--log"))
"""The options before the noun that a value follows."""


def command_of(arguments: Sequence[str]) -> str:
    """The command that the arguments name: noun and verb, the noun alone, or nothing, as far as they are known."""
    words: list[str] = []
    skipped = False
    for each in arguments:
        if skipped or each.startswith("-"):
            skipped = not skipped and each in _WITH_VALUE
            continue
        words.append(each)
        if len(words) == 3:
            break
    nouns = {name.partition(" ")[0] for name in NAMES}
    found = next((name for n in (3, 2, 1) if (name := " ".join(words[:n])) in NAMES), None)
    if found is not None:
        return found
    return words[0] if words and words[0] in nouns else ""
