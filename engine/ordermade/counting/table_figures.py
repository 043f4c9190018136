"""The figures of a table measured as it is: its classes, sensitive columns and risks. Pure: counts in, figures out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import accumulate, pairwise
from typing import Any

from ordermade.lattice.observation import Observation, Sizes, mean_risk
from ordermade.privacy.least_k import in_words, shown
from ordermade.records.cards import Card, Grid, HasSummary
from ordermade.records.cells import cell

BELOW = (2, 3, 5, 10, 20, 50, 100)
"""The sizes below which classes are counted by default."""

THRESHOLDS = (Fraction(1, 20), Fraction(1, 5))
"""Risks of one record that are called low and high: classes of 20, and of 5."""

PERCENTILES = (5, 25, 50, 75, 95)


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """A measured column."""

    name: str
    """Its name."""
    type: str
    """Its SQL type."""
    values: int
    """Its different values; NULL is one."""
    nulls: int
    """The rows without a value."""


@dataclass(frozen=True, slots=True)
class SensitiveFigures:
    """The protection of a sensitive column: the worst class of each model.

    `distinct_l`: the fewest different values in a class; `entropy_l`: e to the least entropy; `recursive_c`: for each l
    from 2 to `distinct_l` the c that must be exceeded; `t_equal`, `t_ordered` (None where the column has no order): the
    greatest distance from the whole table; `alpha`: the greatest share of one value; `beta_basic`, `beta_enhanced`
    (None where no beta will do), `delta` (over the values that occur in a class).
    """

    column: ColumnFacts
    distinct_l: int
    entropy_l: float
    recursive_c: tuple[tuple[int, float], ...]
    t_equal: float
    t_ordered: float | None
    alpha: float
    beta_basic: float
    beta_enhanced: float | None
    delta: float

    @property
    def t(self) -> float:
        """The distance that fits the column: ordered where it has an order, else equal."""
        return self.t_equal if self.t_ordered is None else self.t_ordered


@dataclass(frozen=True, slots=True)
class Below:
    """The classes smaller than a k."""

    k: int
    """The k."""
    classes: int
    """Their number; null where it is not shown."""
    units: int
    """The rows (or persons) in them; null where it is not shown."""
    share: float
    """The share of all; null where it is not shown."""


@dataclass(frozen=True, slots=True)
class TableRisks:
    """The risk of a unit is sampling fraction / size of its class (of its smallest, where a person has several).

    `highest` and `average` over all units; `above`: (threshold, share of units whose risk is greater); `percentiles`:
    (percent, the risk that so many percent of the units do not exceed).
    """

    highest: Fraction
    average: Fraction
    above: tuple[tuple[Fraction, float], ...]
    percentiles: tuple[tuple[int, Fraction], ...]


@dataclass(frozen=True, slots=True, repr=False)
class MeasuredTable(HasSummary):
    """A table measured as it is. Its units are rows, or persons where there is an `entity` column.

    `name` as the user wrote it, `filter` the row filter in its one spelling (None: every row). Counts below `least_k`
    are not shown by its `repr`, in a notebook and on the command line; the fields have them.
    """

    name: str
    filter: str | None
    rows: int
    entity: str | None
    quasi_identifiers: tuple[ColumnFacts, ...]
    classes: Observation
    sensitive: tuple[SensitiveFigures, ...]
    least_k: int = 0

    @property
    def unit(self) -> str:
        """`rows` or `persons`."""
        return "rows" if self.entity is None else "persons"

    @property
    def units(self) -> int:
        """The number of rows, or of persons."""
        return self.classes.rows

    @property
    def k(self) -> int:
        """The units of the smallest class."""
        return self.classes.k

    @property
    def largest_class(self) -> int:
        """The units of the largest class."""
        return self.classes.sizes[-1][0]

    @property
    def classes_of_one(self) -> int:
        """The classes of one unit: those that are unique."""
        return sum(classes for size, classes in self.classes.sizes if size == 1)

    @property
    def average_class(self) -> float:
        """The mean size of a class."""
        return sum(size * classes for size, classes in self.classes.sizes) / self.classes.divisions

    @property
    def units_by_size(self) -> Sizes:
        """(size, units whose class, or smallest class, is of that size), ascending."""
        persons = self.classes.persons
        if persons is not None:
            return persons.alone
        return tuple((size, size * classes) for size, classes in self.classes.sizes)

    def below(self, sizes: Sequence[int] = BELOW) -> tuple[Below, ...]:
        """Count the units in classes smaller than each of `sizes`."""
        return tuple(self._below(k) for k in sizes)

    def risks(self, sampling_fraction: Fraction = Fraction(1)) -> TableRisks:
        """The risks of one who knows that a person is in the table; with a sampling fraction, of one who does not."""
        by_size = self.units_by_size
        return TableRisks(
            highest=sampling_fraction / self.k,
            average=sampling_fraction * mean_risk(by_size),
            above=tuple(
                (each, sum(units for size, units in by_size if sampling_fraction > each * size) / self.units)
                for each in THRESHOLDS
            ),
            percentiles=tuple((each, sampling_fraction / self._size_at(100 - each)) for each in PERCENTILES),
        )

    def marketer(self, sampling_fraction: Fraction = Fraction(1)) -> Fraction:
        """The share of units that one who links as many as possible is expected to link rightly."""
        return sampling_fraction * mean_risk(self.units_by_size)

    def _card(self) -> Card:

        whole = Fraction(1)
        return Card.of(
            f"MeasuredTable: k = {smallest_class(self)}",
            facts(self),
            Grid(sensitive_headings(self), sensitive_rows(self), "Sensitive columns:"),
            Grid(risk_headings(whole), risk_rows(self, whole), risk_title(self, whole)),
            Grid(BELOW_HEADINGS, below_rows(self), below_title(self)),
        )

    def _below(self, k: int) -> Below:
        classes = sum(classes for size, classes in self.classes.sizes if size < k)
        units = sum(units for size, units in self.units_by_size if size < k)
        return Below(k, classes, units, units / self.units)

    def _size_at(self, percent: int) -> int:
        """The least class size that more than `percent` percent of the units are in, or in a smaller one.

        The risk falls as the size grows: so many percent of the units have a greater risk at most.
        """
        held = accumulate(units for _, units in self.units_by_size)
        sizes = [size for size, _ in self.units_by_size]
        reached = (size for size, units in zip(sizes, held, strict=True) if 100 * units > percent * self.units)
        return next(reached, sizes[-1])


BELOW_HEADINGS = ("k", "classes below", "in them", "share")
SIZE_HEADINGS = ("size", "classes", "in them", "share")
BINS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1_000)
"""The least sizes of the bins of the displayed histogram; past them, 2, 5, 10 times so much."""


def facts(found: MeasuredTable) -> Iterator[tuple[str, Any]]:
    """The table and its classes in a few lines."""
    yield "table", found.name
    yield "where", found.filter
    words = partial(in_words, least_k=found.least_k)
    yield "rows", words(found.rows)
    if found.entity is not None:
        yield "persons", f"{words(found.units)} (identified by {found.entity})"
    yield "quasi-identifiers", [f"{each.name} ({each.values:,})" for each in found.quasi_identifiers]
    yield "k", words(found.k)
    yield "classes", words(found.classes.divisions)
    if not found.least_k:
        yield "classes of one", f"{found.classes_of_one:,} ({_percent(found.classes_of_one / found.classes.divisions)})"
    average = cell(found.average_class) if found.average_class >= found.least_k else words(0)
    sizes = [words(found.k), words(found.largest_class)]
    yield "class sizes", sizes[0] if found.k == found.largest_class else f"{' to '.join(sizes)}, {average} on average"
    yield (
        "not shown",
        f"counts below {found.least_k:,}, the least k of this table's datasets" if found.least_k else None,
    )


def smallest_class(found: MeasuredTable) -> str:
    """The units of the smallest class, or that they are fewer than the least k."""
    return in_words(found.k, found.least_k)


def below_title(found: MeasuredTable) -> str:
    """The title of the table of classes smaller than k."""
    return f"Below k ({found.unit}):"


def below_rows(found: MeasuredTable) -> list[tuple[Any, ...]]:
    """The classes smaller than each k, and their rows or persons."""
    words = partial(in_words, least_k=found.least_k)
    return [
        (each.k, words(each.classes), words(each.units), _percent(each.share) if each.units >= found.least_k else None)
        for each in found.below()
        if each.k >= found.least_k
    ]


def size_rows(found: MeasuredTable) -> list[tuple[Any, ...]]:
    """The histogram of class sizes in bins; those without classes are left out."""
    rows = []
    words = partial(in_words, least_k=found.least_k)
    few = [(size, classes) for size, classes in found.classes.sizes if size < found.least_k]
    if few:
        units = sum(units for size, units in found.units_by_size if size < found.least_k)
        share = _percent(units / found.units) if units >= found.least_k else None
        rows.append((words(0), words(sum(classes for _, classes in few)), words(units), share))
    for low, high in bins(found.largest_class):
        low = max(low, found.least_k)
        classes = sum(classes for size, classes in found.classes.sizes if low <= size <= high)
        units = sum(units for size, units in found.units_by_size if low <= size <= high)
        if classes:
            name = f"{low:,}" if low == high else f"{low:,} to {high:,}"
            rows.append((name, words(classes), words(units), _percent(units / found.units)))
    return rows


def bins(largest: int) -> list[tuple[int, int]]:
    """The least and the greatest size of each bin, up to the one that the largest class falls into."""
    lows = list(BINS)
    while lows[-1] <= largest:
        lows += [lows[-1] * 2, lows[-1] * 5, lows[-1] * 10]
    return [(low, following - 1) for low, following in pairwise(lows) if low <= largest]


def risk_headings(fraction: Fraction) -> tuple[str, ...]:
    """The attackers whose risks are shown: the journalist only where the table is a sample."""
    return ("risk", "prosecutor", *(("journalist",) if fraction != 1 else ()), "marketer")


def risk_rows(found: MeasuredTable, fraction: Fraction) -> list[tuple[Any, ...]]:
    """The risks from attackers: prosecutor (knows who is in the table), journalist (does not), marketer (links all)."""
    fractions = (Fraction(1), fraction) if fraction != 1 else (Fraction(1),)
    risks = [(found.risks(each), each) for each in fractions]

    def row(name: str, chosen: Callable[[TableRisks], Fraction], last: Any = None) -> tuple[Any, ...]:
        return (name, *(_risk_in_words(found, chosen(each), part) for each, part in risks), last)

    marketer = _risk_in_words(found, found.marketer(fraction), fraction)
    rows: list[tuple[Any, ...]] = [
        row("highest", lambda each: each.highest),
        row("average", lambda each: each.average, marketer),
    ]
    for at, (threshold, _) in enumerate(risks[0][0].above):
        shares = (share_above(found, threshold, part, each.above[at][1]) for each, part in risks)
        rows.append((f"share of {found.unit} above {threshold_text(threshold)}", *shares, None))
    for at, (percent, _) in enumerate(risks[0][0].percentiles):
        name = "median" if percent == 50 else f"percentile {percent}"
        rows.append(row(name, lambda each, at=at: each.percentiles[at][1]))  # type: ignore[misc]
    return rows


def sensitive_headings(found: MeasuredTable) -> tuple[str, ...]:
    """The sensitive columns."""
    return ("worst class", *(each.column.name for each in found.sensitive))


def sensitive_rows(found: MeasuredTable) -> list[tuple[Any, ...]]:
    """Each figure of each sensitive column; no row where there is no such column."""
    if not found.sensitive:
        return []
    figures: tuple[tuple[str, Callable[[SensitiveFigures], Any]], ...] = (
        ("values in the table", lambda each: each.column.values),
        ("distinct l", lambda each: each.distinct_l),
        ("entropy l", lambda each: each.entropy_l),
        ("recursive (c, 2), c above", lambda each: each.recursive_c[0][1] if each.recursive_c else None),
        ("t, equal distances", lambda each: each.t_equal),
        ("t, ordered", lambda each: each.t_ordered),
        ("alpha", lambda each: each.alpha),
        ("beta, basic", lambda each: each.beta_basic),
        ("beta, enhanced", lambda each: each.beta_enhanced),
        ("delta", lambda each: each.delta),
    )
    rows = [(name, *(figure(each) for each in found.sensitive)) for name, figure in figures]
    return [row for row in rows if any(figure is not None for figure in row[1:])]


def notes(found: MeasuredTable) -> Iterator[str]:
    """Notes on columns with one value."""
    columns = (*found.quasi_identifiers, *(each.column for each in found.sensitive))
    empty = [each.name for each in columns if each.nulls == found.rows]
    if empty:
        yield f"Every row is NULL in {cell(empty)}: measured as one value like others."
    for each in found.sensitive:
        if 0 < each.column.values < 2 and each.column.name not in empty:
            yield f"Every row has the same value in {each.column.name}: the table reveals it for everybody."


def class_sizes(found: MeasuredTable) -> Iterator[tuple[int | None, int | None]]:
    """The histogram of class sizes; those below the least k are one entry, whose size is None."""
    few = [classes for size, classes in found.classes.sizes if size < found.least_k]
    if few:
        yield None, shown(sum(few), found.least_k)
    for size, classes in found.classes.sizes:
        if size >= found.least_k:
            yield size, shown(classes, found.least_k)


def risk_shown(found: MeasuredTable, risk: Fraction, fraction: Fraction) -> float | None:
    """A risk; None where it belongs to a class smaller than the least k."""
    return None if risk * found.least_k > fraction else float(risk)


def _risk_in_words(found: MeasuredTable, risk: Fraction, fraction: Fraction) -> float | str:
    """A risk; for a class smaller than the least k only "more than" the risk at the least k."""
    exact = risk_shown(found, risk, fraction)
    return f"more than {cell(float(fraction / found.least_k))}" if exact is None else exact


def share_above(found: MeasuredTable, threshold: Fraction, fraction: Fraction, share: float) -> float | None:
    """The share of units whose risk is above a threshold; None where they are fewer than the least k.

    And where the threshold parts classes that are all smaller than the least k.
    """
    least_k = found.least_k
    if threshold * least_k > fraction or round(share * found.units) < least_k:
        return None
    return share


def _percent(share: float) -> str:
    """With two decimals, and neither 0 nor 100 where it is not."""
    if 0 < share < 0.00005:
        return "< 0.01 %"
    return "> 99.99 %" if 0.99995 < share < 1 else f"{100 * share:.2f} %"


def risk_title(found: MeasuredTable, fraction: Fraction) -> str:
    """The title of the table of risks."""
    sample = "" if fraction == 1 else f", a sample of {threshold_text(fraction)} of the population"
    return f"Risk of being recognised ({found.unit}{sample}):"


def threshold_text(share: Fraction) -> str:
    """A share as short as it is exact to six digits."""
    return f"{float(share):g}"
