"""Checks that are printed once and filled in for each node: the text of each is that of its own tree."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest

from ordermade import sql
from ordermade.counting import classes
from ordermade.counting.classes import check_statement, check_text, compiled_check, rows_of_set
from ordermade.counting.counts import Counting, StoredSet, ground_sensitive
from ordermade.counting.coverage import encode_counted
from ordermade.counting.dataset import Dataset
from ordermade.counting.encoding import EncodedColumn
from ordermade.counting.packed_set import PACKED, PackedLevels
from ordermade.counting.value_bits import ValueBits
from ordermade.hierarchies.read import parse_yaml
from ordermade.lattice.lattice import Axis, Lattice
from ordermade.privacy.models import DistinctL, EntropyL
from tests.conformance.backends import BACKENDS, Table, dataset, opened

HIERARCHY, _ = parse_yaml("intervals:\n  levels:\n    - {width: 2}\n", "h", where="h")
COLUMNS = ("a", "b", "c")
LATTICE = Lattice(tuple(Axis(column, HIERARCHY.order, (0, 1, 2)) for column in COLUMNS))
NODES = list(LATTICE.nodes())
STORED = StoredSet("roll_up_7_wide", 100, ())


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Dataset, tuple[EncodedColumn, ...]]]:
    rows = [(i % 3, i % 5, i % 7, f"s{i % 4}") for i in range(60)]
    columns = {**dict.fromkeys(COLUMNS, "BIGINT"), "ill": "VARCHAR"}
    with opened(BACKENDS["duckdb"](tmp_path_factory.mktemp("s"), Table("t", columns, rows))) as backend:
        asked = dataset(backend)
        yield (
            asked,
            tuple(encode_counted(asked, place, column, HIERARCHY, 0) for place, column in enumerate(COLUMNS, start=1)),
        )


def test_a_template_is_copied_without_the_places_of_its_text() -> None:
    tree = sql.template("counting/k_check")

    assert not [node for node in tree.walk() if node.meta.keys() & {"line", "col", "start", "end"}]


@pytest.mark.slow
def test_a_k_check_of_every_node_is_its_own_statement(counted: tuple[Dataset, tuple[EncodedColumn, ...]]) -> None:
    """But of the root, whose one class the rows say; alone, and with others."""
    values = (ValueBits(4, "c4", 4, 2), ValueBits(5, "c5", 100, 3))
    for levels in (PackedLevels(counted[1], LATTICE), PackedLevels(counted[1], LATTICE, values)):
        for nodes in (*([node] for node in NODES[:-1]), NODES[:-1], NODES[3:7]):
            assert levels.checks(PACKED, nodes) == sql.text(levels.checks_statement(PACKED, nodes))
            assert levels.rows_of_sizes(PACKED, nodes, (0, 6)) == sql.text(
                levels.rows_of_sizes_statement(PACKED, nodes, (0, 6))
            )


@pytest.mark.parametrize("models", [(), (DistinctL(2),), (DistinctL(2), EntropyL(Fraction(2)))], ids=len)
@pytest.mark.parametrize("least", [False, True])
@pytest.mark.parametrize("largest", [1 << 62, 8])
def test_a_check_of_every_node_is_its_own_statement(
    counted: tuple[Dataset, tuple[EncodedColumn, ...]],
    monkeypatch: pytest.MonkeyPatch,
    models: tuple[DistinctL | EntropyL, ...],
    least: bool,
    largest: int,
) -> None:
    """Classes are numbered by arithmetic, or, where they are too many, by rank."""
    monkeypatch.setattr(classes, "LARGEST_NUMBER", largest)
    asked, attributes = counted
    sensitive = (ground_sensitive(asked, 4, "ill", models),) if models else ()
    counting = Counting(sensitive, least_classes=least)
    compiled = compiled_check(counting)
    for number, node in enumerate(NODES):
        rows = rows_of_set(STORED, attributes, LATTICE, node, counting)
        assert check_text(compiled, STORED.table, rows, number) == sql.text(check_statement(rows, counting, number))


def test_a_stand_in_that_is_not_there_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="stand-in"):
        sql.compiled(sql.select("counting/k_check"), number="1 AS node")
