"""Losses as shares: every metric of every method from 0 (the table as it was) to 1 (all of it gone).

Raw figures run from 0 to 1, from 1 to the number of rows, up or down. A share sets each against the best and the worst
value that it has on the same table, as ARX does for its quality models:

    share = (value - best) / (worst - best), cut off at 0 and 1; 0 where best and worst are equal

`best` is the value of the original table, whether a request accepts its levels or not, `worst` that of a table where
each attribute is at `*`, which is one class. No share is linear in another: a share of 0.3 by one metric and of 0.1 by
another describe the same release.

| metric | best | worst |
|---|---|---|
| `prec`, `prec_suppressed_as_1` | 0 | the share of the attributes with a level above the original (1 where not known) |
| `height` | 0 | sum of the top levels |
| `loss` | 0 | its value with every attribute at `*` (1 where not known) |
| `classes` | the original's classes | 1; it falls as detail goes |
| `dm`, `dm_star` | sum of the squares of the original's classes | N^2 |
| `aecs` | N / the original's classes | N |
| `c_avg` | N / the original's classes / k | N / k |
| `entropy`, `entropy_ignoring_suppression` | 0 | its value with every attribute at `*` |
| `by_attribute` (a share of the domain, or SSE / SST) | 0 | 1 |
| `sse_over_sst` | 0 | 1, one group: each value is the mean |
| `utility`, `utility_as_categories`, `utility_by_column` (U, mean error of a cell) | 0 | 1, each cell deleted |
| `deleted_share` | 0 | 1 |
| `suppressed_cells`, `suppressed_units` (of tables with totals) | 0 | 1 |

`safety` (1 / k) and `total` (U + 1 / k) of histories are no losses: one is a risk, the other adds a risk to a loss.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from ordermade.loss.extremes import Extremes, Range
from ordermade.loss.metrics import METRICS

LossValues: TypeAlias = Mapping[str, float | int | Mapping[str, float | None] | None]
"""Losses by metric, as results have them; a metric may be split by attribute."""

LossShares: TypeAlias = dict[str, float | dict[str, float | None] | None]
"""Their shares, by the same names."""


def _unit_interval(_: Extremes) -> Range:
    return 0.0, 1.0


_OF_OTHER_METHODS = (
    "by_attribute",
    "sse_over_sst",
    "utility",
    "utility_by_column",
    "utility_as_categories",
    "deleted_share",
    "suppressed_cells",
    "suppressed_units",
)
RANGES: Mapping[str, Callable[[Extremes], Range]] = MappingProxyType(
    {name: each.extent for name, each in METRICS.items()} | dict.fromkeys(_OF_OTHER_METHODS, _unit_interval)
)
"""The best and the worst value of each metric of each method."""

NO_LOSSES = frozenset({"safety", "total"})
"""Figures among the losses of histories that are none: they have no share."""

HEADLINES = ("loss", "sse_over_sst", "utility", "prec_suppressed_as_1", "prec")
"""The metrics that speak for a release by themselves: the first that it has is the detail given up."""


def share(metric: str, value: float, extremes: Extremes) -> float | None:
    """Return the loss as a share, from 0 (as it was) to 1 (all gone); None where one of its extremes is not known.

    `metric`: a name of `RANGES`, or of one attribute's part of it (`by_attribute.age`). None, too, for figures that are
    no loss (`NO_LOSSES`), and for names that are not known: a state may have those of another version.
    """
    extent = RANGES.get(metric.partition(".")[0])
    if extent is None:
        return None
    best, worst = extent(extremes)
    if best is None or worst is None:
        return None
    if best == worst:
        return 0.0
    # Where more is better both differences are negative, and no difference would be -0.
    return min(max((value - best) / (worst - best), 0.0), 1.0) if value != best else 0.0


def shares(losses: LossValues, extremes: Extremes) -> LossShares:
    """Return the losses as shares, by the names of the losses; figures that are no loss are left out."""
    found: LossShares = {}
    for metric, value in losses.items():
        if metric in NO_LOSSES:
            continue
        if isinstance(value, Mapping):
            found[metric] = {
                of: None if each is None else share(metric, float(each), extremes) for of, each in value.items()
            }
        else:
            found[metric] = None if value is None else share(metric, float(value), extremes)
    return found


def given_up(found: Mapping[str, object]) -> tuple[str, float] | None:
    """Return the metric that speaks for a release (see `HEADLINES`) with its share; None where none is known."""
    for metric in HEADLINES:
        each = found.get(metric)
        if isinstance(each, int | float):
            return metric, float(each)
    return None
