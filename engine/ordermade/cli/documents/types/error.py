"""The types of the document of a command that failed: the same content as its message, in parts."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from ordermade.cli.documents.types.opening import Opening


class Failure(TypedDict):
    """A failure in parts; it has no value of the data."""

    code: str
    """The kind of failure: one of the error codes. Treat one that you do not know by the exit status."""
    what: str
    """The fault."""
    where: str
    """The file, field, option or table that has it; may be empty."""
    next: str
    """The remedy; may be empty."""
    problems: NotRequired[list[str]]
    """Of a malformed request: every mistake that was found."""


class Failed(Opening):
    """A command that failed. The message is on stderr too, and the exit status is that of the error."""

    command: str
    """The command, as far as the command line names one."""
    error: Failure
    """The failure."""
