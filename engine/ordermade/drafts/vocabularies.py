"""Known vocabularies of texts: the groups that a value is in, such as the region of a country."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ordermade.drafts import prefectures, subdivisions, territories, text_formats
from ordermade.drafts.column_names import ColumnName, column_names
from ordermade.drafts.labels import Paths
from ordermade.drafts.profile import ColumnProfile, ValueCount
from ordermade.hierarchies.column_types import is_text, is_whole

MAX_KEPT = 6
"""The most first characters of a code without a known form that a level keeps."""


@dataclass(frozen=True, slots=True)
class Form:
    """A form of codes whose first characters are groups: the pattern of a whole code, the numbers of characters kept.

    `reason`: what the codes are. `meaning`: what they tell of a person, as `column_words.toml` lists it; the role of a
    column goes by it. `is_named`: only columns whose names have that meaning are taken for it.
    """

    reason: str
    meaning: str
    pattern: re.Pattern[str]
    keep: Sequence[int] = ()
    is_named: bool = False


def _form(reason: str, meaning: str, pattern: str, keep: Sequence[int] = (), *, is_named: bool = False) -> Form:
    return Form(reason, meaning, re.compile(pattern), keep, is_named)


POSTCODE, TELEPHONE, EMAIL = "postcode", "telephone number", "e-mail address"
OCCUPATION, HEALTH, NUMBER = "occupation", "health", "official or account number"
RECORD, ADDRESS = "number or code of a record", "address of person or device"
PREFECTURE, COUNTRY, PLACE = "prefecture", "country", "place"

_FIRST = "by their first digits"
FORMS = (
    _form(f"postcodes of Japan, {_FIRST}", POSTCODE, r"〒?[0-9]{3}-[0-9]{4}", (6, 3, 1)),
    _form(f"postcodes of Japan, {_FIRST}", POSTCODE, r"[0-9]{7}", (5, 3, 1), is_named=True),
    _form(f"ZIP codes, {_FIRST}", POSTCODE, r"[0-9]{5}-[0-9]{4}", (5, 3, 1)),
    _form(f"ZIP codes, {_FIRST}", POSTCODE, r"[0-9]{9}", (5, 3, 1), is_named=True),
    _form(f"postcodes, {_FIRST}", POSTCODE, r"[0-9]{4,6}|[0-9]{2}-[0-9]{3}", (3, 2, 1), is_named=True),
    _form(f"postcodes of Brazil, {_FIRST}", POSTCODE, r"[0-9]{5}-[0-9]{3}", (5, 3, 1), is_named=True),
    _form(f"postcodes of Brazil, {_FIRST}", POSTCODE, r"[0-9]{8}", (5, 3, 1), is_named=True),
    _form(f"postcodes of Portugal, {_FIRST}", POSTCODE, r"[0-9]{4}-[0-9]{3}", (4, 2, 1), is_named=True),
    _form(f"postcodes of the Netherlands, {_FIRST}", POSTCODE, r"[1-9][0-9]{3} [A-Z]{2}", (4, 2, 1)),
    _form(f"postcodes of the Netherlands, {_FIRST}", POSTCODE, r"[1-9][0-9]{3}[A-Z]{2}", (4, 2, 1), is_named=True),
    _form("SOC occupations, by their groups", OCCUPATION, r"[1-9][0-9]-[0-9]{4}", (6, 4, 2)),
    _form("ISCO occupations, by their groups", OCCUPATION, r"[0-9]{4}", (3, 2, 1), is_named=True),
    _form("occupations, by their groups", OCCUPATION, r"[A-L]?[0-9]{2,3}", (2, 1), is_named=True),
)  # fmt: skip
"""The forms in the order in which they are tried."""

ICD_10 = _form(
    "codes of the form of ICD-10, by their categories",
    HEALTH,
    r"[A-TV-Z][0-9][0-9AB](?:\.?[0-9A-Z]{1,4})?",
    (3, 2, 1),
)
"""Diagnoses. Seats and rooms are written alike, so a name that says nothing of health is to speak for it, too."""

_DOTTED = re.compile(r"[A-TV-Z][0-9][0-9AB]\.[0-9A-Z]{1,4}")
_DOTTED_SHARE = 0.1
"""The share of the codes that have a dot, as diagnoses have and seats have not."""

REACHING = (
    (text_formats.EMAIL_ADDRESSES, EMAIL),
    (text_formats.TELEPHONE_NUMBERS, TELEPHONE),
    (text_formats.IP_ADDRESSES, ADDRESS),
    (text_formats.UUIDS, RECORD),
)
"""The forms of texts by which persons are reached or known, each with its meaning. They are counted in all rows."""

OFFICIAL = (
    _form("Italian tax numbers", NUMBER, r"[A-Z]{6}[0-9]{2}[A-EHLMPRST][0-9]{2}[A-Z][0-9]{3}[A-Z]"),
    _form("social security numbers", NUMBER, r"[0-9]{3}-[0-9]{2}-[0-9]{4}"),
    _form("Brazilian tax numbers", NUMBER, r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}"),
    _form("Spanish identity numbers", NUMBER, r"[0-9]{8}-?[A-HJ-NP-TV-Z]|[XYZ][0-9]{7}-?[A-HJ-NP-TV-Z]"),
    _form("bank accounts", NUMBER, r"[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?"),
)  # fmt: skip
"""Numbers that states and banks give to persons."""

CALLED = _form(f"telephone numbers, {_FIRST}", TELEPHONE, r"[+(]{0,2}[0-9][0-9 ()/.-]{5,18}", is_named=True)
"""Telephone numbers in a column whose name says so."""

UK = re.compile(r"([A-Z]{1,2})([0-9][0-9A-Z]?) ?([0-9])[A-Z]{2}", re.IGNORECASE)
"""A postcode of the United Kingdom: its area, the rest of its district, and its sector."""

ADDRESSED = re.compile(r"[^@\s]+@([^@\s]+)\.([^@\s.]+)")
"""An e-mail address: its domain but for the last part, and that."""

OFTEN_UNIQUE = 0.5
"""A column of texts with more different values for a row than this has mostly one of its own in each."""

SHARE = 0.9
"""The share of the values that have a form, from which the column is taken for it."""


def form_of(name: ColumnName, values: Iterable[str]) -> tuple[Form, Mapping[str, bool]] | None:
    """The first form that most values of the column of this name have, and which values do; None if there is none."""
    listed = list(values)
    for form in (*FORMS, ICD_10):
        if form.is_named and not name.means(form.meaning):
            continue
        found = {value: form.pattern.fullmatch(value) is not None for value in listed}
        if sum(found.values()) >= SHARE * len(listed) and (form is not ICD_10 or _may_be_diagnoses(name, listed)):
            return form, found
    return None


def _may_be_diagnoses(name: ColumnName, values: Sequence[str]) -> bool:
    """Whether codes of the form of ICD-10 are diagnoses: by the name, or by dots where the name says nothing else."""
    if name.means(HEALTH):
        return True
    says_other = any(each.meaning.kind in ("direct", "sensitive", "quasi-identifier", "thing") for each in name.hits)
    return not says_other and sum(map(bool, map(_DOTTED.fullmatch, values))) > _DOTTED_SHARE * len(values)


def by_first(values: Iterable[str], keep: Sequence[int]) -> Mapping[str, tuple[str, ...]]:
    """The first characters of each value, as a prefix hierarchy writes them: `10*`."""
    return {value: tuple(f"{value[:kept]}*" for kept in keep) for value in values}


def same_length(values: Iterable[str]) -> int | None:
    """The length of all values, if they have one."""
    lengths = {len(value) for value in values}
    return lengths.pop() if len(lengths) == 1 else None


def _district(value: str) -> tuple[str, ...] | None:
    found = UK.fullmatch(value.strip())
    if found is None:
        return None
    area, district = found[1].upper(), (found[1] + found[2]).upper()
    return f"{district} {found[3]}*", f"{district} *", f"{area}*"


def _domains(value: str) -> tuple[str, ...] | None:
    found = ADDRESSED.fullmatch(value.strip())
    return None if found is None else (f"@{found[1]}.{found[2]}".casefold(), f"@*.{found[2]}".casefold())


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


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What the values of a column are: `reason` says it in a few words, `paths` gives the groups of each known value.

    `meaning`: what they tell of a person, as `column_words.toml` lists it; None where nothing is known of that.
    `keep` and `length`: the groups are those of the first characters, as a prefix hierarchy makes them. `instead`: the
    next step where the values are too many to list.
    """

    reason: str
    meaning: str | None
    paths: Paths
    keep: Sequence[int] = ()
    length: int | None = None
    instead: str = ""

    @property
    def what(self) -> str:
        """What the values are, without the way in which they are grouped."""
        return self.reason.partition(",")[0]


def vocabularies(profiles: Sequence[ColumnProfile]) -> Mapping[str, Vocabulary]:
    """The vocabularies of the columns of one table, by column: what roles and hierarchies both go by."""
    names = column_names([each.name for each in profiles])
    found = {each.name: vocabulary_of(each, names[each.name]) for each in profiles}
    return {column: each for column, each in found.items() if each is not None}


def vocabulary_of(profile: ColumnProfile, name: ColumnName | None = None) -> Vocabulary | None:
    """The vocabulary that the values of a column are of; None where they are of none.

    `name`: its name as the other columns of its table let it be read. Whole numbers are codes only where the name says
    so.
    """
    named = ColumnName.of(profile.name) if name is None else name
    if is_text(profile.type):
        reaching = _reaching(profile, named)
        if reaching is not None:
            return reaching
        tried: Sequence[Callable[[ColumnProfile, ColumnName], Vocabulary | None]] = (
            _uk,
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
        found = each(seen, named)
        if found is not None and len(seen.values) < len(profile.values):
            found = each(profile, named)
        if found is not None:
            return found
    return None


def _reaching(profile: ColumnProfile, name: ColumnName) -> Vocabulary | None:
    """What persons are reached or known by: e-mail addresses, telephone numbers, numbers of offices and banks."""
    for form, meaning in REACHING:
        if _share_of(profile, form) >= KNOWN and not _may_be_other(profile, form, name):
            return _reached(profile, form, meaning)
    for each in (*OFFICIAL, *([CALLED] if name.means(TELEPHONE) else [])):
        known = [value.value for value in profile.values if each.pattern.fullmatch(value.value)]
        if known and _knows(profile.values, dict.fromkeys(known, ()), fewest=1):
            return _reached(profile, each.reason, each.meaning)
    known = [each.value for each in profile.values if ADDRESSED.fullmatch(each.value.strip())]
    if known and _knows(profile.values, dict.fromkeys(known, ()), fewest=1):
        return _reached(profile, text_formats.EMAIL_ADDRESSES, EMAIL)
    return None


def _reached(profile: ColumnProfile, what: str, meaning: str) -> Vocabulary:
    """The vocabulary of what persons are reached by, with the groups of domains or of first digits."""
    listed = [each.value for each in profile.values]
    if meaning == EMAIL:
        paths = {value: path for value in listed if (path := _domains(value)) is not None}
        enough = len(paths) >= MIN_LISTED
        instead = "Keep the group alone, in the dataset's query."
        return Vocabulary(f"{what}, by their domains", meaning, paths if enough else {}, instead=instead)
    if meaning != TELEPHONE or len(listed) < MIN_LISTED:
        return Vocabulary(what, meaning, {})
    keep = (6, 4, 3) if sum(value.startswith("+") for value in listed) * 2 > len(listed) else (4, 3, 2)
    return Vocabulary(f"{what.partition(',')[0]}, {_FIRST}", meaning, by_first(listed, keep), keep)


def _share_of(profile: ColumnProfile, form: str) -> float:
    """The share of the rows whose texts are of a form, as counted, or else among those listed."""
    if form in profile.forms:
        return profile.forms[form]
    pattern = re.compile(text_formats.FORMS[form])
    listed = sum(each.rows for each in profile.values)
    return sum(each.rows for each in profile.values if pattern.fullmatch(each.value)) / listed if listed else 0.0


def _may_be_other(profile: ColumnProfile, form: str, name: ColumnName) -> bool:
    """Whether texts of a form may as well be something else: digits that repeat are no telephone numbers."""
    if form != text_formats.TELEPHONE_NUMBERS or not profile.digits_only or name.means(TELEPHONE):
        return False
    return profile.distinct < OFTEN_UNIQUE * (profile.rows - profile.nulls)


def _uk(profile: ColumnProfile, _: ColumnName) -> Vocabulary | None:
    paths = {each.value: path for each in profile.values if (path := _district(each.value)) is not None}
    if not _knows(profile.values, paths):
        return None
    instead = "Keep the group alone, in the dataset's query."
    return Vocabulary("postcodes of the United Kingdom, by district and area", POSTCODE, paths, instead=instead)


def _forms(profile: ColumnProfile, name: ColumnName) -> Vocabulary | None:
    found = form_of(name, [each.value for each in profile.values])
    if found is None:
        return None
    form, has_form = found
    known = [value for value, is_so in has_form.items() if is_so]
    if not _knows(profile.values, dict.fromkeys(known, ())):
        return None
    longest = max(map(len, known))
    keep = [kept for kept in form.keep if kept < longest]
    return Vocabulary(form.reason, form.meaning, by_first(known, keep), keep) if keep else None


def _named_forms(profile: ColumnProfile, name: ColumnName) -> Vocabulary | None:
    named = any(form.is_named and name.means(form.meaning) for form in FORMS)
    return _forms(profile, name) if named else None


def _prefectures(profile: ColumnProfile, name: ColumnName) -> Vocabulary | None:
    digits = name.means(PREFECTURE)
    if is_whole(profile.type) and not digits:
        return None
    values = [each.value for each in profile.values]
    found = {value: code for value in values if (code := prefectures.prefecture_of(value, digits=digits))}
    if not _knows(profile.values, found):
        return None
    kanji = prefectures.in_kanji((*found, profile.name))
    paths = {value: prefectures.regions_of(code, kanji=kanji) for value, code in found.items()}
    return Vocabulary("prefectures of Japan, by region", PREFECTURE, paths)


def _in_prefectures(profile: ColumnProfile, _: ColumnName) -> Vocabulary | None:
    """Addresses that begin with a prefecture. Where one stands alone beside them, a label would be a value, too."""
    values = [each.value for each in profile.values]
    if any(prefectures.prefecture_of(value, digits=False) for value in values):
        return None
    paths = {value: path for value in values if (path := prefectures.groups_of_address(value)) is not None}
    if not _knows(profile.values, paths):
        return None
    instead = "Keep the prefecture alone, in the dataset's query."
    return Vocabulary("addresses in Japan, by prefecture and region", PLACE, paths, instead=instead)


def _places(profile: ColumnProfile, name: ColumnName) -> Vocabulary | None:
    """Countries or subdivisions: what knows more of the values; of as many, by the column's name."""
    values = [each.value for each in profile.values if len(each.value) <= LONGEST]
    countries, language = territories.territories(values)
    parts: Mapping[str, str] = (
        {}
        if len(countries) == len(values) > 0 and (name.means(COUNTRY) or name.means("origin"))
        else (subdivisions.subdivisions(values))
    )
    if len(parts) > len(countries) and _knows(profile.values, parts):
        return _subdivisions(parts, language)
    if not _knows(profile.values, countries):
        return None
    return Vocabulary(
        "countries, by sub-region and continent",
        COUNTRY,
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
        return Vocabulary("subdivisions of ISO 3166-2, by country and continent", PLACE, paths)
    parts = {value: path for value, code in found.items() if (path := subdivisions.parts_of(code))}
    if len(parts) * 2 < len(found):
        return None
    depth = max(map(len, parts.values()))
    reason = "states, by census division and region" if within == {"US"} else "subdivisions of ISO 3166-2, by parent"
    return Vocabulary(reason, PLACE, {value: path for value, path in parts.items() if len(path) == depth})


def prefixes_of(profile: ColumnProfile) -> Vocabulary | None:
    """The first characters of codes that are all of one length; None for other texts."""
    values = [each.value for each in profile.values]
    found = codes_of_one_length(values) if profile.shortest == profile.longest and values else None
    if found is None:
        return None
    length, keep = found
    return Vocabulary(f"codes of {length} characters, by the first ones", None, by_first(values, keep), keep, length)


def _knows(values: Sequence[ValueCount], known: Mapping[str, object], fewest: int = MIN_LISTED) -> bool:
    rows = sum(each.rows for each in values)
    enough = len(known) >= max(fewest, KNOWN * len(values))
    return enough and sum(each.rows for each in values if each.value in known) >= KNOWN * rows
