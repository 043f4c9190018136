"""Published tables of one population, linked by their dimensions: every cell once, and the sums between cells.

A table that lacks a dimension of another one publishes its totals. A cell that stands in no table, though it is a total
of cells that do, is *unpublished*: it carries sums on. Where no table has the finest cells of all dimensions together,
these are unpublished cells, too: without them margins that no table can have would count as possible.

A table *covers* the cells of all combinations of levels that it has rows of. Of those the ones without a row are empty,
known to be 0, or suppressed by being left out (`absent`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from math import prod

import numpy as np
import numpy.typing as npt

from ordermade.errors import InputError
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.tables.cells import Relation, relations_of
from ordermade.tables.codes import CodeTree, flat_tree, folded, hierarchical_tree
from ordermade.tables.judgement import Absent

Cell = tuple[int, ...]
"""The number of its code in each dimension."""

MARKS = ("", "X", "*", "-", "…")
"""The marks of a suppressed cell where none are given."""
PUBLISHED = ("", "published", "safe", "s", "v", "ok", "公表")
"""The words of a column of statuses for a cell that is published; any other word is a suppressed one."""
MAX_CELLS = 1_000_000
"""The most cells of all tables together."""
MAX_INNER = 20_000
"""The most unpublished finest cells; with more of them, intervals are wider than they could be."""
MAX_VALUE = 10**15
MAX_PLACES = 6
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d*)?")


@dataclass(frozen=True, slots=True)
class WrittenTable:
    """A table as it is written: the code of each row in its columns, and its value; None: suppressed."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]
    values: tuple[int | None, ...]


class CellTexts:
    """How the texts of counts or sums are read: which are marks, and whether decimals are allowed."""

    def __init__(self, marks: Sequence[str], *, sums: bool) -> None:
        self._marks = {folded_mark(each) for each in marks}
        self._sums = sums

    def is_readable(self, text: str) -> bool:
        """Whether a text is a mark, or a number of 0 or more or below."""
        written = folded_mark(text)
        return written in self._marks or _NUMBER.fullmatch(written.removeprefix("-")) is not None

    def read(
        self, texts: Sequence[str | None], statuses: Sequence[str | None] | None, where: str
    ) -> list[Decimal | None]:
        """The values, None of suppressed cells. Raises InputError with the number of cells that are no value."""
        published = {folded(each) for each in PUBLISHED}
        found: list[Decimal | None] = []
        wrong, negative, broken = 0, 0, 0
        for place, text in enumerate(texts):
            if statuses is not None and folded(statuses[place]) not in published:
                found.append(None)
                continue
            written = folded_mark(text)
            if written in self._marks and (statuses is None or written):
                found.append(None)
                continue
            found.append(None)
            if not _NUMBER.fullmatch(written):
                if _NUMBER.fullmatch(written.removeprefix("-")) and written.startswith("-"):
                    negative += 1
                else:
                    wrong += 1
                continue
            value = Decimal(written.replace(",", ""))
            broken += not self._sums and value != value.to_integral_value()
            found[-1] = value
        if negative:
            raise _no_values(where, f"{_cells(negative)} negative", "Counts, and sums here, are 0 or more.")
        if wrong:
            step = "Name the marks of suppressed cells with --mark, or the column of counts with --count."
            raise _no_values(where, f"{_cells(wrong)} neither a number nor a mark of suppression", step)
        if broken:
            raise _no_values(where, f"{_cells(broken)} no whole number", "Say --sums if these are sums.")
        if any(each is not None and each > MAX_VALUE for each in found):
            raise _no_values(where, f"a value is above {MAX_VALUE:,}", "Write sums in thousands or millions.")
        return found


def _no_values(where: str, what: str, step: str) -> InputError:
    return InputError(what, where=where, next_step=step)


def _cells(number: int) -> str:
    return "1 cell is" if number == 1 else f"{number:,} cells are"


def folded_mark(text: str | None) -> str:
    """A count or a mark as it is compared: in one width and case, `−` and `–` as `-`."""
    if text is None:
        return ""
    plain = unicodedata.normalize("NFKC", text).strip().casefold()
    return plain.replace("−", "-").replace("–", "-")


def unit_of(values: Iterable[Decimal | None]) -> Decimal:
    """The finest decimal of the values: 1 of whole numbers. Raises InputError for more than MAX_PLACES places."""
    places = 0
    for each in values:
        if each is not None:
            exponent = each.normalize().as_tuple().exponent
            places = max(places, -exponent if isinstance(exponent, int) else 0)
    if places > MAX_PLACES:
        raise InputError(
            f"sums have more than {MAX_PLACES} decimal places", where="--sums", next_step="Round them as published."
        )
    return Decimal(1).scaleb(-places)


@dataclass(frozen=True, slots=True)
class LinkedTables:
    """The cells of all tables, each once, by number, and their sums.

    `values`: 0 where no table publishes the cell. `rows`: of each table the cell of each row, by number, then those
    without a row; `hidden`: those of them that it suppresses, in order. `suppressed`: cells that some table suppresses
    and none publishes; `unpublished`: those in no table. `conflicts`: cells that tables publish with different values.
    `has_totals`: whether a cell of a table is a total of another one. `is_inner_left_out`: there are too many
    unpublished finest cells, so that intervals are wider than they could be.
    """

    trees: tuple[CodeTree, ...]
    cells: tuple[Cell, ...]
    values: npt.NDArray[np.int64]
    relations: tuple[Relation, ...]
    rows: tuple[tuple[int, ...], ...]
    hidden: tuple[tuple[int, ...], ...]
    suppressed: tuple[int, ...]
    unpublished: tuple[int, ...]
    conflicts: tuple[int, ...]
    has_totals: bool
    is_inner_left_out: bool

    def codes(self, cell: int, columns: Sequence[str]) -> dict[str, str]:
        """The codes of a cell in these columns."""
        named = {
            folded(tree.dimension.name): tree.dimension.codes[code]
            for tree, code in zip(self.trees, self.cells[cell], strict=True)
        }
        return {column: named[folded(column)] for column in columns}


def linked(
    tables: Sequence[WrittenTable],
    totals: Sequence[str],
    hierarchies: Mapping[str, Hierarchy],
    absent: Absent,
) -> LinkedTables:
    """The tables, linked: columns of one name are one dimension. Hierarchies by column.

    Raises InputError (HierarchyError) for cells that a table has twice, and for too many cells.
    """
    trees = _trees(tables, totals, hierarchies, absent)
    at = {folded(tree.dimension.name): place for place, tree in enumerate(trees)}
    spans = [tuple(at[folded(column)] for column in table.columns) for table in tables]
    placed = [list(_placed(table, span, trees)) for table, span in zip(tables, spans, strict=True)]
    for table, cells in zip(tables, placed, strict=True):
        if len(set(cells)) < len(cells):
            repeated = len(cells) - len(set(cells))
            raise InputError(
                f"{_cells(repeated)} there more than once",
                where=table.name,
                next_step="Name every column that tells its rows apart with --columns, or take rows out that repeat.",
            )
    covers = [{_levels(cell, trees) for cell in cells} for cells in placed]
    covered = {levels for each in covers for levels in each}
    hidden = [
        [cell for cell, value in zip(cells, table.values, strict=True) if value is None]
        for table, cells in zip(tables, placed, strict=True)
    ]
    if absent == "suppressed":
        for cells, missing, levels in zip(placed, hidden, covers, strict=True):
            there = set(cells)
            added = [cell for cell in _cells_of(levels, trees) if cell not in there]
            cells += added
            missing += added
    universe = dict.fromkeys(cell for cells in placed for cell in cells)
    _require_few(len(universe))
    closed = _closure(universe, trees)

    zeros = _Zeros(closed, covered, trees)
    closed, empty, is_inner_left_out = _with_inner(closed, trees, zeros)
    order = tuple(sorted(closed))
    number = {cell: place for place, cell in enumerate(order)}
    values = np.zeros(len(order), dtype=np.int64)
    published: dict[int, int] = {}
    conflicts: dict[int, None] = {}
    for table, cells in zip(tables, placed, strict=True):
        for cell, value in zip(cells, table.values, strict=False):
            if value is not None and published.setdefault(number[cell], value) != value:
                conflicts[number[cell]] = None
    for place, value in published.items():
        values[place] = value
    in_tables = {number[cell] for cell in universe}
    return LinkedTables(
        trees=trees,
        cells=order,
        values=values,
        relations=_relations(order, trees, number, zeros, empty),
        rows=tuple(tuple(number[cell] for cell in cells) for cells in placed),
        hidden=tuple(tuple(sorted(number[cell] for cell in cells)) for cells in hidden),
        suppressed=tuple(sorted(in_tables - published.keys())),
        unpublished=tuple(sorted(set(range(len(order))) - in_tables)),
        conflicts=tuple(sorted(conflicts)),
        has_totals=any(above in universe for cell in universe for above in _totals_of(cell, trees)),
        is_inner_left_out=is_inner_left_out,
    )


@dataclass(frozen=True, slots=True)
class _Zeros:
    """Which cells are known to be 0: those that a table covers and that are none of its cells, nor a total of any.

    Where cells without a row are suppressed, those that a table covers are all cells of it.
    """

    closed: Mapping[Cell, None]
    covered: Collection[Cell]
    trees: Sequence[CodeTree]

    def has(self, cell: Cell) -> bool:
        """Whether a cell is one of them."""
        return cell not in self.closed and _levels(cell, self.trees) in self.covered


def _trees(
    tables: Sequence[WrittenTable], totals: Sequence[str], hierarchies: Mapping[str, Hierarchy], absent: Absent
) -> tuple[CodeTree, ...]:
    names: dict[str, str] = {}
    codes: dict[str, dict[str | None, None]] = {}
    for table in tables:
        for place, column in enumerate(table.columns):
            names.setdefault(folded(column), column)
            codes.setdefault(folded(column), {}).update(dict.fromkeys(row[place] for row in table.rows))
    given = {folded(column): hierarchy for column, hierarchy in hierarchies.items()}
    return tuple(
        hierarchical_tree(names[key], list(found), totals, given[key], whole_levels=absent == "suppressed")
        if key in given
        else flat_tree(names[key], found, totals)
        for key, found in codes.items()
    )


def _placed(table: WrittenTable, span: Sequence[int], trees: Sequence[CodeTree]) -> Iterator[Cell]:
    """The cell of each row: the total of each dimension that the table has not."""
    for row in table.rows:
        cell = [0] * len(trees)
        for at, code in zip(span, row, strict=True):
            cell[at] = trees[at].number(code)
        yield tuple(cell)


def _levels(cell: Cell, trees: Sequence[CodeTree]) -> Cell:
    return tuple(tree.levels[code] for tree, code in zip(trees, cell, strict=True))


def _cells_of(levels: Collection[Cell], trees: Sequence[CodeTree]) -> Iterator[Cell]:
    """All cells of these combinations of levels. Raises InputError where there are too many."""
    total = 0
    for each in sorted(levels):
        codes = [
            [code for code, own in enumerate(tree.levels) if own == level]
            for tree, level in zip(trees, each, strict=True)
        ]
        total += prod(map(len, codes))
        _require_few(total)
        yield from product(*codes)


def _require_few(number: int) -> None:
    if number > MAX_CELLS:
        raise InputError(
            f"there are more than {MAX_CELLS:,} cells",
            where="the tables",
            next_step="Judge fewer dimensions at a time; if cells without a row are empty, say --absent empty.",
        )


def _closure(cells: Iterable[Cell], trees: Sequence[CodeTree]) -> dict[Cell, None]:
    """The cells and all totals of them."""
    found = dict.fromkeys(cells)
    queue = list(found)
    while queue:
        cell = queue.pop()
        for above in _above(cell, trees):
            if above not in found:
                found[above] = None
                queue.append(above)
        _require_few(len(found))
    return found


def _above(cell: Cell, trees: Sequence[CodeTree]) -> Iterator[Cell]:
    """The cells that a cell is a part of, one step up in one dimension."""
    for at, tree in enumerate(trees):
        parent = tree.dimension.parents[cell[at]]
        if parent >= 0:
            yield (*cell[:at], parent, *cell[at + 1 :])


def _totals_of(cell: Cell, trees: Sequence[CodeTree]) -> Iterator[Cell]:
    """All cells that a cell is a part of."""
    lines = []
    for tree, code in zip(trees, cell, strict=True):
        line = [code]
        while tree.dimension.parents[line[-1]] >= 0:
            line.append(tree.dimension.parents[line[-1]])
        lines.append(line)
    above = product(*lines)
    next(above)  # the cell itself
    return above


def _with_inner(
    closed: Mapping[Cell, None], trees: Sequence[CodeTree], zeros: _Zeros
) -> tuple[dict[Cell, None], set[Cell], bool]:
    """The cells with the finest ones of all dimensions, where no table covers them.

    Also those of the finest that are known to be 0, as a total of them is; and whether there are too many.
    """
    leaves = [tree.dimension.leaves for tree in trees]
    combinations = product(*({tree.levels[code] for code in own} for tree, own in zip(trees, leaves, strict=True)))
    if all(each in zeros.covered for each in combinations):
        return dict(closed), set(), False
    if prod(map(len, leaves)) > MAX_INNER:
        return dict(closed), set(), True
    found, empty = dict(closed), set()
    for cell in product(*leaves):
        above = list(_totals_of(cell, trees))
        if zeros.has(cell) or any(map(zeros.has, above)):
            empty.add(cell)
        else:
            found.update(dict.fromkeys((cell, *above)))
    _require_few(len(found))
    return found, empty, False


def _relations(
    order: Sequence[Cell], trees: Sequence[CodeTree], number: Mapping[Cell, int], zeros: _Zeros, empty: Collection[Cell]
) -> tuple[Relation, ...]:
    """The sums whose parts are all cells, or known to be 0."""
    dimensions = [tree.dimension for tree in trees]
    found = []
    for relation in relations_of(dimensions, np.array(order, dtype=np.int64).reshape(len(order), len(trees))):
        total, part = order[relation.total], order[relation.parts[0]]
        at = next(place for place, (one, other) in enumerate(zip(total, part, strict=True)) if one != other)
        children = dimensions[at].children(total[at])
        missing = () if len(children) == len(relation.parts) else children
        cells = ((*total[:at], child, *total[at + 1 :]) for child in missing)
        if all(cell in number or cell in empty or zeros.has(cell) for cell in cells):
            found.append(relation)
    return tuple(found)
