"""The cells that protected tables show, as the ledger takes them up: a partition for each node of each table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

import numpy as np

from ordermade.ledger.entries import ShownClasses, ShownColumn, ShownRelease
from ordermade.ledger.figures import UNBOUNDED
from ordermade.ledger.simulatable import RequestedLevels
from ordermade.methods.tables.open_request import OpenTables
from ordermade.methods.tables.records import MISSING, CountedCells
from ordermade.requests.resolve_table import ResolvedDimension, ResolvedTables
from ordermade.tables.protected import ProtectedTables


def shown_tables_of(open_request: OpenTables, counted: CountedCells, found: ProtectedTables) -> ShownRelease:
    """What the tables show: the persons of each cell of each node, those of suppressed cells hidden."""
    resolved = open_request.resolved
    levels = tuple(
        f"{each.column}: {', '.join(each.hierarchy.levels[level].name for level in each.levels)}"
        for each in resolved.dimensions
    )
    values = tuple(each.column for each in resolved.amounts)
    unjudged = _of_no_counts(resolved)
    if unjudged:
        return ShownRelease((), unjudged, values, levels)
    return ShownRelease(tuple(_nodes(open_request, counted, found)), "", values, levels)


def requested_cells(resolved: ResolvedTables) -> RequestedLevels:
    """What the answer to a request depends on, by the request alone: cells by all columns at their finest levels."""
    k, unjudged = resolved.request.k, _of_no_counts(resolved)
    if unjudged or resolved.amounts:
        return RequestedLevels(resolved.filter_text, k, unjudged=unjudged)
    finest = tuple(
        ShownColumn(each.column, each.hierarchy.content_hash, each.level)
        for each in resolved.dimensions
        if each.level < each.hierarchy.top
    )
    return RequestedLevels(resolved.filter_text, k, finest)


def _of_no_counts(resolved: ResolvedTables) -> str:
    """Why the cells of a request are of no classes; empty where they are."""
    if resolved.entity is not None:
        return "counts persons, who may have several rows"
    if not {"count", "rows", "share"} & {each.kind for each in resolved.figures}:
        return "shows no counts"
    return ""


def _nodes(open_request: OpenTables, counted: CountedCells, found: ProtectedTables) -> Iterator[ShownClasses]:
    by_column = {each.column: each for each in open_request.resolved.dimensions}
    language = open_request.request.language
    for table in open_request.resolved.tables:
        choices = [(*table.levels[each], *((None,) if each in table.totals else ())) for each in table.every]
        for node in product(*choices):
            levels = {column: level for column, level in zip(table.every, node, strict=True) if level is not None}
            yield _classes({each: (by_column[each], level) for each, level in levels.items()}, counted, found, language)


def _classes(
    node: Mapping[str, tuple[ResolvedDimension, int]], counted: CountedCells, found: ProtectedTables, language: str
) -> ShownClasses:
    """The cells of a table with a level of each of some columns, the others at their totals."""
    cells = found.table.cells
    inside = np.ones(len(found.table.values), dtype=np.bool_)
    columns, labels, codes = [], [], []
    for place, dimension in enumerate(found.table.dimensions):
        if dimension.name not in node:
            inside &= np.isin(cells[:, place], np.array(dimension.roots))
            continue
        column, level = node[dimension.name]
        levelled = counted.levelled[dimension.name]
        at = column.levels.index(level)
        called = dict(zip(levelled.places[at], levelled.labels[at], strict=True))
        numbers = {code: number for number, code in enumerate(called)}
        inside &= np.isin(cells[:, place], np.array(list(called)))
        if level == column.hierarchy.top:
            continue
        columns.append(ShownColumn(column.column, column.hierarchy.content_hash, level))
        labels.append(tuple(None if each == MISSING[language] else each for each in called.values()))
        codes.append((place, numbers))
    listed = np.flatnonzero(inside)
    suppressed = np.zeros(len(found.table.values), dtype=np.bool_)
    suppressed[list(found.suppressed)] = True
    hidden, units = suppressed[listed], found.tabulation.units[listed]
    every = [[numbers[int(code)] for code in cells[listed, place]] for place, numbers in codes]
    return ShownClasses(
        tuple(columns),
        tuple(labels),
        np.array(every, dtype=np.int64).reshape(len(columns), len(listed)).T.copy(),
        np.where(hidden, int(found.rules.zeros == "shown"), units).astype(np.int64),
        np.where(hidden, UNBOUNDED, units).astype(np.int64),
        hidden,
    )
