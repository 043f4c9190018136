"""The measured side of one request: its units, its attributes, its oracle, and what was counted on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ordermade.generalization.foreknowledge import Known, foreknowledge, marginals_of
from ordermade.generalization.goal import Goal
from ordermade.generalization.question import Question
from ordermade.lattice.node import Node
from ordermade.loss.objectives import Objective, objective
from ordermade.measuring.attribute import Attribute
from ordermade.measuring.counting import Counting
from ordermade.measuring.entity import Units
from ordermade.measuring.oracle import Oracle
from ordermade.measuring.roll_up import InSource, RolledUp
from ordermade.measuring.sensitive import Sensitive, ground_sensitive
from ordermade.measuring.stored_set import frequency_set
from ordermade.prediction.evidence import Evidence
from ordermade.privacy.asked import models_asked
from ordermade.privacy.models import Model
from ordermade.state.cache import Cache


@dataclass(frozen=True, slots=True)
class Measurement:
    """A request's attributes, countable, what is known of its lattice, and the oracle that answers its search.

    `sensitive`: its sensitive attributes, numbered; `minimised`: what its search minimises; `counting`: what `measurer`
    counts of a node.
    """

    attributes: tuple[Attribute, ...]
    sensitive: tuple[Sensitive, ...]
    minimised: Objective
    evidence: Evidence
    oracle: Oracle
    measurer: RolledUp | InSource
    counting: Counting

    def failing(self, node: Node) -> dict[tuple[str, Model], int]:
        """How many classes of a node, of any size, fail each model, by its column and the model; none that holds."""
        found = {
            named: sum(classes for _, classes in self.measurer.by(counting).measure([node])[node].failing or ())
            for named, counting in self.counting.for_each_model().items()
        }
        return {named: classes for named, classes in found.items() if classes}


def measurement(
    question: Question,
    goal: Goal,
    counted: Units,
    known: Known,
    cache: Cache | None,
    *,
    roll_up: bool,
    progress: Callable[[int], None] | None = None,
) -> Measurement:
    """Grounds the request's attributes (the coverage check) and sets up its oracle; no frequency set is counted yet.

    With `roll_up` nodes are counted from one frequency set, which is brought in when the first unknown node is asked
    for; without it every node is a query to the source. The marginals that grounding counts are kept in the cache.
    """
    cached = cache.find(known.version_id, question.wanted_columns()) if cache and roll_up else None
    attributes = question.grounded(cached)
    dataset, lattice = question.dataset, goal.lattice
    sensitive = tuple(
        ground_sensitive(dataset, position, column, models)
        for position, (column, models) in enumerate(
            models_asked(question.resolved.sensitive).items(), start=len(attributes) + 1
        )
    )
    counting = Counting(sensitive, dataset.entity, counted.persons, least_classes=goal.requirement.most_withheld > 0)
    measurer = (
        RolledUp(
            dataset,
            attributes,
            lattice,
            lambda: frequency_set(dataset, attributes, cache, cached, known.version_id, counted.rows, counting),
            counting,
        )
        if roll_up
        else InSource(dataset, attributes, lattice, counting)
    )
    marginals = marginals_of(attributes, counted)
    if cache and not dataset.backend.changed():  # what was counted may be of another content than the version's
        cache.store_marginals(known.version_id, marginals)
    evidence = foreknowledge(known, question.resolved, marginals)
    costs = [each.costs for each in attributes]
    minimised = objective(goal.objective, lattice, costs, goal.requirement, goal.weights)
    oracle = Oracle(
        question.key,
        known.observations,
        measurer,
        known.rows,
        goal.requirement,
        progress,
        needs_withheld=minimised.needs_withheld,
    )
    return Measurement(attributes, sensitive, minimised, evidence, oracle, measurer, counting)
