"""Local recoding: rows that one node would suppress are released at coarser nodes, round after round.

The dataset is counted once in the source (`local_counting`); rounds go through the accepted nodes, finest first
(`local_rounds`), each releasing the classes of the remaining rows that pass by themselves; the rest is suppressed and
must be within the limit. The release (`local_release`) has every row at the levels of its round.

It is never worse, by Loss with suppressed rows as `*`, than the full-domain release of the same request: where rounds
from the finest node on lose more (a few rows stranded by finer rounds may), they start with the full-domain node
instead, and release the rows that this node suppresses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

from ordermade.counting.dataset import Version
from ordermade.lattice.lattice import Lattice, Node
from ordermade.lattice.observation import Requirement
from ordermade.methods.generalization.attempts import Attempts, Recoded, at_most
from ordermade.methods.generalization.local_counting import count
from ordermade.methods.generalization.local_rounds import (
    check_size,
    first,
    in_order,
)
from ordermade.methods.generalization.measurement import Measurement
from ordermade.methods.generalization.narrowed_classes import NarrowedRegions, held_regions
from ordermade.methods.generalization.narrowing import narrowed
from ordermade.methods.generalization.open_request import OpenGeneralization
from ordermade.methods.generalization.publish import extremes_of, plan_of
from ordermade.methods.generalization.result import LocalRecodingReport, SelectedNode
from ordermade.methods.generalization.sealed_recoding import sealed_recoding
from ordermade.methods.generalization.search_problem import SearchSpec
from ordermade.privacy.least_k import in_words
from ordermade.release.plan import Plan


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


def recoded(
    open_request: OpenGeneralization,
    goal: SearchSpec,
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
    plan = plan_of(open_request, found.attributes, found.sensitive, goal.lattice.top, goal.requirement.k)
    plan, is_sealed = replace(plan, local=True), open_request.resolved.request.is_sealed
    recoding = sealed_recoding if is_sealed else local_recoding
    rounds = recoding(plan, goal.lattice, goal.requirement, best, goal.weights, progress, counted=counted)
    nodes = [each.node for each in rounds.rounds]
    if not is_sealed and rounds.refusal is None and open_request.resolved.request.holds_narrowed:
        rounds = _held(rounds, held_regions(plan, nodes, goal.requirement), open_request.dataset.least_k)
    if is_sealed or rounds.refusal or not judges:
        return rounds
    hierarchies = [each.hierarchy for each in open_request.resolved.qis]
    return replace(rounds, narrowed=narrowed(plan, hierarchies, nodes))


def _held(rounds: Recoded, held: NarrowedRegions, least_k: int) -> Recoded:
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
    open_request: OpenGeneralization,
    goal: SearchSpec,
    rounds: Recoded,
    found: Measurement,
    request_id: int,
    version: Version,
) -> SelectedNode:
    """Return the release: the rounds (the last that ran), with the node of the first one and the classes of all."""
    return SelectedNode(
        request_id=request_id,
        node=rounds.rounds[0].node,
        observation=rounds.classes,
        losses=rounds.losses,
        version=version,
        requirement=goal.requirement,
        sensitive=found.sensitive,
        local=LocalRecodingReport(
            rounds.reported_rounds(open_request.columns, open_request.level_names),
            rounds.narrowed,
            rounds.held,
        ),
        extremes=extremes_of(goal, found),
    )
