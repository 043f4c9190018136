"""From the parts of a request file to models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ordermade.errors import UnknownName
from ordermade.privacy.definitions import MODELS
from ordermade.privacy.models import AlphaK, DistinctL, EntropyL, Model, RecursiveCL, TCloseness, exact

if TYPE_CHECKING:
    from ordermade.hierarchies.hierarchy import Hierarchy
    from ordermade.requests.sensitive import ResolvedSensitive


def required_models(sensitive: Iterable[ResolvedSensitive]) -> dict[str, tuple[Model, ...]]:
    """The models of each sensitive column, in the order of the request."""
    return {each.column: tuple(model_of(part, each.hierarchies) for part in each.models) for each in sensitive}


def model_of(part: Any, hierarchies: Mapping[str, Hierarchy]) -> Model:
    """The model that a part of a request file describes: `model` is its name, the other attributes its parameters.

    Raises UnknownName for a hierarchy that is not registered or a model that is not there, InputError for parameters
    that are out of their range.
    """
    name = getattr(part, "model", None)
    match name:
        case "distinct_l":
            return DistinctL(part.l)
        case "entropy_l":
            return EntropyL(exact(part.l))
        case "recursive_cl":
            return RecursiveCL(exact(part.c), part.l)
        case "t_closeness":
            called = part.hierarchy
            if called is not None and called not in hierarchies:
                raise UnknownName("hierarchy", called, hierarchies, next_step="Register it with `hierarchy add`.")
            hierarchy = None if called is None else hierarchies[called]
            return TCloseness(exact(part.t), part.distance, hierarchy)
        case "alpha_k":
            return AlphaK(exact(part.alpha))
    raise UnknownName("model", str(name), MODELS)
