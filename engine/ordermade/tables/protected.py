"""Linked tables protected by the rules of a request: all of their figures by one pattern, each proved by witnesses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ordermade.errors import InputError
from ordermade.requests.table_options import Costs, Zeros
from ordermade.tables.cells import CellTable, Marks, Whole
from ordermade.tables.contributors import WitnessFamily
from ordermade.tables.families import families_of
from ordermade.tables.primaries import closely_estimated, dominated, few_persons, widths_for_percent
from ordermade.tables.suppression import Pattern, Protection, inner_first, suppress
from ordermade.tables.tabulation import Tabulation
from ordermade.tables.verification import faults
from ordermade.tables.witnesses import marks


def _costs(kind: Costs, units: Whole) -> npt.NDArray[np.float64]:
    """What suppressing a cell of so many units costs."""
    if kind == "equal":
        return np.ones(len(units), dtype=np.float64)
    return 1.0 + units.astype(np.float64) if kind == "units" else inner_first(units)


@dataclass(frozen=True, slots=True)
class CellRules:
    """The rules that cells are suppressed by.

    `k` units in every published cell. Of sums: `dominance`, (contributors, percent of the sum), and the p % rule.
    """

    k: int
    zeros: Zeros = "shown"
    dominance: tuple[int, float] | None = None
    p_percent: float = 10.0
    costs: Costs = "inner"


@dataclass(frozen=True, eq=False)
class Guarded:
    """A figure of all cells, which the pattern hides: `protection` has its values and widths, `pattern` its proofs.

    `families`: the proofs of the cells that one witness does not protect from every contributor.
    """

    name: str
    protection: Protection
    pattern: Pattern
    families: Mapping[int, WitnessFamily]

    @property
    def unprotected(self) -> tuple[int, ...]:
        """The cells without a proof."""
        return tuple(each for each in self.pattern.unprotected if each not in self.families)


@dataclass(frozen=True, eq=False)
class ProtectedTables:
    """Linked tables with the pattern that protects every figure of them.

    `suppressed` are `primary` and the secondary cells, by index; `unprotected`: cells that no pattern protects: then
    nothing is released. `guarded`: every published figure with its witnesses.
    """

    tabulation: Tabulation
    rules: CellRules
    primary: tuple[int, ...]
    suppressed: tuple[int, ...]
    unprotected: tuple[int, ...]
    guarded: tuple[Guarded, ...]

    @property
    def table(self) -> CellTable:
        """The cells with their rows."""
        return self.tabulation.table

    @property
    def shown(self) -> Marks:
        """The cells of some published table: all but the hidden ones."""
        return ~marks(self.table.hidden, len(self.table.values))


def primaries(tabulation: Tabulation, rules: CellRules) -> Marks:
    """The cells that may not be published by themselves: of few units, or of sums that few contributors have."""
    found = few_persons(tabulation.units, rules.k)
    for each in tabulation.contributions:
        if rules.dominance is not None:
            found |= dominated(each, *rules.dominance)
        found |= closely_estimated(each, rules.p_percent)
    return found & ~marks(tabulation.table.hidden, len(found))


def protect(
    tabulation: Tabulation,
    rules: CellRules,
    figures: Sequence[str],
    publish: Sequence[int] = (),
    suppressed: Sequence[int] = (),
    progress: Callable[[int], None] = lambda _: None,
) -> ProtectedTables:
    """The tables with the cells that are suppressed, so that none of their `figures` is known too closely.

    `figures`: `units`, `rows`, and `sum N` of each column that is added up. `publish`, `suppressed`: cells by index
    that must be, and must not be, published. `progress` receives the number of suppressed cells after each figure.
    Raises InputError where a cell that must be published is one that may not be, and where scipy is not installed.
    """
    primary = primaries(tabulation, rules)
    n = len(tabulation.units)
    conflicts = int(np.count_nonzero(primary & marks(publish, n)))
    if conflicts:
        raise InputError(
            f"{conflicts:,} of the cells that must be published may not be, by the rules for k and sums",
            where="publish",
            next_step="Take them out of publish, or request a coarser table.",
        )
    costs = _costs(rules.costs, tabulation.units)
    guards = [
        (
            each.name,
            Protection(
                each.table, primary, each.widths, each.zeros, tuple(publish), tuple(suppressed), each.sole, costs
            ),
        )
        for each in required_of(tabulation, rules, figures)
    ]
    guarded: dict[str, Guarded] = {}
    hidden: tuple[int, ...] = tuple(suppressed)
    while any(name not in guarded or guarded[name].pattern.suppressed != hidden for name, _ in guards):
        for name, each in guards:
            if name not in guarded or guarded[name].pattern.suppressed != hidden:
                guarded[name], hidden = _guarded(name, replace(each, suppressed=hidden), guarded.get(name))
                progress(len(hidden))
    return ProtectedTables(
        tabulation,
        rules,
        tuple(np.flatnonzero(primary).tolist()),
        hidden,
        tuple(sorted({cell for each in guarded.values() for cell in each.unprotected})),
        tuple(guarded.values()),
    )


def _guarded(name: str, protection: Protection, before: Guarded | None) -> tuple[Guarded, tuple[int, ...]]:
    """A figure with its pattern, and the cells to suppress: those of families of witnesses, too.

    `before`: the same, found when fewer cells were suppressed; its proofs stay where they are proofs.
    """
    pattern = suppress(protection, known={} if before is None else {**before.pattern.witnesses, **before.families})
    families = pattern.families | families_of(protection, pattern.unprotected, pattern.suppressed)
    hidden = frozenset(protection.table.hidden)
    found = {*pattern.suppressed, *(cell for each in families.values() for cell in each.cells if cell not in hidden)}
    return Guarded(name, protection, pattern, families), tuple(sorted(found))


@dataclass(frozen=True, eq=False)
class Required:
    """A figure that tables show: its values, how wide each suppressed cell must be, and what readers know."""

    name: str
    table: CellTable
    widths: Whole
    zeros: Zeros
    sole: Whole


def required_of(tabulation: Tabulation, rules: CellRules, figures: Sequence[str]) -> Iterator[Required]:
    """Every one of these figures: `units`, `rows`, and `sum N` of each column that is added up."""
    table, n = tabulation.table, len(tabulation.units)
    least = np.full(n, rules.k, dtype=np.int64)
    if "units" in figures:
        yield Required("units", table.with_values(tabulation.units), least, rules.zeros, tabulation.sole)
    if "rows" in figures:
        yield Required("rows", table, np.maximum(least, tabulation.most_rows), rules.zeros, tabulation.sole)
    for place, (sums, contributions) in enumerate(zip(tabulation.sums, tabulation.contributions, strict=True)):
        if f"sum {place}" in figures:
            widths = np.maximum(1, widths_for_percent(contributions, rules.p_percent, 1))
            yield Required(f"sum {place}", table.with_values(sums), widths, "hidden", tabulation.sole)


def unproved(found: ProtectedTables) -> int:
    """The suppressed cells, of every figure, whose witness does not prove their width: verified in whole numbers."""
    return sum(map(_unproved, found.guarded))


def _unproved(guarded: Guarded) -> int:
    """The suppressed cells of one figure that are not proved: by one witness, or by a family."""
    protection = guarded.protection
    table = protection.table
    widths = protection.widths.copy()
    widths[list(table.hidden)] = 0
    found = faults(
        table.relations,
        table.values.tolist(),
        (*guarded.pattern.suppressed, *table.hidden),
        protection.lower.tolist(),
        widths.tolist(),
        guarded.pattern.witnesses,
        sole=None if protection.sole is None else protection.sole.tolist(),
        families={cell: each.witnesses for cell, each in guarded.families.items()},
    )
    return len(found)
