"""The plot of table C: k against classes on logarithmic axes, the power law, its band, and the requested k."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.cli.report.figures import BLACK, BLUE, ORANGE, drawn, plain_logarithms
from ordermade.errors import TooLittleKnown
from ordermade.prediction.evidence import Evidence
from ordermade.prediction.power import PowerLaw
from ordermade.prediction.power_predictor import Power

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CURVE_POINTS = 200


@dataclass(frozen=True, slots=True)
class Curve:
    """A power law and its band: for each of `divisions` (ascending) the k expected, and the interval's ends."""

    law: PowerLaw
    divisions: Sequence[float]
    k: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]


def curve_of(evidence: Evidence, most_divisions: int) -> Curve | None:
    """The law of the measured nodes and its band, from 1 to `most_divisions`; None where no law can be fitted."""
    try:
        power = Power(evidence)
    except TooLittleKnown:
        return None
    far = math.log(max(most_divisions, 2)) * 1.05
    divisions = [math.exp(far * step / (CURVE_POINTS - 1)) for step in range(CURVE_POINTS)]
    k, low, high = (each.tolist() for each in power.band(divisions))
    return Curve(power.law, divisions, k, low, high)


@dataclass(frozen=True, slots=True)
class KPlot:
    """The content of the plot: `points` (classes, k) of measured nodes with k of at least 1, and a title.

    `curve`: None where no law can be fitted. `k`: the requested k, drawn as a line; None for no line.
    """

    title: str
    points: Sequence[tuple[int, int]]
    curve: Curve | None = None
    k: int | None = None


def plot_k(plot: KPlot, path: Path) -> None:
    """Draws the plot into a .png or .svg file. Raises as `figures.drawn` does."""
    with drawn(path) as (axes,):
        plain_logarithms(axes)
        axes.set_title(plot.title)
        axes.set_xlabel("equivalence classes of the node (divisions x)")
        axes.set_ylabel("k (rows of the smallest class)")
        if plot.curve is not None:
            curve = plot.curve
            axes.fill_between(curve.divisions, curve.low, curve.high, color=BLUE, alpha=0.15, lw=0, label="90 % band")
            axes.plot(curve.divisions, curve.k, color=BLUE, label=law_in_words(curve.law))
        axes.scatter(
            [x for x, _ in plot.points],
            [k for _, k in plot.points],
            s=26,
            facecolor="white",
            edgecolor=BLACK,
            linewidth=1.1,
            zorder=3,
            label=f"measured nodes ({len(plot.points):,})",
        )
        low, high = _k_shown(plot)
        axes.set_ylim(low, high)
        if plot.k is not None:
            axes.axhline(plot.k, color=ORANGE, linestyle="--", label=f"requested k: {plot.k:,}")
            _mark_start(axes, plot.curve, plot.k)
        axes.legend(loc="upper right")


def _mark_start(axes: Axes, curve: Curve | None, k: int) -> None:
    """Marks x* (equation 2), where the law meets the requested k, if that is on the axes."""
    left, right = axes.get_xlim()
    crossing = curve.law.divisions(k) if curve else math.inf
    if left < crossing < right:
        axes.vlines(crossing, axes.get_ylim()[0], k, color=ORANGE, linestyle=":", lw=1.4)
        axes.plot([crossing], [k], marker="D", color=ORANGE, ms=6, zorder=4, linestyle="none")
        foot = (crossing, axes.get_ylim()[0])
        axes.annotate(f"x* = {crossing:,.3g}", foot, xytext=(6, 7), textcoords="offset points", color=ORANGE)


def law_in_words(law: PowerLaw) -> str:
    """`k = 114,831 x^-1.425 + 1`."""
    amount = f"{law.alpha:,.0f}" if law.alpha >= 100 else f"{law.alpha:.4g}"
    return f"k = {amount} x^{law.beta:.4g}{' + 1' if law.plus_one else ''}"


def _k_shown(plot: KPlot) -> tuple[float, float]:
    """The range of k: every point and the requested k, with room; the band may leave it."""
    known = [k for _, k in plot.points] + ([plot.k] if plot.k is not None else [])
    return max(min(known, default=1) / 2.0, 0.7), max(known, default=10) * 3.0
