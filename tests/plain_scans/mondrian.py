"""Mondrian as the papers and the readings word it: one group, one attribute, one split after another, by scans.

Scores are compared to 12 decimals; of equal ones the attribute that comes first is split.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from ordermade.methods.mondrian.algorithm.domains import Domain, Nested, OrderedDomain, Unordered
from ordermade.methods.mondrian.algorithm.rules import Guide, NestedReach, OrderedReach
from ordermade.privacy.models import Model
from tests.privacy_by_hand import Ancestors, passes

Split = Literal["width", "prec", "tf-idf", "information-gain"]
NO_LEVEL = -1
DECIMALS = 12


@dataclass(frozen=True)
class Group:
    """Rows, and the level of their class in the hierarchy of each attribute (NO_LEVEL where it has none)."""

    rows: tuple[int, ...]
    levels: tuple[int, ...]


@dataclass(frozen=True)
class Sensitive:
    """A sensitive attribute: the value of each row, and what every group must pass."""

    values: Sequence[int]
    models: Sequence[Model]
    ancestors: Ancestors | None = None


@dataclass(frozen=True)
class PlainMondrian:
    """What a partition is asked of: `codes[row][attribute]`, and how it is split.

    `guide` is for `tf-idf`, `target` (the value of each row) for `information-gain`, `persons` says whose each row is.
    """

    domains: Sequence[Domain]
    codes: Sequence[Sequence[int]]
    k: int
    split: Split
    strict: bool = True
    guide: Guide | None = None
    target: Sequence[int] = ()
    persons: Sequence[int] | None = None
    sensitive: Sequence[Sensitive] = field(default_factory=tuple)

    # ---- the recipe -------------------------------------------------------------------------------------------------

    def partition(self) -> list[Group]:
        """The groups in the order in which they are finished. The whole table must be valid."""
        open_groups, finished = [self.whole], list[Group]()
        while open_groups:
            group, *others = open_groups
            children = self.best_split(group, [*others, *finished])
            if children:
                open_groups = [*children, *others]
            else:
                finished.append(group)
                open_groups = others
        return finished

    @property
    def whole(self) -> Group:
        levels = tuple(each.top if isinstance(each, Nested) else NO_LEVEL for each in self.domains)
        return Group(tuple(range(len(self.codes))), levels)

    def best_split(self, group: Group, others: Sequence[Group]) -> list[Group] | None:
        """The valid split with the greatest score; `others`: all other groups there are."""
        best, highest = None, -math.inf
        for attribute in range(len(self.domains)):
            valid = [each for each in self.splits(group, attribute) if self.is_valid(each)]
            if not valid:
                continue
            children = self.best_cut(group, valid)
            score = round(self.score(group, attribute, children, others), DECIMALS)
            if score > highest:
                best, highest = children, score
        return best

    # ---- splits -----------------------------------------------------------------------------------------------------

    def splits(self, group: Group, attribute: int) -> Iterator[list[Group]]:
        """The candidates of an attribute: one, but for the cuts of information gain."""
        match self.domains[attribute]:
            case Nested() as domain:
                yield from self.into_children(group, attribute, domain)
            case OrderedDomain() if self.split == "information-gain":
                for value in self.present(group, attribute)[:-1]:
                    yield self.parted(group, lambda row, value=value: self.codes[row][attribute] > value)
            case OrderedDomain():
                yield from self.at_the_median(group, attribute)
            case Unordered():
                yield from self.near_equal(group, attribute)

    def into_children(self, group: Group, attribute: int, domain: Nested) -> Iterator[list[Group]]:
        """The non-empty classes one level finer, ascending."""
        level = group.levels[attribute] - 1
        if level < domain.finest:
            return
        levels = (*group.levels[:attribute], level, *group.levels[attribute + 1 :])
        finer = replace(group, levels=levels)
        yield self.parted(finer, lambda row: domain.classes[level][self.codes[row][attribute]])

    def at_the_median(self, group: Group, attribute: int) -> Iterator[list[Group]]:
        """The values up to the lower median and those above it, or those below it where it is the greatest.

        Relaxed, the first half has ceil(n / 2) records whatever their values: of the median's the lowest rows.
        """
        if len(self.present(group, attribute)) < 2:
            return
        ascending = sorted(group.rows, key=lambda row: (self.codes[row][attribute], row))
        half = math.ceil(len(ascending) / 2)
        if not self.strict:
            yield self.parted(group, lambda row: row not in ascending[:half])
            return
        median = self.codes[ascending[half - 1]][attribute]
        if median == self.codes[ascending[-1]][attribute]:
            yield self.parted(group, lambda row: self.codes[row][attribute] >= median)
        else:
            yield self.parted(group, lambda row: self.codes[row][attribute] > median)

    def near_equal(self, group: Group, attribute: int) -> Iterator[list[Group]]:
        """The values by descending count, each to the set with fewer records; that of the lowest code comes first."""
        counts = Counter(self.codes[row][attribute] for row in group.rows)
        if len(counts) < 2:
            return
        sets: tuple[set[int], set[int]] = (set(), set())
        for value in sorted(counts, key=lambda value: (-counts[value], value)):
            first, second = (sum(counts[each] for each in one) for one in sets)
            sets[0 if first <= second else 1].add(value)
        leading = next(each for each in sets if min(counts) in each)
        yield self.parted(group, lambda row: self.codes[row][attribute] not in leading)

    def parted(self, group: Group, key: Callable[[int], int]) -> list[Group]:
        """The non-empty parts of a group, by ascending key."""
        keys = {row: int(key(row)) for row in group.rows}
        return [
            replace(group, rows=tuple(row for row in group.rows if keys[row] == each))
            for each in sorted(set(keys.values()))
        ]

    def present(self, group: Group, attribute: int) -> list[int]:
        return sorted({int(self.codes[row][attribute]) for row in group.rows})

    # ---- what every group must be -----------------------------------------------------------------------------------

    def is_valid(self, groups: Sequence[Group]) -> bool:
        return all(self.size(group) >= self.k and self.passes_models(group) for group in groups)

    def size(self, group: Group) -> int:
        """The records of a group, or its distinct persons."""
        return len({row if self.persons is None else self.persons[row] for row in group.rows})

    def passes_models(self, group: Group) -> bool:
        return all(
            passes(model, self.counts(group, each), self.counts(self.whole, each), each.ancestors, self.size(group))
            for each in self.sensitive
            for model in each.models
        )

    def counts(self, group: Group, sensitive: Sensitive) -> Counter[int | str | None]:
        """The values of a group with their records, or with the distinct persons that have them."""
        who = range(len(self.codes)) if self.persons is None else self.persons
        return Counter(value for _, value in {(who[row], sensitive.values[row]) for row in group.rows})

    # ---- scores -----------------------------------------------------------------------------------------------------

    def score(self, group: Group, attribute: int, children: Sequence[Group], others: Sequence[Group]) -> float:
        match self.split:
            case "width":
                return float(self.width(group, attribute))
            case "prec":
                after = sum(
                    Fraction(len(each.rows), len(group.rows)) * self.share(each, attribute) for each in children
                )
                return float(self.share(group, attribute) - after)
            case "tf-idf":
                return self.tf_idf(children, [*children, *others])
            case "information-gain":
                return self.gain(group, children)

    def width(self, group: Group, attribute: int) -> Fraction:
        """The share of the attribute's domain that the group covers."""
        values = self.present(group, attribute)
        match self.domains[attribute]:
            case Nested() as domain:
                level = group.levels[attribute]
                return (
                    Fraction(1)
                    if level == domain.top
                    else Fraction(float(domain.widths[level][self.class_of(group, attribute)]))
                )
            case OrderedDomain(places, span):
                covered = Fraction(float(places[values[-1]])) - Fraction(float(places[values[0]]))
                return covered / Fraction(span) if span else Fraction(0)
            case Unordered(every):
                return Fraction(len(values) - 1, every - 1) if every > 1 else Fraction(0)

    def share(self, group: Group, attribute: int) -> Fraction:
        """What the group lacks in precision on an attribute: level / height, or its width."""
        domain = self.domains[attribute]
        if isinstance(domain, Nested):
            return Fraction(group.levels[attribute], domain.top)
        return self.width(group, attribute)

    def class_of(self, group: Group, attribute: int) -> int:
        """The class that all rows of a group are in, in a hierarchy."""
        domain, level = self.domains[attribute], group.levels[attribute]
        assert isinstance(domain, Nested)
        return 0 if level == domain.top else int(domain.classes[level][self.codes[group.rows[0]][attribute]])

    def tf_idf(self, children: Sequence[Group], groups: Sequence[Group]) -> float:
        """The mean over the children of the rules' weighted tf times idf, among all `groups` after the split."""
        assert self.guide is not None
        rules = range(len(self.guide.weights))
        met_by = {rule: sum(self.meets(group, rule) for group in groups) for rule in rules}
        total = 0.0
        for child in children:
            met = [rule for rule in rules if self.meets(child, rule)]
            for rule in met:
                total += float(self.guide.weights[rule]) / len(met) * math.log(len(groups) / met_by[rule])
        return total / len(children)

    def meets(self, group: Group, rule: int) -> bool:
        """Whether the generalised values of a group intersect the rule on every attribute."""
        assert self.guide is not None
        return all(self.intersects(group, rule, each) for each in range(len(self.domains)))

    def intersects(self, group: Group, rule: int, attribute: int) -> bool:
        assert self.guide is not None
        values = self.present(group, attribute)
        match self.guide.reaches[attribute]:
            case NestedReach(meets=meets):
                return bool(meets[group.levels[attribute]][rule, self.class_of(group, attribute)])
            case OrderedReach(points, low, high):
                return bool(low[rule] <= points[values[-1]] and high[rule] >= points[values[0]])
            case reach:
                return any(reach.means[rule, value] for value in values)

    def gain(self, group: Group, children: Sequence[Group]) -> float:
        """By how much a split lowers the entropy of the target, in nats."""
        after = sum(len(each.rows) / len(group.rows) * self.entropy(each) for each in children)
        return self.entropy(group) - after

    def entropy(self, group: Group) -> float:
        counts: Mapping[int, int] = Counter(self.target[row] for row in group.rows)
        return -math.fsum(n / len(group.rows) * math.log(n / len(group.rows)) for n in counts.values())

    def best_cut(self, group: Group, cuts: Sequence[list[Group]]) -> list[Group]:
        """The cut with the greatest gain; of equals the one nearest the middle of the records, then the lowest."""
        if len(cuts) == 1:
            return cuts[0]
        gains = [round(self.gain(group, each), DECIMALS) for each in cuts]
        equal = [cut for cut, gain in zip(cuts, gains, strict=True) if gain == max(gains)]
        return min(equal, key=lambda cut: abs(2 * len(cut[0].rows) - len(group.rows)))
