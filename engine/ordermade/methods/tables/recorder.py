"""The recorder of a request for tables: the nodes of the lattice that its cells are, and how many were suppressed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ordermade.lattice.observation import Observation
from ordermade.methods.shared.recorder import RecordsRecorder, as_started
from ordermade.methods.tables.nodes import ShownNode, finest_nodes, shown_nodes
from ordermade.methods.tables.open_request import OpenTables
from ordermade.methods.tables.records import CountedCells
from ordermade.methods.tables.result import TablesResult
from ordermade.state import observations
from ordermade.state.observations import Levels
from ordermade.state.records.observations import MeasuredLevel
from ordermade.state.records.request_columns import RequestedAttribute, TabulatedCells
from ordermade.tables.cells import Whole
from ordermade.tables.protected import ProtectedTables

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection
    from ordermade.state.records.requests import RequestRecord

COARSER = "Request coarser levels or fewer columns, fewer totals, or a smaller k."


class TablesRecorder(RecordsRecorder[OpenTables, TablesResult]):
    """The recorder of a request for tables with totals: table C learns the nodes that its cells are."""

    ANSWER = TablesResult
    AFTER_RELEASE = "ordermade release verify {number}"
    _measured: tuple[tuple[Levels, Observation], ...] = ()
    _tabulated: TabulatedCells | None = None

    def learn(self, measured: Iterable[tuple[Levels, Observation]]) -> None:
        """Takes up the nodes that were counted."""
        self._measured = tuple(measured)

    def note_cells(self, tabulated: TabulatedCells) -> None:
        """Takes up how many cells were suppressed."""
        self._tabulated = tabulated

    def _finished(self, status: str, reason: str | None) -> RequestRecord:
        return replace(super()._finished(status, reason), tabulated=self._tabulated)

    def _advice(self) -> str:
        return COARSER

    def _started(self) -> RequestRecord:
        return tables_as_started(self._question, self.version_id, "witnesses")

    def _chosen(self) -> Mapping[str, tuple[int, str]]:
        return {
            each.column: (each.level, each.hierarchy.levels[each.level].name)
            for each in self._question.resolved.dimensions
        }

    def _keep_measured(self, connection: StateConnection, version_id: int) -> None:
        observations.record(connection, version_id, self.request_id, self._measured)


def tables_as_started(open_request: OpenTables, version_id: int | None, algorithm: str) -> RequestRecord:
    """The state's record of the request from its start."""
    request = open_request.request
    started = as_started(
        open_request,
        version_id,
        algorithm=algorithm,
        objective="suppressed_cells",
        quasi_identifiers=tuple(
            RequestedAttribute(
                each.column, each.hierarchy.name, each.hierarchy.content_hash, each.level, each.levels[-1]
            )
            for each in open_request.resolved.dimensions
        ),
    )
    return replace(started, options=f"cells {', '.join(request.cells)}, zeros {request.zeros}")


def measured_nodes(open_request: OpenTables, counted: CountedCells) -> tuple[tuple[Levels, Observation], ...]:
    """The nodes of every table: each combination of the levels it shows, columns with a total at `*` too.

    Rows of the finest cells add up to all of them. Where persons are counted, who may be in several, there are none.
    """
    if counted.finest.persons is not None:
        return ()
    return tuple(
        (
            _as_levels(open_request, dict(node)),
            Observation.from_histogram(Counter(_class_sizes(open_request, counted, node).tolist()).items()),
        )
        for node in shown_nodes(open_request.resolved)
    )


def tabulated_cells(open_request: OpenTables, counted: CountedCells, found: ProtectedTables) -> TabulatedCells:
    """The numbers by which later tables are foretold."""
    resolved = open_request.resolved
    finest = finest_nodes(resolved)
    return TabulatedCells(
        cells=int(np.count_nonzero(found.shown)),
        primary=len(found.primary),
        suppressed=len(found.suppressed),
        unprotected=len(found.unprotected),
        columns=max(len(each.every) for each in resolved.tables),
        totals=max(len(each.totals) for each in resolved.tables),
        inner=sum(len(_class_sizes(open_request, counted, node)) for node in finest),
        combinations=sum(
            math.prod(len(frozenset(_places(open_request, counted, column, level))) for column, level in node)
            for node in finest
        ),
    )


def _places(open_request: OpenTables, counted: CountedCells, column: str, level: int) -> tuple[int, ...]:
    """The code of each leaf of a column at a level."""
    dimension = next(each for each in open_request.resolved.dimensions if each.column == column)
    return counted.levelled[column].places[dimension.levels.index(level)]


def _class_sizes(open_request: OpenTables, counted: CountedCells, node: ShownNode) -> Whole:
    """The rows of each class of a node, added up from the finest cells."""
    finest, levels = counted.finest, dict(node)
    number = np.zeros(len(finest.rows), dtype=np.int64)
    for place, dimension in enumerate(open_request.resolved.dimensions):
        if dimension.column not in levels:
            continue
        levelled = counted.levelled[dimension.column]
        code_of = np.zeros(len(levelled.dimension.codes), dtype=np.int64)
        code_of[list(levelled.places[0])] = _places(open_request, counted, dimension.column, levels[dimension.column])
        codes = code_of[finest.leaves[:, place]]
        _, number = np.unique(number * len(levelled.dimension.codes) + codes, return_inverse=True)
        number = number.reshape(-1)
    sizes = np.zeros(int(number.max(initial=-1)) + 1, dtype=np.int64)
    np.add.at(sizes, number, finest.rows)
    return sizes


def _as_levels(open_request: OpenTables, node: Mapping[str, int]) -> Levels:
    return tuple(
        MeasuredLevel(
            each.column,
            node[each.column],
            each.hierarchy.levels[node[each.column]].name,
            each.hierarchy.levels[node[each.column]].content_hash,
        )
        for each in open_request.resolved.dimensions
        if each.column in node
    )
