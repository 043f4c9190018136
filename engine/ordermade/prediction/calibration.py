"""Calibration: whether what was forecast with a chance of 70 % comes out seven times in ten.

The Brier score is the mean of (chance - outcome)²: 0 is perfect, .25 what an even chance of everything gets.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median

BINS = 10
Z_90 = 1.6449


@dataclass(frozen=True, slots=True)
class Bin:
    """The forecasts of about one chance."""

    low: float
    """The least chance."""
    high: float
    """The chance that they are below; the last bin has 1 too."""
    forecasts: int
    """The number of forecasts."""
    chance: float | None
    """Their mean chance; null without any."""
    passed: float | None
    """The share whose request was released; null without any."""
    least: float | None
    """The lower end of its interval of 90 %."""
    most: float | None
    """The upper end."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """How forecasts came out."""

    forecasts: int
    """Forecasts of a chance whose request ran to its end."""
    brier: float | None
    """The mean of (chance - outcome) squared; null without a forecast."""
    brier_of_share: float | None
    """That of forecasting the share that passes, each time the same."""
    bins: tuple[Bin, ...]
    """The forecasts by their chance."""
    proved: int = 0
    """Forecasts that were proved besides."""
    proved_wrong: int = 0
    """Those of them that came out otherwise: the data had changed."""


@dataclass(frozen=True, slots=True)
class MedianError:
    """The error of one expected figure."""

    forecasts: int
    """Forecasts that are judged."""
    ratio: float | None
    """The median of max(expected / came, came / expected); null without any."""


@dataclass(frozen=True, slots=True)
class ForecastErrors:
    """How near forecasts came beside the chance."""

    levels: int
    """Columns that were released at some level."""
    levels_right: int
    """Those of them that were released at the level expected."""
    k: MedianError
    """That of k, of releases at all the levels expected."""
    questions: MedianError
    """That of the nodes to measure, one more on either side."""
    seconds: MedianError
    """That of the seconds of the run."""


NO_FORECASTS = Calibration(0, None, None, ())
"""Before any forecast came out."""


def brier(judged: Iterable[tuple[float, bool]]) -> float:
    """The Brier score of (chance, whether it came out). Raises ValueError without any, or for no chance."""
    both = list(judged)
    if not both or not all(0 <= chance <= 1 for chance, _ in both):
        raise ValueError("a Brier score needs forecasts with chances from 0 to 1")
    return fmean((chance - passed) ** 2 for chance, passed in both)


def calibration(judged: Sequence[tuple[float, bool]], proved: Sequence[tuple[float, bool]] = ()) -> Calibration:
    """The calibration of (chance, whether it came out); `proved`: those that were certain. Raises as `brier` does."""
    wrong = sum(chance != passed for chance, passed in proved)
    share = fmean(passed for _, passed in judged) if judged else None
    return Calibration(
        len(judged),
        brier(judged) if judged else None,
        None if share is None else share * (1 - share),
        bins(judged),
        len(proved),
        wrong,
    )


def median_error(pairs: Iterable[tuple[float | None, float | None]], more: float = 0.0) -> MedianError:
    """The error of (expected, came), both with so much `more`; pairs of which one is missing or 0 are left out."""
    both = [(expected + more, came + more) for expected, came in pairs if expected is not None and came is not None]
    ratios = [max(expected / came, came / expected) for expected, came in both if expected > 0 and came > 0]
    return MedianError(len(ratios), median(ratios) if ratios else None)


def bins(judged: Sequence[tuple[float, bool]]) -> tuple[Bin, ...]:
    """The forecasts in `BINS` bins of equal width."""
    parts: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for chance, passed in judged:
        parts[min(int(chance * BINS), BINS - 1)].append((chance, passed))
    return tuple(_bin(place, part) for place, part in enumerate(parts))


def _bin(place: int, part: Sequence[tuple[float, bool]]) -> Bin:
    low, high = place / BINS, (place + 1) / BINS
    if not part:
        return Bin(low, high, 0, None, None, None, None)
    passed = sum(passed for _, passed in part)
    least, most = wilson(passed, len(part))
    return Bin(low, high, len(part), fmean(chance for chance, _ in part), passed / len(part), least, most)


def wilson(passed: int, forecasts: int) -> tuple[float, float]:
    """The interval of 90 % of a share, after Wilson."""
    share, z2 = passed / forecasts, Z_90**2
    centre = (share + z2 / (2 * forecasts)) / (1 + z2 / forecasts)
    half = Z_90 * math.sqrt(share * (1 - share) / forecasts + z2 / (4 * forecasts**2)) / (1 + z2 / forecasts)
    return max(centre - half, 0.0), min(centre + half, 1.0)
