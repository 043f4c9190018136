"""The columns of a table as they are read: texts that are numbers or dates, and the cells that keep others from it.

The cells are values of persons. They go to the screen or the process of the person who opened the table: no log, state,
document, manifest or report has them, and no user by a token gets them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from sqlglot import exp

from ordermade import sql
from ordermade.counting.dataset import Dataset, filtered, relation
from ordermade.counting.profile import column_profiles
from ordermade.drafts.missing_values import censored_ends, said_values
from ordermade.drafts.odd_cells import TOTAL, OddLines, odd_cells
from ordermade.drafts.reading_options import NO_OPTIONS, ReadingOptions
from ordermade.drafts.text_column import ColumnReading, ReadingContext, Unread
from ordermade.drafts.text_formats import FORMS
from ordermade.drafts.text_parsers import dataset_query, examined
from ordermade.errors import SourceChanged, SourceFault
from ordermade.requests.dataset_query import parse_dataset_query
from ordermade.sources.backend import columns_of, find_table, qualified
from ordermade.sources.executor import Purpose
from ordermade.sources.kinds import kind_of

if TYPE_CHECKING:
    from ordermade.drafts.profile import CensoredEnds, ColumnProfile
    from ordermade.sources.backend import Backend, CatalogTable

MAX_LINES = 5
"""So many lines with an odd cell are named at most."""


@dataclass(frozen=True, slots=True)
class ReadColumns:
    """The columns of a table: their profiles, as they are read, and the `query` that reads them so.

    `query`: None where every column is taken as it is. `unread`: the columns that look as if they could be read, and
    are left as they are. `odd`: the cells that keep columns from being read; `line_called`: what a line of these is,
    empty where the source has none. `censored`: by column, the bounds at which numbers are read.
    """

    profiles: tuple[ColumnProfile, ...]
    readings: tuple[ColumnReading, ...] = ()
    query: str | None = None
    unread: tuple[Unread, ...] = ()
    odd: tuple[OddLines, ...] = ()
    line_called: str = ""
    censored: Mapping[str, CensoredEnds] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ColumnsReader:
    """Reads the columns of the table of that name in a source of a kind.

    `least_k`: no smaller count is in a reason. `options`: what the person who opened the table says of it. `as_is`: the
    columns that are taken as they are. `failing`: those that look like something else, of which the source cannot read
    every text so.
    """

    table: str
    kind: str
    least_k: int
    options: ReadingOptions = NO_OPTIONS
    as_is: frozenset[str] = frozenset()
    failing: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def read(self, backend: Backend) -> ReadColumns:
        """The columns profiled, and their readings; nothing is read by them yet. Raises SourceFault, InputError."""
        table = find_table(backend, self.table)
        columns = columns_of(backend, relation(table.reference, None))
        options = self.options.of_table([each.name for each in columns])
        known = kind_of(self.kind)
        context = ReadingContext(known.dialect, self.least_k, known.has_encoding, options)
        said = {
            each.name: value
            for each in columns
            if each.name not in self.as_is and (value := said_values(each.name, each.type, options.of(each.name)))
        }
        unnamed = [name for name in said if not options.names(name)]
        changed_by = _changes(backend, table.reference, {name: said[name] for name in unnamed})
        said = {name: value for name, value in said.items() if name not in unnamed or changed_by[name]}
        stored = self._stored(table)
        names = [each.name for each in columns]
        origin: exp.Expr = table.reference
        if said:
            changed = [ColumnReading(name, "texts", "VARCHAR", value, "") for name, value in said.items()]
            origin = qualified(backend, parse_dataset_query(dataset_query(stored, names, changed)))
        profiles = column_profiles(dataset_of(backend, origin, self.table), forms=FORMS)
        readings, unread = self._examined(profiles, said, context)
        query = dataset_query(stored, names, readings) if readings else None
        censored = self._censored(backend, table, readings, context)
        by_reading = {each.column for each in readings if each.form != SAID}
        odd = tuple(
            self._odd_lines(backend, table, [each for each in profiles if each.name not in by_reading], context)
        )
        return ReadColumns(profiles, readings, query, unread, odd, backend.line_called, censored)

    def _censored(
        self, backend: Backend, table: CatalogTable, readings: Sequence[ColumnReading], context: ReadingContext
    ) -> dict[str, CensoredEnds]:
        """By column, the bounds at which numbers are read, from its texts as they are: the most frequent of many."""
        text_of = {each.column: each.text_of for each in readings if context.options.of(each.column).at_bounds}
        if not text_of:
            return {}
        found = {}
        for each in column_profiles(dataset_of(backend, table.reference, self.table), list(text_of)):
            read = text_of[each.name]
            ends = None if read is None else censored_ends((value.value for value in each.values), read)
            if ends is not None:
                found[each.name] = ends
        return found

    def without(self, failing: Mapping[str, str]) -> ColumnsReader:
        """The same without the readings that fail; by column, what its texts look like."""
        return replace(self, failing={**self.failing, **failing})

    def fails(self, backend: Backend, reading: ColumnReading) -> bool:
        """Whether the source cannot read every text of a column so: a text may have the form of a date and be none."""
        table = find_table(backend, self.table)
        names = [each.name for each in columns_of(backend, relation(table.reference, None))]
        query = dataset_query(self._stored(table), names, [reading])
        try:
            origin = qualified(backend, parse_dataset_query(query))
            column_profiles(dataset_of(backend, origin, self.table), [reading.column])
        except SourceChanged:
            raise
        except SourceFault:
            return True
        return False

    def _stored(self, table: CatalogTable) -> exp.Table:
        """The table as a dataset query names it."""
        return exp.Table(
            this=exp.to_identifier(table.name, quoted=True),
            db=exp.to_identifier(table.schema, quoted=True) if "." in self.table else None,
        )

    def _examined(
        self, profiles: Sequence[ColumnProfile], said: Mapping[str, exp.Expr], context: ReadingContext
    ) -> tuple[tuple[ColumnReading, ...], tuple[Unread, ...]]:
        """The readings of columns, and the columns that look as if they had one and are left as they are."""
        readings: list[ColumnReading] = []
        unread: list[Unread] = []
        for profile in profiles:
            name, value = profile.name, said.get(profile.name)
            found = None if name in self.as_is else examined(profile, context, value)
            if name in self.failing:
                unread.append(Unread(name, f"it looks like {self.failing[name]}, {_UNFIT}"))
                found = None
            if isinstance(found, Unread):
                unread.append(found)
                found = None
            if found is None and value is not None:
                found = ColumnReading(name, SAID, profile.type, value, _AS_SAID)
            if found is not None:
                readings.append(found)
        return tuple(readings), tuple(unread)

    def _odd_lines(
        self, backend: Backend, table: CatalogTable, profiles: Sequence[ColumnProfile], context: ReadingContext
    ) -> Iterator[OddLines]:
        for profile in profiles:
            if profile.name in self.as_is or profile.type != "VARCHAR":
                continue
            cells = odd_cells(profile, context)
            if cells is not None:
                pattern = _also(cells.pattern, context.options.of(profile.name).missing)
                lines = backend.lines_by_form(table, profile.name, pattern, of_form=False, most=MAX_LINES)
                yield OddLines(profile.name, cells, tuple(lines))
                continue
            totals = backend.lines_by_form(table, profile.name, TOTAL, of_form=True, most=2)
            if len(totals) == 1:
                yield OddLines(profile.name, None, tuple(totals))


_AS_SAID = "it stands, but for the values that you named as missing"
SAID = "as said"
"""The form of a column of which nothing is read but what the person who opened the table says."""
_UNFIT = "but some of its texts are none, such as a day that the calendar has not: left as text"


def read_columns(
    open_source: Callable[[], AbstractContextManager[Backend]],
    reader: ColumnsReader,
    read: Callable[[Backend, ReadColumns], tuple[ColumnProfile, ...]],
) -> ReadColumns:
    """The columns, with the profiles that `read` makes by their query.

    A text may have the form of a date and be none, as the 29th of February 2023. So a reading that the source cannot
    make of every text is found out, and its column is left as it is. A source may answer nothing more after an error,
    and is opened anew. Raises InputError, SourceFault.
    """
    with open_source() as backend:
        found = reader.read(backend)
        try:
            return replace(found, profiles=read(backend, found))
        except SourceFault as error:
            if isinstance(error, SourceChanged) or not found.readings:
                raise
            fault = error
    failing = {}
    for each in found.readings:
        with open_source() as backend:
            if reader.fails(backend, each):
                failing[each.column] = each.reason
    if not failing:
        raise fault
    return read_columns(open_source, reader.without(failing), read)


def profiles_read(backend: Backend, found: ReadColumns) -> tuple[ColumnProfile, ...]:
    """The profiles with those of the columns that are read by the query, as it reads them. Raises SourceFault."""
    if found.query is None:
        return found.profiles
    every_row = dataset_of(backend, qualified(backend, parse_dataset_query(found.query)), "the table")
    read = {each.name: each for each in column_profiles(every_row, [each.column for each in found.readings])}
    return tuple(read.get(each.name, each) for each in found.profiles)


def _changes(backend: Backend, table: exp.Table, values: Mapping[str, exp.Expr]) -> dict[str, bool]:
    """Whether values of columns that are not NULL become NULL by these expressions, by column: one statement."""
    if not values:
        return {}
    tree = sql.select("profile/made_null")
    (made_null,) = tree.expressions
    figures = []
    for name, value in values.items():
        figure = sql.with_columns(sql.with_expressions(made_null.copy(), {"dataset.code": value}), {"dataset.qi": name})
        figures.append(sql.named(figure.unalias(), name))
    tree.set("expressions", figures)
    (row,) = backend.executor.rows(Purpose.COVERAGE, sql.with_relations(tree, {"dataset": table}))
    return {name: bool(rows) for name, rows in zip(values, row, strict=True)}


def _also(pattern: str, texts: Sequence[str]) -> str:
    """The pattern, or one of the texts as they are, for RE2 and for Python."""
    return "|".join([f"(?:{pattern})", *map(re.escape, texts)])


def dataset_of(backend: Backend, origin: exp.Expr, name: str) -> Dataset:
    """A table or a query of a source, all of its rows, as a dataset."""
    columns = columns_of(backend, relation(origin, None))
    return Dataset(name, backend, filtered(backend, origin, None, columns, is_calculated=False), columns)
