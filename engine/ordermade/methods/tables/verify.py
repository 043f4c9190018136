"""A release of tables with totals verified: its file read back, and its cells counted again from the source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ordermade.catalogue.verified_releases import RecountedCells
from ordermade.counting.counts import units_of
from ordermade.counting.dataset import Version, version
from ordermade.errors import InputError, ReleaseFault, SourceFault
from ordermade.methods.shared.open_request import RunContext, require_unchanged
from ordermade.methods.tables.method import TABLES
from ordermade.methods.tables.open_request import OpenTables
from ordermade.methods.tables.protection import rules_of, tabulated
from ordermade.methods.tables.records import CountedCells, counted_cells
from ordermade.methods.tables.shown_cells import shown_tables
from ordermade.release.shown_read_back import read_back
from ordermade.release.shown_tables import form_of
from ordermade.requests.read import read_recorded
from ordermade.state import versions
from ordermade.state.records.requests import RequestRecord
from ordermade.state.releases import ReleaseRecord
from ordermade.tables.protected import ProtectedTables, primaries
from ordermade.tables.shown import Cells, ShownTable, cells_of
from ordermade.tables.tabulation import Tabulation

_UNTOLD = "cells: {why}, so they are not counted again; the file's SHA-256 is that of the one compared with them"


def recounted(release: ReleaseRecord, request: RequestRecord, context: RunContext) -> RecountedCells:
    """The differences of a released file from its cells, counted again where the dataset is as it was.

    Raises StateFault.
    """
    if request.request is None:
        return _untold("the request was erased")
    try:
        read = read_recorded(request.request)
        with TABLES.opened(read, context, context.progress.statement) as open_request:
            seen = version(open_request.dataset)
            if not _is_same(open_request, request, context, seen):
                return _untold("the dataset or a hierarchy has changed since")
            units_of(open_request.dataset, seen.rows, open_request.request.k)  # numbers the persons
            counted = counted_cells(open_request, None)
            findings = tuple(_differences(Path(release.name), open_request, counted))
            require_unchanged(open_request)
    except (SourceFault, InputError):
        return _untold("the dataset cannot be read")
    return RecountedCells(findings, ())


def _untold(why: str) -> RecountedCells:
    return RecountedCells((), (_UNTOLD.format(why=why),))


def _is_same(open_request: OpenTables, request: RequestRecord, context: RunContext, seen: Version) -> bool:
    """Whether dataset and hierarchies are those of the release."""
    if request.dataset_version_id is None:
        return False
    with context.state.reading() as connection:
        was = versions.find(connection, request.dataset_version_id)
    hashes = {each.column: each.hierarchy_hash for each in request.quasi_identifiers}
    now = {each.column: each.hierarchy.content_hash for each in open_request.resolved.dimensions}
    return was is not None and seen.is_of(was) and hashes == now


def _differences(path: Path, open_request: OpenTables, counted: CountedCells) -> Iterator[str]:
    """What is wrong with the cells of a file: their figures, and small ones that stand published."""
    tabulation = tabulated(open_request, counted)
    small = tuple(np.flatnonzero(primaries(tabulation, rules_of(open_request.request))).tolist())
    whole = shown_tables(open_request, counted, _with_suppressed(open_request, tabulation, ()))
    safe = shown_tables(open_request, counted, _with_suppressed(open_request, tabulation, small))
    try:
        found = read_back(path, form_of(open_request.request, path), whole)
    except ReleaseFault:
        yield "the file does not have the tables of its request"
        return
    yield from _of_cells(whole, safe, found)


def _of_cells(whole: Sequence[ShownTable], safe: Sequence[ShownTable], found: Sequence[Cells]) -> Iterator[str]:
    wrong = missing = small = 0
    for table, hidden, cells in zip(whole, safe, found, strict=True):
        expected, suppressed = cells_of(table), cells_of(hidden)
        wrong += sum(cells[key] is not None and cells[key] != expected[key] for key in cells.keys() & expected.keys())
        missing += len(expected.keys() - cells.keys()) + len(cells.keys() - expected.keys())
        small += sum(
            expected[key] is not None and suppressed[key] is None and value is not None
            for key, value in cells.items()
            if key in expected
        )
    if wrong:
        yield f"{wrong:,} published figures are not those counted again"
    if missing:
        yield f"{missing:,} cells are missing, or are none of the tables"
    if small:
        yield f"{small:,} figures are published that the rules do not let be"


def _with_suppressed(open_request: OpenTables, tabulation: Tabulation, suppressed: tuple[int, ...]) -> ProtectedTables:
    """The tables with these cells suppressed and no others; nothing is proved."""
    return ProtectedTables(tabulation, rules_of(open_request.request), (), suppressed, (), ())
