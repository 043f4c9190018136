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
    without_labels,
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

MANY_VALUES = 100
"""Numbers or names of persons and records that have more values than this are no groups of them."""

FREE_TEXT_WORDS = 4.0
FREE_TEXT_LENGTH = 80
UNEVEN = Decimal("0.05")
"""Numbers given out one after the other are no further from an even spread than this share of their range."""

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
    is_amount: bool = False


def proposed_roles(
    profiles: Sequence[ColumnProfile], given: Mapping[str, Role] | None = None
) -> tuple[ProposedRole, ...]:
    """The role of each column, in order. `given`: the roles that the user named, which are taken as they are."""
    given = given or {}
    found = {
        each.name: _Found(given[each.name], "as you said") if each.name in given else _found(each) for each in profiles
    }
    if not any(each.role == "quasi-identifier" for each in found.values()):
        _take_amounts(found, given)
    _limit(profiles, found, given, "quasi-identifier", MOST_QUASI_IDENTIFIERS)
    _limit(profiles, found, given, "sensitive", MOST_SENSITIVE)
    return tuple(ProposedRole(each.name, found[each.name].role, found[each.name].reason) for each in profiles)


def _take_amounts(found: dict[str, _Found], given: Mapping[str, Role]) -> None:
    """Takes the sensitive amounts of a table for what others may know, where it has nothing plainer."""
    for name, each in found.items():
        if name not in given and each.role == "sensitive" and each.is_amount:
            reason = "amounts that others may know; none is plainer"
            found[name] = _Found("quasi-identifier", reason, each.strength)


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
            found[name] = _Found("identifier", f"left out: {most} {called} are enough")


def _found(profile: ColumnProfile) -> _Found:
    name = ColumnName.of(profile.name)
    values = profile.rows - profile.nulls
    if not values:
        return _Found("identifier", "it has no values")
    if is_nested_or_binary(profile.type):
        return _Found("identifier", f"type {_short(profile.type)} cannot be generalised")
    if profile.distinct == 1 and not profile.nulls:
        return _Found("kept", "one value in all rows")
    return (
        _by_form(profile)
        or _by_direct_name(name)
        or _by_text(profile, name)
        or _by_meaning(profile, name)
        or _by_values(profile, name)
    )


def _short(column_type: str) -> str:
    return without_labels(column_type).partition("(")[0]


def _share(profile: ColumnProfile) -> float:
    """The different values for a non-NULL row."""
    values = profile.rows - profile.nulls
    return profile.distinct / values if values else 0.0


def _counted(profile: ColumnProfile) -> str:
    return f"{profile.distinct:,} values in {profile.rows:,} rows"


def _by_form(profile: ColumnProfile) -> _Found | None:
    """The role of texts that are of a form which persons are reached or known by."""
    for form in (forms.EMAIL_ADDRESSES, forms.TELEPHONE_NUMBERS, forms.IP_ADDRESSES, forms.UUIDS):
        if is_text(profile.type) and has_form(profile, form) and not _may_be_other(profile, form):
            return _Found("identifier", f"its texts are {form}")
    if is_text(profile.type) and has_form(profile, forms.JAPANESE_POSTCODES) and not profile.digits_only:
        return _Found("quasi-identifier", "Japanese postcodes; others may know them", 9)
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
    return _Found("identifier", f"its name says {words.meaning}")


def _by_text(profile: ColumnProfile, name: ColumnName) -> _Found | None:
    """Names of persons, free texts, and texts that nearly every row has one of its own."""
    if not is_text(profile.type):
        return None
    share, few = _share(profile), profile.rows < FEW_ROWS
    words = first_in(name, role_names.NAMES)
    if words is not None and (share > OFTEN_UNIQUE or profile.distinct > MANY_VALUES):
        return _Found("identifier", f"names of persons: {_counted(profile)}")
    is_long = (profile.words or 0) > FREE_TEXT_WORDS or (profile.longest or 0) > FREE_TEXT_LENGTH
    is_long = is_long and share > OFTEN_UNIQUE
    if not few and (is_long or (first_in(name, role_names.FREE_TEXTS) and profile.distinct > MANY_VALUES)):
        return _Found("identifier", "free texts, which may name persons")
    if share > NEAR_UNIQUE and not few and not first_in(name, role_names.QUASI):
        return _Found("identifier", f"{_counted(profile)}: tells the row")
    return None


def _by_meaning(profile: ColumnProfile, name: ColumnName) -> _Found | None:
    """The role of a column whose name says what it tells; of two words in it the last counts."""
    quasi, sensitive = first_in(name, role_names.QUASI), first_in(name, role_names.SENSITIVE)
    if sensitive is not None and quasi is not None:
        says_when = quasi.meaning == role_names.EVENTS
        if is_date(profile.type) if says_when else quasi.last_in(name) > sensitive.last_in(name):
            sensitive = None
    if sensitive is not None:
        is_amount = sensitive.meaning == role_names.WEALTH and is_number(profile.type)
        strength = len(role_names.SENSITIVE) - role_names.SENSITIVE.index(sensitive)
        return _Found("sensitive", f"its name says {sensitive.meaning}; protect it", strength + 1, is_amount)
    if quasi is not None:
        return _Found("quasi-identifier", f"its name says {quasi.meaning}; others may know it", quasi.strength)
    return None


def _by_values(profile: ColumnProfile, name: ColumnName) -> _Found:
    """The role of a column whose name says nothing, by its values."""
    share, few = _share(profile), profile.rows < FEW_ROWS
    key = first_in(name, role_names.KEYS)
    if is_date(profile.type):
        return _Found("quasi-identifier", "dates, of which others may know the event", 6)
    if key is not None and (share > OFTEN_UNIQUE or (key.ends(name) and profile.distinct > MANY_VALUES)):
        return _Found("identifier", f"a key by its name and {profile.distinct:,} values")
    if is_whole(profile.type) and share > NEAR_UNIQUE and not few and _is_like_a_key(profile):
        return _Found("identifier", f"{_counted(profile)}: tells the row")
    if is_number(profile.type) and share > NEAR_UNIQUE and not few:
        return _Found(
            "sensitive",
            "nearly one value a row; protect it",
            1,
            is_amount=True,
        )
    return _Found("quasi-identifier", f"{profile.distinct:,} values; not known to be harmless", 3)


def _is_like_a_key(profile: ColumnProfile) -> bool:
    """Whether whole numbers are given out one after the other: positive, all different, evenly spread."""
    numbers = [each for each in profile.quantiles if isinstance(each, Decimal)]
    if profile.distinct < profile.rows - profile.nulls or len(numbers) < 3 or numbers[0] < 0:
        return False
    least, span = numbers[0], numbers[-1] - numbers[0]
    even = (least + span * place / (len(numbers) - 1) for place in range(len(numbers)))
    return all(abs(number - expected) <= span * UNEVEN for number, expected in zip(numbers, even, strict=True))
