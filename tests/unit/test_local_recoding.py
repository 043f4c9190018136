"""Local recoding of a few rows, by hand; its order of nodes and its rounds without any SQL."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest

from ordermade.errors import RequestError
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.read import parse_yaml
from ordermade.lattice.lattice import Axis, Lattice, LevelOrder, Node
from ordermade.lattice.observation import Requirement
from ordermade.loss.costs import AttributeCosts
from ordermade.methods.generalization.attempts import RemainingInMemory
from ordermade.methods.generalization.local_counting import LocalCombinations, RemainingRows, classes_of_cells, count
from ordermade.methods.generalization.local_rounds import Classes, Round, check_size, first, in_order, run_rounds
from ordermade.privacy.models import DistinctL, EntropyL
from tests.local import assigned, check, loss, opened
from tests.made import Row

AGE = "mapping:\n" + "".join(f"  {age}: [{'low' if age < 3 else 'high'}, '*']\n" for age in range(1, 5))
PLAN = "mapping:\n  x: ['*']\n  y: ['*']\n"
KINDS = {"age": "INTEGER", "plan": "VARCHAR"}

TEN: list[Row] = [
    (1, "x"), (1, "x"), (1, "x"),
    (2, "x"),
    (3, "y"), (3, "y"),
    (4, "y"), (3, "x"),
    (2, "y"), (4, "x"),
]  # fmt: skip
"""Ten rows (age, plan)."""


def hierarchies() -> list[ExplicitHierarchy]:
    found = []
    for name, rules in (("age", AGE), ("plan", PLAN)):
        hierarchy = parse_yaml(rules, name, where=name)[0]
        assert isinstance(hierarchy, ExplicitHierarchy)
        found.append(hierarchy)
    return found


def test_ten_rows(tmp_path: Path) -> None:
    """Loss of a level, over the ten rows: age 0, 1/3 (2 of 4 leaves), 1; plan 0, 1. So the order of nodes is (0, 0),
    (1, 0), then (0, 1), (2, 0) (equals: 1/2 each; the age keeps its detail first), (1, 1), (2, 1).

    k = 2. (0, 0): 1x three times, 3y twice. Left: 2x, 4y, 3x, 2y, 4x.
    (1, 0): high x twice (3x, 4x). Left: 2x, 4y, 2y. (0, 1): 2 twice (2x, 2y). Left: 4y, which is suppressed.
    Loss: the two at (1, 0) 1/6 each, the two at (0, 1) 1/2 each, the one suppressed 1: 7/3 of 10 rows.
    The best node alone suppresses at most 1 of 10: (1, 1) and (2, 1) pass, none else with so few; (1, 1) loses
    (1/3 + 1) / 2 = 2/3 in every row.
    """
    with opened(tmp_path, KINDS, TEN, hierarchies(), 2) as table:
        found = table.recode(Requirement(2, 1), (1, 1))
        assert found.rounds == (Round((0, 0), 2, 5), Round((1, 0), 1, 2), Round((0, 1), 1, 2))
        assert (found.start, found.refusal, found.suppressed_rows, found.rows) == ("finest", None, 1, 10)
        assert [each.labels for each in table.released()] == [
            ("1", "x"), ("1", "x"), ("1", "x"), ("2", "*"), ("3", "y"), ("3", "y"), None, ("high", "x"), ("2", "*"),
            ("high", "x"),
        ]  # fmt: skip
        assert found.losses["loss"] == pytest.approx(7 / 30, abs=1e-10)
        assert found.full_domain_loss == pytest.approx(2 / 3, abs=1e-10)
        assert loss(table, assigned(table, found)) == pytest.approx(7 / 30, abs=1e-10)
        # Four classes of 3, 2, 2, 2: DM = 9 + 4 + 4 + 4 + 10 x 1; C_AVG = 9 / 4 / 2; AECS = 10 / 5.
        assert (found.classes.sizes, found.k) == (((2, 3), (3, 1)), 2)
        assert (found.losses["dm"], found.losses["c_avg"], found.losses["aecs"]) == (31, 9 / 8, 2.0)
        assert found.losses["classes"] == 4
        # Prec: age (2 x 1 + 1 x 2) / 2 / 10, plan (2 + 1) / 10; the mean of the two.
        assert found.losses["prec"] == pytest.approx((0.2 + 0.3) / 2)
        assert found.losses["height"] is None


@pytest.mark.slow
def test_entropy_of_ten_rows(tmp_path: Path) -> None:
    """By row log2(rows of the dataset with the released value / with the original).

    Ages 1: 3, 2: 2, 3: 3, 4: 2 rows; low 5, high 5. Plans x: 6, y: 4. (1, 0): 3x and 4x: log2(5/3) + log2(5/2).
    (0, 1): the plans of 2x and 2y: log2(10/6) + log2(10/4). Suppressed, 4y, as `*`: log2(10/2) + log2(10/4).
    The product: 5/3 x 5/2 x 10/6 x 10/4 x 10/2 x 10/4 = 217.01.
    """
    with opened(tmp_path, KINDS, TEN, hierarchies(), 2) as table:
        found = table.recode(Requirement(2, 1), (1, 1))
        product = Fraction(5, 3) * Fraction(5, 2) * Fraction(10, 6) * Fraction(10, 4) * 5 * Fraction(5, 2)
        assert 2 ** float(found.losses["entropy"] or 0) == pytest.approx(float(product))


@pytest.mark.slow
def test_more_may_remain_than_may_be_suppressed(tmp_path: Path) -> None:
    with opened(tmp_path, KINDS, TEN, hierarchies(), 2, accepted=[(0, 1), (0, 0)]) as table:
        # Left after (0, 0) and (1, 0): 2x, 4y, 2y.
        refused = table.recode(Requirement(2, 0), None)  # at (1, 0) 2x, 2y and 4y are alone in their classes
        assert (refused.start, refused.suppressed_rows) == ("coarsest", 1)  # (1, 0) by itself leaves one
        assert (refused.refusal or "").startswith("1 row is left after the last round")
        coarser = table.recode(Requirement(2, 2), None)
        assert (coarser.refusal, coarser.start, coarser.suppressed_rows) == (None, "coarsest", 1)
        finer = table.recode(Requirement(2, 3), None)
        assert (finer.refusal, finer.start, finer.suppressed_rows) == (None, "finest", 3)
    with opened(tmp_path, KINDS, TEN, hierarchies(), 11) as table:
        nothing = table.recode(Requirement(11, 10), None)
        assert (nothing.rounds, nothing.suppressed_rows) == ((), 10)
        assert nothing.refusal == "no accepted node releases anything"


def test_a_rest_that_may_not_be_suppressed_takes_rounds_back(tmp_path: Path) -> None:
    with opened(tmp_path, KINDS, TEN, hierarchies(), 2) as table:
        # Finest first 4y is left over. Without the round at (0, 1), 2x, 2y and 4y remain; every row is in a class of
        # two at (2, 1) alone: at (1, 1) 4y is the only one that is high.
        found = table.recode(Requirement(2), None)
        assert [each.node for each in found.rounds] == [(0, 0), (1, 0), (2, 1)]
        assert (found.suppressed_rows, found.refusal, found.start) == (0, None, "finest")
        check(table, found, 2)
        assert loss(table, assigned(table, found)) == pytest.approx(float(found.losses["loss"] or 0), abs=1e-9)


def test_rounds_start_with_the_full_domain_node_where_that_loses_less(tmp_path: Path) -> None:
    """Two rows of a and one of b under one label out of ten leaves: finest first, b is alone and goes to `*`."""
    rules = "mapping:\n" + "".join(f"  {leaf}: [{'ab' if leaf in 'ab' else leaf * 2}, '*']\n" for leaf in "abcdefghij")
    hierarchy = parse_yaml(rules, "letter", where="letter")[0]
    assert isinstance(hierarchy, ExplicitHierarchy)
    with opened(tmp_path, {"letter": "VARCHAR"}, [("a",), ("a",), ("b",)], [hierarchy], 2) as table:
        found = table.recode(Requirement(2, 1), (1,))
        # Finest first would suppress b: 1/3. At level 1 all three are one class: (2 - 1) / (10 - 1).
        assert (found.start, found.rounds) == ("full-domain", (Round((1,), 1, 3),))
        assert found.losses["loss"] == pytest.approx(1 / 9, abs=1e-10)
        assert table.recode(Requirement(2, 1), None).losses["loss"] == pytest.approx(1 / 3, abs=1e-10)
        assert {each.labels for each in table.released()} == {("a",), None}


@pytest.mark.slow
def test_classes_satisfy_the_models_by_themselves(tmp_path: Path) -> None:
    # Of (1, x) all three have flu: two different values are missing. They go on until they meet 2x, which has ache.
    values = ["flu", "flu", "flu", "ache", "flu", "ache", "flu", "ache", "ache", "flu"]
    rows: list[Row] = [(*row, value) for row, value in zip(TEN, values, strict=True)]
    with opened(tmp_path, {**KINDS, "s": "VARCHAR"}, rows, hierarchies(), 2, models=(DistinctL(2),)) as table:
        found = table.recode(Requirement(2, 1, models=True), None)
        classes = check(table, found, 2)
        # (0, 0): 3y twice, flu and ache. (1, 0): low x (1, 1, 1, 2), high x. Left: 4y, 2y, which share the plan alone.
        assert [each.node for each in found.rounds[:2]] == [(0, 0), (1, 0)]
        assert classes[("low", "x")] == 4
        for labels in classes:
            of_class = {values[each.row] for each in table.released() if each.labels == labels}
            assert len(of_class) >= 2
        assert found.refusal is None


@pytest.mark.slow
def test_persons_are_counted(tmp_path: Path) -> None:
    # (1, x) is three rows of one person: not released until it meets another person.
    persons = [7, 7, 7, 8, 1, 2, 3, 4, 5, 6]
    rows: list[Row] = [(*row, who) for row, who in zip(TEN, persons, strict=True)]
    with opened(tmp_path, {**KINDS, "who": "INTEGER"}, rows, hierarchies(), 2, entity=True) as table:
        found = table.recode(Requirement(2, 1, persons=True), None)
        classes = check(table, found, 2)
        assert found.rounds[0] == Round((0, 0), 1, 2)
        assert classes[("low", "x")] == 4
        assert (found.suppressed_rows, found.suppressed_units, found.classes.rows) == (0, 0, 8)
        for labels in classes:
            assert len({persons[each.row] for each in table.released() if each.labels == labels}) >= 2


@pytest.mark.slow
def test_classes_that_look_alike_may_not_fail_together(tmp_path: Path) -> None:
    # Rows, models without persons: what merges classes that pass passes. Two rounds never share a label here.
    values = ["flu", "ache", "flu", "ache", "flu", "ache", "flu", "ache", "ache", "flu"]
    rows: list[Row] = [(*row, value, who) for who, (row, value) in enumerate(zip(TEN, values, strict=True))]
    kinds = {**KINDS, "s": "VARCHAR", "who": "INTEGER"}
    models = (EntropyL(Fraction(3, 2)),)
    with opened(tmp_path, kinds, rows, hierarchies(), 2, models=models, entity=True) as table:
        found = table.recode(Requirement(2, 2, models=True, monotone=False, persons=True), None)
        assert found.refusal is None
        check(table, found, 2)


@pytest.mark.slow
def test_original_values_keep_their_type_where_no_round_generalises_them(tmp_path: Path) -> None:
    with opened(tmp_path, KINDS, TEN, hierarchies(), 2, accepted=[(0, 0), (0, 1)]) as table:
        found = table.recode(Requirement(2, 1), None)
        assert found.refusal is None
        assert {type(each.labels[0]) for each in table.released() if each.labels} == {int}
        assert assigned(table, found) == [(0, 0)] * 3 + [(0, 1)] + [(0, 0)] * 2 + [(0, 1), None, (0, 1), (0, 1)]


class OfSizes:
    """Rows that remain, as the size of the one class that is left at each node."""

    def __init__(self, sizes: dict[Node, int]) -> None:
        self.sizes = sizes
        self.tried: list[Node] = []
        self.checked: list[Node] = []
        self.rows = 10

    @property
    def units(self) -> int:
        return self.rows

    def classes(self, nodes: Sequence[Node]) -> list[Classes]:
        self.checked.extend(nodes)
        return [Classes(int(self.sizes.get(node, 0) >= 2), 0) for node in nodes]

    def take_back(self, kept: int) -> None:
        raise AssertionError(kept)

    def release(self, node: Node) -> Round | None:
        self.tried.append(node)
        rows = min(self.rows, self.sizes[node])
        if rows < 2:
            return None
        self.rows -= rows
        return Round(node, 1, rows)


def test_rounds_end_when_too_little_remains() -> None:
    # No level refines another but the last, so that nothing is told of one by another.
    finer = LevelOrder(tuple(tuple(i == j or j == 40 for j in range(41)) for i in range(41)))
    lattice = Lattice((Axis("a", finer, tuple(range(41))),))
    remaining = OfSizes({(3,): 4, (20,): 5, (21,): 5, (30,): 9, (40,): 9})
    left: list[int] = []
    rounds = run_rounds(lattice, list(lattice.nodes()), remaining, 2, left.append)
    # At (21,) one row is left, so that nothing is released; no further batch of ten is checked.
    assert rounds == (Round((3,), 1, 4), Round((20,), 1, 5))
    assert (remaining.tried, left) == ([(3,), (20,), (21,)], [31, 21, 11])


def test_what_refines_a_node_without_large_classes_gets_no_turn() -> None:
    lattice = Lattice((Axis("a", LevelOrder.chain(200), tuple(range(200))),))
    remaining = OfSizes({(level,): 3 for level in range(150, 200)})
    checked: list[Node] = []
    remaining.checked = checked
    rounds = run_rounds(lattice, list(lattice.nodes()), remaining, 2)
    assert [each.node for each in rounds] == [(150,), (151,), (152,)]
    assert len(checked) < 100


def test_nodes_go_by_what_they_lose() -> None:
    axes = tuple(Axis(name, LevelOrder.chain(3), (0, 1, 2)) for name in ("a", "b"))
    costs = [AttributeCosts((0.0, 1.0, 2.0), (0.0, 0.5, 1.0)), AttributeCosts((0.0, 1.0, 2.0), (0.0, 0.2, 1.0))]
    lattice = Lattice(axes)
    assert in_order(lattice, costs) == (
        (0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (2, 0), (2, 1), (1, 2), (2, 2)
    )  # fmt: skip
    weighed = in_order(lattice, costs, {"b": Fraction(5)})
    assert weighed.index((2, 0)) < weighed.index((1, 1))
    assert weighed[-1] == (2, 2)
    unknown = [AttributeCosts((0.0, None, None), (0.0, None, 1.0)), costs[1]]
    # Where Loss is not known: the level's share of the height. Of equals the attribute asked for first keeps detail.
    assert in_order(lattice, unknown)[:4] == ((0, 0), (0, 1), (1, 0), (0, 2))
    assert first((1, 1), [(0, 0), (1, 1), (2, 2)]) == ((1, 1), (0, 0), (2, 2))


def test_a_lattice_may_be_too_large_to_go_through() -> None:
    axes = tuple(Axis(f"c{place}", LevelOrder.chain(10), tuple(range(10))) for place in range(6))
    with pytest.raises(RequestError, match="would go through 1,000,000 nodes"):
        check_size(Lattice(axes))


@pytest.mark.slow
def test_rounds_in_memory_are_those_of_the_workspace(tmp_path: Path) -> None:
    """The ten rows: the same classes at every node, the same rounds, and the same rest after some are taken back."""
    with opened(tmp_path, KINDS, TEN, hierarchies(), 2) as table:
        count(table.plan)
        in_sql = RemainingRows.of(table.plan, table.lattice, 2)
        combinations, cells = LocalCombinations.of(table.plan), classes_of_cells(table.plan)
        codes = [
            {
                level: combinations.classes_of_cells(place, each, level)[combinations.cells[place]]
                for level in range(each.top + 1)
            }
            for place, each in enumerate(cells)
        ]
        in_memory = RemainingInMemory(codes, combinations.rows, 2)
        nodes = list(table.lattice.nodes())
        for node in [(0, 0), (1, 0), (0, 1)]:
            assert in_memory.classes(nodes) == in_sql.classes(nodes)
            assert in_memory.release(node) == in_sql.release(node)
        assert (in_memory.rows, in_memory.units) == (in_sql.rows, in_sql.units) == (1, 1)
        for each in (in_memory, in_sql):
            each.take_back(1)
        assert in_memory.classes(nodes) == in_sql.classes(nodes)
        assert in_memory.release((2, 1)) == in_sql.release((2, 1))


def test_the_price_of_a_suppressed_row_is_raised_until_the_limit_holds(tmp_path: Path) -> None:
    """`*` is not accepted, so that no partition releases all rows: e is alone under t, and one row may be suppressed.

    k = 5. Cheap suppression takes b, too, which is alone in p beside 200 times a: 2 rows. Only where a suppressed row
    costs more than 50 rows at `*` is b kept: 201 rows at p lose 1/4 each.
    """
    rules = "mapping:\n  a: [p, '*']\n  b: [p, '*']\n  c: [r, '*']\n  d: [r, '*']\n  e: [t, '*']\n"
    hierarchy = parse_yaml(rules, "letter", where="letter")[0]
    assert isinstance(hierarchy, ExplicitHierarchy)
    rows: list[Row] = [("a",)] * 200 + [("b",)] * 1 + [("c",)] * 300 + [("d",)] * 300 + [("e",)] * 1
    with opened(tmp_path, {"letter": "VARCHAR"}, rows, [hierarchy], 5, accepted=[(0, 1)]) as table:
        found = table.seal(Requirement(5, 1), (1,))
        assert (found.start, found.refusal, found.suppressed_rows) == ("sealed", None, 1)
        # Of e one row goes, so that b stays: 201 rows at p lose 1 of 4, the others nothing.
        assert found.losses["loss"] == pytest.approx((201 / 4 + 1) / 802, abs=1e-9)
        refused = table.seal(Requirement(5, 0), None)
        assert refused.refusal == "no partition into disjoint classes of accepted nodes that pass releases every row"


@pytest.mark.slow
def test_weights_choose_the_partition(tmp_path: Path) -> None:
    """Either column alone can be kept: the one that weighs more is, and the full domain of least Loss is no bound."""
    rows: list[Row] = [(age, plan) for age in (1, 3) for plan in "xy"] * 2
    with opened(tmp_path, KINDS, rows, hierarchies(), 4) as table:
        for weights, node in (({"age": Fraction(5)}, (0, 1)), ({"plan": Fraction(5)}, (2, 0))):
            found = table.seal(Requirement(4), (0, 1), weights)
            assert [each.node for each in found.rounds] == [node]


@pytest.mark.slow
def test_an_average_risk_makes_classes_greater(tmp_path: Path) -> None:
    """k = 2: five classes of two rows have an average risk of 1/2; within 1/5 they have five rows or more."""
    rows: list[Row] = [(age, plan) for age, plan in zip([1, 1, 2, 2, 3, 3, 4, 4, 4, 4], "xxxxyyyyyy", strict=True)]
    with opened(tmp_path, KINDS, rows, hierarchies(), 2) as table:
        assert table.seal(Requirement(2), None).classes.divisions == 4
        found = table.seal(Requirement(2, average_risk=Fraction(1, 5)), None)
        assert (found.start, found.refusal) == ("sealed", None)
        assert found.classes.divisions * 5 <= 10


@pytest.mark.slow
def test_an_average_risk_of_persons_makes_classes_of_more_persons(tmp_path: Path) -> None:
    """Three persons of each age with two rows each: within 1/5 classes have five persons, not five rows."""
    rows: list[Row] = [(1 + person // 3, "x", person) for person in range(12)] * 2
    with opened(tmp_path, {**KINDS, "who": "INTEGER"}, rows, hierarchies(), 2, entity=True) as table:
        found = table.seal(Requirement(2, persons=True, average_risk=Fraction(1, 5)), None)
        assert (found.start, found.refusal) == ("sealed", None)
        assert (found.classes.divisions, found.k) == (2, 6)
