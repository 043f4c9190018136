"""All that a request requires of a node, from its parts: k, limit, models, risk; and what a set of models is called."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from ordermade.lattice.requirement import Requirement
from ordermade.privacy.models import Model
from ordermade.privacy.risk import Risk

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
    most_withheld = most_of(limit, units)
    average = None if risk is None else risk.most_classes_a_unit
    return Requirement(
        k=k if risk is None else max(k, risk.least_size),
        most_withheld=most_withheld,
        models=bool(required),
        monotone=_monotone(required, average, within_limit=most_withheld > 0, persons=persons),
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
