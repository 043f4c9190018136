"""The requirement of a request: its k with its models of sensitive attributes and its risks."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ordermade.errors import InputError
from ordermade.lattice.observation import Requirement, Sizes, mean_risk
from ordermade.privacy.models import Model, model_of
from ordermade.requests.model import LARGEST_K
from ordermade.requests.numbers import as_fraction

if TYPE_CHECKING:
    from ordermade.requests.resolve_generalization import Resolved
    from ordermade.requests.resolving import ResolvedSensitive


def required_models(sensitive: Iterable[ResolvedSensitive]) -> dict[str, tuple[Model, ...]]:
    """The models of each sensitive column, in the order of the request."""
    return {
        each.column: tuple(model_of(part.model, dict(part), each.hierarchies) for part in each.models)
        for each in sensitive
    }


@dataclass(frozen=True, slots=True)
class Risk:
    """The limits of a request on the risks.

    `sampling_fraction`: the share of the population that the dataset holds; `highest`: the most that the risk of one
    unit may be, that is sampling fraction / size of its class; `average`: the most that the mean of it may be.
    """

    sampling_fraction: Fraction = Fraction(1)
    highest: Fraction | None = None
    average: Fraction | None = None

    def __post_init__(self) -> None:
        for name in ("sampling_fraction", "highest", "average"):
            share = getattr(self, name)
            if share is not None and not 0 < share <= 1:
                raise InputError(f"{name} must be greater than 0 and at most 1", where="risk")

    @property
    def least_size(self) -> int:
        """The least size of a class that the highest risk allows; 1 where it is not bounded."""
        return 1 if self.highest is None else math.ceil(self.sampling_fraction / self.highest)

    @property
    def most_classes_a_unit(self) -> Fraction | None:
        """The most that released classes / released units may be; None where the average is not bounded."""
        return None if self.average is None else self.average / self.sampling_fraction


@dataclass(frozen=True, slots=True)
class RiskFigures:
    """The risks of a released table.

    `prosecutor`, who knows that a person is in it: 1 / k. `journalist`, who does not: sampling fraction / k.
    `marketer`, who links many: the share of units linked rightly, sampling fraction x the mean of 1 / the
    size of a unit's class. That is classes / units where each is in one class; a person in several classes counts by
    the smallest.
    """

    prosecutor: Fraction
    journalist: Fraction
    marketer: Fraction


def risk_of(part: object | None) -> Risk | None:
    """The risk that a part of a request file describes: attributes `sampling_fraction`, `highest`, `average`."""
    if part is None:
        return None
    given = {name: getattr(part, name, None) for name in ("sampling_fraction", "highest", "average")}
    return Risk(**{name: as_fraction(share) for name, share in given.items() if share is not None})


def risk_figures(by_size: Sizes, sampling_fraction: Fraction = Fraction(1)) -> RiskFigures | None:
    """The risks of a table, from (size, units whose smallest class has it); None where nothing is in it."""
    if not by_size:
        return None
    k = min(size for size, _ in by_size)
    return RiskFigures(
        prosecutor=Fraction(1, k),
        journalist=sampling_fraction / k,
        marketer=sampling_fraction * mean_risk(by_size),
    )


Sensitive = Mapping[str, Sequence[Model]]
"""The models of each sensitive attribute, by the name of its column."""


def requirement_of(
    k: int,
    *,
    limit: Fraction = Fraction(0),
    units: int,
    models: Iterable[Model] = (),
    risk: Risk | None = None,
    persons: bool = False,
) -> Requirement:
    """Return the requirement that a node must meet to be released.

    `limit`: the share of `units` (rows, or persons) that may be suppressed; `models` of all sensitive columns; `risk`
    of the request, whose `highest` raises k. It is monotone (see Requirement) wherever all its parts are known to be.
    """
    required = tuple(models)
    most_suppressed = most_of(limit, units)
    average = None if risk is None else risk.most_classes_a_unit
    return Requirement(
        k=k if risk is None else max(k, risk.least_size),
        most_suppressed=most_suppressed,
        models=bool(required),
        monotone=_monotone(required, average, within_limit=most_suppressed > 0, persons=persons),
        persons=persons,
        average_risk=average,
    )


def most_of(limit: Fraction, units: int) -> int:
    """The units that may be suppressed under a limit: floor(limit x units)."""
    return limit.numerator * units // limit.denominator


def models_hash(sensitive: Sensitive) -> str:
    """The SHA-256, in hex, of the models of the sensitive attributes; empty where there is none.

    Columns, models, parameters and the contents of hierarchies; not their order, and not k or the limit, so that what
    was measured for one request answers another.
    """
    content = sorted(
        [column, sorted({json.dumps(model.identity) for model in models})]
        for column, models in sensitive.items()
        if models
    )
    if not content:
        return ""
    return hashlib.sha256(json.dumps(content, ensure_ascii=True, separators=(",", ":")).encode("ascii")).hexdigest()


def _monotone(models: Sequence[Model], average: Fraction | None, *, within_limit: bool, persons: bool) -> bool:
    """True if a node that is coarser than a passing one always passes.

    k is, under any limit. Under a limit, the average risk is not: suppressed units are missing from the mean.
    """
    if within_limit and average is not None:
        return False
    if within_limit and not all(model.definition.monotone_under_limit for model in models):
        return False
    return not persons or all(model.definition.monotone_of_persons for model in models)


def required(resolved: Resolved, units: int) -> Requirement:
    """Return the requirement that a released node must meet, in a dataset of so many units."""
    return requirement_of(
        resolved.request.k,
        limit=resolved.limit,
        units=units,
        models=[model for models in required_models(resolved.sensitive).values() for model in models],
        risk=risk_of(resolved.risk),
        persons=resolved.entity is not None,
    )


def models_hash_of(resolved: Resolved) -> str:
    """Return the hash that identifies the request's models in table C; empty where it has none."""
    return models_hash(required_models(resolved.sensitive))


def least_units(resolved: Resolved) -> int:
    """So many rows (or persons) a dataset must have for the request to be looked into: its k, by its risk too."""
    return required(resolved, LARGEST_K).k
