"""The plot of an answer: released values before and after."""

from __future__ import annotations

from pathlib import Path

from ordermade.methods.microaggregation.result import MicroaggregationResult
from ordermade.methods.shared.result import Result
from ordermade.views.distribution_plots import MAX_SHOWN, plot_values
from ordermade.views.screen import say


def draw_plot(result: Result, path: Path, *, shown: bool) -> None:
    """Draws the released values into the file, and prints so where it is `shown`; a refusal has no plot."""
    if not isinstance(result, MicroaggregationResult) or not result.released:
        return

    plot_values(result, path, result.title)
    numeric = len(result.distributions)
    what = "numbers" if numeric <= MAX_SHOWN else f"first {MAX_SHOWN} of {numeric} numeric attributes"
    if shown:
        say(f"\nDrew the {what} before and after in {path}.")
