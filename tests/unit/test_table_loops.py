"""Cubes and loops through the cells of tables, verified by sums; what large tables publish again for smaller cells."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ordermade.tables.cells import CellTable
from ordermade.tables.loops import Loops
from ordermade.tables.suppression import Protection, suppress
from ordermade.tables.verification import faults
from ordermade.tables.witnesses import Cubes, with_ends
from tests.properties.tiny_tables import KINDS, tiny_tables
from tests.table_proofs import faults_of
from tests.unit.test_table_protection import protection_of, table_of


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_loop", [False, True])
def test_each_cube_and_loop_is_a_proof_of_its_cell(kind: str, is_loop: bool) -> None:
    random = np.random.default_rng([3, *kind.encode()])
    seen = 0
    for _ in range(10):
        table = tiny_tables(random, kind).table
        n = len(table.values)
        costs, slack = with_ends(1.0 + random.integers(0, 9, n), table.values)
        cubes = Cubes(table)
        search = Loops(cubes, len(table.dimensions)) if is_loop else cubes
        for cell in range(n):
            found = search.cheapest(cell, 3, costs, slack)
            if found is not None:
                seen += 1
                widths = [0] * n
                widths[cell] = 3
                assert not faults(table.relations, table.values, found.cells, [0] * n, widths, {cell: found})
    assert seen > 20


def test_a_loop_goes_round_a_corner_that_is_empty() -> None:
    """Six cells in a ring: each square through one of them has an empty corner or a total, which costs too much."""
    table = table_of([[2, 9, 0], [0, 9, 9], [9, 0, 9]])
    costs = np.where(np.all(table.cells > 0, axis=1), 1.0, np.inf)
    ends = with_ends(costs, table.values)
    cell = int(np.flatnonzero(table.values == 2)[0])
    cubes = Cubes(table)

    assert cubes.cheapest(cell, 3, *ends) is None
    loop = Loops(cubes, 2).cheapest(cell, 3, *ends)

    assert loop is not None
    assert loop.cells == tuple(np.flatnonzero(np.isfinite(costs)).tolist())
    assert loop.width(cell) == 3


@pytest.mark.parametrize("kind", KINDS)
def test_cells_that_are_searched_for_are_those_that_are_looked_up(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ordermade.tables.suppression.SMALL", 0)
    random = np.random.default_rng([4, *kind.encode()])
    tables = [tiny_tables(random, kind).table for _ in range(4)]
    looked_up = [suppress(protection_of(table, 3)) for table in tables]

    monkeypatch.setattr("ordermade.tables.witnesses._MOST_COMBINATIONS", 0)

    assert [suppress(protection_of(table, 3)) for table in tables] == looked_up


def test_large_cells_are_published_again_only_for_what_costs_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ordermade.tables.suppression.SMALL", 0)
    random = np.random.default_rng(8)
    protections = [_priced(tiny_tables(random, kind).table, sole=sole) for kind in KINDS for sole in (False, True)] * 2
    less = 0
    for protection in protections:
        exchanged = suppress(protection, tries=0)
        with monkeypatch.context() as without:
            without.setattr("ordermade.tables.suppression._EXCHANGED", 0)
            first = suppress(protection, tries=0)
        assert faults_of(protection, exchanged) == []
        assert protection.costs is not None
        before, after = (float(protection.costs[list(each.secondary)].sum()) for each in (first, exchanged))
        assert after <= before
        less += after < before
    assert less > 0


def _priced(table: CellTable, *, sole: bool) -> Protection:
    """Widths and prices that differ, with a contributor alone in each cell of 1."""
    alone = np.where(table.values == 1, np.arange(len(table.values)), -1) if sole else None
    found = protection_of(table, 3, sole=alone)
    return replace(found, widths=3 + np.arange(len(table.values)) % 2, costs=1.0 + table.values**1.5)
