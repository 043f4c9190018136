"""Plain drafts, in the place of those of `drafts/`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ordermade.drafts.profile import ColumnProfile

Role: TypeAlias = Literal["identifier", "quasi-identifier", "sensitive", "kept"]


@dataclass(frozen=True)
class Reading:
    """How a text is read."""

    column: str
    reason: str


@dataclass(frozen=True)
class ProposedRole:
    """The part of a column."""

    column: str
    role: Role
    reason: str


def proposed_roles(profiles: Sequence[ColumnProfile], given: Mapping[str, Role]) -> tuple[ProposedRole, ...]:
    """A part for every column."""
    found = []
    for each in profiles:
        if each.name in given:
            found.append(ProposedRole(each.name, given[each.name], "named"))
        elif each.distinct * 2 > each.rows:
            found.append(ProposedRole(each.name, "identifier", "about as many values as rows"))
        else:
            found.append(ProposedRole(each.name, "quasi-identifier", f"{each.distinct:,} values"))
    return tuple(found)
