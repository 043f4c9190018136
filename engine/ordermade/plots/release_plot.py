"""The plot of a release: the detail that each column keeps, and the sizes of the equivalence classes."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from matplotlib.ticker import MaxNLocator, NullLocator

from ordermade.plots.figures import BLACK, BLUE, GREY, ORANGE, Picture, drawing, picture_of, plain_logarithms, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_COLUMNS = 30
"""So many columns have a bar; of more the first ones."""
NAME = 22
"""Latin letters of a column's name, and of its level."""
BINS = 24
WIDTH, ROW, LEAST_HEIGHT = 10.4, 0.36, 3.8
"""Inches: of the figure, of a bar, and of the lowest figure."""


@dataclass(frozen=True, slots=True)
class PlottedColumn:
    """A released column: the words of its level, and the share of its detail that is kept; None: not known."""

    name: str
    level: str
    kept: float | None
    is_generalised: bool = True


@dataclass(frozen=True, slots=True)
class PlottedRelease:
    """A release as it is drawn. `sizes`: the number of classes of each size, in rows; `k` measured, in `words`."""

    title: Sequence[str]
    columns: Sequence[PlottedColumn]
    sizes: Mapping[int, int]
    k: int
    words: str


def release_picture(plotted: PlottedRelease) -> Picture:
    """Draws the columns of a release and the sizes of its classes, side by side."""
    shown = plotted.columns[:MAX_COLUMNS]
    size = (WIDTH, max(LEAST_HEIGHT, 1.5 + ROW * len(shown)))
    with drawing(2, size=size, title=plotted.title) as (columns, classes):
        _draw_columns(columns, shown, left_out=len(plotted.columns) - len(shown))
        _draw_classes(classes, plotted)
        return picture_of((columns, classes), size, across=2)


def _draw_columns(axes: Axes, shown: Sequence[PlottedColumn], left_out: int) -> None:
    places = range(len(shown))
    colours = [BLUE if each.is_generalised else GREY for each in shown]
    axes.barh(places, [100 * (each.kept or 0.0) for each in shown], height=0.62, color=colours, alpha=0.8)
    for place, each in zip(places, shown, strict=True):
        kept = "not known" if each.kept is None else f"{100 * each.kept:.0f} %"
        level = f"{kept}, {short(each.level, NAME)}" if each.level else kept
        inside = (each.kept or 0.0) > 0.5
        axes.annotate(
            level,
            (100 * (each.kept or 0.0), place),
            xytext=(-5 if inside else 5, 0),
            textcoords="offset points",
            ha="right" if inside else "left",
            va="center",
            fontsize=9,
            color="white" if inside else BLACK,
        )
    axes.set_yticks(list(places), [short(each.name, NAME) for each in shown])
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.set_xlim(0, 100)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g} %")
    axes.grid(visible=False, axis="y")
    axes.set_title("Detail kept, by column")
    axes.set_xlabel(f"and {left_out:,} more columns" if left_out else "share of the detail of the values")


def integer_bins(low: int, high: int, *, is_logarithmic: bool) -> list[int]:
    """The bounds of at most 24 bins from `low` to below `high`, whole numbers: alike in width, or growing by a factor.

    Whole numbers have bins of whole numbers: else one bin would have two of them, and the next, as wide, one or none.
    """
    if not is_logarithmic or high - low <= BINS:
        width = math.ceil((high - low) / BINS)
        return list(range(low, high + width, width))
    return sorted({round(low * (high / low) ** (place / BINS)) for place in range(BINS + 1)})


def _draw_classes(axes: Axes, plotted: PlottedRelease) -> None:
    """A histogram of the sizes; each bar begins half a row below its least size, so that a size is in its middle."""
    sizes = plotted.sizes
    low, high = min(sizes), max(sizes) + 1
    is_logarithmic = high >= 10 * low
    edges = integer_bins(low, high, is_logarithmic=is_logarithmic)
    heights = [0] * (len(edges) - 1)
    for size, classes in sizes.items():
        heights[bisect_right(edges, size) - 1] += classes
    if is_logarithmic:
        plain_logarithms(axes)
        axes.set_yscale("linear")
    else:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.bar(
        [left - 0.5 for left in edges[:-1]],
        heights,
        width=[right - left for left, right in pairwise(edges)],
        align="edge",
        color=BLUE,
        alpha=0.8,
        edgecolor="white",
        linewidth=0.5,
    )
    axes.axvline(plotted.k, color=ORANGE, linestyle="--", label=plotted.words)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_ylim(0, max(heights) * 1.08)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.set_title("Sizes of the equivalence classes")
    axes.set_xlabel("rows of a class" + (", logarithmic" if is_logarithmic else ""))
    axes.set_ylabel("classes")
    axes.legend(loc="upper right")
    left, right = edges[0] - 0.5, edges[-1] - 0.5
    if is_logarithmic:
        axes.set_xlim(left / (right / left) ** 0.05, right * (right / left) ** 0.05)
    else:
        beside = max(0.5, 0.05 * (right - left))
        axes.set_xlim(left - beside, right + beside)
