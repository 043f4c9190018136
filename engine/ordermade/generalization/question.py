"""A request held open: resolved against its dataset, versioned, grounded and ready to be searched."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ordermade.catalogue.datasets import OpenDataset, described, opened_dataset
from ordermade.catalogue.hierarchies import named_hierarchies
from ordermade.errors import InputError, SourceFault, quoted
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.lattice.node import Node, NodeKey
from ordermade.lattice.observation import Observation
from ordermade.measuring.attribute import Attribute
from ordermade.measuring.counting import besides
from ordermade.measuring.dataset import Dataset
from ordermade.measuring.grounding import ground
from ordermade.measuring.oracle import node_key
from ordermade.requests.model import SourceTable
from ordermade.requests.problems import Problem
from ordermade.requests.read import ReadRequest
from ordermade.requests.resolve import Resolved, resolve
from ordermade.sources.backend import columns_of
from ordermade.sources.door import Listener
from ordermade.sources.workspace import Limits
from ordermade.state.cached_set import CachedSet, GroundedColumn
from ordermade.state.database import StateFile
from ordermade.state.records import MeasuredLevel, MeasuredNode


@dataclass(frozen=True, slots=True)
class Question:
    """A request that fits its dataset, with the dataset's source open."""

    read: ReadRequest
    resolved: Resolved
    opened: OpenDataset
    dataset: Dataset

    @property
    def columns(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the order of the request."""
        return tuple(each.column for each in self.resolved.qis)

    @property
    def hierarchies(self) -> tuple[Hierarchy, ...]:
        """The hierarchy of each quasi-identifier."""
        return tuple(each.hierarchy for each in self.resolved.qis)

    @property
    def identity(self) -> str:
        """The hash of the dataset as filtered."""
        return self.opened.identity(self.resolved.filter_text)

    def key(self, node: Node) -> NodeKey:
        """What `node` is known by in table C."""
        return node_key(self.columns, self.hierarchies, node)

    def wanted_columns(self) -> tuple[GroundedColumn, ...]:
        """What a cached frequency set must hold to serve this request."""
        return wanted_columns(self.resolved)

    def grounded(self, cached: CachedSet | None) -> tuple[Attribute, ...]:
        """Every quasi-identifier made countable, from the base of the cached set if there is one."""
        bases = {each.column: each.base for each in (cached.columns if cached else self.wanted_columns())}
        return tuple(
            ground(self.dataset, position, each.column, each.hierarchy, bases[each.column])
            for position, each in enumerate(self.resolved.qis, start=1)
        )

    def level_names(self, node: Node) -> dict[str, str]:
        """The name of each column's level at `node`."""
        return {
            column: hierarchy.levels[level].name
            for column, hierarchy, level in zip(self.columns, self.hierarchies, node, strict=True)
        }

    def for_table_c(self, measured: Mapping[Node, Observation]) -> list[MeasuredNode]:
        """Measured nodes as table C keeps them."""
        return [MeasuredNode(self._levels(node), observation) for node, observation in measured.items()]

    def _levels(self, node: Node) -> tuple[MeasuredLevel, ...]:
        return tuple(
            MeasuredLevel(column, level, hierarchy.levels[level].name, hierarchy.levels[level].content_hash)
            for column, hierarchy, level in zip(self.columns, self.hierarchies, node, strict=True)
            if level != hierarchy.top
        )


def wanted_columns(resolved: Resolved) -> tuple[GroundedColumn, ...]:
    """What a cached frequency set must hold to serve a request."""
    generalised = tuple(
        GroundedColumn(
            each.column,
            each.hierarchy.content_hash,
            _base(each.base, each.hierarchy),
            not each.hierarchy.enumerated,
        )
        for each in resolved.qis
    )
    return generalised + besides([each.column for each in resolved.sensitive], resolved.entity)


@contextlib.contextmanager
def asked(state: StateFile, limits: Limits, read: ReadRequest, listener: Listener | None = None) -> Iterator[Question]:
    """The request with its dataset open. Raises RequestError with every mistake, UnknownName, SourceFault."""
    request = read.request
    with state.reading() as connection:
        hierarchies = named_hierarchies(connection, request.hierarchy_names)
        found = described(connection, request.dataset)
    with opened_dataset(found, limits, listener) as opened:
        types = {each.name: each.type for each in opened.columns}
        resolved = resolve(read, types, hierarchies, opened.entity)
        _check_filter(read, resolved, opened)
        _check_target(read, opened)
        _check_types(read, resolved, types)
        yield Question(read, resolved, opened, opened.filtered(resolved.filter))


def _check_filter(read: ReadRequest, resolved: Resolved, opened: OpenDataset) -> None:
    """Raises RequestError for a filter that the source cannot read: a text compared with a number, and the like."""
    if resolved.filter is None:
        return
    try:
        columns_of(opened.backend, opened.filtered(resolved.filter).relation)
    except SourceFault:
        what = "the source cannot compare what the filter compares"
        instead = "compare each column with values of its own type (`ordermade dataset show` tells them)"
        raise read.refusal([Problem(what, instead, ("where",), read.line(("where",)))]) from None


def _check_target(read: ReadRequest, opened: OpenDataset) -> None:
    target = read.request.release.to
    if isinstance(target, SourceTable) and not opened.backend.capabilities.releases_tables:
        raise InputError(
            f"the source '{opened.source.name}' is not writable, so no table can be released into it",
            where=f"{read.where}: release.to.table",
            next_step="Register it with --writable (a DuckDB file), or release to a file.",
        )


def _check_types(read: ReadRequest, resolved: Resolved, types: Mapping[str, str]) -> None:
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
        for column, path in (
            *((each, ("keep",)) for each in resolved.keep),
            *((each.column, ("sensitive", each.column)) for each in resolved.sensitive),
            *((each.column, ("quasi_identifiers", each.column)) for each in resolved.qis if each.accepted[0] == 0),
        )
        if types[column] in ("HUGEINT", "UHUGEINT")
    ]
    if problems:
        raise read.refusal(problems)


def _base(base: int, hierarchy: Hierarchy) -> int:
    return min(base, hierarchy.top - 1)
