"""Paths of files that a request names: refused where they would mislead, and made absolute in one place."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from pydantic_core import PydanticCustomError

_URL = re.compile(r"file:|[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_MISLEADING_CATEGORIES = ("Cc", "Zl", "Zp", "Cs")
_BIDIRECTIONAL = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_INVISIBLE = frozenset("\u200b\u2060\ufeff")


def absolute_path(text: str) -> Path:
    """The path that a text names, absolute and with `~` expanded: what every part of the engine uses.

    Raises RuntimeError for the home of somebody who is not known.
    """
    return Path(text).expanduser().absolute()


def checked_path(text: str) -> str:
    """The text of a path that a file may be written to.

    Raises PydanticCustomError for a URL, for the home of somebody unknown, and for characters that break the line or
    turn the direction of reading, each by its name.
    """
    for place, character in enumerate(text, start=1):
        if _is_misleading(character):
            raise PydanticCustomError(
                "path",
                "a path cannot hold the character {code} ({name}), here at place {place}; take it out",
                {"code": f"U+{ord(character):04X}", "name": _name(character), "place": place},
            )
    if _URL.match(text):
        raise PydanticCustomError(
            "path", "a file is written to a path, not to a URL; write a path such as out/release.parquet"
        )
    try:
        absolute_path(text)
    except RuntimeError:
        raise PydanticCustomError(
            "path", "the home folder that the path begins with is not known; write the path in full"
        ) from None
    return text


def _is_misleading(character: str) -> bool:
    return (
        unicodedata.category(character) in _MISLEADING_CATEGORIES
        or character in _BIDIRECTIONAL
        or character in _INVISIBLE
    )


def _name(character: str) -> str:
    return unicodedata.name(character, "a control character").lower()
