"""The labels of a released column in its hierarchy: the values that each names, and the levels that it may be of.

Values are numbered from what was published alone, hierarchy and labels:

* listed: the leaves of an explicit hierarchy, and NULL, which `*` names even where neither lists it;
* whole numbers, or days: from the least to the greatest that a label names, where every number (date) of the release
  is a whole one. `*` names one more, which stands for all others;
* pieces: other numbers and moments, and texts by their prefixes: each released value, and what is left of each interval
  or prefix. `*` names one more here too;
* labels: a column without a hierarchy. Each label stands for itself.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from ordermade.hierarchies.dates import DateHierarchy, day_number
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.hierarchy import STAR, Hierarchy
from ordermade.hierarchies.intervals import IntervalHierarchy
from ordermade.hierarchies.prefixes import PrefixHierarchy
from ordermade.privacy.elimination import LabelledAttribute, Places

Label: TypeAlias = str | None
Span: TypeAlias = tuple[Fraction | None, Fraction | None]
"""From where up to where (not included) a label reaches; None where it has no end."""

MAX_WHOLE = 200_000
"""The most whole numbers, or days, that are told apart; a wider column is cut into pieces."""


@dataclass(frozen=True, slots=True)
class ReleasedColumn:
    """A column of a release: its attribute, and of each label the levels that it may be of.

    `labels`: the distinct labels by number; `levels[label]`: empty where it is in no level of the hierarchy (such a
    label names nothing), and for a column without a hierarchy. `value_of`: the number of an original value, None where
    no label names it. `counted`: what the values are: `listed`, `whole numbers`, `days`, `pieces` or `labels`.
    """

    name: str
    labels: tuple[Label, ...]
    attribute: LabelledAttribute
    levels: tuple[frozenset[int], ...]
    value_of: Callable[[Label], int | None]
    counted: str

    @property
    def unknown(self) -> tuple[int, ...]:
        """The labels that are in no level of the hierarchy, by number."""
        return () if self.counted == "labels" else tuple(at for at, each in enumerate(self.levels) if not each)


def released_column(name: str, labels: Sequence[Label], hierarchy: Hierarchy | None) -> ReleasedColumn:
    """The column with these distinct labels. Raises TypeError for a species of hierarchies that is not known here."""
    match hierarchy:
        case None:
            return _opaque(name, labels)
        case ExplicitHierarchy():
            return _listed(name, labels, hierarchy)
        case IntervalHierarchy():
            return _on_a_line(name, labels, hierarchy, _number, hierarchy.levels_of, "whole numbers")
        case DateHierarchy():
            return _on_a_line(name, labels, hierarchy, _moment, _date_levels(hierarchy), "days")
        case PrefixHierarchy():
            return _by_prefix(name, labels, hierarchy)
        case _:
            raise TypeError(f"a {type(hierarchy).__name__} has no labels here")


def in_order(labels: Sequence[Label]) -> tuple[tuple[bool, str], ...]:
    """The key by which classes are sorted by their labels: NULL comes last."""
    return tuple((label is None, label or "") for label in labels)


def numbered(
    names: Sequence[str], hierarchies: Mapping[str, Hierarchy], combinations: Sequence[tuple[Label, ...]]
) -> tuple[list[ReleasedColumn], Places]:
    """The columns of these names, and the number of the label of each class in each: `[class, column]`.

    Raises TypeError as `released_column`.
    """
    columns, labels = [], []
    for place, name in enumerate(names):
        number: dict[Label, int] = {}
        labels.append([number.setdefault(each[place], len(number)) for each in combinations])
        columns.append(released_column(name, tuple(number), hierarchies.get(name)))
    return columns, np.array(labels, dtype=np.intp).reshape(len(names), len(combinations)).T


def _opaque(name: str, labels: Sequence[Label]) -> ReleasedColumn:
    number = {label: place for place, label in enumerate(labels)}
    attribute = LabelledAttribute.of(len(labels), [[place] for place in range(len(labels))])
    return ReleasedColumn(name, tuple(labels), attribute, (frozenset(),) * len(labels), number.get, "labels")


def _listed(name: str, labels: Sequence[Label], hierarchy: ExplicitHierarchy) -> ReleasedColumn:
    leaves: list[Label] = list(hierarchy.leaves)
    null_added = None not in leaves
    number = {leaf: place for place, leaf in enumerate([*leaves, None] if null_added else leaves)}
    meanings: dict[Label, dict[int, Places]] = {label: {} for label in labels}
    for level, own in enumerate((hierarchy.leaves, *hierarchy.labels)):
        under: dict[Label, list[int]] = {}
        for place, label in enumerate(own):
            under.setdefault(label, []).append(place)
        if null_added:  # NULL that the hierarchy does not list stays NULL below the top
            under.setdefault(STAR if level == hierarchy.top else None, []).append(len(leaves))
        for label in labels:
            if label in under:
                meanings[label][level] = np.array(under[label], dtype=np.intp)
    sets = [list(meanings[label].values()) for label in labels]
    attribute = LabelledAttribute.read(len(number), sets)
    levels = tuple(frozenset(meanings[label]) for label in labels)
    return ReleasedColumn(name, tuple(labels), attribute, levels, number.get, "listed")


_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")
_PARTS = {
    "day": re.compile(r"\d{4}-\d\d-\d\d"),
    "month": re.compile(r"\d{4}-(0[1-9]|1[0-2])"),
    "quarter": re.compile(r"\d{4}-Q[1-4]"),
    "year": re.compile(r"\d{4}"),
    "decade": re.compile(r"\d{3}0s"),
}


def _number(text: str) -> Fraction | None:
    """The number that a text writes, if it is one."""
    return Fraction(text.strip()) if _NUMBER.fullmatch(text.strip()) else None


def _moment(text: str) -> Fraction | None:
    """The date or moment that a text writes, in days since 1970-01-01."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    seconds = (moment.hour * 60 + moment.minute) * 60 + moment.second
    return day_number(date(moment.year, moment.month, moment.day)) + Fraction(
        seconds * 1_000_000 + moment.microsecond, 86_400_000_000
    )


LevelsOf: TypeAlias = Callable[[str], Mapping[int, Span]]
"""The levels between 0 and `*` that have a label, each with what it names there."""


def _date_levels(hierarchy: DateHierarchy) -> LevelsOf:
    def found(label: str) -> dict[int, Span]:
        spans: dict[int, Span] = {}
        for level, part in enumerate(hierarchy.parts, start=1):
            if _PARTS[part].fullmatch(label) and (part != "day" or _moment(label) is not None):
                spans[level] = hierarchy.span_of(label, level)
        return spans

    return found


def _on_a_line(
    name: str,
    labels: Sequence[Label],
    hierarchy: Hierarchy,
    read: Callable[[str], Fraction | None],
    levels_of: LevelsOf,
    whole: str,
) -> ReleasedColumn:
    """A column of numbers or dates, in spans by the rules of its hierarchy."""
    points: dict[Label, Fraction] = {}
    spans: dict[Label, Mapping[int, Span]] = {}
    for label in labels:
        if label is None or label == STAR:
            continue
        if found := levels_of(label):
            spans[label] = found
        elif (point := read(label)) is not None:
            points[label] = point
    line = _Line.of(points.values(), [span for found in spans.values() for span in found.values()])
    null = line.size + 1 if None in labels else line.size  # else it is among all others
    sets: list[list[int]] = []
    levels: list[frozenset[int]] = []
    for label in labels:
        if label is None:
            sets.append([null])
            levels.append(frozenset(range(hierarchy.top)))
        elif label == STAR:
            sets.append(list(range(null + 1)))
            levels.append(frozenset({hierarchy.top}))
        elif label in spans:
            low, high = next(iter(spans[label].values()))
            sets.append(list(range(line.start(low), line.end(high))))
            levels.append(frozenset(spans[label]) | ({0} if line.is_whole and read(label) is not None else frozenset()))
        elif label in points:
            sets.append([line.start(points[label])])
            levels.append(frozenset({0}))
        else:
            sets.append([])
            levels.append(frozenset())

    def value_of(text: Label) -> int | None:
        if text is None:
            return null
        point = read(text)
        return line.size if point is None else line.place_of(point)

    attribute = LabelledAttribute.of(null + 1, sets)
    return ReleasedColumn(name, tuple(labels), attribute, tuple(levels), value_of, whole if line.is_whole else "pieces")


@dataclass(frozen=True, slots=True)
class _Line:
    """Numbers in their order: whole ones from `cuts[0]` on, or pieces from each cut up to the next.

    A cut that is a released value is a piece of its own; what follows it up to the next cut is another. The place
    `size` is that of all other numbers, below the first cut and above the last. Where a span has no lower end, the
    first place is that of all numbers so low (`opens_low`), and where one has no upper end, the last of all so high.
    """

    is_whole: bool
    cuts: tuple[Fraction, ...]
    alone: frozenset[Fraction]
    places: Mapping[Fraction, int]
    size: int
    opens_low: bool
    opens_high: bool

    @classmethod
    def of(cls, points: Iterable[Fraction], spans: Sequence[Span]) -> _Line:
        points = set(points)
        ends = {end for span in spans for end in span if end is not None}
        opens_low, opens_high = (any(span[side] is None for span in spans) for side in (0, 1))
        if not points | ends:
            return cls(True, (Fraction(0),), frozenset(), {}, 0, opens_low=False, opens_high=False)
        ends |= {min(points | ends) - 1} if opens_low else set()
        ends |= {max([*(each + 1 for each in points), *ends]) + 1} if opens_high else set()
        every = sorted(points | ends)
        size = math.ceil(max([*(each + 1 for each in points), *ends]) - every[0])
        if all(each.denominator == 1 for each in every) and size <= MAX_WHOLE:
            return cls(True, (every[0],), frozenset(), {}, size, opens_low, opens_high)
        places: dict[Fraction, int] = {}
        at = 0
        for cut in every:
            places[cut] = at
            at += (cut in points) + (cut < every[-1])
        return cls(False, tuple(every), frozenset(points), places, at, opens_low, opens_high)

    def start(self, low: Fraction | None) -> int:
        """The place at which a released value, or a span, begins."""
        return 0 if low is None else self._at(low)

    def end(self, high: Fraction | None) -> int:
        """The place after the last one of a span."""
        return self.size if high is None else self._at(high)

    def _at(self, end: Fraction) -> int:
        return int(end - self.cuts[0]) if self.is_whole else self.places[end]

    def place_of(self, point: Fraction) -> int:
        """The place of any number."""
        if self.is_whole:
            offset = point - self.cuts[0]
            if offset.denominator == 1 and 0 <= offset < self.size:
                return int(offset)
            return self._beyond(is_low=offset < 0) if offset.denominator == 1 else self.size
        cut = bisect_right(self.cuts, point) - 1
        if cut < 0:
            return self._beyond(is_low=True)
        start = self.cuts[cut]
        place = self.places[start] + (1 if start in self.alone and point > start else 0)
        return place if place < self.size else self._beyond(is_low=False)

    def _beyond(self, *, is_low: bool) -> int:
        """The place of a number below the first cut, or from the last cut up."""
        if is_low:
            return 0 if self.opens_low else self.size
        return self.size - 1 if self.opens_high else self.size


def _by_prefix(name: str, labels: Sequence[Label], hierarchy: PrefixHierarchy) -> ReleasedColumn:
    """A column of texts: released values, and what is left of each prefix."""
    meanings = {label: _prefixes(label, hierarchy) for label in labels if label is not None and label != STAR}
    prefixes = {prefix for found in meanings.values() for level, prefix in found.items() if level}
    values = {prefix for found in meanings.values() for level, prefix in found.items() if not level}
    number = {key: place for place, key in enumerate([*((0, each) for each in sorted(values)), *_rests(prefixes)])}
    others = len(number)
    null = others + 1 if None in labels else others
    shortest = min(hierarchy.keep)

    def under(prefix: str, level: int) -> list[int]:
        if level == 0:
            return [number[0, prefix]]
        if len(prefix) < hierarchy.keep[level - 1]:  # the value itself, shorter than what is kept
            return [number[0, prefix]] if prefix in values else [number[1, prefix]]
        return [place for (_, text), place in number.items() if text.startswith(prefix)]

    def value_of(text: Label) -> int | None:
        if text is None:
            return null
        if text in values:
            return number[0, text]
        known = [text[:length] for length in range(len(text), min(shortest, len(text)) - 1, -1)]
        return next((number[1, each] for each in known if each in prefixes), others)

    sets: list[list[Places]] = []
    levels: list[frozenset[int]] = []
    for label in labels:
        if label is None:
            sets.append([np.array([null], dtype=np.intp)])
            levels.append(frozenset(range(hierarchy.top)))
        elif label == STAR:
            sets.append([np.arange(null + 1, dtype=np.intp)])
            levels.append(frozenset({hierarchy.top}))
        else:
            found = meanings[label]
            sets.append([np.array(sorted(under(prefix, level)), dtype=np.intp) for level, prefix in found.items()])
            levels.append(frozenset(found))
    attribute = LabelledAttribute.read(null + 1, sets)
    return ReleasedColumn(name, tuple(labels), attribute, tuple(levels), value_of, "pieces")


def _rests(prefixes: Iterable[str]) -> list[tuple[int, str]]:
    return [(1, each) for each in sorted(prefixes)]


def _prefixes(label: str, hierarchy: PrefixHierarchy) -> dict[int, str]:
    """By level what a label keeps of a value; a label that no level writes is a value itself, of level 0.

    Values are as long as what a level keeps, where a level keeps as much as the label shows: a shorter one would have
    the label of that level too.
    """
    length, mask = hierarchy.length, hierarchy.mask
    if not label.endswith(mask) or (length is not None and len(label) != length):
        return {0: label}
    kept = label.removesuffix(mask) if length is None else label.rstrip(mask)
    same = [level for level, keep in enumerate(hierarchy.keep, start=1) if keep == len(kept)]
    shorter = [level for level, keep in enumerate(hierarchy.keep, start=1) if keep > len(kept)]
    return dict.fromkeys(same or shorter or [0], kept if same or shorter else label)


def spans_of(
    nodes: Sequence[Sequence[int | None]], columns: Sequence[ReleasedColumn], labels: Places
) -> tuple[Places, Places]:
    """The first and the last round, from 0, at whose levels each class can be; -1 where it is at those of none."""
    first = np.full(len(labels), -1, dtype=np.intp)
    last = np.full(len(labels), -1, dtype=np.intp)
    for number, node in enumerate(nodes):
        fits = np.ones(len(labels), dtype=np.bool_)
        for place, (column, level) in enumerate(zip(columns, node, strict=True)):
            if level is not None:
                at_level = np.array([level in each for each in column.levels], dtype=np.bool_)
                fits &= at_level[labels[:, place]]
        first[fits & (first < 0)] = number
        last[fits] = number
    return first, last
