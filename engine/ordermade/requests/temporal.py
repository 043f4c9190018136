"""Dates and times of a filter: DATE '2013-10-01', TIMESTAMP '2013-10-01 10:00', and columns read as such."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from sqlglot import exp

from ordermade.errors import FilterError, quoted
from ordermade.requests.points import DATE, TIME, read_time

_ZONED = re.compile(TIME.pattern + r"([+-][0-9]{2}(:?[0-9]{2})?|Z)?")

_SPELLINGS: Mapping[exp.DType, tuple[re.Pattern[str], str]] = MappingProxyType(
    {
        exp.DType.DATE: (DATE, "DATE '2013-10-01'"),
        exp.DType.TIMESTAMP: (TIME, "TIMESTAMP '2013-10-01 10:30:00'"),
        exp.DType.TIMESTAMPNTZ: (TIME, "TIMESTAMP '2013-10-01 10:30:00'"),
        exp.DType.TIMESTAMPTZ: (_ZONED, "TIMESTAMPTZ '2013-10-01 10:30:00+09:00'"),
    }
)


def temporal_literal(value: exp.Expression, target: object) -> exp.Expression:
    """`value`, a text literal or a column, read as a date or timestamp.

    Raises:
        FilterError: another type, another kind of value, or a text that is no date.
    """
    kind = target.this if isinstance(target, exp.DataType) and not target.expressions else None
    if not isinstance(kind, exp.DType) or kind not in _SPELLINGS:
        raise FilterError(
            "a filter converts values to DATE and TIMESTAMP only", next_step="Compare the column as it is."
        )
    spelling, example = _SPELLINGS[kind]
    if isinstance(value, exp.Literal) and value.is_string:
        if not spelling.fullmatch(value.this) or read_time(value.this) is None:
            raise FilterError(f"{quoted(value.this)} is no date or time", next_step=f"Write {example}.")
    elif not isinstance(value, exp.Column):
        raise FilterError("only a column or a text is read as a date or time", next_step=f"Write {example}.")
    return exp.Cast(this=value, to=exp.DataType(this=kind, nested=False))
