"""The method as the engine calls it: check, explain, answer, sweep."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from sqlglot import exp

from ordermade.counting.counts import Counting, Sensitive, outline_sensitive
from ordermade.counting.coverage import with_labels
from ordermade.counting.encoding import EncodedColumn, encode_column
from ordermade.counting.part_counts import part_statements
from ordermade.counting.statements import Statement
from ordermade.counting.steps import CountingSteps, person_statements
from ordermade.errors import RequestError
from ordermade.lattice.lattice import Node
from ordermade.methods.generalization.answer import answer_generalization
from ordermade.methods.generalization.measurement import grounded
from ordermade.methods.generalization.open_request import OpenGeneralization
from ordermade.methods.generalization.publish import plan_of
from ordermade.methods.generalization.search_problem import search_of, search_spec
from ordermade.methods.generalization.sweep import NodeCurve
from ordermade.methods.shared.explain import (
    Step,
    as_steps,
    filled,
    grounding_steps,
    sensitive_steps,
    writing_steps,
)
from ordermade.methods.shared.method import Method, Recipe
from ordermade.methods.shared.open_request import RunContext
from ordermade.privacy.requirement import required, required_models
from ordermade.release.plan import Plan
from ordermade.release.rows import labels_bound, labels_table, release_statements, store_labels
from ordermade.requests.generalization import GeneralizationRequest
from ordermade.requests.model import LARGEST_K
from ordermade.requests.read import ReadRequest
from ordermade.requests.resolve_generalization import Resolved, resolve


def steps(open_request: OpenGeneralization, *, roll_up: bool) -> Iterator[Step]:
    """The statements of the request in order.

    The checks and the release are shown for the finest accepted node; the search runs the same of others. Models,
    which are measured again on what was written, are shown once: the statements are the same, over what was written.
    """
    counts = open_request.counts if roll_up else open_request.dataset
    counting_question = replace(
        open_request, dataset=counts, opened=replace(open_request.opened, backend=counts.backend)
    )
    dataset, resolved = open_request.dataset, open_request.resolved
    attributes = tuple(
        encode_column(dataset, position, each.column, each.hierarchy, each.base, missing_as_star=each.missing_as_star)
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
    yield from as_steps(open_request, part_statements(counts))
    yield from as_steps(counting_question, person_statements(counts))
    for attribute in attributes:
        yield from grounding_steps(counting_question, attribute)
    for each in sensitive:
        yield from sensitive_steps(counting_question, each)
    yield from as_steps(counting_question, counted.by_roll_up() if roll_up else counted.in_source())
    yield from _release(open_request, attributes, sensitive, node)


def _with_labels(plan: Plan, attributes: tuple[EncodedColumn, ...], node: Node) -> Iterator[Statement]:
    """The statements of a release; labels that do not depend on the data are in them, and go to the source."""
    known = {}
    for attribute, level in zip(attributes, node, strict=True):
        if attribute.rule is None and level and attribute.has_labels_at(level):
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
    open_request: OpenGeneralization,
    attributes: tuple[EncodedColumn, ...],
    sensitive: tuple[Sensitive, ...],
    node: Node,
) -> Iterator[Step]:
    # As if rows were suppressed wherever they may be.
    plan = plan_of(open_request, attributes, sensitive, node, required(open_request.resolved, 0).k)
    plan = replace(plan, suppresses=open_request.resolved.limit > 0)
    yield from as_steps(open_request, _with_labels(plan, attributes, node))
    yield from writing_steps(open_request, plan)


class Generalization(Method[OpenGeneralization]):
    """Generalisation: the most detailed node of the lattice that passes."""

    open_request = OpenGeneralization
    resolve = staticmethod(resolve)

    def require_answerable(self, resolved: Resolved) -> None:
        """Raises RequestError for a search that cannot be."""
        search_of(search_spec(resolved, LARGEST_K))

    def require_swept(self, read: ReadRequest[GeneralizationRequest]) -> None:
        """Raises RequestError for a request with a budget."""
        if read.request.search.budget is not None:
            raise RequestError(
                "a sweep compares optima, and a budget may end a search before its optimum is proved",
                where="search.budget",
                next_step="Leave the budget out.",
            )

    def cover(self, open_request: OpenGeneralization) -> object:
        """Count the values of the quasi-identifiers, and hold their hierarchies against them."""
        return grounded(open_request)

    def steps(self, open_request: OpenGeneralization, context: RunContext) -> Iterator[Step]:
        """The steps after the dataset version, as `context.roll_up` would have them."""
        return steps(open_request, roll_up=context.roll_up)

    def recipe(self) -> Recipe[OpenGeneralization]:
        """The most detailed acceptable release that passes, or the reason why there is none."""
        return answer_generalization

    def curve(self, open_request: OpenGeneralization, context: RunContext) -> NodeCurve:
        """The losses of the request by its k."""
        return NodeCurve(open_request, context)


GENERALIZATION = Generalization()
"""The method as the engine calls it: check, explain, answer, sweep."""
