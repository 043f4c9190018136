"""The report of released tables with totals: of their file, read again, and of the state; nothing is counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ordermade.catalogue.verified_releases import TABLES
from ordermade.errors import InputError, Refused, ReleaseMismatch
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.release.shown_file import TableOutline, tables_in
from ordermade.release.shown_tables import form_of
from ordermade.reports.cautions import table_cautions
from ordermade.reports.figures import Audience
from ordermade.reports.file import ReportOfTables
from ordermade.reports.label_levels import levels_of_label, without_unit
from ordermade.reports.released import Record, intact_manifest
from ordermade.reports.table_figures import (
    MAX_SHOWN,
    CellsProtected,
    ReportedTable,
    TableColumnReported,
    TablesRequested,
    counts_units,
)
from ordermade.requests.read import ReadRequest, read_recorded
from ordermade.requests.resolve_table import ResolvedDimension, ResolvedTables, resolve_table
from ordermade.requests.table import TableRequest
from ordermade.tables.shown import Mark, ShownTable
from ordermade.tables.shown_words import Words, words_in


def gathered_tables(record: Record, audience: Audience) -> ReportOfTables:
    """The report of tables with totals, read again from their file, for a provider or for a user.

    Raises ReleaseFault where the file is gone, Refused where it is not what was released, or where its request or a
    hierarchy is no longer what it was.
    """
    release, is_for_user = record.release, audience == "user"
    manifest = intact_manifest(release)
    resolved = _resolved(record)
    request, path = resolved.request, Path(release.name)
    words = words_in(request.language)
    try:
        shown = tables_in(
            path, form_of(request, path), list(_outlines(resolved, words)), _Depths(resolved, words).depth_of
        )
    except (ReleaseMismatch, InputError):
        raise Refused(
            f"release {release.id} is not what was released: its file does not have the tables of its request",
            where=release.name,
            next_step=f"`ordermade release verify {release.id}` says what differs; run its request again.",
        ) from None
    tables = tuple(map(_reported, shown))
    cells = sum(each.cells for each in tables)
    return ReportOfTables(
        audience=audience,
        floor=request.k,
        release=release.id,
        request=record.request_number,
        title=record.request.title,
        dataset=record.request.dataset_name,
        method=TABLES,
        file=path.name if is_for_user else release.name,
        sha256=release.sha256,
        released_at=release.released_at,
        engine_version=record.request.engine_version,
        standing=release.standing,
        asked=_asked(record, resolved, is_for_user=is_for_user),
        columns=tuple(_columns(resolved, shown)),
        tables=tables,
        protected=None if is_for_user else _protected(record, resolved, manifest),
        cautions=table_cautions(record, cells, for_user=is_for_user),
        language=request.language,
        shown=shown if sum(each.size * len(each.measures) for each in shown) <= MAX_SHOWN else (),
    )


def _resolved(record: Record) -> ResolvedTables:
    """The request as it was carried out. Raises Refused where it, or a hierarchy, is no longer known."""
    if record.request.request is None:
        raise _unknown(record, "its request was erased")
    if {each.column for each in record.request.quasi_identifiers} - record.hierarchies.keys():
        raise _unknown(record, "a hierarchy of its columns was changed or removed since")
    read = read_recorded(record.request.request)
    if not isinstance(read.request, TableRequest):
        raise TypeError("a release of tables is of a request for tables")
    named: dict[str, Hierarchy] = {each.name: each for each in record.hierarchies.values()}
    of_tables = ReadRequest(read.request, read.text, read.path, read.lines)
    return resolve_table(of_tables, dict(record.types) or None, named, record.request.entity_column)


def _unknown(record: Record, why: str) -> Refused:
    return Refused(
        f"the tables of release {record.release.id} cannot be described: {why}",
        where=record.release.name,
        next_step="Run its request again.",
    )


def _outlines(resolved: ResolvedTables, words: Words) -> Iterator[TableOutline]:
    request = resolved.request
    measures = tuple(
        words.head(each.kind, each.column, request.release.count, of_persons=resolved.entity is not None)
        for each in resolved.figures
    )
    for each in resolved.tables:
        yield TableOutline(each.name or request.title, each.rows, each.columns, measures, request.mark, request.zeros)


class _Depths:
    """How many shown labels a label of a column is below: coarser levels, and the total."""

    def __init__(self, resolved: ResolvedTables, words: Words) -> None:
        self._dimensions = {each.column: each for each in resolved.dimensions}
        self._totals = {column for each in resolved.tables for column in each.totals}
        self._words = words
        self._known: dict[tuple[str, str], int] = {}

    def depth_of(self, column: str, label: str) -> int:
        """The depth of a label; one whose level is not known counts as of the finest."""
        if (column, label) not in self._known:
            self._known[column, label] = self._found(self._dimensions[column], label)
        return self._known[column, label]

    def _found(self, dimension: ResolvedDimension, label: str) -> int:
        has_total = dimension.column in self._totals
        if has_total and label == self._words.total:
            return 0
        levels = dimension.levels
        level = levels[0]
        if len(levels) > 1:
            text = without_unit(label) if self._words.language == "ja" else label
            level = next((each for each in levels_of_label(dimension.hierarchy, text) if each in levels), level)
        return int(has_total) + sum(each > level for each in levels)


def _reported(table: ShownTable) -> ReportedTable:
    marked = sum(
        any(table.figure(measure, codes) is Mark.SUPPRESSED for measure in table.measures)
        for codes, _ in table.places()
    )
    rows, columns = (tuple(axis.name for axis in axes) for axes in (table.rows, table.columns))
    return ReportedTable(table.name, rows, columns, table.size, marked)


def _asked(record: Record, resolved: ResolvedTables, *, is_for_user: bool) -> TablesRequested:
    request = resolved.request
    adds_up = any(each.column is not None for each in resolved.figures)
    own = request.dominance
    return TablesRequested(
        k=request.k,
        unit="rows" if resolved.entity is None else "persons",
        figures=request.cells,
        zeros=request.zeros,
        mark=request.mark,
        costs=request.costs,
        p_percent=float(request.p_percent) if adds_up else None,
        dominance=None if own is None else (own.largest, float(own.percent)),
        rounding=request.rounding,
        filter=None if is_for_user else record.request.filter,
    )


def _columns(resolved: ResolvedTables, shown: Sequence[ShownTable]) -> Iterator[TableColumnReported]:
    totals = {column for each in resolved.tables for column in each.totals}
    for each in resolved.dimensions:
        labels = {label for table in shown for axis in table.axes if axis.name == each.column for label in axis.labels}
        levels = tuple(each.hierarchy.levels[level].name for level in each.levels)
        yield TableColumnReported(each.column, each.hierarchy.name, levels, each.column in totals, len(labels))


def _protected(record: Record, resolved: ResolvedTables, manifest: Mapping[str, Any]) -> CellsProtected | None:
    """The cells as the state notes them; the least width by the manifest, which the engine wrote beside the file.

    That width is of the first figure, and in units only where it counts them.
    """
    noted = record.request.tabulated
    if noted is None:
        return None
    of_tables = manifest.get("tables")
    width = of_tables.get("least_width") if isinstance(of_tables, Mapping) else None
    if not counts_units(resolved.figures[0].kind, of_persons=resolved.entity is not None):
        width = None
    return CellsProtected(
        cells=noted.cells,
        primary=noted.primary,
        secondary=noted.suppressed - noted.primary,
        share_of_units=record.release.losses.get("suppressed_units"),
        least_width=width if isinstance(width, int) else None,
    )
