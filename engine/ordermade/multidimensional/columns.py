"""A quasi-identifier of the records to partition: the column to pull, and the values pulled."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordermade.hierarchies.column_types import plain
from ordermade.measuring.attribute import Attribute
from ordermade.mondrian.domains import Codes, Domain
from ordermade.requests.measured_types import OrderedAs, decimals_of, ordered_as
from ordermade.requests.resolve_mondrian import Kind
from ordermade.slices.numbers import Held

Form: TypeAlias = Literal["texts", "values", "numbers"]
"""The released form of a column: texts; values of its hierarchy; means or medians of its numbers or dates."""

Numbers: TypeAlias = NDArray[np.int64] | NDArray[np.float64]
Texts: TypeAlias = NDArray[np.object_]
"""Texts as the database writes values, None for NULL."""

IN_A_DAY = {"day": 1, "microsecond": 86_400_000_000, "nanosecond": 86_400_000_000_000}
"""The number of units of time stamps in a day."""

_COARSE = {"TIMESTAMP_S": 1_000_000, "TIMESTAMP_MS": 1_000}  # these count microseconds, but do not hold them


@dataclass(frozen=True, slots=True)
class Wanted:
    """A quasi-identifier as it is to be pulled and split, of a type as the catalog names it.

    `grounded`: the column made countable with its hierarchy from level 0 up. `nested` columns and `tree`s have one, an
    `ordered` one may: then it says how much of the domain a label covers. No class is split below the level `finest`.
    Raises ValueError for a combination that no column can have (requests with one are refused).
    """

    column: str
    column_type: str
    kind: Kind
    grounded: Attribute | None = None
    finest: int = 0

    def __post_init__(self) -> None:
        if self.grounded is not None and self.grounded.base > 0:
            raise ValueError(f"{self.column} is not countable from level 0 up")
        if self.kind in ("nested", "tree") and self.grounded is None:
            raise ValueError(f"{self.column} has no hierarchy to be split along")
        if self.kind == "unordered" and self.grounded is not None:
            raise ValueError(f"{self.column} has a hierarchy, which sets of values do not go by")
        if self.kind == "ordered" and self.ordered_as is None:
            raise ValueError(f"a column of type {self.column_type} is not cut")

    @property
    def ordered_as(self) -> OrderedAs | None:
        """The measure that orders its values, if they are numbers or dates."""
        return ordered_as(self.column_type)

    @property
    def decimals(self) -> int:
        """The digits after the point that every value has: of DECIMAL, whose values count units of the last one."""
        return decimals_of(self.column_type)

    @property
    def moment(self) -> int:
        """The units from one moment that the type can hold to the next: of time stamps, else 1."""
        return _COARSE.get(plain(self.column_type), 1)

    def held(self, name: str) -> Held:
        """The column in the table of records: the cell of a hierarchy, a number, or a value to number."""
        if self.kind in ("nested", "tree"):
            return Held(name, self.column, "code")
        return (self.as_number(name) if self.kind == "ordered" else None) or Held(name, self.column, "value")

    def as_number(self, name: str) -> Held | None:
        """A column `name` with its values as numbers; None where they are neither numbers nor dates."""
        kind = self.ordered_as
        return None if kind is None else Held(name, self.column, kind, self.decimals)


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A quasi-identifier of all records, as it was pulled.

    `codes`: of each record the number of its value, from 0. `values`: the value of each code, in the order of the
    codes. Of numbers, dates and time stamps they are numbers: int64 (units of a DECIMAL's last digit, days, micro- or
    nanoseconds since 1970-01-01 began) or float64; of all others texts. Of an `ordered` or `unordered` column they are
    those that occur, ascending. Of a `nested` one or a `tree` they are all that the hierarchy lists and the column can
    hold (of a rule, all that occur) in the order of its cells, of a `tree` by their classes from the top down first;
    the code `null` is NULL, which has no number, and need not occur.

    `classes[level, code]`: of a `nested` column or a `tree` the class of each value at each level below `*`, from 0, in
    the order of their least codes; of others it is empty. `labels[level]`: the released label of each class, None for
    NULL; of level 0, where values are released, it is empty. `cells`: the key of each value in the table of keys of
    its hierarchy; of a column without one, or that is `ordered`, it is empty.
    """

    wanted: Wanted
    codes: Codes
    domain: Domain
    values: Numbers | Texts
    null: int | None
    classes: Codes
    labels: tuple[Texts, ...]
    cells: Codes = field(default_factory=lambda: np.empty(0, dtype=np.int32))

    @property
    def column(self) -> str:
        """Its name in the dataset."""
        return self.wanted.column

    @property
    def column_type(self) -> str:
        """Its SQL type, as the catalog names it."""
        return self.wanted.column_type

    @property
    def kind(self) -> Kind:
        """The domain that is split."""
        return self.wanted.kind

    @property
    def grounded(self) -> Attribute | None:
        """The column made countable with its hierarchy, if it has one."""
        return self.wanted.grounded

    @property
    def step(self) -> float:
        """1 where only whole numbers of the column's own unit (of dates: days) are values, else 0."""
        kind = self.wanted.ordered_as
        return float(kind == "day" or (kind == "whole" and not self.wanted.decimals))
