"""A request held open: resolved against its dataset, whose source is open."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from ordermade.catalogue.datasets import OpenDataset, described, opened_dataset
from ordermade.catalogue.hierarchies import named_hierarchies
from ordermade.errors import InputError, SourceChanged, SourceFault, quoted
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.measuring.dataset import Dataset
from ordermade.requests.model import Request, SourceTable
from ordermade.requests.problems import Problem
from ordermade.requests.read import Asked, ReadRequest
from ordermade.requests.resolving import ResolvedRequest
from ordermade.sources.backend import columns_of
from ordermade.sources.door import Listener
from ordermade.sources.workspace import Limits
from ordermade.state.database import StateFile

Fitting = TypeVar("Fitting", bound=ResolvedRequest, covariant=True)
"""A request of one method, resolved."""


@dataclass(frozen=True, slots=True)
class OpenRequest(Generic[Fitting]):
    """A request that fits its dataset, with the dataset's source open."""

    read: ReadRequest[Request]
    resolved: Fitting
    opened: OpenDataset
    dataset: Dataset

    @property
    def identity(self) -> str:
        """The hash of the dataset as filtered."""
        return self.opened.identity(self.resolved.filter_text)


Held = TypeVar("Held", bound=OpenRequest[ResolvedRequest])
"""A request of one method, held open."""


def with_k(question: Held, k: int) -> Held:
    """The same request with another k, which no other part of a request depends on."""
    request = question.read.request.model_copy(update={"k": k})
    return replace(
        question, read=replace(question.read, request=request), resolved=replace(question.resolved, request=request)
    )


@contextlib.contextmanager
def opened_request(
    state: StateFile,
    limits: Limits,
    read: ReadRequest[Asked],
    resolver: Callable[[ReadRequest[Asked], Mapping[str, str], Mapping[str, Hierarchy], str | None], Fitting],
    listener: Listener | None = None,
) -> Iterator[OpenRequest[Fitting]]:
    """The request with its dataset open, as `resolver` holds it against columns, hierarchies and the entity column.

    Raises RequestError with every mistake, UnknownName, SourceFault.
    """
    request = read.request
    with state.reading() as connection:
        hierarchies = named_hierarchies(connection, request.hierarchy_names)
        found = described(connection, request.dataset)
    with opened_dataset(found, limits, listener) as opened:
        types = {each.name: each.type for each in opened.columns}
        resolved = resolver(read, types, hierarchies, opened.entity)
        _check_filter(read, resolved, opened)
        _check_target(read, opened)
        _check_types(read, resolved, types)
        yield OpenRequest(read, resolved, opened, opened.filtered(resolved.filter))


def require_unchanged(question: OpenRequest[ResolvedRequest]) -> None:
    """Raises SourceChanged if the files of the source were written to since they were opened."""
    if question.opened.backend.changed():
        raise SourceChanged(
            "the files of the source changed while the request ran",
            where=question.opened.source.name,
            next_step="Run the request again when they are at rest.",
        )


def _check_filter(read: ReadRequest[Request], resolved: ResolvedRequest, opened: OpenDataset) -> None:
    """Raises RequestError for a filter that the source cannot read: a text compared with a number, and the like."""
    if resolved.filter is None:
        return
    try:
        columns_of(opened.backend, opened.filtered(resolved.filter).relation)
    except SourceFault:
        what = "the source cannot compare what the filter compares"
        instead = "compare each column with values of its own type (`ordermade dataset show` tells them)"
        raise read.refusal([Problem(what, instead, ("where",), read.line(("where",)))]) from None


def _check_target(read: ReadRequest[Request], opened: OpenDataset) -> None:
    target = read.request.release.to
    if isinstance(target, SourceTable) and not opened.backend.capabilities.releases_tables:
        raise InputError(
            f"the source '{opened.source.name}' is not writable, so no table can be released into it",
            where=f"{read.where}: release.to.table",
            next_step="Register it with --writable (a DuckDB file), or release to a file.",
        )


def _check_types(read: ReadRequest[Request], resolved: ResolvedRequest, types: Mapping[str, str]) -> None:
    """Raises RequestError for a column released as it is that Parquet would turn into another number."""
    target = read.request.release.to
    if isinstance(target, str) and not target.lower().endswith(".parquet"):
        return
    problems = [
        Problem(
            f"the column {quoted(column)} is a {types[column]}, which Parquet cannot hold exactly",
            "release to CSV, or cast it in a dataset query (to DECIMAL(38, 0) or VARCHAR)",
            path,
            read.line(path),
        )
        for column, path in resolved.as_they_are
        if types[column] in ("HUGEINT", "UHUGEINT")
    ]
    if problems:
        raise read.refusal(problems)
