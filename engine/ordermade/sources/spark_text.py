"""Statements in the dialect of Spark: types, the hash of a row, readings of texts that fail for a text of no value."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sqlglot import exp

from ordermade.sources.portable import cast_of, is_text, refused
from ordermade.sources.server_text import HASHES, Convert

DIALECT = "spark"
DATABASE = "Spark"
_TYPES: Mapping[str, str] = {
    "boolean": "BOOLEAN",
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "double": "DOUBLE",
    "date": "DATE",
    "timestamp": "TIMESTAMP WITH TIME ZONE",
    "timestamp_ntz": "TIMESTAMP",
    "binary": "BLOB",
    "string": "VARCHAR",
}
_DAY = "[0-9]{4}-(0?[1-9]|1[0-2])-(0?[1-9]|[12][0-9]|3[01])"
_MOMENT = f"{_DAY}[ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{{1,6}})?)?"
_WHOLE = "[-+]?[0-9]{1,18}"
_NUMBER = "[-+]?([0-9]{1,18}([.][0-9]*)?|[.][0-9]+)"
_SPELT: Mapping[exp.DType, str] = {
    exp.DType.DATE: _DAY,
    exp.DType.BIGINT: _WHOLE,
    exp.DType.DOUBLE: _NUMBER,
    exp.DType.DECIMAL: _NUMBER,
}


def typed(kind: str) -> tuple[str | None, Convert | None]:
    """The type of a column in the workspace, by Spark's simple name of it, and its conversion; None where it has none.

    A column without a type is converted to a text, which the hash of its row is made of.
    """
    if kind in _TYPES:
        return _TYPES[kind], None
    if kind == "float":
        return "FLOAT", lambda value: exp.cast(value, "DOUBLE", dialect=DIALECT)
    if re.fullmatch(r"decimal\(\d+,\d+\)", kind):
        return kind.upper(), None
    if re.fullmatch(r"(char|varchar)\(\d+\)", kind):
        return "VARCHAR", None
    if kind.startswith("string collate"):
        return "VARCHAR", by_bytes
    return None, lambda value: exp.cast(value, "STRING", dialect=DIALECT)


def by_bytes(value: exp.Expr) -> exp.Expr:
    """A text of any collation, compared by its bytes."""
    return _called("COLLATE", value, exp.Literal.string("UTF8_BINARY"))


def translated(node: exp.Expr) -> exp.Expr:
    """A node as Spark calculates it as DuckDB does; for those that sqlglot prints otherwise."""
    if isinstance(node, exp.Cast) and cast_of(node) == "text":
        return _strict(node)
    if isinstance(node, exp.Like):
        pattern = node.expression
        if not isinstance(pattern, exp.Literal):
            raise refused(DATABASE, "LIKE with a pattern that is no text")
        # A backslash escapes itself there, and no other character of a pattern.
        pattern.replace(exp.Literal.string(pattern.name.replace("\\", "\\\\")))
    if isinstance(node, exp.Cast) and isinstance(node.this, exp.Literal) and node.to.this is exp.DType.TIMESTAMP:
        return exp.Cast(this=node.this.copy(), to=exp.DataType.build("TIMESTAMP_NTZ", dialect=DIALECT))
    if cast_of(node) is not None:
        value = node.this.transform(translated)
        cast = exp.cast(value, "STRING" if is_text(node) else "DECIMAL(38, 0)", dialect=DIALECT)
        return _called("CONCAT", cast, exp.Literal.string("+00")) if cast_of(node) == "instant" else cast
    if isinstance(node, exp.Anonymous) and node.name.upper() == HASHES:
        return hashed(node.expressions)
    return node


def hashed(values: Sequence[exp.Expr]) -> exp.Expr:
    """The sum of one 64-bit hash a row, of its values and of which of them are NULL: xxhash64 passes NULL over."""
    nulls = [
        exp.If(
            this=exp.Is(this=each.copy(), expression=exp.Null()),
            true=exp.Literal.string("1"),
            false=exp.Literal.string("0"),
        )
        for each in values
    ]
    row = _called("XXHASH64", _called("CONCAT", *nulls), *values)
    total = exp.Sum(this=exp.cast(row, "DECIMAL(38, 0)", dialect=DIALECT))
    return exp.cast(total, "STRING", dialect=DIALECT)


def _strict(cast: exp.Cast) -> exp.Expr:
    """The cast of a text that is spelt as DuckDB reads it; an error for any other."""
    pattern = _SPELT.get(cast.to.this, _MOMENT)
    to = exp.DataType.build("TIMESTAMP_NTZ", dialect=DIALECT) if cast.to.this is exp.DType.TIMESTAMP else cast.to.copy()
    text = cast.this.transform(translated)
    unfit = exp.Not(this=exp.RegexpLike(this=text.copy(), expression=exp.Literal.string(f"^{pattern}$")))
    failing = _called("RAISE_ERROR", exp.Literal.string("unfit"))
    return exp.Cast(this=exp.Case(ifs=[exp.If(this=unfit, true=failing)], default=text), to=to)


def _called(name: str, *values: exp.Expr) -> exp.Anonymous:
    return exp.Anonymous(this=name, expressions=[each.copy() for each in values])
