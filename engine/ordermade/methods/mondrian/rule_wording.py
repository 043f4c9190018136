"""The wording of a column's classes in a rules file: numbers and dates as [low, high], others by their labels.

A class has no condition if its wording would mean other persons: a class between whose numbers there are others, or
one with the name of a coarser class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import TypeAlias

import numpy as np

from ordermade.hierarchies.column_types import decimals_of, is_date, is_number, is_whole
from ordermade.hierarchies.column_types import plain as plain_type
from ordermade.hierarchies.dates import day_of
from ordermade.hierarchies.hierarchy import STAR, Grounding, Hierarchy
from ordermade.hierarchies.intervals import IntervalHierarchy, grid_scale
from ordermade.methods.mondrian.algorithm.domains import Codes
from ordermade.requests.numbers import plain, point_of

FINE, COARSE = 6, 3
"""The decimals of a step of their grid to which intervals round floating point: up to 10^9 steps, and beyond."""


@dataclass(frozen=True, slots=True)
class Between:
    """Values from `low` to `high`, ends included, as a rules file has them: decimals, or dates and times."""

    low: str
    high: str


Said: TypeAlias = str | Between
"""A value or the label of a class; or an interval."""


@dataclass(frozen=True, slots=True, eq=False)
class Wording:
    """The classes of a column that a rules file can express.

    `levels[level][cell]`: the class that a cell is in, -1 where it cannot be said; finest level first. `said[level]`:
    how each is said.
    """

    levels: tuple[Codes, ...]
    said: tuple[Mapping[int, Said], ...]

    @classmethod
    def of(cls, levels: Sequence[Sequence[int]], said: Sequence[Mapping[int, Said]]) -> Wording:
        """The wording from the class of each cell at each level, and the wordings of classes that have one."""
        kept = (
            np.array([number if number in words else -1 for number in classes], dtype=np.int32)
            for classes, words in zip(levels, said, strict=True)
        )
        return cls(tuple(kept), tuple(said))


def wording_of_values(texts: Sequence[str | None]) -> Wording:
    """The wording of a column without a hierarchy: each cell is a value, named by its text (None: NULL, in no rule)."""
    said = {cell: text for cell, text in enumerate(texts) if text and text != STAR}
    return Wording.of([range(len(texts))], [said])


def unfit(hierarchy: Hierarchy, column_type: str) -> str | None:
    """The reason why rules on a column of this SQL type cannot use the hierarchy; None if they can."""
    found = hierarchy.check_type(column_type)
    if found is None and is_number(column_type) and hierarchy.kind == "prefix":
        return "rules ask for intervals of numbers, and those that begin with the same digits are none"
    return found


def wording(hierarchy: Hierarchy, column_type: str, grounding: Grounding) -> Wording:
    """The wording of a column of this SQL type with a hierarchy that fits it, at the levels that were written out."""
    levels = [level for level in sorted(grounding.classes) if level < hierarchy.top]
    if not (is_number(column_type) or is_date(column_type)):
        said = _by_labels(grounding, levels)
    elif hierarchy.enumerated:
        said = [_runs(column_type, grounding, level) for level in levels]
    else:
        said = [_spans(hierarchy, column_type, grounding, level) for level in levels]
    return Wording.of([grounding.classes[level] for level in levels], said)


def _labels(grounding: Grounding, level: int) -> Iterator[tuple[int, str]]:
    """The class of each cell with its label; at level 0, where a cell is a value, that value. NULL has no label."""
    if level == 0:
        return ((cell, str(key)) for key, cell in _values(grounding) if key is not None)
    named = zip(grounding.classes[level], grounding.labels[level], strict=True)
    return ((number, label) for number, label in named if label is not None)


def _values(grounding: Grounding) -> Iterator[tuple[str | int | None, int]]:
    return zip(grounding.keys, grounding.cell_of_key, strict=True)


def _by_labels(grounding: Grounding, levels: Sequence[int]) -> list[Mapping[int, Said]]:
    """The name of each class, unless a class of a coarser level has it: a rule would mean that one."""
    taken = {STAR, ""}
    found: list[Mapping[int, Said]] = []
    for level in reversed(levels):
        labels = dict(_labels(grounding, level))
        found.append({number: label for number, label in labels.items() if label not in taken})
        taken.update(labels.values())
    return found[::-1]


def _spans(hierarchy: Hierarchy, column_type: str, grounding: Grounding, level: int) -> dict[int, Said]:
    """The intervals of the classes, as rules express them; a class with an open end has no two ends to name."""
    spans = ((number, hierarchy.span_of(label, level) or (None, None)) for number, label in _labels(grounding, level))
    return {
        number: _between(low, end, hierarchy, column_type)
        for number, (low, end) in spans
        if low is not None and end is not None
    }


def _between(low: Fraction, end: Fraction, hierarchy: Hierarchy, column_type: str) -> Between:
    """The values of a column from `low` up to `end`, which is not included.

    Numbers of floating point have no greatest one below `end` that could be read: it is a millionth of a step of the
    hierarchy's grid below, which is the hierarchy's resolution.
    """
    if is_date(column_type):
        first, last = (day_of(number) for number in (int(low), int(end) - 1))
        return Between(first.isoformat(), last.isoformat())
    if is_whole(column_type) or plain_type(column_type) == "DECIMAL":
        decimals = decimals_of(column_type)
    else:
        scale = grid_scale(hierarchy.intervals) if isinstance(hierarchy, IntervalHierarchy) else 0
        decimals = scale + (FINE if abs(end) * 10**scale < 10**9 else COARSE)
    units = 10**decimals
    return Between(_decimal(ceil(low * units), decimals), _decimal(ceil(end * units) - 1, decimals))


def _decimal(units: int, decimals: int) -> str:
    return plain(Decimal(f"{units}e-{decimals}"))


def _runs(column_type: str, grounding: Grounding, level: int) -> dict[int, Said]:
    """The classes that are all listed values between two, NULL not being among them: from the least to the greatest."""
    class_of_cell = grounding.classes[level]
    without = {class_of_cell[cell] for key, cell in _values(grounding) if key is None}
    texts = ((str(key), class_of_cell[cell]) for key, cell in _values(grounding) if key is not None)
    points = ((point_of(text, column_type), text, number) for text, number in texts)
    placed = sorted((point, text, number) for point, text, number in points if point is not None)
    ranks: dict[int, list[int]] = {}
    for rank, (_, _, number) in enumerate(placed):
        ranks.setdefault(number, []).append(rank)
    return {
        number: Between(_end(placed[of[0]][1], column_type), _end(placed[of[-1]][1], column_type))
        for number, of in ranks.items()
        if number not in without and of[-1] - of[0] == len(of) - 1
    }


def _end(listed: str, column_type: str) -> str:
    """A listed number or date as a rules file has it; of time stamps a date is the moment that it begins."""
    if is_number(column_type):
        return plain(Decimal(listed.strip()))
    return listed if plain_type(column_type) == "DATE" or ":" in listed else f"{listed} 00:00"
