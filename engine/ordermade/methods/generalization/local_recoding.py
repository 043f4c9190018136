"""Local recoding: rows that one node would suppress are released at coarser nodes, round after round.

The dataset is counted once in the source (`local_counting`); rounds go through the accepted nodes, finest first
(`local_rounds`), each releasing the classes of the remaining rows that pass by themselves; the rest is suppressed and
must be within the limit. The release (`local_release`) has every row at the levels of its round.

It is never worse, by Loss with suppressed rows as `*`, than the full-domain release of the same request: where rounds
from the finest node on lose more (a few rows stranded by finer rounds may), they start with the full-domain node
instead, and release the rows that this node suppresses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, Literal

from ordermade.lattice.lattice import Lattice, Node
from ordermade.lattice.observation import Observation, Requirement
from ordermade.least_k import in_words, numbered
from ordermade.measuring.dataset import Version
from ordermade.methods.generalization.algorithm.remaining import RemainingInMemory
from ordermade.methods.generalization.held_regions import HeldRegions, failing_as_seen, held_regions
from ordermade.methods.generalization.local_counting import (
    Combinations,
    RemainingRows,
    classes_of_cells,
    count,
    decide_by_rounds,
    place,
    rows_and_persons,
    rows_by_cell,
)
from ordermade.methods.generalization.local_rounds import (
    CellClasses,
    Losses,
    Remaining,
    Round,
    check_size,
    first,
    gather,
    in_order,
    loss_of,
    losses_of,
    run_each_round,
    run_rounds,
)
from ordermade.methods.generalization.measurement import Measurement
from ordermade.methods.generalization.narrowing import Narrowed, narrowed
from ordermade.methods.generalization.open_request import OpenGeneralization
from ordermade.methods.generalization.publish import Chosen, LocalRecoding, extremes_of, plan_of
from ordermade.methods.generalization.search_problem import Goal
from ordermade.release.plan import Plan
from ordermade.release.rows import released_and_suppressed, released_classes

Start = Literal["sealed", "finest", "coarsest", "full-domain", "full-domain alone"]


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
    held: HeldRegions | None = None

    @property
    def k(self) -> int:
        """The size of the smallest released class."""
        return self.classes.k

    def reported_rounds(
        self, columns: Sequence[str], level_names: Callable[[Node], dict[str, str]]
    ) -> tuple[dict[str, Any], ...]:
        """The rounds as they stand in a result and a manifest."""
        return tuple(
            {
                "levels": dict(zip(columns, each.node, strict=True)),
                "level_names": level_names(each.node),
                "classes": each.classes,
                "rows": each.rows,
            }
            for each in self.rounds
        )


def local_recoding(
    plan: Plan,
    lattice: Lattice,
    requirement: Requirement,
    full_domain: Node | None,
    weights: Mapping[str, Fraction] | None = None,
    progress: Callable[[int], None] | None = None,
    *,
    counted: bool = False,
) -> Recoded:
    """Counts the dataset, runs the rounds and fills `DECIDED`, from which `settle(plan)` goes on.

    `full_domain`: the best node of the request's own search under its limit, None where no accepted node passes.
    `weights` of columns, which the order of the nodes goes by. `progress` receives the number of nodes left.
    `counted`: whether the dataset was counted already, for the same plan with another k. Raises RequestError for a
    lattice of too many nodes.
    """
    check_size(lattice)
    if not counted:
        count(plan)
    attempts = Attempts.of(plan, lattice, requirement, progress)
    order = in_order(lattice, [each.costs for each in plan.attributes], weights)
    if full_domain is None:
        return attempts.where_no_node_passes(order)
    bound = attempts.loss_of_node(full_domain)
    found = attempts.attempt("finest", order, bound)
    if found.refusal is None and at_most(found, bound):
        return found
    found = attempts.attempt("full-domain", first(full_domain, order), bound)
    return found if found.refusal is None else attempts.attempt("full-domain alone", [full_domain], bound)


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
    combinations: Combinations
    progress: Callable[[int], None] | None

    @classmethod
    def of(
        cls, plan: Plan, lattice: Lattice, requirement: Requirement, progress: Callable[[int], None] | None
    ) -> Attempts:
        """For a dataset that was counted."""
        rows, persons = rows_and_persons(plan)
        cells = tuple(classes_of_cells(plan))
        units = rows if persons is None else persons
        return cls(plan, lattice, requirement, cells, rows, units, Combinations.of(plan), progress)

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


def again(rounds: Sequence[Round], remaining: Remaining) -> tuple[Round, ...]:
    """The same rounds once more, after others were tried in their place."""
    remaining.take_back(0)
    for each in rounds:
        remaining.release(each.node)
    return tuple(rounds)


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


def recoded(
    question: OpenGeneralization,
    goal: Goal,
    found: Measurement,
    best: Node | None,
    progress: Callable[[int], None] | None = None,
    *,
    counted: bool = False,
    judges: bool = True,
) -> Recoded:
    """The local recoding of a request whose search ended with `best`: None where no accepted node passes.

    Where it has a `refusal`, the request is to be refused for this reason. `counted`: whether the dataset was counted
    already, for another k. `judges`: whether it is measured how far readers can narrow labels, which decides nothing.
    Raises RequestError for a lattice of too many nodes.
    """
    from ordermade.methods.generalization.sealed_recoding import sealed_recoding

    plan = plan_of(question, found.attributes, found.sensitive, goal.lattice.top, goal.requirement.k)
    plan, is_sealed = replace(plan, local=True), question.resolved.request.is_sealed
    recoding = sealed_recoding if is_sealed else local_recoding
    rounds = recoding(plan, goal.lattice, goal.requirement, best, goal.weights, progress, counted=counted)
    nodes = [each.node for each in rounds.rounds]
    if not is_sealed and rounds.refusal is None and question.resolved.request.holds_narrowed:
        rounds = _held(rounds, held_regions(plan, nodes, goal.requirement), question.dataset.least_k)
    if is_sealed or rounds.refusal or not judges:
        return rounds
    hierarchies = [each.hierarchy for each in question.resolved.qis]
    return replace(rounds, narrowed=narrowed(plan, hierarchies, nodes))


def _held(rounds: Recoded, held: HeldRegions, least_k: int) -> Recoded:
    """The rounds with the regions that were verified; with a refusal where one of them fails."""
    if not held.failing:
        return replace(rounds, held=held)
    failing = in_words(held.failing, least_k)
    return replace(
        rounds,
        refusal=f"k or a model does not hold for the rows that are left in {failing} classes once their labels are "
        "narrowed",
    )


def chosen_rounds(
    question: OpenGeneralization, goal: Goal, rounds: Recoded, found: Measurement, request_id: int, version: Version
) -> Chosen:
    """Return the release: the rounds (the last that ran), with the node of the first one and the classes of all."""
    return Chosen(
        request_id=request_id,
        node=rounds.rounds[0].node,
        observation=rounds.classes,
        losses=rounds.losses,
        version=version,
        requirement=goal.requirement,
        sensitive=found.sensitive,
        local=LocalRecoding(
            rounds.reported_rounds(question.columns, question.level_names),
            None if rounds.narrowed is None else rounds.narrowed.as_dict(),
            None if rounds.held is None else rounds.held.as_dict(),
        ),
        extremes=extremes_of(goal, found),
    )
