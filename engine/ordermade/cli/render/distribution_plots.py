"""Plots of distributions: class sizes of a measured table; attributes before and after microaggregation.

Nothing in it is one person's: every bin has k rows or more, its edges are round numbers, and the first and the last bin
are open, so that no axis ends at somebody's value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.cli.render.figures import BLACK, BLUE, GREY, ORANGE, drawn
from ordermade.errors import Refused
from ordermade.measuring.table_words import bins

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordermade.measuring.table_figures import MeasuredTable
    from ordermade.methods.microaggregation.result import AggregatedAttribute, CorrelationReport, DistributionReport
    from ordermade.methods.microaggregation.result import MicroaggregationResult as Result

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


MOST_SHOWN = 15
"""Attributes that are drawn: with the correlations, four rows of four."""
MOST_IN_ONE_ROW = 3
PANEL = (4.4, 3.3)
MOST_TICKS, LONG = 7, 8
"""Edges that are written below an axis, two where some have more letters."""
UNITS = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


def plot_values(result: Result, path: Path) -> None:
    """Draws a released microaggregation into a .png or .svg file. Raises as `figures.drawn` does."""
    shown = result.distributions[:MOST_SHOWN]
    report = result.microaggregation
    aggregated = {} if report is None else {each.column: each for each in report.attributes}
    pairs = [] if report is None else [each for each in report.correlations if each.before is not None]
    panels = len(shown) + bool(pairs)
    across = panels if panels <= MOST_IN_ONE_ROW else math.ceil(math.sqrt(panels))
    size = (PANEL[0] * across, PANEL[1] * math.ceil(panels / across))
    with drawn(path, panels, across=across, size=size) as places:
        for number, (axes, each) in enumerate(zip(places, shown, strict=False)):
            _draw_distribution(axes, each, aggregated[each.column], result.rows or 0, legend=number == 0)
        if pairs:
            _draw_correlations(places[-1], pairs)


def _draw_distribution(
    axes: Axes, found: DistributionReport, aggregated: AggregatedAttribute, rows: int, *, legend: bool
) -> None:
    """The share of the rows in each bin; bins are drawn equally wide, and hatched where open."""
    places = range(len(found.before))
    bars = axes.bar(
        places, [100 * each / rows for each in found.before], width=0.96, color=BLUE, alpha=0.45, label="before"
    )
    for each in {bars[0], bars[-1]}:
        each.set_hatch("//")
        each.set_edgecolor("white")
    axes.hlines(
        [100 * each / rows for each in found.after],
        [place - 0.48 for place in places],
        [place + 0.48 for place in places],
        color=ORANGE,
        lw=2.2,
        label="after",
    )
    edges = list(enumerate(_numbers(found.edges)))
    room = MOST_TICKS if max((len(edge) for _, edge in edges), default=0) <= LONG else 2
    every = max(1, math.ceil(len(edges) / room))
    axes.set_xticks([place + 0.5 for place, _ in edges[::every]], [edge for _, edge in edges[::every]], fontsize=9)
    axes.set_xticks([place + 0.5 for place, _ in edges], minor=True)
    axes.grid(visible=False, axis="x")
    highest = 100 * max(*found.before, *found.after) / rows
    axes.set_ylim(0, highest * (1.3 if legend else 1.08))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g} %")
    axes.set_title(f"{found.column}: loss {100 * aggregated.loss:.3g} %")
    axes.set_ylabel("rows")
    if legend:
        axes.set_xlabel("the hatched ends are open")
        axes.legend(loc="upper right", ncols=2)


def _draw_correlations(axes: Axes, pairs: list[CorrelationReport]) -> None:
    """Each pair of attributes at its correlation before and after: on the diagonal where it was kept."""
    known = [(each.columns, each.before, each.after) for each in pairs if each.before is not None]
    points = [(names, before, after) for names, before, after in known if after is not None]
    axes.axline((0, 0), slope=1, color=GREY, lw=0.9, zorder=1)
    axes.scatter(
        [before for _, before, _ in points],
        [after for _, _, after in points],
        s=24,
        facecolor="white",
        edgecolor=BLACK,
        linewidth=1.1,
        zorder=3,
    )
    axes.set_xlim(-1.05, 1.05)
    axes.set_ylim(-1.05, 1.05)
    axes.set_title("Correlations of pairs")
    axes.set_xlabel("before")
    axes.set_ylabel("after")
    if points:
        names, before, after = max(points, key=lambda each: abs(each[2] - each[1]))
        axes.plot([before], [after], "o", color=ORANGE, ms=6, zorder=4)
        axes.annotate(
            f"most changed:\n{names[0]} and {names[1]}\n{before:.3f} -> {after:.3f}",
            (0.97, 0.04),
            xycoords="axes fraction",
            ha="right",
            color=ORANGE,
            fontsize=9,
        )


def _numbers(edges: Sequence[float]) -> list[str]:
    """Edges in few letters, all in one unit and no two alike: 5,000 and 25,000 are 5k and 25k."""
    largest = max((abs(each) for each in edges), default=0.0)
    size, letter = next(((size, letter) for size, letter in UNITS if 10 * size <= largest < 1e6 * size), (1.0, ""))
    found = [f"{each / size:,.6g}{letter if each else ''}" for each in edges]
    return found if len(set(found)) == len(found) else [f"{each:,.15g}" for each in edges]
