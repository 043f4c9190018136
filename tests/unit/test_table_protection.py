"""What is suppressed of tables, beside all integer tables that agree with what is published."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest

from ordermade.errors import InputError
from ordermade.tables.cells import CellTable, Relation, Whole, summed_cells
from ordermade.tables.dimensions import dimension_of_levels
from ordermade.tables.intervals import intervals
from ordermade.tables.sums import given_away
from ordermade.tables.suppression import Pattern, Protection, suppress
from ordermade.tables.verification import faults
from ordermade.tables.witnesses import Witness, marks
from tests.long import rounds
from tests.properties.tiny_tables import KINDS, tiny_tables
from tests.table_proofs import faults_of

Zeros = Literal["shown", "hidden"]


def table_of(counts: list[list[int]]) -> CellTable:
    """A table of two dimensions with totals."""
    array = np.array(counts)
    dimensions = [
        dimension_of_levels(name, [[f"{name}{each}" for each in range(size)]], total="all").dimension
        for name, size in zip("ab", array.shape, strict=True)
    ]
    places = np.argwhere(array > 0)
    leaves = np.stack([np.array(each.leaves)[places[:, at]] for at, each in enumerate(dimensions)], axis=1)
    return summed_cells(dimensions, leaves.astype(np.int64), array[array > 0].astype(np.int64))


def protection_of(table: CellTable, k: int, zeros: Zeros = "shown", sole: Whole | None = None) -> Protection:
    n = len(table.values)
    return Protection(table, table.values < k, np.full(n, k, dtype=np.int64), zeros, sole=sole)


def test_a_cell_alone_in_its_row_and_column_takes_a_square_with_it() -> None:
    protection = protection_of(table_of([[1, 9, 8], [9, 9, 9], [9, 7, 9]]), 3)

    pattern = suppress(protection)

    assert len(pattern.primary) == 1
    assert len(pattern.secondary) == 3
    assert pattern.unprotected == ()
    assert faults_of(protection, pattern) == []


def test_secondary_cells_are_as_wide_as_primary_ones() -> None:
    protection = protection_of(table_of([[2, 9, 8, 4], [9, 4, 9, 9], [9, 7, 9, 1]]), 4)

    pattern = suppress(protection)

    assert set(pattern.witnesses) == set(pattern.suppressed)
    assert min(pattern.witnesses[cell].width(cell) for cell in pattern.suppressed) >= 4


def test_what_must_be_published_and_was_published_earlier_stays_published() -> None:
    table = table_of([[1, 9, 8], [9, 9, 9], [9, 7, 9]])
    free = suppress(protection_of(table, 3))
    fixed = (free.secondary[0],)

    pattern = suppress(replace(protection_of(table, 3), published=fixed))

    assert fixed[0] not in pattern.suppressed
    assert pattern.unprotected == ()


def test_what_must_be_published_stays_though_cells_are_left_unprotected() -> None:
    table = table_of([[1, 1, 19], [29, 24, 4], [15, 26, 2]])
    published = (0, 1, 3, 4, 7, 8, 13)

    pattern = suppress(replace(protection_of(table, 3), published=published))

    assert not set(published) & set(pattern.suppressed)
    assert pattern.unprotected


def test_what_was_suppressed_earlier_stays_suppressed_and_is_as_wide() -> None:
    table = table_of([[5, 9, 8], [9, 9, 9], [9, 7, 9]])
    protection = replace(protection_of(table, 3), suppressed=(0,))

    pattern = suppress(protection)

    assert 0 in pattern.primary
    assert pattern.witnesses[0].width(0) >= 3


def test_a_table_that_cannot_be_protected_names_its_cells() -> None:
    table = table_of([[1, 9], [9, 9]])
    protection = replace(protection_of(table, 3), published=tuple(np.flatnonzero(table.values >= 3).tolist()))

    pattern = suppress(protection)

    assert pattern.unprotected == pattern.primary
    assert pattern.witnesses == {}


def test_a_table_without_primary_cells_is_published_whole() -> None:
    assert suppress(protection_of(table_of([[5, 9], [9, 9]]), 3)).suppressed == ()


def test_cells_that_cost_more_are_spared() -> None:
    table = table_of([[1, 9, 9], [9, 9, 9], [9, 9, 9]])
    n = len(table.values)
    spared = np.flatnonzero((table.cells[:, 0] == 2) & (table.values > 3))
    costs = np.ones(n)
    costs[spared] = 100.0

    pattern = suppress(replace(protection_of(table, 3), costs=costs))

    assert not set(spared.tolist()) & set(pattern.secondary)


def test_readers_who_see_no_zeros_know_less_and_fewer_cells_are_suppressed() -> None:
    random = np.random.default_rng(3)
    numbers = {"shown": 0, "hidden": 0}
    for _ in range(12):
        table = tiny_tables(random, "plain").table
        for zeros in numbers:
            numbers[zeros] += len(suppress(protection_of(table, 3, zeros)).secondary)  # type: ignore[arg-type]
    assert numbers["hidden"] < numbers["shown"]


def test_an_empty_cell_that_is_suppressed_leaves_no_cell_known_to_be_one_or_more() -> None:
    table = table_of([[1, 9], [9, 9]])
    n = len(table.values)
    with_zero = CellTable((), np.zeros((n + 1, 0), dtype=np.int64), np.r_[table.values, 0], table.relations)
    primary = with_zero.values < 3

    shown = Protection(with_zero, primary, np.full(n + 1, 3, dtype=np.int64), "shown")

    assert shown.lower.tolist() == [0] * (n + 1)


def test_superfluous_cells_are_published_again() -> None:
    random = np.random.default_rng(6)
    left = first = 0
    for _ in range(10):
        protection = protection_of(tiny_tables(random, "deep").table, 3, "hidden")
        first += len(suppress(protection, tries=0).secondary)
        left += len(suppress(protection).secondary)
    assert left < first


def test_a_cell_of_no_table_that_two_sums_give_away_is_followed_once() -> None:
    values = np.array([2, 5, 9, 14, 14, 7])
    sums = (Relation(3, (1, 2)), Relation(4, (1, 2)), Relation(5, (0, 1)))
    table = CellTable((), np.zeros((6, 0), dtype=np.int64), values, sums, (2,))
    protection = replace(protection_of(table, 3), published=(3, 4, 5))

    pattern = suppress(protection)

    assert (pattern.primary, pattern.secondary) == ((0,), (1,))
    assert faults_of(protection, pattern) == []


def test_empty_cells_of_no_table_leave_readers_who_see_zeros_what_they_know() -> None:
    table = replace(table_of([[1, 9], [9, 9]]), cells=np.zeros((9, 0), dtype=np.int64), dimensions=())
    values = np.r_[table.values, 0]
    with_hidden = CellTable((), np.zeros((10, 0), dtype=np.int64), values, table.relations, (9,))

    assert protection_of(with_hidden, 3).lower.tolist() == [1] * 9 + [0]


def test_tables_that_share_a_margin_are_protected_together() -> None:
    """EO and EM: the margin E is one set of cells, and a cell of it moves in both or in none."""
    random = np.random.default_rng(5)
    for _ in range(10):
        table = tiny_tables(random, "linked").table
        keys = {tuple(each) for each in table.cells.tolist()}
        assert len(keys) == len(table.cells)
        protection = protection_of(table, 3)
        assert faults_of(protection, suppress(protection)) == []


def test_groupings_that_do_not_nest_are_protected_by_their_atoms() -> None:
    """Ages by fives and by school years: their common refinement is in no table, but binds the two."""
    atoms = [2, 9, 1, 8]
    groupings = [[0, 1], [2, 3]], [[0], [1, 2], [3]]
    values = [*atoms]
    relations = []
    for grouping in groupings:
        for parts in grouping:
            relations.append(Relation(len(values), tuple(parts)))
            values.append(sum(atoms[each] for each in parts))
    n = len(values)
    table = CellTable((), np.zeros((n, 0), dtype=np.int64), np.array(values), tuple(relations), (0, 1, 2, 3))
    primary = np.zeros(n, dtype=np.bool_)
    primary[6] = True  # the atom of 2 alone
    protection = Protection(table, primary, np.full(n, 3, dtype=np.int64), "hidden")

    pattern = suppress(protection)

    assert faults_of(protection, pattern) == []
    assert pattern.unprotected == ()
    assert set(pattern.suppressed) > {6}


def test_what_an_earlier_search_proved_is_not_sought_again() -> None:
    random = np.random.default_rng(9)
    for kind in KINDS:
        protection = protection_of(tiny_tables(random, kind).table, 3)
        first = suppress(protection)

        again = suppress(replace(protection, suppressed=first.suppressed), known=first.witnesses)

        assert again.suppressed == first.suppressed
        assert set(again.witnesses.values()) <= set(first.witnesses.values())
        assert again.programs == 0 or first.unprotected


def test_an_earlier_witness_over_a_published_cell_proves_nothing() -> None:
    table = table_of([[1, 9, 8], [9, 9, 9], [9, 7, 9]])
    first = suppress(protection_of(table, 3))
    protection = replace(protection_of(table, 3), published=first.secondary[:1])

    again = suppress(protection, known=first.witnesses)

    assert faults_of(protection, again) == []


def test_cells_that_sums_give_away_are_exact() -> None:
    random = np.random.default_rng(10)
    seen = 0
    for at in range(40):
        table = tiny_tables(random, KINDS[at % len(KINDS)]).table
        n = len(table.values)
        known = (table.values == 1) & ~marks(table.hidden, n)
        found = given_away(table.relations, known)
        assert np.all(found[known])
        fixed, lower = np.flatnonzero(known).tolist(), np.zeros(n, dtype=np.int64)
        widths = intervals(table.relations, table.values, range(n), lower, fixed)
        for cell in np.flatnonzero(found & ~known).tolist():
            seen += 1
            assert widths[cell].width == 0, at
    assert seen > 20


PRINTED = """
import numpy as np
from ordermade.tables import suppression
from ordermade.tables.intervals import audited
from tests.properties.tiny_tables import KINDS, tiny_tables
from tests.unit.test_table_protection import protection_of, table_of

random = np.random.default_rng(2)
tables = [tiny_tables(random, kind).table for kind in KINDS] + [table_of(random.poisson(2.5, (6, 5)).tolist())]
for small in (suppression.SMALL, 0):
    suppression.SMALL = small
    for at, table in enumerate(tables):
        protection = protection_of(table, 3, "hidden" if at % 2 else "shown")
        found = suppression.suppress(protection)
        print(found.suppressed, found.unprotected, found.by_program, found.programs)
        print([(each.cells, each.high, each.low) for each in found.witnesses.values()])
        print(audited(table.relations, table.values, found.suppressed, protection.lower, unpublished=table.hidden))
"""


@pytest.mark.long
def test_new_processes_find_the_same_pattern_and_the_same_proofs() -> None:
    """Whatever the order of sets, the threads of numpy, and the cores that HiGHS finds."""
    number = rounds(3, 10)

    printed = {_printed(at) for at in range(number)}

    assert len(printed) == 1
    assert printed != {""}


def _printed(at: int) -> str:
    threads = str(1 + at % 2)
    environment = {
        **os.environ,
        "PYTHONHASHSEED": str(at),
        "OPENBLAS_NUM_THREADS": threads,
        "OMP_NUM_THREADS": threads,
    }
    one_core = "import os; os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])" if at % 2 else ""
    command = [sys.executable, "-c", f"{one_core}\n{PRINTED}"]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout


VALUES = (1, 4, 5, 6, 5, 11, 7, 9, 16)
RELATIONS = tuple(
    Relation(total, parts)
    for total, parts in [(2, (0, 1)), (5, (3, 4)), (8, (6, 7)), (6, (0, 3)), (7, (1, 4)), (8, (2, 5))]
)
SUPPRESSED = (0, 1, 3, 4)
GOOD = Witness((0, 1, 3, 4), (3, -3, -3, 3), (0, 0, 0, 0))


def verified(witness: Witness | None, sole: list[int] | None = None) -> set[str]:
    witnesses = {} if witness is None else dict.fromkeys(SUPPRESSED, witness)
    return {each.what for each in faults(RELATIONS, VALUES, SUPPRESSED, [1] * 9, [3] * 9, witnesses, sole=sole)}


def test_a_good_witness_has_no_fault() -> None:
    assert verified(GOOD) == set()


@pytest.mark.parametrize(
    ("witness", "what"),
    [
        (None, "has no witness"),
        (Witness((0, 1, 3, 4), (3, -3, -3, 2), (0,) * 4), "does not add up"),
        (Witness((0, 1, 3, 4), (3, -3, -3, 3), (1, 0, 0, 0)), "does not add up"),
        (Witness((0, 1, 3, 4), (4, -4, -4, 4), (0,) * 4), "below what is known"),
        (Witness((0, 1, 3, 4), (0,) * 4, (-1, 1, 1, -1)), "below what is known"),
        (Witness((0, 1, 3, 4), (2, -2, -2, 2), (0,) * 4), "too narrow"),
        (Witness((0, 2, 3, 5), (3, 3, -3, -3), (0,) * 4), "changes a published cell"),
        (Witness((0, 1, 3, 4, 4), (3, -3, -3, 3, 0), (0,) * 5), "names a cell twice"),
        (Witness((0, 1, 3, 4), (3, -3, -3), (0,) * 4), "unequal lengths"),
    ],
)
def test_each_fault_is_named(witness: Witness | None, what: str) -> None:
    assert len(verified(witness)) == 1
    assert what in verified(witness).pop()


def test_a_witness_over_the_cell_of_a_sole_contributor_counts_for_that_contributor_alone() -> None:
    assert verified(GOOD, [-1] * 9) == set()
    assert verified(GOOD, [7, -1, -1, -1, -1, -1, -1, -1, -1]) == {
        "has a witness that changes a cell whose one contributor knows it"
    }
    assert verified(GOOD, [7, 7, -1, 7, 7, -1, -1, -1, -1]) == set()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"primary": np.zeros(2, dtype=np.bool_)}, "`primary` has the shape"),
        ({"widths": np.zeros(9, dtype=np.int64)}, "a width is below 1"),
        ({"costs": np.zeros(9)}, "a cost is not above 0"),
        ({"costs": np.full(9, np.inf)}, "a cost is not above 0"),
        ({"published": (9,)}, "`published` names a cell that is not there"),
        ({"suppressed": (-1,)}, "`suppressed` names a cell that is not there"),
        ({"published": (3,), "suppressed": (3,)}, "must be published and must be suppressed"),
        ({"sole": np.zeros(3, dtype=np.int64)}, "`sole` has the shape"),
    ],
)
def test_bad_input_is_named(change: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        replace(protection_of(table_of([[5, 9], [9, 9]]), 3), **change)  # type: ignore[arg-type]


def test_a_table_without_cells_has_nothing_to_suppress() -> None:
    empty = np.zeros((0, 2), dtype=np.int64)
    dimension = dimension_of_levels("a", [["x", "y"]], total="all").dimension

    found = suppress(protection_of(summed_cells((dimension, dimension), empty, np.zeros(0, dtype=np.int64)), 3))

    assert found == Pattern((), (), {})


def test_a_large_table_is_protected_by_cubes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ordermade.tables.suppression.SMALL", 0)
    random = np.random.default_rng(4)
    for kind in KINDS:
        protection = protection_of(tiny_tables(random, kind).table, 3)
        pattern = suppress(protection)
        assert faults_of(protection, pattern) == []
        assert set(pattern.by_program) <= set(pattern.suppressed)
