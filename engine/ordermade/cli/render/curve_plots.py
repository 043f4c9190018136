"""Plots of curves: k against classes in table C, loss of algorithms against k, a sweep."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.cli.render.figures import BLACK, BLUE, GREY, ORANGE, drawn, plain_logarithms
from ordermade.errors import TooLittleKnown
from ordermade.prediction.power import Power, PowerLaw
from ordermade.prediction.prediction import Evidence

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordermade.methods.microaggregation.compare import Comparison
    from ordermade.methods.shared.sweep import Sweep

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


SIZE = (7.6, 4.9)
LINES = (
    (BLUE, "o", "-"),
    (ORANGE, "s", "-"),
    ("#009E73", "^", "-"),
    (BLACK, "D", "--"),
    ("#CC79A7", "v", "--"),
    ("#56B4E9", "P", "--"),
    (GREY, "X", ":"),
    ("#E69F00", "*", ":"),
)
"""Colour, marker and stroke of each line: from Okabe and Ito's palette, and distinct without colour too."""
MOST_K_TICKS = 16


def plot_losses(found: Comparison, path: Path) -> None:
    """Draws the plot into a .png or .svg file. Raises as `figures.drawn` does."""
    from matplotlib.ticker import MaxNLocator

    with drawn(path, size=SIZE) as (axes,):
        for place, algorithm in enumerate(found.algorithms):
            colour, marker, stroke = LINES[place % len(LINES)]
            outcomes = found.of(algorithm)
            axes.plot(
                [each.k for each in outcomes],
                [100 * each.loss for each in outcomes],
                color=colour,
                marker=marker,
                linestyle=stroke,
                ms=5.5,
                label=algorithm,
            )
        if len(found.ks) <= MOST_K_TICKS:
            axes.set_xticks(found.ks, [f"{k:,}" for k in found.ks])
        else:
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g} %")
        columns = len(found.attributes)
        improved = "all improved" if found.options.improve else "as made, auto alone improved"
        axes.set_title(f"{found.rows:,} rows, {columns} {'attribute' if columns == 1 else 'attributes'}; {improved}")
        axes.set_xlabel("k (rows in the smallest group)")
        axes.set_ylabel("information loss (SSE/SST)")
        axes.legend(loc="best")


MOST_TICKS = 20
WIDE = 50
"""Of ks that are so many times apart the small ones would be one dot: the axis is logarithmic."""


def plot_sweep(found: Sweep, path: Path) -> None:
    """Draws the plot into a .png or .svg file. Raises as `figures.drawn` does, ValueError where every k is refused."""
    best = found.best
    if best is None or best.total is None:
        raise ValueError("nothing of a sweep can be drawn whose every k is refused")
    with drawn(path, size=SIZE) as (axes,):
        ks = [each.k for each in found.points]
        passing = [each.total is not None for each in found.points]
        size = 5.0 if len(ks) <= 4 * MOST_TICKS else 2.0
        # A gap where k is refused: no figure is to be read off the line across it.
        gap = float("nan")
        losses = [gap if each.loss is None else each.loss for each in found.points]
        safety = [each.safety if passes else gap for each, passes in zip(found.points, passing, strict=True)]
        totals = [gap if each.total is None else each.total for each in found.points]
        axes.plot(ks, losses, color=BLUE, marker="o", ms=size, label=found.loss_name)
        axes.plot(ks, safety, color=ORANGE, marker="s", ms=size, ls="--", label="safety (1/k)")
        axes.plot(ks, totals, color=BLACK, marker="D", ms=size, label="total")
        ringed = f"best: k = {best.k:,}"
        axes.plot([best.k], [best.total], color=BLACK, marker="o", ms=13, mfc="none", mew=1.6, ls="", label=ringed)
        refused = [k for k, passes in zip(ks, passing, strict=True) if not passes]
        if refused:
            axes.plot(refused, [0] * len(refused), color=GREY, marker="x", ms=6, ls="", label="refused", clip_on=False)
        _k_axis(axes, ks)
        axes.set_ylim(bottom=0)
        axes.set_title(f"{found.method}, {found.rows:,} rows: total is least at k = {best.k:,}")
        axes.set_ylabel("loss and 1/k, lower is better")
        axes.legend(loc="best")


def _k_axis(axes: Axes, ks: list[int]) -> None:
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, NullLocator

    wide = ks[-1] > WIDE * ks[0]
    if wide:
        axes.set_xscale("log")
    if len(ks) <= MOST_TICKS and not wide:
        axes.set_xticks(ks, [f"{k:,}" for k in ks])
    else:
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)) if wide else MaxNLocator(integer=True))
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,g}")
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("k" + (", logarithmic" if wide else ""))
