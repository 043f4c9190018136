"""What the search of a request looks for, from the request alone and the number of its dataset's rows or persons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from ordermade.generalization.local_rounds import check_size
from ordermade.lattice.lattice import Lattice
from ordermade.lattice.requirement import Requirement
from ordermade.privacy.asked import models_asked
from ordermade.privacy.requirement import models_hash, requirement_of
from ordermade.privacy.risk import risk_of
from ordermade.requests.resolve import Resolved
from ordermade.search.settings import PakSettings


@dataclass(frozen=True, slots=True)
class Goal:
    """What is looked for: the accepted lattice, what is required, the name of the objective, and the algorithm.

    Without an algorithm it is the default; `settings` are those of the search `pak`. `weights`: how much each column
    counts in the objective, empty where all count the same.
    """

    lattice: Lattice
    requirement: Requirement
    objective: str
    algorithm: str | None = None
    settings: PakSettings = field(default_factory=PakSettings)
    weights: Mapping[str, Fraction] = field(default_factory=dict)

    @property
    def k(self) -> int:
        """The least size of a released class."""
        return self.requirement.k


def goal_of(resolved: Resolved, units: int) -> Goal:
    """What the request's search looks for, in a dataset of so many units (rows, or persons where it tells them apart).

    Raises InputError for the parameters of a model that cannot be, RequestError for local recoding of a lattice that
    has too many nodes for it.
    """
    asked = resolved.request.search
    if resolved.request.recoding == "local":
        check_size(resolved.lattice)
    return Goal(
        lattice=resolved.lattice,
        requirement=required(resolved, units),
        objective=asked.objective,
        algorithm=asked.algorithm,
        settings=PakSettings(asked.then_certify, asked.overshoot, asked.sample),
        weights=resolved.weights,
    )


def required(resolved: Resolved, units: int) -> Requirement:
    """What a node must have for the request to be released from it, in a dataset of so many units."""
    return requirement_of(
        resolved.request.k,
        limit=resolved.limit,
        units=units,
        models=[model for models in models_asked(resolved.sensitive).values() for model in models],
        risk=risk_of(resolved.risk),
        persons=resolved.entity is not None,
    )


def models_hash_of(resolved: Resolved) -> str:
    """What the request's models are known by in table C; empty where it has none."""
    return models_hash(models_asked(resolved.sensitive))
