"""Rules over the persons that are split, and whom a release serves by them, counted from its labels alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from ordermade.methods.mondrian.algorithm.rules import Guide, NestedReach, OrderedReach, Reach, ValuesReach
from tests.split_persons import Interval, SplitColumn

Span: TypeAlias = tuple[Any, Any]
"""From a value to another, ends included; None is open."""
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Rule:
    """An item and whom it is for: spans of numbers and dates, names of values and classes."""

    item: str
    weight: float
    when: Mapping[str, Span | list[Any]]

    @property
    def document(self) -> dict[str, Any]:
        """As a rules file has it."""
        when = {name: [*asked] if isinstance(asked, tuple) else asked for name, asked in self.when.items()}
        return {"item": self.item, "weight": self.weight, "when": when}

    def means(self, row: Row, columns: Sequence[SplitColumn]) -> bool:
        """Whether a row is meant."""
        return all(self.means_value(column, row[column.name]) for column in columns)

    def means_value(self, column: SplitColumn, value: Any) -> bool:
        """Whether a value of a column is meant."""
        asked = self.when.get(column.name, (None, None))
        if isinstance(asked, list):
            return value in asked or any(name in asked for name in column.up(value))
        low, high = asked
        return (low is None or value >= low) and (high is None or value <= high)

    def meets(self, column: SplitColumn, level: int, name: Any) -> bool:
        """Whether a class of a hierarchy has a value that is meant, be it there or not."""
        if level == column.top or column.name not in self.when:
            return True
        return self.share(column, name if level else (name[1],)) > 0

    def share(self, column: SplitColumn, said: Any) -> float:
        """The share of what a label says that is meant; of one number whether it is."""
        days = column.name == "birth"
        if column.name not in self.when:
            return 1.0
        if isinstance(said, str):
            if not days:
                return share_of([self.means_value(column, each) for each in column.values if said in column.path(each)])
            return self.overlap(column, *(calendar(said) or (column.values[0], column.values[-1])))
        if isinstance(said, Interval):
            return self.overlap(column, said.low, said.high)
        values = said if isinstance(said, tuple) else (said,)
        return share_of([self.means_value(column, value) for value in values])

    def overlap(self, column: SplitColumn, low: Any, high: Any) -> float:
        """The share of an interval that is meant: days are counted, others go by length."""
        asked = self.when[column.name]
        first = low if asked[0] is None else max(low, asked[0])
        last = high if asked[1] is None else min(high, asked[1])
        if first > last:
            return 0.0
        if isinstance(low, date):
            return ((last - first).days + 1) / ((high - low).days + 1)
        return float(Fraction(last) - Fraction(first)) / float(high - low)

    def served(self, columns: Sequence[SplitColumn], labels: Sequence[Any]) -> bool:
        """Whether at least half of what a class is released as lies inside."""
        shares = [self.share(column, column.read(label)) for column, label in zip(columns, labels, strict=True)]
        return float(np.prod(shares)) >= 0.5 - 1e-12


RULES = (
    Rule("Clothes B", 1, {"birth": (date(1963, 1, 1), date(1979, 6, 30)), "height": (158, 186)}),
    Rule("Guide", 2.5, {"sex": ["m"], "job": ["care", "smith"]}),
    Rule("Magazine", 1, {"shop": ["{x}", "a;b", "Ünï 語"], "smoker": [False]}),
    Rule("Rest", 0.5, {"price": (None, 20.5)}),
    Rule("Few", 1, {"birth": (None, date(1955, 1, 20))}),
    Rule("Nobody", 1, {"price": (9_000, None)}),
)


def calendar(label: str) -> tuple[date, date] | None:
    """The first and the last day of a year or a decade, None for `*`."""
    if label == "*":
        return None
    first = int(label.removesuffix("s"))
    end = first + (10 if label.endswith("s") else 1)
    return date(first, 1, 1), date(end, 1, 1) - timedelta(days=1)


def share_of(flags: Sequence[bool]) -> float:
    """The share of them that is true."""
    return sum(flags) / len(flags)


def guide(columns: Sequence[SplitColumn], rules: Sequence[Rule] = RULES) -> Guide:
    """The rules as the plain scans read them."""
    return Guide(
        weights=np.array([rule.weight for rule in rules]),
        reaches=tuple(_reach(column, rules) for column in columns),
        asks=np.array([[column.name in rule.when for column in columns] for rule in rules]),
    )


def _reach(column: SplitColumn, rules: Sequence[Rule]) -> Reach:
    means = np.array([[rule.means_value(column, value) for value in column.values] for rule in rules])
    if column.kind == "nested":
        levels = [list(dict.fromkeys(column.of_level(level))) for level in range(column.top + 1)]
        meets = [
            np.array([[rule.meets(column, level, name) for name in names] for rule in rules], dtype=np.uint8)
            for level, names in enumerate(levels)
        ]
        return NestedReach(tuple(meets), (), means)
    if column.kind != "ordered":
        return ValuesReach(means)
    points = [_number(value) for value in column.values]
    spans = [rule.when.get(column.name, (None, None)) for rule in rules]
    low = [-np.inf if low is None else _number(low) for low, _ in spans]
    high = [np.inf if high is None else _number(high) for _, high in spans]
    none = np.zeros(len(rules), dtype=np.int32)  # the plain scans look at values, not at codes
    return OrderedReach(np.array(points), np.array(low), np.array(high), none, none, 0.0)


def _number(value: Any) -> float:
    return float(value.toordinal() if isinstance(value, date) else value)


def served(
    rule: Rule, columns: Sequence[SplitColumn], rows: Sequence[Row], labels: Mapping[int, Sequence[Any]], who: str
) -> tuple[int, int, int]:
    """How many persons (or rows, by the column `who`) are meant, served, and both. `labels`: those of each row's id."""
    means = {row[who] for row in rows if rule.means(row, columns)}
    serves = {row[who] for row in rows if rule.served(columns, labels[row["id"]])}
    return len(means), len(serves), len(means & serves)
