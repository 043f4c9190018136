"""Microaggregation: numeric records in groups of k or more near ones, to be replaced by an aggregate of each group.

Pure functions on numpy arrays. Each takes the records (`x` for one attribute, `X` with one row a record for several),
and gives labels (the group of each record, from 0) or a path (the rows in order) with a small report. Distances are
Euclidean in the units that the columns come in: `standardised` gives every column the same weight first. Every tie goes
to the lowest row, so that the same records give the same groups.

Importing this module imports nothing else: each function is imported at its first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ordermade.methods.microaggregation.algorithm.improving import improve as improve
    from ordermade.methods.microaggregation.algorithm.loss import information_loss as information_loss
    from ordermade.methods.microaggregation.algorithm.loss import standardised as standardised
    from ordermade.methods.microaggregation.algorithm.mdav_groups import mdav as mdav
    from ordermade.methods.microaggregation.algorithm.one_dimension import mil as mil
    from ordermade.methods.microaggregation.algorithm.one_dimension import optimal_1d as optimal_1d
    from ordermade.methods.microaggregation.algorithm.paths import fdh_path as fdh_path
    from ordermade.methods.microaggregation.algorithm.paths import mhm as mhm
    from ordermade.methods.microaggregation.algorithm.paths import npn_path as npn_path
    from ordermade.methods.microaggregation.algorithm.vmdav_groups import vmdav as vmdav

_WHERE = {
    "fdh_path": "paths",
    "improve": "improving",
    "information_loss": "loss",
    "mdav": "mdav_groups",
    "mhm": "paths",
    "mil": "one_dimension",
    "npn_path": "paths",
    "optimal_1d": "one_dimension",
    "standardised": "loss",
    "vmdav": "vmdav_groups",
}
__all__ = [
    "fdh_path",
    "improve",
    "information_loss",
    "mdav",
    "mhm",
    "mil",
    "npn_path",
    "optimal_1d",
    "standardised",
    "vmdav",
]


def __getattr__(name: str) -> Any:
    """A public function, imported at its first use."""
    if name in _WHERE:
        return getattr(importlib.import_module(f"ordermade.methods.microaggregation.algorithm.{_WHERE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public functions, for completion, whether imported yet or not."""
    return [*__all__]
