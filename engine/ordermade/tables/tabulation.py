"""The figures of every cell of linked tables, added up from the finest cells: units, rows, sums, contributors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ordermade.errors import InputError
from ordermade.tables.cells import CellTable, Whole, cells_above, keys_of, summed_cells
from ordermade.tables.dimensions import Dimension
from ordermade.tables.primaries import Contributions, LargestContributions

MOST_ENTRIES = 50_000_000
"""The most pairs of a cell and a person in it, where persons are in several finest cells."""


@dataclass(frozen=True, eq=False)
class FinestCells:
    """What was counted of the finest cells: a row is `rows` rows of the dataset of one cell and one contributor.

    `leaves`: the leaf code of each row in each dimension. `persons`: their numbers, from 0; None where a row of the
    dataset is a person. `amounts`: for each column that is added up, what one row of the dataset adds, in its unit.
    """

    dimensions: tuple[Dimension, ...]
    leaves: Whole
    rows: Whole
    persons: Whole | None = None
    amounts: tuple[Whole, ...] = ()


@dataclass(frozen=True, eq=False)
class Tabulation:
    """The cells of linked tables with their figures: `table.values` are rows of the dataset.

    `units`, which k counts; `sums` of each column that is added up, with its `contributions`; `sole`: the contributor
    of each cell that has one alone, else -1. `most_rows`: the most rows of one contributor in a cell. `adds_up`:
    whether units do: not where a person is in several of the finest cells.
    """

    table: CellTable
    units: Whole
    sums: tuple[Whole, ...]
    contributions: tuple[Contributions | LargestContributions, ...]
    sole: Whole
    most_rows: Whole
    adds_up: bool

    @property
    def rows(self) -> Whole:
        """The rows of each cell."""
        return self.table.values


def tabulate(finest: FinestCells, tables: Sequence[Mapping[str, Sequence[int]]] = (), largest: int = 2) -> Tabulation:
    """The tables, each the codes that it has by dimension as in `summed_cells`, with the figures of every cell.

    `largest`: the most contributors of a cell whose contributions a rule looks at. Raises InputError for persons in too
    many cells.
    """
    leaves, of_record = _distinct(finest)
    rows_of = _added(len(leaves), of_record, finest.rows)
    table = summed_cells(finest.dimensions, leaves, rows_of, tables)
    below, cells = cells_above(table, leaves)
    n = len(table.values)
    rows = table.values
    sums = tuple(_added(n, cells, _added(len(leaves), of_record, each * finest.rows)[below]) for each in finest.amounts)
    if finest.persons is None:
        sole = _sole(n, rows, below, cells, rows_of == 1, np.arange(len(leaves)))
        contributions = tuple(
            _largest(n, np.repeat(of_record, finest.rows), np.repeat(each, finest.rows), below, cells, total, largest)
            for each, total in zip(finest.amounts, sums, strict=True)
        )
        return Tabulation(table, rows, sums, contributions, sole, np.minimum(rows, 1), True)
    return _of_persons(finest, finest.persons, table, of_record, below, cells, rows, sums, largest)


def _of_persons(
    finest: FinestCells,
    persons: Whole,
    table: CellTable,
    of_record: Whole,
    below: Whole,
    cells: Whole,
    rows: Whole,
    sums: tuple[Whole, ...],
    largest: int,
) -> Tabulation:
    """The figures where a person may have several rows."""
    n, number = len(table.values), int(persons.max(initial=-1)) + 1
    pairs, of_pair = np.unique(of_record * max(number, 1) + persons, return_inverse=True)
    cell_of_pair, person_of_pair = pairs // max(number, 1), pairs % max(number, 1)
    rows_of_pair = _added(len(pairs), of_pair, finest.rows)
    amounts = [_added(len(pairs), of_pair, each * finest.rows) for each in finest.amounts]
    if len(np.unique(person_of_pair)) == len(person_of_pair):
        persons_of = np.bincount(cell_of_pair, minlength=int(of_record.max(initial=-1)) + 1).astype(np.int64)
        units = _added(n, cells, persons_of[below])
        first = np.full(len(persons_of), -1, dtype=np.int64)
        first[cell_of_pair] = person_of_pair
        sole = _sole(n, units, below, cells, persons_of == 1, first)
        found = tuple(
            _largest(n, cell_of_pair, each, below, cells, total, largest)
            for each, total in zip([rows_of_pair, *amounts], [rows, *sums], strict=True)
        )
        most_rows = found[0].largest(1)
        return Tabulation(table, units, sums, found[1:], sole, most_rows, True)
    order = np.argsort(below, kind="stable")
    starts = np.searchsorted(below[order], np.arange(int(of_record.max(initial=-1)) + 2))
    lengths = np.diff(starts)[cell_of_pair]
    if int(lengths.sum()) > MOST_ENTRIES:
        raise InputError(
            f"persons are in several of the finest cells, in more than {MOST_ENTRIES:,} cells with all totals",
            where="the tables",
            next_step="Request fewer totals or coarser levels, or one row a person by a dataset query.",
        )
    entries = np.repeat(np.arange(len(pairs)), lengths)
    within = np.arange(len(entries)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    at = cells[order][starts[cell_of_pair[entries]] + within]
    whose = person_of_pair[entries]
    of_rows = Contributions(n, at, whose, rows_of_pair[entries])
    contributions = tuple(Contributions(n, at, whose, each[entries]) for each in amounts)
    units = of_rows.numbers()
    return Tabulation(table, units, sums, contributions, of_rows.sole(), of_rows.largest(1), False)


def _distinct(finest: FinestCells) -> tuple[Whole, Whole]:
    """The different finest cells, and that of each record."""
    keys = keys_of(finest.dimensions, finest.leaves)
    _, first, of_record = np.unique(keys, return_index=True, return_inverse=True)
    return finest.leaves[first], of_record.reshape(-1).astype(np.int64)


def _added(n: int, at: Whole, values: Whole) -> Whole:
    found = np.zeros(n, dtype=np.int64)
    np.add.at(found, at, values)
    return found


def _sole(n: int, units: Whole, below: Whole, cells: Whole, alone: Whole, named: Whole) -> Whole:
    """The contributor of each cell of one unit: that of its only finest cell, which has one."""
    marked = alone[below]
    found = _added(n, cells[marked], named[below[marked]])
    return np.where(units == 1, found, -1)


def _largest(
    n: int, finest: Whole, amounts: Whole, below: Whole, cells: Whole, totals: Whole, most: int
) -> LargestContributions:
    """The largest contributions to every cell, of contributors who are each in one finest cell."""
    if len(amounts) and int(amounts.min()) < 0:
        raise InputError(
            "a contribution is below 0",
            where="cells",
            next_step="Sums are protected of amounts of 0 or more: leave the others out with `where`.",
        )
    of_finest = _top(int(finest.max(initial=-1)) + 1 if len(finest) else 0, finest, amounts, most)
    usable = below < len(of_finest)
    at = np.repeat(cells[usable], most)
    return LargestContributions(_top(n, at, of_finest[below[usable]].reshape(-1), most), totals)


def _top(n: int, at: Whole, amounts: Whole, most: int) -> Whole:
    """Of each place the `most` largest amounts, descending, filled up with 0."""
    found = np.zeros((n, most), dtype=np.int64)
    order = np.lexsort((-amounts, at))
    place, ordered = at[order], amounts[order]
    rank = np.arange(len(place)) - np.searchsorted(place, place, side="left")
    among = rank < most
    found[place[among], rank[among]] = ordered[among]
    return found
