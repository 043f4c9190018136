"""The axis of k: a tick at each k, and numbers beside those that have room."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from matplotlib.ticker import FixedLocator, NullFormatter

from ordermade.plots.figures import width_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDE = 10
"""Of ks that are so many times apart the small ones would be one dot: the axis is logarithmic."""


def draw_k_axis(axes: Axes, ks: Sequence[int]) -> None:
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
