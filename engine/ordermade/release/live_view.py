"""A view that follows its table: the generalisation of a released node, with a guard that counts each class anew.

The values of each column are listed in the statement, with their labels. A row whose value is not listed, because it
came later, is not shown; nor is one whose class has fewer than k rows by now.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from ordermade import sql
from ordermade.counting.encoding import EncodedColumn
from ordermade.errors import InputError, ReleaseFault, SourceFault
from ordermade.hierarchies.hierarchy import STAR
from ordermade.release.plan import Plan, inner
from ordermade.release.rows import labels_bound, labels_statement
from ordermade.sources.backend import Backend
from ordermade.sources.executor import Purpose
from ordermade.sources.limits import Limits
from ordermade.sources.open import create_view as make_view
from ordermade.sources.server import Lost

if TYPE_CHECKING:
    from ordermade.state.sources import Source

MAX_LISTED = 10_000
"""So many values may the statement of a view list."""


@dataclass(frozen=True, slots=True)
class _Listed:
    """The values of an attribute at its level, as the table `name` of the workspace; `null` is the label of NULL."""

    attribute: EncodedColumn
    name: str
    is_own: bool
    null: exp.Expr | None


def live_view_statement(plan: Plan, name: str) -> str:
    """The statement that makes the view, in the dialect of the source.

    Raises InputError where there are more values to list than `MAX_LISTED`.
    """
    backend = plan.dataset.backend
    listed = [_listed(plan, each, level) for each, level in zip(plan.attributes, plan.node, strict=True)]
    query = view_query(plan, [each for each in listed if each is not None])
    schema, table = backend.capabilities.place_of(name)
    named = sql.table(table, schema=schema)
    return backend.view_statement(named, query, [each.name for each in listed if each is not None])


def view_query(plan: Plan, listed: list[_Listed]) -> exp.Select:
    """The query of the view, over the tables of listed values."""
    tree = sql.select("release/table/live_view")
    counted = tree.args["from_"].this.this
    labelled = counted.args["from_"].this.this
    names = plan.values
    tree.set("expressions", [sql.named(exp.column(v, table="counted"), c) for v, c in _pairs(names, plan)])
    tree.args["where"].this.set("expression", exp.Literal.number(plan.k))
    window = counted.expressions[1]
    counted.set("expressions", [*(exp.column(each, table="labelled") for each in names), window])
    window.find(exp.Window).set("partition_by", [exp.column(each, table="labelled") for each in plan.labels])
    _fill_labelled(labelled, plan, {each.attribute.position: each for each in listed})
    return sql.with_relations(tree, {"dataset": plan.dataset.relation})


def _pairs(names: tuple[str, ...], plan: Plan) -> Iterator[tuple[str, str]]:
    return zip(names, plan.carried, strict=True)


def _fill_labelled(tree: exp.Select, plan: Plan, listed: Mapping[int, _Listed]) -> None:
    """Fills in the innermost query: what each row shows, and the lists that it is joined with."""
    (join,) = tree.args["joins"]
    kept = tree.args["where"].this
    values: list[exp.Expr] = []
    joins, conditions = [], []
    for attribute in plan.attributes:
        each = listed.get(attribute.position)
        if each is None:
            values.append(exp.Literal.string(STAR))
            continue
        key = exp.column("key", table=each.name)
        filled = sql.with_expressions(join.copy(), {"dataset.code": attribute.code, "labels.key": key})
        filled.set("this", exp.to_table(each.name))
        label: exp.Expr = (
            sql.column(attribute.column, "dataset") if each.is_own else exp.column("label", table=each.name)
        )
        if each.null is None:
            filled.set("side", None)
        else:
            condition = sql.with_expressions(kept.copy(), {"dataset.code": attribute.code, "labels.key": key})
            conditions.append(exp.Paren(this=condition))
            if not each.is_own:
                is_null = exp.Is(this=attribute.code.copy(), expression=exp.Null())
                label = exp.Case(ifs=[exp.If(this=is_null, true=each.null)], default=label)
        values.append(label)
        joins.append(filled)
    values += [sql.column(each, "dataset") for each in plan.kept]
    tree.set("expressions", [sql.named(each, inner(number)) for number, each in enumerate(values)])
    tree.set("joins", joins)
    tree.set("where", exp.Where(this=exp.and_(*conditions, copy=False)) if conditions else None)


def _listed(plan: Plan, attribute: EncodedColumn, level: int) -> _Listed | None:
    """The values of an attribute with their labels at a level, kept in the workspace; None where all are `*`."""
    if level == attribute.hierarchy.top:
        return None
    workspace, name, every = plan.dataset.backend.workspace, f"live_{attribute.position}", "live_every"
    if not attribute.has_labels_at(level):
        own = sql.with_relations(sql.select("release/table/live_own_values"), {"keys": exp.to_table(attribute.keys)})
        workspace.store(Purpose.STORE, every, own)
    else:
        workspace.store(Purpose.STORE, every, labels_statement(attribute, level), labels_bound(attribute, level))
    relation = {"labels": exp.to_table(every)}
    nulls = workspace.rows(Purpose.STORE, sql.with_relations(sql.select("release/table/live_label_of_null"), relation))
    workspace.store(Purpose.STORE, name, sql.with_relations(sql.select("release/table/live_labels"), relation))
    count = sql.with_relations(sql.template("dataset/row_count"), {"dataset": exp.to_table(name)})
    if int(workspace.rows(Purpose.STORE, count)[0][0]) > MAX_LISTED:
        raise InputError(
            f"the view would list more than {MAX_LISTED:,} values of the column '{attribute.column}'",
            where="--as-view",
            next_step="Register a dataset with fewer of its values, or use the release.",
        )
    null = None if not nulls else (exp.Null() if nulls[0][0] is None else exp.Literal.string(str(nulls[0][0])))
    return _Listed(attribute, name, not attribute.has_labels_at(level), null)


def require_viewable(backend: Backend, source: Source) -> None:
    """Raises InputError where no view can be made of a table of this source."""
    if not backend.capabilities.makes_views:
        raise InputError(
            f"a live view is made of a table of PostgreSQL, MariaDB, MySQL or a DuckDB file, and '{source.name}' is "
            f"a {source.kind} source",
            where="--as-view",
            next_step="Use the release.",
        )


def require_writable(source: Source) -> None:
    """Raises InputError where no view can be made in the source."""
    if not source.writable:
        raise InputError(
            f"the source '{source.name}' is not writable, so no view can be made in it",
            where="--create",
            next_step="Register it with --writable, or leave --create out and run the printed statement yourself.",
        )


def create_view(source: Source, statement: str, limits: Limits) -> None:
    """Makes the view in its source, which must be writable. Raises InputError, ReleaseFault."""
    require_writable(source)
    with _failing(source):
        make_view(source.location, source.kind, statement, limits=limits)


@contextlib.contextmanager
def _failing(source: Source) -> Iterator[None]:
    try:
        yield
    except SourceFault as fault:
        raise ReleaseFault(
            f"the view could not be made: {fault.what}",
            where=fault.where or source.name,
            next_step=f"Choose another name if this one is taken. {fault.next_step}",
        ) from None
    except Lost:
        raise ReleaseFault(
            "the view could not be made: the connection to the server was lost",
            where=source.name,
            next_step="Check whether the view is there, then run it again or choose another name.",
        ) from None
