"""The rights that the role of a server needs for the datasets of its source, and those that it has beyond."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from ordermade.errors import OrdermadeError
from ordermade.requests.dataset_query import parse_dataset_query
from ordermade.sources.backend import Backend, find_table, parts_of
from ordermade.sources.server_facts import LEAST_VERSIONS, ServerFacts, TableRights, reading_grants
from ordermade.state.datasets import RegisteredDataset

MAX_NAMED = 5
"""So many tables of one right are named."""


@dataclass(frozen=True, slots=True)
class RoleRights:
    """The rights of a role beside those that the datasets of its source need."""

    needed: tuple[str, ...]
    """The statements that grant what the datasets need, and no more."""
    beyond: tuple[str, ...]
    """The rights that no dataset needs, in words."""


def rights_of(
    backend: Backend, facts: ServerFacts, datasets: Sequence[RegisteredDataset], *, writable: bool
) -> RoleRights:
    """What the role needs to read the datasets, and has beyond; a `writable` source may be written into.

    Nothing of Spark, whose catalogue says no rights.
    """
    database = facts.server.partition(" ")[0]
    if database not in LEAST_VERSIONS:
        return RoleRights((), ())
    read = {place for each in datasets for place in _tables_read(backend, each)}
    needed = reading_grants(database, facts.user, read)
    return RoleRights(tuple(needed), tuple(_beyond(facts, read, writable=writable)))


def _beyond(facts: ServerFacts, read: set[tuple[str, str]], *, writable: bool) -> Iterator[str]:
    if facts.powers:
        yield f"{', '.join(facts.powers)} in the whole server"
    if not writable:
        written = [each for each in facts.tables if each.writable]
        if written:
            yield f"writing to {_named(written)}: the source is not writable"
        elif facts.may_write:
            yield "making tables: the source is not writable"
    unread = [each for each in facts.tables if each.readable and (each.schema, each.name) not in read]
    if read and unread:
        yield f"reading {_named(unread)}: no dataset does"


def _named(tables: Sequence[TableRights]) -> str:
    names = [f"{each.schema}.{each.name}" for each in tables[:MAX_NAMED]]
    more = len(tables) - len(names)
    return f"{', '.join(names)}{f' and {more:,} more' if more else ''}"


def _tables_read(backend: Backend, dataset: RegisteredDataset) -> Iterator[tuple[str, str]]:
    """The tables of a dataset and of its version query, by schema and name: also one that the role may not read."""
    names = [] if dataset.table_name is None else [dataset.table_name]
    for query in filter(None, (dataset.query_text, dataset.version_query)):
        with contextlib.suppress(OrdermadeError):  # a query that earlier rules allowed names what it names no more
            names += _named_in(parse_dataset_query(query))
    for name in names:
        try:
            found = find_table(backend, name).reference
            yield found.db, found.name
        except OrdermadeError:  # the role may not read it, or it is gone
            schema, _, table = name.rpartition(".")
            schema, table = parts_of(name) or (schema, table)
            yield schema or backend.capabilities.schema, table


def _named_in(tree: exp.Query) -> Iterable[str]:
    own = {each.alias for each in tree.find_all(exp.CTE)}
    for each in tree.find_all(exp.Table):
        if each.db or each.name not in own:
            yield f"{each.db}.{each.name}" if each.db else each.name
