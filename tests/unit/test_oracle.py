"""The oracle: from table C only what tells what is required, the figures of suppressed rows where a loss needs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest
from sqlglot import exp

from ordermade.counting.classes import suppressed_of
from ordermade.counting.counts import Counting, Sensitive, packed
from ordermade.counting.encoding import EncodedColumn
from ordermade.counting.oracle import Oracle
from ordermade.errors import SourceChanged
from ordermade.lattice.lattice import Axis, Lattice, LevelOrder, Node, NodeKey
from ordermade.lattice.observation import Observation, Requirement, SuppressedFigures
from ordermade.loss.costs import AttributeCosts
from tests.named import Named

PLAIN = Observation.from_histogram([(2, 1), (8, 1)])
MODELLED = replace(PLAIN, failing=((8, 1),))


@dataclass
class Fake:
    """Measures every node alike, and notes what it was asked."""

    measured: list[Node] = field(default_factory=list)
    figured: list[Node] = field(default_factory=list)

    def measure(self, nodes: Sequence[Node]) -> Mapping[Node, Observation]:
        self.measured += nodes
        return dict.fromkeys(nodes, MODELLED)

    def suppressed(self, nodes: Sequence[Node], requirement: Requirement) -> Mapping[Node, SuppressedFigures]:
        self.figured += nodes
        return {node: SuppressedFigures(2, (2,), (2.0,)) for node in nodes}


def key(node: Node) -> NodeKey:
    return frozenset() if node == (9,) else frozenset({("a", str(node[0]))})


def oracle(fake: Fake, requirement: Requirement, known: Mapping[NodeKey, Observation], **options: bool) -> Oracle:
    return Oracle(key, known, fake, 10, requirement, **options)


def test_table_c_answers_what_it_tells_and_no_more() -> None:
    known = {key((0,)): PLAIN, key((1,)): MODELLED, key((2,)): replace(PLAIN, sizes=((2, 1),))}
    fake = Fake()
    assert oracle(fake, Requirement(2), known)([(0,), (1,), (2,)]) == list(known.values())
    assert fake.measured == []
    oracle(fake, Requirement(2, models=True), known)([(0,), (1,)])
    assert fake.measured == [(0,)]
    oracle(fake, Requirement(5_000, 2), known)([(0,), (2,)])
    assert fake.measured == [(0,), (2,)]


def test_the_root_is_told_by_the_units_unless_there_are_models() -> None:
    fake = Fake()
    assert oracle(fake, Requirement(2), {})([(9,)]) == [Observation.from_histogram([(10, 1)])]
    assert oracle(fake, Requirement(2, models=True), {})([(9,)]) == [MODELLED]
    assert fake.measured == [(9,)]


def test_what_is_suppressed_comes_with_nodes_that_pass_and_suppress_something() -> None:
    fake = Fake()
    known = {
        key((0,)): PLAIN,
        key((1,)): Observation.from_histogram([(5, 2)]),
        key((2,)): PLAIN.from_histogram([(1, 10)]),
    }
    asked = oracle(fake, Requirement(3, 4), known, needs_suppressed=True)
    some, none, failing = (each.suppressed for each in asked([(0,), (1,), (2,)]))
    assert (some, none, failing) == (SuppressedFigures(2, (2,), (2.0,)), SuppressedFigures(0, (0,), (0.0,)), None)
    asked([(0,)])
    assert fake.figured == [(0,)]
    (without,) = oracle(fake, Requirement(2), known, needs_suppressed=True)([(0,)])
    assert without.suppressed is None


@pytest.mark.parametrize("units", [9, 11])
def test_rows_that_came_or_went_stop_the_request_and_are_not_kept(units: int) -> None:
    asked = Oracle(key, {}, Fake(), units, Requirement(2))
    with pytest.raises(SourceChanged, match=r"changed while it was being counted\. Run the request again"):
        asked([(0,)])
    assert asked.measured == {}


def test_suppressed_rows_are_priced_by_the_leaves_under_their_classes() -> None:
    """Of 5 suppressed rows 2 are in a class of 3 leaves and 3 in one of 4; only the original values are a leaf each."""
    order = LevelOrder.chain(4)
    nothing = exp.null()
    letter = EncodedColumn(
        1, nothing, "VARCHAR", None, True, "letter", Named("letter", "abcd", order=order), 0, {}, {},
        AttributeCosts((0.0,) * 4, (0.0,) * 4, domain_leaves=7), leaves={1: {1: 3, 4: 4}, 2: {1: 7}},
    )  # fmt: skip
    lattice = Lattice((Axis("letter", order, (0, 1, 2, 3)),))
    nodes: list[Node] = [(0,), (1,), (2,), (3,)]
    answer = [(0, 0, 1, 2), (0, 0, 5, 3), (1, 0, 1, 2), (1, 0, 4, 3), (2, 0, 1, 5), (3, 0, 1, 5)]
    found = suppressed_of(nodes, answer, [letter], lattice)
    assert {node: (each.rows, each.leaves) for node, each in found.items()} == {
        (0,): (5, (5,)),
        (1,): (5, (2 * 3 + 3 * 4,)),
        (2,): (5, (5 * 7,)),
        (3,): (5, (5 * 7,)),
    }


def test_every_value_of_a_sensitive_column_has_its_place_in_a_word() -> None:
    different = (1, 2, 3, 4, 5, 256, 257, 2**32, 2**22)
    columns = [
        Sensitive(position, f"s{position}", (), exp.column("s"), "VARCHAR", different=many)
        for position, many in enumerate(different)
    ]

    fields = packed((), {}, Counting(tuple(columns))).fields

    assert [fields[each.cell_column].bits for each in columns] == [1, 1, 2, 2, 3, 8, 9, 32, 22]
    assert [fields[each.cell_column].start for each in columns] == [0, 1, 2, 4, 6, 9, 17, 26, 0]
    assert [fields[each.cell_column].word for each in columns] == [0] * 8 + [1]
