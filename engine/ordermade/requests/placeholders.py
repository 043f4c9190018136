"""Placeholders of drafted requests: what a draft leaves to be chosen, and no request may have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ordermade.phrases import phrase
from ordermade.requests.problems import FieldPath, RequestProblem

CHANGE_ME = "CHANGE ME"
"""Stands in a draft where a name has to be chosen."""
PLACEHOLDERS = frozenset((CHANGE_ME, "…", "..."))

_INSTEAD: Mapping[str, str] = {
    "hierarchy": phrase(
        "write the name of a registered hierarchy (`ordermade hierarchy list`), or take the column out"
    ),
    "dataset": phrase("write the name of a registered dataset (`ordermade dataset list`)"),
    "to": phrase("write the path of the release, such as out/release.csv"),
}


def placeholders(content: Any, lines: Mapping[FieldPath, int], at: FieldPath = ()) -> Iterator[RequestProblem]:
    """A problem for each placeholder that is a value or a key of a request, with its line."""
    match content:
        case Mapping():
            for key, value in content.items():
                if key in PLACEHOLDERS:
                    yield _left(key, (*at, key), lines)
                else:
                    yield from placeholders(value, lines, (*at, key))
        case list():
            for place, value in enumerate(content):
                yield from placeholders(value, lines, (*at, place))
        case str() if content.strip() in PLACEHOLDERS:
            yield _left(content.strip(), at, lines)


def _left(placeholder: str, at: FieldPath, lines: Mapping[FieldPath, int]) -> RequestProblem:
    name = next((each for each in reversed(at) if isinstance(each, str)), "")
    instead = _INSTEAD.get(name, phrase("write what is meant, or take it out"))
    line = next((lines[at[:size]] for size in range(len(at), 0, -1) if at[:size] in lines), 0)
    return RequestProblem(
        phrase("the placeholder %(placeholder)s of a draft is still there", placeholder=placeholder), instead, at, line
    )
