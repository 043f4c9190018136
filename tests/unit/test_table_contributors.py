"""Cells that contributors know: whoever is alone in cells makes no other suppressed cell narrow."""

from __future__ import annotations

import numpy as np
import pytest

from ordermade.tables import families, suppression
from ordermade.tables.cells import Relation
from ordermade.tables.dimensions import dimension_of_levels
from ordermade.tables.intervals import intervals
from ordermade.tables.protected import CellRules, ProtectedTables, protect, unproved
from ordermade.tables.tabulation import FinestCells, Tabulation, tabulate
from ordermade.tables.verification import Fault, faults
from ordermade.tables.witnesses import Witness

SEED, K = 20261128, 3


def small(number: int) -> Tabulation:
    """A table of 30 to 60 rows over four places in two regions, three ages and two sexes: many are alone in a cell."""
    random = np.random.default_rng([SEED, number])
    places = dimension_of_levels("place", [["a", "b", "c", "d"], ["n", "n", "s", "s"]], total="*")
    ages = dimension_of_levels("age", [["0", "1", "2"]], total="*")
    sexes = dimension_of_levels("sex", [["f", "m"]], total="*")
    rows = int(random.integers(30, 60))
    chosen = [random.choice(len(each.places[0]), rows) for each in (places, ages, sexes)]
    leaves = np.stack(
        [np.array(each.places[0])[at] for each, at in zip((places, ages, sexes), chosen, strict=True)], axis=1
    )
    dimensions = (places.dimension, ages.dimension, sexes.dimension)
    return tabulate(FinestCells(dimensions, leaves, np.ones(rows, dtype=np.int64)))


def narrowest(found: ProtectedTables) -> int:
    """The least width of a suppressed cell to whoever knows the cells that they are alone in, by linear programs."""
    (guarded,) = found.guarded
    table, sole = guarded.protection.table, found.tabulation.sole
    least = K
    for person in sorted(set(sole[list(found.suppressed)].tolist()) - {-1}):
        own = np.flatnonzero(sole == person).tolist()
        known = intervals(table.relations, table.values, found.suppressed, guarded.protection.lower, own)
        widths = (each.width for cell, each in known.items() if cell not in own)
        least = min([least, *(width for width in widths if width is not None)])
    return least


@pytest.mark.parametrize("number", range(4))
def test_no_contributor_knows_another_cell_closely(number: int) -> None:
    found = protect(small(number), CellRules(K), ("units",))
    if not found.unprotected:
        assert unproved(found) == 0
        assert narrowest(found) >= K - 1


def test_some_cells_need_several_witnesses() -> None:
    guarded = [each for number in range(4) for each in protect(small(number), CellRules(K), ("units",)).guarded]
    assert any(each.families for each in guarded)


def test_families_of_what_is_suppressed_spare_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a single witness would suppress more, several over suppressed cells do not."""
    spared = sum(len(protect(small(number), CellRules(K), ("units",)).suppressed) for number in range(4))
    monkeypatch.setattr(suppression._Search, "_family", lambda *_, **__: None)
    assert spared < sum(len(protect(small(number), CellRules(K), ("units",)).suppressed) for number in range(4))


@pytest.mark.parametrize("number", range(2))
def test_tables_too_large_for_programs_have_cubes_alone(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (families, suppression):
        monkeypatch.setattr(module, "MIDDLE", 0)
    found = protect(small(number), CellRules(K), ("units",))
    if not found.unprotected:
        assert unproved(found) == 0


def of_family(sole: list[int], *witnesses: Witness) -> list[Fault]:
    """What is wrong with a family of the first of three cells of 5, which add up to 15, that are to be 3 wide."""
    found = faults(
        [Relation(3, (0, 1, 2))],
        [5, 5, 5, 15],
        [0, 1, 2],
        [0] * 4,
        [3, 0, 0, 0],
        {},
        sole=sole,
        families={0: witnesses},
    )
    assert {each.cell for each in found} <= {0}
    return found


def test_each_contributor_is_spared_by_a_witness_of_a_family() -> None:
    one, other = Witness((0, 1), (3, -3), (0, 0)), Witness((0, 2), (1, -1), (-1, 1))
    spoiled = [Fault(0, "has a witness that changes a cell whose one contributor knows it")]
    assert of_family([-1, 7, 8, -1], one, other) == []
    assert of_family([7, 7, 7, -1], one, other) == []
    assert of_family([-1, 7, 7, -1], one, other) == spoiled
    assert of_family([-1, 7, -1, -1], one) == spoiled


def test_each_witness_of_a_family_is_wide_and_adds_up() -> None:
    one, other = Witness((0, 1), (3, -3), (0, 0)), Witness((0, 2), (1, -1), (-1, 1))
    unlike = [-1, 7, 8, -1]
    assert of_family(unlike, other, one) == [Fault(0, "has a witness that is too narrow")]
    assert of_family(unlike, one, Witness((0, 2), (1, -1), (0, 0))) == [Fault(0, "has a witness that is too narrow")]
    assert of_family(unlike, one, Witness((0, 2), (3, -2), (0, 0))) == [
        Fault(0, "has a witness with a table that does not add up")
    ]
    assert of_family(unlike) == [Fault(0, "has no witness")]
