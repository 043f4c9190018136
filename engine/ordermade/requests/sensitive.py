"""Resolves the sensitive attributes of a request against the dataset's columns and the registered hierarchies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ordermade.errors import quoted
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.requests.generalization import GeneralizationRequest
from ordermade.requests.mondrian import MondrianRequest
from ordermade.requests.privacy import Model, TClosenessModel
from ordermade.requests.problems import FieldPath
from ordermade.requests.resolving import Resolving

WithModels: TypeAlias = GeneralizationRequest | MondrianRequest
"""A request that may have models of sensitive attributes."""


@dataclass(frozen=True, slots=True)
class ResolvedSensitive:
    """One sensitive attribute: the column as stored, its SQL type, its models, and the hierarchies that they name.

    Where the columns of the dataset are not known, the column is as written and its type empty.
    """

    column: str
    column_type: str
    models: tuple[Model, ...]
    hierarchies: Mapping[str, Hierarchy]


def sensitive_attributes(resolving: Resolving[WithModels]) -> tuple[ResolvedSensitive, ...]:
    """The sensitive attributes, in the order of the request; mistakes in the others are noted."""
    requested = resolving.read.request.sensitive
    found = (_attribute(resolving, name, models) for name, models in requested.items())
    return tuple(each for each in found if each is not None)


def _attribute(resolving: Resolving[WithModels], name: str, models: tuple[Model, ...]) -> ResolvedSensitive | None:
    path: FieldPath = ("sensitive", name)
    column = resolving.column(name, path)
    _refuse_twice(resolving, path, models)
    hierarchies = {}
    for position, model in enumerate(models):
        if isinstance(model, TClosenessModel) and model.hierarchy is not None:
            hierarchy = _hierarchy(resolving, model.hierarchy, column, (*path, position, "hierarchy"))
            if hierarchy is not None:
                hierarchies[model.hierarchy] = hierarchy
    if column is None:
        return None
    return ResolvedSensitive(column, resolving.type_of(column), models, hierarchies)


def _refuse_twice(resolving: Resolving[WithModels], path: FieldPath, models: tuple[Model, ...]) -> None:
    """Notes each repeated model; t-closeness with another distance is another model."""
    first: dict[tuple[str | None, ...], int] = {}
    for position, model in enumerate(models):
        of_distance = (model.distance, model.hierarchy) if isinstance(model, TClosenessModel) else ()
        key = (model.model, *of_distance)
        if key in first:
            called = f"{model.model} with distance {of_distance[0]}" if of_distance else model.model
            resolving.note((*path, position), f"the model {called} is named twice", "keep the stricter of the two")
        first.setdefault(key, position)


def _hierarchy(resolving: Resolving[WithModels], name: str, column: str | None, path: FieldPath) -> Hierarchy | None:
    found = resolving.hierarchy(name, path)
    if found is None:
        return None
    if not found.order.is_chain():
        what = f"the levels of the hierarchy {quoted(name)} do not nest, so it measures no distance"
        resolving.note(path, what, "name a hierarchy whose levels nest, or write distance: equal")
        return None
    fits = column is None or resolving.fits(found, name, column, path)
    return found if fits else None
