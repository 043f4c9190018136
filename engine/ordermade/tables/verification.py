"""Witnesses verified in whole numbers, by code that shares nothing with what found them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol


class _Sum(Protocol):
    @property
    def total(self) -> int: ...
    @property
    def parts(self) -> Sequence[int]: ...


class _Moves(Protocol):
    @property
    def cells(self) -> Sequence[int]: ...
    @property
    def high(self) -> Sequence[int]: ...
    @property
    def low(self) -> Sequence[int]: ...


@dataclass(frozen=True)
class Fault:
    """What is wrong with the proof of one suppressed cell."""

    cell: int
    what: str


def faults(
    relations: Sequence[_Sum],
    values: Sequence[int],
    suppressed: Sequence[int],
    lower: Sequence[int],
    widths: Sequence[int],
    witnesses: Mapping[int, _Moves],
    *,
    sole: Sequence[int] | None = None,
    families: Mapping[int, Sequence[_Moves]] = MappingProxyType({}),
) -> list[Fault]:
    """What is wrong with the proofs of the suppressed cells, by ascending cell; nothing where each is proved.

    Both tables of a witness add up, change suppressed cells only, keep each cell at or above `lower`, and are
    `widths[cell]` apart in the cell. `sole`: the contributor of each cell that has one alone, -1 elsewhere: a witness
    changes the cells of no such contributor but the cell's own. `families`: the cells with several witnesses instead,
    of which each such contributor spares one; all but the first may be narrower by 1. `suppressed` holds cells of no
    published table too; those with the width 0 need no witness.
    """
    sums_of: dict[int, list[int]] = {}
    for number, each in enumerate(relations):
        sums_of.setdefault(each.total, []).append(number + 1)
        for part in each.parts:
            sums_of.setdefault(part, []).append(-number - 1)
    may_change = set(suppressed)
    judged: dict[int, tuple[str, frozenset[int]]] = {}

    def fault_of(cell: int, proof: Sequence[_Moves]) -> str:
        least = widths[cell]
        spoiling: frozenset[int] | None = None
        for witness in proof:
            if id(witness) not in judged:
                fault = _fault(witness, sums_of, values, may_change, lower)
                alone = () if sole is None or fault else (sole[each] for each in witness.cells)
                judged[id(witness)] = fault, frozenset(alone) - {-1}
            fault, known_to = judged[id(witness)]
            if fault:
                return fault
            if _width(witness, cell) < least:
                return "has a witness that is too narrow"
            spoiling = known_to if spoiling is None else spoiling & known_to
            least = max(1, widths[cell] - 1)
        if spoiling is None:
            return "has no witness"
        if sole is not None and not spoiling <= {sole[cell]}:
            return "has a witness that changes a cell whose one contributor knows it"
        return ""

    found = []
    for cell in sorted(may_change):
        if widths[cell] <= 0:
            continue
        single = (witnesses[cell],) if cell in witnesses else ()
        fault = fault_of(cell, families.get(cell, single))
        if fault:
            found.append(Fault(cell, fault))
    return found


def _width(witness: _Moves, cell: int) -> int:
    """How far the two tables of a witness are apart in a cell."""
    return sum(
        abs(high - low)
        for each, high, low in zip(witness.cells, witness.high, witness.low, strict=True)
        if each == cell
    )


def _fault(
    witness: _Moves,
    sums_of: Mapping[int, Sequence[int]],
    values: Sequence[int],
    may_change: set[int],
    lower: Sequence[int],
) -> str:
    """What is wrong with a witness whatever cell it is for; empty where nothing is."""
    if not len(witness.cells) == len(witness.high) == len(witness.low):
        return "has a witness of unequal lengths"
    if len(set(witness.cells)) < len(witness.cells):
        return "has a witness that names a cell twice"
    if not may_change.issuperset(witness.cells):
        return "has a witness that changes a published cell"
    for move in (witness.high, witness.low):
        rests: dict[int, int] = {}
        for cell, change in zip(witness.cells, move, strict=True):
            if int(change) != change or values[cell] + change < lower[cell]:
                return "has a witness with a table below what is known"
            for number in sums_of.get(cell, ()):
                rests[abs(number)] = rests.get(abs(number), 0) + (change if number > 0 else -change)
        if any(rests.values()):
            return "has a witness with a table that does not add up"
    return ""
