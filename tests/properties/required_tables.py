"""Random tables with persons and sensitive values, and what is required of a node, decided row by row."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from hypothesis import strategies as st

from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation, PersonSizes, Requirement, Sizes, SuppressedFigures
from ordermade.loss.costs import information
from tests.properties.test_search import Table, tables

Classes = dict[tuple[int, ...], list[int]]
"""The rows of each class."""
Fails = Callable[[Sequence[int], Sequence[int]], bool]
"""Whether a class with these sensitive values, one a row, fails in a table with those."""


def far_from(values: Sequence[int], whole: Sequence[int]) -> bool:
    """Whether shares differ by more than 2 in 5, half the sum of all differences."""
    shares = [
        Fraction(list(values).count(each), len(values)) - Fraction(whole.count(each), len(whole)) for each in VALUES
    ]
    return sum(map(abs, shares)) / 2 > Fraction(2, 5)


VALUES = range(3)
MODELS: dict[str, tuple[Fails, bool, bool]] = {
    "two values": (lambda values, _: len(set(values)) < 2, True, True),
    "no value in more than half": (lambda values, _: 2 * max(Counter(values).values()) > len(values), False, True),
    "as in the table": (far_from, False, True),
    "not a multiple of three": (lambda values, _: sum(values) % 3 == 0, False, False),
}
"""What fails, and whether it is monotone: under a limit, and while nothing may be suppressed."""


@dataclass(frozen=True)
class Case:
    """A table whose rows have a sensitive value and a person, and what is required."""

    table: Table
    persons: tuple[int, ...] | None
    sensitive: tuple[int, ...]
    required: Requirement
    model: str | None

    @property
    def units(self) -> int:
        """Rows, or persons."""
        return len(self.table.rows) if self.persons is None else len(set(self.persons))

    def members(self, node: Node) -> Classes:
        """The rows of every class."""
        if node not in self._members:
            found: Classes = {}
            levels = [each[level] for each, level in zip(self.table.levels, node, strict=True)]
            columns = zip(*self.table.rows, strict=True)
            labels = [[level[value] for value in column] for level, column in zip(levels, columns, strict=False)]
            for number, key in enumerate(zip(*labels, strict=True)):
                found.setdefault(key, []).append(number)
            self._members[node] = found
        return self._members[node]

    @cached_property
    def _members(self) -> dict[Node, Classes]:
        """The classes of the nodes that were asked for so far."""
        return {}

    def size(self, rows: Sequence[int]) -> int:
        """The units that have one of these rows."""
        return len(rows if self.persons is None else {self.persons[row] for row in rows})

    def fails(self, rows: Sequence[int]) -> bool:
        """Whether the class of these rows fails the model."""
        return self.model is not None and MODELS[self.model][0]([self.sensitive[row] for row in rows], self.sensitive)

    def keepable(self, rows: Sequence[int]) -> int:
        """The most of these rows that satisfy the model together: every number of each value tried."""
        counts = tuple([self.sensitive[row] for row in rows].count(value) for value in VALUES)
        if counts not in self._keepable:
            fails = MODELS[self.model or ""][0]
            parts = itertools.product(*(range(count + 1) for count in counts))
            held = ([value for value, n in zip(VALUES, part, strict=True) for _ in range(n)] for part in parts)
            self._keepable[counts] = max(
                (len(each) for each in held if each and not fails(each, self.sensitive)), default=0
            )
        return self._keepable[counts]

    @cached_property
    def _keepable(self) -> dict[tuple[int, ...], int]:
        """The answers of `keepable` by the number of rows of each value."""
        return {}

    def suppressed(self, node: Node) -> list[int]:
        """The rows of classes that are too small or fail the model."""
        classes = self.members(node).values()
        return [row for rows in classes if self.size(rows) < self.required.k or self.fails(rows) for row in rows]

    def released(self, node: Node) -> list[int]:
        """The sizes of the released classes."""
        gone = set(self.suppressed(node))
        return [self.size(rows) for rows in self.members(node).values() if rows[0] not in gone]

    def passes(self, node: Node) -> bool:
        """By definition, from the rows."""
        released, gone = self.released(node), self.size(self.suppressed(node))
        if not released or gone > self.required.most_suppressed:
            return False
        average = self.required.average_risk
        return average is None or len(released) <= average * (self.units - gone)

    def measure(self, node: Node, *, bare: bool = False) -> Observation:
        """What an oracle says of a node; `bare`: as it was measured for k alone, without a limit."""
        classes = self.members(node)
        sizes = {key: self.size(rows) for key, rows in classes.items()}
        failing = {key for key, rows in classes.items() if self.fails(rows)}
        found = Observation.from_histogram(Counter(sizes.values()).items(), units=self.units)
        if bare:
            return found
        persons = None
        if self.persons is not None and self.required.most_suppressed:
            alone = self._least(classes, sizes)
            fitting = self._least(classes, {key: 0 if key in failing else size for key, size in sizes.items()})
            persons = PersonSizes(alone, fitting if self.model else None)
        return Observation(
            found.rows,
            found.divisions,
            found.k,
            found.sum_of_squares,
            found.sizes,
            failing=None if self.model is None else histogram(sizes[key] for key in failing),
            persons=persons,
            suppressed=self.figures(node) if self.required.most_suppressed and self.passes(node) else None,
            keepable=histogram(self.keepable(classes[key]) for key in failing) if self.bounds_finer else None,
        )

    @property
    def bounds_finer(self) -> bool:
        """Whether parts that satisfy the model do so as a whole, and rows are counted."""
        return self.model is not None and self.persons is None and MODELS[self.model][2]

    def figures(self, node: Node) -> SuppressedFigures:
        """The figures of the suppressed rows."""
        gone = self.suppressed(node)
        leaves, bits = [], []
        for position, (levels, level) in enumerate(zip(self.table.levels, node, strict=True)):
            under = Counter(levels[level])
            classes = Counter(levels[level][self.table.rows[row][position]] for row in gone)
            leaves.append(sum(n * under[each] for each, n in classes.items()))
            bits.append(information(classes.values()))
        return SuppressedFigures(len(gone), tuple(leaves), tuple(bits))

    def _least(self, classes: Classes, sizes: dict[tuple[int, ...], int]) -> Sizes:
        assert self.persons is not None
        least: dict[int, int] = {}
        for key, rows in classes.items():
            for row in rows:
                person = self.persons[row]
                least[person] = min(least.get(person, len(self.table.rows)), sizes[key])
        return histogram(least.values())

    def losses(self, node: Node) -> dict[str, float]:
        """Every metric as the table of metrics defines it, from the rows."""
        lattice, rows, n = self.table.lattice, self.table.rows, self.units
        gone, released = self.suppressed(node), self.released(node)
        every = [self.size(each) for each in self.members(node).values()]
        s = self.size(gone)
        prec = sum(level / (axis.top or 1) for axis, level in zip(lattice.axes, node, strict=True)) / len(node)
        bits, ignored, shares = 0.0, 0.0, 0.0
        for position, level in enumerate(node):
            levels, column = self.table.levels[position], [row[position] for row in rows]
            general, leaf = Counter(levels[level][value] for value in column), Counter(column)
            under, domain = Counter(levels[level]), len(levels[0])
            ignored -= sum(math.log2(leaf[value] / general[levels[level][value]]) for value in column)
            among = Counter(levels[level][column[row]] for row in gone)
            bits -= sum(math.log2(among[levels[level][column[row]]] / len(gone)) for row in gone)
            if domain > 1 and rows:
                shares += sum(
                    1.0 if row in set(gone) else (under[levels[level][value]] - 1) / (domain - 1)
                    for row, value in enumerate(column)
                ) / len(rows)
        return {
            "prec": prec,
            "prec_suppressed_as_1": (1 - s / n) * prec + s / n,
            "height": sum(node),
            "classes": len(released),
            "dm": sum(size**2 for size in released) + n * s,
            "dm_star": sum(size**2 for size in every),
            "c_avg": (n - s) / len(released) / self.required.k,
            "aecs": n / (len(released) + (s > 0)),
            "entropy": ignored + bits,
            "entropy_ignoring_suppression": ignored,
            "loss": shares / len(node),
        }


def histogram(sizes: object) -> Sizes:
    """(size, number) of these sizes, ascending."""
    return tuple(sorted(Counter(sizes).items()))  # type: ignore[call-overload]


@st.composite
def ks(draw: st.DrawFn, case: Case) -> int:
    """Any k, or one that classes meet exactly: the size of one, or what all units, or a node's smallest, fill."""
    kind = draw(st.sampled_from(["any", "size", "filled", "all"]))
    sizes = sorted(case.size(rows) for rows in case.members(draw(nodes(case))).values())
    if kind == "any" or not sizes:
        return draw(st.integers(1, 6))
    if kind == "size":
        return draw(st.sampled_from(sizes))
    filled = case.units if kind == "all" else sum(sizes[: draw(st.integers(1, len(sizes)))])
    return draw(st.sampled_from([filled // times for times in (1, 2, 3) if filled % times == 0]))


@st.composite
def limits(draw: st.DrawFn, case: Case, k: int) -> int:
    """Any limit above 0, or exactly what a node suppresses for k, or one unit less."""
    if not case.units or draw(st.booleans()):
        return draw(st.integers(min(1, case.units), case.units))
    node = draw(nodes(case))
    suppressed = case.size(replace(case, required=Requirement(k)).suppressed(node))
    return max(1, suppressed - draw(st.integers(0, 1)))


def nodes(case: Case) -> st.SearchStrategy[Node]:
    """Any accepted node."""
    return st.tuples(*(st.sampled_from(axis.accepted) for axis in case.table.lattice.axes))


@st.composite
def cases(draw: st.DrawFn, limit: bool | None = None, nested: bool | None = None, model: bool | None = None) -> Case:
    """Any table with any requirement; with or without a limit, with or without a model, or as it comes.

    Often a class is of exactly k units, small classes fill whole ones, or a node suppresses exactly what it may.
    """
    table = draw(tables(nested))
    count = len(table.rows)
    persons = None
    if count and draw(st.integers(0, 2)) == 0:
        persons = tuple(draw(st.lists(st.integers(0, count // 2), min_size=count, max_size=count)))
    sensitive = tuple(draw(st.lists(st.integers(0, 2), min_size=count, max_size=count)))
    held = Case(table, persons, sensitive, Requirement(1), None)
    k = draw(ks(held))
    most = 0
    if limit is not False and (limit or draw(st.booleans())):
        most = draw(limits(held, k))
    chosen = None
    if model is not False and (model or draw(st.booleans())):
        chosen = draw(st.sampled_from(sorted(MODELS)))
    average = draw(st.none() | st.sampled_from([Fraction(1, 4), Fraction(1, 2)])) if model is not False else None
    monotone = average is None or not most
    if chosen is not None:
        # Persons counted or not, the models here look at rows.
        monotone = monotone and MODELS[chosen][1 if most else 2]
    required = Requirement(k, most, chosen is not None, monotone, persons is not None, average_risk=average)
    return Case(table, persons, sensitive, required, chosen)
