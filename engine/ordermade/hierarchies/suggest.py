"""A first draft of a hierarchy for a column, as YAML to edit.

The draft is the provider's own working file. It holds values of the column in one case only: a mapping
skeleton for a column of at most `MOST_LISTED` distinct values, which cannot be written without them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from ordermade.errors import quoted
from ordermade.hierarchies.column_types import is_date, is_number, is_text, is_whole

MOST_LISTED = 60
FEW_WHOLE_NUMBERS = 12
"""Whole numbers with no more distinct values than this are taken for codes, and mapped."""

STEPS = (1, 2, 5)
NARROWEST, WIDEST = Decimal("1e-6"), Decimal("1e11")
"""The spans that widths are drafted for: others would not fit the grid of an interval hierarchy."""


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """The profile of a column for a draft: figures, and the distinct values where they are few.

    `least` and `greatest` of numbers or dates, `longest` text in characters, whether all texts are
    `digits_only` and of `same_length`; `values` are the distinct non-NULL values as texts where there are
    at most `MOST_LISTED`.
    """

    distinct: int
    least: Decimal | date | None = None
    greatest: Decimal | date | None = None
    longest: int | None = None
    digits_only: bool = False
    same_length: bool = False
    has_null: bool = False
    values: tuple[str, ...] | None = None


def draft(column: str, column_type: str, profile: ColumnProfile) -> str:
    """The text of a hierarchy file that `read_yaml` reads, with comments that say what to edit."""
    head = f"# First draft for column {quoted(column)}: edit it, then add it as a hierarchy.\n"
    return head + _body(column_type, profile)


def _body(column_type: str, profile: ColumnProfile) -> str:
    few = profile.values is not None and 0 < len(profile.values) <= MOST_LISTED
    codes = few and is_whole(column_type) and profile.distinct <= FEW_WHOLE_NUMBERS
    if is_date(column_type):
        return _dates(profile)
    if is_number(column_type) and not codes:
        return _intervals(column_type, profile)
    if few and not (profile.digits_only and (profile.longest or 0) >= 3):
        return _mapping(profile)
    return _prefix(profile) if is_text(column_type) else _mapping(profile)


def _intervals(column_type: str, profile: ColumnProfile) -> str:
    span = Decimal(1)
    if isinstance(profile.least, Decimal) and isinstance(profile.greatest, Decimal):
        difference = profile.greatest - profile.least
        span = difference if difference.is_finite() and difference > 0 else span
    widths = interval_widths(span, whole=is_whole(column_type))
    levels = "".join(f"    - width: {width:f}\n" for width in widths)
    return (
        "# Each level has intervals [origin, origin + width), and so on in both directions. Where one\n"
        "# width divides the next and the origins agree, the levels nest. A level may have an origin and\n"
        "# a name of its own.\n"
        f"intervals:\n  origin: 0\n  levels:\n{levels}"
    )


def interval_widths(span: Decimal, *, whole: bool) -> tuple[Decimal, ...]:
    """Up to four nested widths, each 1, 2 or 5 times a power of ten.

    The finest cuts `span` into at most 40 parts. Each width divides the next; for whole numbers none is
    below 2.
    """
    span = min(max(span, NARROWEST), WIDEST)
    least = max(span / 40, Decimal(2)) if whole else span / 40
    candidates = _round_numbers(math.floor(math.log10(least)), math.ceil(math.log10(span)) + 1)
    widths: list[Decimal] = []
    for width in candidates:
        nests = not widths or (width % widths[-1] == 0 and width >= 2 * widths[-1])
        if width >= least and nests and (not widths or width <= span):
            widths.append(width)
    return tuple(widths[:4])


def _round_numbers(first_power: int, last_power: int) -> list[Decimal]:
    powers = range(max(first_power, -9), min(last_power, 11) + 1)
    return [Decimal(step).scaleb(power) for power in powers for step in STEPS]


def _dates(profile: ColumnProfile) -> str:
    parts = ["month", "quarter", "year"]
    if isinstance(profile.least, date) and isinstance(profile.greatest, date):
        years = profile.greatest.year - profile.least.year
        parts = parts if years < 20 else ["month", "quarter", "year", "decade"]
        parts = parts if years < 60 else ["month", "year", "decade"]
    return f"# Any of: day, month, quarter, year, decade.\ndate: [{', '.join(parts)}]\n"


def _prefix(profile: ColumnProfile) -> str:
    longest = min(profile.longest or 1, 40)
    shares = {max(1, round(longest * share)) for share in (0.75, 0.5, 0.25)}
    keep = sorted(shares - {longest}, reverse=True) or [1]
    length = f"  length: {longest}\n" if profile.same_length and longest == profile.longest else ""
    return (
        "# The number of first characters that each level keeps; the mask stands for the rest. With a length,\n"
        "# the mask is repeated up to that many characters.\n"
        f'prefix:\n  keep: [{", ".join(map(str, keep))}]\n  mask: "*"\n{length}'
    )


def _mapping(profile: ColumnProfile) -> str:
    values = profile.values or ("value",)
    entries = "".join(f"  {yaml_text(value)}: [group 1]\n" for value in values)
    null = "  null: [unknown]\n" if profile.has_null else ""
    return (
        "# Each value with its label at level 1, level 2, …: replace the groups, add levels.\n"
        "# This file lists values that occur in the data: keep it as you keep the data.\n"
        f"mapping:\n{entries}{null}"
    )


def yaml_text(value: str) -> str:
    """The text as a double-quoted YAML scalar."""
    escaped = (_escaped(character) for character in value)
    return f'"{"".join(escaped)}"'


def _escaped(character: str) -> str:
    if character in {'"', "\\"}:
        return "\\" + character
    return character if character.isprintable() else f"\\U{ord(character):08X}"
