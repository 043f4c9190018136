"""Dimensions as trees, the cells of tables with their sums, and primary cells."""

from __future__ import annotations

import subprocess
import sys
from itertools import product

import numpy as np
import pytest

from ordermade.errors import InputError
from ordermade.tables.cells import CellTable, Relation, matrix_of, relations_of, summed_cells
from ordermade.tables.dimensions import Dimension, dimension_of_levels, dimension_of_parents
from ordermade.tables.primaries import (
    Contributions,
    closely_estimated,
    dominated,
    few_persons,
    widths_for_percent,
)

AREAS = dimension_of_levels("area", [["x1", "x2", "y1"], ["x", "x", "y"]], total="all")
SEXES = dimension_of_levels("sex", [["f", "m"]], total="both")


def test_levels_with_the_same_leaves_are_one_code() -> None:
    assert AREAS.dimension.codes == ("all", "x", "x1", "x2", "y1")
    assert AREAS.dimension.parents == (-1, 0, 1, 1, 0)
    assert AREAS.places == ((2, 3, 4), (1, 1, 4), (0, 0, 0))  # y and y1 are the same cells


def test_a_tree_by_parents_may_come_in_any_order() -> None:
    found = dimension_of_parents("area", ["x1", "all", "x", "x2", "y"], [2, -1, 1, 2, 1])

    assert found.dimension == Dimension("area", ("all", "x", "x1", "x2", "y"), (-1, 0, 1, 1, 0))
    assert found.places == (2, 0, 1, 3, 4)


def test_a_code_knows_its_leaves_children_and_ancestors() -> None:
    areas = AREAS.dimension

    assert areas.leaves == (2, 3, 4)
    assert areas.children(1) == (2, 3)
    assert areas.leaves_under(0) == (2, 3, 4)
    assert areas.path(2) == (2, 1, 0)
    assert areas.roots == (0,)


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: Dimension("a", ("x", "y"), (-1,)), "2 codes and 1 parents"),
        (lambda: Dimension("a", (), ()), "0 codes"),
        (lambda: Dimension("a", ("x", "y"), (1, -1)), "code number 0 has the parent number 1"),
        (lambda: dimension_of_parents("a", ["x", "y"], [-1]), "2 codes and 1 parents"),
        (lambda: dimension_of_parents("a", ["x", "y"], [1, 0]), "2 codes are below themselves"),
        (lambda: dimension_of_parents("a", ["x", "y"], [-1, 2]), "parent number 2, which is not there"),
        (lambda: dimension_of_parents("a", ["x", "y", "y"], [-1, 0, 0]), "stands twice below the same parent"),
        (lambda: dimension_of_levels("a", [["x", "x"]]), "a leaf stands twice"),
        (lambda: dimension_of_levels("a", [["x", "y"], ["z"]]), "unequal numbers of labels"),
        (lambda: dimension_of_levels("a", []), "unequal numbers of labels, or none"),
        (
            lambda: dimension_of_levels("a", [["x", "y", "z"], ["1", "1", "2"], ["p", "q", "q"]]),
            "a label of level 1 is below two labels of level 2",
        ),
    ],
)
def test_what_is_no_tree_is_named(made: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        made()  # type: ignore[operator]


def rows() -> tuple[np.ndarray, np.ndarray]:
    leaves = np.array([[2, 1], [2, 1], [3, 2], [4, 2], [4, 1]], dtype=np.int64)
    return leaves, np.ones(5, dtype=np.int64)


def test_the_cells_of_rows_have_every_total_once_and_no_empty_cell() -> None:
    table = summed_cells((AREAS.dimension, SEXES.dimension), *rows())

    found = {tuple(cell): value for cell, value in zip(table.cells.tolist(), table.values.tolist(), strict=True)}

    assert found == {
        (0, 0): 5, (0, 1): 3, (0, 2): 2,
        (1, 0): 3, (1, 1): 2, (1, 2): 1,
        (2, 0): 2, (2, 1): 2, (3, 0): 1, (3, 2): 1,
        (4, 0): 2, (4, 1): 1, (4, 2): 1,
    }  # fmt: skip
    assert len(table.relations) == 3 + 3 + 5
    assert not np.any(matrix_of(table.relations, len(table.values)) @ table.values)


def test_linked_tables_share_their_cells() -> None:
    table = summed_cells((AREAS.dimension, SEXES.dimension), *rows(), [{"area": range(5)}, {"sex": range(3)}])

    assert {tuple(each) for each in table.cells.tolist()} == {(each, 0) for each in range(5)} | {(0, 1), (0, 2)}
    assert table.hidden == ()


def test_a_level_left_out_is_there_for_the_sums_but_hidden() -> None:
    table = summed_cells((AREAS.dimension, SEXES.dimension), *rows(), [{"area": (0, 2, 3, 4)}])

    assert [tuple(table.cells[each].tolist()) for each in table.hidden] == [(1, 0)]


def test_a_table_without_totals_is_bound_by_nothing() -> None:
    tables = [{"area": AREAS.dimension.leaves, "sex": SEXES.dimension.leaves}]

    table = summed_cells((AREAS.dimension, SEXES.dimension), *rows(), tables)

    assert len(table.values) == 4
    assert (table.relations, table.hidden) == ((), ())


def square_of(name: str) -> Dimension:
    return dimension_of_levels(name, [["0", "1"]], total="all").dimension


def test_three_margins_in_a_ring_are_bound_by_the_cells_that_all_are_sums_of() -> None:
    dimensions = [square_of(each) for each in "abc"]
    leaves = np.array([[1, 1, 1], [1, 2, 2], [2, 1, 2], [2, 2, 1]], dtype=np.int64)
    amounts = np.ones(4, dtype=np.int64)
    ring = [{one: range(3), other: range(3)} for one, other in ("ab", "bc", "ac")]

    table = summed_cells(dimensions, leaves, amounts, ring)

    # All eight: no margin shows that the four empty ones are empty.
    assert [tuple(table.cells[each].tolist()) for each in table.hidden] == list(product((1, 2), repeat=3))
    assert table.values[list(table.hidden)].tolist() == [1, 0, 0, 1, 0, 1, 1, 0]
    # Empty cells of the margins show that four are empty.
    fewer = summed_cells(dimensions, leaves[:3], amounts[:3], ring)
    assert [tuple(fewer.cells[each].tolist()) for each in fewer.hidden] == [
        (1, 1, 1),
        (1, 1, 2),
        (1, 2, 2),
        (2, 1, 2),
    ]
    # Two of them, or three around one dimension, can always be joined.
    assert summed_cells(dimensions, leaves, amounts, ring[:2]).hidden == ()
    star = [{"a": range(3), "b": range(3)}, {"a": range(3), "c": range(3)}, {"a": range(3)}]
    assert summed_cells(dimensions, leaves, amounts, star).hidden == ()


def test_many_cells_of_a_ring_are_those_that_are_not_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ordermade.tables.cells._MOST_POSSIBLE", 7)
    leaves = np.array([[1, 1, 1], [1, 2, 2], [2, 1, 2], [2, 2, 1]], dtype=np.int64)
    ring = [{one: range(3), other: range(3)} for one, other in ("ab", "bc", "ac")]

    table = summed_cells([square_of(each) for each in "abc"], leaves, np.ones(4, dtype=np.int64), ring)

    assert table.cells[list(table.hidden)].tolist() == leaves.tolist()


def test_tables_of_some_codes_are_bound_by_sums_that_none_of_them_has() -> None:
    """One has areas of women alone, one has areas: their difference is what men are."""
    leaves = np.array([[2, 1], [3, 1], [2, 2], [3, 2], [4, 2]], dtype=np.int64)
    tables = [{"area": AREAS.dimension.leaves, "sex": (1,)}, {"area": AREAS.dimension.leaves}]

    table = summed_cells((AREAS.dimension, SEXES.dimension), leaves, np.ones(5, dtype=np.int64), tables)

    shown = [each for each in range(len(table.values)) if each not in table.hidden]
    assert [tuple(table.cells[each].tolist()) for each in shown] == [(2, 0), (2, 1), (3, 0), (3, 1), (4, 0)]
    assert any(tuple(table.cells[each].tolist()) == (2, 2) for each in table.hidden)


def test_a_sum_of_cells_that_are_in_no_table_binds_nothing() -> None:
    cells = np.array([[0, 0], [0, 1], [0, 2]], dtype=np.int64)

    found = relations_of((AREAS.dimension, SEXES.dimension), cells)

    assert found == (Relation(0, (1, 2)),)


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda d: CellTable(d, np.zeros((2, 1), dtype=np.int64), np.ones(2, dtype=np.int64), ()), "cells of shape"),
        (lambda d: CellTable((), np.zeros((1, 0), dtype=np.int64), np.array([-1]), ()), "a cell is below 0"),
        (lambda d: CellTable((), np.zeros((1, 0), dtype=np.int64), np.array([1]), (Relation(0, (1,)),)), "not there"),
        (lambda d: CellTable((), np.zeros((2, 0), dtype=np.int64), np.array([1, 2]), (Relation(0, (1,)),)), "add up"),
        (lambda d: relations_of(d, np.array([[0, 0], [0, 0]])), "a cell stands twice"),
        (lambda d: relations_of(d, np.array([[9, 0]])), "a code that its dimension has not"),
        (lambda d: summed_cells(d, np.array([[2, 7]]), np.array([1])), "a code that its dimension has not"),
        (lambda d: summed_cells(d, np.array([[2]]), np.array([1])), "codes of shape"),
        (lambda d: summed_cells(d, *rows(), [{"age": (0,)}]), "a dimension that is not there"),
        (lambda d: summed_cells(d, *rows(), [{"sex": (7,)}]), "no code of a dimension, or one that is not there"),
        (
            lambda d: summed_cells(
                (dimension_of_levels("n", [["x", "y"]]).dimension, d[1]),
                np.zeros((1, 2), dtype=np.int64),
                np.array([1]),
                [{"sex": (0,)}],
            ),
            "leaves a dimension out that has no total",
        ),
    ],
)
def test_bad_cells_are_named(made: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        made((AREAS.dimension, SEXES.dimension))  # type: ignore[operator]


CONTRIBUTIONS = Contributions(
    4,
    np.array([0, 0, 0, 1, 1, 1, 2]),
    np.array([1, 2, 1, 1, 2, 3, 5]),
    np.array([30, 20, 30, 90, 6, 4, 7]),
)
"""Cell 0: 60 and 20; cell 1: 90, 6 and 4; cell 2: 7 of one person; cell 3: empty."""


def test_persons_are_counted_once_a_cell() -> None:
    assert CONTRIBUTIONS.numbers().tolist() == [2, 3, 1, 0]
    assert CONTRIBUTIONS.totals().tolist() == [80, 100, 7, 0]
    assert CONTRIBUTIONS.largest(1).tolist() == [60, 90, 7, 0]
    assert CONTRIBUTIONS.largest(2).tolist() == [80, 96, 7, 0]
    assert CONTRIBUTIONS.sole().tolist() == [-1, -1, 5, -1]


def test_rules_for_primary_cells() -> None:
    numbers = CONTRIBUTIONS.numbers()

    assert few_persons(numbers, 3).tolist() == [True, False, True, False]
    assert few_persons(numbers, 3, zeros=True).tolist() == [True, False, True, True]
    assert dominated(CONTRIBUTIONS, 1, 90).tolist() == [False, False, True, False]
    assert dominated(CONTRIBUTIONS, 1, 75).tolist() == [False, True, True, False]
    assert dominated(CONTRIBUTIONS, 2, 97).tolist() == [True, False, True, False]
    assert closely_estimated(CONTRIBUTIONS, 5).tolist() == [True, True, True, False]
    assert closely_estimated(CONTRIBUTIONS, 4).tolist() == [True, False, True, False]


def test_the_width_for_p_percent_lacks_what_the_smaller_ones_hide() -> None:
    assert widths_for_percent(CONTRIBUTIONS, 10, 1).tolist() == [6, 5, 1, 1]


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: few_persons(np.array([1]), 0), "k is 0"),
        (lambda: dominated(CONTRIBUTIONS, 0, 50), "the rule"),
        (lambda: dominated(CONTRIBUTIONS, 1, 101), "the rule"),
        (lambda: closely_estimated(CONTRIBUTIONS, 0), "p is 0"),
        (lambda: Contributions(1, np.array([1]), np.array([0]), np.array([1])), "a cell that is not there"),
        (lambda: Contributions(1, np.array([0]), np.array([-1]), np.array([1])), "a number below 0"),
        (lambda: Contributions(1, np.array([0]), np.array([0]), np.array([-1])), "a contribution is below 0"),
        (lambda: Contributions(1, np.array([0]), np.array([0]), np.array([1, 2])), "1 cells, 1 persons and 2 amounts"),
    ],
)
def test_bad_rules_are_named(made: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        made()  # type: ignore[operator]


def test_contributions_of_nobody_are_no_persons() -> None:
    nothing = np.zeros(0, dtype=np.int64)

    assert Contributions(2, nothing, nothing, nothing).numbers().tolist() == [0, 0]


def test_without_scipy_the_package_to_install_is_named() -> None:
    code = """
import sys
sys.modules["scipy"] = None
import numpy as np
from ordermade.tables.cells import Relation, matrix_of
from ordermade.errors import InputError
try:
    matrix_of((Relation(0, (1,)),), 2)
except InputError as error:
    print(error)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert "needs the package scipy, which is not installed" in found
    assert "pip install 'ordermade[tables]'" in found
