"""The files that plots become: their endings, and whether one can be drawn."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from ordermade.errors import InputError
from ordermade.state.new_files import require_new

ENDINGS = (".png", ".svg")


def ending_of(path: Path) -> str:
    """`.png` or `.svg`. Raises InputError for any other."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise InputError(
            f"a plot is a {' or a '.join(ENDINGS)} file", where=str(path), next_step="Give the file such an ending."
        )
    return ending


def new_plot(plot: Path | None) -> Path | None:
    """The file that a plot is to become; None where none is drawn. Raises what `check_plot` does."""
    if plot is None:
        return None
    path = plot.expanduser()
    check_plot(path)
    return path


def check_plot(path: Path) -> None:
    """Raises InputError if no plot can become the file `path`: another ending, an existing file, no matplotlib.

    Raises StateFault where no file can be written.
    """
    ending_of(path)
    require_new(path, "plot")
    require_matplotlib(str(path))


def require_matplotlib(where: str) -> None:
    """Raises InputError where matplotlib is not installed; `where`: what is to be drawn."""
    if importlib.util.find_spec("matplotlib") is None:
        raise InputError(
            "plots need matplotlib, which is not installed",
            where=where,
            next_step="Install it with `pip install 'ordermade[plot]'`.",
        )
