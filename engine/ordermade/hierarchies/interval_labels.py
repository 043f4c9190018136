"""Labels of intervals, written and read: `[20, 30)`, `< 18`, `90+`, and as Japanese tables have them, with a unit."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

from ordermade.errors import HierarchyError
from ordermade.phrases import phrase

OpenSpan = tuple[Fraction | None, Fraction | None]
"""From where up to where (not included) an interval reaches; None where it has no end."""

_NUMBER = r"-?\d+(?:\.\d+)?"
_LABEL = re.compile(rf"\[({_NUMBER}), ({_NUMBER})\)|< ({_NUMBER})|({_NUMBER})\+", re.ASCII)


_UNIT = r"[^\d\s\[\](){}<>*+,;.～~-]{1,10}"
_OF_UNIT = re.compile(_UNIT)
_WHOLE = re.compile(rf"(?P<first>-?\d+)(?:～(?P<last>-?\d+))?(?P<unit>{_UNIT})", re.ASCII)
_FORMS = (
    (re.compile(rf"({_NUMBER})({_UNIT})以上({_NUMBER})\2未満", re.ASCII), 1, 3, 2),
    (re.compile(rf"({_NUMBER})({_UNIT})未満", re.ASCII), None, 1, 2),
    (re.compile(rf"({_NUMBER})({_UNIT})以上", re.ASCII), 1, None, 2),
)
"""Forms of labels with a unit, each with the groups of its lower end, its upper end and its unit."""


def span_of_label(label: str) -> OpenSpan | None:
    """The ends of the interval that a label names; None for a label of another form.

    The forms are `[20, 30)`, `< 18`, `90+`, and in Japanese `20～29歳`, `20歳`, `18歳未満`, `90歳以上` and
    `1.5m以上2m未満`.
    """
    return read_label(label)[0]


def read_label(label: str) -> tuple[OpenSpan | None, str]:
    """The ends that a label names, and its unit; (None, "") for a label of another form."""
    found = _LABEL.fullmatch(label)
    if found is not None:
        low, high, below, above = (None if each is None else Fraction(each) for each in found.groups())
        return ((low if above is None else above), (high if below is None else below)), ""
    for form, low_at, high_at, unit_at in _FORMS:
        found = form.fullmatch(label)
        if found is not None:
            first, last = (None if at is None else Fraction(found[at]) for at in (low_at, high_at))
            return (first, last), found[unit_at]
    found = _WHOLE.fullmatch(label)
    if found is None:
        return None, ""
    return (Fraction(found["first"]), Fraction(found["last"] or found["first"]) + 1), found["unit"]


def in_japanese(label: str, unit: str) -> str:
    """The label of an interval as a Japanese table has it: `15～64歳` for `[15, 65)` and the unit 歳.

    Any other label stays. Whole bounds are taken to be those of whole numbers.
    """
    found = _LABEL.fullmatch(label)
    if found is None:
        return label
    decimals = max(len(each.partition(".")[2]) for each in found.groups() if each is not None)
    low, high, below, above = (None if each is None else int(Decimal(each).scaleb(decimals)) for each in found.groups())
    return label_in_japanese(low if above is None else above, high if below is None else below, decimals, unit)


def check_unit(unit: str, where: str) -> None:
    """Raises HierarchyError for a unit that labels cannot be read with."""
    if not _OF_UNIT.fullmatch(unit) or "以上" in unit or "未満" in unit:
        raise HierarchyError(
            phrase("the unit is one word without digits, spaces and signs, of at most ten letters"),
            where=where,
            next_step=phrase("Write a unit such as 歳, or leave it out."),
        )


def label_in_mathematics(low: int | None, high: int | None, decimals: int) -> str:
    """The label of an interval by its ends in the last of these decimals: `[20, 30)`, `< 18`, `90+`."""
    if low is None:
        return f"< {_written(high or 0, decimals)}"
    first = _written(low, decimals)
    return f"{first}+" if high is None else f"[{first}, {_written(high, decimals)})"


def label_in_japanese(low: int | None, high: int | None, decimals: int, unit: str) -> str:
    """The label of an interval as a Japanese table has it; whole numbers up to the last one that is in it."""
    if low is None:
        return f"{_written(high or 0, decimals)}{unit}未満"
    first = _written(low, decimals)
    if high is None:
        return f"{first}{unit}以上"
    if decimals:
        return f"{first}{unit}以上{_written(high, decimals)}{unit}未満"
    return f"{first}{unit}" if high == low + 1 else f"{first}～{high - 1}{unit}"


def _written(number: int, decimals: int) -> str:
    if not decimals:
        return str(number)
    whole, part = divmod(abs(number), 10**decimals)
    return f"{'-' if number < 0 else ''}{whole}.{part:0{decimals}d}"
