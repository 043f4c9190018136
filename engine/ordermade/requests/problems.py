"""Mistakes in a request, told all at once: `file:line: field: what is wrong; what to write instead`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from ordermade.errors import InputError, RequestError, quoted

FieldPath: TypeAlias = tuple[str | int, ...]
"""The keys and list positions that lead to a field: ("quasi_identifiers", "age", "from"); () is all."""

MOST_SHOWN = 50
_PLAIN = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake: `what` is wrong, what to write `instead`, in which field, on which line (0: unknown)."""

    what: str
    instead: str = ""
    path: FieldPath = ()
    line: int = 0

    @classmethod
    def of(cls, error: InputError, path: FieldPath, line: int) -> Problem:
        """The problem that an error of the engine tells, at a field."""
        return cls(error.what, error.next_step, path, line)

    def told(self, where: str) -> str:
        """The one line a person reads; `where` names the file."""
        place = f"{where}:{self.line}" if self.line else where
        name = field_name(self.path)
        head = f"{place}: {name}: {self.what}" if name else f"{place}: {self.what}"
        instead = self.instead.strip().rstrip(".")
        return f"{head}; {instead[0].lower()}{instead[1:]}" if instead else head


def field_name(path: FieldPath) -> str:
    """The path as it is shown: `quasi_identifiers.age.from`, `keep[0]`; odd names are quoted."""
    name = ""
    for part in path:
        if isinstance(part, int):
            name += f"[{part}]"
        else:
            shown = part if _PLAIN.fullmatch(part) else quoted(part)
            name += f".{shown}" if name else shown
    return name


def refusal(problems: Iterable[Problem], where: str) -> RequestError:
    """All problems as one error, in the order of their lines; `where` names the file."""
    found = sorted(problems, key=lambda problem: problem.line)
    told = [problem.told(where) for problem in found[:MOST_SHOWN]]
    if len(found) > MOST_SHOWN:
        told.append(f"{where}: and {len(found) - MOST_SHOWN:,} more mistakes; correct these first")
    if len(found) == 1:
        return RequestError(told[0], problems=told)
    listed = "".join(f"\n  {line}" for line in told)
    return RequestError(f"the request has {len(found):,} mistakes:{listed}", problems=told)
