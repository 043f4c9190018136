"""The protected tables of a request as they are shown: their axes, the figures of every cell, and its intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import ROUND_HALF_UP, Decimal

import numpy as np

from ordermade.drafts.label_order import by_value_or_text
from ordermade.drafts.number_readings import are_ages
from ordermade.methods.tables.open_request import OpenTables
from ordermade.methods.tables.protection import TableCodes, codes_of
from ordermade.methods.tables.records import CountedCells
from ordermade.requests.table import Figure
from ordermade.tables.protected import Guarded, ProtectedTables
from ordermade.tables.shown import Codes, ShownTable, TableAxis, TableMeasure, axis_of
from ordermade.tables.shown_intervals import KnownInterval
from ordermade.tables.shown_words import Words, words_in

SHARE_PLACES, MEAN_PLACES = 1, 1
"""Decimal places of a share in percent, and those of a mean beyond the unit of its column."""
MOST_BOUNDED = 6_000
"""The most cells of tables whose intervals are found by linear programs; of larger ones by witnesses."""


def shown_tables(open_request: OpenTables, counted: CountedCells, found: ProtectedTables) -> tuple[ShownTable, ...]:
    """The tables of the request, every suppressed cell without its figures."""
    request = open_request.request
    words = words_in(request.language)
    figures = [
        (each, _head(each, open_request, words), _values(each, open_request, counted, found))
        for each in open_request.resolved.figures
    ]
    tables = []
    for number, each in enumerate(codes_of(open_request, counted)):
        cells = _cells_of(open_request, counted, found, each)
        measures = tuple(
            TableMeasure(head, {codes: values.get(cell) for codes, cell in cells.items()}, figure.kind != "mean")
            for figure, head, values in figures
        )
        rows = tuple(_axis(counted, each, column, words) for column in each.table.rows)
        columns = tuple(_axis(counted, each, column, words) for column in each.table.columns)
        name = each.table.name or (f"{number + 1}" if len(open_request.resolved.tables) > 1 else request.title)
        tables.append(ShownTable(name, rows, columns, measures, request.mark, request.zeros))
    return tuple(tables)


def _axis(counted: CountedCells, table: TableCodes, column: str, words: Words) -> TableAxis:
    unit = None
    if words.language == "ja":
        unit = "歳" if are_ages(column) else ""
    dimension = counted.levelled[column].dimension
    return axis_of(column, dimension, table.codes[column], by_value_or_text, words, unit=unit)


def _cells_of(
    open_request: OpenTables, counted: CountedCells, found: ProtectedTables, table: TableCodes
) -> dict[Codes, int]:
    """The cells of one table by the codes of its axes: those of the other columns are at their total."""
    inside = np.ones(len(found.table.values), dtype=np.bool_)
    own: dict[str, int] = {}
    for place, dimension in enumerate(open_request.resolved.dimensions):
        roots = counted.levelled[dimension.column].dimension.roots
        codes = table.codes.get(dimension.column, roots)
        inside &= np.isin(found.table.cells[:, place], codes)
        own[dimension.column] = place
    places = [own[column] for column in table.table.every]
    cells = np.flatnonzero(inside)
    keys = map(tuple, found.table.cells[cells][:, places].tolist())
    return dict(zip(keys, cells.tolist(), strict=True))


def _head(figure: Figure, open_request: OpenTables, words: Words) -> str:
    """The head of a figure: of counts the one that the request names."""
    of_persons = open_request.resolved.entity is not None
    return words.head(figure.kind, figure.column, open_request.request.release.count, of_persons=of_persons)


def _values(
    figure: Figure, open_request: OpenTables, counted: CountedCells, found: ProtectedTables
) -> Mapping[int, Decimal | int]:
    """The figures of every published cell, by its index."""
    tabulation, base = found.tabulation, open_request.request.rounding
    hidden = frozenset(found.suppressed)
    published = [cell for cell in range(len(tabulation.units)) if cell not in hidden]
    has_persons = open_request.resolved.entity is not None
    if figure.kind in ("count", "rows"):
        counts = tabulation.rows if figure.kind == "rows" else tabulation.units
        return {cell: _rounded(int(counts[cell]), base) for cell in published}
    if figure.kind == "share":
        every = int(tabulation.units.max(initial=1))
        return {cell: _places(Decimal(100 * int(tabulation.units[cell])) / every, SHARE_PLACES) for cell in published}
    columns = [each.column for each in open_request.resolved.amounts]
    place = columns.index(figure.column or "")
    unit, sums = counted.units[place], tabulation.sums[place]
    if figure.kind == "sum":
        return {cell: _rounded(int(sums[cell]), base if unit == 1 else None) * unit for cell in published}
    rows = tabulation.rows if has_persons else tabulation.units
    places = max(0, -int(unit.as_tuple().exponent)) + MEAN_PLACES
    return {
        cell: _places(Decimal(int(sums[cell])) * unit / int(rows[cell]), places) for cell in published if rows[cell]
    }


def _rounded(count: int, base: int | None) -> int:
    """A count at the nearest multiple of the base, half of it upwards."""
    return count if base is None else (2 * count + base) // (2 * base) * base


def _places(number: Decimal, places: int) -> Decimal:
    return number.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)


def known_intervals(
    open_request: OpenTables, counted: CountedCells, found: ProtectedTables, words: Words
) -> list[dict[tuple[str, Codes], KnownInterval]]:
    """Of each table the interval of every suppressed cell, by the name of its measure and the codes of the cell.

    Exact by linear programs in tables of up to `MOST_BOUNDED` cells; else what the witnesses prove.
    """
    guarded = {each.name: each for each in found.guarded}
    known = [
        (_head(figure, open_request, words), unit, _intervals(guarded[name], found))
        for figure in open_request.resolved.figures
        for name, unit in _guard_of(figure, open_request, counted)
    ]
    tables = []
    for each in codes_of(open_request, counted):
        own: dict[tuple[str, Codes], KnownInterval] = {}
        for codes, cell in _cells_of(open_request, counted, found, each).items():
            for head, unit, intervals in known:
                if cell in intervals:
                    one = intervals[cell]
                    most = None if one.most is None else one.most * unit
                    own[head, codes] = KnownInterval(one.least * unit, most, one.is_exact)
        tables.append(own)
    return tables


def _guard_of(figure: Figure, open_request: OpenTables, counted: CountedCells) -> Iterator[tuple[str, Decimal | int]]:
    """The protected figure that a figure of the cells is, and its unit; none of shares and means, which follow."""
    if figure.kind == "count":
        yield "units", 1
    elif figure.kind == "rows":
        yield ("units" if open_request.resolved.entity is None else "rows"), 1
    elif figure.kind == "sum":
        place = [each.column for each in open_request.resolved.amounts].index(figure.column or "")
        yield f"sum {place}", counted.units[place]


def _intervals(guarded: Guarded, found: ProtectedTables) -> dict[int, KnownInterval]:
    """The interval of each suppressed cell of one figure, in its smallest unit."""
    # The package that solves programs comes with an extra.
    from ordermade.tables.intervals import audited

    protection = guarded.protection
    values = protection.table.values
    if len(values) <= MOST_BOUNDED:
        hidden = found.table.hidden
        every = audited(protection.table.relations, values, found.suppressed, protection.lower, unpublished=hidden)
        return {
            cell: KnownInterval(each.least, each.most, cell not in every.unfinished)
            for cell, each in every.intervals.items()
        }
    known = {}
    for cell, witness in guarded.pattern.witnesses.items():
        place = witness.cells.index(cell)
        ends = sorted((int(values[cell]) + witness.high[place], int(values[cell]) + witness.low[place]))
        known[cell] = KnownInterval(ends[0], ends[1], False)
    return known
