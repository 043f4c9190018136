"""A request checked against its data, nothing released: version, coverage, and columns that would identify."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from ordermade import sql
from ordermade.errors import Refused, quoted
from ordermade.least_k import too_few
from ordermade.measuring.counting import Units, units_of
from ordermade.measuring.dataset import Dataset, version
from ordermade.methods.shared.open_request import OpenRequest, require_unchanged
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


LOOKED_AT = ("dataset version", "coverage of the hierarchies", "identifying columns")
"""The parts of the data that a request is checked against."""


@dataclass(frozen=True, slots=True)
class Examined:
    """A request that fits its dataset and its data, with the version of these.

    `persons`: their number, None where a row is a person; `hash_sum`: the sum of one hash a row.
    """

    resolved: ResolvedRequest
    rows: int
    persons: int | None
    hash_sum: int


def examined(
    question: OpenRequest[ResolvedRequest], covered: Callable[[], object], dataset: Dataset | None = None
) -> Examined:
    """Check an open request against its data; `covered` holds its hierarchies against their columns.

    `dataset`: the one as registered, where the question has another. Raises Refused where no release could be,
    HierarchyError, InputError, SourceFault.
    """
    versioned = question.dataset if dataset is None else dataset
    seen = version(versioned)
    k = question.read.request.k
    counted = units_of(versioned, seen.rows, k)
    refusal = too_few(k, counted.number, counted.called) or identifying(question, counted)
    if refusal:
        raise Refused(refusal, where=question.read.where)
    covered()
    require_unchanged(question)
    return Examined(question.resolved, seen.rows, counted.persons, seen.hash_sum)
