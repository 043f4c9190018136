"""What the views of a SQLite file are made of, by their texts: nothing of a view is run."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from ordermade.sources.backend import is_named_in_with
from ordermade.sources.collated import Collated, View, collated_columns
from ordermade.sources.sqlite_text import DIALECT
from ordermade.sources.unstable import WRITTEN_LIKE_COLUMNS, beyond, of_no_table, sqlite_now_in, unreadable, unstable
from ordermade.sources.view_trees import names_of, require_stable_tree

_OF_ROWS = frozenset(["json_each", "json_tree"])
"""The functions that give a table, and nothing but what they are given."""
_MOMENTS = frozenset(
    re.findall(
        r"\w+",
        """
        date datetime time julianday unixepoch strftime timediff time_to_str ts_or_ds_to_date ts_or_ds_to_time
        ts_or_ds_to_timestamp timestamp
        """,
    )
)
"""The functions of days and moments, by the names that a parsed text has for them, too."""
_MORE = _MOMENTS | frozenset(
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
_CUTTING = frozenset(
    re.findall(
        r"\w+",
        """
        substring substr trim ltrim rtrim coalesce ifnull nullif iif if case cast replace concat printf format
        round abs length instr str_position max min
        """,
    )
)
"""The functions that a moment may be made by: none makes letters of numbers."""
_MODIFIER = re.compile(
    r"[+-]?[\d.:]+\s+(day|hour|minute|second|month|year)s?|start of (month|year|day)|weekday \d|unixepoch|julianday"
    r"|auto|ceiling|floor|subsec(ond)?|[\d:. tz+-]*",
    re.IGNORECASE,
)
COLLATED = Collated("BINARY", is_passed_on=False)
_NUMBER, _LETTER = re.compile(r"%0?\d*d"), re.compile(r"[^\W\d_]")


def require_stable_views(texts: Mapping[str, str], tables: Mapping[str, str], name: str) -> Collection[str]:
    """The columns of a table or view whose texts may be equal and differ.

    Raises SourceFault for a view that gives other rows each time, by name; so do the views that it reads.

    `texts`: those of the views; `tables`: those of the tables.
    """
    by_name = {each.casefold(): each for each in texts}
    stored = {each.casefold(): text for each, text in tables.items()}
    views: dict[str, View[str]] = {}
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
                _require_column(view, node)
            elif isinstance(node, exp.Func) and set(names_of(node)) & _MOMENTS:
                _require_moment(view, node, stored)
    read = {each for view in views.values() for each in view.reads if each in stored} | ({name.casefold()} & {*stored})
    columns = {each: collated_columns(stored[each], DIALECT) for each in read}
    return COLLATED.require_own_texts(name.casefold(), views, columns)


def _require_column(view: str, column: exp.Column) -> None:
    name = column.name.lower()
    if not column.this.args.get("quoted") and not column.table and name in WRITTEN_LIKE_COLUMNS and "current" in name:
        raise unstable(view, f"{name}()")


def _require_moment(view: str, function: exp.Func, stored: Collection[str]) -> None:
    """Raises SourceFault for a moment that may be that of the reading, or of the machine's time zone.

    It is made of columns of tables, of what is cut out of them, and of signs that are no letters.
    """
    what = f"{names_of(function)[0]}() of a calculated text, which may be 'now' or 'localtime'"
    format_of = function.args.get("format")
    spelt = {"strftime", "printf", "format"} & set(names_of(function))
    is_first = bool(spelt)
    for node in function.walk():
        if node is function or (format_of is not None and (node is format_of or format_of in list(_around(node)))):
            continue
        if isinstance(node, exp.Literal) and node.is_string:
            is_format = is_first and node.parent is function and function.expressions[:1] == [node]
            plain = _NUMBER.sub("", node.name)
            if not is_format and _LETTER.search(plain) and not _MODIFIER.fullmatch(plain.strip()):
                raise unstable(view, what)
        elif isinstance(node, exp.Column):
            is_whole = node.parent is function or (isinstance(node.parent, exp.Func) and node.parent.parent is function)
            if (node.this.args.get("quoted") and not is_whole) or not _is_stored(node, stored):
                raise unstable(view, what)
        elif isinstance(node, exp.Query) or (
            isinstance(node, exp.Func) and not set(names_of(node)) & (_CUTTING | _MOMENTS)
        ):
            raise unstable(view, what)


def _around(node: exp.Expr) -> list[exp.Expr]:
    found = []
    while node.parent is not None:
        node = node.parent
        found.append(node)
    return found


def _is_stored(column: exp.Column, stored: Collection[str]) -> bool:
    """Whether every query around a column reads tables alone, so that it is one of theirs."""
    for select in (each for each in _around(column) if isinstance(each, exp.Select)):
        read = [select.args.get("from_"), *(select.args.get("joins") or [])]
        for each in read:
            table = None if each is None else each.this
            if table is None:
                continue
            if (
                not isinstance(table, exp.Table)
                or not isinstance(table.this, exp.Identifier)
                or is_named_in_with(table)
            ):
                return False
            if table.name.casefold() not in stored:
                return False
    return True


def _parsed(view: str, text: str) -> exp.Expr:
    try:
        tree: exp.Expr | None = sqlglot.parse_one(text, dialect=DIALECT)
    except SqlglotError:
        tree = None
    if not isinstance(tree, exp.Create) or not isinstance(tree.expression, exp.Query):
        raise unreadable(view)
    return tree
