"""Proposed roles of columns: what identifies persons, what others may know of them, what is to be protected.

The proposal errs on the side of the persons: a column that is not clearly harmless is a quasi-identifier, and one that
would make every request hopeless is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from ordermade.drafts import forms, role_names
from ordermade.drafts.profile import ColumnProfile
from ordermade.drafts.role_names import ColumnName, first_in
from ordermade.hierarchies.column_types import (
    is_date,
    is_nested_or_binary,
    is_number,
    is_text,
    is_whole,
)

Role = Literal["identifier", "quasi-identifier", "sensitive", "kept"]
"""The role of a column; an identifier is left out of the release."""

MOST_QUASI_IDENTIFIERS = 8
"""More of them leave hardly two rows alike: the weakest are left out."""

MOST_SENSITIVE = 3
"""Each further one asks more of every class: no more are proposed."""

NEAR_UNIQUE = 0.9
"""A column with more different values for a row than this nearly tells the row."""

OFTEN_UNIQUE = 0.5
FEW_ROWS = 20
"""In a table with fewer rows every column is near-unique, and only names tell."""

FREE_TEXT_WORDS = 4.0
FREE_TEXT_LENGTH = 80
MOSTLY = 0.8
"""The share of the texts that must be of a form."""


@dataclass(frozen=True, slots=True)
class ProposedRole:
    """The role proposed for a column, with the reason in a line that shows no value of the data."""

    column: str
    role: Role
    reason: str


@dataclass(frozen=True, slots=True)
class _Found:
    role: Role
    reason: str
    strength: int = 0


def proposed_roles(
    profiles: Sequence[ColumnProfile], given: Mapping[str, Role] | None = None
) -> tuple[ProposedRole, ...]:
    """The role of each column, in order. `given`: the roles that the user named, which are taken as they are."""
    given = given or {}
    found = {
        each.name: _Found(given[each.name], "as you said") if each.name in given else _found(each) for each in profiles
    }
    _limit(profiles, found, given, "quasi-identifier", MOST_QUASI_IDENTIFIERS)
    _limit(profiles, found, given, "sensitive", MOST_SENSITIVE)
    return tuple(ProposedRole(each.name, found[each.name].role, found[each.name].reason) for each in profiles)


def _limit(
    profiles: Sequence[ColumnProfile], found: dict[str, _Found], given: Mapping[str, Role], role: Role, most: int
) -> None:
    """Leaves out the weakest columns of a role, beyond the most that are sensible; those given count, and stay."""
    asked = [each.name for each in profiles if given.get(each.name) == role]
    proposed = [each.name for each in profiles if each.name not in given and found[each.name].role == role]
    kept = sorted(proposed, key=lambda name: -found[name].strength)[: max(0, most - len(asked))]
    called = "quasi-identifiers" if role == "quasi-identifier" else "sensitive columns"
    for name in proposed:
        if name not in kept:
            reason = f"{found[name].reason}; left out, for {most} {called} are enough for one request"
            found[name] = _Found("identifier", reason)


def _found(profile: ColumnProfile) -> _Found:
    name = ColumnName.of(profile.name)
    values = profile.rows - profile.nulls
    if not values:
        return _Found("identifier", "it has no values")
    if is_nested_or_binary(profile.type):
        return _Found("identifier", f"values of the type {_short(profile.type)} cannot be generalised")
    if profile.distinct == 1 and not profile.nulls:
        return _Found("kept", "one value in all rows")
    return (
        _by_form(profile)
        or _by_direct_name(name)
        or _by_text(profile, name)
        or _by_meaning(name)
        or _by_values(profile, name)
    )


def _short(column_type: str) -> str:
    return column_type.partition("(")[0]


def _share(profile: ColumnProfile) -> float:
    """The different values for a non-NULL row."""
    values = profile.rows - profile.nulls
    return profile.distinct / values if values else 0.0


def _counted(profile: ColumnProfile) -> str:
    return f"{profile.distinct:,} different values in {profile.rows:,} rows"


def _by_form(profile: ColumnProfile) -> _Found | None:
    """The role of texts that are of a form which persons are reached or known by."""
    for form in (forms.EMAIL_ADDRESSES, forms.TELEPHONE_NUMBERS, forms.IP_ADDRESSES, forms.UUIDS):
        if is_text(profile.type) and has_form(profile, form) and not _may_be_other(profile, form):
            return _Found("identifier", f"its texts are {form}")
    if is_text(profile.type) and has_form(profile, forms.JAPANESE_POSTCODES) and not profile.digits_only:
        return _Found("quasi-identifier", "its texts are Japanese postcodes: where a person lives", 9)
    return None


def _may_be_other(profile: ColumnProfile, form: str) -> bool:
    """Whether texts of a form may as well be something else: digits that repeat are no telephone numbers."""
    return form == forms.TELEPHONE_NUMBERS and profile.digits_only and _share(profile) < OFTEN_UNIQUE


def has_form(profile: ColumnProfile, form: str) -> bool:
    """Whether most texts of a column are of a form, as counted, or else among those listed."""
    if form in profile.forms:
        return profile.forms[form] >= MOSTLY
    pattern = re.compile(forms.FORMS[form])
    listed = sum(each.rows for each in profile.values)
    of_form = sum(each.rows for each in profile.values if pattern.fullmatch(each.value))
    return bool(listed) and of_form >= MOSTLY * listed


def _by_direct_name(name: ColumnName) -> _Found | None:
    words = first_in(name, role_names.DIRECT)
    if words is None:
        return None
    return _Found("identifier", f"by its name {words.meaning}")


def _by_text(profile: ColumnProfile, name: ColumnName) -> _Found | None:
    """Names of persons, free texts, and texts that nearly every row has one of its own."""
    if not is_text(profile.type):
        return None
    share, few = _share(profile), profile.rows < FEW_ROWS
    words = first_in(name, role_names.NAMES)
    if words is not None and share > OFTEN_UNIQUE:
        return _Found("identifier", f"by its name {words.meaning}: {_counted(profile)}")
    is_long = (profile.words or 0) > FREE_TEXT_WORDS or (profile.longest or 0) > FREE_TEXT_LENGTH
    if share > OFTEN_UNIQUE and not few and (is_long or first_in(name, role_names.FREE_TEXTS)):
        return _Found("identifier", f"free texts, which may name persons: {_counted(profile)}")
    if share > NEAR_UNIQUE and not few and not first_in(name, role_names.QUASI):
        return _Found("identifier", f"{_counted(profile)}: it identifies persons")
    return None


def _by_meaning(name: ColumnName) -> _Found | None:
    """The role of a column whose name says what it tells."""
    quasi, sensitive = first_in(name, role_names.QUASI), first_in(name, role_names.SENSITIVE)
    if sensitive is not None and (quasi is None or sensitive.last_in(name) >= quasi.last_in(name)):
        return _Found("sensitive", f"by its name {sensitive.meaning}", 10 if sensitive.meaning == "health" else 5)
    if quasi is not None:
        return _Found("quasi-identifier", f"others may know it: by its name {quasi.meaning}", quasi.strength)
    return None


def _by_values(profile: ColumnProfile, name: ColumnName) -> _Found:
    """The role of a column whose name says nothing, by its values."""
    share, few = _share(profile), profile.rows < FEW_ROWS
    key = first_in(name, role_names.KEYS)
    if is_date(profile.type):
        return _Found("quasi-identifier", "dates: others may know when something happened to a person", 6)
    if key is not None and share > OFTEN_UNIQUE:
        return _Found("identifier", f"{_counted(profile)}: it identifies persons")
    if is_whole(profile.type) and share > NEAR_UNIQUE and not few and _is_like_a_key(profile):
        return _Found("identifier", f"{_counted(profile)}: it identifies persons")
    if is_number(profile.type) and share > NEAR_UNIQUE and not few:
        return _Found(
            "sensitive", f"a measurement, {_counted(profile)}: to be protected, for it nearly tells the row", 1
        )
    if is_number(profile.type):
        return _Found("quasi-identifier", f"{_counted(profile)}: not known to be harmless", 3)
    return _Found("quasi-identifier", f"{_counted(profile)}: not known to be harmless", 3)


def _is_like_a_key(profile: ColumnProfile) -> bool:
    """Whether whole numbers are given out one after the other: positive, all different, hardly with gaps."""
    numbers = [each for each in profile.quantiles if isinstance(each, Decimal)]
    return profile.distinct == profile.rows - profile.nulls and bool(numbers) and numbers[0] >= 0
