"""An open request for Mondrian: its plan, and its quasi-identifiers to pull, with their values on an axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from ordermade.counting.counts import Sensitive
from ordermade.counting.dataset import Dataset
from ordermade.counting.encoding import EncodedColumn
from ordermade.counting.numeric_records import NumericEncoding
from ordermade.hierarchies.column_types import (
    OrderedAs,
    decimals_of,
    is_number,
    is_single_precision,
    is_whole,
    ordered_as,
    plain,
)
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.methods.mondrian.algorithm.domains import Codes, Domain, Shares
from ordermade.methods.shared.open_request import OpenRequest
from ordermade.privacy.models import Model
from ordermade.privacy.requirement import required_models
from ordermade.release.plan import Plan
from ordermade.requests.mondrian import MondrianRequest
from ordermade.requests.resolve_mondrian import Kind, ResolvedMondrian
from ordermade.requests.resolve_rules import Condition, Span
from ordermade.sources.executor import Purpose

Grounding = Callable[[Dataset, int, str, Hierarchy, int], EncodedColumn]
"""`ground`, which counts, or `outline`, which only names: both make a column countable from a level up."""
GroundingSensitive = Callable[[Dataset, int, str, Sequence[Model]], Sensitive]
"""`ground_sensitive`, which counts, or `outline_sensitive`, which only names."""


@dataclass(frozen=True, slots=True)
class OpenMondrian(OpenRequest[ResolvedMondrian]):
    """A request for Mondrian that fits its dataset, with the dataset's source open."""

    ASKS = (Purpose.RECORDS, Purpose.FREQUENCY_SET)

    @property
    def request(self) -> MondrianRequest:
        """The request that was resolved."""
        return self.resolved.request

    def wanted(self, grounding: Grounding) -> tuple[PlannedColumn, ...]:
        """The quasi-identifiers in order; those with a hierarchy are made countable from level 0 up."""
        found = []
        for position, each in enumerate(self.resolved.qis, start=1):
            hierarchy = each.hierarchy
            grounded = None if hierarchy is None else grounding(self.dataset, position, each.column, hierarchy, 0)
            found.append(PlannedColumn(each.column, each.column_type, each.kind, grounded, each.finest))
        return tuple(found)

    def plan(self, grounding: GroundingSensitive) -> Plan:
        """The released columns: the quasi-identifiers, the sensitive attributes as they are, the kept columns."""
        resolved = self.resolved
        models = required_models(resolved.sensitive).items()
        return Plan(
            dataset=self.dataset,
            attributes=(),
            node=(),
            kept=resolved.keep,
            shape=self.request.release.shape,
            count=self.request.release.count,
            sensitive=tuple(
                grounding(self.dataset, position, column, model)
                for position, (column, model) in enumerate(models, start=len(resolved.qis) + 1)
            ),
            entity=resolved.entity,
            pseudonym=self.request.release.pseudonym,
            pseudonyms=self.request.release.kind_of_pseudonyms,
            k=self.request.k,
            aggregated=tuple(each.column for each in resolved.qis),
        )


Form: TypeAlias = Literal["texts", "values", "numbers"]
"""The released form of a column: texts; values of its hierarchy; means or medians of its numbers or dates."""

Numbers: TypeAlias = NDArray[np.int64] | NDArray[np.float64]
Texts: TypeAlias = NDArray[np.object_]
"""Texts as the database writes values, None for NULL."""

IN_A_DAY = {"day": 1, "microsecond": 86_400_000_000, "nanosecond": 86_400_000_000_000}
"""The number of units of time stamps in a day."""

_COARSE = {"TIMESTAMP_S": 1_000_000, "TIMESTAMP_MS": 1_000}  # these count microseconds, but do not hold them


@dataclass(frozen=True, slots=True)
class PlannedColumn:
    """A quasi-identifier as it is to be pulled and split, of a type as the catalog names it.

    `grounded`: the column made countable with its hierarchy from level 0 up. `nested` columns and `tree`s have one, an
    `ordered` one may: then it says how much of the domain a label covers. No class is split below the level `finest`.
    Raises ValueError for a combination that no column can have (requests with one are refused).
    """

    column: str
    column_type: str
    kind: Kind
    grounded: EncodedColumn | None = None
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

    def held(self, name: str) -> NumericEncoding:
        """The column in the table of records: the cell of a hierarchy, a number, or a value to number."""
        if self.kind in ("nested", "tree"):
            return NumericEncoding(name, self.column, "code")
        return (self.as_number(name) if self.kind == "ordered" else None) or NumericEncoding(name, self.column, "value")

    def as_number(self, name: str) -> NumericEncoding | None:
        """A column `name` with its values as numbers; None where they are neither numbers nor dates."""
        kind = self.ordered_as
        return None if kind is None else NumericEncoding(name, self.column, kind, self.decimals)


@dataclass(frozen=True, slots=True, eq=False)
class MondrianColumn:
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

    wanted: PlannedColumn
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
    def grounded(self) -> EncodedColumn | None:
        """The column made countable with its hierarchy, if it has one."""
        return self.wanted.grounded

    @property
    def step(self) -> float:
        """1 where only whole numbers of the column's own unit (of dates: days) are values, else 0."""
        kind = self.wanted.ordered_as
        return float(kind == "day" or (kind == "whole" and not self.wanted.decimals))


LARGEST = 2**63 - 1


@dataclass(frozen=True, slots=True, eq=False)
class SplitAxis:
    """The values of a column as whole numbers of units (int64), or as float64; `occur`: which of them are no NULL.

    `units` make 1 in the column's own unit, of dates and time stamps a day. `step`: 1 where only whole numbers of that
    are values. `single`: whether the column's numbers are of 4 bytes.
    """

    values: Numbers
    occur: NDArray[np.bool_]
    units: int
    step: float
    single: bool

    @classmethod
    def of(cls, column: MondrianColumn) -> SplitAxis | None:
        """The axis of a column of numbers or dates, None for a column of others."""
        occur = np.ones(column.values.size, dtype=np.bool_)
        if column.null is not None:
            occur[column.null] = False
        units = IN_A_DAY.get(column.wanted.ordered_as or "", 10**column.wanted.decimals)
        single = is_single_precision(column.column_type)
        if column.values.dtype != np.object_:
            return cls(cast("Numbers", column.values), occur, units, column.step, single)
        if not is_number(column.column_type):
            return None
        # Numbers of more digits than 8 bytes hold are texts.
        numbers = np.array([0.0 if text is None else float(text) for text in column.values])
        return cls(numbers, occur, 1, float(is_whole(column.column_type)), single)

    @property
    def whole(self) -> bool:
        """Whether the values are whole numbers of units."""
        return self.values.dtype == np.int64

    def ends(self, conditions: Sequence[Condition | None]) -> Spans:
        """The interval that each rule asks for, as numbers like the values; of one that is silent all numbers."""
        spans = [each if isinstance(each, Span) else Span(None, None) for each in conditions]
        lows, highs = [each.low for each in spans], [each.high for each in spans]
        if self.whole:
            return Spans(
                np.array([-LARGEST if end is None else self.unit_at_least(end) for end in lows], dtype=np.int64),
                np.array([LARGEST if end is None else self.unit_at_most(end) for end in highs], dtype=np.int64),
            )
        return Spans(self._floats(lows, -np.inf), self._floats(highs, np.inf))

    def unit_at_least(self, point: Fraction) -> int:
        """The first whole number of units at or above a point."""
        return _within_8_bytes(ceil(point * self.units))

    def unit_at_most(self, point: Fraction) -> int:
        """The last whole number of units at or below a point."""
        return _within_8_bytes(floor(point * self.units))

    def points(self, numbers: Numbers) -> Shares:
        """Such numbers in the column's own unit; open ends are infinite."""
        found: Shares = numbers / self.units
        if self.whole:
            found[numbers == LARGEST], found[numbers == -LARGEST] = np.inf, -np.inf
        return found

    def _floats(self, ends: Sequence[Fraction | None], instead: float) -> Shares:
        # A value of 4 bytes is the nearest to the written number, and so is an end.
        kind: type[np.floating[Any]] = np.float32 if self.single else np.float64
        found = [instead if end is None else float(kind(float(end))) for end in ends]
        return np.array(found, dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """Intervals between numbers like the values of an axis, ends included. One is empty where `low` is above `high`."""

    low: Numbers
    high: Numbers


def _within_8_bytes(number: int) -> int:
    return max(-LARGEST, min(number, LARGEST))
