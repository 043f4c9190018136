"""The verdict of a forecast, and chances in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Verdict = Literal["passes", "fails", "likely", "unlikely", "open"]
"""`passes`, `fails`: proved. `likely`, `unlikely`: a chance of at least one half, or below it. `open`: unknown."""

VERDICTS: Mapping[Verdict, str] = {
    "passes": "yes, proved",
    "fails": "no, proved: `request run` will refuse it, with the reason",
    "likely": "likely",
    "unlikely": "unlikely",
    "open": "cannot be predicted yet",
}
"""Each in words."""


def verdict_of(chance: float | None, *, proved: bool) -> Verdict:
    """The verdict by the chance that a request passes; None: unknown."""
    if chance is None:
        return "open"
    if proved:
        return "passes" if chance else "fails"
    return "likely" if chance >= 0.5 else "unlikely"


def chance_in_words(chance: float | None) -> str:
    """A chance in whole per cent; 0 and 100 are for what is proved only."""
    if chance is None:
        return "-"
    return "< 1 %" if chance < 0.01 else "> 99 %" if chance > 0.99 else f"{100 * chance:.0f} %"
