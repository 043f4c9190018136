"""The style of figures, and their way into a file. Needs the extra `plot`."""

from __future__ import annotations

import contextlib
import importlib.util
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ordermade.errors import InputError
from ordermade.state.backup import new_file, require_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, ORANGE, BLACK, GREY = "#0072B2", "#D55E00", "#000000", "#6E6E6E"
"""From Okabe and Ito's palette: distinct with every common kind of colour blindness, and in grey by their lightness."""

ENDINGS = (".png", ".svg")

STYLE: Final[Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same picture everywhere
    "font.size": 10.5,
    "axes.titlesize": 11.5,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#E3E3E3",
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "legend.fontsize": 9.5,
    "lines.linewidth": 1.8,
    "path.simplify": False,
    "savefig.facecolor": "white",
    "svg.fonttype": "path",  # letters as outlines: no font is needed to look at it
    "svg.hashsalt": "ordermade",  # else every SVG gets identifiers of its own
}


def ending_of(path: Path) -> str:
    """`.png` or `.svg`. Raises InputError for any other."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise InputError(
            f"a plot is a {' or a '.join(ENDINGS)} file", where=str(path), next_step="Give the file such an ending."
        )
    return ending


def check_plot(path: Path) -> None:
    """Raises InputError if no plot can become the file `path`: another ending, an existing file, no matplotlib.

    Raises StateFault where no file can be written.
    """
    ending_of(path)
    require_new(path, "plot")
    if importlib.util.find_spec("matplotlib") is None:
        raise InputError(
            "plots need matplotlib, which is not installed",
            where=str(path),
            next_step="Install it with `pip install 'ordermade[plot]'`.",
        )


@contextlib.contextmanager
def drawn(
    path: Path, panels: int = 1, *, across: int | None = None, size: tuple[float, float] = (7.2, 4.8)
) -> Iterator[tuple[Axes, ...]]:
    """Axes to draw on, `panels` of them; at the end they are the file `path`, the same bytes for the same drawing.

    They stand side by side, or `across` of them in a row. `size` is the figure's in inches. Raises what
    `check_plot` does, StateFault where the file cannot be written.
    """
    check_plot(path)
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with mpl.rc_context():
        mpl.rcdefaults()  # not the reader's own settings
        mpl.rcParams.update(STYLE)
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        across = across or panels
        axes = figure.subplots(math.ceil(panels / across), across, squeeze=False).ravel()
        for place in axes[panels:]:
            place.set_axis_off()
        yield tuple(axes[:panels])
        _save(figure, path)


def _save(figure: Figure, path: Path) -> None:
    kind = ending_of(path)[1:]
    # Neither the date nor the version of matplotlib is part of the drawing.
    silent = {"Date": None, "Creator": None} if kind == "svg" else {"Software": None}
    with new_file(path, "plot") as made:
        figure.savefig(made, format=kind, dpi=150, metadata=silent)


def plain_logarithms(axes: Axes, *, x: bool = True, y: bool = True) -> None:
    """Logarithmic axes whose ticks are written out (1,000, not 10^3), minor ones unlabelled."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    for wanted, scale, axis in ((x, axes.set_xscale, axes.xaxis), (y, axes.set_yscale, axes.yaxis)):
        if wanted:
            scale("log")
            axis.set_major_locator(LogLocator(base=10, numticks=12))
            axis.set_minor_locator(LogLocator(base=10, subs=range(2, 10), numticks=12))
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
            axis.set_minor_formatter(NullFormatter())
