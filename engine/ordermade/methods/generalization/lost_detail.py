"""The columns that a release by one level each made say little any more, and what a little suppression would keep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from ordermade.lattice.observation import SuppressedFigures
from ordermade.loss.costs import DECIMALS, loss_units
from ordermade.privacy.requirement import required

if TYPE_CHECKING:
    from ordermade.lattice.lattice import Node
    from ordermade.lattice.observation import Observation
    from ordermade.methods.generalization.measurement import Measurement
    from ordermade.methods.generalization.search_problem import SearchSpec
    from ordermade.requests.resolve_generalization import Resolved

RANKED_BY = "loss"
HALF = 0.5
WORTH_IT = 0.01
"""The share of all detail below which nothing is said of it."""
LIMITS = (Decimal("0.01"), Decimal("0.02"))
"""The suppression limits that are looked at, the smaller one first."""


@dataclass(frozen=True, slots=True)
class LostDetail:
    """The detail that a release by one level a column gave up."""

    whole: tuple[str, ...]
    """The columns that lost all of it."""
    half: tuple[str, ...]
    """Those that lost half of it or more."""
    loss: float | None = None
    """The share of all columns together."""
    with_limit: Mapping[str, float] = field(default_factory=dict)
    """The share instead, at most, by suppression limit, as far as it is known and less."""


def columns_lost(shares: Mapping[str, float]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns that lost all detail, and those that lost half of it or more, by the share that each lost."""
    whole = tuple(column for column, share in shares.items() if share >= 1)
    return whole, tuple(column for column, share in shares.items() if HALF <= share < 1)


def lost_detail(
    resolved: Resolved,
    goal: SearchSpec,
    found: Measurement,
    lost: Sequence[float | None],
    loss: float | None,
    units: int,
) -> LostDetail | None:
    """The lost detail of the release of a node where its columns `lost` these shares, and all together `loss`.

    None where no column lost half.

    What suppression would keep is read off the nodes that were measured for this request or an earlier one of the same
    data, of so many `units` (rows or persons): nothing is counted.
    """
    shares = {each.column: share or 0.0 for each, share in zip(resolved.qis, lost, strict=True)}
    whole, half = columns_lost(shares)
    if not (whole or half) or loss is None:
        return LostDetail(whole, half) if whole or half else None
    known = {**found.evidence.observed, **found.oracle.measured}
    instead: dict[str, float] = {}
    for limit in LIMITS:
        if limit > resolved.request.suppression_limit:
            best = min(_losses(resolved, goal, found, known, limit, units), default=1.0)
            if best <= min([loss, *instead.values()]) - WORTH_IT:
                instead[str(limit)] = best
    return LostDetail(whole, half, loss, instead)


def _losses(
    resolved: Resolved,
    goal: SearchSpec,
    found: Measurement,
    known: Mapping[Node, Observation],
    limit: Decimal,
    units: int,
) -> Iterator[float]:
    """The most that each known node which passes under the limit may lose: a suppressed row as much as `*`."""
    requirement = required(replace(resolved, limit=Fraction(limit)), units)
    costs = [each.costs for each in found.attributes]
    none = SuppressedFigures(0, (0,) * len(costs), (0.0,) * len(costs))
    for node, observation in known.items():
        is_accepted = all(level in axis.accepted for level, axis in zip(node, goal.lattice.axes, strict=True))
        if not (is_accepted and requirement.decides(observation) and requirement.passes(observation)):
            continue
        each = loss_units(node, costs, none)
        shares = [unit / DECIMALS for unit in each if unit is not None]
        if len(shares) == len(each):
            yield min(1.0, sum(shares) / len(shares) + requirement.suppressed(observation) / units)
