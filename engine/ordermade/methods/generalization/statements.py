"""The statements of a request for generalisation, in order: what `request explain` shows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from sqlglot import exp

from ordermade.lattice.lattice import Node
from ordermade.measuring.counting import Counting, Sensitive, outline_sensitive
from ordermade.measuring.coverage import with_labels
from ordermade.measuring.grounding import Attribute, outline
from ordermade.measuring.part_counts import part_statements
from ordermade.measuring.steps import CountingSteps, Statement, person_statements
from ordermade.methods.generalization.open_request import OpenGeneralization
from ordermade.methods.generalization.publish import plan_of
from ordermade.methods.shared.explain import (
    Step,
    as_steps,
    filled,
    grounding_steps,
    opening_steps,
    sensitive_steps,
    writing_steps,
)
from ordermade.privacy.requirement import required, required_models
from ordermade.release.plan import Plan
from ordermade.release.rows import labels_bound, labels_table, store_labels
from ordermade.release.steps import release_statements


def steps(question: OpenGeneralization, *, roll_up: bool = True) -> tuple[Step, ...]:
    """The statements of the request in order.

    The checks and the release are shown for the finest accepted node; the search runs the same of others. Models,
    which are measured again on what was written, are shown once: the statements are the same, over what was written.
    """
    counts = question.counts if roll_up else question.dataset
    counting_question = replace(question, dataset=counts, opened=replace(question.opened, backend=counts.backend))
    dataset, resolved = question.dataset, question.resolved
    attributes = tuple(
        outline(dataset, position, each.column, each.hierarchy, each.base)
        for position, each in enumerate(resolved.qis, start=1)
    )
    models_by_column = required_models(resolved.sensitive).items()
    sensitive = tuple(
        outline_sensitive(dataset, position, column, models)
        for position, (column, models) in enumerate(models_by_column, start=len(attributes) + 1)
    )
    node = tuple(each.accepted[0] for each in resolved.qis)
    counting = Counting.of(sensitive, resolved.entity, within_limit=resolved.limit > 0)
    # As if there were as many units as it takes for one to be suppressed.
    requirement = required(resolved, math.ceil(1 / resolved.limit) if resolved.limit else 0)
    counted = CountingSteps(counts, attributes, resolved.lattice, node, counting, requirement)
    return (
        *opening_steps(question),
        *as_steps(question, [Statement(*each) for each in part_statements(counts)]),
        *as_steps(counting_question, person_statements(counts)),
        *(step for each in attributes for step in grounding_steps(counting_question, each)),
        *(step for each in sensitive for step in sensitive_steps(counting_question, each)),
        *as_steps(counting_question, counted.by_roll_up() if roll_up else counted.in_source()),
        *_release(question, attributes, sensitive, node),
    )


def _with_labels(plan: Plan, attributes: tuple[Attribute, ...], node: Node) -> Iterator[Statement]:
    """The statements of a release; labels that do not depend on the data are in them, and go to the source."""
    known = {}
    for attribute, level in zip(attributes, node, strict=True):
        if attribute.rule is None and 0 < level < attribute.hierarchy.top:
            each = with_labels(attribute, attribute.hierarchy.ground(attribute.base, []))
            known[labels_table(each)] = labels_bound(each, level)
            if plan.dataset.backend.capabilities.lists_tables:
                store_labels(plan, each, level)
    for made in release_statements(plan):
        if made.table in known and isinstance(made.tree, exp.Select):
            yield replace(made, tree=filled(made.tree.copy(), known[made.table]))
        else:
            yield made


def _release(
    question: OpenGeneralization, attributes: tuple[Attribute, ...], sensitive: tuple[Sensitive, ...], node: Node
) -> Iterator[Step]:
    # As if rows were suppressed wherever they may be.
    plan = plan_of(question, attributes, sensitive, node, required(question.resolved, 0).k)
    plan = replace(plan, suppresses=question.resolved.limit > 0)
    yield from as_steps(question, _with_labels(plan, attributes, node))
    yield from writing_steps(question, plan)
