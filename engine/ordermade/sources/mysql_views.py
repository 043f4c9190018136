"""What the views of MariaDB and MySQL are made of, by the server's own texts of them: nothing of a view is run.

So are the columns that MariaDB calculates as they are read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from ordermade import sql
from ordermade.errors import SourceFault, quoted
from ordermade.sources.backend import is_named_in_with
from ordermade.sources.executor import Purpose
from ordermade.sources.mysql_made_texts import MadeTexts, plain_columns
from ordermade.sources.mysql_texts import DIALECT
from ordermade.sources.tree_sums import Exact
from ordermade.sources.unstable import UNREAD, beyond, of_generated, of_the_server, unreadable, unstable
from ordermade.sources.view_trees import is_of_database, names_of, require_stable_tree

if TYPE_CHECKING:
    from ordermade.sources.server import Server

_ENGINES = frozenset(["FEDERATED", "CONNECT", "SPIDER", "S3", "SPHINX", "OQGRAPH"])
"""Engines whose rows are files or tables elsewhere."""
_EXACT = Exact(exp.DataType.INTEGER_TYPES | {exp.DType.DECIMAL}, "DECIMAL", is_decimal=True)
_EXACT_TYPES = frozenset(["tinyint", "smallint", "mediumint", "int", "bigint", "decimal", "bit", "year"])
"""The types of columns that the server adds up exactly."""
_SEQUENCE = "SEQUENCE"
"""A kind of tables."""
_SERVERS_OWN = frozenset(["information_schema", "performance_schema", "mysql", "sys"])
_NUMBERS = re.compile(r"seq_\d+_to_\d+(_step_\d+)?")
"""Tables of numbers, which MariaDB makes as they are named, and lists nowhere."""
_MORE = frozenset(
    re.findall(
        r"\w+",
        """
        str_to_date substring_index field elt conv crc32 ord strcmp makedate from_days weekday addtime subtime timediff
        maketime sec_to_time time_to_sec period_add period_diff microsecond unix_to_time convert_timezone number_to_str
        json_unquote json_value json_valid json_type json_length json_contains json_keys json_quote json_search
        j_s_o_n_object j_s_o_n_array j_s_o_n_table j_s_o_n_value j_s_o_n_array_contains ts_or_ds_to_timestamp
        ts_or_ds_to_time inet_aton inet_ntoa inet6_aton inet6_ntoa regexp_instr regexp_substr convert export_set
        make_set octet_length bit_length interval decode encode
        """,
    )
)
"""The functions of these servers that give the same for the same, as their settings are fixed."""
_OF_THE_MOMENT = frozenset(["unix_timestamp"])
"""Functions that are of the moment where they are given nothing."""


def look_in_mysql(server: Server, schema: str, name: str, exact: str) -> None:
    """Raises SourceFault for a view that is not stable, or a table from elsewhere, by name; so do those under it.

    `exact`: the collation of bytes.
    """
    done: set[tuple[str, str]] = set()
    waiting, read_by = [(schema, name)], dict[tuple[str, str], str]()
    while waiting:
        at = waiting.pop()
        if at in done:
            continue
        done.add(at)
        bound = {"schema": at[0], "table": at[1]}
        with server.kept(UNREAD):
            parts = server.executor.plain(Purpose.CATALOG, sql.script("mysql/view_parts"), bound)
        if not parts and not _NUMBERS.fullmatch(at[1]):
            gone = f"the view {quoted(name)} cannot be read: {quoted(at[1])} is not there any more, or cannot be seen"
            raise _unseen(server, gone, "SHOW VIEW")
        for engine, kind, definition, column, expression in parts:
            if kind == _SEQUENCE and at in read_by:
                raise unstable(read_by[at], f"the sequence {quoted(at[1])}")
            if (engine or "").upper() in _ENGINES and not server.allow_external:
                raise beyond(name, f"the {engine} table {quoted(at[1])}")
            if column is not None:
                _require_column(server, at, column, expression)
            if definition is None:
                continue
            if not definition:
                raise _unseen(server, f"what the view {quoted(at[1])} is made of cannot be read", "SELECT, SHOW VIEW")
            tree, named = _looked_at(server, at, definition)
            _require_own_texts(server, at, tree, named, exact)
            _require_exact(server, at, tree, named)
            read_by |= dict.fromkeys(named, at[1])
            waiting += named


def _unseen(server: Server, what: str, right: str) -> SourceFault:
    return SourceFault(what, where=server.where, next_step=f"Ask for the right to see it: GRANT {right}.")


def _looked_at(server: Server, at: tuple[str, str], definition: str) -> tuple[exp.Query, list[tuple[str, str]]]:
    """The query of a view and the tables that it names. Raises SourceFault for what is not stable.

    `at`: its schema and name.
    """
    view = at[1]
    try:
        tree = sqlglot.parse_one(definition, dialect=DIALECT)
    except SqlglotError:
        raise unreadable(view) from None
    if not isinstance(tree, exp.Query):
        raise unreadable(view)
    require_stable_tree(view, tree, _MORE | _OF_THE_MOMENT, DIALECT)
    for node in tree.find_all(exp.Func):
        if is_of_database(node):
            _require_declared(server, at, node)
        elif set(names_of(node)) & _OF_THE_MOMENT and not node.expressions:
            raise unstable(view, f"{names_of(node)[0]}()")
    named = []
    for table in tree.find_all(exp.Table):
        if table.db.lower() in _SERVERS_OWN:
            raise of_the_server(view)
        if isinstance(table.this, exp.Identifier) and not (not table.db and is_named_in_with(table)):
            named.append((table.db, table.name))
    return tree, named


def _require_own_texts(
    server: Server, at: tuple[str, str], tree: exp.Query, named: Sequence[tuple[str, str]], exact: str
) -> None:
    """Raises SourceFault for a view that shows one text for several which are equal."""
    if tree.find(exp.Group, exp.Distinct, exp.SetOperation, exp.Min, exp.Max) is None:
        return
    columns: list[tuple[str, str]] = []
    for schema, table in named:
        bound = {"schema": schema or at[0], "table": table}
        with server.kept(UNREAD):
            columns += server.executor.plain(Purpose.CATALOG, sql.script("mysql/collated_columns"), bound)
    how = MadeTexts(exact, plain=plain_columns(columns, tree))
    how.passed_on(at[1], tree, [column for column, kind in columns if kind == "text"])


def _require_exact(server: Server, at: tuple[str, str], tree: exp.Query, named: Sequence[tuple[str, str]]) -> None:
    """Raises SourceFault for a view that sums fractions: the server has the types of the columns of views, too."""
    if tree.find(exp.AggFunc) is None:
        return
    kinds = [("seq", "bigint") for _, table in named if _NUMBERS.fullmatch(table)]
    for schema, table in named:
        bound = {"schema": schema or at[0], "table": table}
        with server.kept(UNREAD):
            kinds += server.executor.plain(Purpose.CATALOG, sql.script("mysql/columns"), bound)
    exact = [name for name, kind, *_ in kinds if kind.lower() in _EXACT_TYPES]
    _EXACT.require([(at[1], tree)], exact, [name for name, kind, *_ in kinds if kind.lower() not in _EXACT_TYPES])


def _require_column(server: Server, at: tuple[str, str], column: str, expression: str) -> None:
    """Raises SourceFault for a column that is calculated as it is read, and differs each time."""
    try:
        _looked_at(server, (at[0], column), f"SELECT {expression}")
    except SourceFault as fault:
        raise of_generated(at[1], column, fault) from None


def _require_declared(server: Server, at: tuple[str, str], function: exp.Func) -> None:
    """Raises SourceFault for a function of the database that is not declared deterministic."""
    dot = function.parent
    schema = dot.this.name if isinstance(dot, exp.Dot) else at[0]
    with server.kept(UNREAD):
        bound = {"schema": schema, "table": function.name}
        declared = server.executor.plain(Purpose.CATALOG, sql.script("mysql/routine"), bound)
    if declared != [("YES",)]:
        raise unstable(at[1], f"{function.name}() (not declared deterministic)")
