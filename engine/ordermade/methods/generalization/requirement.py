"""The requirement of a request for generalisation: of released classes, and of the dataset itself."""

from __future__ import annotations

from ordermade.lattice.requirement import Requirement
from ordermade.privacy.requirement import models_hash, required_models, requirement_of, risk_of
from ordermade.requests.model import LARGEST_K
from ordermade.requests.resolve import Resolved


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
