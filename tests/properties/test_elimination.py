"""The values left possible in a class: those that going through all cells leaves, and those that its rows have."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ordermade.evaluation.rounds import known_rounds, nodes_of
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.hierarchy import Level, level_order
from ordermade.privacy.elimination import ClassLabels, Eliminations, LabelledAttribute
from ordermade.privacy.released_labels import released_column, spans_of

pytestmark = pytest.mark.slow

Labels = Sequence[Sequence[int]]


@dataclass(frozen=True)
class Case:
    """The values under each label of each attribute, the classes by label number, the rounds that each may be of."""

    values: tuple[int, ...]
    labels: tuple[Labels, ...]
    classes: tuple[tuple[int, ...], ...]
    rounds: tuple[tuple[int, int], ...]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    values = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    labels: list[Labels] = []
    for number in values:
        sets = st.lists(st.integers(0, number - 1), min_size=1, max_size=number, unique=True)
        labels.append([range(number), *draw(st.lists(sets, min_size=1, max_size=5))])
    a_class = st.tuples(*(st.integers(0, len(each) - 1) for each in labels))
    classes = draw(st.lists(a_class, min_size=1, max_size=12, unique=True))
    rounds = [tuple(sorted(draw(st.tuples(st.integers(0, 4), st.integers(0, 4))))) for _ in classes]
    return Case(tuple(values), tuple(labels), tuple(classes), tuple((low, high) for low, high in rounds))


def cells(case: Case, number: int) -> set[tuple[int, ...]]:
    sets = [labels[label] for labels, label in zip(case.labels, case.classes[number], strict=True)]
    return set(itertools.product(*sets))


@given(cases(), st.booleans())
def test_what_is_left_is_what_going_through_all_cells_leaves(case: Case, with_rounds: bool) -> None:
    attributes = [LabelledAttribute.of(*each) for each in zip(case.values, case.labels, strict=True)]
    released = ClassLabels.of(attributes, np.array(case.classes, dtype=np.intp), case.rounds)
    eliminations = Eliminations(released, with_rounds=with_rounds)
    for number, found in enumerate(eliminations.all_left()):
        own = cells(case, number)
        around = [other for other in range(len(case.classes)) if cells(case, other) > own]
        assert eliminations.around(number).tolist() == around
        left = set(own)
        for other in range(len(case.classes)):
            earlier = with_rounds and case.rounds[other][1] < case.rounds[number][0]
            if earlier or cells(case, other) < own:
                left -= cells(case, other)
        expected = [sorted({cell[place] for cell in left or own}) for place in range(len(case.values))]
        assert [each.tolist() for each in found.values] == expected
        assert found.contradicted == (not left)
        assert not found.given_up


@dataclass(frozen=True)
class Recoding:
    """Rows by number of their leaf in each column, the label of each leaf at each level, the nodes in order, and k."""

    rows: tuple[tuple[int, ...], ...]
    labels: tuple[tuple[tuple[str, ...], ...], ...]
    order: tuple[tuple[int, ...], ...]
    k: int


@st.composite
def recodings(draw: st.DrawFn) -> Recoding:
    """Levels need not nest, and have labels in common, of one another and of the leaves."""
    leaves = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    labels: list[tuple[tuple[str, ...], ...]] = []
    for number in leaves:
        level = st.lists(st.sampled_from("abcd"), min_size=number, max_size=number).map(tuple)
        labels.append((tuple("abcd"[:number]), *draw(st.lists(level, max_size=2)), ("*",) * number))
    row = st.tuples(*(st.integers(0, number - 1) for number in leaves))
    nodes = list(itertools.product(*(range(len(each)) for each in labels)))
    return Recoding(
        tuple(draw(st.lists(row, min_size=1, max_size=30))),
        tuple(labels),
        tuple(draw(st.permutations(nodes))),
        draw(st.integers(1, 4)),
    )


def released(case: Recoding) -> list[tuple[tuple[int, ...], tuple[str, ...]]]:
    """Each released row with its labels: node after node, whatever reaches k of the rows that remain."""
    remaining, done = list(case.rows), []
    for node in case.order:
        of_rows = [tuple(case.labels[at][node[at]][leaf] for at, leaf in enumerate(row)) for row in remaining]
        large = {labels for labels, rows in Counter(of_rows).items() if rows >= case.k}
        done += [(row, labels) for row, labels in zip(remaining, of_rows, strict=True) if labels in large]
        remaining = [row for row, labels in zip(remaining, of_rows, strict=True) if labels not in large]
    return done


@given(recodings())
def test_every_row_has_values_that_are_left(case: Recoding) -> None:
    rows = released(case)
    assume(rows)
    columns, hierarchies, numbers = [], {}, []
    for at, levels in enumerate(case.labels):
        named = [f"level {number}" for number in range(len(levels))]
        hierarchy = ExplicitHierarchy(
            f"c{at}",
            tuple(Level(name, name) for name in named),
            level_order([[False] * (len(levels) - 2)] * (len(levels) - 2)),
            levels[0],
            levels[1:],
        )
        number: dict[str | None, int] = {}
        numbers.append([number.setdefault(labels[at], len(number)) for _, labels in rows])
        columns.append(released_column(f"c{at}", tuple(number), hierarchy))
        hierarchies[f"c{at}"] = hierarchy
    classes, class_of = np.unique(
        np.array(numbers, dtype=np.intp).T.reshape(len(rows), -1), axis=0, return_inverse=True
    )
    rounds = known_rounds([{"levels": {f"c{at}": level for at, level in enumerate(node)}} for node in case.order], "r")
    first, last = spans_of(nodes_of(rounds, columns, hierarchies), columns, classes)
    assert np.all(first >= 0)
    found = ClassLabels(tuple(each.attribute for each in columns), classes, first, last)
    for with_rounds in (False, True):
        left = list(Eliminations(found, with_rounds=with_rounds).all_left())
        assert not any(each.contradicted or each.given_up for each in left)
        for (row, _), number_of_class in zip(rows, class_of.reshape(-1).tolist(), strict=True):
            for leaf, values in zip(row, left[number_of_class].values, strict=True):
                assert leaf in values.tolist()
