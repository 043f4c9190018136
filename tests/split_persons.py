"""Persons to be split by Mondrian, and what a release of them says, read back from its labels and its file alone."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import cached_property
from typing import Any, Literal

import numpy as np

from ordermade.methods.mondrian.algorithm.domains import Domain, Nested, OrderedDomain, Unordered
from tests import label_parts

Kind = Literal["nested", "ordered", "tree", "unordered"]

COLUMNS = {
    "id": "INTEGER",
    "person": "VARCHAR",
    "sex": "VARCHAR",
    "birth": "DATE",
    "height": "DOUBLE",
    "price": "DECIMAL(12,2)",
    "shop": "VARCHAR",
    "smoker": "BOOLEAN",
    "job": "VARCHAR",
    "plan": "VARCHAR",
}
SPLIT = ("sex", "birth", "height", "price", "shop", "smoker", "job")
HIERARCHIES = {
    "sex": "mapping: {f: ['*'], m: ['*']}",
    "birth": "date: [year, decade]",
    "job": "mapping: {smith: [craft, '*'], nurse: [care, '*'], clerk: [office, '*'], carer: [care, '*'], "
    "mason: [craft, '*'], baker: [craft, '*'], null: [none, '*']}",
}
JOBS = {"smith": "craft", "nurse": "care", "clerk": "office", "carer": "care", "mason": "craft", "baker": "craft"}
"""One job that nobody has; who has none is in a class of their own."""
SHOPS = ("a;b", "{x}", 'say "so"', "plain", "Ünï 語", "*")
FIRST_DAY = date(1955, 1, 1)


def _row(number: int, chance: random.Random) -> tuple[Any, ...]:
    return (
        number,
        f"p{chance.randrange(75)}",
        chance.choice("fm"),
        FIRST_DAY + timedelta(days=chance.randrange(12_000)),
        chance.randrange(290, 390) / 2,
        Decimal(chance.randrange(-4_000, 4_000) * 25) / 100,
        chance.choice(SHOPS),
        chance.random() < 0.4,
        chance.choice(["smith", "nurse", "clerk", "carer", "mason", None]),
        chance.choice(["basic", "basic", "more", "most"]),
    )


def persons(rows: int = 120) -> list[dict[str, Any]]:
    """Rows of about 75 persons: numbers before 0, days before 1970, texts that look like sets, jobs that are NULL."""
    chance = random.Random(7)
    return [dict(zip(COLUMNS, _row(number, chance), strict=True)) for number in range(rows)]


@dataclass(frozen=True)
class Interval:
    """A label `[low, high]`."""

    low: Any
    high: Any


@dataclass(frozen=True)
class SplitColumn:
    """A column as one variant splits it: what its values are, and what its labels cover. `rows`: all of the table."""

    name: str
    kind: Kind
    rows: Sequence[Mapping[str, Any]]

    @cached_property
    def values(self) -> list[Any]:
        """In the order of their codes: NULL first, as a hierarchy has it that lists it."""
        leaves = {"sex": ["f", "m"], "job": [*JOBS, None]}.get(self.name, [])
        found = ordered({*leaves, *(row[self.name] for row in self.rows)})
        if self.kind == "tree":
            first = {self.up(value): place for place, value in reversed([*enumerate(found)])}
            found.sort(key=lambda value: first[self.up(value)])  # in a class they stay as they are
        return found

    def up(self, value: Any) -> tuple[str, ...]:
        """The classes of a value between itself and `*`."""
        if self.name == "birth":
            return (f"{value:%Y}", f"{value.year // 10}0s")
        return (JOBS.get(value, "none"),) if self.name == "job" else ()

    @property
    def top(self) -> int:
        """The number of the level `*`."""
        return 1 + len(self.up(self.values[0]))

    def of_level(self, level: int) -> list[Any]:
        """The class of each value at a level."""
        return [self.path(value)[level] for value in self.values]

    def path(self, value: Any) -> tuple[Any, ...]:
        return (("value", value), *self.up(value), "*")

    def domain(self) -> Domain:
        """The column as the plain scans know it."""
        match self.kind:
            case "nested":
                levels = [self.of_level(level) for level in range(self.top)]
                classes = [[first_seen(each).index(one) for one in each] for each in levels]
                widths = [
                    np.array([(each.count(one) - 1) / (len(each) - 1) for one in first_seen(each)]) for each in levels
                ]
                return Nested(np.array(classes, dtype=np.int32), tuple(widths))
            case "unordered":
                return Unordered(len(self.values))
            case _:
                places = np.array([float(self.place(value)) for value in self.values])
                return OrderedDomain(places, float(places[-1] - places[0]))

    def place(self, value: Any) -> Any:
        """Where a value is on the axis: a number itself; of what has a hierarchy, its rank."""
        return self.values.index(value) if self.kind == "tree" or self.name in HIERARCHIES else value

    # ---- labels, read back ------------------------------------------------------------------------------------------

    def read(self, label: Any) -> Any:
        """What a label says: a class by its name, an interval, a tuple of values in their order; a mean is itself."""
        if self.kind == "nested":
            is_class = label == "*" or any(label in self.up(value) for value in self.values)
            return label if is_class else (self.value(label),)
        if not isinstance(label, str | None):
            return label
        if not label:
            return (None,)
        if label == "*":
            return tuple(self.values)
        ends = label_parts.ends_of(label)
        if ends is not None:
            return Interval(*(self.value(end) for end in ends))
        if label.startswith("{"):
            return tuple(self.value(each) for each in label_parts.values_of(label))
        return (self.value(label),)

    def value(self, text: str | None) -> Any:
        """A value by its text, which may stand in quotes; nothing at all is NULL."""
        if not text:
            return None
        if text.startswith('"'):
            text = text[1:-1].replace('""', '"')
        match self.name:
            case "birth":
                return date.fromisoformat(text)
            case "height":
                return float(text)
            case "price":
                return Decimal(text)
            case "smoker":
                return {"true": True, "false": False}[text]
        return text

    def tells(self, said: Any, rows: Sequence[Mapping[str, Any]]) -> bool:
        """Whether a label is right of a class of these rows: classes have them all, sets and ends are theirs."""
        held = {row[self.name] for row in rows}
        present = [value for value in self.values if value in held]
        if self.kind == "nested" and isinstance(said, str):
            return all(said in self.path(value) for value in held)
        if isinstance(said, Interval):
            return [said.low, said.high] == [present[0], present[-1]] != [said.low, said.low]
        return bool(said == tuple(present))

    def width(self, said: Any) -> float:
        """The share of the domain that a label covers."""
        if self.kind == "nested":
            level, under = self.level(said), said if isinstance(said, str) else None
            leaves = 1 if under is None else self.of_level(level).count(under)
            return 1.0 if level == self.top else (leaves - 1) / (len(self.values) - 1)
        if self.kind == "unordered":
            return (len(said) - 1) / (len(self.values) - 1)
        ends = (said.low, said.high) if isinstance(said, Interval) else (said[0], said[-1])
        low, high, least, greatest = (self.place(each) for each in (*ends, self.values[0], self.values[-1]))
        return float((high - low) / (greatest - least))

    def step(self, said: Any) -> float:
        """The share of the hierarchy's height that a label lies above the values, without one its width."""
        return self.level(said) / self.top if self.kind == "nested" else self.width(said)

    def level(self, said: Any) -> int:
        if said == "*":
            return self.top
        return next((level for level in range(1, self.top) if said in self.of_level(level)), 0)


def ordered(values: Set[Any]) -> list[Any]:
    """Ascending, NULL first."""
    return sorted(values, key=lambda value: (value is not None, value))


def first_seen(values: Sequence[Any]) -> list[Any]:
    return list(dict.fromkeys(values))


def split_columns(variant: str, rows: Sequence[Mapping[str, Any]], names: Sequence[str] = SPLIT) -> list[SplitColumn]:
    """How a variant splits the columns."""
    found = []
    for name in names:
        cut: Kind = "ordered" if name in ("birth", "height", "price") else "unordered"
        if name in HIERARCHIES:
            cut = "nested" if variant == "hierarchy" else "tree" if cut == "unordered" else cut
        found.append(SplitColumn(name, cut, rows))
    return found
