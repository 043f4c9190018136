"""Profiles of made columns, and what every drafted hierarchy must hold."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal

from ordermade.drafts.hierarchies import DraftedHierarchy
from ordermade.drafts.profile import FEW_LISTED, MAX_LISTED, QUANTILES, ColumnProfile, ValueCount
from ordermade.hierarchies.column_types import is_date, is_number
from ordermade.hierarchies.dates import DateHierarchy
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.hierarchies.intervals import IntervalHierarchy, grid_scale, on_grid
from ordermade.hierarchies.prefixes import PrefixHierarchy
from ordermade.hierarchies.read import parse_yaml


def profile_of(counts: Mapping[str, int], type: str = "VARCHAR", *, name: str = "column", nulls: int = 0):
    """The profile of a column with these values, as `measuring.profile` makes it."""
    rows = sum(counts.values()) + nulls
    repeats = len(counts) <= MAX_LISTED and (len(counts) * 2 <= rows or len(counts) <= FEW_LISTED)
    ordered = sorted(counts, key=lambda value: (-counts[value], value))[: MAX_LISTED if repeats else FEW_LISTED]
    text = type == "VARCHAR"
    return ColumnProfile(
        name=name,
        type=type,
        rows=rows,
        nulls=nulls,
        distinct=len(counts),
        single=sum(n == 1 for n in counts.values()),
        values=tuple(ValueCount(value, counts[value]) for value in ordered),
        quantiles=quantiles(counts, type) if is_number(type) or is_date(type) else (),
        shortest=min(map(len, counts), default=None) if text else None,
        longest=max(map(len, counts), default=None) if text else None,
        words=sum(n * len(value.split()) for value, n in counts.items()) / max(rows - nulls, 1) if text else None,
        digits_only=text and all(value.isdigit() for value in counts),
    )


def quantiles(counts: Mapping[str, int], type: str):
    read = (lambda text: date.fromisoformat(text[:10])) if is_date(type) else Decimal
    rows = sorted(read(value) for value, n in counts.items() for _ in range(n))
    return tuple(rows[min(part * len(rows) // QUANTILES, len(rows) - 1)] for part in range(QUANTILES + 1))


def counted(values: Iterable[object]) -> dict[str, int]:
    return dict(Counter(map(str, values)))


def read_back(draft: object) -> Hierarchy:
    assert isinstance(draft, DraftedHierarchy), draft
    hierarchy, notes = parse_yaml(draft.text, "h", where="h.yaml")
    assert not [each for each in notes if each != "a last level '*' was added"]
    return hierarchy


def labels_by_level(hierarchy: Hierarchy, values: Iterable[str]) -> list[dict[str, str]]:
    """The label of each value at each level between level 0 and the top."""
    listed = list(values)
    levels = range(1, hierarchy.top)
    if isinstance(hierarchy, ExplicitHierarchy):
        place = {leaf: at for at, leaf in enumerate(hierarchy.leaves)}
        assert set(listed) <= set(place)
        return [{value: hierarchy.labels[level - 1][place[value]] for value in listed} for level in levels]
    if isinstance(hierarchy, IntervalHierarchy):
        scale = grid_scale(hierarchy.intervals)
        rules = on_grid(hierarchy.intervals)
        return [
            {value: str(rules[level - 1].interval(math.floor(Decimal(value).scaleb(scale)))) for value in listed}
            for level in levels
        ]
    if isinstance(hierarchy, PrefixHierarchy):
        return [dict(zip(listed, hierarchy.labels_of(listed, level, 0), strict=True)) for level in levels]
    assert isinstance(hierarchy, DateHierarchy)
    days = [date.fromisoformat(value[:10]) for value in listed]
    key = {
        "day": lambda each: each.isoformat(),
        "month": lambda each: f"{each:%Y-%m}",
        "quarter": lambda each: f"{each.year}-{(each.month + 2) // 3}",
        "year": lambda each: str(each.year),
        "decade": lambda each: str(each.year // 10),
    }
    return [{value: key[hierarchy.parts[n - 1]](day) for value, day in zip(listed, days, strict=True)} for n in levels]


def assert_worth_keeping(draft: object, counts: Mapping[str, int], least_rows: int) -> Hierarchy:
    """What holds of every draft: it covers the values, levels nest and differ, no label has too few rows or is all."""
    hierarchy = read_back(draft)
    assert hierarchy.order.is_chain()
    levels = labels_by_level(hierarchy, counts)
    own = {value: value for value in counts}
    meant: dict[str, frozenset[str]] = {}
    for finer, level in zip([own, *levels], levels, strict=False):
        rows: Counter[str] = Counter()
        members: dict[str, set[str]] = {}
        for value, label in level.items():
            rows[label] += counts[value]
            members.setdefault(label, set()).add(value)
        assert 1 < len(rows) < len(set(finer.values()))
        assert len({(finer[value], level[value]) for value in counts}) == len(set(finer.values()))
        if isinstance(hierarchy, ExplicitHierarchy):
            for label, group in members.items():
                assert "group" not in label
                if group == {label}:
                    continue
                assert rows[label] >= least_rows or len(group) == 1
                folded = {value.strip().casefold() for value in counts}
                assert len(group) == 1 or label.strip().casefold() not in folded
                assert meant.setdefault(label, frozenset(group)) == group
        if isinstance(hierarchy, IntervalHierarchy):
            assert min(rows.values()) >= least_rows
    return hierarchy
