"""Whether the table and the columns of a dataset are still in its source, from the catalog alone: no row is read."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from sqlglot import exp

from ordermade.catalogue.registered import DatasetRegistration
from ordermade.catalogue.sources import opened
from ordermade.counting.dataset import filtered, registered, relation
from ordermade.errors import OrdermadeError, UnknownName, quoted
from ordermade.requests.dataset_query import parse_dataset_query
from ordermade.requests.query_columns import made_by, missing_columns
from ordermade.sources.backend import Backend, CatalogTable, columns_of, is_named_in_with, listed_table
from ordermade.sources.files import matching
from ordermade.sources.kinds import kind_of
from ordermade.sources.limits import Limits
from ordermade.sources.open import expanded


@dataclass(frozen=True, slots=True)
class CatalogLook:
    """What the catalog of a source shows of a dataset.

    `gone`: what a request needs and is not there, a sentence each. `unopened`: why the catalog could not be read; empty
    where it was, and where a source has none. `is_unchanged`: a server proves that nothing was written since it counted
    and hashed the rows.
    """

    gone: tuple[str, ...] = ()
    unopened: str = ""
    is_unchanged: bool = False


def catalog_look(
    found: DatasetRegistration, needed: Collection[str], limits: Limits, condition: exp.Expr | None = None
) -> CatalogLook:
    """Looks for the table (the tables of a query) and the `needed` columns of a dataset in the catalog of its source.

    And whether the rows that pass the `condition` are provably those that were counted last.

    Files of text, workbooks and Spark have no catalog that is read at once: of files it is seen that they are there.
    No password is asked for.
    """
    kind = kind_of(found.source.kind)
    try:
        if not kind.has_catalogue:
            if not kind.is_server and not kind.gives_frames:
                matching(expanded(found.source.location))
            return CatalogLook()
        with opened(found.source, replace(limits, ask_password=None)) as backend:
            gone = tuple(_gone(backend, found, needed))
            return CatalogLook(gone, is_unchanged=not gone and _is_unchanged(backend, found, condition))
    except OrdermadeError as error:
        return CatalogLook(unopened=error.what)


def _gone(backend: Backend, found: DatasetRegistration, needed: Collection[str]) -> Iterator[str]:
    """A sentence for each table that is not there; where all are, one for each column."""
    where = f"in the source {quoted(found.source.name)}"
    query = None if found.query is None else parse_dataset_query(found.query)
    names = [found.table or ""] if query is None else _tables_of(query)
    listed = dict(_listed(backend, names))
    missing = [each for each in names if each not in listed]
    if missing:
        yield from (f"there is no table {quoted(each)} {where}" for each in missing)
        return
    stored = {each: {name.casefold() for name in backend.column_names(table)} for each, table in listed.items()}
    every = frozenset[str]().union(*stored.values())
    if query is None:
        yield from _not_there(needed, every, f"in the table {quoted(names[0])} {where}")
        return
    within = f"in the tables of the dataset query, {where}"
    gone = list(_not_there(missing_columns(query, lambda table: stored.get(_named(table), every)), (), within))
    yield from gone or _not_there(needed if query.is_star else (), every | made_by(query), within)


def _is_unchanged(backend: Backend, found: DatasetRegistration, condition: exp.Expr | None) -> bool:
    """Whether the version of a table was found before in what is provably the state of now; False where it is open."""
    if found.table is None or found.opted_out or found.version_query is not None or found.division is not None:
        return False
    table = listed_table(backend, found.table)

    def statement() -> exp.Query:
        every = columns_of(backend, relation(table.reference, None))
        columns, others = found.split(every)
        origin = registered(table.reference, columns) if others else table.reference
        rows = filtered(backend, origin, condition, columns, is_calculated=table.is_view)
        return backend.version_statement(rows, columns)

    return not table.is_view and backend.gave(table.reference, statement)


def _not_there(columns: Iterable[str], known: Collection[str], where: str) -> Iterator[str]:
    missing = {each.casefold(): each for each in columns if each.casefold() not in known}
    yield from (f"there is no column {quoted(each)} {where}" for each in missing.values())


def _tables_of(query: exp.Query) -> list[str]:
    """The names of the tables that a query reads, each once."""
    tables = (each for each in query.find_all(exp.Table) if each.args.get("db") or not is_named_in_with(each))
    return list(dict.fromkeys(map(_named, tables)))


def _named(table: exp.Table) -> str:
    return f"{table.db}.{table.name}" if table.db else table.name


def _listed(backend: Backend, names: Iterable[str]) -> Iterator[tuple[str, CatalogTable]]:
    """The tables of these names that the catalog lists."""
    for name in names:
        with contextlib.suppress(UnknownName):
            yield name, listed_table(backend, name)
