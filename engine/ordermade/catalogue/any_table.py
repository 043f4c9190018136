"""Any table by a path or by a registered source: opened as it is, nothing registered, no state needed for a path."""

from __future__ import annotations

import contextlib
import glob
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sqlglot import exp

from ordermade.catalogue.sources import file_reading, opened
from ordermade.counting.any_table import TableRoles, measured_table
from ordermade.counting.counts import counted_persons
from ordermade.counting.dataset import Dataset, Evaluation, filtered, relation
from ordermade.counting.table_figures import MeasuredTable
from ordermade.errors import (
    FilterError,
    InputError,
    Refused,
    SourceFault,
    StateMissing,
    UnknownName,
    did_you_mean,
    quoted,
)
from ordermade.files.encodings import named_encoding
from ordermade.files.file_reading import AS_DETECTED, FileReading
from ordermade.privacy.least_k import AFTER_TOO_FEW, DEFAULT_LEAST_K, NO_TERMS, DatasetTerms, too_few
from ordermade.release.files import manifest_of, read_manifest
from ordermade.release.rows import unescaped, unescaped_relation
from ordermade.requests.columns import stored_column
from ordermade.requests.dataset_query import parse_dataset_query
from ordermade.requests.filter_parser import OF_ITS_TYPE, UNREAD, canonical, compiled
from ordermade.requests.filter_tree import columns_of_filter
from ordermade.requests.row_filter import parse_filter
from ordermade.sources.backend import Backend, CatalogTable, Column, columns_of, find_table, row_count
from ordermade.sources.kinds import FILES, TABLE_ENDINGS, TABLE_FILES
from ordermade.sources.limits import Limits
from ordermade.sources.open import expanded, kind_of_source, open_source
from ordermade.state import datasets as stored_datasets
from ordermade.state import sources as stored
from ordermade.state.database import StateFile

if TYPE_CHECKING:
    from ordermade.state.datasets import RegisteredDataset as Registered
    from ordermade.state.sources import Source


@dataclass(frozen=True, slots=True)
class Located:
    """The place of a table: the location of its source, and its name there (None: its source has one table).

    `source` and `datasets` (all of that source) where it is registered; else `source` is None, and there are none.
    """

    location: str
    table: str | None
    reading: FileReading = AS_DETECTED
    source: Source | None = None
    datasets: tuple[Registered, ...] = ()


@dataclass(frozen=True, slots=True)
class AnyTable:
    """A table to be read as it is: `named` by a path (a file, a folder, a glob) or as `source.table`.

    `table`: its name, where the path is that of a database with several. `encoding`: of CSV files. `header`: the
    first line of a CSV file holds names, whatever it looks like, as that of a release with its manifest always does.
    `skipped`: the lines of a file, and rows of a sheet, that are left out.
    """

    named: str
    table: str | None = None
    encoding: str = "auto"
    header: bool = False
    skipped: tuple[int, ...] = ()

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
        self, state: StateFile, limits: Limits, where: str | None = None, *, k: int = 0
    ) -> Iterator[tuple[Dataset, str | None]]:
        """The rows of the table that satisfy `where`, open for reading, and the canonical text of the filter.

        A table of a registered source is subject to the terms of the datasets on it: Refused where fewer rows or
        persons remain than their least k (or than `k`). Raises InputError (UnknownName, FilterError), SourceFault,
        StateFault.
        """
        named_encoding(self.encoding)
        with self._opened(state, limits) as (backend, table, registered):
            terms = NO_TERMS if registered is None else terms_on(table, registered)
            columns = columns_of(backend, relation(table.reference, None))
            condition, text = condition_of(where, {each.name: each.type for each in columns}, terms, self.named)
            rows = filtered(backend, table.reference, condition, columns, is_calculated=table.is_view)
            dataset = Dataset(self.named, backend, rows, columns, least_k=terms.least_k)
            if condition is not None:
                Evaluation(self.named, backend, relation(table.reference, None), columns)()
            if registered is not None and (condition is not None or terms.least_k):
                least = max(k, terms.least_k or DEFAULT_LEAST_K)
                _require_enough(dataset, least, entities_on(table, registered))
            yield dataset, text

    @contextlib.contextmanager
    def released(self, state: StateFile, limits: Limits) -> Iterator[Dataset]:
        """The rows of a release, without the apostrophes that `formulas: escape` wrote, as the manifest beside it says.

        Raises as `dataset`, and ReleaseFault where that manifest is damaged.
        """
        with self.dataset(state, limits) as (dataset, _):
            path = Path(self.named).expanduser()
            if path.is_file() and manifest_of(path).is_file() and read_manifest(path).get("formulas") == "escape":
                texts = {each.name: each.type == "VARCHAR" for each in dataset.columns}
                columns = tuple(Column(unescaped(each.name), each.type) for each in dataset.columns)
                dataset = replace(dataset, relation=unescaped_relation(dataset.relation, texts), columns=columns)
            yield dataset

    def located(self, state: StateFile) -> Located:
        """The place of the table; nothing is opened. Raises InputError, StateFault."""
        named_encoding(self.encoding)
        if "://" in self.named:
            kind_of_source(self.named)
            stored.refuse_password(self.named)
            return Located(self.named, self.table)
        path = self._path()
        found = None if path.exists() else _registered(state, self.named)
        if found is not None:
            source, table, datasets = found
            return Located(source.location, table or self.table, file_reading(source), source, tuple(datasets))
        location = _files_of(path) if path.is_dir() else str(path)
        if not glob.has_magic(location) and not Path(location).exists():
            raise self._nothing_there()
        return Located(location, self.table, self._reading(location))

    def table_in(self, backend: Backend, table: str | None) -> CatalogTable:
        """The table of that name in an open source; where it is None the only one. Raises InputError."""
        return _table_of(backend, self.named, table)

    @contextlib.contextmanager
    def _opened(
        self, state: StateFile, limits: Limits
    ) -> Iterator[tuple[Backend, CatalogTable, Sequence[Registered] | None]]:
        """The source, open for reading, the table in it, and the datasets of the source if it is registered."""
        if "://" in self.named:
            kind = kind_of_source(self.named)
            stored.refuse_password(self.named)
            server = open_source(self.named, kind, writable=False, reading=FileReading(), limits=limits)
            with contextlib.closing(server):
                yield server, _table_of(server, self.named, self.table), None
            return
        path = self._path()
        found = None if path.exists() else _registered(state, self.named)
        if found is not None:
            source, table, datasets = found
            with opened(source, limits) as backend:
                yield backend, _table_of(backend, self.named, table or self.table), datasets
            return
        location = _files_of(path) if path.is_dir() else str(path)
        backend = self._backend(location, limits)
        try:
            yield backend, _table_of(backend, self.named, self.table), None
        finally:
            backend.close()

    def _path(self) -> Path:
        """Where the table is if it is a file or a folder. Raises InputError for an empty path, no folder's name."""
        text = expanded(self.named)
        if not text.strip():
            raise InputError(
                "the path of the table is empty",
                next_step="Give that of a file or a folder; '.' is this one.",
            )
        return Path(text).expanduser()

    def _backend(self, location: str, limits: Limits) -> Backend:
        try:
            kind = kind_of_source(location)
        except InputError as error:
            if Path(location).exists():
                raise
            raise self._nothing_there() from error
        try:
            return open_source(location, kind, writable=False, reading=self._reading(location), limits=limits)
        except SourceFault:
            if glob.has_magic(location) or Path(location).exists():
                raise
            raise self._nothing_there() from None

    def _reading(self, location: str) -> FileReading:
        """How the files there are read. The first line of a file that the engine wrote as a release holds names."""
        header = self.header or manifest_of(Path(location)).is_file()
        return FileReading(named_encoding(self.encoding), header, self.skipped)

    def _nothing_there(self) -> InputError:
        return InputError(
            "there is neither a file or folder nor a registered source of that name",
            where=self.named,
            next_step=f"Give the path of a {FILES} file, of a folder of {TABLE_FILES} files, or SOURCE.TABLE.",
        )


def _registered(state: StateFile, named: str) -> tuple[Source, str | None, Sequence[Registered]] | None:
    """The registered source that `named` begins with, the rest of it, its table, and the datasets of the source.

    None where there is none.
    """
    try:
        with state.reading() as connection:
            sources = {each.name: each for each in stored.listed(connection)}
            datasets = stored_datasets.listed(connection)
    except StateMissing:
        return None
    found: tuple[Source, str | None] | None = None
    if named in sources:
        found = sources[named], None
    else:
        dots = (place for place in range(len(named) - 1, 0, -1) if named[place] == ".")
        at = next((place for place in dots if named[:place] in sources), None)
        found = None if at is None else (sources[named[:at]], named[at + 1 :])
    if found is None:
        return None
    source, table = found
    return source, table, [each for each in datasets if each.source_id == source.id]


def terms_on(table: CatalogTable, datasets: Sequence[Registered]) -> DatasetTerms:
    """The terms of all datasets that read a table: the largest least k, and the columns that each may be filtered by.

    NO_TERMS where there is no such dataset.
    """
    terms = [each.terms for each in datasets if _reads(each, table)]
    if not terms:
        return NO_TERMS
    lists = [each.where_columns for each in terms if each.where_columns is not None]
    shared = [name for name in lists[0] if all(name in each for each in lists)] if lists else None
    never = tuple(dict.fromkeys(column for each in terms for column in each.never_filtered))
    return DatasetTerms(max(each.least_k for each in terms), None if shared is None else tuple(shared), never)


def entities_on(table: CatalogTable, datasets: Sequence[Registered]) -> tuple[str, ...]:
    """The columns of a table by which its datasets identify persons."""
    names = {each.name for each in table.columns}
    found = (each.entity_column for each in datasets if _reads(each, table))
    return tuple(dict.fromkeys(name for name in found if name is not None and name in names))


def _reads(dataset: Registered, table: CatalogTable) -> bool:
    """Whether a dataset is this table, or a query that reads one of its name."""
    names = {table.name.casefold(), f"{table.schema}.{table.name}".casefold()}
    if dataset.table_name is not None:
        return dataset.table_name.casefold() in names

    tables = parse_dataset_query(dataset.query_text or "").find_all(exp.Table)
    return any(each.name.casefold() == table.name.casefold() for each in tables)


def _require_enough(dataset: Dataset, least: int, entities: Sequence[str]) -> None:
    """Raises Refused where fewer rows remain, or fewer persons by any of the columns that identify them."""
    if entities:
        number = min(counted_persons(replace(dataset, entity=each))[0].number for each in entities)
    else:
        number = row_count(dataset.backend, dataset.relation)
    refusal = too_few(least, number, "persons" if entities else "rows")
    if refusal:
        raise Refused(refusal, where=dataset.name, next_step=AFTER_TOO_FEW)


def _files_of(folder: Path) -> str:
    """The glob of the files in a folder and the folders in it: those of one ending. Raises InputError."""
    files = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")]
    known = [(path.name, ending) for path in files for ending in TABLE_ENDINGS if path.name.lower().endswith(ending)]
    endings = {name[-len(ending) :] for name, ending in known}
    if len(endings) == 1:
        return str(Path(glob.escape(str(folder))) / "**" / f"*{endings.pop()}")
    what = (
        f"the folder holds files of several kinds: {', '.join(sorted(endings))}"
        if endings
        else f"the folder holds no {TABLE_FILES} files"
    )
    raise InputError(
        what, where=str(folder), next_step="Give the path of one file, or a glob such as 'data/*.parquet', in quotes."
    )


def _table_of(backend: Backend, named: str, table: str | None) -> CatalogTable:
    every = backend.tables()
    tables = [each for each in every if each.schema == backend.capabilities.schema] or every
    if table is not None:
        try:
            return find_table(backend, table)
        except UnknownName:
            raise UnknownName("table", table, [_spelt(backend, each) for each in every], where=named) from None
    if len(tables) == 1:
        return tables[0].readable()
    if not tables:
        raise InputError("there is no table in it", where=named, next_step="Give a database that has one.")
    listed = did_you_mean("", [_spelt(backend, each) for each in tables])
    raise InputError(
        f"there are {len(tables):,} tables in it", where=named, next_step=f"Say which with --table. {listed}"
    )


def _spelt(backend: Backend, table: CatalogTable) -> str:
    """The name of a table, with its schema where that is not the source's own."""
    return table.name if table.schema == backend.capabilities.schema else f"{table.schema}.{table.name}"


def _roles(
    names: Sequence[str], quasi_identifiers: Sequence[str], sensitive: Sequence[str], entity: str | None
) -> TableRoles:
    """The columns by their stored names. Raises InputError for one that does not exist, or that has two roles."""
    if not quasi_identifiers:
        raise InputError(
            "name at least one column", where="--quasi-identifiers", next_step="For example sex,age,prefecture."
        )
    options = [
        *(("--quasi-identifiers", each) for each in quasi_identifiers),
        *(("--sensitive", each) for each in sensitive),
        *([] if entity is None else [("--entity", entity)]),
    ]
    found: dict[str, str] = {}
    for option, name in options:
        column = column_named(option, name, names)
        if column in found:
            also = "twice" if found[column] == option else f"in {found[column]} too"
            raise InputError(
                f"{quoted(column)} is named {also}", where=option, next_step="A column has one role in a measurement."
            )
        found[column] = option
    return TableRoles(
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


def condition_of(
    where: str | None, types: Mapping[str, str], terms: DatasetTerms, named: str
) -> tuple[exp.Expr | None, str | None]:
    """The row filter of an option, over columns of these SQL types, as a tree and as its canonical text.

    Raises FilterError, also for columns by which the terms of the dataset (or table) of that name allow no filter.
    """
    if where is None:
        return None, None

    try:
        tree = parse_filter(where, tuple(types), named)
        breach = terms.of_filter(columns_of_filter(tree), named)
        if breach is not None:
            raise FilterError(breach.what, next_step=f"{breach.instead.capitalize()}.")
        return compiled(tree, types), canonical(tree)
    except FilterError as error:
        raise FilterError(error.what, where="--where", next_step=error.next_step) from error


def require_filter_read(dataset: Dataset, condition: exp.Expr | str | None) -> None:
    """Raises FilterError where the source cannot read the filter of a dataset, if it has one."""
    if condition is None:
        return

    try:
        columns_of(dataset.backend, dataset.relation)
    except SourceFault:
        raise FilterError(UNREAD, where="--where", next_step=f"{OF_ITS_TYPE.capitalize()}.") from None
