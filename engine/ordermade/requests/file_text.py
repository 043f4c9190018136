"""The text of a request or rules file, as its reader gets it."""

from __future__ import annotations

from pathlib import Path

from ordermade.errors import RequestError, did_you_mean
from ordermade.requests.document import LARGEST_DOCUMENT
from ordermade.requests.problems import Problem, refusal


def file_text(path: Path, kind: str = "request") -> str:
    """The text of the file, UTF-8 with or without a byte order mark, cut off where it is too long for a document.

    `kind` of file, for messages. Raises RequestError where it cannot be read.
    """
    where = str(path)
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_DOCUMENT + 4)
    except FileNotFoundError as error:
        raise RequestError("there is no such file", where=where, next_step=_nearest_file(path)) from error
    except IsADirectoryError as error:
        step = f"Name the {kind} file in it."
        raise RequestError(f"this is a folder, not a {kind} file", where=where, next_step=step) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a file name"
        step = "Check the name and that the file may be read."
        raise RequestError(f"the file cannot be read ({reason})", where=where, next_step=step) from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.start >= LARGEST_DOCUMENT:
            return content[: error.start].decode("utf-8-sig") + " "
        line = content.count(b"\n", 0, error.start) + 1
        problem = Problem("the text is not UTF-8", "save the file as UTF-8", line=line)
        raise refusal([problem], where) from error


def _nearest_file(path: Path) -> str:
    """A near-miss name among the YAML files beside the missing one, or what to do without one."""
    if not path.parent.is_dir():
        return "Check the folder's name."
    beside = [each.name for each in path.parent.iterdir() if each.suffix in (".yaml", ".yml")]
    return did_you_mean(path.name, beside) or "Check the name."
