"""The amounts that a policy file writes: shares of rows, lengths of time, numbers of requests, persons and reviews."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field, StrictInt, WithJsonSchema
from pydantic_core import PydanticCustomError

from ordermade.requests.numbers import Limit

MAX_REVIEWS = 10
LARGEST_COUNT = 10**12

Period: TypeAlias = Literal["day", "week", "month", "year"]
"""The period that requests are counted in, back from now."""

_DAYS: Mapping[str, int] = {"day": 1, "week": 7, "month": 30, "year": 365}
_LENGTH = re.compile(r"([1-9][0-9]{0,5}) +(day|week|month|year)s?")
_PERCENT = re.compile(r"([0-9]+(?:\.[0-9]+)?) *%")


def days_of(period: Period) -> timedelta:
    """The length of a period: a month is 30 days, a year 365."""
    return timedelta(days=_DAYS[period])


def _share(value: Any) -> Any:
    """A share that is written in percent (`2 %`) as the number that it is."""
    found = _PERCENT.fullmatch(value) if isinstance(value, str) else None
    if found is not None:
        return Decimal(found[1]) / 100
    if isinstance(value, str):
        raise PydanticCustomError("share", "a share is a number or in percent; write for example 2 % or 0.02")
    return value


def _length(written: Any) -> str:
    found = _LENGTH.fullmatch(written) if isinstance(written, str) else None
    if found is None:
        raise PydanticCustomError(
            "length", "a length of time is a number of days, weeks, months or years; write for example 30 days"
        )
    number = int(found[1])
    return f"{number} {found[2]}{'' if number == 1 else 's'}"


def _whole(least: int, most: int, called: str) -> AfterValidator:
    """A whole number within bounds, refused with a message that calls it `called`."""

    def checked(value: int) -> int:
        if not least <= value <= most:
            raise PydanticCustomError(
                "bounds",
                "{called} is from {least} to {most}; write for example {instead}",
                {"called": called, "least": least, "most": most, "instead": max(least, 2)},
            )
        return value

    return AfterValidator(checked)


Share = Annotated[
    Limit,
    BeforeValidator(_share),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number", "minimum": 0, "maximum": 1},
                {"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)? *%$"},
            ]
        }
    ),
]
"""A share of the rows, as a number or in percent."""
Length = Annotated[
    str, BeforeValidator(_length), Field(json_schema_extra={"pattern": r"^[1-9][0-9]{0,5} +(day|week|month|year)s?$"})
]
"""A length of time in words: `30 days`."""
Count = Annotated[
    StrictInt,
    _whole(1, LARGEST_COUNT, "a number of requests or persons"),
    Field(json_schema_extra={"minimum": 1, "maximum": LARGEST_COUNT}),
]
Reviews = Annotated[
    StrictInt,
    _whole(0, MAX_REVIEWS, "a number of reviews"),
    Field(json_schema_extra={"minimum": 0, "maximum": MAX_REVIEWS}),
]


def length_of(text: str) -> timedelta:
    """A length of time in words as a number of days: a month is 30 days, a year 365."""
    number, unit = text.split()
    return timedelta(days=int(number) * _DAYS[unit.removesuffix("s")])
