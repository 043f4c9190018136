"""Levels of drafted mappings: which values share a label, so that every label has enough rows.

The levels of a draft nest, differ from one another, and none below the top has one label alone. A label means one set
of values at whatever level it stands, and no group is called like a value: local recoding mixes levels, and a reader
sees labels alone.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

HIDDEN = "'*'"
"""The label of a value that is called like the top level."""

LONGEST_NAMED = 40
"""A value of more characters is not named in the label of the others."""

Level = Mapping[str, str]
"""The label of each value."""

Paths = Mapping[str, Sequence[str]]
"""The names of the groups that a value is in, the smallest first; all paths are of one length."""


@dataclass(frozen=True, slots=True)
class GroupWords:
    """The words in the labels of groups, in the language of the values."""

    other: str
    empty: str
    value: str
    values: str
    """The number of values."""
    counted: str
    """A name with such a number."""
    but: str
    """All values but one."""
    part: str
    """What is left of a group."""
    part_but: str
    """A group without one of its values."""
    span: str
    """Values in order, from one to another."""

    def number(self, values: int) -> str:
        """A number of values."""
        return (self.value if values == 1 else self.values).format(n=f"{values:,}")


ENGLISH = GroupWords(
    other="other",
    empty="(empty)",
    value="{n} value",
    values="{n} values",
    counted="{name} ({number})",
    but="other than {value}",
    part="{name}, other",
    part_but="{name}, other than {value}",
    span="{first}..{last}",
)
JAPANESE = GroupWords(
    other="その他",
    empty="（空欄）",
    value="{n}区分",
    values="{n}区分",
    counted="{name}（{number}）",
    but="{value}以外",
    part="{name}のその他",
    part_but="{name}（{value}以外）",
    span="{first}～{last}",
)
_JAPANESE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff々]")


def words_of(values: Collection[str]) -> GroupWords:
    """The words for groups of these values: Japanese ones where most of the values have letters of that script."""
    return JAPANESE if 2 * sum(_JAPANESE.search(each) is not None for each in values) > len(values) else ENGLISH


@dataclass(slots=True)
class Names:
    """The names of groups of values: one set of values a name, and no group has the name of a value."""

    values: frozenset[str]
    words: GroupWords
    taken: dict[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, values: Collection[str]) -> Names:
        """The names beside these values; upper and lower case count as the same."""
        return cls(frozenset(map(_key, (*values, "*"))), words_of(values))

    def own(self, value: str) -> str:
        """The label of a value that stays as it is; no label may be empty or be called like the top."""
        instead = {"": self.words.empty, "*": HIDDEN}.get(value)
        return value if instead is None else self.group(instead, [value])

    def group(self, wanted: str, members: Iterable[str]) -> str:
        """The name of a group: the wanted one, or that with the number of its values where another has it."""
        group = frozenset(members)
        counted = self.words.number(len(group))
        name, number = wanted, 1
        while _key(name) in self.values or self.taken.setdefault(_key(name), group) != group:
            name = self.counted(wanted, counted if number == 1 else f"{counted}, {number}")
            number += 1
        return name

    def counted(self, name: str, number: str) -> str:
        """A name with the number of its values."""
        return self.words.counted.format(name=name, number=number)

    def others(self, kept: Sequence[str], others: int) -> str:
        """The name of all values but some: `other than Japan`; with several, of their number."""
        if len(kept) == 1 and len(kept[0]) <= LONGEST_NAMED and kept[0].strip():
            return self.words.but.format(value=kept[0])
        return self.counted(self.words.other, self.words.number(others))


def _key(name: str) -> str:
    return name.strip().casefold()


def grouped(counts: Mapping[str, int], paths: Paths, *, least_rows: int) -> tuple[Level, ...]:
    """The levels of a known vocabulary: frequent values and groups as they are, rare ones with their kin.

    The first level has the values with enough rows, and the rare ones of a group together; each further level has the
    groups at that place of the paths. What no group takes, and every value without a path, is under `other`
    (その他 in Japanese). A value
    with more than half of the rows stays itself at every level, up to a last one of it and all others.
    """
    dominant = _dominant(counts)
    tree = _Tree({v: n for v, n in counts.items() if v != dominant}, paths, least_rows, Names.of(counts), dominant)
    depth = len(next(iter(paths.values()), ()))
    tree.split(list(tree.counts), depth + 1)
    levels = list(tree.levels)
    if dominant is not None:
        rest = dict.fromkeys(
            tree.counts, tree.names.group(tree.names.others([dominant], len(tree.counts)), tree.counts)
        )
        levels = [{**level, dominant: tree.names.own(dominant)} for level in [*levels, rest]]
    return _different(levels, counts, least_rows, tree.names)


def _dominant(counts: Mapping[str, int]) -> str | None:
    most = max(counts, key=lambda value: counts[value], default=None)
    return most if most is not None and counts[most] * 2 > sum(counts.values()) else None


@dataclass(slots=True)
class _Tree:
    """The groups of values, split from the coarsest down; `levels` fill with the labels, the finest first."""

    counts: Mapping[str, int]
    paths: Paths
    least_rows: int
    names: Names
    without: str | None
    levels: list[dict[str, str]] = field(default_factory=list)

    def split(self, members: Sequence[str], depth: int, name: str = "") -> None:
        """Labels the members of a group at every level below its own, the level of number `depth`."""
        self.levels = self.levels or [{} for _ in range(depth)]
        if not depth:
            return
        parts: dict[str, list[str]] = defaultdict(list)
        rare: list[str] = []
        for value in members:
            if value not in self.paths:
                rare.append(value)
            else:
                parts[value if depth == 1 else self.paths[value][depth - 2]].append(value)
        rows = {part: self._rows(inside) for part, inside in parts.items()}
        by_rows = sorted(parts, key=lambda part: (-rows[part], part))
        in_rest = self._rows(rare)
        while by_rows and (rows[by_rows[-1]] < self.least_rows or 0 < in_rest < self.least_rows):
            part = by_rows.pop()
            in_rest += rows[part]
            rare += parts.pop(part)
        for part, inside in parts.items():
            label = self.names.own(part) if depth == 1 else self._named(part, inside)
            self._write(inside, label, depth - 1)
            self.split(inside, depth - 1, part)
        if rare:
            label = self._rest(rare, name, whole=not parts)
            for level in range(depth):
                self._write(rare, label, level)

    def _named(self, part: str, inside: Sequence[str]) -> str:
        at = self.paths.get(self.without or "")
        without = self.names.words.part_but.format(name=part, value=self.without)
        return self.names.group(without if at and part in at else part, inside)

    def _rest(self, rare: Sequence[str], name: str, *, whole: bool) -> str:
        if not name:
            return self.names.group(self.names.words.other, rare)
        if whole:
            return self._named(name, rare)
        return self.names.group(self.names.words.part.format(name=name), rare)

    def _write(self, members: Sequence[str], label: str, level: int) -> None:
        self.levels[level].update(dict.fromkeys(members, label))

    def _rows(self, members: Sequence[str]) -> int:
        return sum(self.counts[value] for value in members)


SHARES = (0.95, 0.5)
"""The values that a level keeps as they are have this share of the rows together, or a little more."""


def frequent(counts: Mapping[str, int], *, least_rows: int) -> tuple[Level, ...]:
    """Levels that keep the frequent values as they are, fewer at each level, and put the rest under `other`.

    Values of one number of rows are kept or not together. None where no level keeps a value.
    """
    ordered = sorted(counts, key=lambda value: (-counts[value], value))
    names = Names.of(counts)
    levels: list[Level] = []
    for most in _kept(ordered, counts, least_rows):
        rest = ordered[most:]
        wanted = names.words.other if not levels and most > 1 else names.others(ordered[:most], len(rest))
        label = names.group(wanted, rest)
        levels.append({**{value: names.own(value) for value in ordered[:most]}, **dict.fromkeys(rest, label)})
    return tuple(levels)


def _kept(ordered: Sequence[str], counts: Mapping[str, int], least_rows: int) -> list[int]:
    """The numbers of values that the levels keep, falling: each and the rest of enough rows; no tie is parted."""
    total = sum(counts.values())
    found: list[tuple[int, int]] = []
    so_far = 0
    for most, (value, next_one) in enumerate(pairwise(ordered[:-1]), start=1):
        so_far += counts[value]
        if counts[value] >= least_rows and total - so_far >= least_rows and counts[value] > counts[next_one]:
            found.append((most, so_far))
    wanted = (min(found, key=lambda each: (each[1] < share * total, abs(each[1] - share * total))) for share in SHARES)
    return sorted({most for most, _ in wanted}, reverse=True) if found else []


MAX_SPLIT = 4
"""Values in order are cut into 2, 4, 8 and 16 ranges."""


def in_order(counts: Mapping[str, int], ordered: Sequence[str], *, least_rows: int) -> tuple[Level, ...]:
    """Levels of neighbours: values in order, cut into 2, 4, 8, … ranges of about equal shares: `20-29..40-49`."""
    names = Names.of(counts)
    ranges = [list(ordered)]
    levels: list[Level] = []
    while True:
        split = [part for each in ranges for part in _halves(each, counts, least_rows)]
        if len(split) == len(ranges) or len(levels) == MAX_SPLIT:
            return _different(levels[::-1], counts, least_rows, names)
        ranges = split
        levels.append({value: name for part in ranges for name in (_range(part, names),) for value in part})


def _halves(values: list[str], counts: Mapping[str, int], least_rows: int) -> list[list[str]]:
    total, so_far, best = sum(counts[value] for value in values), 0, (0, 0)
    for at, value in enumerate(values[:-1], start=1):
        so_far += counts[value]
        best = max(best, (min(so_far, total - so_far), -at))
    fewest, at = best[0], -best[1]
    return [values[:at], values[at:]] if at and fewest >= least_rows else [values]


def _range(part: Sequence[str], names: Names) -> str:
    if len(part) == 1:
        return names.own(part[0])
    return names.group(names.words.span.format(first=part[0], last=part[-1]), part)


def _different(levels: Iterable[Level], counts: Mapping[str, int], least_rows: int, names: Names) -> tuple[Level, ...]:
    """The levels that are coarser than the one before, and have more than one label and enough rows under each."""
    kept: list[Level] = []
    classes = len(counts)
    alone = {names.own(value) for value in counts}
    for level in levels:
        rows: dict[str, int] = defaultdict(int)
        for value, label in level.items():
            rows[label] += counts[value]
        enough = all(n >= least_rows for label, n in rows.items() if label not in alone)
        if 1 < len(rows) < classes and enough:
            kept.append(level)
            classes = len(rows)
    return tuple(kept)
