"""Plots of curves: k against classes in table C, loss of algorithms against k, a sweep."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from matplotlib.ticker import FixedLocator, NullFormatter

from ordermade.errors import TooLittleKnown
from ordermade.prediction.power import Power, PowerLaw
from ordermade.prediction.prediction import Evidence
from ordermade.views.figures import (
    BLACK,
    BLUE,
    GREY,
    ORANGE,
    drawn,
    file_name,
    legend_below,
    plain_logarithms,
    short,
    width_of,
)

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from ordermade.methods.microaggregation.compare import Comparison
    from ordermade.methods.shared.sweep import Sweep

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
        _k_axis(axes, found.ks)
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g} %")
        axes.set_xlabel(f"k (least rows of a group){axes.get_xlabel().removeprefix('k')}")
        axes.set_ylabel("information loss (SSE/SST)")
        legend_below(axes, columns=6)


SWEEP_SIZE = (7.6, 6.4)
HIGHEST_RISK = "highest risk (1/k measured)"
MANY = 80
"""So many ks have small dots."""
WIDE = 10
"""Of ks that are so many times apart the small ones would be one dot: the axis is logarithmic."""


def plot_sweep(found: Sweep, path: Path) -> None:
    """Draws loss and risk against k, one above the other, into a .png or .svg file.

    Raises as `figures.drawn` does, ValueError where every k is refused.
    """
    passing = [each for each in found.points if each.loss is not None]
    if not passing:
        raise ValueError("nothing of a sweep can be drawn whose every k is refused")
    rows = "" if found.rows is None else f", {found.rows:,} rows"
    title = (found.title or "Sweep over k", f"Loss and risk against k: {found.method} of {found.dataset}{rows}")
    with drawn(path, 2, across=1, size=SWEEP_SIZE, title=title) as (loss, risk):
        size = 5.0 if len(found.points) <= MANY else 2.0
        # A gap where k is refused: no figure is to be read off the line across it.
        gap = float("nan")
        ks = [each.k for each in found.points]
        losses = [gap if each.loss is None else each.loss for each in found.points]
        risks = [gap if each.risk is None else 100 * each.risk for each in found.points]
        loss.plot(ks, losses, color=BLUE, marker="o", ms=size, label=found.loss_name)
        risk.plot(ks, risks, color=ORANGE, marker="s", ms=size, ls="--", label=HIGHEST_RISK)
        refused = [each.k for each in found.points if each.loss is None]
        for axes in (loss, risk):
            if refused:
                none = [0] * len(refused)
                axes.plot(refused, none, color=GREY, marker="x", ms=6, ls="", label="refused", clip_on=False, zorder=4)
            _k_axis(axes, ks)
            axes.set_ylim(bottom=0)
        loss.yaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
        risk.yaxis.set_major_formatter(lambda value, _: f"{value:g} %")
        loss.set_xlabel("")
        loss.set_ylabel(found.loss_name)
        risk.set_ylabel(HIGHEST_RISK)
        if refused:
            loss.legend(*_of_label(loss, "refused"), loc="lower right", bbox_to_anchor=(1, 1), borderaxespad=0)


def _of_label(axes: Axes, label: str) -> tuple[list[Artist], list[str]]:
    handles, labels = axes.get_legend_handles_labels()
    return [handles[labels.index(label)]], [label]


def _k_axis(axes: Axes, ks: Sequence[int]) -> None:
    """Ticks at the ks; numbers beside those that have room for one."""
    wide = ks[-1] >= WIDE * ks[0]
    scale = math.log if wide else float
    if wide:
        axes.set_xscale("log")
    low, high = scale(ks[0]), scale(ks[-1])
    margin = 0.04 * (high - low) or 0.5
    ends = (low - margin, high + margin)
    axes.set_xlim(*((math.exp(each) if wide else each) for each in ends))
    numbered = numbered_ticks([(scale(k) - ends[0]) / (ends[1] - ends[0]) for k in ks], [f"{k:,}" for k in ks])
    axes.set_xticks([ks[place] for place in numbered], [f"{ks[place]:,}" for place in numbered])
    axes.xaxis.set_minor_locator(FixedLocator([float(k) for k in ks]))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("k" + (", logarithmic" if wide else ""))


def numbered_ticks(places: Sequence[float], labels: Sequence[str], letter: float = 0.0135) -> list[int]:
    """The ticks whose labels have room: the last one, the first, and between them each that touches none before it.

    `places`: from 0 to 1, ascending; `letter`: the width of one on that scale.
    """
    halves = [letter * (width_of(each) + 1.5) / 2 for each in labels]
    last = len(places) - 1
    found = [0]
    for place in range(1, last):
        before = found[-1]
        if places[place] - halves[place] >= places[before] + halves[before] and (
            places[place] + halves[place] <= places[last] - halves[last]
        ):
            found.append(place)
    return [*found, last] if last and places[last] - halves[last] >= places[found[-1]] + halves[found[-1]] else found
