"""A row filter as data: comparisons of one column with constants, joined by AND, OR and NOT. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Literal, TypeAlias

Operator: TypeAlias = Literal[
    "=", "<>", "<", "<=", ">", ">=", "IN", "BETWEEN", "LIKE", "IS NULL", "IS TRUE", "IS FALSE", "TRUTH"
]
Kind: TypeAlias = Literal["number", "text", "truth", "DATE", "TIMESTAMP", "TIMESTAMPTZ"]


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant as it is written: `text` is a number with its sign, what stands in quotes, or TRUE or FALSE.

    What stands in quotes is of the kind `text` unless a type stands before it: `DATE '2013-10-01'`.
    """

    kind: Kind
    text: str

    @property
    def value(self) -> Decimal | str | bool | date | datetime:
        """The constant as Python has it."""
        match self.kind:
            case "number":
                return Decimal(self.text)
            case "text":
                return self.text
            case "truth":
                return self.text == "TRUE"
            case "DATE":
                return date.fromisoformat(self.text)
        return datetime.fromisoformat(self.text)


@dataclass(frozen=True, slots=True)
class FilterComparison:
    """One column compared with its constants: none, one, two of BETWEEN, any number of IN.

    The constant of LIKE is what the texts begin with, without the %. TRUTH is a column of truth values by itself.
    """

    column: str
    operator: Operator
    constants: tuple[Constant, ...] = ()


@dataclass(frozen=True, slots=True)
class All:
    """Parts of which all hold: AND."""

    parts: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Parts of which any holds: OR."""

    parts: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """A part that does not hold."""

    part: Filter


Filter: TypeAlias = FilterComparison | All | AnyOf | Not


def comparisons(tree: Filter) -> Iterator[tuple[FilterComparison, bool]]:
    """The comparisons of a filter in their order, and whether each stands under an odd number of NOT."""
    waiting = [(tree, False)]
    while waiting:
        each, negated = waiting.pop()
        if isinstance(each, FilterComparison):
            yield each, negated
        elif isinstance(each, Not):
            waiting.append((each.part, not negated))
        else:
            waiting += [(part, negated) for part in reversed(each.parts)]


def columns_of_filter(tree: Filter) -> tuple[str, ...]:
    """The columns that a row filter uses, each once, in order."""
    return tuple(dict.fromkeys(each.column for each, _ in comparisons(tree)))
