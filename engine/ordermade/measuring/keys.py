"""The types that values are compared as, and the types of the numbers they are given."""

from __future__ import annotations

from sqlglot import exp

from ordermade import sql

_COMPARED_AS_STORED = frozenset(
    [
        "TINYINT",
        "SMALLINT",
        "INTEGER",
        "BIGINT",
        "HUGEINT",
        "UTINYINT",
        "USMALLINT",
        "UINTEGER",
        "UBIGINT",
        "UHUGEINT",
        "FLOAT",
        "DOUBLE",
        "DATE",
        "TIME",
        "TIMESTAMP",
        "TIMESTAMP_S",
        "TIMESTAMP_MS",
        "TIMESTAMP_NS",
        "BOOLEAN",
        "VARCHAR",
    ]
)


def as_key(column: str, stored: str) -> tuple[exp.Expr, str]:
    """Return the expression and type that a hierarchy's listed values are compared with in a column of this type."""
    as_stored = stored in _COMPARED_AS_STORED or stored.startswith("DECIMAL")
    value: exp.Expr = sql.column(column, "dataset")
    return (value, stored) if as_stored else (as_type(value, "VARCHAR"), "VARCHAR")


def as_type(value: exp.Expr, kind: str) -> exp.Expr:
    """The value cast to a type, as DuckDB names it."""
    return exp.cast(value, kind, dialect=sql.DIALECT)


def smallest_type(cells: int) -> str:
    """The smallest type that numbers so many cells from 0."""
    sizes = (("UTINYINT", 1 << 8), ("USMALLINT", 1 << 16), ("UINTEGER", 1 << 32))
    return next(name for name, limit in sizes if cells <= limit)
