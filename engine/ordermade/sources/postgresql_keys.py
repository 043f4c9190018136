"""Tables of the workspace as PostgreSQL lists them: arrays of texts, and cells by the places of their keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from sqlglot import exp

from ordermade import sql
from ordermade.sources.server_text import LookUp, Uploaded

DIALECT = "postgres"
INFINITE_DAY, INFINITE_MOMENT = 2**31 - 1, 2**63 - 1
MAX_PLACES = 1 << 16
"""Keys further apart than that are joined: an array has a place for every number between them."""
_NO_CELL = -1
_EPOCH = date(1970, 1, 1)
_DAYS = range((date.min - _EPOCH).days, (date.max - _EPOCH).days)
"""The days since 1970 that are written as a year, a month and a day."""
_WHOLE: Mapping[str, str] = {
    "int8": "SMALLINT",
    "uint8": "SMALLINT",
    "int16": "SMALLINT",
    "uint16": "INTEGER",
    "int32": "INTEGER",
    "uint32": "BIGINT",
    "int64": "BIGINT",
}


def listed(name: str, columns: pa.Table) -> Uploaded:
    """The table as arrays of texts, one a column, cast to what they are."""
    arrays, values, bound = [], [], dict[str, object]()
    for number, column in enumerate(columns.schema):
        parameter = f"{name}_{number}"
        bound[parameter] = _as_texts(columns.column(number))
        arrays.append(_array(parameter, "TEXT"))
        values.append(sql.named(_of_text(exp.column(f"c{number}", table="listed"), column.type), column.name))
    alias = exp.TableAlias(
        this=exp.to_identifier("listed"), columns=[exp.to_identifier(f"c{each}") for each in range(len(arrays))]
    )
    rows = exp.Unnest(expressions=arrays, alias=alias)
    found, cells = _by_place(name, columns)
    return Uploaded(exp.Select(expressions=values, from_=exp.From(this=rows)), {**bound, **cells}, found)


def _by_place(name: str, columns: pa.Table) -> tuple[dict[str, LookUp], dict[str, object]]:
    """The cells of a table, an array a column, in which the key says the place; empty where its keys are no places.

    The planner of PostgreSQL does not know that the keys differ, and makes the hash table of a join from the million
    rows rather than from the few keys; an array needs none.
    """
    key, *others = columns.schema
    places = _places(columns.column(0))
    if key.name != "key" or places is None or not len(places):
        return {}, {}
    least, most, is_day = int(places.min()), int(places.max()), pa.types.is_date(key.type)
    if most - least >= MAX_PLACES or (is_day and least not in _DAYS):
        return {}, {}
    found: dict[str, LookUp] = {}
    bound: dict[str, object] = {}
    known = columns.column(0).is_valid().to_numpy()
    for number, each in enumerate(others, 1):
        kind = _WHOLE.get(str(each.type))
        if kind is None or columns.column(number).null_count:
            continue
        cells = np.full(most - least + 1, _NO_CELL, dtype=np.int64)
        cells[places - least] = columns.column(number).to_numpy()[known]
        parameter = f"{name}_{number}_by_place"
        bound[parameter] = cells.tolist()
        found[each.name] = _Subscript(_array(parameter, kind), least, is_day)
    return found, bound


def _places(keys: pa.ChunkedArray) -> npt.NDArray[np.int64] | None:
    """The keys that are not NULL as numbers, days as those since 1970; None where they are neither."""
    types = pa.types
    if types.is_date32(keys.type):
        keys = pa.chunked_array([each.view(pa.int32()) for each in keys.chunks], pa.int32())
    elif str(keys.type) not in _WHOLE:
        return None
    places: npt.NDArray[np.int64] = keys.drop_null().to_numpy().astype(np.int64)
    return places


@dataclass(frozen=True, slots=True)
class _Subscript:
    """The cell of a key in an array whose first place is that of the least key."""

    array: exp.Expr
    least: int
    is_day: bool

    def __call__(self, key: exp.Expr) -> exp.Expr:
        """The cell, as an expression of the key."""
        first: exp.Expr = exp.Literal.number(self.least)
        if self.is_day:
            day = _EPOCH + timedelta(days=self.least)
            first = exp.cast(exp.Literal.string(day.isoformat()), "DATE", dialect=DIALECT)
        apart = exp.cast(exp.Paren(this=exp.Sub(this=key.copy(), expression=first)), "INT", dialect=DIALECT)
        place = exp.Add(this=apart, expression=exp.Literal.number(1))
        return exp.Bracket(this=exp.Paren(this=self.array.copy()), expressions=[place], offset=1)


def _array(parameter: str, kind: str) -> exp.Expr:
    return exp.Cast(this=exp.Placeholder(this=parameter), to=exp.DataType.build(f"{kind}[]", dialect=DIALECT))


def by_bytes(value: exp.Expr) -> exp.Expr:
    """The text, compared by its bytes."""
    return exp.Collate(this=value, expression=sql.identifier("C"))


def _as_texts(column: pa.ChunkedArray) -> list[str | None]:
    """Values as texts that PostgreSQL casts to what they are."""
    types = pa.types
    if types.is_date(column.type):
        column = pa.chunked_array([each.view(pa.int32()) for each in column.chunks], pa.int32())
    elif types.is_timestamp(column.type):
        column = pa.chunked_array([each.view(pa.int64()) for each in column.chunks], pa.int64())
    elif types.is_binary(column.type):
        return [None if each is None else each.hex() for each in column.to_pylist()]
    elif types.is_floating(column.type):
        return [None if each is None else repr(each) for each in column.to_pylist()]
    texts: list[str | None] = column.cast(pa.string()).to_pylist()
    return texts


def _of_text(value: exp.Expr, kind: pa.DataType) -> exp.Expr:
    """The value that a text of `_as_texts` stands for."""
    types = pa.types
    if types.is_string(kind) or types.is_large_string(kind):
        return by_bytes(value)
    if types.is_binary(kind):
        return exp.Anonymous(this="DECODE", expressions=[value, exp.Literal.string("hex")])
    if types.is_date(kind):
        return _point_of(value, "DATE", "INTEGER", INFINITE_DAY)
    if types.is_timestamp(kind):
        return _point_of(value, "TIMESTAMP" if kind.tz is None else "TIMESTAMPTZ", "BIGINT", INFINITE_MOMENT)
    names = {**_WHOLE, "bool": "BOOLEAN", "float": "REAL", "double": "DOUBLE PRECISION", "time64[us]": "TIME"}
    return exp.cast(value, names.get(str(kind), "NUMERIC"), dialect=DIALECT)


def _point_of(value: exp.Expr, kind: str, number: str, largest: int) -> exp.Expr:
    """The day or moment of a number since 1970."""
    counted = exp.cast(value, number, dialect=DIALECT)
    epoch = exp.cast(exp.Literal.string("epoch"), kind, dialect=DIALECT)
    if kind == "DATE":
        point: exp.Expr = exp.Add(this=epoch, expression=counted)
    else:
        million = exp.Literal.number(1_000_000)
        seconds = exp.Div(this=counted, expression=million, typed=True)  # whole: the microseconds are added apart
        rest = exp.Mod(this=counted.copy(), expression=million.copy())
        point = exp.Add(
            this=exp.Add(this=epoch, expression=_times(seconds, "1 second")), expression=_times(rest, "1 microsecond")
        )
    ends = [
        exp.If(
            this=exp.EQ(this=value.copy(), expression=exp.Literal.string(str(sign * largest))),
            true=exp.cast(exp.Literal.string(name), kind, dialect=DIALECT),
        )
        for sign, name in ((1, "infinity"), (-1, "-infinity"))
    ]
    return exp.Case(ifs=ends, default=point)


def _times(number: exp.Expr, interval: str) -> exp.Expr:
    return exp.Mul(
        this=exp.Paren(this=number),
        expression=exp.cast(exp.Literal.string(interval), "INTERVAL", dialect=DIALECT),
    )
