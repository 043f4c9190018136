"""Risks of re-identification of a whole table: what a request may bound, and what a release has."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from ordermade.errors import InputError
from ordermade.privacy.models import exact


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
    `marketer`, who links as many as possible: sampling fraction x classes / units, the share of units linked rightly.
    """

    prosecutor: Fraction
    journalist: Fraction
    marketer: Fraction


def risk_of(part: object | None) -> Risk | None:
    """The risk that a part of a request file describes: attributes `sampling_fraction`, `highest`, `average`."""
    if part is None:
        return None
    given = {name: getattr(part, name, None) for name in ("sampling_fraction", "highest", "average")}
    return Risk(**{name: exact(share) for name, share in given.items() if share is not None})


def risk_figures(k: int, classes: int, units: int, sampling_fraction: Fraction = Fraction(1)) -> RiskFigures | None:
    """The risks of a table of `classes` and `units`, its smallest class being of `k`; None where nothing is in it."""
    if k == 0 or classes == 0 or units == 0:
        return None
    return RiskFigures(
        prosecutor=Fraction(1, k),
        journalist=sampling_fraction / k,
        marketer=sampling_fraction * classes / units,
    )
