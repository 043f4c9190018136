"""The SQL of every step of a request, as it would run: for a reviewer to read, and to run by hand."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sqlglot import exp

from ordermade import sql
from ordermade.generalization.goal import models_of, required
from ordermade.generalization.publish import plan_of
from ordermade.generalization.question import Question
from ordermade.hierarchies.hierarchy import Grounding
from ordermade.lattice.node import Node
from ordermade.measuring.attribute import Attribute
from ordermade.measuring.counting import Counting
from ordermade.measuring.dataset import version_statement
from ordermade.measuring.grounding import coded_keys_statement, keys_statement, marginal_statement, outline
from ordermade.measuring.sensitive import Sensitive, along_hierarchies, levels_statement, outline_sensitive
from ordermade.measuring.steps import CountingSteps, Statement
from ordermade.release.columns import written_statement
from ordermade.release.files import ending_of, read_statement, write_statement
from ordermade.release.measure import COUNT, apart_statement, measure_statement, stars_statement
from ordermade.release.steps import release_statements
from ordermade.requests.model import SourceTable
from ordermade.sources.door import Purpose

MOST_LISTED = 1_000
"""Values of a hierarchy are written out in an explained statement up to this many; past it they stay parameters."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what it is for, whether it runs in the `source` or the `workspace`, and its SQL."""

    title: str
    runs_in: str
    sql: str


def steps(question: Question, *, roll_up: bool = True) -> tuple[Step, ...]:
    """The statements of the request in order.

    The checks and the release are shown for the finest accepted node; the search asks the same of others. Models, which
    are measured again on what was written, are shown once: the statements are the same, over what was written.
    """
    dataset, resolved = question.dataset, question.resolved
    attributes = tuple(
        outline(dataset, position, each.column, each.hierarchy, each.base)
        for position, each in enumerate(resolved.qis, start=1)
    )
    sensitive = tuple(
        outline_sensitive(dataset, position, column, models)
        for position, (column, models) in enumerate(models_of(resolved).items(), start=len(attributes) + 1)
    )
    node = tuple(each.accepted[0] for each in resolved.qis)
    counting = Counting(sensitive, resolved.entity, least_classes=resolved.limit > 0)
    # As if there were as many units as it takes for one to be withheld.
    requirement = required(resolved, math.ceil(1 / resolved.limit) if resolved.limit else 0)
    counted = CountingSteps(dataset, attributes, resolved.lattice, node, counting, requirement)
    return (
        *_loading(question),
        Step("dataset version", "source", _text(version_statement(dataset))),
        *_steps(counted.persons()),
        *(step for each in attributes for step in _grounding(question, each)),
        *(step for each in sensitive for step in _values(question, counted, each)),
        *_steps(counted.by_roll_up() if roll_up else counted.in_source()),
        *_release(question, attributes, sensitive, node),
    )


def _loading(question: Question) -> Iterator[Step]:
    """How the files of a source became a table; a database has its tables already."""
    for statement in question.opened.backend.door.ledger:
        if statement.purpose is Purpose.LOAD:
            yield Step("the files of the source", "source", sql.pretty(statement.text))


def _grounding(question: Question, attribute: Attribute) -> Iterator[Step]:
    column = attribute.column
    marginal = marginal_statement(question.dataset, attribute)
    yield Step(
        f"coverage: how often each value of {column} occurs", "source", _stored(attribute.counted_values, marginal)
    )
    listed = attribute.hierarchy.ground(attribute.base, [])
    tree, parameters = keys_statement(attribute, listed)
    table = attribute.codes if attribute.by_value else attribute.keys
    yield Step(
        f"the hierarchy of {column}",
        "workspace",
        _stored(table, _written_out(tree, attribute, listed, parameters)),
    )
    if attribute.by_value:
        yield Step(f"the values of {column}", "workspace", _stored(attribute.keys, coded_keys_statement(attribute)))


def _written_out(
    tree: exp.Select, attribute: Attribute, grounding: Grounding, parameters: Mapping[str, Sequence[object]]
) -> exp.Select:
    """The statement with its parameters as lists; of a rule they come from the data, so they stay parameters."""
    if attribute.rule is not None or len(grounding.keys) > MOST_LISTED:
        return tree

    def fill(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Parameter | exp.Placeholder) or node.name not in parameters:
            return node
        return exp.Array(expressions=[exp.convert(value) for value in parameters[node.name]])

    tree.transform(fill, copy=False)
    return tree


def _values(question: Question, counted: CountingSteps, sensitive: Sensitive) -> Iterator[Step]:
    """A sensitive attribute: its values, and where they belong in the hierarchies that its models go by."""
    yield from _steps(counted.values(sensitive))
    for table, attribute in along_hierarchies(question.dataset, sensitive):
        yield from _grounding(question, attribute)
        name = attribute.hierarchy.name
        title = f"the values of {sensitive.column} at every level of {name}"
        yield Step(title, "workspace", _stored(table, levels_statement(sensitive, attribute)))


def _steps(statements: Iterable[Statement]) -> Iterator[Step]:
    for each in statements:
        text = _text(each.tree) if each.table is None else _stored(each.table, each.tree)
        yield Step(each.title, "source" if each.in_source else "workspace", text)


def _release(
    question: Question, attributes: tuple[Attribute, ...], sensitive: tuple[Sensitive, ...], node: Node
) -> Iterator[Step]:
    target = question.read.request.release.to
    # As if rows were withheld wherever they may be.
    plan = plan_of(question, attributes, sensitive, node, required(question.resolved, 0).k)
    plan = replace(plan, withholds=question.resolved.limit > 0)
    yield from _steps(release_statements(plan))
    path = Path("staged.parquet") if isinstance(target, SourceTable) else Path(target)
    ending = ending_of(path)
    yield Step("release, written", "workspace", _text(write_statement(written_statement(plan), path, ending)))
    written: exp.Expr = read_statement(path, ending, [*plan.columns, *([COUNT] if plan.shape == "table" else [])])
    if plan.stars and plan.withholds:
        stars = stars_statement(written, plan.columns, plan.shape)
        yield Step("release, its star rows counted", "another connection", _text(stars))
        written = apart_statement(written, plan.columns)
    measure = measure_statement(written, plan.quasi_identifiers, plan.shape, plan.pseudonym)
    yield Step("release, measured again", "another connection", _text(measure))


def _stored(table: str, query: exp.Query) -> str:
    return _text(sql.stored(table, query))


def _text(tree: exp.Expr) -> str:
    return sql.text(tree, pretty=True)
