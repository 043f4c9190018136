"""Rules as a partition reads them: the values of the pulled columns that they mean, and their share of a class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ordermade.errors import InputError, quoted
from ordermade.mondrian.guide import Guide, OrderedReach, Reach, ValuesReach
from ordermade.multidimensional.axis import Axis
from ordermade.multidimensional.columns import Column
from ordermade.multidimensional.nested_rules import Flags, nested_reach
from ordermade.requests.resolve_rules import Among, Condition, ResolvedRules

MOST_PAIRS = 10**8
"""The most pairs of a rule and a value of one column: some 2 GB."""


def guide_of(rules: ResolvedRules, columns: Sequence[Column]) -> Guide:
    """The rules over columns that were pulled, which are those the rules were resolved for, in the same order.

    Raises InputError for so many rules over so many values that the figures of each pair would not fit; ValueError
    for other columns.
    """
    if tuple(column.column for column in columns) != rules.columns:
        raise ValueError("the columns are not those that the rules are about")
    for column in columns:
        _require_room(rules, column)
    required = [rule.conditions for rule in rules.rules]
    return Guide(
        weights=np.array([float(rule.weight) for rule in rules.rules]),
        reaches=tuple(
            _reach(column, conditions) for column, conditions in zip(columns, zip(*required, strict=True), strict=True)
        ),
        asks=np.array([[each is not None for each in conditions] for conditions in required]),
    )


def _require_room(rules: ResolvedRules, column: Column) -> None:
    """Raises InputError for too many pairs of a rule and a value; a cut knows its rules by their ends alone."""
    pairs = len(rules.rules) * column.values.size
    if column.kind != "ordered" and pairs > MOST_PAIRS:
        raise InputError(
            f"{len(rules.rules):,} rules over the {column.values.size:,} values of column {quoted(column.column)} are "
            f"{pairs:,} pairs, more than {MOST_PAIRS:,}",
            where="mondrian.rules",
            next_step="Take fewer rules, or a column of fewer values: round it in a dataset query.",
        )


def _reach(column: Column, conditions: Sequence[Condition | None]) -> Reach:
    """The reach of each rule on a column."""
    axis = Axis.of(column)
    if axis is not None and column.kind == "ordered":
        return _ordered(axis, conditions)
    means = _called(column, conditions) if axis is None else _between(axis, conditions)
    return nested_reach(column, axis, conditions, means) if column.kind == "nested" else ValuesReach(means)


def _ordered(axis: Axis, conditions: Sequence[Condition | None]) -> OrderedReach:
    ends = axis.ends(conditions)
    return OrderedReach(
        points=axis.points(axis.values),
        low=axis.points(ends.low),
        high=axis.points(ends.high),
        first=np.searchsorted(axis.values, ends.low, side="left").astype(np.int32),
        last=(np.searchsorted(axis.values, ends.high, side="right") - 1).astype(np.int32),
        step=axis.step,
    )


def _between(axis: Axis, conditions: Sequence[Condition | None]) -> Flags:
    """The values that each rule means, all where it is silent."""
    ends = axis.ends(conditions)
    found: Flags = (axis.values >= ends.low[:, None]) & (axis.values <= ends.high[:, None]) & axis.occur
    found[[condition is None for condition in conditions]] = True
    return found


def _called(column: Column, conditions: Sequence[Condition | None]) -> Flags:
    """The values that each rule means by their names or those of their classes, all where it is silent."""
    places = _places(column)
    means = np.zeros((len(conditions), column.values.size), dtype=np.bool_)
    for row, condition in zip(means, conditions, strict=True):
        if not isinstance(condition, Among):
            row[:] = True
            continue
        # A name that nothing has means nobody: where values are listed, it was refused.
        for level, number in (places[name] for name in condition.names if name in places):
            if level:
                row |= column.classes[level] == number
            else:
                row[number] = True
    return means


def _places(column: Column) -> Mapping[str, tuple[int, int]]:
    """Level and number of the coarsest class of each name; at level 0, where values are names, their codes."""
    found = {value: (0, code) for code, value in enumerate(column.values) if value is not None}
    for level, labels in enumerate(column.labels):
        if level > 0:
            found.update({label: (level, number) for number, label in enumerate(labels) if label is not None})
    return found
