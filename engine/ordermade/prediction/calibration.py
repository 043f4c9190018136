"""Calibration: whether what was forecast with a chance of 70 % comes out seven times in ten.

The Brier score is the mean of (chance - outcome)²: 0 is perfect, .25 what an even chance of everything gets.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, median
from typing import Any

BINS = 10
Z_90 = 1.6449


@dataclass(frozen=True, slots=True)
class Bin:
    """The forecasts whose chance is at least `low` and below `high` (the last bin has 1 too).

    `chance`: their mean. `passed`: the share that came out; `least` and `most` the ends of its interval of 90 %
    (Wilson's). None where there is no forecast.
    """

    low: float
    high: float
    forecasts: int
    chance: float | None
    passed: float | None
    least: float | None
    most: float | None


@dataclass(frozen=True, slots=True)
class Calibration:
    """How forecasts of a chance came out: their number, Brier score, and reliability by bins of the chance.

    `brier_of_share`: the score of forecasting the share that passes, each time the same: a useful forecast is below it.
    Both None without a forecast. `proved`: forecasts that were proved besides, which are not judged; `proved_wrong` of
    them came out otherwise, on data that had changed.
    """

    forecasts: int
    brier: float | None
    brier_of_share: float | None
    bins: tuple[Bin, ...]
    proved: int = 0
    proved_wrong: int = 0

    def as_dict(self) -> dict[str, Any]:
        """The figures, for `--json`."""
        return {**asdict(self), "bins": [asdict(each) for each in self.bins]}


@dataclass(frozen=True, slots=True)
class MedianError:
    """The median of max(expected / came, came / expected) over so many `forecasts`: 1 is perfect, None without any."""

    forecasts: int
    ratio: float | None


@dataclass(frozen=True, slots=True)
class ForecastErrors:
    """How near forecasts came beside the chance.

    `levels`: columns that were released at some level, `levels_right` of them at the one expected. `k`: of releases at
    all the levels expected. `questions`: nodes that the search measured, one more on either side, since there may be
    none. `seconds` that the run took.
    """

    levels: int
    levels_right: int
    k: MedianError
    questions: MedianError
    seconds: MedianError


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
