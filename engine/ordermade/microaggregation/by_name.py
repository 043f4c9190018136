"""The groups of the method with a name in the registry."""

from __future__ import annotations

import numpy as np

from ordermade.errors import InputError, UnknownName
from ordermade.microaggregation.arrays import Column, Labels, Path, Table
from ordermade.microaggregation.mdav_groups import mdav
from ordermade.microaggregation.methods import METHODS
from ordermade.microaggregation.mhm_groups import mhm
from ordermade.microaggregation.mil_moves import mil
from ordermade.microaggregation.optimal import optimal_1d
from ordermade.microaggregation.options import Options
from ordermade.microaggregation.paths import fdh_path, npn_path
from ordermade.microaggregation.vmdav_groups import vmdav


def groups_by(name: str, X: Table, k: int, options: Options) -> Labels:
    """The groups of k or more that the method of this name makes of the records, not improved; `auto` is none of them.

    Raises UnknownName, and InputError for several columns where the method takes one.
    """
    if name in METHODS and METHODS[name].takes == "one numeric attribute" and X.shape[1] != 1:
        raise InputError(
            f"the method {name} takes one numeric attribute", next_step="Name another method, such as mdav."
        )
    match name:
        case "optimal":
            return optimal_1d(X[:, 0], k)[0]
        case "mdav":
            return mdav(X, k)[0]
        case "mdav-mil":
            return mil(X[:, 0], _in_a_row(X[:, 0], mdav(X, k)[0]), k)[0]
        case "vmdav":
            return vmdav(X, k, options.gamma)[0]
        case "vmdav-mil":
            return mil(X[:, 0], _in_a_row(X[:, 0], vmdav(X, k, options.gamma)[0]), k)[0]
        case "npn":
            return mhm(X, npn_path(X)[0], k)[0]
        case "fdh":
            return mhm(X, _fdh(X, options), k)[0]
    raise UnknownName("method of microaggregation", name, [each for each in METHODS if each != "auto"])


def _in_a_row(x: Column, labels: Labels) -> Labels:
    """Groups of the same sizes that hold neighbouring values, as MIL needs them, with no more SSE.

    V-MDAV's do, but for its leftovers: of equal values the lowest row is the nearest, and its group may lie beyond
    another.
    """
    sizes = np.bincount(labels)
    by_mean = np.argsort(np.bincount(labels, weights=x) / sizes, kind="stable")
    found = np.empty_like(labels)
    found[np.argsort(x, kind="stable")] = np.repeat(by_mean, sizes[by_mean])
    return found


def _fdh(X: Table, options: Options) -> Path:
    """The path through regions that the options describe, around no more anchors than there are records."""
    anchors = min(options.anchors, len(X))
    rng = np.random.default_rng(options.seed)
    return fdh_path(X, anchors, options.radius_divisor, rng, radius=options.radius)[0]
