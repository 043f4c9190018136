"""Plain drafts, in the place of those of `drafts/`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ordermade.drafts.profile import ColumnProfile
from ordermade.hierarchies.column_types import is_date, is_number

Role: TypeAlias = Literal["identifier", "quasi-identifier", "sensitive", "kept"]


@dataclass(frozen=True)
class Reading:
    """How a text is read."""

    column: str


@dataclass(frozen=True)
class ProposedRole:
    """The part of a column."""

    column: str
    role: Role
    reason: str


@dataclass(frozen=True)
class DraftedHierarchy:
    """A hierarchy."""

    column: str
    text: str
    reason: str


@dataclass(frozen=True)
class Undrafted:
    """A column without one."""

    column: str
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


def drafted_hierarchy(profile: ColumnProfile, *, least_rows: int) -> DraftedHierarchy | Undrafted:
    """A hierarchy of one or two levels."""
    if is_date(profile.type):
        return DraftedHierarchy(profile.name, "date: [month, year]\n", "months and years")
    if is_number(profile.type):
        text = "intervals:\n  origin: 0\n  levels:\n    - width: 10\n    - width: 50\n"
        return DraftedHierarchy(profile.name, text, "intervals")
    if not profile.lists_all or not profile.distinct:
        return Undrafted(profile.name, "too many values")
    from ordermade.drafts.request import written

    lines = [
        f'  {written(each.value)}: ["{each.value if each.rows >= least_rows else "other"}"]\n'
        for each in profile.values
    ]
    return DraftedHierarchy(profile.name, "mapping:\n" + "".join(lines) + "  null: [unknown]\n", "frequent values")
