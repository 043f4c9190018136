"""From the finest cells of a request to its protected tables: the codes that each shows, and the rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ordermade.errors import InputError, quoted
from ordermade.methods.tables.open_request import OpenTables
from ordermade.methods.tables.records import CountedCells
from ordermade.records.cells import percent
from ordermade.requests.numbers import decimal_text
from ordermade.requests.resolve_table import ResolvedTable
from ordermade.requests.table import TableRequest
from ordermade.tables.cells import keys_of
from ordermade.tables.protected import CellRules, ProtectedTables, protect
from ordermade.tables.tabulation import Tabulation, tabulate


@dataclass(frozen=True, slots=True)
class TableCodes:
    """The codes of each column that a table shows, by column; a column that it has not is at its total."""

    table: ResolvedTable
    codes: Mapping[str, tuple[int, ...]]


def codes_of(open_request: OpenTables, counted: CountedCells) -> tuple[TableCodes, ...]:
    """The codes that every table shows."""
    return tuple(
        TableCodes(table, {column: _shown(open_request, counted, table, column) for column in table.every})
        for table in open_request.resolved.tables
    )


def _shown(open_request: OpenTables, counted: CountedCells, table: ResolvedTable, column: str) -> tuple[int, ...]:
    dimension = next(each for each in open_request.resolved.dimensions if each.column == column)
    levelled = counted.levelled[column]
    found = {code for level in table.levels[column] for code in levelled.places[dimension.levels.index(level)]}
    if column in table.totals:
        found.update(levelled.dimension.roots)
    return tuple(sorted(found))


def rare_values(open_request: OpenTables, counted: CountedCells) -> str | None:
    """The words of the refusal of heads that are values of fewer than k units; None where there are none.

    Values that a hierarchy lists are the provider's own: whoever has the list knows them. Those of a rule come from the
    data.
    """
    k, finest = open_request.request.k, counted.finest
    for place, each in enumerate(open_request.resolved.dimensions):
        if each.level > 0 or each.hierarchy.enumerated:
            continue
        leaves, weights = finest.leaves[:, place], finest.rows
        if finest.persons is not None:
            pairs = np.unique(np.column_stack([leaves, finest.persons]), axis=0)
            leaves, weights = pairs[:, 0], np.ones(len(pairs), dtype=np.int64)
        units = np.zeros(int(leaves.max(initial=-1)) + 1, dtype=np.int64)
        np.add.at(units, leaves, weights)
        if np.any((units > 0) & (units < k)):
            return rare_heads(each.column, k)
    return None


def rare_heads(column: str, k: int) -> str:
    """The words of that refusal."""
    return (
        f"values of {quoted(column)} are of fewer than k = {k:,}, and a head of a table would name them: "
        "take a coarser level of it"
    )


def tabulated(open_request: OpenTables, counted: CountedCells) -> Tabulation:
    """The cells of all tables with their figures. Raises InputError where units are shown that do not add up."""
    request = open_request.request
    largest = max(2, 0 if request.dominance is None else request.dominance.largest)
    tables = [dict(each.codes) for each in codes_of(open_request, counted)]
    found = tabulate(counted.finest, tables, largest)
    if not found.adds_up and "units" in figures_of(open_request):
        raise InputError(
            "persons are in several cells, so that their numbers do not add up to totals",
            where="cells",
            next_step="Write `cells: rows`, or make a dataset with a row a person by a query.",
        )
    return found


def figures_of(open_request: OpenTables) -> tuple[str, ...]:
    """The figures that the tables show, or that follow from what they show: `units`, `rows`, `sum N`."""
    columns = [each.column for each in open_request.resolved.amounts]
    has_persons = open_request.resolved.entity is not None
    found: dict[str, None] = {}
    for each in open_request.resolved.figures:
        if each.kind in ("count", "share"):
            found["units"] = None
        elif each.kind == "rows":
            found["rows" if has_persons else "units"] = None
        if each.column is not None:
            found[f"sum {columns.index(each.column)}"] = None
        if each.kind == "mean":  # with the sum that it follows from
            found["rows" if has_persons else "units"] = None
    return tuple(found)


def protected(
    open_request: OpenTables, counted: CountedCells, progress: Callable[[int], None] = lambda _: None
) -> ProtectedTables:
    """The tables of the request with the cells that are suppressed. Raises InputError for cells it cannot fix."""
    found = tabulated(open_request, counted)
    request = open_request.request
    publish = _cells(open_request, counted, found, open_request.resolved.publish, "publish")
    hidden = _cells(open_request, counted, found, open_request.resolved.suppress, "suppress")
    return protect(found, rules_of(request), figures_of(open_request), publish, hidden, progress)


def refusal(found: ProtectedTables, request: TableRequest) -> str | None:
    """The words of the refusal of protected tables: cells that no pattern protects, too many suppressed ones, or all.

    None where they may be released.
    """
    n = len(found.unprotected)
    if n:
        cells = "1 suppressed cell is" if n == 1 else f"{n:,} suppressed cells are"
        return (
            f"{cells} known to less than k = {found.rules.k:,}, whatever is suppressed with "
            f"{'it' if n == 1 else 'them'}: the tables have too few cells, or too few units, to hide behind"
        )
    hidden, cells_in_all = len(found.suppressed), int(np.count_nonzero(found.shown))
    if cells_in_all and hidden == cells_in_all:
        return f"every one of the {cells_in_all:,} cells would be suppressed: nothing would be left of the tables"
    limit = request.suppression_limit
    if limit is None or hidden <= limit * cells_in_all:
        return None
    return (
        f"{percent(hidden / cells_in_all)} of the cells would be suppressed, {hidden:,} of {cells_in_all:,}, where at "
        f"most {decimal_text(Fraction(limit) * 100)} % may be"
    )


def rules_of(request: TableRequest) -> CellRules:
    """The rules that cells are suppressed by."""
    own = request.dominance
    return CellRules(
        k=request.k,
        zeros=request.zeros,
        dominance=None if own is None else (own.largest, float(own.percent)),
        p_percent=float(request.p_percent),
        costs=request.costs,
    )


def _cells(
    open_request: OpenTables,
    counted: CountedCells,
    found: Tabulation,
    named: Sequence[Mapping[str, str]],
    field: str,
) -> tuple[int, ...]:
    """The cells that a request names by labels, by index; a column that it leaves out is at its total.

    Raises InputError, without a label, for one that is no cell of the tables.
    """
    keys = {int(key): place for place, key in enumerate(keys_of(found.table.dimensions, found.table.cells).tolist())}
    hidden = frozenset(found.table.hidden)
    places = []
    for number, each in enumerate(named):
        codes = []
        for dimension in open_request.resolved.dimensions:
            of_column = counted.levelled[dimension.column].dimension
            label = each.get(dimension.column)
            code = of_column.roots[0] if label is None else _code(of_column.codes, label)
            if code is None:
                raise _unknown(field, number, f"no value or class of {quoted(dimension.column)} has that label")
            codes.append(code)
        place = keys.get(int(keys_of(found.table.dimensions, np.array([codes], dtype=np.int64))[0]))
        if place is None or place in hidden:
            raise _unknown(field, number, "no table has that cell, or it is empty")
        places.append(place)
    return tuple(sorted(set(places)))


def _code(codes: Sequence[str], label: str) -> int | None:
    """The code of a label: of several levels that have it, the coarsest."""
    return next((code for code, text in enumerate(codes) if text == label), None)


def _unknown(field: str, number: int, what: str) -> InputError:
    return InputError(
        what, where=f"{field}[{number}]", next_step="Name cells by the labels that the tables show, or take it out."
    )
