"""Mistakes in a request or in its rules, reported all at once: `file:line: field: mistake; correction`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import LiteralString, TypeAlias

from pydantic_core import PydanticCustomError

from ordermade.errors import InputError, RequestError, quoted
from ordermade.phrases import TwoPhrases, phrase

FieldPath: TypeAlias = tuple[str | int, ...]
"""The keys and list positions that lead to a field: ("quasi_identifiers", "age", "from"); () is all."""

MAX_SHOWN = 50
_PLAIN = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True)
class RequestProblem:
    """One mistake: `what` is wrong, what to write `instead`, in which field, on which line (0: unknown)."""

    what: str
    instead: str = ""
    path: FieldPath = ()
    line: int = 0

    @classmethod
    def of(cls, error: InputError, path: FieldPath, line: int) -> RequestProblem:
        """The problem of an error of the engine, at a field."""
        return cls(error.what, error.next_step, path, line)

    def message(self, where: str) -> str:
        """The one line a person reads; `where` names the file."""
        place = f"{where}:{self.line}" if self.line else where
        name = field_name(self.path)
        head = f"{place}: {name}: {self.what}" if name else f"{place}: {self.what}"
        instead = self.instead.strip().rstrip(".")
        text = f"{head}; {instead[0].lower()}{instead[1:]}" if instead else head
        return TwoPhrases(text, self.what, self.instead, name, self.line)


def mistake(kind: LiteralString, what: str, instead: str = "") -> PydanticCustomError:
    """What a validator raises of a value of a request: `what` is wrong, and what to write `instead`.

    Pydantic joins both in its text; `mistakes.words_of` takes them as they are.
    """
    text: LiteralString = "{what}; {instead}" if instead else "{what}"
    return PydanticCustomError(kind, text, {"what": what, "instead": instead})


def field_name(path: FieldPath) -> str:
    """The path as messages show it: `quasi_identifiers.age.from`, `keep[0]`; odd names are quoted."""
    name = ""
    for part in path:
        if isinstance(part, int):
            name += f"[{part}]"
        else:
            shown = part if _PLAIN.fullmatch(part) else quoted(part)
            name += f".{shown}" if name else shown
    return name


def line_of(path: FieldPath, lines: Mapping[str, int]) -> int:
    """The line of a field, or of the nearest part around it that the file spells out; 0 if unknown."""
    names = (field_name(path[:end]) for end in range(len(path), -1, -1))
    return next((lines[name] for name in names if name in lines), 0)


def refusal(problems: Iterable[RequestProblem], where: str, kind: str = "request") -> RequestError:
    """All problems as one error, in the order of their lines; `where` names the file, and `kind` what is in it."""
    found = sorted(problems, key=lambda problem: problem.line)
    messages = [problem.message(where) for problem in found[:MAX_SHOWN]]
    if len(found) > MAX_SHOWN:
        what = phrase("and %(n)s more mistakes", n=format(len(found) - MAX_SHOWN, ","))
        messages.append(RequestProblem(what, phrase("correct these first")).message(where))
    if len(found) == 1:
        return RequestError(messages[0], problems=messages)
    listed = "".join(f"\n  {line}" for line in messages)
    return RequestError(
        f"the {kind} has {len(found):,} mistakes:{listed}",
        problems=messages,
    )
