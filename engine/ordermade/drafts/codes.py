"""Codes and addresses that carry their own groups: postcodes, ICD-10, occupations, telephone numbers, e-mail."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

MOST_KEPT = 6
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
    for kept in range(min(length - 1, MOST_KEPT), 0, -1):
        found = len({value[:kept] for value in values})
        if 1 < found <= classes / 2:
            keep.append(kept)
            classes = found
    return (length, keep) if keep else None


def _shape(value: str) -> str:
    return "".join("9" if each.isdigit() else "A" if each.isalpha() else each for each in value)
