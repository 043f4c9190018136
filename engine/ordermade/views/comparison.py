"""The list of methods of `ordermade microaggregation`, and how many values of k it compares."""

from __future__ import annotations

from ordermade.methods.microaggregation.algorithm.methods import METHODS

METHOD_HEADINGS = ("method", "takes", "reads", "what it does", "source")
MAX_KS = 200
"""The most values of k in one comparison."""


def method_rows() -> list[tuple[str, ...]]:
    """The registry of methods."""
    return [(each.name, each.takes, ", ".join(each.options), each.words, each.source) for each in METHODS.values()]
