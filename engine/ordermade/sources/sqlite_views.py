"""What the views of a SQLite file are made of, by their texts: nothing of a view is run."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from ordermade.errors import SourceFault
from ordermade.sources.backend import is_named_in_with
from ordermade.sources.collated import Collated, View, collated_columns
from ordermade.sources.sqlite_moments import (
    MOMENTS,
    Columns,
    columns_read,
    relations_of,
    require_moment,
    selects_around,
)
from ordermade.sources.sqlite_text import DIALECT
from ordermade.sources.tree_sums import Exact
from ordermade.sources.unstable import (
    WRITTEN_LIKE_COLUMNS,
    beyond,
    of_an_order,
    of_no_table,
    of_numbers,
    sqlite_now_in,
    unreadable,
    unstable,
)
from ordermade.sources.view_trees import names_of, require_stable_tree

_OF_ROWS = frozenset(["json_each", "json_tree"])
"""The functions that give a table, and nothing but what they are given."""
_MORE = MOMENTS | frozenset(
    re.findall(
        r"\w+",
        """
        json_each json_tree typeof quote zeroblob likely unlikely likelihood json json_array json_array_length
        json_extract json_insert json_object json_patch json_quote json_remove json_replace json_set json_type
        json_valid j_s_o_n_extract j_s_o_n_extract_scalar j_s_o_n_object j_s_o_n_array parse_json glob like
        sinh cosh tanh asinh acosh atanh subtype
        """,
    )
)
"""The functions of SQLite that give the same for the same; those of moments are looked at more closely."""
_ROW_NUMBERS = frozenset(["rowid", "_rowid_", "oid"])
"""What SQLite numbers rows by, which may be others after it is packed."""
COLLATED = Collated("BINARY", is_passed_on=False)


class _Untyped(Collated):
    """How SQLite compares values of columns without a type: `1` and `1.0` are equal, and differ."""

    __slots__ = ()

    def fault(self, view: str, what: str) -> SourceFault:
        """A view that shows one of these numbers for all."""
        return of_numbers(view, what)

    def deciding(self, value: exp.Expr | None) -> exp.Expr | None:
        """What decides whether a value is such a number; None where it is none."""
        while isinstance(value, exp.Collate):
            value = value.this
        if isinstance(value, exp.Cast | exp.DPipe) or (isinstance(value, exp.Func) and "typeof" in names_of(value)):
            return None
        return Collated.deciding(self, value)


_UNTYPED = _Untyped("BINARY")
_EXACT = Exact(exp.DataType.INTEGER_TYPES, "INTEGER", is_decimal=False)

Declared = Callable[[str], Sequence[tuple[str, str]]]
"""The columns of a table with the types that they were declared with."""


def require_stable_views(
    texts: Mapping[str, str], tables: Mapping[str, str], name: str, declared: Declared
) -> Collection[str]:
    """The columns of a table or view whose texts may be equal and differ.

    Raises SourceFault for a view that gives other rows each time, by name; so do the views that it reads.

    `texts`: those of the views; `tables`: those of the tables.
    """
    by_name = {each.casefold(): each for each in texts}
    stored = {each.casefold(): text for each, text in tables.items()}
    views: dict[str, View[str]] = {}
    read_from = _Tables(stored, declared)
    waiting = [by_name[name.casefold()]] if name.casefold() in by_name else []
    while waiting:
        view = waiting.pop()
        if view.casefold() in views:
            continue
        made = _parsed(view, texts[view])
        tree, reads = made.expression, list[str]()
        views[view.casefold()] = View(view, made, reads)
        found = sqlite_now_in(texts[view])
        if found:
            raise unstable(view, found)
        for table in tree.find_all(exp.Table):
            called = table.name.casefold()
            if isinstance(table.this, exp.Anonymous | exp.Func):
                if names_of(table.this)[0] not in _OF_ROWS:
                    raise beyond(view, f"{names_of(table.this)[0]}()")
            elif table.db.casefold() not in ("", "main"):
                raise beyond(view, f"a table of the database {table.db}")
            elif not (not table.db and is_named_in_with(table)):
                reads.append(called)
                if called in by_name:
                    waiting.append(by_name[called])
                elif called not in stored:
                    raise of_no_table(view, table.name)
        require_stable_tree(view, tree, _MORE, DIALECT)
        for node in tree.find_all(exp.Column, exp.Func):
            if isinstance(node, exp.Column):
                _require_column(view, node, read_from.columns)
            elif isinstance(node, exp.Func) and set(names_of(node)) & MOMENTS:
                require_moment(view, node, read_from.columns)
    read = {each for view in views.values() for each in view.reads if each in stored} | ({name.casefold()} & {*stored})
    untyped = {each: [name for name, kind in declared(each) if kind in ("", "BLOB")] for each in read}
    kinds = [column for each in read for column in declared(each)]
    whole = [name for name, kind in kinds if "INT" in kind or "BOOL" in kind]
    others = [name for name, kind in kinds if not ("INT" in kind or "BOOL" in kind)]
    _EXACT.require([(each.name, each.tree) for each in reversed(views.values())], whole, others)
    _UNTYPED.require_own_texts(name.casefold(), views, untyped)
    columns = {each: collated_columns(stored[each], DIALECT) for each in read}
    return COLLATED.require_own_texts(name.casefold(), views, columns)


@dataclass(slots=True)
class _Tables:
    """The tables of a file, by name in lower case, whose columns are read once each."""

    stored: Collection[str]
    declared: Declared
    _read: dict[str, Collection[str]] = field(default_factory=dict)

    def columns(self, table: str) -> Collection[str] | None:
        """The columns of a table, in lower case; None for what is no table."""
        name = table.casefold()
        if name not in self.stored:
            return None
        if name not in self._read:
            self._read[name] = {column.casefold() for column, _ in self.declared(name)}
        return self._read[name]


def _require_column(view: str, column: exp.Column, columns: Columns) -> None:
    name = column.name.lower()
    if not column.this.args.get("quoted") and not column.table and name in WRITTEN_LIKE_COLUMNS and "current" in name:
        raise unstable(view, f"{name}()")
    if name in _ROW_NUMBERS and _may_number_rows(column, columns):
        raise of_an_order(view, name)


def _may_number_rows(column: exp.Column, columns: Columns) -> bool:
    """Whether a column may be the number of the row of a table, which has no column that is called so."""
    alias = column.table.casefold()
    for select in selects_around(column):
        named = [each for each in relations_of(select) if alias in ("", each.alias_or_name.casefold())]
        tables = [each for each in (columns_read(one, columns) for one in named) if each is not None]
        if tables:
            return not any(column.name.casefold() in each for each in tables)
    return False


def _parsed(view: str, text: str) -> exp.Expr:
    try:
        tree: exp.Expr | None = sqlglot.parse_one(text, dialect=DIALECT)
    except SqlglotError:
        tree = None
    if not isinstance(tree, exp.Create) or not isinstance(tree.expression, exp.Query):
        raise unreadable(view)
    for each in tree.find_all(exp.Anonymous):
        each.set("this", each.name)  # a name in quotes is that of the same function
    return tree
