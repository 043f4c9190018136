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

from matplotlib.ticker import MaxNLocator

from ordermade.counting.table_figures import bins
from ordermade.errors import Refused
from ordermade.plots.figures import (
    BLACK,
    BLUE,
    GREY,
    ORANGE,
    drawn,
    file_name,
    legend_below,
    letters,
    short,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordermade.counting.table_figures import MeasuredTable
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
    with drawn(path, panels=2, size=SIZE, title=_title_of_sizes(found)) as (histogram, below):
        _draw_histogram(histogram, found)
        _draw_below(below, found)


def _title_of_sizes(found: MeasuredTable) -> tuple[str, str]:
    where = "" if found.filter is None else f" where {found.filter}"
    columns = ", ".join(each.name for each in found.quasi_identifiers)
    # Without a least k of the dataset nothing is withheld.
    note = "" if found.least_k else "; for the provider: small classes are shown too"
    return (
        f"Equivalence classes of {file_name(found.name)}{where} by {columns}",
        f"{found.units:,} {found.unit} in {found.classes.divisions:,} classes, k = {found.k:,}{note}",
    )


def _draw_histogram(axes: Axes, found: MeasuredTable) -> None:
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
    axes.set_ylim(0, 1.08 * max(heights))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.set_title("Sizes of the classes")
    axes.set_xlabel(f"size of a class ({found.unit})")
    axes.set_ylabel("classes")


def _draw_below(axes: Axes, found: MeasuredTable) -> None:
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
    axes.set_xlim(1, far * 1.05)
    axes.set_ylim(0, 105)
    axes.axhline(100, color=GREY, lw=0.8, zorder=1)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0f} %")
    axes.set_title(f"{found.unit.capitalize()} in classes smaller than k")
    axes.set_xlabel("k, logarithmic")
    axes.set_ylabel(f"share of the {found.unit}")


MAX_SHOWN = 15
"""Attributes that are drawn: with the correlations, four rows of four."""
MAX_IN_ONE_ROW = 3
PANEL, ALONE = (4.4, 3.5), (7.6, 4.6)
NAME_SIZE = 11.0
MAX_TICKS, LONG = 7, 8
"""Edges that are written below an axis, two where some have more letters."""
UNITS = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


def plot_values(result: Result, path: Path, title: str = "") -> None:
    """Draws a released microaggregation into a .png or .svg file; `title`: the request's, its number where empty.

    Raises as `figures.drawn` does.
    """
    shown = result.distributions[:MAX_SHOWN]
    report = result.microaggregation
    aggregated = {} if report is None else {each.column: each for each in report.attributes}
    pairs = [] if report is None else [each for each in report.correlations if each.before is not None]
    panels = len(shown) + bool(pairs)
    across = panels if panels <= MAX_IN_ONE_ROW else math.ceil(math.sqrt(panels))
    panel = ALONE if panels == 1 else PANEL
    size = (panel[0] * across, panel[1] * math.ceil(panels / across) + 0.6)
    with drawn(path, panels, across=across, size=size, title=_title_of_values(result, title)) as places:
        for axes, each in zip(places, shown, strict=False):
            _draw_distribution(axes, each, aggregated[each.column], result.rows or 0, letters(panel[0], NAME_SIZE))
        if pairs:
            _draw_correlations(places[-1], pairs, letters(panel[0], NAME_SIZE))
        legend_below(places[0])


def _title_of_values(result: Result, title: str) -> tuple[str, str]:
    algorithm = "" if result.microaggregation is None else f" by {result.microaggregation.algorithm}"
    k = "" if result.k is None else f", k = {result.k:,}"
    rows = "" if result.rows is None else f", {result.rows:,} rows"
    named = f"Request {result.request}" + (f": {title}" if title else "")
    return named, f"Before and after microaggregation{algorithm}{k}{rows}; bins have k rows or more, end bins are open"


def _draw_distribution(
    axes: Axes, found: DistributionReport, aggregated: AggregatedAttribute, rows: int, room: int
) -> None:
    """The share of the rows in each bin; bins are drawn equally wide, the open ones at the ends hatched.

    `room`: the Latin letters of a line under the panel.
    """
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
    ticks = bin_ticks(_numbers(found.edges))
    axes.set_xticks([place for place, _ in ticks], [text for _, text in ticks], fontsize=9)
    axes.set_xticks([place + 0.5 for place in range(len(found.edges))], minor=True)
    axes.set_xlim(-1, len(found.before))
    for end, beyond in ((-0.5, -1), (len(found.before) - 0.5, len(found.before))):
        arrow = {"arrowstyle": "-|>", "color": BLACK, "lw": 1.1, "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", xy=(beyond, 0), xytext=(end, 0), arrowprops=arrow, annotation_clip=False)
    axes.grid(visible=False, axis="x")
    axes.set_ylim(0, 108 * max(*found.before, *found.after) / rows)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g} %")
    axes.set_title(f"loss {100 * aggregated.loss:.3g} % (SSE/SST)")
    axes.set_xlabel(short(found.column, room))
    axes.set_ylabel("share of the rows")


def bin_ticks(edges: Sequence[str]) -> list[tuple[float, str]]:
    """Where a tick of bins has which label: `< 20` and `70+` in the middle of the open ones, edges between others."""
    if not edges:
        return [(0.0, "all values")]
    inner = list(enumerate(edges))[1:-1]
    room = MAX_TICKS - 2 if max(len(edge) for edge in edges) <= LONG else 1
    every = max(1, math.ceil(len(inner) / room))
    between = [(place + 0.5, edge) for place, edge in inner[::every]]
    return [(0.0, f"< {edges[0]}"), *between, (float(len(edges)), f"{edges[-1]}+")]


def _draw_correlations(axes: Axes, pairs: list[CorrelationReport], room: int) -> None:
    """Each pair of attributes at its correlation before and after: on the diagonal where it was kept.

    `room`: the Latin letters of a line under the panel.
    """
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
    for set_ticks in (axes.set_xticks, axes.set_yticks):
        set_ticks([-1, -0.5, 0, 0.5, 1])
    axes.set_title("correlations of pairs")
    axes.set_ylabel("after")
    below = "before"
    if points:
        names, before, after = max(points, key=lambda each: abs(each[2] - each[1]))
        axes.plot([before], [after], "o", color=ORANGE, ms=6, zorder=4)
        each_room = (room - 20) // 2
        pair = " and ".join(short(name, each_room) for name in names)
        below += f"\nmost changed: {pair},\n{before:.3f} to {after:.3f}"
    axes.set_xlabel(below)


def _numbers(edges: Sequence[float]) -> list[str]:
    """Edges in few letters, all in one unit and no two alike: 5,000 and 25,000 are 5k and 25k."""
    largest = max((abs(each) for each in edges), default=0.0)
    size, letter = next(((size, letter) for size, letter in UNITS if 10 * size <= largest < 1e6 * size), (1.0, ""))
    found = [f"{each / size:,.6g}{letter if each else ''}" for each in edges]
    return found if len(set(found)) == len(found) else [f"{each:,.15g}" for each in edges]
