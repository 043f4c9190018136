"""The reliability diagram of forecasts: the share that passed, against the chance that they were given."""

from __future__ import annotations

from pathlib import Path

from ordermade.plots.figures import BLACK, BLUE, GREY, drawn, legend_below
from ordermade.prediction.calibration import Calibration
from ordermade.records.cells import counted

SIZE = (6.4, 6.4)


def plot_calibration(found: Calibration, dataset: str | None, path: Path) -> None:
    """Draws the diagram of at least one forecast into a .png or .svg file. Raises as `figures.drawn` does."""
    where = "every dataset" if dataset is None else dataset
    title = f"Forecasts on {where}, and what came out"
    note = f"{counted(found.forecasts, 'forecast')}, Brier score {found.brier or 0.0:.3f}"
    if found.brier_of_share is not None:
        note += f" ({found.brier_of_share:.3f} by the share alone)"
    shown = [each for each in found.bins if each.forecasts]
    chance = [each.chance or 0.0 for each in shown]
    passed = [each.passed or 0.0 for each in shown]
    reach = [
        [share - (each.least or 0.0) for share, each in zip(passed, shown, strict=True)],
        [(each.most or 0.0) - share for share, each in zip(passed, shown, strict=True)],
    ]
    with drawn(path, size=SIZE, title=(title, note)) as (axes,):
        axes.plot([0, 1], [0, 1], color=GREY, lw=1.2, linestyle="--", label="as forecast")
        axes.errorbar(chance, passed, yerr=reach, fmt="none", ecolor=BLUE, elinewidth=1.4, label="90 % interval")
        axes.scatter(chance, passed, s=44, facecolor="white", edgecolor=BLACK, zorder=3, label="forecasts, by tenths")
        for x, y, each in zip(chance, passed, shown, strict=True):
            # Below the diagonal, which most points lie near.
            axes.annotate(f"{each.forecasts:,}", (x, y), xytext=(8, -12), textcoords="offset points", fontsize=9)
        axes.set_xlim(-0.03, 1.03)
        axes.set_ylim(-0.05, 1.03)
        axes.set_xlabel("chance that was forecast")
        axes.set_ylabel("share of the requests that passed")
        legend_below(axes)
