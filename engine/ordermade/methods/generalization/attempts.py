"""Rounds of local recoding, attempted one after the other: what each releases, and what remains."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from ordermade.lattice.lattice import Lattice, Node
from ordermade.lattice.observation import Observation, Requirement
from ordermade.methods.generalization.algorithm.sealed_partition import MAX_BITS, Integers
from ordermade.methods.generalization.local_counting import (
    LocalCombinations,
    RemainingRows,
    classes_of_cells,
    decide_by_rounds,
    place,
    rows_and_persons,
    rows_by_cell,
)
from ordermade.methods.generalization.local_rounds import (
    CellClasses,
    Classes,
    Losses,
    Remaining,
    Round,
    first,
    gather,
    loss_of,
    losses_of,
    run_each_round,
    run_rounds,
)
from ordermade.methods.generalization.narrowed_classes import NarrowedRegions, failing_as_seen
from ordermade.methods.generalization.narrowing import Narrowed
from ordermade.methods.generalization.result import RoundReport
from ordermade.privacy.least_k import in_words, numbered
from ordermade.release.plan import Plan
from ordermade.release.rows import released_and_suppressed, released_classes


class RemainingInMemory:
    """Combinations of cells that are still to be released; keeps the rounds that released something.

    `rounds` are those so far, and `round_of` has the number of the round of each combination, 0 where it remains.
    """

    def __init__(self, codes: Sequence[Mapping[int, Integers]], rows: Integers, k: int) -> None:
        """`codes[attribute][level]`: the class of each combination, numbered from 0. `rows` of each combination."""
        self._codes, self._rows, self._k = codes, rows, k
        self._left = np.arange(len(rows))
        self.rounds: list[Round] = []
        self.round_of = np.zeros(len(rows), dtype=np.int64)

    @property
    def rows(self) -> int:
        """The number of remaining rows."""
        return int(self._rows[self._left].sum())

    @property
    def units(self) -> int:
        """The same: rows are counted here, not persons."""
        return self.rows

    def classes(self, nodes: Sequence[Node]) -> list[Classes]:
        """The classes of the remaining rows at each node."""
        found = []
        for node in nodes:
            _, sizes = self._sizes(node)
            is_large = sizes >= self._k
            found.append(Classes(int(is_large.sum()), int(sizes[~is_large].sum())))
        return found

    def release(self, node: Node) -> Round | None:
        """Releases the classes of a node that have k rows, of the remaining rows; None where none has."""
        classes, sizes = self._sizes(node)
        is_large = sizes >= self._k
        if not is_large.any():
            return None
        released = is_large[classes]
        found = Round(node, int(is_large.sum()), int(sizes[is_large].sum()))
        self.rounds.append(found)
        self.round_of[self._left[released]] = len(self.rounds)
        self._left = self._left[~released]
        return found

    def take_back(self, kept: int) -> None:
        """Takes back all rounds but the first `kept`."""
        del self.rounds[kept:]
        self.round_of[self.round_of > kept] = 0
        self._left = np.flatnonzero(self.round_of == 0)

    def _sizes(self, node: Node) -> tuple[Integers, Integers]:
        """The class of each remaining combination at a node, and the rows of each class."""
        keys, bits = np.zeros(len(self._left), dtype=np.int64), 0
        for codes, level in zip(self._codes, node, strict=True):
            own = codes[level]
            width = int(own.max(initial=0)).bit_length()
            if bits + width > MAX_BITS:
                keys = np.unique(keys, return_inverse=True)[1].astype(np.int64)
                bits = len(keys).bit_length()
            keys, bits = (keys << width) | own[self._left], bits + width
        classes = np.unique(keys, return_inverse=True)[1].astype(np.int64)
        sizes = np.bincount(classes, weights=self._rows[self._left]).astype(np.int64)
        return classes, sizes


@dataclass(frozen=True, slots=True)
class Recoded:
    """The rounds of local recoding and what they release; where there is a `refusal`, nothing is to be released.

    `start`: `sealed` where the rounds are the regions of a sealed partition, those of one node each, in any order; else
    the node that came first: the finest, or the full-domain one where that loses less (`alone`: without
    further rounds), or where no node passes a coarsest one, if the finest leaves too many rows. `classes`: the released
    ones as a reader sees them, in units (rows, or persons). `suppressed_rows` of `rows`; `suppressed_units` the same in
    units. `losses` by metric, None where a metric says nothing of several levels; `full_domain_loss`: the Loss of the
    full-domain release, None where no accepted node passes. `narrowed`: how far readers can narrow the labels, None
    where they cannot. `held`: the regions that k and the models were verified for, where the request asks for it.
    """

    start: Start
    rounds: tuple[Round, ...]
    rows: int
    suppressed_rows: int
    suppressed_units: int
    classes: Observation
    losses: Losses
    full_domain_loss: float | None
    refusal: str | None = None
    narrowed: Narrowed | None = None
    held: NarrowedRegions | None = None

    @property
    def k(self) -> int:
        """The size of the smallest released class."""
        return self.classes.k

    def reported_rounds(
        self, columns: Sequence[str], level_names: Callable[[Node], dict[str, str]]
    ) -> tuple[RoundReport, ...]:
        """The rounds as they stand in a result."""
        return tuple(
            RoundReport(dict(zip(columns, each.node, strict=True)), level_names(each.node), each.classes, each.rows)
            for each in self.rounds
        )


def at_most(found: Recoded, bound: float | None) -> bool:
    """True if a release loses no more than the full-domain one, or if Loss is not known."""
    loss = found.losses["loss"]
    return bound is None or loss is None or loss <= bound


@dataclass(frozen=True, slots=True)
class Attempts:
    """The inputs shared by every attempt at rounds: among them `rows` and `units` (rows or persons) of the dataset."""

    plan: Plan
    lattice: Lattice
    requirement: Requirement
    cells: tuple[CellClasses, ...]
    rows: int
    units: int
    combinations: LocalCombinations
    progress: Callable[[int], None] | None

    @classmethod
    def of(
        cls, plan: Plan, lattice: Lattice, requirement: Requirement, progress: Callable[[int], None] | None
    ) -> Attempts:
        """For a dataset that was counted."""
        rows, persons = rows_and_persons(plan)
        cells = tuple(classes_of_cells(plan))
        units = rows if persons is None else persons
        return cls(plan, lattice, requirement, cells, rows, units, LocalCombinations.of(plan), progress)

    def where_no_node_passes(self, order: Sequence[Node]) -> Recoded:
        """Rounds from the finest node on, or from a coarsest one, which strands fewer rows: the first that may be."""
        found = self.attempt("finest", order, None)
        if found.refusal is None:
            return found
        coarsest = next(iter(self.lattice.coarsest()))
        return self.attempt("coarsest", first(coarsest, order), None)

    def loss_of_node(self, node: Node) -> float | None:
        """The Loss of releasing one node alone."""
        self._rounds([node])
        return loss_of(self.cells, [node], rows_by_cell(self.plan))

    def attempt(self, start: Start, order: Sequence[Node], full_domain_loss: float | None) -> Recoded:
        """The rounds through the nodes in this order, and whether what they release is acceptable."""
        return self.figures(start, self._rounds(order), full_domain_loss)

    def _rounds(self, order: Sequence[Node]) -> tuple[Round, ...]:
        """The rounds through the nodes in this order, placed. In memory where nothing but k of rows decides."""
        plan, requirement = self.plan, self.requirement
        if requirement.persons or requirement.models:
            remaining = RemainingRows.of(plan, self.lattice, requirement.k)
            rounds = run_rounds(self.lattice, order, remaining, requirement.k, self.progress)
            return self._with_rest(order, rounds, remaining)
        counted = self.combinations
        codes = [
            {level: counted.classes_of_cells(place, each, level)[cells] for level in axis.accepted}
            for place, (axis, each, cells) in enumerate(zip(self.lattice.axes, self.cells, counted.cells, strict=True))
        ]
        in_memory = RemainingInMemory(codes, counted.rows, requirement.k)
        rounds = self._with_rest(order, run_each_round(order, in_memory, requirement.k, self.progress), in_memory)
        place(plan, counted, in_memory.round_of)
        return rounds

    def _with_rest(self, order: Sequence[Node], rounds: tuple[Round, ...], remaining: Remaining) -> tuple[Round, ...]:
        """The rounds with the last ones replaced where more remains than may be suppressed, if that helps."""
        most = self.requirement.most_suppressed
        return rounds if remaining.units <= most else gather(order, rounds, remaining, most) or again(rounds, remaining)

    def figures(self, start: Start, rounds: tuple[Round, ...], full_domain_loss: float | None) -> Recoded:
        """What is released by rounds that were placed, and whether that is acceptable; fills `DECIDED`."""
        plan, requirement, rows, units = self.plan, self.requirement, self.rows, self.units
        if not rounds:
            return nothing_released(start, rows, units, full_domain_loss)
        nodes = [each.node for each in rounds]
        decide_by_rounds(plan, nodes)
        released, left = released_and_suppressed(plan)
        classes = released_classes(plan, released.persons)
        suppressed = left.number
        lost = losses_of(self.cells, nodes, rows_by_cell(plan), classes, units, suppressed, requirement.k)
        refusal = self._refusal(start, classes, units, suppressed)
        return Recoded(start, rounds, rows, left.rows, suppressed, classes, lost, full_domain_loss, refusal)

    def _refusal(self, start: Start, classes: Observation, units: int, suppressed: int) -> str | None:
        """Return the reason why the rounds' release is not acceptable; None where it is."""
        requirement, words = self.requirement, partial(in_words, least_k=self.plan.dataset.least_k)
        if suppressed > requirement.most_suppressed:
            what = "person" if requirement.persons else "row"
            left = numbered(suppressed, f"{what} is", f"{what}s are", self.plan.dataset.least_k)
            may = f"and {words(requirement.most_suppressed)} may be suppressed"
            if start == "sealed":
                return f"{left} in no class that passes of a partition by splits, {may}"
            return (
                f"{left} left after the last round of local recoding, which no accepted node "
                f"can release by {'itself' if suppressed == 1 else 'themselves'}, {may}"
            )
        average = requirement.average_risk
        if average is not None and classes.divisions > average * (units - suppressed):
            return f"the {words(classes.divisions)} released classes are too many for the average risk that is required"
        if requirement.persons and requirement.models and self._fails_as_seen():
            return "classes with equal labels, taken together, fail a model"
        return None

    def _fails_as_seen(self) -> bool:
        """True if a class fails once equal classes are merged: distinct persons do not add up."""
        return bool(failing_as_seen(self.plan, self.requirement.k))


def nothing_released(
    start: Start,
    rows: int,
    units: int,
    full_domain_loss: float | None,
    refusal: str = "no accepted node releases anything",
) -> Recoded:
    """The outcome where every row would be suppressed."""
    classes = Observation.from_histogram(())
    return Recoded(start, (), rows, rows, units, classes, {"loss": 1.0}, full_domain_loss, refusal)


Start = Literal["sealed", "finest", "coarsest", "full-domain", "full-domain alone"]


def again(rounds: Sequence[Round], remaining: Remaining) -> tuple[Round, ...]:
    """The same rounds once more, after others were tried in their place."""
    remaining.take_back(0)
    for each in rounds:
        remaining.release(each.node)
    return tuple(rounds)
