"""The SQL of every step of a request, as it would run: for a reviewer to read, and to run by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlglot import exp

from ordermade import sql
from ordermade.generalization.goal import models_of, required
from ordermade.generalization.question import Question
from ordermade.hierarchies.hierarchy import Grounding
from ordermade.lattice.node import Node
from ordermade.measuring.attribute import Attribute
from ordermade.measuring.dataset import version_statement
from ordermade.measuring.frequency_set import frequency_set_statement, k_check_statement, source_k_check_statement
from ordermade.measuring.grounding import coded_keys_statement, keys_statement, marginal_statement, outline
from ordermade.measuring.sensitive import outline_sensitive
from ordermade.measuring.widening import NARROW, WIDE, widen_statement
from ordermade.release.columns import written_statement
from ordermade.release.files import ending_of, read_statement, write_statement
from ordermade.release.measure import COUNT, apart_statement, measure_statement, stars_statement
from ordermade.release.plan import Plan
from ordermade.release.sensitive import Sensitive
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
    """Every statement of the request in order.

    The k-check and the release are shown for the finest accepted node; the search asks the same of others.
    """
    attributes = tuple(
        outline(question.dataset, position, each.column, each.hierarchy, each.base)
        for position, each in enumerate(question.resolved.qis, start=1)
    )
    node = tuple(each.accepted[0] for each in question.resolved.qis)
    counting = _counted_once(question, attributes, node) if roll_up else _counted_in_source(question, attributes, node)
    return (
        *_loading(question),
        Step("dataset version", "source", _text(version_statement(question.dataset))),
        *(step for each in attributes for step in _grounding(question, each)),
        *counting,
        *_release(question, attributes, node),
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


def _counted_once(question: Question, attributes: Sequence[Attribute], node: Node) -> Iterator[Step]:
    lattice = question.resolved.lattice
    yield Step("frequency set", "source", _stored(NARROW, frequency_set_statement(question.dataset, attributes)))
    levels = {each.position: list(each.levels) for each in attributes}
    yield Step(
        "frequency set, every level beside it",
        "workspace",
        _stored(WIDE, widen_statement(NARROW, attributes, levels)),
    )
    yield Step("k-check", "workspace", _text(k_check_statement(WIDE, attributes, lattice, node, 0)))


def _counted_in_source(question: Question, attributes: Sequence[Attribute], node: Node) -> Iterator[Step]:
    tree = source_k_check_statement(question.dataset, attributes, question.resolved.lattice, node, 0)
    yield Step("k-check", "source", _text(tree))


def _release(question: Question, attributes: tuple[Attribute, ...], node: Node) -> Iterator[Step]:
    target = question.read.request.release.to
    plan = _plan(question, attributes, node)
    for each in release_statements(plan):
        yield Step(each.title, "source" if each.in_source else "workspace", _stored(each.table, each.tree))
    path = Path("staged.parquet") if isinstance(target, SourceTable) else Path(target)
    ending = ending_of(path)
    yield Step("release, written", "workspace", _text(write_statement(written_statement(plan), path, ending)))
    written: exp.Expr = read_statement(path, ending, [*plan.columns, *([COUNT] if plan.shape == "table" else [])])
    if plan.stars and plan.withholds:
        stars = stars_statement(written, plan.columns, plan.shape)
        yield Step("release, its star rows counted", "another connection", _text(stars))
        written = apart_statement(written, plan.columns)
    measure = measure_statement(written, plan.generalised, plan.shape, plan.pseudonym)
    yield Step("release, measured again", "another connection", _text(measure))


def _plan(question: Question, attributes: tuple[Attribute, ...], node: Node) -> Plan:
    """The release of a node, as if rows were withheld wherever they may be."""
    request, resolved = question.read.request, question.resolved
    first = len(attributes) + 1
    sensitive = (
        outline_sensitive(question.dataset, position, column, models)
        for position, (column, models) in enumerate(models_of(resolved).items(), start=first)
    )
    return Plan(
        dataset=question.dataset,
        attributes=attributes,
        node=node,
        kept=resolved.keep,
        shape=request.release.shape,
        sensitive=tuple(Sensitive.of(question.dataset, each) for each in sensitive),
        entity=resolved.entity,
        pseudonym=request.release.pseudonym,
        k=required(resolved, 0).k,
        withholds=resolved.limit > 0,
        stars=request.withheld == "star",
    )


def _stored(table: str, query: exp.Query) -> str:
    return _text(sql.stored(table, query))


def _text(tree: exp.Expr) -> str:
    return sql.text(tree, pretty=True)
