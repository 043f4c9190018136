"""Numbers, dates and times of requests, rules and filters, read exactly."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, StrictInt, WithJsonSchema

from ordermade.hierarchies.column_types import is_date, is_number
from ordermade.hierarchies.column_types import plain as plain_type
from ordermade.hierarchies.dates import day_number
from ordermade.phrases import phrase
from ordermade.requests.problems import mistake

MAX_DIGITS = 100
MAX_DECIMALS = 12
"""Of a parameter that is multiplied with counts, in integers of 38 digits."""

LARGEST_PARAMETER = 10**6
LONGEST_SECONDS = 86_400
MAX_QUESTIONS = 10**9
LARGEST_SEED = 2**32 - 1
MAX_ANCHORS = 62
"""As many regions as one whole number can encode."""

MAX_RULES = 1_000
"""In one file: the value of a split is looked up in a table of rules and classes."""

_Rule: TypeAlias = tuple[Callable[[Any], bool], str, str]
"""A condition that refuses a number, what is wrong, and what to write instead."""


def plain(value: Decimal) -> str:
    """The one text of a number: without exponent, and without trailing zeros."""
    if value == 0:
        return "0"
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def exact(value: Any) -> Decimal:
    """The decimal as written. A float of Python stands for the shortest decimal that equals it: 0.29 is 29 of 100."""
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        raise mistake("decimal_type", phrase("a number such as 0.05"))
    written = Decimal(str(value)) if isinstance(value, float) else Decimal(value)
    if not written.is_finite():
        raise mistake("decimal_type", phrase("a number such as 0.05"))
    if written == 0:
        return Decimal(0)
    if abs(written.adjusted()) > MAX_DIGITS or len(written.as_tuple().digits) > MAX_DIGITS:
        raise mistake("decimal_digits", phrase("has more than 100 digits"), phrase("write a shorter number"))
    return Decimal(plain(written))


def as_fraction(number: float | Decimal | Fraction | str) -> Fraction:
    """A number as the fraction of the decimal it was written as: 0.1 is one tenth."""
    return Fraction(str(number)) if isinstance(number, float) else Fraction(number)


def decimal_text(number: Fraction) -> str:
    """A fraction of at least 0 as the decimal it was written as, with all its digits; `1/3` where it was none."""
    rest = number.denominator
    twos = fives = 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return str(number)
    places = max(twos, fives)
    digits = str(number.numerator * 10**places // number.denominator).zfill(places + 1)
    return f"{digits[:-places]}.{digits[-places:]}" if places else digits


def _share(value: Decimal) -> Decimal:
    if value < 0:
        raise mistake(
            "limit", phrase("a limit is a share of the rows, at least 0"), phrase("write a number such as 0.05")
        )
    if value > 1:
        instead = (
            phrase("write %(share)s for %(percent)s percent", share=plain(value / 100), percent=plain(value))
            if value <= 100
            else phrase("write a number such as 0.05")
        )
        raise mistake("limit", phrase("a limit is a share of the rows, at most 1"), instead)
    return value


def _refusing(*rules: _Rule) -> AfterValidator:
    """Refuses a number with the message of the first rule that applies."""

    def checked(value: Any) -> Any:
        for refused, what, instead in rules:
            if refused(value):
                raise mistake("range", what, instead)
        return value

    return AfterValidator(checked)


def _schema(**bounds: int) -> WithJsonSchema:
    """The JSON schema for editors: a number, and its bounds."""
    return WithJsonSchema({"type": "number", **bounds})


def _decimals(value: Decimal) -> int:
    return -int(value.as_tuple().exponent)


_NO_REQUIREMENT = phrase("an l of 1 or less requires nothing")
_TOO_LARGE: _Rule = (
    lambda value: value > LARGEST_PARAMETER,
    phrase("is more than 1,000,000"),
    phrase("write a smaller number"),
)
_TOO_FINE: _Rule = (
    lambda value: _decimals(value) > MAX_DECIMALS,
    phrase("has more than 12 decimals, and could not be decided exactly"),
    phrase("write fewer"),
)
_NO_CHANCE: _Rule = (
    lambda value: value <= 0,
    phrase("no release is without risk"),
    phrase("write a number above 0 and at most 1, such as 0.05"),
)
_OVER_ONE: _Rule = (
    lambda value: value > 1,
    phrase("no risk is greater than 1"),
    phrase("write a number above 0 and at most 1, such as 0.05"),
)
_NO_SAMPLE: _Rule = (
    lambda value: not 0 < value <= 1,
    phrase("a sample is a part of the population"),
    phrase("write a number above 0 and at most 1, such as 0.1"),
)

_READ = BeforeValidator(exact)
_KEPT = PlainSerializer(plain, return_type=str, when_used="json")

Limit = Annotated[Decimal, _READ, AfterValidator(_share), _KEPT, _schema(minimum=0, maximum=1)]
"""A share of the rows, from 0 to 1."""

Distance = Annotated[
    Decimal,
    _READ,
    _refusing(
        (
            lambda t: t < 0,
            phrase("a distance is at least 0"),
            phrase("write a t of at least 0 and below 1, such as 0.2"),
        ),
        (
            lambda t: t >= 1,
            phrase("no distance is greater than 1, so it requires nothing"),
            phrase("write a t below 1, such as 0.2"),
        ),
        _TOO_FINE,
    ),
    _KEPT,
    _schema(minimum=0, exclusiveMaximum=1),
]
"""The t of t-closeness, from 0 to below 1."""

Alpha = Annotated[
    Decimal,
    _READ,
    _refusing(
        (
            lambda alpha: alpha <= 0,
            phrase("every class has some value"),
            phrase("write an alpha above 0 and below 1, such as 0.5"),
        ),
        (
            lambda alpha: alpha >= 1,
            phrase("no share is greater than 1, so it requires nothing"),
            phrase("write one below 1, such as 0.5"),
        ),
        _TOO_FINE,
    ),
    _KEPT,
    _schema(exclusiveMinimum=0, exclusiveMaximum=1),
]
"""The alpha of (alpha, k)-anonymity, between 0 and 1."""

Multiple = Annotated[
    Decimal,
    _READ,
    _refusing(
        (lambda c: c <= 0, phrase("no class passes a c of 0 or less"), phrase("write a c above 0, such as 3")),
        _TOO_LARGE,
        _TOO_FINE,
    ),
    _KEPT,
    _schema(exclusiveMinimum=0, maximum=LARGEST_PARAMETER),
]
"""The c of recursive (c, l)-diversity, above 0."""

Effective = Annotated[
    Decimal,
    _READ,
    _refusing(
        (lambda least: least <= 1, _NO_REQUIREMENT, phrase("write an l above 1, such as 2.5")), _TOO_LARGE, _TOO_FINE
    ),
    _KEPT,
    _schema(exclusiveMinimum=1, maximum=LARGEST_PARAMETER),
]
"""The l of entropy l-diversity, above 1."""

Several = Annotated[
    StrictInt,
    _refusing(
        (lambda least: least <= 1, _NO_REQUIREMENT, phrase("write a whole number of at least 2, such as 3")), _TOO_LARGE
    ),
    Field(json_schema_extra={"minimum": 2, "maximum": LARGEST_PARAMETER}),
]
"""The l of the other models, a whole number of at least 2."""

SamplingFraction = Annotated[Decimal, _READ, _refusing(_NO_SAMPLE), _KEPT, _schema(exclusiveMinimum=0, maximum=1)]
"""The share of the population that is in a dataset, above 0 and at most 1."""

Risk = Annotated[Decimal, _READ, _refusing(_NO_CHANCE, _OVER_ONE), _KEPT, _schema(exclusiveMinimum=0, maximum=1)]
"""A probability that is bounded, above 0 and at most 1."""

Weight = Annotated[
    Decimal,
    _READ,
    _refusing(
        (
            lambda weight: weight < 0,
            phrase("a weight is at least 0"),
            phrase("write 0 for a column whose loss does not matter"),
        ),
        _TOO_LARGE,
        _TOO_FINE,
    ),
    _KEPT,
    _schema(minimum=0, maximum=LARGEST_PARAMETER),
]
"""The weight of a column, 0 or more."""

Importance = Annotated[
    Decimal,
    _READ,
    _refusing(
        (
            lambda weight: weight <= 0,
            phrase("a weight is above 0"),
            phrase("write a number such as 2, or leave out what does not matter"),
        ),
        _TOO_LARGE,
        _TOO_FINE,
    ),
    _KEPT,
    _schema(exclusiveMinimum=0, maximum=LARGEST_PARAMETER),
]
"""The weight of an attribute in distances, or of a rule among others, above 0."""

Gamma = Annotated[
    Decimal,
    _READ,
    _refusing(
        (lambda gamma: gamma < 0, phrase("a gamma is at least 0"), phrase("write a number such as 0.2")),
        _TOO_LARGE,
        _TOO_FINE,
    ),
    _KEPT,
    _schema(minimum=0, maximum=LARGEST_PARAMETER),
]
"""The gamma of V-MDAV, 0 or more."""

Divisor = Annotated[
    Decimal,
    _READ,
    _refusing(
        (lambda divisor: divisor < 1, phrase("a radius divisor is at least 1"), phrase("write a number such as 2")),
        _TOO_LARGE,
        _TOO_FINE,
    ),
    _KEPT,
    _schema(minimum=1, maximum=LARGEST_PARAMETER),
]
"""A divisor of a radius, 1 or more."""

Seconds = Annotated[
    Decimal,
    _READ,
    _refusing(
        (
            lambda seconds: seconds <= 0,
            phrase("a budget is above 0 seconds"),
            phrase("write a number such as 10, or improve: false to look for no better groups"),
        ),
        (
            lambda seconds: seconds > LONGEST_SECONDS,
            phrase("a budget is at most %(most)s seconds, a day", most=format(LONGEST_SECONDS, ",")),
            phrase("write a smaller number, such as 3600"),
        ),
        _TOO_FINE,
    ),
    _KEPT,
    _schema(exclusiveMinimum=0, maximum=LONGEST_SECONDS),
]
"""A limit of time, above 0 seconds and at most a day."""

SearchSeconds = Annotated[
    Decimal,
    _READ,
    _refusing(
        (
            lambda seconds: seconds <= 0,
            phrase("a budget is above 0 seconds"),
            phrase("write a number such as 30, or leave it out"),
        ),
        (
            lambda seconds: seconds > LONGEST_SECONDS,
            phrase("a budget is at most %(most)s seconds, a day", most=format(LONGEST_SECONDS, ",")),
            phrase("write a smaller number, such as 3600"),
        ),
        _TOO_FINE,
    ),
    _KEPT,
    _schema(exclusiveMinimum=0, maximum=LONGEST_SECONDS),
]
"""A limit of time for a search, above 0 seconds and at most a day."""

Questions = Annotated[
    StrictInt,
    _refusing(
        (
            lambda number: number < 1,
            phrase("a budget is at least 1 question"),
            phrase("write a number such as 200, or leave it out"),
        ),
        (
            lambda number: number > MAX_QUESTIONS,
            phrase("a budget is at most %(most)s questions", most=format(MAX_QUESTIONS, ",")),
            phrase("write a smaller number, or leave it out"),
        ),
    ),
    _schema(minimum=1, maximum=MAX_QUESTIONS),
]
"""A limit of the nodes that a search measures."""

Anchors = Annotated[
    StrictInt,
    _refusing(
        (
            lambda anchors: not 1 <= anchors <= MAX_ANCHORS,
            phrase("there are 1 to %(most)s anchors", most=MAX_ANCHORS),
            phrase("write a whole number between them, such as 3"),
        )
    ),
    Field(json_schema_extra={"minimum": 1, "maximum": MAX_ANCHORS}),
]
"""A number of records at the centres of regions."""

Seed = Annotated[
    StrictInt,
    _refusing(
        (
            lambda seed: not 0 <= seed <= LARGEST_SEED,
            phrase("a seed is from 0 to %(most)s", most=format(LARGEST_SEED, ",")),
            phrase("write a whole number between them, such as 1"),
        )
    ),
    Field(json_schema_extra={"minimum": 0, "maximum": LARGEST_SEED}),
]
"""A seed of random choices."""

Unit = Annotated[
    Decimal,
    _READ,
    _refusing(
        (
            lambda unit: unit <= 0,
            phrase("a unit is above 0"),
            phrase("write the least step between two values, such as 0.01"),
        ),
        _TOO_LARGE,
        _TOO_FINE,
    ),
    _KEPT,
    _schema(exclusiveMinimum=0, maximum=LARGEST_PARAMETER),
]
"""The least step between two values of a column, above 0."""

Window = Annotated[
    StrictInt,
    _refusing(
        (lambda window: window < 1, phrase("a window is at least 1"), phrase("write a whole number such as 60")),
        _TOO_LARGE,
    ),
    Field(json_schema_extra={"minimum": 1, "maximum": LARGEST_PARAMETER}),
]
"""The number of records that a search looks at, 1 or more."""

Percentage = Annotated[
    Decimal,
    _READ,
    _refusing(
        (
            lambda percent: not 0 < percent <= 100,
            phrase("a percentage is above 0 and at most 100"),
            phrase("write a number such as 75"),
        ),
        _TOO_FINE,
    ),
    _KEPT,
    _schema(exclusiveMinimum=0, maximum=100),
]
"""A share in percent, above 0 and at most 100."""

MAX_CONTRIBUTORS = 10
Contributors = Annotated[
    StrictInt,
    _refusing(
        (
            lambda number: not 1 <= number <= MAX_CONTRIBUTORS,
            phrase("dominance looks at 1 to %(most)s contributors", most=MAX_CONTRIBUTORS),
            phrase("write a whole number between them, such as 2"),
        )
    ),
    Field(json_schema_extra={"minimum": 1, "maximum": MAX_CONTRIBUTORS}),
]
"""A number of the largest contributors to a sum."""

MAX_BASE = 1_000
RoundingBase = Annotated[
    StrictInt,
    _refusing(
        (
            lambda base: not 2 <= base <= MAX_BASE,
            phrase("figures are rounded to a base of 2 to %(most)s", most=format(MAX_BASE, ",")),
            phrase("write a whole number between them, such as 5"),
        )
    ),
    Field(json_schema_extra={"minimum": 2, "maximum": MAX_BASE}),
]
"""The base that figures are rounded to."""

Rounds = Annotated[
    StrictInt,
    _refusing(
        (
            lambda rounds: rounds < 0,
            phrase("rounds are at least 0"),
            phrase("write a whole number such as 50, or 0 to improve once"),
        ),
        _TOO_LARGE,
    ),
    Field(json_schema_extra={"minimum": 0, "maximum": LARGEST_PARAMETER}),
]
"""A number of repetitions, 0 or more."""


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
        first = Fraction(_day_number(day))
        return first, first if plain_type(column_type) == "DATE" else first + 1 - _FINEST
    if plain_type(column_type) == "DATE" or not TIME.fullmatch(text):
        return None
    time = read_time(text)
    if time is None:
        return None
    since = (time - datetime.datetime(time.year, time.month, time.day)) // _MICROSECOND
    point = _day_number(time) + Fraction(since, _MICROSECONDS_OF_A_DAY)
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


def _day_number(time: datetime.datetime) -> int:
    # Hierarchies import numpy, which is slow, and a request is read without it.
    return day_number(time.date())
