"""Hierarchies that list their values: numbering, top, NULL, grounding, hashes."""

from __future__ import annotations

import pytest

from ordermade.errors import HierarchyError
from ordermade.hierarchies.explicit import ListedLevel, explicit_hierarchy
from ordermade.hierarchies.hierarchy import TOP_HASH, VALUE_HASH


def build(leaves, *columns, names=None, **more):
    names = names or [None] * len(columns)
    return explicit_hierarchy(
        "h", leaves, [ListedLevel(n, tuple(c)) for n, c in zip(names, columns, strict=True)], **more
    )


def test_levels_are_numbered_by_refinement_and_the_notes_say_so():
    hierarchy, notes = build(["a", "b", "c", "d"], "xxyy", "1233", "****", names=["age2", "age1", "all"])
    assert [level.name for level in hierarchy.levels] == ["value", "age1", "age2", "all"]
    assert notes == (
        "level 'age1' is now number 1, by refinement",
        "level 'age2' is now number 2, by refinement",
    )
    assert hierarchy.order.is_chain()


def test_levels_that_do_not_refine_keep_their_order():
    hierarchy, notes = build(["a", "b", "c", "d"], "xxyy", "1221", "****")
    assert notes == ()
    assert not hierarchy.order.refines(1, 2)
    assert not hierarchy.order.refines(2, 1)
    assert not hierarchy.order.is_chain()


def test_equal_neighbours_are_legal():
    hierarchy, _ = build(["a", "b", "c"], "xxy", "112", "***")
    assert hierarchy.order.refines(1, 2)
    assert not hierarchy.order.refines(2, 1)


def test_a_missing_top_is_added():
    hierarchy, notes = build(["a", "b"], "xy")
    assert hierarchy.top == 2
    assert hierarchy.labels[-1] == ("*", "*")
    assert notes == ("a last level '*' was added",)


def test_a_top_of_another_label_is_renamed():
    hierarchy, notes = build(["a", "b"], ["7", "7"])
    assert hierarchy.labels == (("*", "*"),)
    assert hierarchy.levels[-1].name == "*"
    assert notes == ("the level given as number 1 has one label, '7': it is now '*'",)


def test_a_top_in_the_middle_moves_up():
    hierarchy, _ = build(["a", "b", "c"], "***", "xxy", names=["none", "group"])
    assert [level.name for level in hierarchy.levels] == ["value", "group", "none"]


def test_leaves_alone():
    hierarchy, _ = build(["a", "b"])
    assert hierarchy.top == 1
    assert hierarchy.levels[0].content_hash == VALUE_HASH
    assert hierarchy.levels[1].content_hash == TOP_HASH


@pytest.mark.parametrize(
    ("leaves", "columns", "told"),
    [
        (["a", "b", "a"], ["xyx"], "one 2 times (lines 1, 3)"),
        (["a", "b", "a"], ["xyz"], "one 2 times (lines 1, 3), with different labels"),
        ([None, "b", None], ["xyz"], "one 2 times (lines 1, 3)"),
        (["a", "b"], [["x", ""]], "the label of the value at level 1 is empty"),
        ([], [], "lists no values"),
    ],
)
def test_what_is_refused(leaves, columns, told):
    with pytest.raises(HierarchyError) as raised:
        build(leaves, *columns, where="h.csv", lines=range(1, len(leaves) + 1))
    assert told in str(raised.value)
    assert "h.csv" in str(raised.value)


@pytest.mark.parametrize("name", ["Group", "12", "", "*", "VALUE"])
def test_names_that_cannot_stand_in_a_request(name):
    with pytest.raises(HierarchyError):
        build(["a", "b", "c"], "xyy", "xxy", names=["group", name])


def test_null_without_a_path_is_a_class_of_its_own_below_the_top():
    hierarchy, _ = build(["a", "b", "c"], "xxy", "***")
    grounding = hierarchy.ground(0, [])
    assert grounding.keys == ("a", "b", "c", None)
    assert grounding.cell_of_key == (0, 1, 2, 3)
    assert grounding.classes == {0: (0, 1, 2, 3), 1: (0, 0, 2, 3), 2: (0, 0, 0, 0)}
    assert grounding.labels == {1: ("x", "x", "y", None), 2: ("*",) * 4}
    assert grounding.leaves == (1, 1, 1, 0)


def test_null_with_a_path():
    hierarchy, _ = build([None, "a", "b"], "xxy", "***")
    grounding = hierarchy.ground(1, [])
    assert grounding.keys == (None, "a", "b")
    assert grounding.cell_of_key == (0, 0, 1)
    assert grounding.labels == {1: ("x", "y"), 2: ("*", "*")}
    assert grounding.leaves == (2, 1)


def test_a_base_that_does_not_refine_the_levels_above_keeps_their_common_refinement():
    hierarchy, _ = build(["a", "b", "c", "d"], "xxyy", "1221", "****")
    grounding = hierarchy.ground(1, [])
    assert grounding.cells == 5
    assert grounding.classes[1] == (0, 0, 2, 2, 4)
    assert grounding.classes[2] == (0, 1, 1, 0, 4)
    assert hierarchy.ground(3, []).cells == 1


def test_hashes_are_by_content():
    one, _ = build(["a", "b", "c"], "xxy", names=["n"])
    other, _ = build(["c", "b", "a"], "yxx", names=["m"])
    changed, _ = build(["a", "b", "c"], "xyy", names=["n"])
    assert one.levels[1].content_hash == other.levels[1].content_hash != changed.levels[1].content_hash
    assert one.content_hash != other.content_hash  # level names differ
    leaves_only, others_only = build(["a", "b"])[0], build(["a", "c"])[0]
    assert leaves_only.content_hash != others_only.content_hash


@pytest.mark.slow
def test_large_hierarchies_nest():
    leaves = [str(number) for number in range(25_000)]
    columns = [[str(number // 3**level) for number in range(25_000)] for level in range(1, 6)]
    hierarchy, _ = build(leaves, *columns)
    hierarchy.ground(0, [])
    assert hierarchy.order.is_chain()


def test_types():
    hierarchy, _ = build(["a", "b"])
    assert hierarchy.check_type("VARCHAR") is None
    assert hierarchy.check_type("DECIMAL(18,2)") is None
    assert "nested value" in hierarchy.check_type("INTEGER[]")
    assert hierarchy.check_type("STRUCT(a INTEGER)") is not None
