"""From the chosen node to a measured release: written, counted independently, published, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from ordermade.counting.counts import Sensitive
from ordermade.counting.dataset import Version
from ordermade.counting.encoding import EncodedColumn
from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation
from ordermade.loss.costs import DECIMALS, loss_units
from ordermade.loss.extremes import Extremes
from ordermade.loss.metrics import losses
from ordermade.methods.generalization.measurement import Measurement
from ordermade.methods.generalization.open_request import OpenGeneralization
from ordermade.methods.generalization.result import SelectedNode, method_summary
from ordermade.methods.generalization.search_problem import SearchSpec, certain_observations
from ordermade.methods.shared.published import Published
from ordermade.methods.shared.publishing import in_place, published
from ordermade.methods.shared.release_record import ReleaseDraft, mismatch
from ordermade.release.plan import Plan
from ordermade.release.rows import ReleaseCounts, count_classes, count_release, sort_classes
from ordermade.release.suppress import decide
from ordermade.search import Outcome
from ordermade.sources.limits import Limits


def chosen_node(
    goal: SearchSpec, outcome: Outcome, found: Measurement, request_id: int, version: Version
) -> SelectedNode:
    """The node that a search found (there must be one), with its figures and losses, suppressed rows among them."""
    node = outcome.best
    if node is None:
        raise ValueError("no node was found")
    observation, lost = figures_of(goal, node, found)
    return SelectedNode(
        request_id=request_id,
        node=node,
        observation=observation,
        losses=lost,
        version=version,
        requirement=goal.requirement,
        sensitive=found.sensitive,
        certified=outcome.certified,
        shares=_shares(goal, node, observation, found),
        extremes=extremes_of(goal, found),
    )


def _shares(goal: SearchSpec, node: Node, observation: Observation, found: Measurement) -> tuple[float | None, ...]:
    """The Loss of each attribute, from 0 to 1; where its hierarchy has no number of leaves the share of its levels."""
    suppressed = goal.requirement.suppressed_figures(observation, len(node))
    costs = [each.costs for each in found.attributes]
    units = [None] * len(node) if suppressed is None else loss_units(node, costs, suppressed)
    levels = (level / (axis.top or 1) for axis, level in zip(goal.lattice.axes, node, strict=True))
    return tuple(share if unit is None else unit / DECIMALS for unit, share in zip(units, levels, strict=True))


def extremes_of(goal: SearchSpec, found: Measurement) -> Callable[[], Extremes]:
    """The extremes of the losses of the dataset; its own classes where they were measured on the way."""
    original = (0,) * len(goal.lattice.axes)
    known = found.oracle.measured.get(original, found.evidence.observed.get(original))
    costs = [each.costs for each in found.attributes]
    return partial(Extremes.of_lattice, goal.lattice, found.evidence.rows, goal.requirement.k, costs, known)


def figures_of(
    goal: SearchSpec, node: Node, found: Measurement
) -> tuple[Observation, Mapping[str, float | int | None]]:
    """Return the observation of a node that passes, with the figures of its suppressed rows, and its losses."""
    (observation,) = certain_observations(goal, found.oracle, found.evidence, [node])
    observation = found.oracle.with_suppressed(node, observation)
    lost = losses(goal.lattice, node, observation, goal.requirement, [each.costs for each in found.attributes])
    return observation, lost


def decided_release(
    open_request: OpenGeneralization, attributes: tuple[EncodedColumn, ...], chosen: SelectedNode
) -> tuple[Plan, ReleaseCounts]:
    """The plan of a release, and its figures: counted, with the rows to write in the workspace, nothing written yet.

    Raises ReleaseMismatch where it differs from the search, SourceFault, SourceChanged.
    """
    plan = in_place(open_request, _plan(open_request, attributes, chosen))
    return plan, _settled(plan, chosen)


def release(
    open_request: OpenGeneralization, plan: Plan, settled: ReleaseCounts, chosen: SelectedNode, limits: Limits
) -> Published:
    """Writes the release, and measures it again with a connection of its own.

    Raises ReleaseFault (nothing is left behind), SourceChanged, InputError.
    """
    return published(ReleaseDraft(open_request, plan, settled, method_summary(open_request, plan, chosen)), limits)


def plan_of(
    open_request: OpenGeneralization,
    attributes: tuple[EncodedColumn, ...],
    sensitive: tuple[Sensitive, ...],
    node: Node,
    k: int,
) -> Plan:
    """Plan the release of a node, as far as the request determines it: nothing is suppressed yet."""
    resolved, request = open_request.resolved, open_request.resolved.request
    return Plan(
        dataset=open_request.dataset,
        attributes=attributes,
        node=node,
        kept=resolved.keep,
        shape=request.release.shape,
        count=request.release.count,
        sensitive=sensitive,
        entity=resolved.entity,
        pseudonym=request.release.pseudonym,
        pseudonyms=request.release.kind_of_pseudonyms,
        k=k,
        stars=request.suppressed == "star",
    )


def _plan(open_request: OpenGeneralization, attributes: tuple[EncodedColumn, ...], chosen: SelectedNode) -> Plan:
    requirement = chosen.requirement
    plan = plan_of(open_request, attributes, chosen.sensitive, chosen.node, requirement.k)
    return replace(plan, suppresses=requirement.suppressed(chosen.observation) > 0, local=chosen.local is not None)


def _settled(plan: Plan, chosen: SelectedNode) -> ReleaseCounts:
    """Counts the release, decides which rows are suppressed, and keeps the rows to write."""
    if not plan.local:
        count_classes(plan)
    if not plan.decides:
        sort_classes(plan)
        return ReleaseCounts.of_all(chosen.observation)
    if not plan.local:
        decide(plan)
    settled = count_release(plan)
    _require_as_searched(settled, chosen)
    return settled


def _require_as_searched(settled: ReleaseCounts, chosen: SelectedNode) -> None:
    """Raises ReleaseMismatch unless the release has every row and the classes searched, and suppresses no more."""
    rows, classes = settled.rows + settled.suppressed_rows, settled.classes
    as_searched = rows == chosen.version.rows and settled.suppressed_units <= chosen.requirement.most_suppressed
    if chosen.local is None:
        released = chosen.requirement.released(chosen.observation)
        searched = (released.classes, released.sum_of_squares, released.suppressed)
        as_searched &= searched == (classes.divisions, classes.sum_of_squares, settled.suppressed_units)
    if not as_searched:
        raise mismatch(
            f"differs from the search: {classes.divisions} classes, {rows} rows of {chosen.version.rows}, "
            f"{settled.suppressed_units} suppressed"
        )
