"""Consistency of a request: sensitive attributes, and fields that contradict each other."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from ordermade.errors import InputError, did_you_mean, quoted
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.requests.generalization import WEIGHABLE, GeneralizationRequest
from ordermade.requests.model import LARGEST_K, Request
from ordermade.requests.mondrian import MondrianRequest
from ordermade.requests.privacy import Model, TClosenessModel
from ordermade.requests.problems import FieldPath
from ordermade.requests.resolving import Resolving, stored_column

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


def refuse_contradictions(resolving: Resolving[GeneralizationRequest], released: Sequence[str]) -> None:
    """Notes every contradiction. `released`: the columns that are released, as stored."""
    _limit(resolving)
    _risk(resolving)
    _local(resolving)
    refuse_release(resolving, released)


def refuse_release(resolving: Resolving[WithModels], released: Sequence[str]) -> None:
    """Notes every field that contradicts the shape of the release, or its columns `released`, as stored."""
    _table(resolving)
    _pseudonym(resolving, released)


def weights_of(resolving: Resolving[GeneralizationRequest], columns: Sequence[str]) -> Mapping[str, Fraction]:
    """The weight of every quasi-identifier (`columns`, as stored), 1 where none is given; empty without weights.

    Mistakes in the weights are noted.
    """
    search = resolving.read.request.search
    if not search.weights:
        return {}
    if search.objective not in WEIGHABLE:
        what = f"the objective {search.objective} is no sum over the quasi-identifiers, so weights would change nothing"
        resolving.note(
            ("search", "weights"), what, f"take weights out, or name one of the objectives {', '.join(WEIGHABLE)}"
        )
    weights = dict.fromkeys(columns, Fraction(1))
    given: set[str] = set()
    for name, weight in search.weights.items():
        path = ("search", "weights", name)
        try:
            column = stored_column(name, columns)
        except InputError:
            resolving.note(path, f"{quoted(name)} is no quasi-identifier", did_you_mean(name, columns))
            continue
        if column in given:
            resolving.note(path, f"the column {quoted(column)} is named twice", "name it in one place")
        given.add(column)
        weights[column] = Fraction(weight)
    if columns and not any(weights.values()):
        resolving.note(("search", "weights"), "every weight is 0, so no release is better", "give some column a weight")
    return weights


def _limit(resolving: Resolving[GeneralizationRequest]) -> None:
    request = resolving.read.request
    given = {"withheld", "suppression_limit"} & request.model_fields_set
    if given == {"withheld"} and request.recoding != "local":
        what = "nothing is suppressed without a suppression_limit"
        resolving.note(("withheld",), what, "write suppression_limit: 0.05, or take withheld out")


def _risk(resolving: Resolving[GeneralizationRequest]) -> None:
    risk = resolving.read.request.risk
    if risk is None or risk.highest is None:
        return
    if math.ceil(Fraction(risk.sampling_fraction) / Fraction(risk.highest)) > LARGEST_K:
        what = f"every class would have to be of more than {LARGEST_K:,} rows"
        resolving.note(("risk", "highest"), what, "write a greater risk, such as 0.05")


def _local(resolving: Resolving[GeneralizationRequest]) -> None:
    request = resolving.read.request
    if request.recoding == "local" and request.release.shape == "table":
        what = "local recoding mixes levels, so the cells of a statistical table would overlap"
        resolving.note(("recoding",), what, "write shape: rows, or take recoding out")


def _table(resolving: Resolving[WithModels]) -> None:
    """A statistical table has one row a class, with its count and nothing else."""
    request = resolving.read.request
    resolving.refuse_table("quasi_identifiers")
    if request.release.shape != "table":
        return
    instead = "write shape: rows, or take {} out"
    if request.sensitive:
        what = "a statistical table has one row a class, so no sensitive attribute is released in it"
        resolving.note(("sensitive",), what, instead.format("sensitive"))
    if request.release.pseudonym is not None:
        what = "a statistical table has one row a class, so no person has a row in it"
        resolving.note(("release", "pseudonym"), what, instead.format("pseudonym"))


def _pseudonym(resolving: Resolving[WithModels], released: Sequence[str]) -> None:
    pseudonym = resolving.read.request.release.pseudonym
    if pseudonym is None:
        return
    if resolving.entity is None:
        what = "the dataset has no entity column, so nobody has a pseudonym"
        instead = "register it with `dataset add --entity COLUMN`, or take pseudonym out"
        resolving.note(("release", "pseudonym"), what, instead)
    refuse_pseudonym(resolving, pseudonym, released)


def refuse_pseudonym(resolving: Resolving[Request], pseudonym: str, released: Sequence[str]) -> None:
    """Notes a column of pseudonyms with the name of one of the columns `released`, as stored."""
    path = ("release", "pseudonym")
    if pseudonym.casefold() in {column.casefold() for column in released}:
        what = f"a column {quoted(pseudonym)} is released already"
        resolving.note(path, what, "give the pseudonym another name")
