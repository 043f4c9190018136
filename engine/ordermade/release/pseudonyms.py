"""The pseudonyms of a release: drawn at random for it alone, so wide that two releases do not share one.

With few numbers, such as those from 1 to N, two releases share most of them, for different persons: whoever joins the
two by them joins strangers, and takes them for one person.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from ordermade.errors import InputError

if TYPE_CHECKING:
    import numpy as np

    from ordermade.requests.model import PseudonymKind

_BITS = 63
"""The most that a BIGINT holds without a sign."""
_LETTERS = 26
"""The letters of one pseudonym, of an alphabet of as many."""
_MARGIN = 6

WIDTHS: dict[PseudonymKind, float] = {"numbers": _BITS * math.log10(2), "letters": _LETTERS * math.log10(26)}
"""The width of a pseudonym of each kind, in decimal digits."""


def least_width(persons: int) -> float:
    """The decimal digits with which two releases of so many persons share a pseudonym less than once in a million."""
    return 2 * math.log10(max(persons, 1)) + _MARGIN


def require_width(kind: PseudonymKind, persons: int) -> None:
    """Raises InputError where pseudonyms of the `kind` are too short for so many persons."""
    if WIDTHS[kind] < least_width(persons):
        raise InputError(
            f"pseudonyms of {math.floor(WIDTHS[kind])} digits are too short for so many persons: two releases could "
            "share some",
            where="release: pseudonyms",
            next_step="Write pseudonyms: letters." if kind == "numbers" else "Release fewer persons, by where.",
        )


def random_pseudonyms(
    count: int, kind: PseudonymKind = "numbers", random: Callable[[int], bytes] = os.urandom
) -> list[int] | list[str]:
    """So many different pseudonyms, in no order. Raises InputError where their width is too small for so many.

    `random` gives so many random bytes: those of the operating system. Tests alone give others, made of a seed.
    """
    require_width(kind, count)
    draw = _numbers if kind == "numbers" else _words
    drawn = draw(count, random)
    while len(set(drawn)) < count:
        drawn = draw(count, random)
    return drawn


def _numbers(count: int, random: Callable[[int], bytes]) -> list[int]:
    import numpy as np  # what reads a release needs none of it

    drawn: list[int] = (np.frombuffer(random(8 * count), dtype=np.uint64) >> np.uint64(64 - _BITS)).tolist()
    return drawn


def _words(count: int, random: Callable[[int], bytes]) -> list[str]:
    import numpy as np

    fair = 256 // 26 * 26  # a greater byte would make the first letters likelier
    letters: np.ndarray = np.empty(0, dtype=np.uint8)
    while len(letters) < _LETTERS * count:
        drawn = np.frombuffer(random(_LETTERS * count), dtype=np.uint8)
        letters = np.concatenate([letters, drawn[drawn < fair]])
    text = (letters[: _LETTERS * count] % 26 + ord("a")).astype(np.uint8).tobytes().decode("ascii")
    return [text[start : start + _LETTERS] for start in range(0, len(text), _LETTERS)]
