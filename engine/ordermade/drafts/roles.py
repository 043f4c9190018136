"""Proposed roles of columns: what identifies persons, what others may know of them, what is to be protected.

The proposal errs on the side of the persons: a column that is not clearly harmless is a quasi-identifier, and one that
would make every request hopeless is left out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from ordermade.drafts.column_names import HEAD_FIRST, ColumnName, Hit, Meaning, column_names, flags, folded, meaning
from ordermade.drafts.mixed_texts import ways_of_writing
from ordermade.drafts.profile import ColumnProfile
from ordermade.drafts.vocabularies import OFTEN_UNIQUE, Vocabulary, vocabularies
from ordermade.hierarchies.column_types import (
    has_no_text,
    is_date,
    is_number,
    is_text,
    is_whole,
    without_labels,
)

WEALTH = "income or wealth"
"""The meaning of columns of amounts."""

EVENTS = "event date"
"""The meaning of columns that say when something happened."""

KEYED = frozenset({EVENTS, "family"})
"""The meanings of what has keys of its own: visits, admissions, households."""

ADDRESS = "address of person or device"
PARTS_OF_ADDRESSES = frozenset({"postcode", "country", "prefecture", "place"})
"""The meanings of parts of an address that others share."""

NAME = "a person's name"
OF_PERSONS = frozenset({"birth", "age", "sex", "official or account number"})
"""The meanings of columns that a table of persons has, and a table of things has not."""

Role = Literal["identifier", "quasi-identifier", "sensitive", "kept"]
"""The role of a column; an identifier is left out of the release."""

MAX_QUASI_IDENTIFIERS = 8
"""More of them leave hardly two rows alike: the weakest are left out."""

MAX_SENSITIVE = 3
"""Each further one asks more of every class: no more are proposed."""

NEAR_UNIQUE = 0.9
"""A column with more different values for a row than this is unique in almost every row."""

FEW_ROWS = 20
"""In a table with fewer rows every column is near-unique, and only names tell."""

MANY_VALUES = 100
"""Numbers or names of persons and records that have more values than this are no groups of them."""

FEWEST_PERSONS = 20
"""A key of persons by its name that has fewer values is rather one of groups."""

FREE_TEXT_WORDS = 4.0
FREE_TEXT_LENGTH = 80
UNEVEN = Decimal("0.05")
"""Numbers given out one after the other are no further from an even spread than this share of their range."""


@dataclass(frozen=True, slots=True)
class ProposedRole:
    """The role of a column."""

    column: str
    """Its name."""
    role: Role
    """Its role; an identifier is left out of the release."""
    reason: str
    """The reason for it."""


@dataclass(frozen=True, slots=True)
class _Found:
    role: Role
    reason: str
    strength: int = 0
    is_amount: bool = False


@dataclass(frozen=True, slots=True)
class _Column:
    """A column as its role is looked for: its profile, its name, and what its values are.

    `is_of_persons`: the other columns of its table are of persons.
    """

    profile: ColumnProfile
    name: ColumnName
    vocabulary: Vocabulary | None
    is_of_persons: bool


NOT_NAMED = "not named"
"""The reason for leaving out a column that nobody named, and that looks like no identifier."""


def proposed_roles(
    profiles: Sequence[ColumnProfile],
    given: Mapping[str, Role] | None = None,
    known: Mapping[str, Vocabulary] | None = None,
) -> tuple[ProposedRole, ...]:
    """The role of each column, in order. `given`: the roles that the user named, which are taken as they are.

    `known`: the vocabularies of the columns, which are looked for where they are not given.
    """
    given = given or {}
    known = vocabularies(profiles) if known is None else known
    names = column_names([each.name for each in profiles])
    of_persons = {name for name, each in names.items() if each.means(*OF_PERSONS) or _names_persons(each)}
    found = {
        each.name: _Found(given[each.name], "as you said")
        if each.name in given
        else _found(_Column(each, names[each.name], known.get(each.name), bool(of_persons - {each.name})))
        for each in profiles
    }
    if not any(each.role == "quasi-identifier" for each in found.values()):
        _take_amounts(found, given)
    _limit(profiles, found, given, "quasi-identifier", MAX_QUASI_IDENTIFIERS)
    _limit(profiles, found, given, "sensitive", MAX_SENSITIVE)
    return tuple(ProposedRole(each.name, found[each.name].role, found[each.name].reason) for each in profiles)


def _names_persons(name: ColumnName) -> bool:
    direct = name.first("direct")
    return direct is not None and direct.meaning.says == NAME


def _take_amounts(found: dict[str, _Found], given: Mapping[str, Role]) -> None:
    """Takes the sensitive amounts of a table for what others may know, where it has nothing plainer."""
    for name, each in found.items():
        if name not in given and each.role == "sensitive" and each.is_amount:
            reason = "amounts that others may know; none is plainer"
            found[name] = _Found("quasi-identifier", reason, each.strength)


def _limit(
    profiles: Sequence[ColumnProfile], found: dict[str, _Found], given: Mapping[str, Role], role: Role, most: int
) -> None:
    """Leaves out the weakest columns of a role, beyond the most that are sensible; those given count, and stay.

    Of quasi-identifiers that are known equally well those stay that part the rows the most.
    """
    stay = sum(given.get(each.name) == role for each in profiles)
    proposed = [each for each in profiles if each.name not in given and found[each.name].role == role]
    by_values = role == "quasi-identifier"
    proposed.sort(key=lambda each: (-found[each.name].strength, -entropy(each) if by_values else 0.0))
    less, called = ("identifying", "quasi-identifiers") if by_values else ("delicate", "sensitive columns")
    for each in proposed[max(0, most - stay) :]:
        reason = f"left out: less {less} than the {max(most, stay)} {called} that stay"
        found[each.name] = _Found("identifier", reason)


def entropy(profile: ColumnProfile) -> float:
    """How far a column parts the rows, in bits: those of a row's value, NULL being one; the most where none is listed.

    Values that are not listed are taken for equally frequent.
    """
    counts = [each.rows for each in profile.values] + ([profile.nulls] if profile.nulls else [])
    unlisted, others = profile.rows - sum(counts), profile.distinct - len(profile.values)
    if unlisted > 0 and others > 0:
        counts += [unlisted]
    total = sum(counts)
    bits = -sum(each / total * math.log2(each / total) for each in counts if each > 0) if total else 0.0
    return bits + (unlisted / total * math.log2(others) if unlisted > 0 and others > 1 else 0.0)


def _found(column: _Column) -> _Found:
    profile = column.profile
    values = profile.rows - profile.nulls
    if not values:
        return _Found("identifier", "it has no values")
    if has_no_text(profile.type):
        return _Found("identifier", f"type {_short(profile.type)} cannot be generalised")
    if profile.distinct == 1 and not profile.nulls:
        return _Found("kept", "one value in all rows")
    return (
        _by_reaching_form(column)
        or _by_direct_name(column)
        or _by_vocabulary(column)
        or _by_text(column)
        or _by_key(column)
        or _by_meaning(column)
        or _by_values(column)
    )


def _short(column_type: str) -> str:
    return without_labels(column_type).partition("(")[0]


def _share(profile: ColumnProfile) -> float:
    """The different values for a non-NULL row."""
    values = profile.rows - profile.nulls
    return profile.distinct / values if values else 0.0


def _counted(profile: ColumnProfile) -> str:
    return f"{profile.distinct:,} values in {profile.rows:,} rows"


def _by_reaching_form(column: _Column) -> _Found | None:
    """The role of texts that are of a form which persons are reached or known by."""
    vocabulary = column.vocabulary
    if vocabulary is None or _kind(vocabulary) not in ("direct", "key"):
        return None
    return _Found("identifier", f"its texts are {vocabulary.what}")


def _kind(vocabulary: Vocabulary) -> str | None:
    return None if vocabulary.meaning is None else meaning(vocabulary.meaning).kind


def _by_direct_name(column: _Column) -> _Found | None:
    """The role of a column whose name says that it names or reaches persons."""
    direct = column.name.first("direct")
    if (
        direct is None
        or _is_flag(column.profile)
        or _is_about(column, direct)
        or _is_part_of_address(column.name, direct)
    ):
        return None
    return _Found("identifier", f"its name says {direct.meaning.says}")


def _is_flag(profile: ColumnProfile) -> bool:
    """Whether the values only say whether there is something."""
    if profile.type.upper() == "BOOLEAN":
        return True
    return bool(profile.values) and all(folded(each.value.strip()) in flags() for each in profile.values)


def _is_about(column: _Column, direct: Hit) -> bool:
    """Whether the name says something about a number or an address, as `phone model`, and the values repeat."""
    abouts = [each for each in column.name.hits if each.meaning.kind == "about"]
    ends = any(direct.last < each.last == len(column.name.words) - 1 for each in abouts)
    begins = any(each.last == 0 < direct.first and each.language in HEAD_FIRST for each in abouts)
    return (ends or begins) and _share(column.profile) <= OFTEN_UNIQUE


def _is_part_of_address(name: ColumnName, direct: Hit) -> bool:
    known = name.first("quasi-identifier")
    parts = known is not None and known.meaning.says in PARTS_OF_ADDRESSES
    return parts and direct.meaning.says == ADDRESS and known is not None and name.is_head(known, direct)


def _by_vocabulary(column: _Column) -> _Found | None:
    """The role that the values themselves give: what they are drafted as is what they tell of a person."""
    vocabulary = column.vocabulary
    if vocabulary is None or vocabulary.meaning is None:
        return None
    told = meaning(vocabulary.meaning)
    if told.kind == "sensitive":
        says = f"name says {told.says}" if column.name.means(told.says) else f"texts are {vocabulary.what}"
        return _Found("sensitive", f"its {says}; protect it", _delicacy(told))
    named = column.name.first("quasi-identifier")
    if named is not None:
        told = max(told, named.meaning, key=lambda each: each.strength)
        return _Found("quasi-identifier", f"its name says {named.meaning.says}; others may know it", told.strength)
    return _Found("quasi-identifier", f"its values are {vocabulary.what}; others may know it", told.strength)


def _delicacy(told: Meaning) -> int:
    """The strength of a sensitive column: the earlier in the list, the more delicate."""
    return 100 - told.place


def _by_text(column: _Column) -> _Found | None:
    """Names of persons, free texts, and texts that nearly every row has one of its own."""
    profile, name = column.profile, column.name
    if not is_text(profile.type):
        return None
    share, few = _share(profile), profile.rows < FEW_ROWS
    called = name.first("name")
    if called is not None and not name.first("thing") and not _says_what_else(name):
        alone = len(name.words) == 1 and column.is_of_persons and not _is_flag(profile)
        if alone or share > OFTEN_UNIQUE or profile.distinct > MANY_VALUES:
            return _Found("identifier", f"names of persons: {_counted(profile)}")
    is_long = (profile.words or 0) > FREE_TEXT_WORDS or (profile.longest or 0) > FREE_TEXT_LENGTH
    is_long = is_long and share > OFTEN_UNIQUE
    if not few and (is_long or (name.first("free text") and profile.distinct > MANY_VALUES)):
        return _Found("identifier", "free texts, which may name persons")
    if share > NEAR_UNIQUE and not few and not name.first("quasi-identifier"):
        ways = ways_of_writing([each.value for each in profile.values])
        return _Found("identifier", ways or f"{_counted(profile)}: {_unique(profile)}")
    return None


def _says_what_else(name: ColumnName) -> bool:
    return name.first("quasi-identifier") is not None or name.first("sensitive") is not None


def _unique(profile: ColumnProfile) -> str:
    every = profile.distinct == profile.rows
    return "unique in every row" if every else "unique in almost every row"


def _by_key(column: _Column) -> _Found | None:
    """The role of a key by its name: of persons, of a record, or of what else the name says."""
    profile, name = column.profile, column.name
    key, person = name.first("key"), name.first("person")
    share, many = _share(profile), profile.distinct
    found = _Found("identifier", f"a key by its name and {profile.distinct:,} values")
    other = name.first("sensitive") or name.first("quasi-identifier")
    if key is None:
        if person is None or len(name.words) > 1:
            return None
        is_count = is_number(profile.type) and name.words[0].endswith("s")  # of students
        return found if share > OFTEN_UNIQUE or (many > MANY_VALUES and not is_count) else None
    if other is not None:
        of_others = other.meaning.says in KEYED and many > MANY_VALUES
        return found if name.is_head(key, other) and (share > OFTEN_UNIQUE or of_others) else None
    if is_date(profile.type):
        return None
    most = MANY_VALUES if person is None else FEWEST_PERSONS
    says_what = key.first == 0 or key.last == len(name.words) - 1
    return found if share > OFTEN_UNIQUE or (says_what and many > most) else None


def _by_meaning(column: _Column) -> _Found | None:
    """The role of a column whose name says what it tells; of two words in it the noun that the other belongs to."""
    profile, name = column.profile, column.name
    quasi, sensitive = name.first("quasi-identifier"), name.first("sensitive")
    if sensitive is not None and sensitive.meaning.says == WEALTH and name.first("measure"):
        sensitive = None  # the bill of a bird
    if sensitive is not None and quasi is not None:
        says_when = quasi.meaning.says == EVENTS
        if is_date(profile.type) if says_when else name.is_head(quasi, sensitive):
            sensitive = None
    if sensitive is not None:
        says = sensitive.meaning.says
        is_amount = says == WEALTH and is_number(profile.type)
        return _Found("sensitive", f"its name says {says}; protect it", _delicacy(sensitive.meaning), is_amount)
    if quasi is not None:
        known = quasi.meaning
        return _Found("quasi-identifier", f"its name says {known.says}; others may know it", known.strength)
    return None


def _by_values(column: _Column) -> _Found:
    """The role of a column whose name says nothing, by its values."""
    profile = column.profile
    share, few = _share(profile), profile.rows < FEW_ROWS
    if is_date(profile.type):
        return _Found("quasi-identifier", "dates, of which others may know the event", 6)
    if is_whole(profile.type) and share > NEAR_UNIQUE and not few and _is_like_a_key(profile):
        return _Found("identifier", f"{_counted(profile)}: {_unique(profile)}")
    if is_number(profile.type) and share > NEAR_UNIQUE and not few:
        return _Found("sensitive", f"{_unique(profile)}; protect it", 1, is_amount=True)
    return _Found("quasi-identifier", "unknown column: treated as identifying, to be safe", 3)


def _is_like_a_key(profile: ColumnProfile) -> bool:
    """Whether whole numbers are given out one after the other: positive, all different, evenly spread."""
    numbers = [each for each in profile.quantiles if isinstance(each, Decimal)]
    if profile.distinct < profile.rows - profile.nulls or len(numbers) < 3 or numbers[0] < 0:
        return False
    least, span = numbers[0], numbers[-1] - numbers[0]
    even = (least + span * place / (len(numbers) - 1) for place in range(len(numbers)))
    return all(abs(number - expected) <= span * UNEVEN for number, expected in zip(numbers, even, strict=True))
