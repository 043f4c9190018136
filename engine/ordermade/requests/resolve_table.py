"""Resolves a request for tables with totals against the dataset's columns and the registered hierarchies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from ordermade.errors import did_you_mean, quoted
from ordermade.hierarchies.column_types import MAX_DIGITS, is_number, measured_as, type_in_words
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.phrases import all_of, phrase
from ordermade.privacy.least_k import NO_TERMS, DatasetTerms
from ordermade.requests.model import SourcePath, SourceTable
from ordermade.requests.problems import FieldPath
from ordermade.requests.read import ReadRequest
from ordermade.requests.resolving import ResolvedRequest, Resolving, levels_of
from ordermade.requests.table import Figure, LinkedTable, TableRequest, Tabulated


@dataclass(frozen=True, slots=True)
class ResolvedDimension:
    """A column of the tables: as stored, its SQL type, and its levels that some table shows, from the finest up."""

    column: str
    column_type: str
    hierarchy: Hierarchy
    levels: tuple[int, ...]

    @property
    def level(self) -> int:
        """The finest level of the tables."""
        return self.levels[0]


@dataclass(frozen=True, slots=True)
class ResolvedTable:
    """One table: its columns as stored, down the side and across; the levels of each, and those with a grand total."""

    name: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    levels: Mapping[str, tuple[int, ...]]
    totals: frozenset[str]

    @property
    def every(self) -> tuple[str, ...]:
        """Its columns in order."""
        return (*self.rows, *self.columns)


@dataclass(frozen=True, slots=True)
class ResolvedAmount:
    """A column that is added up, of a numeric SQL type."""

    column: str
    column_type: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ResolvedTables(ResolvedRequest):
    """A request for tables with totals that fits its dataset.

    `dimensions`: the columns of all tables, each once; `figures` of a cell, with columns as stored; `amounts`: the
    columns that are added up, each once. `publish`, `suppress`: cells by the labels of their columns, as stored.
    """

    request: TableRequest
    dimensions: tuple[ResolvedDimension, ...]
    tables: tuple[ResolvedTable, ...]
    figures: tuple[Figure, ...]
    amounts: tuple[ResolvedAmount, ...] = ()
    publish: tuple[Mapping[str, str], ...] = ()
    suppress: tuple[Mapping[str, str], ...] = ()

    @property
    def as_they_are(self) -> tuple[tuple[str, FieldPath], ...]:
        """The columns that are shown at level 0."""
        return tuple((each.column, ("dimensions", each.column)) for each in self.dimensions if each.level == 0)

    @property
    def with_values(self) -> tuple[str, ...]:
        """The columns whose values are heads of a table."""
        return tuple(column for column, _ in self.as_they_are)


def resolve_table(
    read: ReadRequest[TableRequest],
    columns: Mapping[str, str] | None,
    hierarchies: Mapping[str, Hierarchy],
    entity: str | None = None,
    terms: DatasetTerms = NO_TERMS,
) -> ResolvedTables:
    """The request over `columns` (name as stored: SQL type as DuckDB names it) and registered `hierarchies`.

    `columns`: None where they are not known; then names and types are not checked. `entity`: the column of the dataset
    that identifies a person, as stored.

    Raises:
        RequestError: every mistake found, each with its field and line, in `problems`.
    """
    resolving = _Resolving(read, columns, hierarchies, entity, terms)
    return resolving.sound(resolving.all())


class _Resolving(Resolving[TableRequest]):
    """Resolves one request field by field."""

    __slots__ = ()

    def all(self) -> ResolvedTables:
        """The request as far as it can be resolved; `problems` has every mistake."""
        request = self.read.request
        used = self._used()
        self._unused(used)
        options = self._options(used)
        tables = tuple(self._table(number, each, used, options) for number, each in enumerate(request.linked))
        figures, amounts = self._figures()
        identifiers = self.identifiers()
        self._refuse_fields()
        tree, text = self.filter()
        return ResolvedTables(
            request=request,
            identifiers=identifiers,
            keep=(),
            filter=tree,
            filter_text=text,
            entity=self.entity,
            dimensions=tuple(
                ResolvedDimension(column, self.type_of(column), hierarchy, self._levels(column, hierarchy, tables))
                for column, (hierarchy, _) in options.items()
            ),
            tables=tables,
            figures=figures,
            amounts=amounts,
            publish=self._cells("publish", request.publish, options),
            suppress=self._cells("suppress", request.suppress, options),
        )

    def _used(self) -> dict[str, str]:
        """The stored name of every column of a table, by the name that the request has for it."""
        found: dict[str, str] = {}
        seen: dict[FieldPath, set[str]] = {}
        for name, path in self.read.request.places:
            if name in found:
                stored: str | None = found[name]
            else:
                stored = self.stored(name, path)
                if stored is not None and stored not in found.values():
                    stored = self.column(name, path)
            if stored is None:
                continue
            of_table = seen.setdefault(path[:-2], set())
            if stored in of_table:
                self.note(
                    path,
                    phrase("the column %(stored)s is named twice in a table", stored=quoted(stored)),
                    phrase("name it in one place"),
                )
            of_table.add(stored)
            found[name] = stored
        return found

    def _unused(self, used: Mapping[str, str]) -> None:
        for name in self.read.request.dimensions:
            if name not in used:
                what = phrase("no table has the column %(name)s", name=quoted(name))
                self.note(("dimensions", name), what, did_you_mean(name, list(used)) or phrase("take it out"))

    def _options(self, used: Mapping[str, str]) -> dict[str, tuple[Hierarchy, int]]:
        """Hierarchy and finest level of every column, as stored."""
        request, found = self.read.request, dict[str, tuple[Hierarchy, int]]()
        for name, stored in used.items():
            if stored in found:
                continue
            own = request.dimensions.get(name, Tabulated())
            path: FieldPath = ("dimensions", name)
            hierarchy = self.hierarchy(own.hierarchy or name, (*path, "hierarchy"))
            if hierarchy is None or not self.fits(hierarchy, own.hierarchy or name, stored, (*path, "hierarchy")):
                continue
            level = self.level(own.level, hierarchy, (*path, "level"))
            if level is None:
                continue
            if level == hierarchy.top:
                what = phrase("the level %(name)s has one value alone", name=quoted(hierarchy.levels[level].name))
                self.note((*path, "level"), what, phrase("write a finer level, or take the column out of the table"))
                continue
            found[stored] = (hierarchy, level)
        return found

    def _table(
        self,
        number: int,
        table: LinkedTable,
        used: Mapping[str, str],
        options: Mapping[str, tuple[Hierarchy, int]],
    ) -> ResolvedTable:
        """One table, as far as its columns are known."""
        request = self.read.request
        rows, columns = (
            tuple(used[name] for name in names if used.get(name) in options) for names in (table.rows, table.columns)
        )
        every = (*rows, *columns)
        levels = {column: {options[column][1]} for column in every}
        own = table.totals
        path: FieldPath = ("totals",) if own is None else ("tables", number, "totals")
        wanted = request.totals if own is None else own
        totals = set(every) if wanted is None else set[str]()
        is_part = len(every) < len(table.rows) + len(table.columns)
        for place, name in enumerate(wanted or ()):
            if is_part and not self._is_elsewhere(name, options):
                continue  # it may be of a column whose mistake was noted
            # Totals of the request are of those tables that have the column.
            is_shared = own is None and bool(request.tables)
            self._total(name, (*path, place), every, options, levels, totals, used, shared=is_shared)
        for column in every:
            hierarchy, _ = options[column]
            shown = sorted(levels[column])
            for finer, coarser in pairwise(shown):
                if not hierarchy.order.refines(finer, coarser):
                    what = phrase(
                        "the levels %(name)s and %(name2)s of %(column)s do not nest, so that no subtotal is a sum",
                        name=quoted(hierarchy.levels[finer].name),
                        name2=quoted(hierarchy.levels[coarser].name),
                        column=quoted(column),
                    )
                    self.note(path, what, phrase("take one of the two out"))
        name = table.name or (f"{number + 1}" if request.tables else "")
        of_columns = {column: tuple(sorted(levels[column])) for column in every}
        return ResolvedTable(name, rows, columns, of_columns, frozenset(totals))

    def _total(
        self,
        name: str,
        path: FieldPath,
        every: Sequence[str],
        options: Mapping[str, tuple[Hierarchy, int]],
        levels: dict[str, set[int]],
        totals: set[str],
        used: Mapping[str, str],
        *,
        shared: bool,
    ) -> None:
        """Adds what one of the totals names: a column's grand total, or a level of one."""
        columns = {column.casefold(): column for column in every}
        columns |= {given.casefold(): stored for given, stored in used.items() if stored in every}
        if name.casefold() in columns:
            totals.add(columns[name.casefold()])
            return
        before, dot, after = name.partition(".")
        of_one = dot and before.casefold() in columns
        among = [columns[before.casefold()]] if of_one else every
        wanted = after if of_one else name
        found = [(column, options[column][0].level_number(wanted)) for column in among]
        known = [(column, level) for column, level in found if level is not None]
        if len(known) > 1:
            named = all_of([quoted(column) for column, _ in known])
            step = phrase(
                "write %(known)s.%(wanted)s or %(known2)s.%(wanted)s",
                known=known[0][0],
                wanted=wanted,
                known2=known[1][0],
            )
            self.note(path, phrase("%(named)s have a level %(wanted)s", named=named, wanted=quoted(wanted)), step)
        elif not known:
            if shared and self._is_elsewhere(name, options):
                return
            listed = "; ".join(f"{quoted(column)}: {levels_of(options[column][0])}" for column in among)
            self.note(
                path,
                phrase("%(name)s is no column of the table and no level of one", name=quoted(name)),
                phrase("there are %(listed)s", listed=listed),
            )
        else:
            (column, level) = known[0]
            hierarchy, finest = options[column]
            if level == hierarchy.top:
                totals.add(column)
            elif level <= finest:
                what = phrase(
                    "the level %(wanted)s of %(column)s is no coarser than the finest of the table",
                    wanted=quoted(wanted),
                    column=quoted(column),
                )
                self.note(path, what, phrase("name a coarser level, or take it out"))
            else:
                levels[column].add(level)

    def _is_elsewhere(self, name: str, options: Mapping[str, tuple[Hierarchy, int]]) -> bool:
        """Whether a total is one of another table's columns or levels."""
        before, dot, after = name.partition(".")
        for column, (hierarchy, _) in options.items():
            if name.casefold() == column.casefold() or hierarchy.level_number(name) is not None:
                return True
            if dot and before.casefold() == column.casefold() and hierarchy.level_number(after) is not None:
                return True
        return False

    def _levels(self, column: str, hierarchy: Hierarchy, tables: Sequence[ResolvedTable]) -> tuple[int, ...]:
        """The levels of a column that some table shows."""
        shown = sorted({level for each in tables for level in each.levels.get(column, ())})
        for finer, coarser in pairwise(shown):
            if not hierarchy.order.refines(finer, coarser):
                what = phrase("levels of %(column)s in several tables do not nest", column=quoted(column))
                self.note(("tables",), what, phrase("request the tables one after the other"))
        return tuple(shown)

    def _figures(self) -> tuple[tuple[Figure, ...], tuple[ResolvedAmount, ...]]:
        """The figures with columns as stored, and the columns that are added up."""
        figures: list[Figure] = []
        amounts: dict[str, ResolvedAmount] = {}
        for place, each in enumerate(self.read.request.figures):
            if each.column is None:
                figures.append(each)
                continue
            path: FieldPath = ("cells", place)
            stored = self.stored(each.column, path)
            if stored is not None and stored not in amounts:
                stored = self.column(each.column, path)
            if stored is None:
                continue
            kind = self.type_of(stored)
            if kind and measured_as(kind) is None:
                of = {"column": quoted(stored), "kind": type_in_words(kind), "most": MAX_DIGITS}
                what = phrase("the column %(column)s is a %(kind)s, which is not added up", **of)
                if is_number(kind):
                    what = phrase(
                        "the column %(column)s is a %(kind)s, of more than %(most)s digits, which is not added up", **of
                    )
                self.note(path, what, phrase("name a column of numbers, or cast it in a query"))
                continue
            amounts.setdefault(stored, ResolvedAmount(stored, kind))
            figures.append(Figure(each.kind, stored))
        if len(set(figures)) < len(figures):
            self.note(("cells",), phrase("a figure is named twice"), phrase("name each once"))
        return tuple(figures), tuple(amounts.values())

    def _cells(
        self, key: str, cells: Sequence[Mapping[str, str]], options: Mapping[str, tuple[Hierarchy, int]]
    ) -> tuple[Mapping[str, str], ...]:
        """Cells that are named by labels, by columns as stored."""
        names = {column.casefold(): column for column in options}
        found = []
        for place, each in enumerate(cells):
            stored = {names[name.casefold()]: label for name, label in each.items() if name.casefold() in names}
            for name in each:
                if name.casefold() not in names:
                    step = did_you_mean(name, list(options)) or phrase("name a column of a table")
                    self.note((key, place, name), phrase("no table has the column %(name)s", name=quoted(name)), step)
            found.append(stored)
        return tuple(found)

    def _refuse_fields(self) -> None:
        """Notes fields that have no place in a request for tables."""
        request = self.read.request
        if request.keep:
            self.note(
                ("keep",), phrase("a table has no rows of the dataset, so no column is kept"), phrase("take keep out")
            )
        if request.release.pseudonym is not None or request.release.pseudonyms is not None:
            field = "pseudonym" if request.release.pseudonym is not None else "pseudonyms"
            self.note(
                ("release", field), phrase("no person has a row in a table"), phrase("take %(field)s out", field=field)
            )
        if isinstance(request.release.to, SourceTable | SourcePath):
            what = phrase("tables with totals are written to a file")
            self.note(("release", "to"), what, phrase("write a path such as out/table.csv or out/table.xlsx"))
            return
        if request.is_crossed and str(request.release.to).rstrip().lower().endswith(".parquet"):
            what = phrase("Parquet has one row a cell, and no heads across the top")
            self.note(("layout",), what, phrase("write layout: long, or release to .csv or .xlsx"))
        if request.dominance is not None and not self._adds_up():
            self.note(
                ("dominance",),
                phrase("no column is added up"),
                phrase("take dominance out, or write cells: sum of COLUMN"),
            )
        files = [path for path in (request.release.path, *request.files_beside) if path is not None]
        if len({Path(each) for each in files}) < len(files):
            self.note(
                ("release", "to"),
                phrase("two files of the release have one name"),
                phrase("give each a name of its own"),
            )

    def _adds_up(self) -> bool:
        return any(each.column is not None for each in self.read.request.figures)
