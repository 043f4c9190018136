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

`safety` (1 / k) and `total` (U + 1 / k) of histories are no losses: one is a risk, the other adds a risk to a loss.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from ordermade.lattice.lattice import Lattice
from ordermade.lattice.observation import Observation
from ordermade.loss.metrics import AttributeCosts

Range: TypeAlias = tuple[float | None, float | None]
"""The best and the worst value of a metric; None where it is not known."""

LossValues: TypeAlias = Mapping[str, float | int | Mapping[str, float | None] | None]
"""Losses by metric, as results have them; a metric may be split by attribute."""

LossShares: TypeAlias = dict[str, float | dict[str, float | None] | None]
"""Their shares, by the same names."""


@dataclass(frozen=True, slots=True)
class Extremes:
    """The extremes of one table, from which the best and the worst value of each metric follow; None: not known.

    `units`: its rows, or its persons where k counts persons; `k` of the request. `classes` and `squares`: the number of
    equivalence classes of the original table over the attributes, and the sum of the squares of their sizes. `tops`:
    the top level of each attribute. `entropy` (in bits) and `loss`: their values with every attribute at `*`.
    """

    units: int | None = None
    k: int | None = None
    classes: int | None = None
    squares: int | None = None
    tops: tuple[int, ...] | None = None
    entropy: float | None = None
    loss: float | None = None

    @classmethod
    def of_lattice(
        cls,
        lattice: Lattice,
        units: int,
        k: int,
        costs: Sequence[AttributeCosts] | None = None,
        original: Observation | None = None,
    ) -> Extremes:
        """The extremes of a table with its lattice of levels.

        `costs` of its attributes in their order; `original`: the observation of the node of level 0 of each, None where
        it was not measured.
        """
        entropies = [None] if costs is None else [each.entropy[-1] for each in costs]
        losses = [None] if costs is None else [each.loss[-1] for each in costs]
        known, lost = ([each for each in of if each is not None] for of in (entropies, losses))
        return cls(
            units=units,
            k=k,
            classes=None if original is None else original.divisions,
            squares=None if original is None else original.sum_of_squares,
            tops=tuple(axis.top for axis in lattice.axes),
            entropy=sum(known) if len(known) == len(entropies) else None,
            loss=sum(lost) / len(lost) if lost and len(lost) == len(losses) else None,
        )


def _unit_interval(_: Extremes) -> Range:
    return 0.0, 1.0


def _prec(of: Extremes) -> Range:
    return 0.0, sum(top > 0 for top in of.tops) / len(of.tops) if of.tops else 1.0


def _height(of: Extremes) -> Range:
    return 0.0, None if of.tops is None else float(sum(of.tops))


def _loss(of: Extremes) -> Range:
    return 0.0, 1.0 if of.loss is None else of.loss


def _classes(of: Extremes) -> Range:
    return of.classes, 1.0


def _squares(of: Extremes) -> Range:
    return of.squares, None if of.units is None else float(of.units) ** 2


def _average(of: Extremes) -> Range:
    return (of.units / of.classes if of.units is not None and of.classes else None), of.units


def _average_in_k(of: Extremes) -> Range:
    best, worst = _average(of)
    if not of.k:
        return None, None
    return None if best is None else best / of.k, None if worst is None else worst / of.k


def _entropy(of: Extremes) -> Range:
    return 0.0, of.entropy


RANGES: Mapping[str, Callable[[Extremes], Range]] = MappingProxyType(
    {
        "prec": _prec,
        "prec_suppressed_as_1": _prec,
        "height": _height,
        "classes": _classes,
        "dm": _squares,
        "dm_star": _squares,
        "c_avg": _average_in_k,
        "aecs": _average,
        "entropy": _entropy,
        "entropy_ignoring_suppression": _entropy,
        "loss": _loss,
        "by_attribute": _unit_interval,
        "sse_over_sst": _unit_interval,
        "utility": _unit_interval,
        "utility_by_column": _unit_interval,
        "utility_as_categories": _unit_interval,
        "deleted_share": _unit_interval,
    }
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
