"""Parts of the date for drafted hierarchies: those that part the dates, by their span."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import date, datetime
from types import MappingProxyType

from ordermade.drafts.profile import QUANTILES, ColumnProfile
from ordermade.hierarchies.column_types import plain

QUARTERS_UP_TO = 10
"""Quarters are left out where the dates span more years than this."""

ENOUGH = 0.5
"""The share of the rows that are in classes of enough rows, below which a part is too fine."""

PART: Mapping[str, Callable[[date], tuple[int, ...]]] = MappingProxyType(
    {
        "day": lambda each: (each.year, each.month, each.day),
        "month": lambda each: (each.year, each.month),
        "quarter": lambda each: (each.year, (each.month + 2) // 3),
        "year": lambda each: (each.year,),
        "decade": lambda each: (each.year // 10,),
    }
)
"""The class of a date at each part, the finest part first."""


def dates_of(profile: ColumnProfile) -> Mapping[date, int] | None:
    """The days of a column with their rows, as far as they are listed; else its quantiles, each once.

    None where some are before the year 1, after 9999, or infinite.
    """
    found: Counter[date] = Counter()
    if profile.lists_all:
        for each in profile.values:
            day = _day(each.value)
            if day is None:
                return None
            found[day] += each.rows
        return found
    days = [each for each in profile.quantiles if isinstance(each, date)]
    return Counter(days) if len(days) > QUANTILES else None


def _day(text: str) -> date | None:
    if "BC" in text:
        return None
    try:
        return datetime.fromisoformat(text).date() if len(text) > 10 else date.fromisoformat(text)
    except ValueError:
        try:
            return date.fromisoformat(text[:10])
        except ValueError:
            return None


def drafted_parts(profile: ColumnProfile, days: Mapping[date, int], *, least_rows: int) -> tuple[str, ...]:
    """The parts that part the dates, each coarser than the one before and than the values; none may do so."""
    years = max(days).year - min(days).year if days else 0
    classes = profile.distinct
    kept: list[str] = []
    for part, key in PART.items():
        if part == "quarter" and years > QUARTERS_UP_TO:
            continue
        if part == "day" and plain(profile.type) == "DATE":
            continue
        rows: Counter[tuple[int, ...]] = Counter()
        for day, n in days.items():
            rows[key(day)] += n
        if not 1 < len(rows) < classes or not _enough(profile, part, days, rows, least_rows):
            continue
        kept.append(part)
        classes = len(rows) if profile.lists_all else classes
    return tuple(kept)


def _enough(
    profile: ColumnProfile,
    part: str,
    days: Mapping[date, int],
    rows: Counter[tuple[int, ...]],
    least_rows: int,
) -> bool:
    """Whether half of the rows or more are in classes of enough rows; of quantiles, whether classes are on average."""
    if profile.lists_all:
        return sum(n for n in rows.values() if n >= least_rows) >= ENOUGH * sum(rows.values())
    span = (max(days) - min(days)).days + 1
    length = {"day": 1, "month": 30, "quarter": 91, "year": 365, "decade": 3650}[part]
    return (profile.rows - profile.nulls) * length >= least_rows * span
