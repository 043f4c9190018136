"""Datasets by name: registered, checked, and opened for a request."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ordermade.catalogue.arguments import typed_methods
from ordermade.catalogue.changed_columns import ChangedColumns, changed_columns, registered_anew
from ordermade.catalogue.open_dataset import (
    OpenDataset,
    column_of,
    opened_dataset,
    origin_of,
    version_query_of,
)
from ordermade.catalogue.opt_outs import OptOuts
from ordermade.catalogue.registered import described
from ordermade.catalogue.sources import columns_read, opened
from ordermade.counting.dataset import FINGERPRINT, closing, file_parts, relation, require_different, require_parting
from ordermade.drafts.reading_options import ReadingLike, reading_of
from ordermade.errors import InputError, SourceChanged, SourceFault, UnknownName
from ordermade.privacy.least_k import DEFAULT_LEAST_K
from ordermade.records.cards import HasSummary
from ordermade.records.listing import Listing
from ordermade.requests.model import LARGEST_K, SMALLEST_K, InlineDataset
from ordermade.sources.backend import Backend, Column, columns_of, find_table, row_count
from ordermade.sources.change_log import WHERE, ChangeLog, change_log_of, version_query
from ordermade.sources.executor import Listener
from ordermade.sources.limits import Limits
from ordermade.state import audit
from ordermade.state import datasets as stored
from ordermade.state import sources as stored_sources
from ordermade.state.database import StateFile

if TYPE_CHECKING:
    from ordermade.state.datasets import RegisteredDataset
    from ordermade.state.sources import Source


@dataclass(frozen=True, slots=True, repr=False)
class DatasetDescription(HasSummary):
    """A dataset, its columns and rows."""

    dataset: RegisteredDataset
    """The dataset."""
    columns: tuple[Column, ...]
    """Its columns."""
    rows: int
    """The number of its rows."""
    changes: ChangedColumns | None = None
    """The columns that are not as they were registered; null: none were, and every column counts."""


@dataclass(frozen=True, slots=True, repr=False)
class RefreshedDataset(HasSummary):
    """A dataset whose columns were registered as they are now."""

    dataset: RegisteredDataset
    """The dataset."""
    columns: tuple[Column, ...]
    """Its registered columns."""
    changes: ChangedColumns
    """The changes that were taken, but for columns that are gone and still named: these stay registered."""


_SHOWN = {
    "name": "name",
    "source": "source_name",
    "table": "table_name",
    "entity": "entity_column",
    "least k": "least_k",
    "added": "added_at",
}


@typed_methods
@dataclass(frozen=True, slots=True)
class Datasets:
    """The registered datasets of a state."""

    state: StateFile
    limits: Limits = field(repr=False)

    def add(
        self,
        name: str,
        source: str,
        *,
        table: str | None = None,
        query: str | None = None,
        entity: str | None = None,
        least_k: int = DEFAULT_LEAST_K,
        where_columns: Sequence[str] | None = None,
        version_query: str | None = None,
        parts: str | None = None,
        file_parts: bool = False,
        whole: bool = False,
        version: str | None = None,
        reading: ReadingLike | None = None,
    ) -> RegisteredDataset:
        """Registers a table or one SELECT of a source for requests, after reading its columns.

        Args:
            name: The name of the dataset.
            source: That of its source.
            table: A table of the source.
            query: One SELECT, in place of a table.
            entity: The column that identifies a person, if a person may have several rows: k then counts persons.
            least_k: No request may have a k below it, and no count below it is shown.
            where_columns: The columns that a request's row filter may use; none where it is empty, None: every column.
            version_query: One SELECT over tables of the source whose one row, without NULL, changes whenever the data
                do, such as `SELECT max(updated_at), count(*) FROM members`. Each request then runs it, and counts the
                rows, in place of hashing every row; a change that it does not show is not seen. It is run once here.
            parts: A column: the rows of each of its values are a part, which is counted once and kept.
            file_parts: Whether each Parquet file of the source is a part.
            whole: Whether a partitioned table of PostgreSQL or MariaDB is counted whole; else each partition is a part.
            version: "fingerprint": the path, size, time of change and footer of each file stand for its rows, in place
                of hashing them.
            reading: The texts of the table that are numbers or dates are read as such, and the dataset is the query
                that does so; with what they do not show themselves, by `missing`, `date_format`, `decimal` (a value, or
                one by column) and `at_bounds` (columns): `{"missing": {"age": ["unknown", -9]}}`. An empty mapping
                reads them so, too.

        Returns:
            The dataset.

        Raises:
            InputError: An argument cannot be, the version query fails, or gives no row, several or a NULL, or the
                dataset cannot be parted so.
            UnknownName: There is no such source, table or column.
            SourceFault: The source cannot be read.

        Example:
            >>> engine.datasets.add("women", "clinic", query="SELECT age, town FROM patients WHERE sex = 'f'").name
            'women'
        """
        if not SMALLEST_K <= least_k <= LARGEST_K:
            raise InputError(
                f"the least k is a whole number of at least {SMALLEST_K}",
                where="--least-k",
                next_step=f"Leave it out for {DEFAULT_LEAST_K}.",
            )
        if (table is None) == (query is None):
            raise InputError(
                "a dataset is one table or one query",
                where="dataset add",
                next_step="Give --table or --query, not both.",
            )
        _require_division(parts, file_parts, version, query, version_query)
        with self.state.reading() as connection:
            found = stored_sources.get(connection, source)
        if reading is not None:
            table, query = self._as_read(found, table, reading)
        with opened(found, self.limits) as backend:
            if file_parts:
                _require_files(backend)
            columns = columns_of(backend, relation(origin_of(backend, table, query, entity), None))
            if table is not None:
                is_divided = whole or file_parts or parts is not None or version_query is not None
                file_parts = file_parts or (
                    not is_divided and bool(backend.partitions(find_table(backend, table).reference))
                )
                table = _stored_table_name(backend, table)
            if version_query is not None:
                _require_version(backend, version_query)
        if entity is not None:
            entity = column_of(entity, columns, "--entity")
        if parts is not None:
            parts = column_of(parts, columns, "--parts")

            require_parting(parts, columns)
        if where_columns is not None:
            where_columns = tuple(dict.fromkeys(column_of(each, columns, "--where-columns") for each in where_columns))
        with self.state.writing() as connection:
            dataset = stored.add(
                connection,
                name,
                source,
                table_name=table,
                query_text=query,
                entity_column=entity,
                least_k=least_k,
                where_columns=where_columns,
                version_query=version_query,
                parts_column=parts,
                file_parts=file_parts,
                fingerprint=version is not None,
                columns={each.name: each.type for each in columns},
            )
            audit.add_audit_entry(connection, "dataset add", name)
        return dataset

    def _as_read(self, source: Source, table: str | None, reading: ReadingLike) -> tuple[str | None, str | None]:
        """The table, or the query that reads its texts as numbers and dates."""
        if table is None:
            raise InputError(
                "a query says itself how texts are read", where="reading", next_step="Give a table, or leave it out."
            )
        read = columns_read(source, self.limits, table, reading_of(reading))
        return (table, None) if read.query is None else (None, read.query)

    def list(self) -> tuple[RegisteredDataset, ...]:
        """Every dataset in use, by name. Raises StateFault."""
        with self.state.reading() as connection:
            return Listing(stored.listed(connection), "datasets", _SHOWN)

    def get(self, name: str) -> RegisteredDataset:
        """The dataset of that name, as it was registered; its source is not opened. Raises UnknownName, StateFault."""
        with self.state.reading() as connection:
            return stored.get(connection, name)

    def show(self, name: str) -> DatasetDescription:
        """The dataset with its registered columns, their types and rows, read now, and what changed of the columns.

        Raises UnknownName, SourceFault, StateFault.
        """
        with self.state.reading() as connection:
            dataset, known = stored.get(connection, name), described(connection, name).columns
        with self.open(name) as found:
            rows = row_count(found.backend, relation(found.origin, None))
        changes = None
        if known is not None:
            with self.state.reading() as connection:
                changes = changed_columns(connection, dataset, known, (*found.columns, *(found.others or ())))
        return DatasetDescription(dataset, found.columns, rows, changes)

    def refresh(self, name: str) -> RefreshedDataset:
        """Registers the columns that the table or query of a dataset has now, as `show` lists the changes.

        Requests may use them from now on, versions are made of them, and requests of users are checked by their types.
        A column that is gone stays registered while the dataset's options, its policy or an open request name it.

        Raises UnknownName, SourceFault, StateFault.

        Example:
            >>> engine.datasets.refresh("persons").changes.new
            ()
        """
        with self.state.reading() as connection:
            found = described(connection, name)
        with opened(found.source, self.limits) as backend, closing(name):
            columns = columns_of(backend, relation(origin_of(backend, found.table, found.query, found.entity), None))
        with self.state.writing() as connection:
            dataset = stored.get(connection, name)
            known = stored.columns_of(connection, dataset.id) or {}
            changes = changed_columns(connection, dataset, known, columns)
            taken = registered_anew(known, columns, changes)
            if changes:
                stored.note_columns(connection, dataset.id, taken)
                audit.add_audit_entry(connection, "dataset refresh", name)
        return RefreshedDataset(dataset, tuple(Column(*each) for each in taken.items()), changes)

    def change_log(self, name: str) -> ChangeLog:
        """The script by which a provider makes a change log in the database of a dataset. It is not run.

        The log is filled by triggers on every table that the dataset reads, and `use_change_log` makes versions of it.

        Raises:
            InputError: The source is neither PostgreSQL nor MariaDB, the dataset is counted by part, or triggers do not
                show every change of a table of it.
            UnknownName: There is no such dataset.
            SourceFault: The source cannot be read.
        """
        with self._changes_of(name) as found:
            return change_log_of(found.backend, name, [(each.schema, each.name) for each in found.read])

    def use_change_log(self, name: str) -> RegisteredDataset:
        """Lets the change log vouch for the versions of a dataset from now on, once its script was run.

        Raises:
            InputError: The version query over the log fails, or gives no version; or as `change_log`.
            UnknownName: There is no such dataset.
            SourceFault: The source cannot be read.
        """
        with self._changes_of(name) as found:
            text = version_query(found.backend, name, [(each.schema, each.name) for each in found.read])
            try:
                _require_version(found.backend, text, WHERE)
            except UnknownName as error:
                raise InputError(
                    "the change log is not there, or the role of the source may not read it",
                    where=WHERE,
                    next_step="Run the script in the database that `ordermade dataset change-log` prints.",
                ) from error
        with self.state.writing() as connection:
            dataset = stored.note_version_query(connection, stored.get(connection, name), text)
            audit.add_audit_entry(connection, "dataset change-log", name)
        return dataset

    @contextlib.contextmanager
    def _changes_of(self, name: str) -> Iterator[OpenDataset]:
        """A dataset that may have a change log, open. Raises InputError where it is counted by part.

        Partitions are parts no more where a log vouches for the whole.
        """
        with self.state.reading() as connection:
            registered = described(connection, name)
        if registered.division is not None and not registered.is_partitioned:
            raise InputError(
                "a change log speaks of the whole, and shows no change of a part",
                where=WHERE,
                next_step="Leave it out: each part has a version of its own.",
            )
        # The log may be gone, and is made anew.
        with opened_dataset(replace(registered, version_query=None), self.limits) as found:
            yield found

    @property
    def opt_outs(self) -> OptOuts:
        """The lists of persons who opted out, by dataset."""
        return OptOuts(self.state, self.limits)

    def remove(self, name: str) -> RegisteredDataset:
        """Takes a dataset out of use. Its history stays. Raises UnknownName, StateFault."""
        with self.state.writing() as connection:
            dataset = stored.remove(connection, name)
            audit.add_audit_entry(connection, "dataset remove", name)
        return dataset

    @contextlib.contextmanager
    def open(self, reference: str | InlineDataset, listener: Listener | None = None) -> Iterator[OpenDataset]:
        """The dataset a request names (or describes), with its source open for reading, closed at the end.

        Raises UnknownName, InputError, SourceFault, StateFault.
        """
        with self.state.reading() as connection:
            found = described(connection, reference)
        with opened_dataset(found, self.limits, listener) as dataset:
            yield dataset


def _require_division(
    parts: str | None, file_parts: bool, version: str | None, query: str | None, version_query: str | None
) -> None:
    """Raises InputError for options of parts that do not go together."""
    if parts is not None and file_parts:
        what, where, step = "a dataset is parted in one way", "--parts", "Give --parts or --file-parts, not both."
    elif file_parts and query is not None:
        step = "Give --table, or part the rows of the query with --parts COLUMN."
        what, where = "files are the parts of a table, not of a query", "--file-parts"
    elif version not in (None, FINGERPRINT):
        what, where, step = "there is no such version", "--version", "Give fingerprint, or leave it out."
    elif version is not None and not file_parts:
        what, where, step = "fingerprints are of files", "--version", "Give --file-parts, too, or leave it out."
    elif version_query is not None and (parts is not None or file_parts):
        what, where = "a version query speaks of the whole, and shows no change of a part", VERSION_OPTION
        step = "Leave it out: each part has a version of its own."
    else:
        return
    raise InputError(what, where=where, next_step=step)


def _require_files(backend: Backend) -> None:
    """Raises InputError where files are no parts: of another source, or one file under two names."""
    require_different(file_parts(backend))


VERSION_OPTION = "--version-query"


def _require_version(backend: Backend, text: str, where: str = VERSION_OPTION) -> None:
    """Raises InputError for a version query that is not allowed, fails, or does not give one row without NULL."""
    try:
        version_query_of(backend, text, where).hash_sum(backend.executor)
    except SourceChanged:
        raise
    except SourceFault as fault:
        raise InputError(fault.what, where=where, next_step=fault.next_step) from None


def _stored_table_name(backend: Backend, name: str) -> str:
    table = find_table(backend, name)
    alike = [each for each in backend.tables() if each.name.casefold() == table.name.casefold()]
    return table.name if len(alike) == 1 else f"{table.schema}.{table.name}"
