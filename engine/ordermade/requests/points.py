"""Dates and times as a request or its rules write them, and their exact points on the axis of a column."""

from __future__ import annotations

import datetime
import re
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from ordermade.hierarchies.column_types import is_date, is_number, plain
from ordermade.hierarchies.dates import day_number

DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
TIME = re.compile(DATE.pattern + r"([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?)?")
"""A date, and a date with or without a time after it, as texts are written."""
_MICROSECOND = datetime.timedelta(microseconds=1)
_MICROSECONDS_OF_A_DAY = 86_400_000_000
_FINEST = Fraction(1, 1_000 * _MICROSECONDS_OF_A_DAY)
"""A nanosecond, in days: the finest resolution of a time stamp."""


def moments_of(text: str, column_type: str) -> tuple[Fraction, Fraction] | None:
    """The first and the last point that a date or time means in a column of dates, in days since 1970-01-01 began.

    In a column of time stamps a date is its whole day. None for a text that is no date, and for a time in a column
    that has none.
    """
    if DATE.fullmatch(text):
        day = read_time(text)
        if day is None:
            return None
        first = Fraction(day_number(day.date()))
        return first, first if plain(column_type) == "DATE" else first + 1 - _FINEST
    if plain(column_type) == "DATE" or not TIME.fullmatch(text):
        return None
    time = read_time(text)
    if time is None:
        return None
    since = (time - datetime.datetime(time.year, time.month, time.day)) // _MICROSECOND
    point = day_number(time.date()) + Fraction(since, _MICROSECONDS_OF_A_DAY)
    return point, point


def point_of(text: str, column_type: str) -> Fraction | None:
    """The point of a hierarchy's text in a column of numbers or dates; None for a text that is neither."""
    if is_date(column_type):
        moments = moments_of(text, column_type)
        return None if moments is None else moments[0]
    try:
        number = Decimal(text.strip()) if is_number(column_type) else None
    except InvalidOperation:
        return None
    return Fraction(number) if number is not None and number.is_finite() and abs(number.adjusted()) < 400 else None


def read_time(text: str) -> datetime.datetime | None:
    """The day and time in a text of such a form; None where there is none (February 30)."""
    try:
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        return None
