"""The reason why texts that look like dates or numbers are read as neither: they are written in several ways."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ordermade.drafts.text_formats import BLANKS, MISSING

MOSTLY = 0.8
"""The share of the texts that must look so."""

_DATE = re.compile(r"[0-9]{1,4}([-/. ])[0-9]{1,2}([-/. ])[0-9]{1,4}")
_NUMBER = re.compile(r"[^0-9]{0,4}[0-9][0-9.,' ]*[^0-9]{0,8}")


def ways_of_writing(texts: Sequence[str]) -> str | None:
    """The ways in words, such as `dates written in 3 ways, and N/A`; None where the texts are no dates or numbers.

    It names no text but those that mean a missing value wherever they stand.
    """
    stripped = [each.strip(BLANKS) for each in texts]
    present = [each for each in stripped if each not in MISSING]
    if not present:
        return None
    for what, looks, way in (("dates", _DATE, _way_of_date), ("numbers", _NUMBER, _way_of_number)):
        alike = [each for each in present if looks.fullmatch(each)]
        ways = len({way(each) for each in alike})
        others = len(present) - len(alike)
        if len(alike) >= MOSTLY * len(present) and (ways > 1 or others):
            missing = sorted({each for each in stripped if each in MISSING and each})[:1]
            besides = [*missing, *(["other texts"] if others else [])]
            written = f" written in {ways:,} ways" if ways > 1 else ""
            return f"{what}{written}" + "".join(f", and {each}" for each in besides)
    return None


def _way_of_date(text: str) -> tuple[str, ...]:
    """The separators and the place of the year, as far as they show."""
    parts = re.split(r"[-/. ]", text)
    return (*re.findall(r"[-/. ]", text), *("year" if len(each) == 4 else "" for each in parts))


def _way_of_number(text: str) -> tuple[str, ...]:
    """What stands before and after the digits."""
    return (re.match(r"[^0-9]*", text)[0], re.search(r"[^0-9]*$", text)[0])  # type: ignore[index]
