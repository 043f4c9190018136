"""The SQL of the steps that requests of every method have: for a reviewer to read, and to run by hand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlglot import exp

from ordermade import sql
from ordermade.counting.counts import Sensitive, along_hierarchies, levels_statement
from ordermade.counting.dataset import EVALUATED, versioning
from ordermade.counting.encoding import (
    EncodedColumn,
    coded_keys_statement,
    keys_statement,
    value_keys_statement,
    values_counted,
)
from ordermade.counting.statements import Statement
from ordermade.counting.steps import value_statements
from ordermade.files.private import SPILL
from ordermade.hierarchies.hierarchy import Grounding
from ordermade.methods.shared.open_request import OpenRequest
from ordermade.release.files import ending_of, read_statement, write_statement
from ordermade.release.measure import ReadingPlan, apart_statement, classes_statement, stars_statement
from ordermade.release.plan import Plan
from ordermade.release.rows import file_statement, unescaped_statement, written_columns
from ordermade.release.workbooks import ENDING
from ordermade.requests.resolving import ResolvedRequest
from ordermade.sources.executor import ARRIVING, Purpose

_SPILL_FOLDER = re.compile(rf"{SPILL}[0-9a-f]+|/proc/self/fd/[0-9]+")
"""A folder of this run, which no other one has: its name would make every explanation another text."""
MAX_LISTED = 1_000
"""Values of a hierarchy are written out in an explained statement up to this many; past it they stay parameters."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a request.

    `not_listed`: tables and parameters of it that a run fills with values of the data (or with more than
    `MAX_LISTED`), and that are not printed: values of the data are persons'.
    """

    title: str
    """Its purpose."""
    runs_in: str
    """`source` or `workspace`."""
    sql: str
    """Its statement."""
    not_listed: tuple[str, ...] = ()
    """Its tables and parameters that a run fills with values of the data, or too many to print; they are not shown."""


def opening_steps(open_request: OpenRequest[ResolvedRequest]) -> Iterator[Step]:
    """List the statements that read the source's files (a database has tables), guard the filter, give the version."""
    for load in open_request.opened.backend.loads:
        text = _SPILL_FOLDER.sub(f"{SPILL}…", load)
        yield Step("the files of the source", "source", sql.pretty(text))
    dataset = open_request.dataset
    if dataset.vouched is not None:
        titled = Statement("dataset version: vouched for by the provider's query", True, None, dataset.vouched.tree)
        yield from as_steps(open_request, [titled])
    if dataset.evaluation is not None:
        yield from as_steps(open_request, [Statement(EVALUATED, True, None, dataset.evaluation.statement)])
    if dataset.guard is not None:
        guarding = dataset.guard.statements(dataset)
        yield from as_steps(open_request, [Statement(title, True, None, tree) for title, tree in guarding])
    if dataset.parts is not None:
        statements = dataset.parts.statements()
        yield from as_steps(open_request, [Statement(title, True, None, tree) for title, tree in statements])
        return
    versioned = versioning(dataset)
    title = "dataset version" if versioned.vouched is None else "dataset version: its rows"
    yield from as_steps(open_request, [Statement(title, True, None, versioned.statement)])


def grounding_steps(open_request: OpenRequest[ResolvedRequest], attribute: EncodedColumn) -> Iterator[Step]:
    """List the statements that check a column against its hierarchy."""
    column = attribute.column
    yield from as_steps(open_request, [values_counted(open_request.dataset, attribute)])
    listed = attribute.hierarchy.ground(attribute.base, [])
    tree, parameters = keys_statement(attribute, listed)
    backend = open_request.opened.backend
    if attribute.rule is None and backend.capabilities.lists_tables:
        # Statements of the source list them, which no value of the data is needed for.
        backend.workspace.store(Purpose.COVERAGE, attribute.keys, tree.copy(), parameters)
        backend.upload(attribute.keys)
    shown = _written_out(tree, attribute, listed, parameters)
    yield Step(f"the hierarchy of {column}", "workspace", stored_text(attribute.listed, shown), parameters_of(shown))
    if attribute.by_value:
        yield Step(f"the values of {column}", "workspace", stored_text(attribute.keys, coded_keys_statement(attribute)))
    elif attribute.joined_by_value:
        yield Step(f"the values of {column}", "workspace", stored_text(attribute.keys, value_keys_statement(attribute)))


def sensitive_steps(open_request: OpenRequest[ResolvedRequest], sensitive: Sensitive) -> Iterator[Step]:
    """A sensitive attribute: its values, and where they belong in the hierarchies that its models go by."""
    yield from as_steps(open_request, value_statements(open_request.dataset, sensitive))
    for table, attribute in along_hierarchies(open_request.dataset, sensitive):
        yield from grounding_steps(open_request, attribute)
        name = attribute.hierarchy.name
        title = f"the values of {sensitive.column} at every level of {name}"
        yield Step(title, "workspace", stored_text(table, levels_statement(sensitive, attribute)))


def _written_out(
    tree: exp.Select, attribute: EncodedColumn, grounding: Grounding, parameters: Mapping[str, Sequence[object]]
) -> exp.Select:
    """The statement with its parameters as lists; of a rule they come from the data, so they stay parameters."""
    if attribute.rule is not None or len(grounding.keys) > MAX_LISTED:
        return tree

    return filled(tree, parameters)


def filled(tree: exp.Select, parameters: Mapping[str, Sequence[object]]) -> exp.Select:
    """The statement with its parameters as lists."""

    def fill(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Parameter | exp.Placeholder) or node.name not in parameters:
            return node
        return exp.Array(expressions=[exp.convert(value) for value in parameters[node.name]])

    tree.transform(fill, copy=False)
    return tree


def as_steps(open_request: OpenRequest[ResolvedRequest], statements: Iterable[Statement]) -> Iterator[Step]:
    """Statements as steps: those of the source in its own dialect, what the workspace makes of their answers apart."""
    backend = open_request.opened.backend
    for each in statements:
        if each.in_source:
            for planned in backend.planned(each.tree, table=each.table, part=each.part, share=each.share):
                if planned.in_source:
                    yield Step(each.title, "source", planned.text, planned.unlisted)
                else:
                    yield Step(f"{each.title} ({ARRIVING}: the source's answer)", "workspace", planned.text)
        else:
            yield Step(each.title, "workspace", _text(each.in_workspace), parameters_of(each.tree))


def parameters_of(tree: exp.Expr) -> tuple[str, ...]:
    """The parameters of a statement as it is printed, by name."""
    return tuple(sorted({f"${each.name}" for each in tree.find_all(exp.Parameter, exp.Placeholder)}))


def writing_steps(open_request: OpenRequest[ResolvedRequest], plan: Plan) -> Iterator[Step]:
    """List the statements that write the release, and measure it again on a connection of its own."""
    release = open_request.read.request.release
    path = release.path or Path("staged.parquet")
    ending, escaped = ending_of(path), release.escapes_formulas
    query = file_statement(plan, escaped=escaped)
    yield Step("release, written", "workspace", _text(write_statement(query, path, ending, has_mark=release.has_mark)))
    columns = written_columns(plan)
    read = read_statement(path if ending != ENDING else Path(f"{path}.parquet"), ending, columns)
    written: exp.Expr = unescaped_statement(read, columns) if escaped else read
    if plan.stars and plan.suppresses:
        stars = stars_statement(written, plan.columns, plan.shape, plan.count)
        yield Step("release, its star rows counted", "another connection", _text(stars))
        written = apart_statement(written, plan.columns)
    reading = ReadingPlan(
        plan.quasi_identifiers,
        plan.shape,
        pseudonym=plan.pseudonym,
        by_history=plan.by_history,
        count=plan.count,
    )
    measure = classes_statement(written, reading)
    yield Step("release, measured again", "another connection", _text(measure))


def stored_text(table: str, query: exp.Query) -> str:
    """The SQL that keeps the answer of a query as a table of the workspace."""
    return _text(sql.stored(table, query))


def _text(tree: exp.Expr) -> str:
    return sql.text(tree, pretty=True)
