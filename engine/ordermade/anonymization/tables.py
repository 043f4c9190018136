"""The table of a call to anonymise: found by path, URL or registered source, and registered in the call's state."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.catalogue.any_table import AnyTable, Located, entities_on, terms_on
from ordermade.catalogue.sources import file_reading, opened
from ordermade.errors import InputError, UnverifiedHeader
from ordermade.files.file_reading import AS_DETECTED, FileReading
from ordermade.privacy.least_k import NO_TERMS, DatasetTerms
from ordermade.sources.kinds import kind_of
from ordermade.state.statements import LONGEST_NAME

if TYPE_CHECKING:
    from ordermade.engine import Engine
    from ordermade.sources.backend import Column
    from ordermade.state.database import StateFile
    from ordermade.state.sources import Source

DEFAULT_NAME = "table"


@dataclass(frozen=True, slots=True)
class RegisteredTable:
    """A table of a source that is registered in the state of the call.

    `source` and `table`: their names; `query`: the SELECT that it is, in place of a table. `name`: what its dataset is
    to be called. `columns` as stored. `terms` and `entity`: those that datasets on it set where its source was
    registered before. `location`, `reading`: how the source is registered again. `unnamed`: its columns that have no
    name and are left out, by their places.
    """

    source: str
    table: str
    name: str
    columns: tuple[Column, ...]
    location: str
    kind: str
    reading: FileReading = AS_DETECTED
    unnamed: tuple[str, ...] = ()
    terms: DatasetTerms = NO_TERMS
    entity: str | None = None
    query: str | None = None


def registered(engine: Engine, named: AnyTable, known: StateFile) -> RegisteredTable:
    """The table that a call names, its source registered in the state of `engine`.

    `known`: the state in which SOURCE.TABLE is looked up; its terms stay in force. Raises InputError where there is no
    such table, or two columns of it share a name; SourceFault, StateFault.
    """
    found = named.located(known)
    if found.source is not None and known.path == engine.state_file.path:
        source = found.source
    else:
        taken = {each.name for each in engine.sources.list()}
        same = [each for each in engine.sources.list() if _is_same(each, found.location, named)]
        name = free_name(_base(found.location), taken)
        source = same[0] if same else _added(engine, name, found)
    with opened(source, engine.limits) as backend:
        table = named.table_in(backend, found.table)
        unvouched, unnamed = backend.unvouched, backend.unnamed
    columns = table.columns
    if any(isinstance(each.name, UnverifiedHeader) or each.name in unvouched for each in columns):
        raise InputError(
            "nothing below the first line shows that it holds the names of columns",
            where=named.named,
            next_step="If it does, give --header. If it is data, write the names above it.",
        )
    terms, entities = terms_on(table, found.datasets), entities_on(table, found.datasets)
    own_schema = backend.capabilities.schema == table.schema
    return RegisteredTable(
        source=source.name,
        table=table.name if own_schema else f"{table.schema}.{table.name}",
        name=free_name(table.name, {each.name for each in engine.datasets.list()}),
        columns=tuple(columns),
        location=source.location,
        kind=source.kind,
        reading=file_reading(source),
        unnamed=unnamed,
        terms=terms,
        entity=entities[0] if entities else None,
    )


def _added(engine: Engine, name: str, found: Located) -> Source:
    reading = found.reading
    return engine.sources.add(
        name, found.location, encoding=reading.encoding, header=reading.header, skip_lines=reading.skipped
    )


def free_name(wanted: str, taken: Collection[str]) -> str:
    """A name for a thing of the state, as near to `wanted` as it may be, that nothing else has."""
    printable = "".join(each for each in wanted if each.isprintable()).strip()[: LONGEST_NAME - 10].strip()
    name = printable or DEFAULT_NAME
    number = 2
    while name in taken:
        name = f"{printable or DEFAULT_NAME} {number}"
        number += 1
    return name


def _base(location: str) -> str:
    """The last part of a path or URL, without endings and options."""
    last = location.split("?", maxsplit=1)[0].rstrip("/").rsplit("/", maxsplit=1)[-1]
    return last.split(".", maxsplit=1)[0].replace("*", "")


def _is_same(source: Source, location: str, named: AnyTable) -> bool:
    if not kind_of(source.kind).has_encoding and source.location == location:
        return True
    same_place = "://" not in location and source.location == str(Path(location).expanduser().absolute())
    return same_place and file_reading(source) == FileReading(named.encoding, named.header, named.skipped)
