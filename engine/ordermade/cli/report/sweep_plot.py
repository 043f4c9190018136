"""The plot of a sweep: loss, safety and total against k, and where the total is least."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.cli.report.figures import BLACK, BLUE, GREY, ORANGE, drawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordermade.answering.sweep import Sweep

SIZE = (7.6, 4.9)
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
