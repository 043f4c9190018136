"""The oracle: from table C only what tells what is required, the figures of withheld rows where a loss needs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ordermade.lattice.node import Node, NodeKey
from ordermade.lattice.observation import Observation, Withheld
from ordermade.lattice.requirement import Requirement
from ordermade.measuring.oracle import Oracle

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

    def withheld(self, nodes: Sequence[Node], requirement: Requirement) -> Mapping[Node, Withheld]:
        self.figured += nodes
        return {node: Withheld(2, (2,), (2.0,)) for node in nodes}


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


def test_what_is_withheld_comes_with_nodes_that_pass_and_withhold_something() -> None:
    fake = Fake()
    known = {
        key((0,)): PLAIN,
        key((1,)): Observation.from_histogram([(5, 2)]),
        key((2,)): PLAIN.from_histogram([(1, 10)]),
    }
    asked = oracle(fake, Requirement(3, 4), known, needs_withheld=True)
    some, none, failing = (each.withheld for each in asked([(0,), (1,), (2,)]))
    assert (some, none, failing) == (Withheld(2, (2,), (2.0,)), Withheld(0, (0,), (0.0,)), None)
    asked([(0,)])
    assert fake.figured == [(0,)]
    (without,) = oracle(fake, Requirement(2), known, needs_withheld=True)([(0,)])
    assert without.withheld is None
