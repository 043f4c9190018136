"""The requirement of every class of a partition: k of records or persons, and models of the sensitive attributes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ordermade.errors import quoted
from ordermade.mondrian.check import check_of, room_of
from ordermade.mondrian.domains import Codes
from ordermade.mondrian.passing import passes
from ordermade.privacy.models import Model


@dataclass(frozen=True, slots=True, eq=False)
class SensitiveCodes:
    """A sensitive attribute: of each record the number of its value, from 0, in the order of the values, NULL last.

    `values`: how many there are. `pairs`, where persons are counted: the number of each record's person with its value,
    from 0. `ancestors`: for each model that goes by a hierarchy (by its identity) the number of every value's class at
    each level below `*`, levels x values. `column`: its name in messages about models.
    """

    codes: Codes
    values: int
    models: tuple[Model, ...]
    pairs: Codes | None = None
    ancestors: Mapping[tuple[str, ...], Codes] = field(default_factory=dict)
    column: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Requirement:
    """At least k records in every class, or k persons where `persons` has the number of each record's, from 0.

    And every model of every sensitive attribute; of persons, each counts once for every value it has.
    """

    k: int
    persons: Codes | None = None
    sensitive: tuple[SensitiveCodes, ...] = ()

    @property
    def only_rows(self) -> bool:
        """Whether a class passes by its number of records alone."""
        return self.persons is None and not any(each.models for each in self.sensitive)


def root_fails(requirement: Requirement, n: int) -> str | None:
    """The test that the class of all n records fails: `k`, or a model, as `distinct_l {l: 3} of column 'illness'`.

    None where it passes everything. Raises InputError where a model cannot be decided exactly of so many records.
    """
    if _passes(requirement, n):
        return None
    for sensitive in requirement.sensitive:
        for model in sensitive.models:
            alone = replace(requirement, k=1, sensitive=(replace(sensitive, models=(model,)),))
            if not _passes(alone, n):
                return f"{model.written} of column {quoted(sensitive.column)}" if sensitive.column else model.written
    return "k"


def _passes(requirement: Requirement, n: int) -> bool:
    if requirement.only_rows:
        return n >= requirement.k
    check = check_of(requirement, n)
    return passes(check, room_of(check), np.arange(n, dtype=np.int32), 0, n)
