"""Datasets by name: registered, checked, and opened for a request."""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from ordermade import sql
from ordermade.arguments import typed_methods
from ordermade.catalogue.registered import Described, described
from ordermade.catalogue.sources import opened
from ordermade.display.cards import Carded
from ordermade.display.listing import Listing
from ordermade.errors import FilterError, InputError, SourceChanged, SourceFault, UnknownName, quoted
from ordermade.hierarchies.column_types import without_labels
from ordermade.least_k import DEFAULT_LEAST_K, NO_TERMS, Terms
from ordermade.measuring.dataset import FINGERPRINT, Evaluation, VersionQuery, closing, failing, filtered, relation
from ordermade.measuring.dataset import Dataset as OpenRelation
from ordermade.requests.model import LARGEST_K, SMALLEST_K, InlineDataset
from ordermade.requests.resolving import stored_column
from ordermade.sources.backend import Backend, Column, columns_of, find_table, qualified, row_count
from ordermade.sources.executor import Listener
from ordermade.sources.workspace import Limits
from ordermade.state import datasets as stored
from ordermade.state import sources as stored_sources
from ordermade.state import statements
from ordermade.state.database import StateFile

if TYPE_CHECKING:
    from ordermade.catalogue.opt_outs import OptOuts
    from ordermade.requests.query_tables import Known
    from ordermade.state.datasets import Dataset, Division
    from ordermade.state.sources import Source


def require_own_rows(backend: Backend, query: exp.Query, entity: str | None) -> None:
    """Raises FilterError where a row may be repeated and no `entity` column identifies persons, or it is computed.

    Joins are counted each time, for the data may have changed: each has to find one row at most.
    """
    from ordermade.requests.query_rows import rows_proved, still_repeated

    for lookup in rows_proved(query, _known(backend, query), entity):
        if row_count(backend, lookup.joined) > row_count(backend, lookup.before):
            raise still_repeated(lookup)


def _known(backend: Backend, query: exp.Query) -> Known:
    """The tables that a query reads."""
    from ordermade.requests.query_tables import Known, KnownTable

    read = {(each.db, each.name) for each in query.find_all(exp.Table)}
    tables = tuple(
        KnownTable(
            each.reference.catalog,
            each.reference.db,
            each.reference.name,
            {column.name: column.type for column in each.columns},
            each.is_view,
        )
        for each in backend.tables()
        if (each.reference.db, each.reference.name) in read
    )
    return Known(tables, backend.capabilities.collates)


@dataclass(frozen=True, slots=True, repr=False)
class DatasetDescription(Carded):
    """A registered dataset, its columns, and its rows, counted."""

    dataset: Dataset
    columns: tuple[Column, ...]
    rows: int


@dataclass(frozen=True, slots=True)
class OpenDataset:
    """A dataset whose source is open.

    `identity` does not depend on its name: source, table or query, and the column that identifies the person of each
    row (`entity`, as stored; None where every row is another person's). `terms`: the limits on requests. `vouched`: the
    query that gives its version, None where every row is hashed. `division`: how it is parted, None where it is not.
    `released`: the filters of its releases so far (None: every row), where its policy compares requests with them.
    `opted_out`: a hash of the list of persons who opted out, whose rows `origin` leaves out; empty where there is none.
    `everybody`: the table or query with their rows. `is_calculated`: it is a query, or a view. `evaluated`: the answers
    of the query for versions by which its columns were evaluated before.
    """

    name: str
    dataset_id: int | None
    source: Source
    backend: Backend
    origin: exp.Expr
    columns: tuple[Column, ...]
    entity: str | None = None
    terms: Terms = NO_TERMS
    vouched: VersionQuery | None = None
    division: Division | None = None
    released: tuple[str | None, ...] = ()
    opted_out: str = ""
    everybody: exp.Expr | None = None
    is_calculated: bool = True
    evaluated: frozenset[int] = frozenset()

    def filtered(
        self, condition: exp.Expr | None, identity: str = "", known: Mapping[str, int] | None = None
    ) -> OpenRelation:
        """The dataset with a row filter: a dataset of its own.

        `identity`: its hash, and `known` the rows of the parts that are known of it, where it is in parts.
        """
        rows = filtered(self.backend, self.origin, condition, self.columns, is_calculated=self.is_calculated)
        least_k = self.terms.least_k
        whole = OpenRelation(self.name, self.backend, rows, self.columns, self.entity, least_k, self.vouched)
        by_file = self.division is not None and self.division.fingerprint  # evaluated file by file
        if (condition is not None or self.vouched is not None) and not by_file:
            whole = replace(whole, evaluation=self.evaluation())
        if self.terms.policy is not None:
            from ordermade.catalogue.guarded_filters import guard_of

            whole = replace(whole, guard=guard_of(self, self.terms.policy.filters, condition))
        if self.division is None:
            return whole
        from ordermade.measuring.parts import Parts

        return replace(whole, parts=Parts(whole, self.division, condition, identity, known or {}))

    def evaluation(self) -> Evaluation:
        """The pass over every column without a row filter: the rows of persons who opted out can fail, too."""
        every = relation(self.origin if self.everybody is None else self.everybody, None)
        return Evaluation(self.name, self.backend, every, self.columns, self.evaluated)

    def identity(self, filter_text: str | None) -> str:
        """A hash of source, table or query, row filter and entity: the identity of a dataset across its versions."""
        parts = [self.source.kind, self.source.location, sql.text(self.origin), filter_text or ""]
        if self.entity is not None:
            parts.append(self.entity)
        if self.opted_out:
            parts.append(self.opted_out)
        return hashlib.sha256("\n".join(f"{len(part)}:{part}" for part in parts).encode()).hexdigest()


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
        version: str | None = None,
    ) -> Dataset:
        """Registers a table or one SELECT of a source for requests, after reading its columns.

        `entity` names the column that identifies a person, if a person may have several rows: k then counts persons.
        No request may have a k below `least_k`, and no count below it is shown. `where_columns`: the columns that a
        request's row filter may use; none where it is empty, every column where it is None.

        `version_query`: one SELECT over tables of the source whose one row, without NULL, changes whenever the data
        do, such as `SELECT max(updated_at), count(*) FROM members`. Each request then runs it, and counts the rows, in
        place of hashing every row; a change that it does not show is not seen. It is run once here.

        `parts` names a column: the rows of each of its values are a part, which is counted once and kept; or with
        `file_parts` each Parquet file of the source is one. With `version="fingerprint"` the path, size, time of change
        and footer of each file stand for its rows, in place of hashing them.

        Raises InputError, also where the version query fails, or gives no row, several or a NULL, and where the dataset
        cannot be parted so; UnknownName, SourceFault.
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
        with opened(found, self.limits) as backend:
            if file_parts:
                _require_files(backend)
            columns = columns_of(backend, relation(_origin(backend, table, query, entity), None))
            if table is not None:
                table = _stored_table_name(backend, table)
            if version_query is not None:
                _require_version(backend, version_query)
        if entity is not None:
            entity = _column(entity, columns, "--entity")
        if parts is not None:
            parts = _column(parts, columns, "--parts")
            from ordermade.measuring.parts import require_parting

            require_parting(parts, columns)
        if where_columns is not None:
            where_columns = tuple(dict.fromkeys(_column(each, columns, "--where-columns") for each in where_columns))
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
            )
            statements.add_audit_entry(connection, "dataset add", name)
        return dataset

    def list(self) -> tuple[Dataset, ...]:
        """Every dataset in use, by name. Raises StateFault."""
        with self.state.reading() as connection:
            return Listing(stored.listed(connection), "datasets", _SHOWN)

    def get(self, name: str) -> Dataset:
        """The dataset of that name, as it was registered; its source is not opened. Raises UnknownName, StateFault."""
        with self.state.reading() as connection:
            return stored.get(connection, name)

    def show(self, name: str) -> DatasetDescription:
        """The dataset with its columns, types and rows, read now. Raises UnknownName, SourceFault, StateFault."""
        with self.state.reading() as connection:
            dataset = stored.get(connection, name)
        with self.open(name) as found:
            rows = row_count(found.backend, relation(found.origin, None))
            return DatasetDescription(dataset, found.columns, rows)

    @property
    def opt_outs(self) -> OptOuts:
        """The lists of persons who opted out, by dataset."""
        from ordermade.catalogue.opt_outs import OptOuts

        return OptOuts(self.state, self.limits)

    def remove(self, name: str) -> Dataset:
        """Takes a dataset out of use. Its history stays. Raises UnknownName, StateFault."""
        with self.state.writing() as connection:
            dataset = stored.remove(connection, name)
            statements.add_audit_entry(connection, "dataset remove", name)
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


@contextlib.contextmanager
def opened_dataset(found: Described, limits: Limits, listener: Listener | None = None) -> Iterator[OpenDataset]:
    """The dataset with its source open for reading, closed at the end. Raises SourceFault, UnknownName."""
    with contextlib.ExitStack() as held:
        with closing(found.name):  # some sources type the columns of a view by what it gives
            backend = held.enter_context(opened(found.source, limits, listener))
            origin = _described_origin(backend, found)
            columns = columns_of(backend, relation(origin, None))
        where = f"dataset {quoted(found.name)}: entity"
        entity = None if found.entity is None else _column(found.entity, columns, where)
        vouched = _described_version(backend, found)
        division = found.division
        if division is not None and division.column is not None:
            where = f"dataset {quoted(found.name)}: parts"
            division = replace(division, column=_column(division.column, columns, where))
        terms, source = found.terms, found.source
        name, number, released, opted_out, everybody = found.name, found.dataset_id, found.released, "", origin
        if found.opted_out:
            from ordermade.catalogue.opt_outs import list_hash, without_persons

            origin = without_persons(backend, origin, columns, entity, found)
            opted_out = list_hash(found.opted_out)
        yield OpenDataset(
            name,
            number,
            source,
            backend,
            origin,
            columns,
            entity,
            terms,
            vouched,
            division,
            released,
            opted_out,
            everybody,
            found.table is None or find_table(backend, found.table).is_view,
        )


def _column(name: str, columns: Iterable[Column], where: str) -> str:
    """The stored name of a column that an option names. Raises UnknownName, InputError."""
    names = [each.name for each in columns]
    try:
        return stored_column(name, names)
    except UnknownName:
        raise UnknownName("column", name, names, where=where) from None
    except InputError as error:
        raise InputError(error.what, where=where, next_step=error.next_step) from None


def _described_origin(backend: Backend, found: Described) -> exp.Expr:
    """The table or query of a dataset. Raises FilterError, with the dataset's name, for a query that is not allowed."""
    try:
        return _origin(backend, found.table, found.query, found.entity)
    except FilterError as error:
        again = "" if found.dataset_id is None else " `ordermade dataset remove` takes the dataset out of use."
        where = f"dataset {quoted(found.name)}"
        raise FilterError(error.what, where=where, next_step=f"{error.next_step}{again}") from None


def _origin(backend: Backend, table: str | None, query: str | None, entity: str | None) -> exp.Expr:
    if table is not None:
        return find_table(backend, table).reference
    from ordermade.requests.dataset_query import parse_dataset_query  # no dataset of a table needs it

    tree = qualified(backend, parse_dataset_query(query or ""))
    require_own_rows(backend, tree, entity)
    return tree


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
        what, where = "a version query speaks of the whole, and shows no change of a part", _VERSION_OPTION
        step = "Leave it out: each part has a version of its own."
    else:
        return
    raise InputError(what, where=where, next_step=step)


def _require_files(backend: Backend) -> None:
    """Raises InputError where files are no parts: of another source, or one file under two names."""
    from ordermade.measuring.parts import file_parts, require_different

    require_different(file_parts(backend))


_VERSION_OPTION = "--version-query"


def _require_version(backend: Backend, text: str) -> None:
    """Raises InputError for a version query that is not allowed, fails, or does not give one row without NULL."""
    try:
        _version_query(backend, text, _VERSION_OPTION).hash_sum(backend.executor)
    except SourceChanged:
        raise
    except SourceFault as fault:
        raise InputError(fault.what, where=_VERSION_OPTION, next_step=fault.next_step) from None


def _described_version(backend: Backend, found: Described) -> VersionQuery | None:
    """The query that vouches for the versions of a dataset. Raises SourceFault where it cannot be run any more."""
    if found.version_query is None:
        return None
    where = f"dataset {quoted(found.name)}: version query"
    try:
        return _version_query(backend, found.version_query, where)
    except InputError as error:
        again = f"{error.next_step} `ordermade dataset remove` takes the dataset out of use.".strip()
        raise SourceFault(error.what, where=where, next_step=again) from None


def _version_query(backend: Backend, text: str, where: str) -> VersionQuery:
    """A provider's query for versions, in the names of the source; nothing is read. Raises InputError, SourceFault.

    `where` is how messages call it.
    """
    from ordermade.requests.dataset_query import parse_dataset_query  # no other request needs them
    from ordermade.sources.portable import KINDS

    try:
        tree = parse_dataset_query(text, called="version query")
    except FilterError as error:
        raise FilterError(error.what, where=where, next_step=error.next_step) from None
    if tree.find(exp.Table) is None:
        raise InputError(
            "the version query reads no table of the source, so it would show no change",
            where=where,
            next_step="Select from the tables that the dataset is made of.",
        )
    tree = qualified(backend, tree)
    try:
        columns = columns_of(backend, tree)
    except SourceChanged:
        raise
    except SourceFault as fault:
        raise failing(fault, where) from None
    for each in columns:
        if re.sub(r"\(.*\)$", "", each.type) not in KINDS:
            raise InputError(
                f"the version query gives a {without_labels(each.type)}, of which not every change would show",
                where=where,
                next_step="Give numbers, texts, days, times or truth values; CAST makes a text of most others.",
            )
    return VersionQuery(text, tree, columns, where)


def _stored_table_name(backend: Backend, name: str) -> str:
    table = find_table(backend, name)
    alike = [each for each in backend.tables() if each.name.casefold() == table.name.casefold()]
    return table.name if len(alike) == 1 else f"{table.schema}.{table.name}"
