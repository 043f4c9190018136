"""Columns that would identify: kept or sensitive, with more than half as many values as there are rows, or persons."""

from __future__ import annotations

from sqlglot import exp

from ordermade import sql
from ordermade.answering.question import OpenRequest
from ordermade.errors import quoted
from ordermade.measuring.entity import Units
from ordermade.release.plan import spread
from ordermade.requests.resolving import ResolvedRequest
from ordermade.sources.door import Purpose


def identifying(question: OpenRequest[ResolvedRequest], counted: Units) -> str | None:
    """Return why a request that would release values of single persons is refused; None where it would not.

    Counted are the rows that the request's filter leaves, in one statement, and only where a column is kept or
    sensitive and not allowed by `allow_identifying`. The reason has no counts.
    """
    resolved = question.resolved
    columns = tuple(each for each in resolved.with_values if each not in resolved.allow_identifying)
    if not columns:
        return None
    statement = different_statement(question, columns)
    different = question.opened.backend.door.rows(Purpose.IDENTIFYING, statement)[0]
    found = [column for column, values in zip(columns, different, strict=True) if int(values) * 2 > counted.number]
    if not found:
        return None
    units = "rows" if counted.persons is None else "persons"
    listed = ", ".join(map(quoted, found))
    return (
        f"more than half as many values as {units} are in {listed}, and such a value identifies its person: "
        f"generalise the column, leave it out, or write allow_identifying: [{', '.join(found)}]"
    )


def different_statement(question: OpenRequest[ResolvedRequest], columns: tuple[str, ...]) -> exp.Select:
    """The statement that counts the different values of each column."""
    tree = spread(sql.select("identifying"), "dataset.kept", columns)
    return sql.with_relations(tree, {"dataset": question.dataset.relation})
