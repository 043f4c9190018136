"""Statements as a server gets them: tables in its own names, texts by their bytes, uploaded tables bound as lists."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot import exp

from ordermade import sql
from ordermade.errors import SourceFault, quoted
from ordermade.sources.backend import CatalogTable, Column, is_named_in_with
from ordermade.sources.portable import DatabaseFunctions

if TYPE_CHECKING:
    import pyarrow as pa

SOURCE = "source"
"""The catalog of the source's tables, in statements before they are printed and in the workspace's mirror of them."""
HASHES = "ROW_HASH"
"""The function that a dialect replaces by the sum of a hash of every row."""

Convert = Callable[[exp.Expr], exp.Expr]
LookUp = Callable[[exp.Expr], exp.Expr]
"""The value of a column of an uploaded table, as an expression of the table's key."""


@dataclass(frozen=True, slots=True)
class SentStatement:
    """A statement for a server, and how its answer arrives.

    `columns` are those of the answer, as they are typed in the workspace, `schema` the same in Arrow. `stored`: the
    names of the columns that they are made of, for messages.
    """

    text: str
    bound: Mapping[str, object]
    columns: Sequence[Column]
    schema: pa.Schema
    stored: Sequence[str]


@dataclass(frozen=True, slots=True)
class ServerTable:
    """A table of a server: as the catalogue lists it, its names there, and the conversion of each column.

    A conversion gives a column the type and the comparison that the workspace has for it; None where it has them.
    `unusable`: the columns that no statement may use, with the reason. `unmeasured`: those whose type follows from the
    values that they store, which are read where a statement uses them. `spelt`: the types of columns that the workspace
    has as texts, though a value of theirs has several spellings: `UUID`, or `CHAR`, which has no spaces at its end.
    `is_unread`: its name is known, and nothing of its columns yet. `partition`: the partition of the table that it
    is, where the server selects one by its name beside that of the table; empty for all of it.
    """

    listed: CatalogTable
    schema: str
    name: str
    conversions: Mapping[str, Convert | None]
    unusable: Mapping[str, str]
    unmeasured: frozenset[str] = frozenset()
    spelt: Mapping[str, str] = field(default_factory=dict)
    is_unread: bool = False
    partition: str = ""

    @property
    def kind(self) -> str:
        """What it is, as messages have it."""
        return "view" if self.listed.is_view else "table"

    @property
    def types(self) -> dict[str, str]:
        """The types of its columns in the workspace."""
        return {each.name: each.type for each in self.listed.columns}


@dataclass(frozen=True, slots=True)
class Uploaded:
    """A table of the workspace as a statement of the source lists it: the query of its rows, and the values bound.

    `looked_up`: the columns that a statement may calculate from a key which it would else join on, every value of which
    the table has.
    """

    query: exp.Query
    bound: Mapping[str, object]
    looked_up: Mapping[str, LookUp] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PrintedStatement:
    """A statement as text, and the values of its parameters by name; no other `%` of the text is a parameter's."""

    text: str
    bound: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Printer:
    """Prints DuckDB's trees for one server.

    `tables` by schema and name in the trees; `uploaded`: those of the workspace by name; `translate` changes a node
    that the dialect prints otherwise.
    """

    database: str
    dialect: str
    tables: Mapping[tuple[str, str], ServerTable]
    uploaded: Callable[[str], Uploaded | None]
    translate: Callable[[exp.Expr], exp.Expr]

    def text(self, query: exp.Expr, *, pretty: bool = False, is_run: bool = True) -> PrintedStatement:
        """The statement, with a parameter `%(name)s` for each value. Raises SourceFault for what differs there.

        A statement that is not run, but typed alone, may have columns in its answer that no statement may use.
        """
        tree = query.copy().transform(_without_binary, copy=False)
        uploaded = self._uploaded_in(tree)
        self._resolve_names(tree, uploaded)
        self._require_usable(tree, is_run=is_run)
        DatabaseFunctions(self.database, HASHES, self._types_of).require(tree)
        tree = tree.transform(self.translate, copy=False)  # before what is in the server's own dialect comes in
        self._convert_tables(tree)
        bound: dict[str, object] = {}
        if uploaded:
            _look_up_keys(tree, uploaded)
            bound = _list_uploaded(tree, uploaded)
        marker = f"p{secrets.token_hex(8)}_"
        places = {name: f"{marker}{number}_" for number, name in enumerate(bound)}
        for each in list(tree.find_all(exp.Placeholder, exp.Parameter)):
            each.replace(exp.Var(this=places[each.name]))
        text = str(tree.sql(dialect=self.dialect, pretty=pretty, comments=False, identify=True))
        if bound:
            text = text.replace("%", "%%")
            for name, place in places.items():
                text = text.replace(place, f"%({name})s")
        return PrintedStatement(text, bound)

    def _require_usable(self, tree: exp.Expr, *, is_run: bool) -> None:
        """Raises SourceFault where a statement names or answers a column that no statement may use.

        The hash of a row may have it: that is of the server's own text of the row.
        """
        named = {each.name for each in tree.find_all(exp.Column) if not _is_hashed(each)}
        for node in tree.find_all(exp.Table):
            table = self._table(node)
            if table is None or not table.unusable:
                continue
            around = node.find_ancestor(exp.Select)
            whole = is_run and around is not None and _answers_every_column(around)
            for name, reason in table.unusable.items():
                if whole or name in named:
                    raise SourceFault(
                        f"the column {quoted(name)} of {quoted(table.name)} {reason}",
                        next_step="Register a dataset query that leaves the column out, or a view that converts it.",
                    )

    def _types_of(self, table: exp.Table) -> Mapping[str, str] | None:
        found = self._table(table)
        return None if found is None else found.types

    def _table(self, table: exp.Table) -> ServerTable | None:
        return self.tables.get((table.db, table.name)) if table.catalog == SOURCE else None

    def _uploaded_in(self, tree: exp.Expr) -> dict[str, Uploaded]:
        """The tables of the workspace that a statement reads."""
        named = {each.name: each for each in tree.find_all(exp.Table) if not each.db}
        found = {name: self.uploaded(name) for name, each in sorted(named.items()) if not is_named_in_with(each)}
        return {name: each for name, each in found.items() if each is not None}

    def _resolve_names(self, tree: exp.Expr, uploaded: Mapping[str, Uploaded]) -> None:
        """Writes columns and aliases as they are defined: a server minds their case, DuckDB does not."""
        defined = {each.alias for each in tree.find_all(exp.Alias, exp.Subquery, exp.CTE, exp.Table) if each.alias}
        for table in tree.find_all(exp.Table):
            found = self._table(table)
            defined |= {table.name} if found is None else set(found.types)
        for each in uploaded.values():
            defined |= set(each.query.named_selects)
        folded = {each.casefold(): each for each in sorted(defined)}
        for identifier in tree.find_all(exp.Identifier):
            within = identifier.parent
            if isinstance(within, exp.Column | exp.Table) and identifier.name not in defined:
                if isinstance(within, exp.Table) and within.catalog == SOURCE:
                    continue
                if identifier.name.casefold() in folded:
                    identifier.set("this", folded[identifier.name.casefold()])

    def _convert_tables(self, tree: exp.Expr) -> None:
        """Puts a query of the columns that the statement uses, converted, in the place of each table of the source."""
        used = {each.name for each in tree.find_all(exp.Column)}
        for node in list(tree.find_all(exp.Table)):
            table = self._table(node)
            if table is None:
                continue
            around = node.find_ancestor(exp.Select)
            whole = around is None or _answers_every_column(around)
            kept = [
                each
                for each in table.listed.columns
                if each.name in used or (whole and each.name not in table.unusable)
            ]
            alias = exp.TableAlias(this=sql.identifier(node.alias or node.name))
            there = sql.table(table.name, schema=table.schema)
            if table.partition:
                there.set("partition", exp.Partition(expressions=[sql.identifier(table.partition)]))
            if not (whole and table.unusable) and not any(table.conversions[each.name] for each in kept):
                there.set("alias", alias)
                node.replace(there)
                continue
            values = [sql.named(_converted(table, each), each.name) for each in kept]
            node.replace(exp.Subquery(this=exp.Select(expressions=values, from_=exp.From(this=there)), alias=alias))


def _look_up_keys(tree: exp.Expr, uploaded: Mapping[str, Uploaded]) -> None:
    """Calculates the columns of joined tables from their keys, where all that a query uses of one may be."""
    for select in list(tree.find_all(exp.Select)):
        for join in list(select.args.get("joins") or []):
            found, condition = uploaded.get(join.this.name), join.args.get("on")
            if found is None or join.side != "LEFT" or not isinstance(condition, exp.EQ):
                continue
            used = [each for each in _columns_of(select, join.alias_or_name) if each.parent is not condition]
            if found.looked_up.keys() >= {each.name for each in used}:
                for each in used:
                    each.replace(found.looked_up[each.name](condition.this))
                join.pop()


def _columns_of(select: exp.Select, joined: str) -> list[exp.Column]:
    """The columns of a table that a query joins, in the query itself."""
    columns = select.find_all(exp.Column)
    return [each for each in columns if each.table == joined and each.find_ancestor(exp.Select) is select]


def _list_uploaded(tree: exp.Expr, uploaded: Mapping[str, Uploaded]) -> dict[str, object]:
    """Defines tables of the workspace in the WITH of a statement; the values that are bound in it."""
    named = {each.name for each in tree.find_all(exp.Table) if not each.db}
    ctes = [
        exp.CTE(this=each.query.copy(), alias=exp.TableAlias(this=sql.identifier(name)))
        for name, each in uploaded.items()
        if name in named
    ]
    defined = tree.args.get("with_")
    if ctes and isinstance(defined, exp.With):
        defined.set("expressions", [*ctes, *defined.expressions])
    elif ctes:
        tree.set("with_", exp.With(expressions=ctes))
    used = {each.name for each in tree.find_all(exp.Placeholder)}
    return {name: value for each in uploaded.values() for name, value in each.bound.items() if name in used}


def _converted(table: ServerTable, column: Column) -> exp.Expr:
    convert = table.conversions[column.name]
    value = sql.column(column.name)
    return value if convert is None else convert(value)


def _answers_every_column(query: exp.Select) -> bool:
    """Whether all columns that a query selects by `*` go into the answer of the statement."""
    if any(each.args.get("using") for each in query.args.get("joins") or []):
        return True
    if not query.is_star:
        return False
    around = query.parent
    if isinstance(around, exp.Subquery) and isinstance(around.parent, exp.From | exp.Join):
        reader = around.find_ancestor(exp.Select)
        return query.args.get("distinct") is not None or reader is None or _answers_every_column(reader)
    return True


def _is_hashed(column: exp.Column) -> bool:
    return isinstance(column.parent, exp.Anonymous) and column.parent.name.upper() == HASHES


def _without_binary(node: exp.Expr) -> exp.Expr:
    """The text that a statement compares by its bytes: every text of the source is converted so already."""
    return node.this if isinstance(node, exp.Collate) and node.expression.name == "binary" else node
