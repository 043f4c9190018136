"""Which cells of a table are suppressed beside the primary ones, with a witness for each suppressed cell.

Every suppressed cell, primary or secondary, is at least its width wide: a reader who knows all that is published cannot
tell two tables apart that differ so much in it. Cells come in a fixed order and programs are counted, never timed, so
that the same table has the same pattern in each process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from ordermade.errors import InputError
from ordermade.requests.table_options import Zeros
from ordermade.tables.cells import CellTable, Marks, Whole
from ordermade.tables.contributors import KNOWN, WitnessFamily, cells_of_contributors, family_of
from ordermade.tables.loops import Loops
from ordermade.tables.programs import WitnessPrograms
from ordermade.tables.sums import OpenSums, given_away
from ordermade.tables.witnesses import ENDS, Cubes, Witness, is_allowed, marks, with_ends

SMALL = 1_500
"""The most cells of a table whose witnesses are sought by programs first."""
_PROGRAM_CELLS = 600_000
"""The cells of all programs within suppressed cells of a table that is not small; then cubes alone."""
_FAMILY_PROGRAMS = 6
"""The programs, for each cell of a small table, after which cells are published again by families of cubes alone."""
_ROUNDS = 2
"""How often each secondary cell of a small table is tried to be published again."""
MIDDLE = 6_000
"""The most cells of a table for which programs are solved at all."""
_UNITS = 30.0
"""How many units cost as much as one more cell, in a table that is not small."""
_KEPT = 1e-3
"""What a secondary cell that is suppressed anyway costs a cube, of its price: those that none needs are published."""
_DEAR = 20.0
"""The price of a cube above which a loop is sought that costs less."""
_EXCHANGED = 4_000
"""The most cubes that are sought to publish large cells again for smaller ones."""

Reals = npt.NDArray[np.float64]
Proof = Witness | WitnessFamily


@dataclass(frozen=True)
class Protection:
    """What a table needs: which of its cells are primary, how wide each suppressed cell must be, what readers see.

    `widths`: for each cell how far its least and most value must be apart if it is suppressed; 1 or more. `zeros`:
    whether a reader sees which cells are empty, and so that each suppressed one is at least 1. Where zeros are
    `hidden`, the release must print empty cells as suppressed ones. `published`: cells that stay published (earlier
    published ones too). `suppressed`: cells suppressed earlier, which stay so. `sole`: the contributor of each cell
    that has one alone, else -1: whoever is alone in a cell knows it. `costs`: what suppressing each costs (1 + .2 log10
    (1 + value) where not given, inner cells first; in tables of more than `SMALL` cells 1 more for each 30 units).
    """

    table: CellTable
    primary: Marks
    widths: Whole
    zeros: Zeros = "shown"
    published: tuple[int, ...] = ()
    suppressed: tuple[int, ...] = ()
    sole: Whole | None = None
    costs: Reals | None = None

    def __post_init__(self) -> None:
        n = len(self.table.values)
        for name, given in (
            ("primary", self.primary),
            ("widths", self.widths),
            ("sole", self.sole),
            ("costs", self.costs),
        ):
            if given is not None and given.shape != (n,):
                raise InputError(
                    f"`{name}` has the shape {given.shape} for {n} cells",
                    where="the protection of a table",
                    next_step="Give one value a cell.",
                )
        if n and int(self.widths.min()) < 1:
            raise InputError(
                "a width is below 1",
                where="the protection of a table",
                next_step="Give each cell a width of 1 or more.",
            )
        if self.costs is not None and not np.all(np.isfinite(self.costs) & (self.costs > 0)):
            raise InputError(
                "a cost is not above 0",
                where="the protection of a table",
                next_step="Give each cell a finite cost above 0; name cells that must be published in `published`.",
            )
        for name, cells in (("published", self.published), ("suppressed", self.suppressed)):
            if not all(0 <= each < n for each in cells):
                raise InputError(
                    f"`{name}` names a cell that is not there",
                    where="the protection of a table",
                    next_step="Name cells by their row.",
                )
        fixed = marks(self.published, n)
        if np.any(fixed & (self.primary | marks(self.suppressed, n))):
            raise InputError(
                "a cell must be published and must be suppressed",
                where="the protection of a table",
                next_step="Take it out of one of the two, or make the table coarser.",
            )

    @cached_property
    def lower(self) -> Whole:
        """What a reader knows each cell to be at least: 1 where empty cells are seen, if none of them is suppressed."""
        n = len(self.table.values)
        found = np.zeros(n, dtype=np.int64)
        must = (self.primary | marks(self.suppressed, n)) & ~marks(self.table.hidden, n)
        if self.zeros == "shown" and not np.any(must & (self.table.values == 0)):
            found[self.table.values > 0] = 1
            found[list(self.table.hidden)] = 0
        return found


@dataclass(frozen=True)
class Pattern:
    """The suppressed cells of a table with their proofs.

    `secondary`: cells suppressed beside those that had to be. `witnesses`: one for each suppressed cell but those of
    `families` and the `unprotected`: a table with such cells is not released. `by_program`: cells of a table
    whose cubes are sought first that no cube protected when their turn came. `programs`: the
    number of programs solved.
    """

    primary: tuple[int, ...]
    secondary: tuple[int, ...]
    witnesses: dict[int, Witness] = field(repr=False)
    unprotected: tuple[int, ...] = ()
    by_program: tuple[int, ...] = ()
    programs: int = 0
    families: dict[int, WitnessFamily] = field(default_factory=dict, repr=False)

    @property
    def suppressed(self) -> tuple[int, ...]:
        """All suppressed cells, by ascending index: readers see one mark for all."""
        return tuple(sorted((*self.primary, *self.secondary)))


def suppress(
    protection: Protection, *, known: Mapping[int, Proof] = MappingProxyType({}), tries: int | None = None
) -> Pattern:
    """The pattern of a table: its primary cells and what must be suppressed with them.

    `known`: proofs that an earlier search found, with fewer cells suppressed: they are not sought again.
    `tries`: the most secondary cells that are tried to be published again (all, twice, in tables of up to `SMALL`
    cells, 400 in larger ones where not given). Raises InputError where scipy is not installed.
    """
    return _Search(protection, known).run(tries)


class _Search:
    """One search: the state of each cell, and the witnesses found so far."""

    def __init__(self, protection: Protection, known: Mapping[int, Proof]) -> None:
        table = protection.table
        n = len(table.values)
        self._table = table
        self._values = table.values
        self._widths = protection.widths
        self._sole = protection.sole
        self._hidden = marks(table.hidden, n)
        self._must = (protection.primary | marks(protection.suppressed, n)) & ~self._hidden
        self._suppressed = self._must | self._hidden
        # Empty cells are known to be empty, or might be: that they are fixed supposes the stronger reader.
        self._fixed = (marks(protection.published, n) | (table.values == 0)) & ~self._suppressed
        self._slack = table.values - protection.lower
        self._programs_first = n <= SMALL
        self._prices = inner_first(table.values) if protection.costs is None else protection.costs
        self._cubes = Cubes(table) if table.dimensions and n else None
        self._loops = None if self._cubes is None else Loops(self._cubes, len(table.dimensions))
        # What a cell adds to a cube: where others may be suppressed too, and within what is suppressed.
        self._kept = np.where(self._must, 0.0, _KEPT * self._prices)
        prices = np.where(self._suppressed, self._kept, self._prices)
        prices[self._fixed] = np.inf
        self._costs, self._room = with_ends(prices, self._slack)
        self._inside, _ = with_ends(np.where(self._suppressed, self._kept, np.inf), self._slack)
        self._alone = None if self._sole is None else np.append(self._sole, [-1] * ENDS)
        self._programs = WitnessPrograms(table) if n <= MIDDLE else None
        self._most_programs = n * n if self._programs_first else _PROGRAM_CELLS // max(1, n)
        self._sums = OpenSums(table, self._suppressed)
        self._proofs: dict[int, Proof] = {}
        self._users: dict[int, set[int]] = {}
        self._pool: list[Witness] = []
        self._pool_of: dict[int, list[int]] = {}
        self._unprotected: set[int] = set()
        self._by_program: set[int] = set()
        self._exchanged = 0
        # What follows from the cells that someone is alone in: each witness changes one that another person knows.
        alone = np.zeros(n, dtype=np.bool_) if self._sole is None else self._sole >= 0
        self._given_away = given_away(table.relations, alone | self._fixed) & ~alone
        self._cells_of = {} if self._sole is None else cells_of_contributors(self._sole)
        self._penalties = np.append(np.where(alone, KNOWN, 0.0), [0.0] * ENDS)
        staying = {each: proof for each, proof in known.items() if self._suppressed[each] and self._stays(proof)}
        for witness in dict.fromkeys(each for proof in staying.values() for each in _witnesses(proof)):
            self._add(witness)
        for cell, proof in staying.items():
            if cell not in self._proofs:
                self._use(cell, proof)

    def run(self, tries: int | None) -> Pattern:
        """The pattern: all suppressed cells witnessed, then superfluous ones published again."""
        self._cover()
        if self._cubes is not None and not self._programs_first:
            self._exchange()
        if self._programs is not None:
            most = _ROUNDS * len(self._values) if self._programs_first else 400
            self._take_away(most if tries is None else tries)
        shown = self._suppressed & ~self._hidden
        proofs = [(cell, self._proofs[cell]) for cell in sorted(self._proofs) if shown[cell]]
        return Pattern(
            tuple(np.flatnonzero(self._must).tolist()),
            tuple(np.flatnonzero(shown & ~self._must).tolist()),
            {each: proof for each, proof in proofs if isinstance(proof, Witness)},
            tuple(sorted(self._unprotected)),
            tuple(sorted(each for each in self._by_program if each in self._proofs and shown[each])),
            0 if self._programs is None else self._programs.solved,
            {each: proof for each, proof in proofs if isinstance(proof, WitnessFamily)},
        )

    def _cover(self) -> None:
        """Suppresses until each suppressed cell has a witness: the largest first, then by index."""
        while True:
            waiting = [
                each
                for each in np.flatnonzero(self._suppressed & ~self._hidden).tolist()
                if each not in self._proofs and each not in self._unprotected
            ]
            if not waiting:
                return
            waiting.sort(key=lambda each: (-int(self._values[each]), each))
            for cell in waiting:
                if cell in self._proofs:
                    continue
                found = self._found(cell)
                if isinstance(found, WitnessFamily):
                    self._prove(cell, found)
                elif found is not None:
                    self._suppress(found)
                if cell not in self._proofs:
                    self._unprotected.add(cell)

    def _stays(self, proof: Proof) -> bool:
        """Whether a proof of an earlier search is one now."""
        for witness in _witnesses(proof):
            cells = list(witness.cells)
            room = np.minimum(witness.high, witness.low) + self._slack[cells]
            if not np.all(self._suppressed[cells]) or int(room.min()) < 0:
                return False
        return True

    def _costs_for(self, cell: int) -> Reals:
        """What each cell adds to a witness of the cell: nothing if suppressed, no end of it if it may not change."""
        costs = np.where(self._suppressed, 0.0, self._prices)
        costs[self._fixed] = np.inf
        if self._sole is not None:
            costs[(self._sole >= 0) & (self._sole != self._sole[cell])] = np.inf
        return costs

    def _found(self, cell: int) -> Proof | None:
        """The cheapest proof of a cell: what suppresses no other cell before what does."""
        if self._given_away[cell]:
            return self._family(cell)
        if self._programs_first or self._cubes is None:
            found = self._within(cell, integer=False) or self._family(cell)
        else:
            found = self._replacement(cell, np.inf)
        if found is not None or self._programs is None:
            return found
        if not self._programs_first and self._cubes is not None:
            self._by_program.add(cell)
            found = self._within(cell, integer=False)
        width = int(self._widths[cell])
        return self._programs.cheapest(cell, width, self._costs_for(cell), self._slack) if found is None else found

    def _replacement(self, cell: int, most: float) -> Proof | None:
        """The cheapest cube or loop below a price, or a family of what is suppressed where that suppresses others."""
        found = self._cheapest(cell, most)
        if found is not None and np.all(self._suppressed[list(found.cells)]):
            return found
        return self._family(cell) or found

    def _family(self, cell: int, *, by_programs: bool = True) -> WitnessFamily | None:
        """A family of witnesses of a cell over suppressed cells alone: of cubes, and by programs where wanted."""
        sole = self._sole
        if sole is None:
            return None
        width, costs = int(self._widths[cell]), self._inside + self._penalties
        costs[self._cells_of.get(int(sole[cell]), [])] -= KNOWN

        def search(avoided: int) -> Witness | None:
            cells = self._cells_of.get(avoided, [])
            prices = costs[cells]
            costs[cells] = np.inf
            found = self._inner(cell, width if avoided < 0 else max(1, width - 1), costs, by_programs=by_programs)
            costs[cells] = prices
            return found

        return family_of(cell, sole, search)

    def _inner(self, cell: int, width: int, costs: Reals, *, by_programs: bool) -> Witness | None:
        """A witness of a cell over cells of finite cost, whoever knows them."""
        found = None if self._cubes is None else self._cubes.cheapest(cell, width, costs, self._room)
        if found is not None or not by_programs or self._programs is None:
            return found
        if self._programs.solved >= self._most_programs:
            return None
        return self._programs.within(cell, width, costs[:-ENDS], self._slack, integer=False)

    def _prove(self, cell: int, family: WitnessFamily) -> None:
        """Lets a family count for its cell, and its witnesses for others."""
        for each in family.witnesses:
            self._add(each)
        if cell not in self._proofs:
            self._use(cell, family)

    def _cheapest(self, cell: int, most: float) -> Witness | None:
        """The cheapest cube below a price; where none is cheap, a loop that is cheaper."""
        if self._cubes is None or self._loops is None:
            return None
        width = int(self._widths[cell])
        found = self._cubes.cheapest(cell, width, self._costs, self._room, self._alone, most)
        price = most if found is None else float(self._costs[list(found.cells)].sum())
        if price <= _DEAR:
            return found
        return self._loops.cheapest(cell, width, self._costs, self._room, self._alone, price) or found

    def _within(self, cell: int, *, integer: bool) -> Witness | None:
        """A witness of a cell that changes suppressed cells only: a cube, else by programs."""
        width = int(self._widths[cell])
        found = None
        if self._cubes is not None:
            found = self._cubes.cheapest(cell, width, self._inside, self._room, self._alone)
        if found is None and self._programs is not None and self._programs.solved < self._most_programs:
            costs = self._costs_for(cell)
            costs[~self._suppressed] = np.inf
            found = self._programs.within(cell, width, costs, self._slack, integer=integer)
        return found

    def _suppress(self, witness: Witness) -> None:
        """Suppresses the cells of a witness, and lets it count for each cell that it is wide enough for."""
        for each in witness.cells:
            if not self._suppressed[each]:
                self._open(each)
        self._add(witness)

    def _open(self, cell: int) -> None:
        """Suppresses a cell."""
        self._suppressed[cell] = True
        self._costs[cell] = self._inside[cell] = self._kept[cell]
        self._sums.open(cell)

    def _close(self, cell: int) -> None:
        """Publishes a cell, which then needs no witness."""
        self._suppressed[cell] = False
        self._costs[cell], self._inside[cell] = self._prices[cell], np.inf
        self._sums.close(cell)
        for each in self._proofs.pop(cell).cells if cell in self._proofs else ():
            self._users[each].discard(cell)
        self._unprotected.discard(cell)

    def _add(self, witness: Witness) -> None:
        number = len(self._pool)
        self._pool.append(witness)
        support = np.array(witness.cells, dtype=np.int64)
        for cell, high, low in zip(witness.cells, witness.high, witness.low, strict=True):
            if self._hidden[cell] or abs(high - low) < self._widths[cell]:
                continue
            if self._sole is not None and not is_allowed(support, cell, self._sole):
                continue
            self._pool_of.setdefault(cell, []).append(number)
            if cell not in self._proofs:
                self._use(cell, witness)

    def _use(self, cell: int, proof: Proof) -> None:
        old = self._proofs.get(cell)
        if old is not None:
            for each in old.cells:
                self._users[each].discard(cell)
        self._proofs[cell] = proof
        self._unprotected.discard(cell)
        for each in proof.cells:
            self._users.setdefault(each, set()).add(cell)

    def _take_away(self, tries: int) -> None:
        """Publishes secondary cells again whose witnesses can be replaced by others.

        In large tables the largest first, which spares most units; in small ones those of the fewest witnesses.
        """
        for _ in range(_ROUNDS if self._programs_first else 1):
            secondary = np.flatnonzero(self._suppressed & ~self._must & ~self._hidden).tolist()
            if self._programs_first:  # few witnesses to replace: most cells go so
                secondary.sort(key=lambda each: (len(self._users.get(each, ())), -int(self._values[each]), each))
            else:
                secondary.sort(key=lambda each: (-int(self._values[each]), each))
            for cell in secondary[:tries]:
                self._try_without(cell)
            tries -= min(tries, len(secondary))

    def _try_without(self, cell: int) -> None:
        if self._sums.closes(cell, self._hidden):
            return
        self._suppressed[cell] = False
        self._inside[cell] = np.inf
        needy = sorted(self._users.get(cell, set()) - {cell}, key=lambda each: (int(self._slack[each]), each))
        replaced: dict[int, Proof] = {}
        made: list[Witness] = []
        for each in needy:
            found = self._again(each, cell, made)
            if found is None:
                self._suppressed[cell] = True
                self._inside[cell] = self._kept[cell]
                for witness in made:
                    self._add(witness)
                return
            replaced[each] = found
        self._close(cell)
        for witness in made:
            self._add(witness)
        for each, proof in replaced.items():
            self._use(each, proof)

    def _exchange(self) -> None:
        """Publishes large secondary cells again for smaller ones that cost less together: the dearest first."""
        secondary = np.flatnonzero(self._suppressed & ~self._must & ~self._hidden).tolist()
        secondary.sort(key=lambda each: (-float(self._prices[each]), each))
        for cell in secondary:
            if self._suppressed[cell] and self._exchanged < _EXCHANGED:
                self._try_others(cell)

    def _try_others(self, cell: int) -> None:
        """Publishes a cell if each witness over it has another one, and what is suppressed for them costs less."""
        left = float(self._prices[cell])
        self._suppressed[cell] = False
        self._costs[cell] = self._inside[cell] = np.inf
        replaced: dict[int, Proof] = {}
        made: list[Witness] = []
        opened: list[int] = []
        for each in sorted(self._users.get(cell, set()) - {cell}, key=lambda each: (-int(self._values[each]), each)):
            found: Proof | None = self._known(each, cell, made)
            if found is None:
                self._exchanged += 1
                found = self._replacement(each, left)
                if isinstance(found, Witness):
                    made.append(found)
                    new = [other for other in found.cells if not self._suppressed[other]]
                    left -= float(self._prices[new].sum())
                    for other in new:
                        self._open(other)
                        opened.append(other)
                        if not self._serves(found, other):
                            left = -np.inf
            if found is None or left <= 0:
                break
            replaced[each] = found
        else:
            self._close(cell)
            for witness in made:
                self._add(witness)
            for each, proof in replaced.items():
                self._use(each, proof)
            return
        for each in opened:
            self._close(each)
        self._suppressed[cell] = True
        self._costs[cell] = self._inside[cell] = self._kept[cell]

    def _serves(self, witness: Witness, cell: int) -> bool:
        """Whether a witness over suppressed cells proves a cell."""
        return witness.width(cell) >= self._widths[cell] and (
            self._sole is None or is_allowed(witness.cells, cell, self._sole)
        )

    def _known(self, cell: int, without: int, made: Sequence[Witness]) -> Witness | None:
        """A witness of a cell that was found before and changes suppressed cells only, not the one left out."""
        for number in reversed(self._pool_of.get(cell, [])):
            support = self._pool[number].cells
            if without not in support and all(self._suppressed[each] for each in support):
                return self._pool[number]
        return next((each for each in made if self._serves(each, cell)), None)

    def _again(self, cell: int, without: int, made: list[Witness]) -> Proof | None:
        """A proof of a cell within what is suppressed: one found before, a cube, by a program, a family."""
        found = self._known(cell, without, made)
        if found is not None:
            return found
        found = None if self._given_away[cell] else self._within(cell, integer=self._programs_first)
        if found is None:
            few = self._programs is not None and self._programs.solved < _FAMILY_PROGRAMS * len(self._values)
            return self._family(cell, by_programs=self._programs_first and few)
        made.append(found)
        return found


def _witnesses(proof: Proof) -> tuple[Witness, ...]:
    return (proof,) if isinstance(proof, Witness) else proof.witnesses


def inner_first(units: Whole) -> Reals:
    """What suppressing each cell costs: inner cells first; in tables that are not small, large cells far more."""
    found: Reals = 1 + 0.2 * np.log10(1.0 + units)
    return found if len(found) <= SMALL else found + units / _UNITS
