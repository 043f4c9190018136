"""Known vocabularies of texts: the groups that a value is in, such as the region of a country."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from ordermade.drafts import prefectures, subdivisions, territories
from ordermade.drafts.labels import Paths
from ordermade.drafts.profile import ColumnProfile, ValueCount
from ordermade.hierarchies.column_types import is_text, is_whole

MAX_KEPT = 6
"""The most first characters of a code without a known form that a level keeps."""


@dataclass(frozen=True, slots=True)
class Form:
    """A form of codes whose first characters are groups: the pattern of a whole code, the numbers of characters kept.

    `named`: only columns with such a word in their names are taken for it. `reason`: what the codes are.
    """

    reason: str
    pattern: re.Pattern[str]
    keep: Sequence[int]
    named: re.Pattern[str] | None = None


def _form(reason: str, pattern: str, keep: Sequence[int], named: str | None = None) -> Form:
    words = None if named is None else re.compile(named, re.IGNORECASE)
    return Form(reason, re.compile(pattern), keep, words)


_POST = r"post|zip|plz|郵便|〒"
_TELEPHONE = "telephone numbers, by their first digits"
_PHONE = r"phone|tel|mobile|fax|電話|携帯"
FORMS = (
    _form("postcodes of Japan, by their first digits", r"〒?[0-9]{3}-[0-9]{4}", (6, 3, 1)),
    _form("postcodes of Japan, by their first digits", r"[0-9]{7}", (5, 3, 1), _POST),
    _form("ZIP codes, by their first digits", r"[0-9]{5}-[0-9]{4}", (5, 3, 1)),
    _form("ZIP codes, by their first digits", r"[0-9]{9}", (5, 3, 1), _POST),
    _form("postcodes, by their first digits", r"[0-9]{4,6}", (3, 2, 1), _POST),
    _form("SOC occupations, by their groups", r"[1-9][0-9]-[0-9]{4}", (6, 4, 2)),
    _form("ISCO occupations, by their groups", r"[0-9]{4}", (3, 2, 1), r"isco|occup|job|職業|職種"),
    _form("occupations, by their groups", r"[A-L]?[0-9]{2,3}", (2, 1), r"jsco|soc|occup|job|職業|職種"),
    _form("codes of the form of ICD-10, by their categories", r"[A-TV-Z][0-9][0-9AB](?:\.?[0-9A-Z]{1,4})?", (3, 2, 1)),
    _form(_TELEPHONE, r"\(?0[0-9]{1,4}\)?[- ]?[0-9]{1,4}[- ]?[0-9]{3,4}", (4, 3, 2), _PHONE),
    _form(_TELEPHONE, r"\+[0-9]{1,3}[- ]?[0-9() -]{6,16}", (6, 4, 3)),
    _form(_TELEPHONE, r"0[0-9]{1,4}-[0-9]{1,4}-[0-9]{3,4}", (4, 3, 2)),
)  # fmt: skip
"""The forms in the order in which they are tried."""

UK = re.compile(r"([A-Z]{1,2})([0-9][0-9A-Z]?) ?([0-9])[A-Z]{2}", re.IGNORECASE)
"""A postcode of the United Kingdom: its area, the rest of its district, and its sector."""

EMAIL = re.compile(r"[^@\s]+@([^@\s]+)\.([^@\s.]+)")
"""An e-mail address: its domain but for the last part, and that."""


SHARE = 0.9
"""The share of the values that have a form, from which the column is taken for it."""


def form_of(name: str, values: Iterable[str]) -> tuple[Form, Mapping[str, bool]] | None:
    """The first form that most values of the column of this name have, and which values do; None if there is none."""
    listed = list(values)
    for form in FORMS:
        if form.named is not None and not form.named.search(name):
            continue
        found = {value: form.pattern.fullmatch(value) is not None for value in listed}
        if sum(found.values()) >= SHARE * len(listed):
            return form, found
    return None


def by_first(values: Iterable[str], keep: Sequence[int]) -> Mapping[str, tuple[str, ...]]:
    """The first characters of each value, as a prefix hierarchy writes them: `10*`."""
    return {value: tuple(f"{value[:kept]}*" for kept in keep) for value in values}


def same_length(values: Iterable[str]) -> int | None:
    """The length of all values, if they have one."""
    lengths = {len(value) for value in values}
    return lengths.pop() if len(lengths) == 1 else None


def _uk(value: str) -> tuple[str, ...] | None:
    found = UK.fullmatch(value.strip())
    if found is None:
        return None
    area, district = found[1].upper(), (found[1] + found[2]).upper()
    return f"{district} {found[3]}*", f"{district} *", f"{area}*"


def _email(value: str) -> tuple[str, ...] | None:
    found = EMAIL.fullmatch(value.strip())
    return None if found is None else (f"@{found[1]}.{found[2]}".casefold(), f"@*.{found[2]}".casefold())


PARTED: Mapping[str, Callable[[str], tuple[str, ...] | None]] = MappingProxyType(
    {"postcodes of the United Kingdom, by district and area": _uk, "e-mail addresses, by their domains": _email}
)
"""Codes whose groups are no first characters, by what they are, with the groups of one."""


def codes_of_one_length(values: Sequence[str]) -> tuple[int, Sequence[int]] | None:
    """The length of codes of one length, letters and digits at the same places, and the characters that part them.

    None where the values are no such codes.
    """
    length = same_length(values)
    if length is None or not 3 <= length <= 20 or len({_shape(value) for value in values}) != 1:
        return None
    if not any(each.isdigit() for each in values[0]):
        return None
    keep, classes = [], len(set(values))
    for kept in range(min(length - 1, MAX_KEPT), 0, -1):
        found = len({value[:kept] for value in values})
        if 1 < found <= classes / 2:
            keep.append(kept)
            classes = found
    return (length, keep) if keep else None


def _shape(value: str) -> str:
    return "".join("9" if each.isdigit() else "A" if each.isalpha() else each for each in value)


KNOWN = 0.75
"""The share of the values, and of the rows, that a vocabulary knows, from which the column is taken for it."""

MIN_LISTED = 3
"""The fewest values that a vocabulary knows."""

LOOKED_AT = 100
"""The most frequent values are looked up first, and the others where these are known."""

LONGEST = 100
"""Words of a vocabulary have no more characters."""

_PREFECTURE = re.compile(r"pref|todofuken|都道府県|jis", re.IGNORECASE)
_COUNTRY = re.compile(r"countr|nation|国", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What the values of a column are: `reason` says it in a few words, `paths` gives the groups of each known value.

    `keep` and `length`: the groups are those of the first characters, as a prefix hierarchy makes them. `instead`: the
    next step where the values are too many to list.
    """

    reason: str
    paths: Paths
    keep: Sequence[int] = ()
    length: int | None = None
    instead: str = ""


def vocabulary_of(profile: ColumnProfile) -> Vocabulary | None:
    """The vocabulary that the values of a column are of; None where they are of none.

    Whole numbers are codes only where the column's name says so.
    """
    if is_text(profile.type):
        tried: Sequence[Callable[[ColumnProfile], Vocabulary | None]] = (
            _addresses,
            _forms,
            _prefectures,
            _in_prefectures,
            _places,
        )
    elif is_whole(profile.type):
        tried = (_named_forms, _prefectures)
    else:
        return None
    listed = [each.value for each in profile.values]
    if len(listed) < MIN_LISTED or sum(len(value) > LONGEST for value in listed) * 2 > len(listed):
        return None
    # Values that no vocabulary knows are looked up once: the most frequent ones alone.
    seen = replace(profile, values=profile.values[:LOOKED_AT])
    for each in tried:
        found = each(seen)
        if found is not None and len(seen.values) < len(profile.values):
            found = each(profile)
        if found is not None:
            return found
    return None


def _addresses(profile: ColumnProfile) -> Vocabulary | None:
    for reason, groups in PARTED.items():
        paths = {each.value: path for each in profile.values if (path := groups(each.value)) is not None}
        if _knows(profile.values, paths):
            return Vocabulary(reason, paths, instead="Keep the group alone, in the dataset's query.")
    return None


def _forms(profile: ColumnProfile) -> Vocabulary | None:
    found = form_of(profile.name, [each.value for each in profile.values])
    if found is None:
        return None
    form, has_form = found
    known = [value for value, is_so in has_form.items() if is_so]
    if not _knows(profile.values, dict.fromkeys(known, ())):
        return None
    longest = max(map(len, known))
    keep = [kept for kept in form.keep if kept < longest]
    return Vocabulary(form.reason, by_first(known, keep), keep) if keep else None


def _named_forms(profile: ColumnProfile) -> Vocabulary | None:
    named = any(form.named is not None and form.named.search(profile.name) for form in FORMS)
    return _forms(profile) if named else None


def _prefectures(profile: ColumnProfile) -> Vocabulary | None:
    digits = _PREFECTURE.search(profile.name) is not None
    if is_whole(profile.type) and not digits:
        return None
    values = [each.value for each in profile.values]
    found = {value: code for value in values if (code := prefectures.prefecture_of(value, digits=digits))}
    if not _knows(profile.values, found):
        return None
    kanji = prefectures.in_kanji((*found, profile.name))
    paths = {value: prefectures.regions_of(code, kanji=kanji) for value, code in found.items()}
    return Vocabulary("prefectures of Japan, by region", paths)


def _in_prefectures(profile: ColumnProfile) -> Vocabulary | None:
    """Addresses that begin with a prefecture. Where one stands alone beside them, a label would be a value, too."""
    values = [each.value for each in profile.values]
    if any(prefectures.prefecture_of(value, digits=False) for value in values):
        return None
    paths = {value: path for value in values if (path := prefectures.groups_of_address(value)) is not None}
    if not _knows(profile.values, paths):
        return None
    instead = "Keep the prefecture alone, in the dataset's query."
    return Vocabulary("addresses in Japan, by prefecture and region", paths, instead=instead)


def _places(profile: ColumnProfile) -> Vocabulary | None:
    """Countries or subdivisions: what knows more of the values; of as many, by the column's name."""
    values = [each.value for each in profile.values if len(each.value) <= LONGEST]
    countries, language = territories.territories(values)
    parts: Mapping[str, str] = (
        {}
        if len(countries) == len(values) > 0 and _COUNTRY.search(profile.name)
        else (subdivisions.subdivisions(values))
    )
    if len(parts) > len(countries) and _knows(profile.values, parts):
        return _subdivisions(parts, language)
    if not _knows(profile.values, countries):
        return None
    return Vocabulary(
        "countries, by sub-region and continent",
        {value: territories.parts_named(code, language) for value, code in countries.items()},
    )


def _subdivisions(found: Mapping[str, str], language: str) -> Vocabulary | None:
    within = {subdivisions.country_of(code) for code in found.values()}
    if len(within) > 1:
        paths = {
            value: (territories.name_of(country, language), *territories.parts_named(country, language))
            for value, code in found.items()
            if (country := subdivisions.country_of(code)) in territories.containing()
        }
        return Vocabulary("subdivisions of ISO 3166-2, by country and continent", paths)
    parts = {value: path for value, code in found.items() if (path := subdivisions.parts_of(code))}
    if len(parts) * 2 < len(found):
        return None
    depth = max(map(len, parts.values()))
    reason = "states, by census division and region" if within == {"US"} else "subdivisions of ISO 3166-2, by parent"
    return Vocabulary(reason, {value: path for value, path in parts.items() if len(path) == depth})


def prefixes_of(profile: ColumnProfile) -> Vocabulary | None:
    """The first characters of codes that are all of one length; None for other texts."""
    values = [each.value for each in profile.values]
    found = codes_of_one_length(values) if profile.shortest == profile.longest and values else None
    if found is None:
        return None
    length, keep = found
    return Vocabulary(f"codes of {length} characters, by the first ones", by_first(values, keep), keep, length)


def _knows(values: Sequence[ValueCount], known: Mapping[str, object]) -> bool:
    rows = sum(each.rows for each in values)
    enough = len(known) >= max(MIN_LISTED, KNOWN * len(values))
    return enough and sum(each.rows for each in values if each.value in known) >= KNOWN * rows
