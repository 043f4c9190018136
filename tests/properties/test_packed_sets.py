"""Nodes counted from packed sets, many at once, beside the same counted by hand: of whatever hierarchies and values."""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from ordermade.counting import oracle
from ordermade.counting.counts import BITS, Counting, ground_sensitive
from ordermade.counting.coverage import encode_counted
from ordermade.counting.dataset import Dataset
from ordermade.counting.encoding import EncodedColumn
from ordermade.counting.oracle import RolledUp
from ordermade.counting.packed_set import PackedLevels
from ordermade.counting.value_bits import MAX_WORDS, value_bits
from ordermade.hierarchies.read import parse_yaml
from ordermade.lattice.lattice import Axis, Lattice, Node
from ordermade.lattice.observation import Observation, Requirement
from ordermade.privacy.models import DistinctL, EntropyL
from ordermade.sources.executor import Purpose
from tests.conformance.backends import BACKENDS, Table, dataset, opened
from tests.long import rounds
from tests.stored_sets import packed, whole_set

pytestmark = pytest.mark.slow

Value = int | None
WIDTHS = ((2, 4, 8), (3, 5), (2, 3, 10), (7,))
"""Of intervals: those of the second and the third do not nest."""


class Made:
    """A table of a seed: some columns of small numbers, some of them missing, and a hierarchy of intervals each."""

    def __init__(self, seed: int, columns: int, rows: int, sensitive: Sequence[int] = ()) -> None:
        """`sensitive`: the most values of each sensitive column beside them, some of them missing too."""
        chance = random.Random(seed)
        self.columns = [f"c{number}" for number in range(columns)]
        self.widths = [chance.choice(WIDTHS) for _ in self.columns]
        most = [chance.choice((1, 6, 40)) for _ in self.columns]
        self.rows: list[tuple[Value, ...]] = [
            tuple(None if chance.random() < 0.05 else chance.randint(0, each) for each in most) for _ in range(rows)
        ]
        texts = ["\n".join(f"    - {{width: {each}}}" for each in widths) for widths in self.widths]
        self.hierarchies = [parse_yaml(f"intervals:\n  levels:\n{text}\n", "h", where="h")[0] for text in texts]
        axes = [
            Axis(column, each.order, tuple(range(each.top + 1)))
            for column, each in zip(self.columns, self.hierarchies, strict=True)
        ]
        self.lattice = Lattice(tuple(axes))
        self.some = [tuple(chance.choice(axis.accepted) for axis in axes) for _ in range(60)]
        self.sensitive = {f"s{number}": most for number, most in enumerate(sensitive)}
        self.ill: list[tuple[Value, ...]] = [
            tuple(None if chance.random() < 0.1 else int(most * chance.random() ** 3) for most in sensitive)
            for _ in self.rows
        ]

    @contextlib.contextmanager
    def counted(self, folder: Path) -> Iterator[tuple[Dataset, tuple[EncodedColumn, ...]]]:
        """The table in a DuckDB file, and its columns made countable."""
        columns = dict.fromkeys([*self.columns, *self.sensitive], "BIGINT")
        rows = [each + ill for each, ill in zip(self.rows, self.ill, strict=True)]
        table = BACKENDS["duckdb"](folder, Table("t", columns, rows))
        with opened(table) as backend:
            asked = dataset(backend)
            pairs = zip(self.columns, self.hierarchies, strict=True)
            yield asked, tuple(encode_counted(asked, place, *pair, 0) for place, pair in enumerate(pairs, start=1))

    def by_hand(self, node: Node) -> Observation:
        classes = Counter(tuple(map(self._shown, row, range(len(node)), node)) for row in self.rows)
        return Observation.from_histogram(Counter(classes.values()).items())

    def _shown(self, value: Value, place: int, level: int) -> Value:
        if level == self.lattice.axes[place].top:
            return None
        return value if level == 0 or value is None else value // self.widths[place][level - 1]


@pytest.mark.parametrize("seed", range(rounds(3, 60)))
def test_every_node_is_counted_as_by_hand(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is rolled up, however few nodes a statement checks, and beyond the bits of one number."""
    made = Made(seed, columns=3 + 3 * (seed % 4), rows=200)
    monkeypatch.setattr(oracle, "MAX_NODES_AT_ONCE", 7)
    monkeypatch.setattr(oracle, "WORTH_ROLLING_UP", 0)
    monkeypatch.setattr(oracle, "SHRINKS", 2)
    monkeypatch.setattr(oracle, "WORTH_WAITING_FOR", seed % 3)
    monkeypatch.setattr(oracle, "WORTH_SUBTRACTING", 1)
    nodes = [each for each in dict.fromkeys(made.some) if each != made.lattice.top]
    with made.counted(tmp_path) as (asked, attributes):
        measurer = packed(asked, attributes, made.lattice)
        assert measurer.measure(nodes) == {node: made.by_hand(node) for node in nodes}
        words = PackedLevels(attributes, made.lattice).words.names
        rolled = sum("packed_roll_up" in each.text for each in asked.backend.workspace.ledger)
        print(f"seed {seed}: {len(words)} words, {rolled} statements of smaller sets")
        assert (len(words) > 1) == (len(made.columns) > 6) or len(made.columns) == 6

        coarse = tuple(0 if len(each) > 1 else 1 for each in made.widths)
        above = [node for node in nodes if all(level >= base for level, base in zip(node, coarse, strict=True))]
        first = packed(asked, attributes, made.lattice, coarse)
        assert first.measure(above) == {node: made.by_hand(node) for node in above}
        assert first.measure(nodes) == {node: made.by_hand(node) for node in nodes}

        limited = Requirement(5, 20)
        of_rows = first.suppressed(nodes, limited)
        wide = whole_set(asked, attributes)
        assert of_rows == RolledUp(asked, attributes, made.lattice, lambda: wide).suppressed(nodes, limited)
        of_others = packed(asked, attributes, made.lattice).suppressed(nodes, limited)
        assert of_others == of_rows, "what is measured first may not matter"
        assert {node: each.rows for node, each in of_rows.items()} == {
            node: sum(size * classes for size, classes in made.by_hand(node).sizes if size < 5) for node in nodes
        }


@pytest.mark.parametrize("seed", range(rounds(3, 60)))
def test_classes_with_too_few_values_are_those_that_are_counted_value_by_value(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every figure: of several columns, values that are missing or more than a number has bits, and the root too."""
    made = Made(seed, columns=3 + 3 * (seed % 3), rows=400, sensitive=((3,), (400,), (3, 90))[seed // 2 % 3])
    monkeypatch.setattr(oracle, "MAX_NODES_AT_ONCE", 7)
    monkeypatch.setattr(oracle, "WORTH_ROLLING_UP", 0)
    monkeypatch.setattr(oracle, "SHRINKS", 2)
    monkeypatch.setattr(oracle, "WORTH_WAITING_FOR", seed % 3)
    monkeypatch.setattr(oracle, "WORTH_SUBTRACTING", 1)
    nodes = list(dict.fromkeys([*made.some, made.lattice.top]))
    with made.counted(tmp_path) as (asked, attributes):
        sensitive = tuple(
            ground_sensitive(asked, place, column, [DistinctL(2), DistinctL(2 + seed % 2)])
            for place, column in enumerate(made.sensitive, start=len(attributes) + 1)
        )
        counting = Counting.of(sensitive, None, within_limit=True)
        wide = whole_set(asked, attributes, counting)
        by_value = RolledUp(asked, attributes, made.lattice, lambda: wide, counting)
        expected = by_value.measure(nodes)
        limited = Requirement(5, 400, models=True)
        suppressed = by_value.suppressed(nodes, limited)
        assert any(0 < sum(classes for _, classes in each.failing or ()) < each.divisions for each in expected.values())

        measurer = packed(asked, attributes, made.lattice, counting=counting)
        assert measurer.suppressed(nodes, limited) == suppressed
        assert measurer.measure(nodes) == expected
        assert measurer.suppressed(nodes, limited) == suppressed, "counted by the rows that are left"
        assert any("packed_roll_up" in each.text for each in asked.backend.workspace.ledger)
        for alone in counting.for_each_model().values():
            assert measurer.by(alone).measure(nodes) == by_value.by(alone).measure(nodes)

        coarse = tuple(0 if len(each) > 1 else 1 for each in made.widths)
        above = [node for node in nodes if all(level >= base for level, base in zip(node, coarse, strict=True))]
        first = packed(asked, attributes, made.lattice, coarse, counting)
        assert first.measure(above) == {node: expected[node] for node in above}
        assert first.measure(nodes) == expected


def test_a_set_rolled_up_for_one_model_serves_those_of_other_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Made(5, columns=3, rows=400, sensitive=(3, 9))
    with made.counted(tmp_path) as (asked, attributes):
        sensitive = tuple(ground_sensitive(asked, place, f"s{place - 4}", [EntropyL(Fraction(2))]) for place in (4, 5))
        counting = Counting.of(sensitive, None, within_limit=True)
        wide = whole_set(asked, attributes, counting)
        one_by_one = RolledUp(asked, attributes, made.lattice, lambda: wide, counting)
        models = counting.for_each_model().values()
        expected = [one_by_one.by(alone).measure(made.some) for alone in models]
        monkeypatch.setattr(oracle, "WORTH_ROLLING_UP", 0)
        monkeypatch.setattr(oracle, "SHRINKS", 2)
        monkeypatch.setattr(oracle, "WORTH_WAITING_FOR", 0)
        rolled = RolledUp(asked, attributes, made.lattice, lambda: wide, counting)
        assert [rolled.by(alone).measure(made.some) for alone in models] == expected
        assert any("roll_up_1" in each.text for each in asked.backend.workspace.ledger)


def test_what_bits_do_not_decide_is_counted_value_by_value(tmp_path: Path) -> None:
    made = Made(3, columns=2, rows=60, sensitive=(3,))
    with made.counted(tmp_path) as (asked, attributes):
        for models in ([EntropyL(Fraction(2))], [DistinctL(2), EntropyL(Fraction(2))]):
            counting = Counting.of((ground_sensitive(asked, 3, "s0", models),), None, within_limit=False)
            with pytest.raises(ValueError, match="different values"):
                packed(asked, attributes, made.lattice, counting=counting)
        few = ground_sensitive(asked, 3, "s0", [DistinctL(2)])
        most = MAX_WORDS * BITS
        assert value_bits(Counting((replace(few, different=most),))) is not None
        assert value_bits(Counting((replace(few, different=most + 1),))) is None
        assert value_bits(Counting((few,), entity="id")) is None


def test_a_statement_checks_as_many_nodes_as_fit(tmp_path: Path) -> None:
    made = Made(1, columns=3, rows=50)
    with made.counted(tmp_path) as (asked, attributes):
        measurer = packed(asked, attributes, made.lattice)
        nodes = [each for each in made.lattice.nodes() if each != made.lattice.top]
        assert len(nodes) < oracle.MAX_NODES_AT_ONCE
        measurer.measure(nodes)
        assert asked.backend.workspace.count([Purpose.K_CHECK]) == 1


def test_an_empty_table_has_no_class_at_any_node(tmp_path: Path) -> None:
    made = Made(2, columns=2, rows=0)
    with made.counted(tmp_path) as (asked, attributes):
        nodes = [(0, 0), (1, 1)]
        empty = Observation.from_histogram([])
        assert packed(asked, attributes, made.lattice).measure(nodes) == dict.fromkeys(nodes, empty)


def test_an_empty_table_has_no_class_that_fails(tmp_path: Path) -> None:
    made = Made(2, columns=2, rows=0, sensitive=(3,))
    with made.counted(tmp_path) as (asked, attributes):
        counting = Counting.of((ground_sensitive(asked, 3, "s0", [DistinctL(2)]),), None, within_limit=True)
        nodes = [(0, 0), (1, 1), made.lattice.top]
        empty = replace(Observation.from_histogram([]), failing=())
        assert packed(asked, attributes, made.lattice, counting=counting).measure(nodes) == dict.fromkeys(nodes, empty)
