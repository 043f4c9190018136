"""What is left of a class of one release without the classes of another, which the classes in common do not show."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from ordermade.ledger import programs
from ordermade.ledger.beside import judged_together
from ordermade.ledger.figures import Compared, JointCells, KnownFigures, PersonPartition
from ordermade.requests.filter_tree import Constant, Filter, FilterComparison, Not
from ordermade.tables.cells import Whole

pytest.importorskip("scipy")

AGE, REGION = 0, 1


def joint(*rows: tuple[int, int, int]) -> JointCells:
    """Persons by the codes of two columns."""
    table = np.array(rows, dtype=np.int64)
    return JointCells((int(table[:, 0].max()) + 1, int(table[:, 1].max()) + 1), table[:, :2], table[:, 2])


def release(
    number: int, cells: JointCells, classes: Mapping[int, list[int]], k: int, without: tuple[int, int] | None = None
) -> KnownFigures:
    """A release of rows whose classes of k persons or more are kept; `without`: a column and the code left out."""
    tree: Filter | None = None
    compared = {}
    if without is not None:
        axis, code = without
        comparison = FilterComparison("column", "=", (Constant("number", str(code)),))
        tree, compared = Not(comparison), {comparison: Compared(axis, np.array([0, 0, 0, 0]))}
        compared[comparison].truths[code] = 2
    own: dict[int, Whole] = {axis: np.array(codes) for axis, codes in classes.items()}
    partition = PersonPartition(own, tree, compared)
    labels, place = np.unique(partition.labels(cells.cells), return_inverse=True)
    persons = np.bincount(place.reshape(-1), cells.persons).astype(np.int64)
    kept = (labels >= 0) & (persons >= k)
    dropped = bool(((labels >= 0) & ~kept).any())
    return KnownFigures((number,), "", partition, labels[kept], persons[kept], persons[kept], k - 1 if dropped else 0)


def test_two_dropped_classes_are_known_together() -> None:
    cells = joint((0, 0, 9), (1, 0, 1), (2, 0, 1))  # of either dropped class there may be nobody
    fine, coarse = release(1, cells, {AGE: [0, 1, 2]}, 3), release(2, cells, {}, 3)
    found = judged_together([fine, coarse], cells, 3)
    assert found.answer == "breach"
    assert {each.releases for each in found.groups} == {(1, 2)}


def test_hierarchies_of_a_column_beside_one_that_a_release_alone_has() -> None:
    cells = joint((0, 0, 8), (0, 1, 8), (1, 0, 1), (1, 1, 1), (2, 0, 8), (2, 1, 8))
    one = release(1, cells, {AGE: [0, 0, 1]}, 3)
    other = release(2, cells, {AGE: [0, 1, 1], REGION: [0, 1]}, 3)
    assert judged_together([one, other], cells, 3).answer == "breach"  # two persons are 1, in either region


def test_what_dropped_and_what_a_filter_left_out() -> None:
    cells = joint((0, 0, 9), (1, 0, 1), (2, 0, 1))
    filtered = release(1, cells, {AGE: [0, 1, 2]}, 3, without=(AGE, 2))
    assert judged_together([filtered, release(2, cells, {}, 3)], cells, 3).answer == "breach"


def test_classes_of_two_releases_subtracted_from_a_third() -> None:
    cells = joint((0, 0, 9), (1, 0, 1), (0, 1, 8), (1, 1, 1))
    by_region = [release(number, cells, {AGE: [0, 1]}, 3, without=(REGION, number)) for number in (0, 1)]
    assert judged_together([*by_region, release(2, cells, {}, 3)], cells, 3).answer == "breach"


def test_classes_subtracted_from_the_sum_of_those_that_they_cross() -> None:
    cells = joint((0, 0, 5), (0, 1, 2), (1, 0, 3), (1, 1, 1), (1, 2, 4), (2, 0, 4))
    one = release(1, cells, {REGION: [0, 0, 1]}, 3)
    other = release(2, cells, {AGE: [0, 1, 2], REGION: [0, 1, 1]}, 3)
    assert judged_together([one, other], cells, 3).answer == "breach"  # 19 persons, 17 of them in kept classes


def test_a_program_that_stopped_proves_no_group_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = joint((0, 0, 9), (1, 0, 1), (2, 0, 1))
    given = [release(1, cells, {AGE: [0, 1, 2]}, 3), release(2, cells, {}, 3)]
    monkeypatch.setattr(programs, "_SOLVED", -1)
    found = programs.GroupPrograms(given, cells.sizes).bounds(programs.JoinedClass({0: 1}))
    assert not found.is_whole
