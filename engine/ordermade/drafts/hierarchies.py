"""The draft of a hierarchy, made from the profile of a column: a YAML text to keep, or the reason why there is none.

The draft is the provider's own working file. It holds values of the column where it is a mapping.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import InvalidOperation
from typing import TypeVar

from ordermade.documents import yaml_text
from ordermade.drafts.dates import dates_of, drafted_parts
from ordermade.drafts.labels import Level, frequent, grouped, in_order
from ordermade.drafts.numbers import Distribution, drafted_bounds
from ordermade.drafts.ordinals import in_order_of_numbers
from ordermade.drafts.profile import ColumnProfile
from ordermade.drafts.vocabularies import Vocabulary, prefixes_of, vocabulary_of
from ordermade.errors import quoted
from ordermade.hierarchies.column_types import (
    is_date,
    is_nested_or_binary,
    is_number,
    is_text,
    without_labels,
)
from ordermade.hierarchies.read import MOST_BYTES

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
    profile: ColumnProfile, *, least_rows: int, most_levels: int | None = None
) -> DraftedHierarchy | Undrafted:
    """The draft for a column. Every label that is no value of its own has `least_rows` rows, as far as it is seen.

    Intervals and dates cover every value that comes later; a mapping lists the values, and says so. `most_levels`: the
    value itself and `*` included, 2 or more; of more levels those in between are kept that are the most useful.
    """
    most = None if most_levels is None else max(0, most_levels - 2)
    if not profile.distinct:
        return Undrafted(profile.name, "it has no value but NULL")
    if is_nested_or_binary(profile.type):
        return Undrafted(profile.name, f"values of type {without_labels(profile.type)} have no coarser form")
    if profile.distinct == 1:
        return _listed(profile, (), "one value")
    if is_date(profile.type):
        return _dates(profile, least_rows, most)
    vocabulary = vocabulary_of(profile)
    if vocabulary is not None:
        return _vocabulary(profile, vocabulary, least_rows, most)
    if is_number(profile.type):
        return _numbers(profile, least_rows, most)
    return _texts(profile, least_rows, most)


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
    return _drafted(profile, head, ["intervals:", "  levels:", *lines], reason, len(levels))


Each = TypeVar("Each")

FEWEST_ALONE = 3
"""The labels of a level that stands alone between the values and `*`, where any has as many: two tell too little."""


def _most_useful(levels: Sequence[Each], labels: Sequence[int], most: int | None) -> Sequence[Each]:
    """As many of the levels as there may be. `labels`: how many each level has, the finest first.

    One alone is the coarsest that still tells something; of two the finer one has some eight labels.
    """
    if most == 1 and len(levels) > 1:
        telling = [place for place, number in enumerate(labels) if number >= FEWEST_ALONE]
        return [levels[max(telling, default=len(levels) - 1)]]
    if most == 2 and len(levels) > 2:
        return [levels[-3], levels[-1]]
    return _evenly(levels, most)


def _evenly(levels: Sequence[Each], most: int | None) -> Sequence[Each]:
    """As many of the levels as there may be, evenly apart, the coarsest among them."""
    if most is None or len(levels) <= most:
        return levels
    return [levels[len(levels) - 1 - (place * len(levels)) // most] for place in range(most - 1, -1, -1)]


def _distribution(profile: ColumnProfile) -> Distribution | None:
    try:
        return Distribution.of(profile)
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
        what = "free text" if free else "nearly every row has a value of its own" if share > 0.5 else "too many values"
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
    if len(drafted.text.encode("utf-8")) > MOST_BYTES:
        return Undrafted(profile.name, f"{reason}: a file of its values would be larger than {MOST_BYTES >> 20} MiB")
    return drafted


def _by_labels(levels: Sequence[Level]) -> list[str]:
    """The values, those of one label together, the coarsest label first."""
    return sorted(levels[0], key=lambda value: [*(level[value] for level in reversed(levels)), value])


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
