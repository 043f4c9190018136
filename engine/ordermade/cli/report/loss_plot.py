"""The plot of a comparison: the loss of each algorithm against k."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.cli.report.figures import BLACK, BLUE, GREY, ORANGE, drawn

if TYPE_CHECKING:
    from ordermade.microdata.compare import Comparison

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
MOST_TICKS = 16


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
        if len(found.ks) <= MOST_TICKS:
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
