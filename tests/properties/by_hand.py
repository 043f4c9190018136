"""A request beyond k, decided row by row in Python: suppressed rows, models of a sensitive column, persons."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tests.made import Row, Value

TOLERANCE = 1e-9


@dataclass(frozen=True)
class Asked:
    """What is asked of the classes: k units in each, models (as a request writes them) of one sensitive column.

    `persons`: whether units are the different values of the rows' last cell.
    """

    k: int
    limit: Fraction
    models: tuple[Mapping[str, Any], ...] = ()
    persons: bool = False


@dataclass(frozen=True)
class Node:
    """A node by hand: sizes of the released classes, suppressed rows by number, suppressed units, all units."""

    sizes: tuple[int, ...]
    suppressed: frozenset[int]
    suppressed_units: int
    units: int

    def passes(self, asked: Asked) -> bool:
        """Whether something is released and no more suppressed than may be."""
        most = asked.limit.numerator * self.units // asked.limit.denominator
        return bool(self.sizes) and self.suppressed_units <= most


def units_of(rows: Sequence[Row], numbers: Sequence[int], persons: bool) -> int:
    """How many rows, or persons, some rows are."""
    return len({rows[number][-1] for number in numbers}) if persons else len(numbers)


def decided(rows: Sequence[Row], labels: Sequence[Row], sensitive: int | None, asked: Asked) -> Node:
    """A node whose rows have these labels; `sensitive`: the place of the sensitive column."""
    classes: dict[Row, list[int]] = {}
    for number, label in enumerate(labels):
        classes.setdefault(label, []).append(number)
    everything = list(range(len(rows)))
    table = {} if sensitive is None else values_of(rows, everything, sensitive, asked.persons)
    sizes, suppressed = [], set[int]()
    for numbers in classes.values():
        size = units_of(rows, numbers, asked.persons)
        counts = {} if sensitive is None else values_of(rows, numbers, sensitive, asked.persons)
        if size >= asked.k and all(satisfied(model, counts, table, size) for model in asked.models):
            sizes.append(size)
        else:
            suppressed.update(numbers)
    lost = units_of(rows, sorted(suppressed), asked.persons)
    return Node(tuple(sorted(sizes)), frozenset(suppressed), lost, units_of(rows, everything, asked.persons))


def values_of(rows: Sequence[Row], numbers: Sequence[int], sensitive: int, persons: bool) -> dict[Value, int]:
    """How many units have each value."""
    units = [(rows[number][sensitive], rows[number][-1] if persons else number) for number in numbers]
    return dict(Counter(value for value, _ in set(units)))


def satisfied(model: Mapping[str, Any], counts: Mapping[Value, int], table: Mapping[Value, int], size: int) -> bool:
    """Whether a class of `size` units with these counts satisfies a model."""
    decide: dict[str, Callable[[], bool]] = {
        "distinct_l": lambda: len(counts) >= model["l"],
        "entropy_l": lambda: _entropy(counts) >= math.log(model["l"]) - TOLERANCE,
        "recursive_cl": lambda: _recursive(counts, _exact(model["c"]), model["l"]),
        "t_closeness": lambda: distance(model["distance"], counts, table) <= _exact(model["t"]),
        "alpha_k": lambda: Fraction(max(counts.values()), size) <= _exact(model["alpha"]),
    }
    return decide[model["model"]]()


def distance(kind: str, counts: Mapping[Value, int], table: Mapping[Value, int]) -> Fraction:
    """The earth mover's distance between a class and the table: values equally far apart, or by rank, NULL last."""
    ordered = sorted(table, key=lambda value: (value is None, value))
    n, whole = sum(counts.values()), sum(table.values())
    apart = [Fraction(counts.get(value, 0), n) - Fraction(table[value], whole) for value in ordered]
    if kind == "equal":
        return sum((abs(each) for each in apart), Fraction(0)) / 2
    if len(ordered) == 1:
        return Fraction(0)
    return sum((abs(sum(apart[: i + 1])) for i in range(len(apart))), Fraction(0)) / (len(ordered) - 1)


def _entropy(counts: Mapping[Value, int]) -> float:
    n = sum(counts.values())
    return -math.fsum(c / n * math.log(c / n) for c in counts.values())


def _recursive(counts: Mapping[Value, int], c: Fraction, l: int) -> bool:  # noqa: E741
    commonest = sorted(counts.values(), reverse=True)
    return commonest[0] < c * sum(commonest[l - 1 :])


def _exact(number: float | str) -> Fraction:
    return Fraction(str(number))
