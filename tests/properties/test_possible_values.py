"""The sensitive values left for a person: those of all tables that agree with a release, gone through one by one."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ordermade.privacy.possible_values import CandidateClasses

pytestmark = pytest.mark.slow

Cell = tuple[int, ...]
Row = tuple[Cell, str]
Label = tuple[int, ...]
"""The node by number, and the number of the class of each column at its level."""


@dataclass(frozen=True)
class Domain:
    """Of each column the class of each value at each level, the finest first; the nodes in order, and k."""

    levels: tuple[tuple[tuple[int, ...], ...], ...]
    order: tuple[tuple[int, ...], ...]
    k: int

    @property
    def cells(self) -> Sequence[Cell]:
        return list(itertools.product(*(range(len(each[0])) for each in self.levels)))

    def label(self, number: int, cell: Cell) -> Label:
        node = self.order[number]
        return number, *(own[level][value] for own, level, value in zip(self.levels, node, cell, strict=True))


@st.composite
def domains(draw: st.DrawFn, values: int) -> Domain:
    levels = []
    for _ in range(2):
        number = draw(st.integers(1, values))
        between = st.lists(st.integers(0, number - 1), min_size=number, max_size=number).map(tuple)
        levels.append((tuple(range(number)), *draw(st.lists(between, max_size=1)), (0,) * number))
    nodes = list(itertools.product(*(range(len(each)) for each in levels)))
    return Domain(tuple(levels), tuple(draw(st.permutations(nodes))), draw(st.integers(2, 3)))


def released(domain: Domain, rows: Sequence[Row]) -> list[tuple[Row, Label]]:
    """Each released row with its label: node after node, whatever has k of the rows that remain."""
    remaining, done = list(rows), []
    for number in range(len(domain.order)):
        labels = [domain.label(number, cell) for cell, _ in remaining]
        large = {label for label, rows_of in Counter(labels).items() if rows_of >= domain.k}
        done += [(row, label) for row, label in zip(remaining, labels, strict=True) if label in large]
        remaining = [row for row, label in zip(remaining, labels, strict=True) if label not in large]
    return done


def covering(domain: Domain, classes: Sequence[Label], cell: Cell) -> list[int]:
    """The classes whose labels name a cell, the one that was released first in front."""
    found = [place for place, label in enumerate(classes) if domain.label(label[0], cell) == label]
    return sorted(found, key=lambda place: classes[place][0])


def worlds(domain: Domain, classes: Sequence[Label], rows: Sequence[tuple[Label, str]]) -> Iterator[list[Row]]:
    """Every way to place the released rows in cells that no class released before names."""
    own = [
        [cell for cell in domain.cells if covering(domain, classes, cell)[:1] == [classes.index(label)]]
        for label, _ in rows
    ]
    for cells in itertools.product(*own):
        yield [(cell, value) for cell, (_, value) in zip(cells, rows, strict=True)]


def candidates(domain: Domain, classes: Sequence[Label], rows: Sequence[tuple[Label, str]]) -> CandidateClasses:
    values = sorted({value for _, value in rows})
    flags = np.array([[(label, value) in rows for value in values] for label in classes], dtype=np.bool_)
    sizes = np.array([sum(label == of for of, _ in rows) for label in classes], dtype=np.intp)
    found = CandidateClasses(flags.reshape(len(classes), len(values)), sizes, len(domain.cells))
    by_cell = [covering(domain, classes, cell) for cell in domain.cells]
    for place in range(len(classes)):
        named = [at for at, each in enumerate(by_cell) if place in each]
        left = [at for at in named if by_cell[at][0] == place]
        found.add(place, np.array(named, dtype=np.intp), np.array(left, dtype=np.intp))
    return found


def rows_of(values: int, most: int) -> st.SearchStrategy[list[Row]]:
    cell = st.tuples(st.integers(0, values - 1), st.integers(0, values - 1))
    return st.lists(st.tuples(cell, st.sampled_from("abc")), min_size=2, max_size=most)


def within(domain: Domain, rows: Sequence[Row]) -> list[Row]:
    """The rows with their values folded into the domain."""
    sizes = [len(each[0]) for each in domain.levels]
    return [(tuple(at % size for at, size in zip(cell, sizes, strict=True)), value) for cell, value in rows]


@given(domains(3), rows_of(3, 5))
def test_the_values_left_are_those_of_every_table_that_agrees(domain: Domain, drawn: list[Row]) -> None:
    found = released(domain, within(domain, drawn))
    assume(found)
    seen = [(label, value) for (_, value), label in found]
    classes = sorted({label for label, _ in seen})
    possible: dict[Cell, set[str]] = {}
    for world in worlds(domain, classes, seen):
        for cell, value in world:
            possible.setdefault(cell, set()).add(value)
    of_all = candidates(domain, classes, seen)
    for at, cell in enumerate(domain.cells):
        alone = of_all.possible(np.eye(len(domain.cells), dtype=np.intp)[at])
        by_labels = {value for label, value in seen if classes.index(label) in covering(domain, classes, cell)}
        assert alone.left == len(possible.get(cell, ()))
        assert alone.by_labels == (len(by_labels) if possible.get(cell) else 0)
        assert alone.rows_narrowed == (0 < len(possible.get(cell, ())) < len(by_labels))


@given(domains(2), rows_of(2, 4))
def test_nobody_has_fewer_values_than_their_class(domain: Domain, drawn: list[Row]) -> None:
    """Not even for a reader who knows the method and k: of all tables that give the release, with as many rows."""
    rows = within(domain, drawn)
    found = released(domain, rows)
    seen = Counter((label, value) for (_, value), label in found)
    every = list(itertools.product(domain.cells, sorted({value for _, value in rows})))
    possible: dict[Cell, set[str]] = {}
    for table in itertools.combinations_with_replacement(every, len(rows)):
        if Counter((label, value) for (_, value), label in released(domain, table)) == seen:
            for cell, value in table:
                possible.setdefault(cell, set()).add(value)
    for (cell, _), label in found:
        assert {value for of, value in seen if of == label} <= possible[cell]


def test_more_values_than_fit_one_integer() -> None:
    """70 values: the first class has the first 66, the second the last 10, and both may have the combination."""
    values = np.zeros((2, 70), dtype=np.bool_)
    values[0, :66] = values[1, 60:] = True
    found = CandidateClasses(values, np.array([66, 10], dtype=np.intp), 2)
    found.add(0, np.array([0, 1]), np.array([0], dtype=np.intp))
    found.add(1, np.array([1]), np.array([1]))
    own = found.possible(np.array([3, 5], dtype=np.intp))
    assert (own.values, own.rows, own.rows_narrowed) == (70, 8, 5)
    assert (own.by_labels, own.left) == ((3 * 66 + 5 * 70) / 8, (3 * 66 + 5 * 10) / 8)
    assert (own.least_by_labels, own.least_left, own.least_candidates) == (66, 10, 10)
