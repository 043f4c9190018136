"""The plot of a microaggregation: its numeric attributes and their correlations, before and after.

Nothing in it is one person's: every bin has k rows or more, its edges are round numbers, and the first and the last bin
are open, so that no axis ends at somebody's value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.cli.report.figures import BLACK, BLUE, GREY, ORANGE, drawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordermade.microdata.result import AggregatedAttribute, CorrelationReport, DistributionReport
    from ordermade.microdata.result import MicroaggregationResult as Result

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
