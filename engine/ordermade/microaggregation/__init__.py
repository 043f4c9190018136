"""Microaggregation: numeric records in groups of k or more near ones, to be replaced by an aggregate of each group.

Pure functions on numpy arrays. Each takes the records (`x` for one attribute, `X` with one row a record for several),
and gives labels (the group of each record, from 0) or a path (the rows in order) with a small report. Distances are
Euclidean in the units that the columns come in: `standardised` gives every column the same weight first. Every tie goes
to the lowest row, so that the same records give the same groups.

Importing this package imports nothing else: each function is imported at its first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ordermade.microaggregation.improving import improve as improve
    from ordermade.microaggregation.loss import information_loss as information_loss
    from ordermade.microaggregation.mdav_groups import mdav as mdav
    from ordermade.microaggregation.mhm_groups import mhm as mhm
    from ordermade.microaggregation.mil_moves import mil as mil
    from ordermade.microaggregation.optimal import optimal_1d as optimal_1d
    from ordermade.microaggregation.paths import fdh_path as fdh_path
    from ordermade.microaggregation.paths import npn_path as npn_path
    from ordermade.microaggregation.standard import standardised as standardised
    from ordermade.microaggregation.vmdav_groups import vmdav as vmdav

_WHERE = {
    "fdh_path": "paths",
    "improve": "improving",
    "information_loss": "loss",
    "mdav": "mdav_groups",
    "mhm": "mhm_groups",
    "mil": "mil_moves",
    "npn_path": "paths",
    "optimal_1d": "optimal",
    "standardised": "standard",
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
        return getattr(importlib.import_module(f"{__name__}.{_WHERE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public functions, for completion, whether imported yet or not."""
    return [*__all__]
