"""Hierarchies with one label for different values at two levels: a sealed release is refused, or sealed for its reader.

The reader sees labels alone, and takes each for any values that an accepted level of the hierarchy writes so.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordermade.counting.coinciding_labels import coinciding_levels
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.read import parse_yaml
from ordermade.hierarchies.read_csv import read_csv
from ordermade.lattice.observation import Requirement
from ordermade.privacy.elimination import ClassLabels, Eliminations, LabelledAttribute
from tests.local import Table, opened, text
from tests.long import rounds
from tests.made import Row, Value, write_hierarchy

pytestmark = pytest.mark.slow

LABELS = ("0", "1", "2", "g", "h", "*")


@dataclass(frozen=True)
class Case:
    """A table, the paths of its values, the finest and coarsest accepted level of each column, and k."""

    rows: tuple[Row, ...]
    paths: tuple[tuple[tuple[Value, ...], ...], ...]
    spans: tuple[tuple[int, int], ...]
    k: int


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Three values a column, labels of groups that may be called as a value, another group, or `*`."""
    paths, columns, spans = [], [], []
    for _ in range(draw(st.integers(1, 3))):
        null = draw(st.booleans())
        groups = draw(st.lists(st.lists(st.sampled_from(LABELS), min_size=3, max_size=3), max_size=2))
        paths.append(tuple((value, *(level[value] for level in groups), "*") for value in range(3)))
        columns.append(st.sampled_from([0, 1, 2, None] if null else [0, 1, 2]))
        spans.append((draw(st.integers(0, 1)), draw(st.integers(0, 3))))
    rows = draw(st.lists(st.tuples(*columns), min_size=4, max_size=30))
    return Case(tuple(rows), tuple(paths), tuple(spans), draw(st.integers(2, 4)))


@contextmanager
def table_of(case: Case) -> Iterator[tuple[Table, list[tuple[int, ...]]]]:
    """The table, and the accepted levels of each column."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        hierarchies = [
            read_csv(
                write_hierarchy(folder / f"{place}.csv", ["value", *(f"g{i}" for i in range(1, len(each[0])))], each),
                f"h{place}",
                "header",
            )[0]
            for place, each in enumerate(case.paths)
        ]
        spans = [
            (min(low, each.top), max(min(low, each.top), min(high, each.top)))
            for (low, high), each in zip(case.spans, hierarchies, strict=True)
        ]
        kinds = {f"q{place}": "INTEGER" for place in range(len(hierarchies))}
        with opened(folder, kinds, case.rows, hierarchies, case.k, accepted=spans) as table:
            yield table, [tuple(range(low, high + 1)) for low, high in spans]


def is_refused(table: Table, accepted: Sequence[Sequence[int]]) -> bool:
    workspace = table.plan.dataset.backend.workspace
    return any(
        coinciding_levels(workspace, each, levels) is not None
        for each, levels in zip(table.plan.attributes, accepted, strict=True)
    )


def told_apart(hierarchy: ExplicitHierarchy, values: Sequence[Value], accepted: Sequence[int]) -> bool:
    """By hand: each label of the accepted levels names one set of these values, NULL that is not listed among them."""
    named: dict[str, set[frozenset[Value]]] = {}
    for level in accepted:
        of_level: dict[str, set[Value]] = {}
        for value in values:
            label = text(_label(hierarchy, value, level))
            if label is not None:
                of_level.setdefault(label, set()).add(value)
        for label, those in of_level.items():
            named.setdefault(label, set()).add(frozenset(those))
    return all(len(sets) == 1 for sets in named.values())


def _label(hierarchy: ExplicitHierarchy, value: Value, level: int) -> Value:
    if value is None:
        return "*" if level == hierarchy.top else None
    return value if level == 0 else hierarchy.labels[level - 1][hierarchy.leaves.index(str(value))]


def narrowed(table: Table, accepted: Sequence[Sequence[int]]) -> tuple[int, int]:
    """Classes of which a reader can rule out a value, and pairs of classes that overlap as they are read."""
    classes = sorted({tuple(map(text, each.labels)) for each in table.released() if each.labels is not None}, key=str)
    attributes, of_classes = [], []
    for place, (hierarchy, levels) in enumerate(zip(table.hierarchies, accepted, strict=True)):
        number = {label: at for at, label in enumerate(dict.fromkeys(each[place] for each in classes))}
        values: list[Value] = [*map(int, filter(None, hierarchy.leaves)), None]
        read = [
            [
                [at for at, value in enumerate(values) if text(_label(hierarchy, value, level)) == label]
                for level in levels
            ]
            for label in number
        ]
        attributes.append(LabelledAttribute.read(len(values), [[each for each in sets if each] for sets in read]))
        of_classes.append([number[each[place]] for each in classes])
    labels = np.array(of_classes, dtype=np.intp).T
    attack = Eliminations(ClassLabels.of(attributes, labels, None), with_rounds=False)
    named = [
        [set(own.named[label].tolist()) for own, label in zip(attributes, row, strict=True)] for row in labels.tolist()
    ]
    fewer = sum(
        any(len(now) < len(own) for now, own in zip(left.values, sets, strict=True))
        for left, sets in zip(attack.all_left(), named, strict=True)
    )
    return fewer, sum(all(a & b for a, b in zip(one, other, strict=True)) for one, other in combinations(named, 2))


@given(case=cases())
@pytest.mark.long
@settings(max_examples=rounds(12, 40))  # of tables that a database recodes
def test_a_sealed_release_is_refused_or_sealed_for_its_reader(case: Case) -> None:
    with table_of(case) as (table, accepted):
        refused = is_refused(table, accepted)
        values = [
            [*map(int, filter(None, each.leaves)), *([None] if any(row[place] is None for row in case.rows) else [])]
            for place, each in enumerate(table.hierarchies)
        ]
        every = [*zip(table.hierarchies, values, accepted, strict=True)]
        assert refused == (not all(told_apart(*each) for each in every))
        if refused:
            return
        found = table.seal(Requirement(case.k, 0), None)
        if found.refusal is None:
            assert narrowed(table, accepted) == (0, 0)


def test_what_is_refused_would_be_narrowed() -> None:
    """The group `1` of the values 0 and 1 in one half of the table, the values 0 and 1 themselves in the other."""
    groups = ((0, "1", "*"), (1, "1", "*"), (2, "2", "*"))
    plans = ((0, "*"), (1, "*"))
    rows = [(0, 0)] * 3 + [(1, 0)] + [(0, 1)] * 3 + [(1, 1)] * 3
    case = Case(tuple(rows), (groups, plans), ((0, 2), (0, 0)), 3)
    with table_of(case) as (table, accepted):
        assert is_refused(table, accepted)
        assert table.seal(Requirement(3, 0), None).refusal is None
        assert narrowed(table, accepted) == (1, 1)


def test_prefixes_are_told_apart_by_the_values_that_occur() -> None:
    """`12*` keeps two characters of 123, and three of 12: with both in the data, it names two sets of values."""
    rules = "prefix: {keep: [3, 2]}"
    for values, refused in (
        (["12", "1234"], True),
        (["12"], False),
        (["1234", "1256"], False),
        (["12*", "1234"], True),
    ):
        with tempfile.TemporaryDirectory() as name:
            hierarchy = parse_yaml(rules, "zip", where="zip")[0]
            with opened(Path(name), {"zip": "VARCHAR"}, [(each,) for each in values], [hierarchy], 2) as table:  # type: ignore[list-item]
                assert is_refused(table, [range(4)]) == refused, values
