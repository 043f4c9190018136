"""Rules on the pulled columns: values, classes of hierarchies, coverage, and rules that no release can serve."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordermade.counting.counts import outline_sensitive, remaining
from ordermade.counting.coverage import encode_counted
from ordermade.errors import InputError, Refused, quoted
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.methods.mondrian.algorithm.domains import Codes, Shares
from ordermade.methods.mondrian.algorithm.mining import in_units
from ordermade.methods.mondrian.algorithm.rule_coverage import LEAST, TOLERANCE, CoverageLimits, limits
from ordermade.methods.mondrian.algorithm.rules import Guide, NestedReach, OrderedReach, Reach, ValuesReach
from ordermade.methods.mondrian.counted_combinations import records_of
from ordermade.methods.mondrian.open_request import MondrianColumn, Numbers, OpenMondrian, Spans, SplitAxis
from ordermade.methods.shared.open_request import require_unchanged
from ordermade.privacy.least_k import AFTER_TOO_FEW, too_few
from ordermade.progress.waiting import Progress
from ordermade.records.cards import Card, Grid, HasSummary
from ordermade.records.printed import printed, printed_as
from ordermade.requests.problems import RequestProblem
from ordermade.requests.resolve_rules import AmongColumns, Condition, ResolvedRules

if TYPE_CHECKING:
    from ordermade.requests.mondrian import Labels

Flags: TypeAlias = NDArray[np.bool_]
_Into: TypeAlias = tuple[Flags, Shares]
"""For each rule and class: whether it has a value that the rule means, and the share of it that is meant."""


def nested_reach(
    column: MondrianColumn, axis: SplitAxis | None, conditions: Sequence[Condition | None], means: Flags
) -> NestedReach:
    """The reach of rules on a column that is split along its hierarchy; `means[rule, value]` is known.

    A class of intervals or of dates has all numbers or moments between its ends: whole numbers and days count, others
    are as probable as they lie far apart. Any other class has the values that the hierarchy lists, or that occur. So it
    is with `*`, which reaches from the least value that occurs to the greatest where it is no list.
    """
    every = _listed(column)
    numbers = [*column.classes, np.zeros(every.size, dtype=np.int32)]
    if axis is None:
        found = [_counted(means, classes, every) for classes in numbers]
    else:
        ends = axis.ends(conditions)
        reaching = [*(_inside(axis, column, level) for level in range(len(numbers) - 1)), _all_between(axis, column)]
        found = [
            _counted(means, classes, every) if between is None else _overlapping(axis, ends, between)
            for classes, between in zip(numbers, reaching, strict=True)
        ]
    silent = np.array([condition is None for condition in conditions])
    for meets, inside in found:
        meets[silent], inside[silent] = True, 1.0
    found[-1][0][:] = True  # `*` is met by every rule, whatever values occur
    return NestedReach(
        meets=tuple(meets.astype(np.uint8) for meets, _ in found),
        inside=tuple(inside for _, inside in found),
        means=means,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Between:
    """Classes of all numbers from `low` to `high`, ends included; `end`: where their length ends."""

    low: Numbers
    high: Numbers
    end: Numbers


def _hierarchy(column: MondrianColumn) -> Hierarchy:
    if column.grounded is None:
        raise TypeError(f"{column.column} has no hierarchy")
    return column.grounded.hierarchy


def _listed(column: MondrianColumn) -> Flags:
    """Whether values count as values of their classes: NULL only where the hierarchy lists it."""
    found = np.ones(column.values.size, dtype=np.bool_)
    hierarchy = _hierarchy(column)
    if column.null is not None:
        found[column.null] = isinstance(hierarchy, ExplicitHierarchy) and None in hierarchy.leaves
    return found


def _inside(axis: SplitAxis, column: MondrianColumn, level: int) -> _Between | None:
    """The classes of a level as intervals, None where they are the values that are listed or occur."""
    hierarchy = _hierarchy(column)
    spans = [None if label is None else hierarchy.span_of(label, level) for label in column.labels[level]]
    if not any(spans):
        return None
    # An open end is at the least, or the greatest, value that occurs, as for `*`.
    numbers = axis.values[axis.occur]
    if axis.whole:

        def unit(end: Fraction | None, at: int) -> int:
            return at if end is None else axis.unit_at_least(end)

        least, beyond = int(numbers.min(initial=0)), int(numbers.max(initial=0)) + 1
        low = np.array([1 if span is None else unit(span[0], least) for span in spans], dtype=np.int64)
        end = np.array([1 if span is None else unit(span[1], beyond) for span in spans], dtype=np.int64)
        return _Between(low, end - 1, end)

    def number(end: Fraction | None, at: float) -> float:
        return at if end is None else float(end)

    first, last = float(numbers.min(initial=0.0)), float(np.nextafter(numbers.max(initial=0.0), np.inf))
    starts = np.array([1.0 if span is None else number(span[0], first) for span in spans])
    ends = np.array([1.0 if span is None else number(span[1], last) for span in spans])
    return _Between(starts, np.nextafter(ends, -np.inf), ends)


def _all_between(axis: SplitAxis, column: MondrianColumn) -> _Between | None:
    """The class `*` from the least value that occurs to the greatest, None where it is of those that are listed."""
    hierarchy = _hierarchy(column)
    numbers = axis.values[axis.occur]
    if isinstance(hierarchy, ExplicitHierarchy) or not numbers.size:
        return None
    least, greatest = numbers.min(keepdims=True), numbers.max(keepdims=True)
    return _Between(least, greatest, greatest)


def _counted(means: Flags, classes: Codes, every: Flags) -> _Into:
    """The reach into classes of listed values: their share, each value being as probable."""
    number = int(classes.max(initial=-1)) + 1
    sizes = np.bincount(classes[every], minlength=number)
    meant = np.stack([np.bincount(classes[row & every], minlength=number) for row in means])
    return meant > 0, meant / np.maximum(sizes, 1)


def _overlapping(axis: SplitAxis, ends: Spans, classes: _Between) -> _Into:
    """The reach into intervals: their share by counting steps, or by length. A class of no length is in or out."""
    low, high = np.maximum(ends.low[:, None], classes.low), np.minimum(ends.high[:, None], classes.high)
    meets: Flags = low <= high
    least, greatest, end = (each.astype(np.float64) for each in (classes.low, classes.high, classes.end))
    if axis.step:
        common = np.floor(high) - np.ceil(low) + 1.0
        whole: Shares = np.floor(greatest) - np.ceil(least) + 1.0
    else:
        common = np.minimum(ends.high[:, None], end) - low
        whole = end - least
    shares = np.maximum(common, 0.0) / np.where(whole > 0, whole, 1.0)
    return meets, np.where(whole > 0, shares, meets.astype(np.float64))


MAX_PAIRS = 10**8
"""The most pairs of a rule and a value of one column: some 2 GB."""


def guide_of(rules: ResolvedRules, columns: Sequence[MondrianColumn]) -> Guide:
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


def _require_room(rules: ResolvedRules, column: MondrianColumn) -> None:
    """Raises InputError for too many pairs of a rule and a value; a cut knows its rules by their ends alone."""
    pairs = len(rules.rules) * column.values.size
    if column.kind != "ordered" and pairs > MAX_PAIRS:
        raise InputError(
            f"{len(rules.rules):,} rules over the {column.values.size:,} values of column {quoted(column.column)} are "
            f"{pairs:,} pairs, more than {MAX_PAIRS:,}",
            where="mondrian.rules",
            next_step="Take fewer rules, or a column of fewer values: round it in a dataset query.",
        )


def _reach(column: MondrianColumn, conditions: Sequence[Condition | None]) -> Reach:
    """The reach of each rule on a column."""
    axis = SplitAxis.of(column)
    if axis is not None and column.kind == "ordered":
        return _ordered(axis, conditions)
    means = _called(column, conditions) if axis is None else _between(axis, conditions)
    return nested_reach(column, axis, conditions, means) if column.kind == "nested" else ValuesReach(means)


def _ordered(axis: SplitAxis, conditions: Sequence[Condition | None]) -> OrderedReach:
    ends = axis.ends(conditions)
    return OrderedReach(
        points=axis.points(axis.values),
        low=axis.points(ends.low),
        high=axis.points(ends.high),
        first=np.searchsorted(axis.values, ends.low, side="left").astype(np.int32),
        last=(np.searchsorted(axis.values, ends.high, side="right") - 1).astype(np.int32),
        step=axis.step,
    )


def _between(axis: SplitAxis, conditions: Sequence[Condition | None]) -> Flags:
    """The values that each rule means, all where it is silent."""
    ends = axis.ends(conditions)
    found: Flags = (axis.values >= ends.low[:, None]) & (axis.values <= ends.high[:, None]) & axis.occur
    found[[condition is None for condition in conditions]] = True
    return found


def _called(column: MondrianColumn, conditions: Sequence[Condition | None]) -> Flags:
    """The values that each rule means by their names or those of their classes, all where it is silent."""
    places = _places(column)
    means = np.zeros((len(conditions), column.values.size), dtype=np.bool_)
    for row, condition in zip(means, conditions, strict=True):
        if not isinstance(condition, AmongColumns):
            row[:] = True
            continue
        # A name that nothing has means nobody: where values are listed, it was refused.
        for level, number in (places[name] for name in condition.names if name in places):
            if level:
                row |= column.classes[level] == number
            else:
                row[number] = True
    return means


def _places(column: MondrianColumn) -> Mapping[str, tuple[int, int]]:
    """Level and number of the coarsest class of each name; at level 0, where values are names, their codes."""
    found = {value: (0, code) for code, value in enumerate(column.values) if value is not None}
    for level, labels in enumerate(column.labels):
        if level > 0:
            found.update({label: (level, number) for number, label in enumerate(labels) if label is not None})
    return found


@dataclass(frozen=True, slots=True)
class CheckedRule:
    """A recommendation rule of a request."""

    item: str
    """Its item."""
    weight: float
    """Its weight."""
    meant: int | None = field(metadata=printed("about"))
    """The persons (or rows) that it means, rounded to a multiple of k; null where fewer than k."""
    reasons: tuple[str, ...]
    """The reasons why no release can serve it, each with a remedy; none where none is known."""

    @property
    @printed_as("fewer_than_k")
    def fewer_than_k(self) -> bool:
        """Whether they are fewer than k."""
        return self.meant is None

    @property
    @printed_as("can_be_served")
    def can_be_served(self) -> bool:
        """Whether some release may serve it."""
        return not self.reasons


def checked_rules(
    rules: ResolvedRules,
    columns: Sequence[MondrianColumn],
    codes: Codes,
    k: int,
    *,
    persons: Codes | None = None,
    weights: NDArray[np.int64] | None = None,
    labels: Labels = "interval",
) -> tuple[CheckedRule, ...]:
    """Every rule in the order of the file, over columns as they were pulled (see `Records`).

    `codes`: those of the records, a row a record. `persons`: the number of each record's person, from 0, where k counts
    persons. `weights`: the rows that each record stands for, one without them. `labels`: the released form of numbers
    and dates that are cut.
    """
    guide, domains = guide_of(rules, columns), [column.domain for column in columns]
    found = []
    for number, rule in enumerate(rules.rules):
        intervals = labels == "interval"
        known = limits(guide, number, domains, codes, k, persons=persons, weights=weights, intervals=intervals)
        meant = known.meant if known.meant >= k else None
        reasons = tuple(_reasons(known, columns, k, "rows" if persons is None else "persons"))
        found.append(CheckedRule(rule.item, float(rule.weight), meant, reasons))
    return tuple(found)


def _reasons(known: CoverageLimits, columns: Sequence[MondrianColumn], k: int, units: str) -> Iterator[str]:
    """The reasons why a rule of these limits cannot be served.

    Without the shares: those of classes that consist of the values which occur would reveal how many these are.
    """
    if known.meant < k:  # a reason would reveal whether there is anybody
        return
    coarse = [column for share, column in zip(known.shares, columns, strict=True) if _too_little(share)]
    for column in coarse:
        yield (
            f"no class of {quoted(column.column)} from {_finest(column)} up lies half inside it; accept a finer level, "
            "or ask for whole classes"
        )
    if coarse:
        return
    if _too_little(known.together):
        yield (
            "each class may lie half inside it, but no combination of classes does; accept finer levels, or ask for "
            "whole classes"
        )
    elif not known.crowded:
        yield (
            f"fewer than k = {k:,} {units} live in any one combination of classes or intervals that lies half inside "
            "it; ask for more, or accept a smaller k"
        )


def _too_little(share: float) -> bool:
    return share < LEAST - TOLERANCE


def _finest(column: MondrianColumn) -> str:
    """The finest level of a column with a hierarchy that is accepted."""
    finest = column.wanted.finest
    return f"level {finest}" if column.grounded is None else f"level {column.grounded.hierarchy.levels[finest].name}"


@dataclass(frozen=True, slots=True, repr=False)
class CheckedRules(HasSummary):
    """The audience of each rule of a request.

    Counts of the persons whom rules mean are rounded to multiples of k: exact counts of two rules that hardly differ
    could differ by fewer than k.
    """

    dataset: str
    """The dataset."""
    k: int
    """The k of the request."""
    unit: str
    """`persons` or `rows`."""
    rules: tuple[CheckedRule, ...]
    """The rules, in the order of their file."""

    @property
    def unserved(self) -> int:
        """The number of rules that no release of the request can serve."""
        return sum(bool(each.reasons) for each in self.rules)

    def _card(self) -> Card:

        title = f"CheckedRules: {len(self.rules):,} rules on {self.dataset}, {self.unserved:,} cannot be served"
        return Card.of(title, (("k", self.k),), Grid(checked_headings(self), checked_rows(self)))


def rules_checked(open_request: OpenMondrian, progress: Progress) -> CheckedRules:
    """Check the rules before a release. Only quasi-identifiers and persons are read from the source.

    Raises RequestError with every mistake, and for a request without rules; Refused where no release passes, as there
    are fewer than k; InputError, SourceFault, StateFault.
    """
    read, resolved, k = open_request.read, open_request.resolved, open_request.request.k
    if resolved.rules is None:
        instead = "write rules: FILE under mondrian, or draft some with `ordermade rules suggest`"
        path = ("mondrian",)
        raise read.refusal([RequestProblem("the request names no rules to check", instead, path, read.line(path))])
    progress.step("records")
    # Other released columns do not affect the rules.
    plan = replace(open_request.plan(outline_sensitive), kept=(), sensitive=())
    counted = remaining(plan.dataset, k)
    refusal = too_few(k, counted.number, counted.called)
    if refusal:
        raise Refused(refusal, where=f"dataset {quoted(open_request.opened.name)}", next_step=AFTER_TOO_FEW)
    records = records_of(plan, open_request.wanted(encode_counted), strict=True)
    require_unchanged(open_request)
    persons, unit = records.persons, counted.called
    progress.step("rules")
    found = checked_rules(
        resolved.rules,
        records.columns,
        records.codes,
        k,
        persons=persons,
        weights=records.weights,
        labels=resolved.labels,
    )
    return CheckedRules(open_request.opened.name, k, unit, tuple(_rounded(each, k) for each in found))


def _rounded(rule: CheckedRule, k: int) -> CheckedRule:
    return rule if rule.meant is None else replace(rule, meant=in_units(rule.meant, k) * k)


def checked_headings(found: CheckedRules) -> tuple[str, ...]:
    """The figures of each rule of a request."""
    return ("rule", "item", "weight", f"{found.unit} meant, about", "can be served")


def checked_rows(found: CheckedRules) -> list[tuple[Any, ...]]:
    """One row a rule, numbered as in the file."""
    fewer = f"fewer than {found.k:,}"
    return [
        (place, each.item, each.weight, fewer if each.meant is None else each.meant, "no" if each.reasons else "maybe")
        for place, each in enumerate(found.rules, start=1)
    ]


def reasons(found: CheckedRules) -> Iterator[str]:
    """The reasons why rules cannot be served, a line each, and the number of such rules."""
    yield ""
    for place, each in enumerate(found.rules, start=1):
        yield from (f"Rule {place}, {each.item}: {reason}." for reason in each.reasons)
    yield f"{found.unserved:,} of {len(found.rules):,} rules cannot be served by any release of this request."
