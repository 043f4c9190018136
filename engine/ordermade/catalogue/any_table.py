"""Any table by a path or by a registered source: opened as it is, nothing registered, no state needed for a path."""

from __future__ import annotations

import contextlib
import glob
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlglot import exp

from ordermade.catalogue.sources import opened
from ordermade.errors import InputError, SourceFault, StateMissing, UnknownName, did_you_mean, quoted
from ordermade.measuring.any_table import Roles, measured_table
from ordermade.measuring.dataset import Dataset, relation
from ordermade.measuring.table_figures import MeasuredTable
from ordermade.requests.columns import stored_column
from ordermade.sources.backend import Backend, SourceTable, find_table
from ordermade.sources.csv_header import ENCODINGS
from ordermade.sources.open import expanded, kind_of, open_source
from ordermade.sources.workspace import Limits
from ordermade.state import sources as stored
from ordermade.state.database import StateFile
from ordermade.state.records import Source

_READABLE = (".parquet", ".pq", ".csv", ".csv.gz", ".tsv", ".txt")
"""The endings of files that a folder of them is one table of."""


@dataclass(frozen=True, slots=True)
class AnyTable:
    """A table to be read as it is: `named` by a path (a file, a folder, a glob) or as `source.table`.

    `table`: which one, where the path is that of a database with several. `encoding`: of CSV files.
    """

    named: str
    table: str | None = None
    encoding: str = "auto"

    def measured(
        self,
        state: StateFile,
        limits: Limits,
        quasi_identifiers: Sequence[str],
        sensitive: Sequence[str] = (),
        *,
        entity: str | None = None,
        where: str | None = None,
    ) -> MeasuredTable:
        """The figures of the table. Raises InputError (UnknownName, FilterError), SourceFault, StateFault."""
        with self.dataset(state, limits, where) as (dataset, text):
            roles = _roles([each.name for each in dataset.columns], quasi_identifiers, sensitive, entity)
            return measured_table(dataset, roles, text)

    @contextlib.contextmanager
    def dataset(
        self, state: StateFile, limits: Limits, where: str | None = None
    ) -> Iterator[tuple[Dataset, str | None]]:
        """The rows of the table of which `where` holds, open for reading, and the filter in its one spelling.

        Raises InputError (UnknownName, FilterError), SourceFault, StateFault.
        """
        if self.encoding not in ENCODINGS:
            raise InputError(
                f"unknown encoding {quoted(self.encoding)}",
                where="--encoding",
                next_step=f"Known: {', '.join(ENCODINGS)}.",
            )
        with self._opened(state, limits) as (backend, table):
            condition, text = condition_of(where, [each.name for each in table.columns])
            exact = table.columns if backend.capabilities.collates else None
            yield Dataset(self.named, backend, relation(table.reference, condition, exact), table.columns), text

    @contextlib.contextmanager
    def _opened(self, state: StateFile, limits: Limits) -> Iterator[tuple[Backend, SourceTable]]:
        """The source, open for reading, and the table in it; closed at the end."""
        if "://" in self.named:
            kind_of(self.named)  # refuses an address, before a path is made of it
        path = Path(expanded(self.named)).expanduser()
        found = None if path.exists() else _registered(state, self.named)
        if found is not None:
            source, table = found
            with opened(source, limits) as backend:
                yield backend, _table_of(backend, self.named, table or self.table)
            return
        location = _files_of(path) if path.is_dir() else str(path)
        backend = self._backend(location, limits)
        try:
            yield backend, _table_of(backend, self.named, self.table)
        finally:
            backend.close()

    def _backend(self, location: str, limits: Limits) -> Backend:
        try:
            kind = kind_of(location)
        except InputError as error:
            if Path(location).exists():
                raise
            raise self._nothing_there() from error
        try:
            return open_source(location, kind, writable=False, encoding=self.encoding, limits=limits)
        except SourceFault:
            if glob.has_magic(location) or Path(location).exists():
                raise
            raise self._nothing_there() from None

    def _nothing_there(self) -> InputError:
        return InputError(
            "there is neither a file or folder nor a registered source of that name",
            where=self.named,
            next_step="Give the path of a CSV, Parquet or DuckDB file or of a folder of such files, or SOURCE.TABLE.",
        )


def _registered(state: StateFile, named: str) -> tuple[Source, str | None] | None:
    """The registered source that `named` begins with, and the rest of it, its table; None where there is none."""
    try:
        with state.reading() as connection:
            sources = {each.name: each for each in stored.listed(connection)}
    except StateMissing:
        return None
    if named in sources:
        return sources[named], None
    dots = (place for place in range(len(named) - 1, 0, -1) if named[place] == ".")
    at = next((place for place in dots if named[:place] in sources), None)
    return None if at is None else (sources[named[:at]], named[at + 1 :])


def _files_of(folder: Path) -> str:
    """The glob of the files in a folder and the folders in it: those of one ending. Raises InputError."""
    files = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")]
    known = [(path.name, ending) for path in files for ending in _READABLE if path.name.lower().endswith(ending)]
    endings = {name[-len(ending) :] for name, ending in known}
    if len(endings) == 1:
        return str(Path(glob.escape(str(folder))) / "**" / f"*{endings.pop()}")
    what = (
        f"the folder holds files of several kinds: {', '.join(sorted(endings))}"
        if endings
        else "the folder holds no Parquet or CSV files"
    )
    raise InputError(
        what, where=str(folder), next_step="Give the path of one file, or a glob such as 'data/*.parquet', in quotes."
    )


def _table_of(backend: Backend, named: str, table: str | None) -> SourceTable:
    tables = backend.tables()
    if table is not None:
        try:
            return find_table(backend, table)
        except UnknownName:
            known = [each.name for each in tables]
            raise UnknownName("table", table, known, where=named) from None
    if len(tables) == 1:
        return tables[0]
    if not tables:
        raise InputError("there is no table in it", where=named, next_step="Give a database that has one.")
    listed = did_you_mean("", [each.name for each in tables])
    raise InputError(
        f"there are {len(tables):,} tables in it", where=named, next_step=f"Say which with --table. {listed}"
    )


def _roles(
    names: Sequence[str], quasi_identifiers: Sequence[str], sensitive: Sequence[str], entity: str | None
) -> Roles:
    """The columns by their stored names. Raises InputError for one that is not there, or that has two roles."""
    if not quasi_identifiers:
        raise InputError(
            "name at least one column", where="--quasi-identifiers", next_step="For example sex,age,prefecture."
        )
    asked = [
        *(("--quasi-identifiers", each) for each in quasi_identifiers),
        *(("--sensitive", each) for each in sensitive),
        *([] if entity is None else [("--entity", entity)]),
    ]
    found: dict[str, str] = {}
    for option, name in asked:
        column = column_named(option, name, names)
        if column in found:
            also = "twice" if found[column] == option else f"in {found[column]} too"
            raise InputError(
                f"{quoted(column)} is named {also}", where=option, next_step="A column has one part in a measurement."
            )
        found[column] = option
    return Roles(
        tuple(column for column, option in found.items() if option == "--quasi-identifiers"),
        tuple(column for column, option in found.items() if option == "--sensitive"),
        next((column for column, option in found.items() if option == "--entity"), None),
    )


def column_named(option: str, name: str, names: Sequence[str]) -> str:
    """The stored name of a column that an option names. Raises UnknownName, InputError."""
    try:
        return stored_column(name, names)
    except UnknownName as error:
        comma = any("," in each for each in names)
        step = "A name that has a comma is written in double quotes: '\"last, first\",age'." if comma else ""
        raise UnknownName("column", name, names, where=option, next_step=step) from error
    except InputError as error:
        raise InputError(error.what, where=option, next_step=error.next_step) from error


def condition_of(where: str | None, names: Sequence[str]) -> tuple[exp.Expr | None, str | None]:
    """The row filter that an option gives, as a tree and in its one spelling. Raises FilterError."""
    if where is None:
        return None, None
    from ordermade.errors import FilterError
    from ordermade.requests.where import canonical, parse_filter

    try:
        tree = parse_filter(where, tuple(names))
    except FilterError as error:
        raise FilterError(error.what, where="--where", next_step=error.next_step) from error
    return tree, canonical(tree)
