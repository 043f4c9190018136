"""What a dataset version was asked, in one lattice, and how predictors did on it as nodes accumulated."""

from __future__ import annotations

import pytest

from ordermade.catalogue.learning import joint_lattice
from ordermade.hierarchies.cross_refinement import IntervalClasses, LevelContent, OriginalValues
from ordermade.hierarchies.intervals import GridRule
from ordermade.lattice.lattice import Axis, Lattice, LevelOrder, Node, NodeKey
from ordermade.lattice.observation import Observation
from ordermade.prediction.predictors import PredictionHistory, track_record

ROWS = 4096
LATTICE = Lattice(tuple(Axis(column, LevelOrder.chain(5), tuple(range(5))) for column in ("a", "b", "c")))
"""Three columns of 16 equal values each, independent, whose classes halve in number from level to level."""


def observed(node: Node) -> Observation:
    classes = 1
    for level in node:
        classes *= 16 >> level
    return Observation.from_histogram([(ROWS // classes, classes)])


MARGINALS = tuple({level: ((ROWS >> (4 - level), 16 >> level),) for level in range(5)} for _ in LATTICE.axes)
NODES = [node for node in LATTICE.nodes() if node != LATTICE.top]
SCATTERED = [NODES[(17 * place) % len(NODES)] for place in range(len(NODES))]


def history(nodes: list[Node]) -> PredictionHistory:
    return PredictionHistory(LATTICE, ROWS, tuple((node, observed(node)) for node in nodes), MARGINALS)


def test_checkpoints_double_and_judge_only_what_was_measured_after_them():
    record = track_record(history(SCATTERED[:21]))
    assert [each.known for each in record.so_far] == [4, 8, 16]
    for checkpoint in record.so_far:
        assert {each.scores.nodes for each in checkpoint.judged if each.scores} == {21 - checkpoint.known}


def test_as_nodes_accumulate_those_that_are_proved_judge_nobody_either():
    root = (LATTICE.top, Observation.from_histogram([(ROWS, 1)]))
    before, after = history(SCATTERED[:4]).measured, history(SCATTERED[4:9]).measured
    with_root = PredictionHistory(LATTICE, ROWS, (*before, root, *after), MARGINALS)
    record = track_record(with_root)
    assert record.so_far[0] == track_record(history(SCATTERED[:9])).so_far[0]


def test_a_law_that_holds_exactly_is_found_from_the_nodes_before():
    """Here k is exactly 4,096 / x: from a handful of nodes on the law misses the next ones by no more than the + 1."""
    power = next(each for each in track_record(history(SCATTERED[:40])).so_far[-1].judged if each.predictor == "power")
    assert power.scores is not None
    assert power.scores.mean_ratio_error == pytest.approx(1, abs=0.25)


def test_what_is_judged_now_is_predicted_from_the_others_only():
    """Three nodes tell a law, two do not: were the judged node among those known, there would be a score."""
    chain = [(0, 0, 0), (1, 1, 1), (2, 2, 2)]
    record = track_record(PredictionHistory(LATTICE, ROWS, history(chain).measured))
    power = next(each for each in record.now if each.predictor == "power")
    assert power.scores is None
    assert "2 are known" in power.why_not


def test_without_marginals_independence_says_why_it_could_not_tell():
    known = PredictionHistory(LATTICE, ROWS, history(SCATTERED[:10]).measured)
    independence = next(each for each in track_record(known).now if each.predictor == "independence")
    assert independence.scores is None
    assert "not counted" in independence.why_not


def test_no_more_than_so_many_nodes_are_judged(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("ordermade.prediction.predictors.MAX_JUDGED", 7)
    record = track_record(history(SCATTERED[:30]))
    assert {each.scores.nodes for each in record.now if each.scores} == {7}
    assert {each.scores.nodes for each in record.so_far[0].judged if each.scores} == {7}


def test_nothing_measured_gives_an_empty_record():
    record = track_record(history([]))
    assert record.so_far == ()
    assert all(each.scores is None for each in record.now)


def test_an_empty_dataset_has_nodes_and_no_scores():
    empty = PredictionHistory(LATTICE, 0, tuple((node, Observation.from_histogram([])) for node in SCATTERED[:6]))
    assert all(each.scores is None for each in track_record(empty).now)


def test_two_hierarchies_of_a_column_are_branches_of_one_order():
    content: dict[str, LevelContent] = {
        "value": OriginalValues(),
        "5 years": IntervalClasses(0, GridRule(5, 0)),
        "10 years": IntervalClasses(0, GridRule(10, 0)),
        "3 years": IntervalClasses(0, GridRule(3, 0)),
    }
    nodes: list[NodeKey] = [
        frozenset({("age", level)}) for level in ("10 years", "3 years", "value", "5 years", "lost")
    ]
    lattice, numbers = joint_lattice([*nodes, frozenset({("sex", "value")})], content, {"age": "INTEGER"})
    age = next(axis.order for axis in lattice.axes if axis.column == "age")
    assert [axis.column for axis in lattice.axes] == ["age", "sex"]
    place = {level: numbers["age", level] for level in (*content, "lost")}
    assert age.refines(place["value"], place["3 years"])
    assert age.refines(place["5 years"], place["10 years"])
    assert not age.refines(place["3 years"], place["10 years"])
    assert not any(age.refines(place[level], place["lost"]) for level in content)
    assert age.refines(place["lost"], age.top)
    assert all(i <= j for i in range(len(age)) for j in range(len(age)) if age.refines(i, j))
