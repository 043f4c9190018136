"""The reason why texts that look like dates are read as none: they are written in several ways."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ordermade.drafts.text_formats import BLANKS, MISSING

MOSTLY = 0.8
"""The share of the texts that must look like dates."""

_DATE = re.compile(r"[0-9]{1,4}([-/. ])[0-9]{1,2}([-/. ])[0-9]{1,4}")


def ways_of_writing(texts: Sequence[str]) -> str | None:
    """The ways in words, such as `dates written in 3 ways, and N/A`; None where the texts are no dates.

    It names no text but those that mean a missing value wherever they stand.
    """
    stripped = [each.strip(BLANKS) for each in texts]
    present = [each for each in stripped if each not in MISSING]
    dates = [each for each in present if _DATE.fullmatch(each)]
    ways, others = len(set(map(_way, dates))), len(present) - len(dates)
    if not present or len(dates) < MOSTLY * len(present) or (ways < 2 and not others):
        return None
    missing = sorted({each for each in stripped if each in MISSING and each})[:1]
    written = f" written in {ways:,} ways" if ways > 1 else ""
    return f"dates{written}" + "".join(f", and {each}" for each in [*missing, *(["other texts"] if others else [])])


def _way(text: str) -> tuple[str, ...]:
    """The separators of a date and the place of the year, as far as they show."""
    parts = re.split(r"[-/. ]", text)
    return (*re.findall(r"[-/. ]", text), *("year" if len(each) == 4 else "" for each in parts))
