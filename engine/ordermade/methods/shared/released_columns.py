"""The columns of a release: each at its level, with an example of its labels, and in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ordermade.hierarchies.hierarchy import STAR, Hierarchy
from ordermade.loss.extremes import Extremes
from ordermade.records.printed import NOT_PRINTED, printed
from ordermade.state.releases import ReleaseColumn

MIXED = "mixed"
"""The level of a quasi-identifier where rows are at several."""

MAX_KEPT = 10
"""Columns released as they were that are listed; of more, only their number is shown."""
COLUMN_HEADINGS = ("column", "level", "example")
ALL_COLUMN_HEADINGS = ("column", "hierarchy", "level", "example", "share lost")


@dataclass(frozen=True, slots=True)
class Example:
    """A value and the label that it is released with."""

    from_: str = field(metadata=printed("from"))
    """A value of the hierarchy, or a number in the label."""
    to: str
    """A label of the release."""
    is_listed: bool = field(default=False, metadata=NOT_PRINTED)
    """Whether the value is one that the hierarchy lists: that of a person, maybe."""


@dataclass(frozen=True, slots=True)
class ColumnResult:
    """A column of the release, and the detail that it gave up."""

    column: str
    """Its name."""
    role: str
    """`quasi-identifier`, `sensitive`, `keep`, `pseudonym` or `count`."""
    hierarchy: str | None = None
    """Its hierarchy."""
    level: int | None = None
    """The released level; null where rows are at several, or there is none."""
    level_name: str | None = None
    """The name of the level, `mixed`, or the aggregate or kind of label where there is no level."""
    example: Example | None = None
    """A value with the label that it is released with; it reads no value of the data."""
    loss_share: float | None = None
    """The share of its detail that was given up, from 0 to 1; null where it is not known."""


@dataclass(frozen=True, slots=True)
class ReleasedForms:
    """What a result makes its columns and shares of when they are read: few readers want them.

    `columns` as the state notes them; `hierarchies` of columns that have one; `labels`: one released label of each
    quasi-identifier; `shares`: the loss of each column; `extremes` of the losses.
    """

    columns: Sequence[ReleaseColumn] = ()
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    labels: Callable[[], Mapping[str, str | None]] = dict
    shares: Mapping[str, float | None] = field(default_factory=dict)
    extremes: Callable[[], Extremes] = Extremes


INSIDE = Fraction(2, 5)
"""The place of an example inside its interval: 34 of [30, 40)."""
_EPOCH = datetime(1970, 1, 1)


def columns_of(forms: ReleasedForms) -> Iterator[ColumnResult]:
    """The columns of a release in their order, each with an example where one can be given."""
    if not forms.columns:
        return
    labels = forms.labels()
    for each in forms.columns:
        hierarchy, label = forms.hierarchies.get(each.column), labels.get(each.column)
        yield ColumnResult(
            column=each.column,
            role=each.role,
            hierarchy=None if hierarchy is None else hierarchy.name,
            level=each.level,
            level_name=each.level_name,
            example=None if label is None else _example(each, hierarchy, label),
            loss_share=forms.shares.get(each.column),
        )


def _example(column: ReleaseColumn, hierarchy: Hierarchy | None, label: str) -> Example | None:
    if column.role != "quasi-identifier":
        return None
    if column.level is not None and hierarchy is not None:
        value = value_under(hierarchy, column.level, label)
    elif hierarchy is not None and column.level_name in (MIXED, "ancestor"):
        value = _of_any_level(hierarchy, label)
    else:
        return None
    return None if value is None else Example(value, label, value != label and hierarchy.enumerated)


def _of_any_level(hierarchy: Hierarchy, label: str) -> str | None:
    """A value under a label whose level is not known: the finest level that has it."""
    for level in range(1, hierarchy.top + 1):
        try:
            value = value_under(hierarchy, level, label)
        except ValueError:  # no label of this level
            continue
        if value is not None:
            return value
    return label  # a value as it was


def value_under(hierarchy: Hierarchy, level: int, label: str) -> str | None:
    """A value that a level generalises to the label; None where there is none to name.

    Raises ValueError for a label that no level of the hierarchy writes.
    """
    if level == 0:
        return label
    # By its kind: the modules of the other kinds take a while to import.
    match hierarchy.kind:
        case "explicit":
            leaves = zip(hierarchy.leaves, hierarchy.labels[level - 1], strict=True)  # type: ignore[attr-defined]
            under = [leaf for leaf, of in leaves if of == label and leaf is not None]
            return next((leaf for leaf in under if leaf != label), under[0] if under else None)
        case "prefix" if level < hierarchy.top:
            keeps = hierarchy.keep[level - 1]  # type: ignore[attr-defined]
            return f"{label[:keeps]}…" if len(label) >= keeps else None
        case "interval" if level < hierarchy.top:
            span = hierarchy.span_of(label, level)
            return None if span is None else _number_in(*span)
        case "date" if level < hierarchy.top:
            span = hierarchy.span_of(label, level)
            return None if span is None or span[0] is None or span[1] is None else _moment_in(span[0], span[1])
    return None


def _number_in(low: Fraction | None, high: Fraction | None) -> str:
    """A number from `low` up to `high`, itself not included; an open end reaches ten further."""
    if low is None and high is None:
        return "0"
    first = high - 10 if low is None and high is not None else low or Fraction(0)
    last = first + 10 if high is None else high
    at, digits = first + (last - first) * INSIDE, 0
    while True:
        step = Fraction(1, 10**digits)
        number = at // step * step
        if first <= number < last:
            return f"{Decimal(number.numerator) / Decimal(number.denominator):f}"
        digits += 1


def _moment_in(first: Fraction, last: Fraction) -> str:
    """A day between two days, the last not included; within one day its noon."""
    days = first + (last - first) * INSIDE
    if last - first > 1:
        return (_EPOCH + timedelta(days=int(days))).date().isoformat()
    return f"{_EPOCH + timedelta(days=int(first), hours=12):%Y-%m-%d %H:%M}"


def level_in_words(column: ColumnResult) -> str | None:
    """The name of the level, or what stands in its place: `several`, the kind of label, the role of another column."""
    if column.role != "quasi-identifier":
        return "kept" if column.role == "keep" else column.role
    return "several" if column.level_name == MIXED else column.level_name


def in_words(column: ColumnResult, *, by_labels: bool = False) -> str | None:
    """How a value of the column is released: an example, `as it was`, `*`, or the label of its class.

    `by_labels`: for what is kept, such as a notebook; a value that a hierarchy lists is none of the words.
    """
    if column.role != "quasi-identifier" or column.level == 0:
        return "as it was" if column.role != "pseudonym" else "drawn at random"
    example = column.example
    if example is None and (column.level_name == MIXED or column.level is not None):
        return STAR if column.level_name == STAR else None
    if example is None:
        return f"the {column.level_name} of its class"
    if by_labels and example.is_listed:
        return f"… → {example.to}"
    return f"{example.from_} → {example.to}" if example.from_ != example.to else f"{example.to} (as it was)"


def column_rows(columns: Iterable[ColumnResult], *, by_labels: bool = False) -> list[tuple[Any, ...]]:
    """A row a column: its level, and an example; of many columns released as they were, the first ones."""
    listed = list(columns)
    generalised = [each for each in listed if each.role == "quasi-identifier"]
    others = [each for each in listed if each.role != "quasi-identifier"]
    rows = [
        (each.column, level_in_words(each), in_words(each, by_labels=by_labels))
        for each in (*generalised, *others[:MAX_KEPT])
    ]
    if len(others) > MAX_KEPT:
        rows.append((f"… {len(others) - MAX_KEPT:,} more", None, "as it was"))
    return rows


def all_column_rows(columns: Iterable[ColumnResult]) -> list[tuple[Any, ...]]:
    """Everything about each column: hierarchy, level by number and name, example, share of its detail lost."""
    return [
        (
            each.column,
            each.hierarchy,
            level_in_words(each) if each.level is None else f"{each.level}, {each.level_name}",
            in_words(each),
            None if each.loss_share is None else round(each.loss_share, 4),
        )
        for each in columns
    ]
