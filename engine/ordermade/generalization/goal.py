"""The goal of a request's search, from the request alone and the number of its dataset's rows or persons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from ordermade.generalization.local_rounds import check_size
from ordermade.lattice.lattice import Lattice
from ordermade.lattice.requirement import Requirement
from ordermade.privacy.asked import required_models
from ordermade.privacy.requirement import models_hash, requirement_of
from ordermade.privacy.risk import risk_of
from ordermade.requests.resolve import Resolved
from ordermade.search.settings import PakSettings


@dataclass(frozen=True, slots=True)
class Goal:
    """The goal of a search: the accepted lattice, the requirement, the name of the objective, and the algorithm.

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
    """Return the goal of the request's search in a dataset of `units` rows (persons if it has an entity column).

    Raises InputError for the parameters of a model that cannot be, RequestError for local recoding of a lattice that
    has too many nodes for it.
    """
    search = resolved.request.search
    if resolved.request.recoding == "local":
        check_size(resolved.lattice)
    return Goal(
        lattice=resolved.lattice,
        requirement=required(resolved, units),
        objective=search.objective,
        algorithm=search.algorithm,
        settings=PakSettings(search.then_certify, search.overshoot, search.sample),
        weights=resolved.weights,
    )


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
