"""The recorder of a request for tables, and the nodes of the lattice that its cells are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from ordermade.lattice.observation import Observation
from ordermade.methods.shared.recorder import RecordsRecorder, as_started
from ordermade.methods.tables.open_request import OpenTables
from ordermade.methods.tables.records import CountedCells
from ordermade.methods.tables.result import TablesResult
from ordermade.requests.resolve_table import ResolvedTable
from ordermade.state import observations
from ordermade.state.observations import Levels
from ordermade.state.records.observations import MeasuredLevel
from ordermade.state.records.request_columns import RequestedAttribute

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection
    from ordermade.state.records.requests import RequestRecord

COARSER = "Request coarser levels or fewer columns, fewer totals, or a smaller k."


class TablesRecorder(RecordsRecorder[OpenTables, TablesResult]):
    """The recorder of a request for tables with totals: table C learns the nodes that its cells are."""

    ANSWER = TablesResult
    AFTER_RELEASE = "ordermade release verify {number}"
    _measured: tuple[tuple[Levels, Observation], ...] = ()

    def learn(self, measured: Iterable[tuple[Levels, Observation]]) -> None:
        """Takes up the nodes that were counted."""
        self._measured = tuple(measured)

    def _advice(self) -> str:
        return COARSER

    def _started(self) -> RequestRecord:
        request, resolved = self._question.request, self._question.resolved
        started = as_started(
            self._question,
            self.version_id,
            algorithm="witnesses",
            objective="suppressed_cells",
            quasi_identifiers=tuple(
                RequestedAttribute(
                    each.column, each.hierarchy.name, each.hierarchy.content_hash, each.level, each.levels[-1]
                )
                for each in resolved.dimensions
            ),
        )
        return replace(started, options=f"cells {', '.join(request.cells)}, zeros {request.zeros}")

    def _chosen(self) -> Mapping[str, tuple[int, str]]:
        return {
            each.column: (each.level, each.hierarchy.levels[each.level].name)
            for each in self._question.resolved.dimensions
        }

    def _keep_measured(self, connection: StateConnection, version_id: int) -> None:
        observations.record(connection, version_id, self.request_id, self._measured)


def measured_nodes(open_request: OpenTables, counted: CountedCells) -> tuple[tuple[Levels, Observation], ...]:
    """The nodes of every table: each combination of the levels it shows, columns with a total at `*` too.

    Rows of the finest cells add up to all of them. Where persons are counted, who may be in several, there are none.
    """
    if counted.finest.persons is not None:
        return ()
    found: dict[tuple[tuple[str, int], ...], Observation] = {}
    for table in open_request.resolved.tables:
        for node in product(*(_levels_of(table, column) for column in table.every)):
            named = tuple(
                sorted((column, level) for column, level in zip(table.every, node, strict=True) if level is not None)
            )
            if named not in found:
                found[named] = _observed(open_request, counted, dict(named))
    return tuple((_as_levels(open_request, dict(named)), observation) for named, observation in found.items())


def _levels_of(table: ResolvedTable, column: str) -> tuple[int | None, ...]:
    """The levels that a table shows of a column, None for its total."""
    return (*table.levels[column], *((None,) if column in table.totals else ()))


def _observed(open_request: OpenTables, counted: CountedCells, node: Mapping[str, int]) -> Observation:
    """The class sizes of a node, added up from the finest cells."""
    finest = counted.finest
    number = np.zeros(len(finest.rows), dtype=np.int64)
    for place, dimension in enumerate(open_request.resolved.dimensions):
        if dimension.column not in node:
            continue
        levelled = counted.levelled[dimension.column]
        level = dimension.levels.index(node[dimension.column])
        code_of = np.zeros(len(levelled.dimension.codes), dtype=np.int64)
        code_of[list(levelled.places[0])] = levelled.places[level]
        codes = code_of[finest.leaves[:, place]]
        _, number = np.unique(number * len(levelled.dimension.codes) + codes, return_inverse=True)
        number = number.reshape(-1)
    sizes = np.zeros(int(number.max(initial=-1)) + 1, dtype=np.int64)
    np.add.at(sizes, number, finest.rows)
    return Observation.from_histogram(Counter(sizes.tolist()).items())


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
