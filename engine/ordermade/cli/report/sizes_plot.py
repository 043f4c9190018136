"""The plot of a measured table: its class sizes, and the share of rows in classes smaller than each k."""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.cli.measure_words import bins
from ordermade.cli.report.figures import BLACK, BLUE, GREY, ORANGE, drawn
from ordermade.errors import Refused

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordermade.measuring.table_figures import MeasuredTable

SIZE = (11.5, 4.8)
LEAST_K_SHOWN = 100
WIDE = 2_000
"""The range of k beyond which there is no room to write the share beside every k."""
FEW = (2, 10, 100)


def plot_sizes(found: MeasuredTable, path: Path) -> None:
    """Draws the plot into a .png or .svg file. Raises as `figures.drawn` does, and where a size may not be shown."""
    if found.k < found.least_k:
        raise Refused(
            f"there are classes of fewer than {found.least_k:,} {found.unit}, whose sizes are not shown",
            where="--plot",
            next_step="Leave --plot out, or name coarser columns.",
        )
    with drawn(path, panels=2, size=SIZE) as (histogram, short):
        _draw_histogram(histogram, found)
        _draw_short(short, found)


def _draw_histogram(axes: Axes, found: MeasuredTable) -> None:
    from matplotlib.ticker import MaxNLocator

    shown = [each for each in bins(found.largest_class) if each[1] >= found.k]
    heights = [sum(classes for size, classes in found.classes.sizes if low <= size <= high) for low, high in shown]
    places = range(len(shown))
    axes.bar(places, heights, color=BLUE, width=0.85)
    axes.set_xticks(
        list(places),
        [f"{low:,}" if low == high else f"{low:,}-{high:,}" for low, high in shown],
        rotation=45,
        ha="right",
        rotation_mode="anchor",
    )
    axes.grid(visible=False, axis="x")
    for place, height in zip(places, heights, strict=True):
        if height:
            axes.annotate(
                f"{height:,}", (place, height), xytext=(0, 3), textcoords="offset points", ha="center", fontsize=8.5
            )
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.set_title(f"{found.classes.divisions:,} classes, k = {found.k:,}")
    axes.set_xlabel(f"class size ({found.unit})")
    axes.set_ylabel("classes")


def _draw_short(axes: Axes, found: MeasuredTable) -> None:
    """The share of units in classes smaller than k: a step up after each size that occurs."""
    by_size = found.units_by_size
    far = max(found.largest_class + 1, LEAST_K_SHOWN)
    held = [0, *accumulate(units for _, units in by_size)]
    ks = [1, *(size + 1 for size, _ in by_size), far]
    shares = [100 * each / found.units for each in held]
    axes.step(ks, [*shares, shares[-1]], where="post", color=BLUE)
    below = found.below()
    axes.plot([each.k for each in below], [100 * each.share for each in below], "o", color=ORANGE, ms=5, zorder=3)
    labelled = [each for each in below if each.units and (far <= WIDE or each.k in FEW)]
    for each in labelled:
        axes.annotate(
            f"{100 * each.share:.1f} %",
            (each.k, 100 * each.share),
            xytext=(-5, 5),
            ha="right",
            textcoords="offset points",
            fontsize=8.5,
            color=BLACK,
        )
    axes.set_xscale("log")
    ticks = [each.k for each in below] + [10**power for power in range(3, len(str(far)))]
    axes.set_xticks(ticks, [f"{each:,}" for each in ticks])
    axes.minorticks_off()
    axes.set_xlim(1, far)
    axes.set_ylim(0, 105)
    axes.axhline(100, color=GREY, lw=0.8, zorder=1)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0f} %")
    axes.set_title(f"{found.units:,} {found.unit}")
    axes.set_xlabel("k")
    axes.set_ylabel(f"{found.unit} in classes smaller than k")
