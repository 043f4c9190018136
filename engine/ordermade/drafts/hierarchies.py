"""The draft of a hierarchy, made from the profile of a column: a YAML text to keep, or the reason why there is none.

The draft is the provider's own working file. It holds values of the column where it is a mapping.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import ROUND_FLOOR, Decimal, InvalidOperation
from itertools import pairwise
from types import MappingProxyType
from typing import TypeVar

from ordermade.drafts.labels import Level, frequent, grouped, in_order
from ordermade.drafts.mixed_texts import ways_of_writing
from ordermade.drafts.prefectures import MAX_PLACE, place_of
from ordermade.drafts.profile import QUANTILES, CensoredEnds, ColumnProfile
from ordermade.drafts.vocabularies import Vocabulary, prefixes_of, vocabularies
from ordermade.errors import quoted
from ordermade.files.yaml_documents import yaml_text
from ordermade.hierarchies.column_types import (
    has_no_text,
    is_date,
    is_number,
    is_text,
    plain,
    without_labels,
)
from ordermade.hierarchies.read import MAX_BYTES

LEAST_ROWS = 5
"""The rows of a label that is no value of its own, where nothing else is asked."""

FEW_ALONE = 20
"""A column of so few values, none of which can be grouped, still has a hierarchy: the value or `*`."""

LONGEST_KEY = 1_000
"""A longer key of a mapping is written with `?`: YAML does not look further for the colon."""


@dataclass(frozen=True, slots=True)
class DraftedHierarchy:
    """A hierarchy for a column: the text of a file that `read_yaml` reads, and what it goes by, in one line.

    `levels`: their number, the value itself and `*` included. `by_frequency`: whether values are together for no other
    reason than being rare.
    """

    column: str
    text: str
    reason: str
    levels: int = 2
    by_frequency: bool = False


@dataclass(frozen=True, slots=True)
class Undrafted:
    """A column that no hierarchy was drafted for, and why."""

    column: str
    reason: str


def drafted_hierarchy(
    profile: ColumnProfile,
    *,
    least_rows: int,
    most_levels: int | None = None,
    known: Mapping[str, Vocabulary] | None = None,
) -> DraftedHierarchy | Undrafted:
    """The draft for a column. Every label that is no value of its own has `least_rows` rows, as far as it is seen.

    Intervals and dates cover every value that comes later; a mapping lists the values, and says so. `most_levels`: the
    value itself and `*` included, 2 or more; of more levels those in between are kept that are the most useful.
    `known`: the vocabularies of the columns of its table, which are looked for where they are not given.
    """
    most = None if most_levels is None else max(0, most_levels - 2)
    if not profile.distinct:
        return Undrafted(profile.name, "it has no value but NULL")
    if has_no_text(profile.type):
        return Undrafted(profile.name, f"values of type {without_labels(profile.type)} have no coarser form")
    if profile.distinct == 1:
        return _listed(profile, (), "one value")
    if is_date(profile.type):
        return _dates(profile, least_rows, most)
    vocabulary = (vocabularies([profile]) if known is None else known).get(profile.name)
    if vocabulary is not None and vocabulary.paths:
        return _vocabulary(profile, vocabulary, least_rows, most)
    if is_number(profile.type):
        return _numbers(profile, least_rows, most)
    return _texts(profile, least_rows, most)


def undrafted(
    profile: ColumnProfile, *, least_rows: int, known: Mapping[str, Vocabulary] | None = None
) -> Undrafted | None:
    """The reason why `drafted_hierarchy` drafts nothing for a column; None where it drafts a hierarchy.

    Few short texts have one whatever they are: their words are looked up in no vocabulary for that.
    """
    are_few = is_text(profile.type) and profile.lists_all and 0 < profile.distinct <= FEW_ALONE
    if are_few and sum(len(each.value) for each in profile.values) <= LONGEST_KEY:
        return None
    draft = drafted_hierarchy(profile, least_rows=least_rows, known=known)
    return draft if isinstance(draft, Undrafted) else None


_UNFIT = re.compile(r"[^\w.-]+")
LONGEST_NAME = 60


def file_names(columns: Sequence[str]) -> Mapping[str, str]:
    """The name of a file for each column: its own as far as every file system takes it, and no two alike."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for column in columns:
        plain = _UNFIT.sub("-", column)[:LONGEST_NAME].strip("-.") or "column"
        name, number = plain, 2
        while name.casefold() in taken:
            name, number = f"{plain}-{number}", number + 1
        taken.add(name.casefold())
        names[column] = f"{name}.yaml"
    return names


def _numbers(profile: ColumnProfile, least_rows: int, most: int | None) -> DraftedHierarchy | Undrafted:
    distribution = _distribution(profile)
    if distribution is None:
        return Undrafted(
            profile.name,
            "some values are infinite, not a number or past 9e15: leave those rows out, or make them NULL in the "
            "dataset's query",
        )
    rows = profile.rows - profile.nulls
    bounds = drafted_bounds(distribution, least_share=least_rows / rows)
    if profile.censored is not None:
        bounds = _of_censored(bounds, profile.censored)
    levels = _most_useful(bounds, [len(each) + 1 for each in bounds], most)
    if not levels:
        return _few_alone(profile, f"no bound leaves {least_rows:,} rows on either side")
    counts = [f"{len(bounds) + 1:,}" for bounds in levels]
    head = ["Each level has intervals between its bounds, at round numbers near the quantiles: each holds about an"]
    first, last = levels[0][0], levels[0][-1]
    head += [f"equal share of the rows. The first and the last are open: < {first:f} and {last:f}+ take whatever comes"]
    head += ["later."]
    lines = [f"    - {{bounds: [{', '.join(f'{bound:f}' for bound in bounds)}]}}" for bounds in levels]
    reason = f"numbers in {_several(counts)} intervals of like share"
    unit = ["  unit: 歳"] if any(word in profile.name for word in _AGES) else []
    return _drafted(profile, head, ["intervals:", *unit, "  levels:", *lines], reason, len(levels))


def _of_censored(levels: Sequence[Sequence[Decimal]], ends: CensoredEnds) -> tuple[tuple[Decimal, ...], ...]:
    """The levels without bounds that would put a value read at its bound into a class that it may not be in."""
    kept = (tuple(filter(ends.may_part, level)) for level in levels)
    return tuple(level for level in dict.fromkeys(kept) if level)


Each = TypeVar("Each")

MIN_ALONE = 3
"""The labels of a level that stands alone between the values and `*`, where any has as many: two tell too little."""


_AGES = ("年齢", "年令", "満年")
"""A column of numbers with one of them in its name has ages, in 歳."""


def _most_useful(levels: Sequence[Each], labels: Sequence[int], most: int | None) -> Sequence[Each]:
    """As many of the levels as there may be. `labels`: how many each level has, the finest first.

    One alone is the coarsest that still tells something; of two the finer one has some eight labels.
    """
    if most == 1 and len(levels) > 1:
        telling = [place for place, number in enumerate(labels) if number >= MIN_ALONE]
        return [levels[max(telling, default=len(levels) - 1)]]
    if most == 2 and len(levels) > 2:
        return [levels[-3], levels[-1]]
    return _evenly(levels, most)


def _evenly(levels: Sequence[Each], most: int | None) -> Sequence[Each]:
    """As many of the levels as there may be, evenly apart, the coarsest among them."""
    if most is None or len(levels) <= most:
        return levels
    return [levels[len(levels) - 1 - (place * len(levels)) // most] for place in range(most - 1, -1, -1)]


def _distribution(profile: ColumnProfile) -> ProfiledDistribution | None:
    try:
        return ProfiledDistribution.of(profile)
    except InvalidOperation:  # a value that is no decimal number, such as a NaN with a payload
        return None


def _several(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def _dates(profile: ColumnProfile, least_rows: int, most: int | None) -> DraftedHierarchy | Undrafted:
    days = dates_of(profile)
    if days is None:
        return Undrafted(
            profile.name,
            "some dates are infinite or not of the years 1 to 9999: leave those rows out, or make them NULL in the "
            "dataset's query",
        )
    parts = _evenly(drafted_parts(profile, days, least_rows=least_rows), most)
    if not parts:
        return _few_alone(profile, "no part of the date, from day to decade, has classes of enough rows")
    lines = [f"date: [{', '.join(parts)}]"]
    head = ["Any of: day, month, quarter, year, decade."]
    return _drafted(profile, head, lines, f"dates by {_several(parts)}", len(parts))


def _vocabulary(
    profile: ColumnProfile, vocabulary: Vocabulary, least_rows: int, most: int | None
) -> DraftedHierarchy | Undrafted:
    counts = _counts(profile)
    if not profile.lists_all:
        keep = [kept for kept in vocabulary.keep if len({value[:kept] for value in counts}) > 1]
        if keep:
            return _prefixes(profile, vocabulary, _evenly(keep, most))
        return Undrafted(profile.name, f"{vocabulary.reason}: too many to list. {vocabulary.instead}".strip())
    levels = grouped(counts, vocabulary.paths, least_rows=least_rows)
    if not levels:
        return _few_alone(profile, f"{vocabulary.reason}: no group has {least_rows:,} rows beside another")
    # Where no group is too small, the rule says the same as the list, and takes whatever comes later.
    keep = [kept for kept in vocabulary.keep if {value: f"{value[:kept]}*" for value in counts} in levels]
    if len(keep) == len(levels):
        return _prefixes(profile, vocabulary, _evenly(keep, most))
    return _listed(profile, _telling(levels, most), vocabulary.reason)


def _prefixes(profile: ColumnProfile, vocabulary: Vocabulary, keep: Sequence[int]) -> DraftedHierarchy:
    lines = ["prefix:", f"  keep: [{', '.join(map(str, keep))}]", '  mask: "*"']
    lines += [f"  length: {vocabulary.length}"] if vocabulary.length else []
    head = ["The number of first characters that each level keeps."]
    return _drafted(profile, head, lines, vocabulary.reason, len(keep))


def _texts(profile: ColumnProfile, least_rows: int, most: int | None) -> DraftedHierarchy | Undrafted:
    if not is_text(profile.type) and profile.type.upper() != "BOOLEAN" and profile.distinct > FEW_ALONE:
        return Undrafted(
            profile.name, f"values of type {without_labels(profile.type)} have no coarser form: cast it in the query"
        )
    prefixes = prefixes_of(profile) if is_text(profile.type) else None
    if prefixes is not None:
        return _vocabulary(profile, prefixes, least_rows, most)
    if not profile.lists_all:
        share = profile.distinct / max(profile.rows - profile.nulls, 1)
        free = (profile.words or 0) > 3
        many = "nearly every row has a value of its own" if share > 0.5 else "too many values"
        what = "free text" if free else ways_of_writing([each.value for each in profile.values]) or many
        return Undrafted(profile.name, f"{what}: {profile.distinct:,} different values")
    counts = _counts(profile)
    ordered = in_order_of_numbers(counts)
    if ordered is not None:
        levels = in_order(counts, ordered, least_rows=least_rows)
        if levels:
            return _listed(profile, _telling(levels, most), "values in the order of their numbers")
    levels = frequent(counts, least_rows=least_rows)
    if levels:
        kept = _telling(levels, most)
        return _listed(profile, kept, "frequent values as they are, rare ones together", by_frequency=True)
    return _few_alone(profile, f"no value has {least_rows:,} rows beside {least_rows:,} others")


def _telling(levels: Sequence[Level], most: int | None) -> Sequence[Level]:
    return _most_useful(levels, [len(set(each.values())) for each in levels], most)


def _few_alone(profile: ColumnProfile, why: str) -> DraftedHierarchy | Undrafted:
    """The value or `*`, where there are few values; else the reason why nothing was drafted."""
    if profile.lists_all and profile.distinct <= FEW_ALONE:
        return _listed(profile, (), f"{profile.distinct:,} values, or *")
    return Undrafted(profile.name, why)


def _counts(profile: ColumnProfile) -> dict[str, int]:
    return {each.value: each.rows for each in profile.values}


def _listed(
    profile: ColumnProfile, levels: Sequence[Level], reason: str, *, by_frequency: bool = False
) -> DraftedHierarchy | Undrafted:
    values = sorted(_counts(profile)) if not levels else _by_labels(levels)
    lines = ["mapping:", *(_entry(value, [level[value] for level in levels]) for value in values)]
    head = ["Each value with its label at level 1, 2, … This file lists values that occur in the data: keep it as you"]
    head += ["keep the data. A value that comes later and is not listed here is refused, whatever label says other:"]
    head += ["add it then (`ordermade hierarchy check` counts such values)."]
    drafted = replace(_drafted(profile, head, lines, reason, len(levels)), by_frequency=by_frequency)
    if len(drafted.text.encode("utf-8")) > MAX_BYTES:
        return Undrafted(profile.name, f"{reason}: a file of its values would be larger than {MAX_BYTES >> 20} MiB")
    return drafted


def _by_labels(levels: Sequence[Level]) -> list[str]:
    """The values, those of one label together, the coarsest label first."""
    return sorted(
        levels[0], key=lambda value: [_place(label) for label in (*(level[value] for level in reversed(levels)), value)]
    )


def _place(label: str) -> tuple[int, str]:
    """The place of a label: prefectures of Japan and their regions by JIS X 0401, before all others by their texts."""
    place = place_of(label)
    return (MAX_PLACE if place is None else place), label


def _entry(value: str, labels: Sequence[str]) -> str:
    key, listed = yaml_text(value), f"[{', '.join(map(yaml_text, labels))}]"
    return f"  ? {key}\n  : {listed}" if len(key) > LONGEST_KEY else f"  {key}: {listed}"


def _drafted(
    profile: ColumnProfile, head: Sequence[str], lines: Sequence[str], reason: str, between: int
) -> DraftedHierarchy:
    column = quoted(profile.name)
    comments = [f"# Draft for column {column}, {reason}: edit it, then add it as a hierarchy."]
    comments += [f"# {line}" for line in head]
    return DraftedHierarchy(profile.name, "\n".join([*comments, *lines]) + "\n", reason, between + 2)


QUARTERS_UP_TO = 10
"""Quarters are left out where the dates span more years than this."""

ENOUGH = 0.5
"""The share of the rows that are in classes of enough rows, below which a part is too fine."""

PART: Mapping[str, Callable[[date], tuple[int, ...]]] = MappingProxyType(
    {
        "day": lambda each: (each.year, each.month, each.day),
        "month": lambda each: (each.year, each.month),
        "quarter": lambda each: (each.year, (each.month + 2) // 3),
        "year": lambda each: (each.year,),
        "decade": lambda each: (each.year // 10,),
    }
)
"""The class of a date at each part, the finest part first."""


def dates_of(profile: ColumnProfile) -> Mapping[date, int] | None:
    """The days of a column with their rows, as far as they are listed; else its quantiles, each once.

    None where some are before the year 1, after 9999, or infinite.
    """
    found: Counter[date] = Counter()
    if profile.lists_all:
        for each in profile.values:
            day = _day(each.value)
            if day is None:
                return None
            found[day] += each.rows
        return found
    days = [each for each in profile.quantiles if isinstance(each, date)]
    return Counter(days) if len(days) > QUANTILES else None


def _day(text: str) -> date | None:
    if "BC" in text:
        return None
    try:
        return datetime.fromisoformat(text).date() if len(text) > 10 else date.fromisoformat(text)
    except ValueError:
        try:
            return date.fromisoformat(text[:10])
        except ValueError:
            return None


def drafted_parts(profile: ColumnProfile, days: Mapping[date, int], *, least_rows: int) -> tuple[str, ...]:
    """The parts that part the dates, each coarser than the one before and than the values; none may do so."""
    years = max(days).year - min(days).year if days else 0
    classes = profile.distinct
    kept: list[str] = []
    for part, key in PART.items():
        if part == "quarter" and years > QUARTERS_UP_TO:
            continue
        if part == "day" and plain(profile.type) == "DATE":
            continue
        rows: Counter[tuple[int, ...]] = Counter()
        for day, n in days.items():
            rows[key(day)] += n
        if not 1 < len(rows) < classes or not _enough(profile, part, days, rows, least_rows):
            continue
        kept.append(part)
        classes = len(rows) if profile.lists_all else classes
    return tuple(kept)


def _enough(
    profile: ColumnProfile,
    part: str,
    days: Mapping[date, int],
    rows: Counter[tuple[int, ...]],
    least_rows: int,
) -> bool:
    """Whether half of the rows or more are in classes of enough rows; of quantiles, whether classes are on average."""
    if profile.lists_all:
        return sum(n for n in rows.values() if n >= least_rows) >= ENOUGH * sum(rows.values())
    span = (max(days) - min(days)).days + 1
    length = {"day": 1, "month": 30, "quarter": 91, "year": 365, "decade": 3650}[part]
    return (profile.rows - profile.nulls) * length >= least_rows * span


MAX_LEVELS = 4
"""Levels of 2, 4, 8 and 16 classes."""

TOLERANCE = 0.12
"""A bound may be as far from the median of the class that it splits as this share of the class, where a rounder number
lies there."""

WIDEST = 0.3
"""Where no bound is as near as that (many rows have one value), the nearest one up to this share splits it."""

STEPS = (Decimal(5), Decimal("2.5"), Decimal(2), Decimal(1))
MAX_DECIMALS = 9
LARGEST_BOUND = Decimal(10) ** 12
LARGEST_VALUE = Decimal(9) * 10**15
"""The largest bound and value of an interval hierarchy, in units of its last decimal."""

BULK = (0.02, 0.98)
"""The part of the rows whose values set the decimals of the bounds."""


@dataclass(frozen=True, slots=True)
class ProfiledDistribution:
    """The values of a column in order, with the share of the rows that have each value or a smaller one."""

    values: tuple[Decimal, ...]
    upto: tuple[float, ...]

    @classmethod
    def of(cls, profile: ColumnProfile) -> ProfiledDistribution | None:
        """The distribution of a column of numbers: of all values where they are listed, else of its quantiles.

        None where an interval hierarchy cannot place every value: some are infinite, no numbers, or too large.
        """
        counted: dict[Decimal, float] = {}
        if profile.lists_all:
            for each in profile.values:
                number = Decimal(each.value)
                counted[number] = counted.get(number, 0.0) + each.rows
        else:
            numbers = [each for each in profile.quantiles if isinstance(each, Decimal)]
            if len(numbers) <= QUANTILES:
                return None
            for quantile in numbers:
                counted[quantile] = counted.get(quantile, 0.0) + 1.0
        if not counted or not all(each.is_finite() and abs(each) < LARGEST_VALUE for each in counted):
            return None
        values = sorted(counted)
        total, upto, so_far = sum(counted.values()), [], 0.0
        for value in values:
            so_far += counted[value]
            upto.append(so_far / total)
        return cls(tuple(values), (*upto[:-1], 1.0))

    def below(self, bound: Decimal) -> float:
        """The share of the rows that are below a bound."""
        at = bisect_left(self.values, bound)
        return self.upto[at - 1] if at else 0.0

    def shares(self, bounds: Sequence[Decimal]) -> list[float]:
        """The share of the rows of each class between these bounds."""
        marks = [0.0, *map(self.below, bounds), 1.0]
        return [high - low for low, high in pairwise(marks)]

    @property
    def decimals(self) -> int:
        """The most decimals of a bound with which every value and every bound in the bulk of the rows has a place."""
        if all(each == each.to_integral_value() for each in self.values):
            return 0
        bulk = [self.values[min(bisect_left(self.upto, share), len(self.values) - 1)] for share in BULK]
        room = min(_powers(LARGEST_BOUND, max(map(abs, bulk))), _powers(LARGEST_VALUE, self.largest))
        return min(max(room, 0), MAX_DECIMALS)

    @property
    def largest(self) -> Decimal:
        """The largest absolute value."""
        return max(abs(self.values[0]), abs(self.values[-1]))


def _powers(room: Decimal, number: Decimal) -> int:
    """The powers of ten that a number may be multiplied by without leaving the room."""
    return MAX_DECIMALS if number <= 0 else math.floor((room / number).log10())


def drafted_bounds(distribution: ProfiledDistribution, *, least_share: float) -> tuple[tuple[Decimal, ...], ...]:
    """The bounds of each level, the finest first, each among those of the level before.

    Every class has `least_share` of the rows or more, as far as the distribution shows. No level has as many classes as
    there are values; there is none where no bound parts the values.
    """
    levels: list[tuple[Decimal, ...]] = [()]
    decimals = distribution.decimals
    while len(levels) <= MAX_LEVELS:
        marks = (None, *levels[-1], None)
        found = {
            bound
            for low, high in pairwise(marks)
            if (bound := _split(distribution, low, high, least_share, decimals)) is not None
        }
        if not found:
            break
        levels.append(tuple(sorted({*levels[-1], *found})))
    return tuple(level for level in reversed(levels[1:]) if len(level) + 1 < len(distribution.values))


def _split(
    distribution: ProfiledDistribution, low: Decimal | None, high: Decimal | None, least_share: float, decimals: int
) -> Decimal | None:
    """The bound that splits the class from `low` up to `high` near its median; None where none does."""
    values, upto = distribution.values, distribution.upto
    first = 0 if low is None else bisect_left(values, low)
    end = len(values) if high is None else bisect_left(values, high)
    start = upto[first - 1] if first else 0.0
    share = upto[end - 1] - start if end > first else 0.0
    # A bound after the value at i leaves upto[i] below it; both sides need enough rows.
    after = [at for at in range(first, end - 1) if least_share <= upto[at] - start <= share - least_share]
    if not after:
        return None
    middle = start + share / 2
    near = [at for at in after if abs(upto[at] - middle) <= TOLERANCE * share]
    if not near:
        nearest = min(after, key=lambda at: abs(upto[at] - middle))
        near = [nearest] if abs(upto[nearest] - middle) <= WIDEST * share else _largest_kept(after, upto, middle)
    return _roundest(values[near[0]], values[near[-1] + 1], decimals)


def _largest_kept(after: Sequence[int], upto: Sequence[float], middle: float) -> list[int]:
    """Where one value has most rows: the bound beside it that leaves the more evenly filled classes."""
    return [min(after, key=lambda at: abs(upto[at] - middle))]


def _roundest(above: Decimal, upto: Decimal, decimals: int) -> Decimal | None:
    """The roundest number above `above` and at most `upto`; of several the one in the middle.

    None where none of so many decimals lies there.
    """
    for step in _steps(upto - above, max(abs(above), abs(upto)), decimals):
        first = (above / step).to_integral_value(ROUND_FLOOR) + 1
        last = (upto / step).to_integral_value(ROUND_FLOOR)
        if first <= last:
            found = ((first + (last - first) // 2) * step).normalize()
            return found if abs(found).scaleb(decimals) <= LARGEST_BOUND else None
    return None


def _steps(span: Decimal, largest: Decimal, decimals: int) -> Iterator[Decimal]:
    """Round steps from the largest that may matter down: 10, 5, 2.5, 2, 1 and so on times powers of ten."""
    top = largest.adjusted() + 1
    bottom = max(span.adjusted() - 1, -decimals)
    for power in range(top, bottom - 1, -1):
        for step in STEPS:
            scaled = step.scaleb(power)
            if scaled.quantize(Decimal(1).scaleb(-decimals)) == scaled:
                yield scaled


MIN_VALUES = 3

_LEADING = re.compile(
    r"(?P<below><|≤|≦|under |below |less than |up to )?(?P<before>[^0-9]{0,20})(?P<number>[0-9]{1,9})(?![0-9])",
    re.IGNORECASE,
)
_BELOW = re.compile(r"[0-9]+\s*(?:未満|以下)")


def in_order_of_numbers(values: Iterable[str]) -> Sequence[str] | None:
    """The values in the order of the numbers that they begin with: `<20`, `20-29`, `30-39`; None where one has none.

    All may have the same words before the number (`class 1`, `class 2`). None, too, where two have one number, or where
    there are fewer than three.
    """
    places: dict[tuple[int, int], str] = {}
    before: set[str] = set()
    count = 0
    for value in values:
        found = _LEADING.match(value)
        if found is None:
            return None
        below = found["below"] is not None or _BELOW.match(value) is not None
        places[int(found["number"]), -below] = value
        before.add(found["before"].strip().casefold())
        if len(before) > 1:
            return None
        count += 1
    if count < MIN_VALUES or len(places) < count:
        return None
    return [places[each] for each in sorted(places)]
