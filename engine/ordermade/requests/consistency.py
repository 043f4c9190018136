"""Fields of a request that do not go together, though each is well-formed by itself."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from ordermade.errors import InputError, did_you_mean, quoted
from ordermade.requests.columns import stored_column
from ordermade.requests.generalization import GeneralizationRequest
from ordermade.requests.model import LARGEST_K, Request
from ordermade.requests.resolving import Resolving
from ordermade.requests.search import WEIGHABLE
from ordermade.requests.sensitive import WithModels


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
