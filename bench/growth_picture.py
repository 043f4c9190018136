"""`python -m bench.growth_picture FIGURES PICTURE`: the seconds of each step against the rows, from a CSV file."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.growth_figures import Grown, Seconds, read
from ordermade.plots.figures import BLACK, BLUE, GREY, ORANGE, drawn, plain_logarithms

SHORTEST = 0.002
"""Seconds: shorter ones would be drawn below the picture."""
MARGIN = 1.4
"""The factor that the axes reach beyond the figures."""

LINES: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "start and end": (("start", "record"), {"color": GREY, "marker": "s"}),
    "version, coverage": (("version", "coverage"), {"color": "#CC79A7", "marker": "v"}),
    "frequency set": (("count",), {"color": BLUE, "marker": "o"}),
    "choosing questions": (("choose",), {"color": ORANGE, "marker": "^"}),
    "roll-ups, k-checks": (("check",), {"color": "#E69F00", "marker": "D"}),
    "release, verification": (("release", "verify"), {"color": "#009E73", "marker": "P"}),
}
"""The lines of a panel: the steps that they add up. Colours are Okabe and Ito's."""


def draw(found: Sequence[Grown], path: Path) -> None:
    """Draws a panel for each number of quasi-identifiers, all on the same axes."""
    panels = sorted({each.quasi_identifiers for each in found})
    rows = sorted({each.rows for each in found})
    longest = max(each.whole.clock for each in found)
    shortest = min(min(each.by_hand.clock, *_lines(each).values()) for each in found)
    with drawn(path, len(panels), across=2, size=(10.4, 8.8)) as axes:
        for place, columns in zip(axes, panels, strict=True):
            sizes = sorted((each for each in found if each.quasi_identifiers == columns), key=lambda each: each.rows)
            _panel(place, sizes)
            place.set_xlim(rows[0] / MARGIN, rows[-1] * MARGIN)
            place.set_ylim(max(shortest / MARGIN, SHORTEST), longest * MARGIN)
        for place in axes[-2:]:
            place.set_xlabel("rows")
        for place in axes[::2]:
            place.set_ylabel("seconds")
        handles, labels = axes[0].get_legend_handles_labels()
        axes[0].figure.legend(handles, labels, loc="outside lower center", ncols=4)


def _lines(each: Grown) -> dict[str, float]:
    """The seconds of each of `LINES`."""
    return {name: sum((each.steps[step] for step in steps), Seconds()).clock for name, (steps, _) in LINES.items()}


def _panel(axes: Any, sizes: Sequence[Grown]) -> None:
    rows, lines = [each.rows for each in sizes], [_lines(each) for each in sizes]
    plain_logarithms(axes)
    axes.plot(rows, [each.whole.clock for each in sizes], color=BLACK, marker="o", ms=4, lw=2.4, label="whole process")
    for name, (_, style) in LINES.items():
        axes.plot(rows, [each[name] for each in lines], ms=4.5, lw=1.4, label=name, **style)
    by_hand = [each.by_hand.clock for each in sizes]
    axes.plot(rows, by_hand, color=BLACK, lw=1.8, ls=(0, (4, 2)), label="bare GROUP BY")
    axes.set_title(f"{sizes[0].quasi_identifiers} quasi-identifiers, {sizes[0].nodes:,} nodes")


if __name__ == "__main__":
    figures, picture = map(Path, sys.argv[1:])
    picture.unlink(missing_ok=True)
    draw(read(figures), picture)
