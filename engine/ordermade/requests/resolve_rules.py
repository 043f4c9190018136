"""Resolves rules against the quasi-identifiers of a request and their hierarchies: nothing is run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import TypeAlias

from ordermade.errors import InputError, UnknownName, did_you_mean, quoted
from ordermade.hierarchies.column_types import is_date, is_number, is_whole, plain, type_in_words
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.hierarchy import STAR, Hierarchy
from ordermade.requests.columns import stored_column
from ordermade.requests.mistakes import described
from ordermade.requests.numbers import moments_of, point_of
from ordermade.requests.problems import FieldPath, RequestProblem
from ordermade.requests.rules import ReadRules, Rule, Scalar, Wanted


@dataclass(frozen=True, slots=True)
class Span:
    """The values from `low` to `high` of a column of numbers or dates, ends included; None is an open end.

    Exact, in the column's own unit; for dates and time stamps in days since 1970-01-01 began.
    """

    low: Fraction | None
    high: Fraction | None

    def has(self, point: Fraction) -> bool:
        """Whether a point is in it."""
        return (self.low is None or point >= self.low) and (self.high is None or point <= self.high)

    @property
    def has_whole_number(self) -> bool:
        """Whether there is a whole number in it."""
        return self.low is None or self.has(Fraction(ceil(self.low)))


@dataclass(frozen=True, slots=True)
class AmongColumns:
    """The values of these names, and the values in the hierarchy's classes of these names: in the coarsest class."""

    names: tuple[str, ...]


Condition: TypeAlias = Span | AmongColumns
"""The condition of a rule on one column."""


@dataclass(frozen=True, slots=True)
class ResolvedRule:
    """An item and its audience: a condition on each quasi-identifier, None where the rule has none."""

    item: str
    weight: Fraction
    conditions: tuple[Condition | None, ...]


@dataclass(frozen=True, slots=True)
class ResolvedRules:
    """Rules that fit the quasi-identifiers `columns`, as stored, in the order of the request."""

    columns: tuple[str, ...]
    rules: tuple[ResolvedRule, ...]

    @property
    def canonical(self) -> str:
        """One text of the content of the rules, however they were written: for hashes."""
        content = [[rule.item, str(rule.weight), *map(_canonical, rule.conditions)] for rule in self.rules]
        return json.dumps(content, separators=(",", ":"))


def resolve_rules(read: ReadRules, quasi_identifiers: Sequence[tuple[str, str, Hierarchy | None]]) -> ResolvedRules:
    """The rules over quasi-identifiers: (column as stored, SQL type as DuckDB names it, hierarchy if it has one) each.

    Raises:
        RequestError: every mistake found, each with its field and its line in the rules file, in `problems`.
    """
    resolving = _Resolving(read, {column: (kind, hierarchy) for column, kind, hierarchy in quasi_identifiers})
    rules = tuple(resolving.rule(number, rule) for number, rule in enumerate(read.content.rules))
    if resolving.problems:
        raise read.refusal(resolving.problems)
    return ResolvedRules(tuple(resolving.columns), rules)


def _canonical(condition: Condition | None) -> list[str | list[str] | None] | None:
    match condition:
        case AmongColumns():
            return ["among", sorted(condition.names)]
        case Span():
            return ["span", *(None if end is None else str(end) for end in (condition.low, condition.high))]
    return None


@dataclass(slots=True)
class _Resolving:
    """Resolves one rule after another and notes every mistake on the way. `columns`: SQL type and hierarchy of each."""

    read: ReadRules
    columns: Mapping[str, tuple[str, Hierarchy | None]]
    problems: list[RequestProblem] = field(default_factory=list)
    listed: dict[str, _Listed] = field(default_factory=dict)

    def note(self, path: FieldPath, what: str, instead: str) -> None:
        self.problems.append(RequestProblem(what, instead, path, self.read.line(path)))

    def rule(self, number: int, rule: Rule) -> ResolvedRule:
        """The rule as far as it can be resolved."""
        path: FieldPath = ("rules", number, "when")
        noted = len(self.problems)
        found: dict[str, Condition | None] = {}
        for name, wanted in rule.when.items():
            column = self.column(name, (*path, name))
            if column is None:
                continue
            if column in found:
                self.note((*path, name), f"the column {quoted(column)} is named twice", "name it in one place")
            found[column] = self.condition(column, wanted, (*path, name))
        if len(self.problems) == noted and not any(found.values()):
            what = "has no condition, so the rule covers everybody"
            self.note(path, what, f"add a condition on at least one of {', '.join(map(quoted, self.columns))}")
        return ResolvedRule(rule.item, Fraction(rule.weight), tuple(found.get(column) for column in self.columns))

    def column(self, name: str, path: FieldPath) -> str | None:
        """The stored name of a quasi-identifier; a problem if there is none."""
        try:
            return stored_column(name, self.columns)
        except UnknownName:
            what = f"{quoted(name)} is no quasi-identifier of the request"
            self.note(path, what, did_you_mean(name, self.columns))
        except InputError as error:
            self.note(path, error.what, error.next_step)
        return None

    def condition(self, column: str, wanted: Wanted, path: FieldPath) -> Condition | None:
        """The condition on a column, None where there is none or where it is a mistake."""
        column_type, _ = self.columns[column]
        if wanted == STAR:
            return None
        if is_number(column_type) or is_date(column_type):
            return self.span(column, wanted, path)
        if isinstance(wanted, tuple):
            if any(not isinstance(each, (str, bool)) for each in wanted):
                what = f"an interval is of numbers and dates, and the column is a {type_in_words(column_type)}"
                self.note(path, what, "list the values that are meant, each in quotes")
                return None
            names = [self.name(column, each, (*path, place)) for place, each in enumerate(wanted) if each is not None]
        else:
            names = [self.name(column, wanted, path)]
        return AmongColumns(tuple(dict.fromkeys(names)))

    def name(self, column: str, value: Scalar, path: FieldPath) -> str:
        """A value or a class as a text; a problem if the hierarchy lists neither."""
        column_type, hierarchy = self.columns[column]
        if plain(column_type) == "BOOLEAN" and str(value).lower() in ("true", "false"):
            return str(value).lower()
        if not isinstance(value, str):
            what = f"expected a text, not {described(value)}: the column is a {type_in_words(column_type)}"
            two = plain(column_type) == "BOOLEAN"
            self.note(path, what, "write true or false" if two else f"write it in quotes: '{described(value)}'")
            return ""
        if isinstance(hierarchy, ExplicitHierarchy):
            listed = self.listed.setdefault(column, _Listed.of(hierarchy))
            if value not in listed.names:
                what = f"the hierarchy {quoted(hierarchy.name)} has no value and no class {quoted(value)}"
                hint = did_you_mean(value, listed.classes)
                self.note(path, what, hint if hint.startswith("Did") else "write one that it lists")
        return value

    def span(self, column: str, wanted: Wanted, path: FieldPath) -> Span | None:
        """The interval of a condition, None where it is a mistake or open at both ends."""
        if not isinstance(wanted, tuple):
            ends = self.ends(column, wanted, path)
            return None if ends is None else self.within(column, Span(*ends), path)
        if len(wanted) != len(("low", "high")):
            self.note(path, "an interval has two ends", "write [low, high], null being an open end, or one value")
            return None
        noted = len(self.problems)
        low, high = (
            None if each is None else self.ends(column, each, (*path, place)) for place, each in enumerate(wanted)
        )
        if len(self.problems) > noted:
            return None
        if low is None and high is None:
            return None
        span = Span(None if low is None else low[0], None if high is None else high[1])
        if span.low is not None and span.high is not None and span.low > span.high:
            self.note(path, "the interval is empty: its low end is above its high one", "write [low, high]")
            return None
        return self.within(column, span, path)

    def ends(self, column: str, value: Scalar, path: FieldPath) -> tuple[Fraction, Fraction] | None:
        """The first and the last point that a value means; a problem if it is not of the column's kind."""
        column_type, _ = self.columns[column]
        if is_date(column_type):
            moments = moments_of(value, column_type) if isinstance(value, str) else None
            if moments is None:
                what = f"{described(value)} is no date, and the column is a {type_in_words(column_type)}"
                self.note(path, what, "write a date such as 1974-01-01")
            return moments
        if isinstance(value, Decimal):
            return Fraction(value), Fraction(value)
        what = f"expected a number, not {described(value)}: the column is a {type_in_words(column_type)}"
        self.note(path, what, "write a number such as 170, or [low, high]")
        return None

    def within(self, column: str, span: Span, path: FieldPath) -> Span | None:
        """The interval, if some value of the column can be in it; a problem if not."""
        column_type, hierarchy = self.columns[column]
        if is_whole(column_type) and not span.has_whole_number:
            self.note(path, "no whole number is meant, and the column has no others", "write whole numbers")
            return None
        if isinstance(hierarchy, ExplicitHierarchy):
            listed = self.listed.setdefault(column, _Listed.of(hierarchy, column_type))
            if not any(span.has(point) for point in listed.points):
                what = f"no value that the hierarchy {quoted(hierarchy.name)} lists is meant"
                self.note(path, what, "write values that it lists")
                return None
        return span


@dataclass(frozen=True, slots=True)
class _Listed:
    """The content of an explicit hierarchy: texts of values and classes, classes alone, and values as points."""

    names: frozenset[str]
    classes: frozenset[str]
    points: tuple[Fraction, ...]

    @classmethod
    def of(cls, hierarchy: ExplicitHierarchy, column_type: str = "") -> _Listed:
        classes = frozenset(label for labels in hierarchy.labels[:-1] for label in labels)
        leaves = [leaf for leaf in hierarchy.leaves if leaf is not None]
        points = (point_of(leaf, column_type) for leaf in leaves)
        return cls(classes.union(leaves), classes, tuple(point for point in points if point is not None))
