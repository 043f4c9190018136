"""The plot of a sweep: loss and risk against k."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ordermade.plots.figures import BLUE, GREY, ORANGE, Picture, drawing, drawn, picture_of
from ordermade.plots.k_axis import draw_k_axis

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

SWEEP_SIZE = (7.6, 6.4)
HIGHEST_RISK = "highest risk (1/k measured)"
MANY = 80
"""So many ks have small dots."""


class SweptPoint(Protocol):
    """One k of a sweep, as it is drawn; loss and risk are None where it is refused."""

    @property
    def k(self) -> int:
        """The requested k."""

    @property
    def loss(self) -> float | None:
        """Its loss."""

    @property
    def risk(self) -> float | None:
        """Its highest risk."""


class Swept(Protocol):
    """A sweep, as it is drawn."""

    @property
    def title(self) -> str:
        """The title of the request."""

    @property
    def dataset(self) -> str:
        """Its dataset."""

    @property
    def method(self) -> str:
        """Its method."""

    @property
    def rows(self) -> int | None:
        """The rows of the dataset."""

    @property
    def loss_name(self) -> str:
        """The short name of the loss."""

    @property
    def points(self) -> Sequence[SweptPoint]:
        """A point for each k, ascending."""


def plot_sweep(found: Swept, path: Path) -> None:
    """Draws loss and risk against k, one above the other, into a .png or .svg file.

    Raises as `figures.drawn` does, ValueError where every k is refused.
    """
    title = _title(found)
    with drawn(path, 2, across=1, size=SWEEP_SIZE, title=title) as (loss, risk):
        _draw(found, loss, risk)


def sweep_picture(found: Swept) -> Picture:
    """The same as a picture. Raises ValueError where every k is refused."""
    title = _title(found)
    with drawing(2, across=1, size=SWEEP_SIZE, title=title) as (loss, risk):
        _draw(found, loss, risk)
        return picture_of((loss, risk), SWEEP_SIZE)


def _title(found: Swept) -> tuple[str, str]:
    if all(each.loss is None for each in found.points):
        raise ValueError("nothing of a sweep can be drawn whose every k is refused")
    rows = "" if found.rows is None else f", {found.rows:,} rows"
    return found.title or "Sweep over k", f"Loss and risk against k: {found.method} of {found.dataset}{rows}"


def _draw(found: Swept, loss: Axes, risk: Axes) -> None:
    size = 5.0 if len(found.points) <= MANY else 2.0
    # A gap where k is refused: no figure is to be read off the line across it.
    gap = float("nan")
    ks = [each.k for each in found.points]
    losses = [gap if each.loss is None else each.loss for each in found.points]
    risks = [gap if each.risk is None else 100 * each.risk for each in found.points]
    loss.plot(ks, losses, color=BLUE, marker="o", ms=size, label=found.loss_name)
    risk.plot(ks, risks, color=ORANGE, marker="s", ms=size, ls="--", label=HIGHEST_RISK)
    refused = [each.k for each in found.points if each.loss is None]
    for axes in (loss, risk):
        if refused:
            none = [0] * len(refused)
            axes.plot(refused, none, color=GREY, marker="x", ms=6, ls="", label="refused", clip_on=False, zorder=4)
        draw_k_axis(axes, ks)
        axes.set_ylim(bottom=0)
    loss.yaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    risk.yaxis.set_major_formatter(lambda value, _: f"{value:g} %")
    loss.set_xlabel("")
    loss.set_ylabel(found.loss_name)
    risk.set_ylabel(HIGHEST_RISK)
    if refused:
        loss.legend(*_of_label(loss, "refused"), loc="lower right", bbox_to_anchor=(1, 1), borderaxespad=0)


def _of_label(axes: Axes, label: str) -> tuple[list[Artist], list[str]]:
    handles, labels = axes.get_legend_handles_labels()
    return [handles[labels.index(label)]], [label]
