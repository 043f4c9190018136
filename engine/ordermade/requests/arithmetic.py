"""The whole numbers that a filter calculates with, read so wide that no value goes beyond the range of its type.

An error that depends on one value would reveal something about one person. So the range of each result follows from
the types of the columns alone: where 16 bytes hold it the filter is calculated in as many as it needs, else it is
refused before anything is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import cast

from sqlglot import exp

from ordermade.errors import FilterError
from ordermade.hierarchies.column_types import plain

_CALCULATIONS = (exp.Add, exp.Sub, exp.Mul, exp.Neg, exp.Abs, exp.Round)
_LARGEST: Mapping[str, int] = MappingProxyType(
    {
        "TINYINT": 2**7, "SMALLINT": 2**15, "INTEGER": 2**31, "BIGINT": 2**63, "HUGEINT": 2**127,
        "UTINYINT": 2**8, "USMALLINT": 2**16, "UINTEGER": 2**32, "UBIGINT": 2**64, "UHUGEINT": 2**128,
    }
)  # fmt: skip
"""The largest absolute value of each type of whole numbers, or one more."""
_OF_FUNCTIONS: Mapping[type[exp.Expression], int] = MappingProxyType(
    {exp.Length: 2**32, **dict.fromkeys((exp.Year, exp.Month, exp.Day, exp.Extract), 10**7)}
)
"""A bound on the absolute value of functions that count, whatever their argument."""


def widened(tree: exp.Expression, types: Mapping[str, str]) -> exp.Expression:
    """A copy of a filter's tree that calculates with whole numbers in as many bytes as any value needs.

    `types`: the SQL type of each column, as stored. The result is that of `tree` wherever that has one.

    Raises:
        FilterError: the types alone allow a result that 16 bytes do not hold.
    """
    copied = tree.copy()
    for node in list(copied.find_all(*_CALCULATIONS)):
        if not _is_calculation(node.parent):
            _widen(cast(exp.Expression, node), types)
    return copied


def _widen(root: exp.Expression, types: Mapping[str, str]) -> None:
    """Casts the operands of one whole calculation to a wider type, where it is of whole numbers and has a column."""
    largest = _largest(root, types)
    if largest is None or not root.find(exp.Column):
        return
    if largest >= 2**127:
        raise FilterError(
            "a calculation goes beyond the range of its type for some values that its columns can have",
            next_step="Compare the column without calculating, or cast it to a narrower type in a dataset query.",
        )
    wide = exp.DType.BIGINT if largest < 2**63 else exp.DType.INT128
    for operand in list(_operands(root)):
        operand.replace(exp.Cast(this=operand.copy(), to=exp.DataType(this=wide, nested=False)))


def _is_calculation(node: exp.Expr | None) -> bool:
    while isinstance(node, exp.Paren):
        node = node.parent
    return isinstance(node, (*_CALCULATIONS, exp.Div))


def _operands(node: exp.Expression) -> list[exp.Expression]:
    """The operands of a calculation, below all of its steps."""
    if isinstance(node, (*_CALCULATIONS, exp.Paren)):
        parts = (node.this, node.args.get("expression"))
        return [each for part in parts if isinstance(part, exp.Expression) for each in _operands(part)]
    return [node]


def _largest(node: exp.Expression, types: Mapping[str, str]) -> int | None:
    """A bound on the absolute value of a calculation and of each of its steps; None if it is not of whole numbers."""
    if isinstance(node, exp.Column):
        return _LARGEST.get(plain(types[node.name]))
    if isinstance(node, exp.Literal):
        return int(node.name) if not node.is_string and node.name.isdecimal() else None
    if not isinstance(node, (*_CALCULATIONS, exp.Paren)):
        return _OF_FUNCTIONS.get(type(node))
    parts = [_largest(each, types) for each in (node.this, node.args.get("expression")) if each is not None]
    known = [each for each in parts if each is not None]
    if len(known) < len(parts):
        return None
    match node:
        case exp.Mul():
            # A product of 0 does not make its factors small.
            return max(known[0] * known[1], *known)
        case exp.Round():
            return 2 * known[0]  # to the next ten, hundred, …: at most twice as much
        case _:
            return sum(known)
