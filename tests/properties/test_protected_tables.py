"""No suppressed cell is narrower than said: beside every table of whole numbers that agrees with what is published.

The tables are counted out from the reader's side, by their finest cells, which knows nothing of the engine's sums.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest

from ordermade.requests.table_options import Zeros
from ordermade.tables.cells import Marks, Whole
from ordermade.tables.intervals import audited
from ordermade.tables.primaries import closely_estimated, dominated, few_persons, widths_for_percent
from ordermade.tables.suppression import Pattern, Protection, suppress
from tests.long import rounds
from tests.properties.tables_by_hand import Bounds, Cell, TooMany
from tests.properties.tiny_tables import KINDS, TinyTables, tiny_tables
from tests.table_proofs import faults_of

SEED = 20261128


@dataclass(frozen=True)
class Protected:
    """Tiny tables with what is suppressed of them; primary and wide by hand."""

    tables: TinyTables
    protection: Protection
    pattern: Pattern

    @property
    def unknown(self) -> list[Cell]:
        """The suppressed cells, by hand."""
        suppressed = set(self.pattern.suppressed)
        return [cell for cell, number in self.tables.cells.items() if number in suppressed]

    @property
    def least(self) -> int:
        """What a reader knows each suppressed cell to be at least."""
        return int(self.protection.zeros == "shown")

    @property
    def reach(self) -> int:
        """How far above their true values cells are counted out: as far as the witnesses go."""
        families = [each for family in self.pattern.families.values() for each in family.witnesses]
        witnesses = [*self.pattern.witnesses.values(), *families]
        changes = [each for witness in witnesses for each in (*witness.high, *witness.low)]
        return max(2 * int(self.protection.widths.max()), *changes, 0)


def protected(tables: TinyTables, random: np.random.Generator, *, sole: bool = False) -> Protected:
    """The tables, suppressed by k persons, and sums by dominance and p % too."""
    contributions, k = tables.contributions, int(random.integers(2, 5))
    zeros: Zeros = "shown" if random.random() < 0.5 else "hidden"
    primary: Marks = few_persons(contributions.numbers(), k)
    widths: Whole = np.full(len(primary), k, dtype=np.int64)
    if set(tables.amounts) != {1}:
        primary = primary | dominated(contributions, 1, 80) | closely_estimated(contributions, 20)
        widths = widths_for_percent(contributions, 20, k)
    protection = Protection(tables.table, primary, widths, zeros, sole=contributions.sole() if sole else None)
    return Protected(tables, protection, suppress(protection))


def check_values(tables: TinyTables) -> None:
    """Every cell of a table that is not empty is one of the engine's with its value, and no others but hidden ones."""
    values = tables.by_hand.cells()
    table = tables.table
    assert {cell for cell, value in values.items() if value} == set(tables.cells)
    assert {cell: int(table.values[number]) for cell, number in tables.cells.items()} == {
        cell: value for cell, value in values.items() if value
    }
    assert sorted([*tables.cells.values(), *table.hidden]) == list(range(len(table.values)))


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_no_suppressed_cell_is_narrower_than_said_over_all_tables_of_whole_numbers(kind: str) -> None:
    number = rounds(12, 200)
    random = np.random.default_rng([SEED, *kind.encode()])
    seen: Counter[str] = Counter()
    for at in range(number):
        found = protected(tiny_tables(random, kind), random)
        check_values(found.tables)
        assert faults_of(found.protection, found.pattern) == [], (kind, at)
        seen["without a proof"] += len(found.pattern.unprotected)
        if not found.unknown:
            seen["nothing suppressed"] += 1
            continue
        try:
            bounds = found.tables.by_hand.bounds(found.unknown, found.least, found.reach)
        except TooMany:
            seen["skipped"] += 1
            continue
        seen["enumerated"] += 1
        for cell, (least, most) in bounds.items():
            engine_cell = found.tables.cells[cell]
            if engine_cell not in found.pattern.unprotected:
                assert most - least >= found.protection.widths[engine_cell], (kind, at)
                seen["cells"] += 1
    print(f"{kind}, seed {SEED}: {number} tables, {dict(seen)}")
    assert seen["enumerated"] >= number // 2, seen


@pytest.mark.long
def test_intervals_of_suppressed_tables_are_those_of_all_tables_of_whole_numbers() -> None:
    """Programs leave whole numbers out, so an interval may be wider than the truth: it is never narrower."""
    number = rounds(12, 200)
    random = np.random.default_rng([SEED, 1])
    seen: Counter[str] = Counter()
    for at in range(number):
        found = protected(tiny_tables(random, KINDS[at % len(KINDS)]), random)
        table = found.tables.table
        lower = found.protection.lower
        audit = audited(table.relations, table.values, found.pattern.suppressed, lower, unpublished=table.hidden)
        widest = max(
            (each.most - int(table.values[cell]) for cell, each in audit.intervals.items() if each.most is not None),
            default=0,
        )
        try:
            bounds = found.tables.by_hand.bounds(found.unknown, found.least, widest + 1, most=20_000)
        except TooMany:
            seen["skipped"] += 1
            continue
        seen["enumerated"] += 1
        for cell, (least, most) in bounds.items():
            interval = audit.intervals[found.tables.cells[cell]]
            if interval.most is None:
                continue
            assert interval.least <= least <= most <= interval.most, at
            seen["wider" if (interval.least, interval.most) != (least, most) else "equal"] += 1
    print(f"intervals, seed {SEED}: {number} tables, {dict(seen)}")
    assert seen["equal"] > 50 * seen["wider"], seen


@pytest.mark.long
def test_whoever_is_alone_in_cells_makes_no_other_cell_narrow() -> None:
    """Each sole contributor's cells are fixed, and the others audited again, by programs and by counting out."""
    number = rounds(15, 300)
    random = np.random.default_rng([SEED, 2])
    seen: Counter[str] = Counter()
    for at in range(number):
        found = protected(tiny_tables(random, KINDS[at % len(KINDS)], rows_each=1 + at % 3), random, sole=True)
        assert faults_of(found.protection, found.pattern) == [], at
        seen["without a proof"] += len(found.pattern.unprotected)
        for own in found.tables.alone().values():
            if not own.isdisjoint(found.unknown):
                seen["contributors"] += 1
                for cell, width in widths_beside(found, own, seen).items():
                    seen["exact"] += width == 0
                    assert width >= found.protection.widths[found.tables.cells[cell]] - 1, at
    print(f"sole contributors, seed {SEED}: {number} tables, {dict(seen)}")
    assert seen["exact"] == 0
    assert seen["contributors"] >= number, seen


def widths_beside(found: Protected, own: set[Cell], seen: Counter[str]) -> dict[Cell, int]:
    """How wide the other proved cells are to whoever knows these, by programs, or narrower as counted out."""
    table, numbers = found.tables.table, found.tables.cells
    fixed = [numbers[cell] for cell in own if cell in found.unknown]
    audit = audited(
        table.relations,
        table.values,
        found.pattern.suppressed,
        found.protection.lower,
        fixed=fixed,
        unpublished=table.hidden,
    )
    proved = [cell for cell in found.unknown if cell not in own and numbers[cell] not in found.pattern.unprotected]
    widths = {cell: audit.intervals[numbers[cell]].width for cell in proved}
    values = found.tables.by_hand.cells()
    known = {cell: values[cell] for cell in own}
    counted: dict[Cell, Bounds] = {}
    try:
        counted = found.tables.by_hand.bounds(found.unknown, found.least, found.reach, known=known, most=5_000)
        seen["counted out"] += 1
    except TooMany:
        seen["by programs alone"] += 1
    for cell in counted.keys() & widths.keys():
        low, high = counted[cell]
        width = widths[cell]
        widths[cell] = high - low if width is None else min(high - low, width)
    return {cell: width for cell, width in widths.items() if width is not None}
