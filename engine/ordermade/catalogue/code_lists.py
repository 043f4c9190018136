"""Code lists of sources, read as hierarchies, and looked at again where their hierarchies are used."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, cast

from ordermade import sql
from ordermade.catalogue.open_dataset import column_of
from ordermade.catalogue.sources import opened
from ordermade.errors import CodeListError, HierarchyError, OrdermadeError, StateDamaged, quoted
from ordermade.hierarchies.code_lists import (
    MAX_ROWS,
    CodeList,
    changes_between,
    code_list_hierarchy,
    code_list_of,
)
from ordermade.hierarchies.column_types import has_no_text, type_in_words
from ordermade.hierarchies.read import ReadHierarchy
from ordermade.hierarchies.stored import restore
from ordermade.sources.backend import Backend, Column, columns_of, find_table, row_count
from ordermade.sources.executor import Purpose
from ordermade.sources.limits import Limits
from ordermade.state import hierarchies as stored
from ordermade.state import sources as stored_sources

if TYPE_CHECKING:
    from sqlglot import exp

    from ordermade.hierarchies.explicit import ExplicitHierarchy
    from ordermade.state.database import StateFile


def read_code_list(backend: Backend, name: str, code_list: CodeList) -> tuple[CodeList, ReadHierarchy]:
    """The list by the stored names of its columns, and its hierarchy, called `name`, from an open source.

    Raises UnknownName for a table or column that is not there, HierarchyError, SourceFault.
    """
    table = find_table(backend, code_list.table)
    columns = columns_of(backend, table.reference)
    settled = code_list.in_table(
        lambda column: column_of(column, columns, code_list.where), [each.name for each in columns]
    )
    _require_texts(settled, columns)
    rows = row_count(backend, table.reference)
    if rows > MAX_ROWS:
        raise CodeListError(
            f"there are {rows:,} rows in it, and a code list has at most {MAX_ROWS:,}",
            where=settled.where,
            next_step="Name the table of the codes, or a view of the part that is needed.",
        )
    statement = sql.with_relations(rows_statement(settled.columns), {"dataset": table.reference})
    answer = backend.read(Purpose.CODE_LIST, statement, part="listed").read_all()
    texts = (each.to_pylist() for each in answer.columns)
    return settled, ReadHierarchy(*code_list_hierarchy(name, settled, zip(*texts, strict=True)))


def rows_statement(columns: Sequence[str]) -> exp.Select:
    """The statement for the values of these columns, as texts: a query for `Backend.read` with the part `listed`."""
    tree = sql.select("code_lists/rows")
    listed = tree.args["from_"].this.this
    (text,), (value,) = tree.expressions, listed.expressions
    values = [f"value_{number}" for number in range(1, len(columns) + 1)]
    tree.set("expressions", [sql.with_columns(text.copy(), {"listed.value": each}) for each in values])
    named = [
        sql.named(sql.with_columns(value.this.copy(), {"dataset.qi": column}), each)
        for column, each in zip(columns, values, strict=True)
    ]
    listed.set("expressions", named)
    for number, each in enumerate(tree.expressions, start=1):
        each.set("alias", sql.identifier(f"text_{number}"))
    return tree


def _require_texts(code_list: CodeList, columns: Sequence[Column]) -> None:
    """Raises HierarchyError for a column whose values have no text."""
    types = {each.name: each.type for each in columns}
    for column in code_list.columns:
        if has_no_text(types[column]):
            raise HierarchyError(
                f"the values of a code list are compared as text, and a {type_in_words(types[column])} has none",
                where=f"{code_list.where}, column {quoted(column)}",
                next_step="Name another column, or a view that makes a text of it.",
            )


def read_from_source(
    state: StateFile, limits: Limits, name: str, code_list: CodeList
) -> tuple[CodeList, ReadHierarchy]:
    """As `read_code_list`, from a source that is opened for it. Raises UnknownName, HierarchyError, SourceFault."""
    with state.reading() as connection:
        source = stored_sources.get(connection, code_list.source)
    with opened(source, limits) as backend:
        return read_code_list(backend, name, code_list)


def registered_list(name: str, text: str) -> CodeList:
    """The code list that a hierarchy of the state knows. Raises StateDamaged."""
    try:
        return code_list_of(text)
    except (ValueError, TypeError) as fault:
        raise StateDamaged(
            "what is stored of its code list is none",
            where=f"hierarchy {quoted(name)}",
            next_step="Restore the state from a backup, or add the hierarchy again.",
        ) from fault


def changes_said(
    state: StateFile, limits: Limits, names: Collection[str], source: str, backend: Backend
) -> Iterator[str]:
    """A sentence about each hierarchy of these names whose code list is no more as it was taken, or cannot be read.

    `source`, `backend`: one that is open; lists of others are opened. The sentences count, and name no code.
    """
    with state.reading() as connection:
        lists = stored.code_lists(connection, names) if names else {}
        known = {name: stored.load(connection, name) for name in lists}
    for name, text in lists.items():
        before, code_list = restore(name, known[name]), registered_list(name, text)
        try:
            if code_list.source == source:
                _, read = read_code_list(backend, name, code_list)
            else:
                _, read = read_from_source(state, limits, name, code_list)
        except OrdermadeError as fault:
            yield (
                f"The code list of the hierarchy {quoted(name)} cannot be taken again, and the hierarchy stays as it "
                f"is: {fault.message}"
            )
            continue
        changes = changes_between(cast("ExplicitHierarchy", before), cast("ExplicitHierarchy", read.hierarchy))
        if changes.any:
            yield (
                f"The code list of the hierarchy {quoted(name)} changed since it was taken ({changes.words()}): "
                f"`ordermade hierarchy refresh {name}` takes it as it is now."
            )
