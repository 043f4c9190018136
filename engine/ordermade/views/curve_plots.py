"""Plots of curves: k against classes in table C, loss of algorithms against k."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.errors import TooLittleKnown
from ordermade.plots.figures import (
    BLACK,
    BLUE,
    GREY,
    ORANGE,
    drawn,
    file_name,
    legend_below,
    plain_logarithms,
    short,
)
from ordermade.plots.k_axis import draw_k_axis
from ordermade.prediction.power import Power, PowerLaw
from ordermade.prediction.prediction import Evidence

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordermade.methods.microaggregation.compare import Comparison

CURVE_POINTS = 200
K_SIZE = (7.6, 5.4)


@dataclass(frozen=True, slots=True)
class PlottedCurve:
    """A power law and its band: for each of `divisions` (ascending) the k expected, and the interval's ends."""

    law: PowerLaw
    divisions: Sequence[float]
    k: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]


def curve_of(evidence: Evidence, most_divisions: int) -> PlottedCurve | None:
    """The law of the measured nodes and its band, from 1 to `most_divisions`; None where no law can be fitted."""
    try:
        power = Power(evidence)
    except TooLittleKnown:
        return None
    far = math.log(max(most_divisions, 2)) * 1.05
    divisions = [math.exp(far * step / (CURVE_POINTS - 1)) for step in range(CURVE_POINTS)]
    k, low, high = (each.tolist() for each in power.band(divisions))
    return PlottedCurve(power.law, divisions, k, low, high)


@dataclass(frozen=True, slots=True)
class KPlot:
    """The content of the plot: `points` (classes, k) of measured nodes with k of at least 1, and a title.

    `curve`: None where no law can be fitted. `k`: the requested k, drawn as a line; None for no line. `note`: a second
    line under the title.
    """

    title: str
    points: Sequence[tuple[int, int]]
    curve: PlottedCurve | None = None
    k: int | None = None
    note: str = ""


def plot_of_table_c(dataset: str | None, rows: int, filtered: str | None) -> tuple[str, str]:
    """The title and the note of the plot of what was measured of a dataset version; `filtered`: its row filter."""
    named = "a dataset described in a request" if dataset is None else dataset
    where = "" if filtered is None else f" where {filtered}"
    return (
        f"k of the measured nodes of {named}{where}, {rows:,} rows",
        "For the provider: nodes whose k is too small to be released are shown too",
    )


def plot_k(plot: KPlot, path: Path) -> None:
    """Draws the plot into a .png or .svg file. Raises as `figures.drawn` does."""
    with drawn(path, size=K_SIZE, title=[each for each in (plot.title, plot.note) if each]) as (axes,):
        plain_logarithms(axes)
        axes.set_xlabel("equivalence classes x of the node, logarithmic")
        axes.set_ylabel("k (units of the smallest class), logarithmic")
        if plot.curve is not None:
            curve = plot.curve
            axes.fill_between(curve.divisions, curve.low, curve.high, color=BLUE, alpha=0.15, lw=0, label="90 % band")
            axes.plot(curve.divisions, curve.k, color=BLUE, label=curve.law.in_words())
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
        legend_below(axes)


def _mark_start(axes: Axes, curve: PlottedCurve | None, k: int) -> None:
    """Marks x* (equation 2), where the law meets the requested k, if that is on the axes."""
    left, right = axes.get_xlim()
    crossing = curve.law.divisions(k) if curve else math.inf
    if left < crossing < right:
        axes.vlines(crossing, axes.get_ylim()[0], k, color=ORANGE, linestyle=":", lw=1.4)
        axes.plot([crossing], [k], marker="D", color=ORANGE, ms=6, zorder=4, linestyle="none")
        foot = (crossing, axes.get_ylim()[0])
        axes.annotate(f"x* = {crossing:,.3g}", foot, xytext=(6, 7), textcoords="offset points", color=ORANGE)


def _k_shown(plot: KPlot) -> tuple[float, float]:
    """The range of k: every point and the requested k, with room; the band may leave it."""
    known = [k for _, k in plot.points] + ([plot.k] if plot.k is not None else [])
    return max(min(known, default=1) / 2.0, 0.7), max(known, default=10) * 3.0


SIZE, LONG = (7.6, 5.2), 60
LINES = (
    (BLUE, "o", "-"),
    (ORANGE, "s", "-"),
    ("#009E73", "^", "-"),
    (BLACK, "D", "--"),
    ("#CC79A7", "v", "--"),
    ("#56B4E9", "P", "--"),
    (GREY, "X", ":"),
    ("#E69F00", "*", ":"),
    (BLUE, "<", "-."),
    (ORANGE, ">", "-."),
    ("#009E73", "p", "-."),
    (BLACK, "h", ":"),
)
"""Colour, marker and stroke of each line: from Okabe and Ito's palette, and distinct without colour too."""


def plot_losses(found: Comparison, path: Path) -> None:
    """Draws the plot into a .png or .svg file. Raises as `figures.drawn` does."""
    table = file_name(found.table)
    where = "" if found.filter is None else f" where {found.filter}"
    improved = "all improved" if found.options.improve else "as made, auto alone improved"
    title = (
        f"Loss of microaggregation of {short(', '.join(found.attributes), LONG)} of {table}{where}",
        f"{found.rows:,} rows; groups {improved}",
    )
    with drawn(path, size=SIZE, title=title) as (axes,):
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
        draw_k_axis(axes, found.ks)
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g} %")
        axes.set_xlabel(f"k (least rows of a group){axes.get_xlabel().removeprefix('k')}")
        axes.set_ylabel("information loss (SSE/SST)")
        legend_below(axes, columns=6)
