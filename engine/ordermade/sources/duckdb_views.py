"""What the views of a DuckDB file are made of, by DuckDB's own parse of their texts: nothing of a view is run.

A view whose rows differ from one reading to the next, or come from beyond the database, is no dataset; no more is a
table with a generated column that does, for DuckDB calculates it each time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from ordermade import sql
from ordermade.errors import SourceFault, quoted
from ordermade.sources.collated import Collated, View, collated_columns
from ordermade.sources.duckdb_sums import OF_ANY_ORDER, UNPLANNED, inexact_sum
from ordermade.sources.executor import Executor, Purpose
from ordermade.sources.unstable import (
    WRITTEN_LIKE_COLUMNS,
    beyond,
    of_an_order,
    of_forms,
    of_fractions,
    of_generated,
    of_no_table,
    unreadable,
    unstable,
)
from ordermade.sources.view_trees import names_of

_NAME = r'(?:"(?:[^"]|"")*"|\w+)'
_HEAD = re.compile(rf"\s*CREATE\s+VIEW\s+{_NAME}(?:\.{_NAME})*\s*(?:\((?:{_NAME}|[,\s])*\))?\s*AS\s+", re.IGNORECASE)
"""The beginning of the text that DuckDB keeps of a view."""
_OF_ROWS = frozenset(["range", "generate_series", "unnest", "repeat", "repeat_row", "json_each", "json_tree"])
"""The functions that give a table, and nothing but what they are given."""
_OF_AN_ORDER = frozenset(
    re.findall(
        r"\w+",
        """
        any_value approx_quantile approx_top_k arbitrary arg_max arg_max_null arg_max_nulls_last arg_min arg_min_null
        arg_min_nulls_last argmax argmin array_agg first group_concat last list listagg lttb max_by min_by mode
        reservoir_quantile string_agg json_group_array json_group_object json_group_structure row_number rank dense_rank
        percent_rank cume_dist ntile lag lead first_value last_value nth_value fill
        """,
    )
)
"""The functions that depend on the order of the rows that they are given."""
_SORTING = frozenset(["list_sort", "array_sort", "list_reverse_sort", "array_reverse_sort"])
"""The functions of a list that make its order its own."""
_NOT_LISTED = frozenset(["unnest"])
"""The functions that DuckDB does not list."""
_OF_NOTHING = frozenset(
    ["count", "count_star", "pi", "list_value", "list_pack", "array_value", "struct_pack", "row", "map", "union_value"]
) | {"json_array", "json_object"}
"""The functions that are constant without an argument: DuckDB calls clocks consistent, too."""
_OF_A_PLAN = frozenset(["json_serialize_plan"])
"""The functions that read what a text of SQL names, which is the catalogue or a file."""
_TABLES = frozenset(
    ["BASE_TABLE", "SUBQUERY", "JOIN", "TABLE_FUNCTION", "EXPRESSION_LIST", "CTE", "EMPTY", "PIVOT", "COLUMN_DATA"]
)
"""What rows may come from. SHOW_REF, which DESCRIBE, SHOW and SUMMARIZE become, is of the catalogue and the session."""
_FRAMES = frozenset([("UNBOUNDED_PRECEDING", "CURRENT_ROW_RANGE")])
"""The frames of windows that have none written."""
_ROW_NUMBER = "rowid"
_BARE = WRITTEN_LIKE_COLUMNS | {"current_database"}
_STABLE = "CONSISTENT"
COLLATED = Collated("C", has_rows=True)
_NO_SPANS = (exp.Extract, exp.TimestampDiff, exp.DateDiff, exp.TimeToStr)
_OF_SPANS = frozenset(["date_part", "datepart", "epoch", "epoch_ms", "epoch_us", "epoch_ns"])
"""What makes numbers and texts of spans of time."""
_MAY_HAVE_SPANS = re.compile(r"\b(interval|age)\b", re.IGNORECASE)


class _Spans(Collated):
    """How DuckDB compares spans of time: 1 month and 30 days are equal, and differ."""

    __slots__ = ()

    def fault(self, view: str, what: str) -> SourceFault:
        """A view that shows one of these spans for all."""
        return of_forms(view, what, "1 month and 30 days", "date_part('epoch', …) or CAST(… AS VARCHAR)")

    def deciding(self, value: exp.Expr | None) -> exp.Expr | None:
        """What decides whether a value is such a span; None where it is none."""
        is_number = isinstance(value, exp.Func) and set(names_of(value)) & _OF_SPANS
        is_other = isinstance(value, exp.Cast) and value.to.this is not exp.DType.INTERVAL
        return None if is_number or is_other or isinstance(value, _NO_SPANS) else Collated.deciding(self, value)

    def is_made(self, value: exp.Expr) -> bool:
        """Whether a value is such a span, whatever it is made of: of texts, or the age of a moment."""
        is_read = isinstance(value, exp.Cast) and value.to.this is exp.DType.INTERVAL
        return is_read or (isinstance(value, exp.Func) and "age" in names_of(value))


_SPANS = _Spans("C", has_rows=True)


@dataclass(slots=True)
class _Parts:
    """What a query is made of, by name: functions in lower case, tables by schema (empty where none is named).

    `of_nothing`: the functions that are called without an argument.
    """

    functions: set[str] = field(default_factory=set)
    of_nothing: set[str] = field(default_factory=set)
    of_tables: set[str] = field(default_factory=set)
    columns: set[str] = field(default_factory=set)
    tables: set[tuple[str, str]] = field(default_factory=set)
    of_orders: set[str] = field(default_factory=set)
    defined: set[str] = field(default_factory=set)
    unlisted: set[str] = field(default_factory=set)
    is_sampled: bool = False
    is_age_of_today: bool = False
    """Whether `age` is called with one moment: DuckDB notes it as stable, as it is of two."""


@dataclass(frozen=True)
class Views:
    """The views and tables of a database by schema and name, with the texts that made them.

    `allow_external`: they may read beyond it; `collated`: the texts that made what compares texts by a collation.
    """

    executor: Executor
    texts: Mapping[tuple[str, str], str]
    tables: Mapping[tuple[str, str], str] = field(default_factory=dict)
    allow_external: bool = False
    collated: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def require_stable(self, schema: str, name: str) -> Collection[str]:
        """The columns of a table or view whose texts may be equal and differ.

        Raises SourceFault for a view that gives other rows each time, or reads beyond the database: by name.

        So do a table with such a generated column, and the views and tables that a view reads.
        """
        done: set[tuple[str, str]] = set()
        reads: dict[tuple[str, str], list[tuple[str, str]]] = {}
        made: dict[tuple[str, str], _Parts] = {}
        waiting = [(schema, name)]
        while waiting:
            at = waiting.pop()
            if at in done:
                continue
            done.add(at)
            if at not in self.texts:
                self._require_columns(*at)
                continue
            parts = self._parts(at[1], self.texts[at])
            self._require(at[1], parts)
            self._require_own(at, parts)
            reads[at], made[at] = [*self._read_by(parts, at[0])], parts
            waiting += reads[at]
        for schema_of, view in reversed(made):  # the inner ones first, which have the better name
            self._require_exact(schema_of, view, made[schema_of, view])
        views = cache(lambda: self._parsed_views(reads))
        spans = self._spans if reads else {}
        if not done.isdisjoint(spans) or any(_MAY_HAVE_SPANS.search(self.texts[each]) for each in reads):
            stored = {at: each for at, each in spans.items() if at not in self.texts}
            _SPANS.require_own_texts((schema, name), views(), stored)
        return () if done.isdisjoint(self.collated) else self._own_texts((schema, name), views())

    @cached_property
    def _functions(self) -> Mapping[str, Sequence[tuple[Any, ...]]]:
        """The forms of every function by its name in lower case: DuckDB describes all of them to name one."""
        found: dict[str, list[tuple[Any, ...]]] = {}
        for row in self.executor.rows(Purpose.CATALOG, sql.as_written("duckdb/functions")):
            found.setdefault(str(row[0]).lower(), []).append(row)
        return found

    def _listed(self, names: Collection[str]) -> list[tuple[Any, ...]]:
        """The forms of the functions of these names, in order."""
        return [row for name in sorted(names) for row in self._functions.get(name, ())]

    @cached_property
    def _spans(self) -> Mapping[tuple[str, str], Collection[str]]:
        """The columns of spans of time, by their tables and views."""
        found: dict[tuple[str, str], set[str]] = {}
        for schema, table, column in self.executor.rows(Purpose.CATALOG, sql.as_written("duckdb/spans")):
            found.setdefault((schema, table), set()).add(column)
        return found

    def _parsed_views(
        self, reads: Mapping[tuple[str, str], Sequence[tuple[str, str]]]
    ) -> Mapping[tuple[str, str], View[tuple[str, str]]]:
        views = {}
        for at, read in reads.items():
            try:
                views[at] = View(at[1], sqlglot.parse_one(self.texts[at], dialect=sql.DIALECT), read)
            except SqlglotError:
                raise unreadable(at[1]) from None
        return views

    def _own_texts(
        self, first: tuple[str, str], views: Mapping[tuple[str, str], View[tuple[str, str]]]
    ) -> Collection[str]:
        """The same. Raises SourceFault for a view, of those read, that shows one text for several which are equal."""
        made = {at: text for at, text in self.collated.items() if at not in self.texts}
        columns = {at: collated_columns(text, sql.DIALECT) for at, text in made.items()}
        return COLLATED.require_own_texts(first, views, columns)

    def _require_exact(self, schema: str, view: str, parts: _Parts) -> None:
        """Raises SourceFault for a view that sums fractions, and for any sums of one that reads a file."""
        found = inexact_sum(self.executor, sql.text(exp.select("*").from_(sql.table(view, schema=schema))))
        if found == UNPLANNED:
            listed = self._listed(parts.functions)
            sums = (name for name, kind, *_ in listed if kind == "aggregate" and not OF_ANY_ORDER.fullmatch(name))
            found = next(sums, "")
        if found:
            raise of_fractions(view, f"{found}()")

    def _require_columns(self, schema: str, table: str) -> None:
        """Raises SourceFault for a generated column that differs each time: DuckDB stores none of them."""
        if "GENERATED" not in self.tables.get((schema, table), "GENERATED").upper():
            return
        bound = {"schema": schema, "table": table}
        for column, expression in self.executor.rows(
            Purpose.CATALOG, sql.as_written("duckdb/generated_columns"), bound
        ):
            parsed = self._parsed(f"SELECT {expression}")
            try:
                if parsed is None:
                    raise unreadable(column)
                parts = _Parts(tables={(schema, table)})
                _gather(parsed, parts)
                self._require(column, parts)
            except SourceFault as fault:
                raise of_generated(table, column, fault) from None

    def _read_by(self, parts: _Parts, own: str) -> Iterator[tuple[str, str]]:
        """The views and tables that a view of the schema `own` may read."""
        wanted = {(schema.casefold(), table.casefold()) for schema, table in parts.tables}
        for schema, name in (*self.texts, *self.tables):
            of = [schema.casefold(), *([""] if schema in (own, "main") else [])]
            if any((each, name.casefold()) in wanted for each in of):
                yield schema, name

    def _require_own(self, at: tuple[str, str], parts: _Parts) -> None:
        """Raises SourceFault for a table that is none of the database's, such as one of DuckDB's own."""
        own = {(schema.casefold(), name.casefold()) for schema, name in (*self.texts, *self.tables)}
        for schema, name in sorted(parts.tables):
            in_schemas = [schema.casefold()] if schema else [at[0].casefold(), "main"]
            is_defined = not schema and name.casefold() in parts.defined
            if not (is_defined or self.allow_external or any((each, name.casefold()) in own for each in in_schemas)):
                raise of_no_table(at[1], name)

    def _parts(self, view: str, text: str) -> _Parts:
        head = _HEAD.match(text)
        parsed: Any = None if head is None else self._parsed(text[head.end() :].rstrip().rstrip(";"))
        if parsed is None:
            raise unreadable(view)
        found = _Parts()
        _gather(parsed, found)
        return found

    def _parsed(self, query: str) -> Any:
        ((text,),) = self.executor.rows(Purpose.CATALOG, sql.as_written("duckdb/view_parsed"), {"query": query})
        parsed = json.loads(text)
        return None if parsed.get("error") else parsed

    def _require(self, view: str, parts: _Parts) -> None:
        if parts.is_sampled:
            raise unstable(view, "a random sample")
        for each in sorted(parts.unlisted):
            raise unstable(view, each)
        for each in sorted(parts.of_tables - _OF_ROWS):
            if not self.allow_external:
                raise beyond(view, f"{each}()")
        for each in sorted(parts.of_orders):
            raise of_an_order(view, each)
        if _ROW_NUMBER in parts.columns and not self._is_column(_ROW_NUMBER, parts):
            raise of_an_order(view, _ROW_NUMBER)
        self._require_calls(view, parts, frozenset())

    def _require_calls(self, view: str, parts: _Parts, inside: frozenset[str]) -> None:
        """Raises SourceFault for a function that may give another value each time. `inside`: the macros around it."""
        bare = {each for each in parts.columns & _BARE if not self._is_column(each, parts)}
        of_today = {"age"} if parts.is_age_of_today else set[str]()
        for each in sorted(bare | parts.functions & (_BARE | _OF_A_PLAN) | of_today):
            raise unstable(view, f"{each}()")
        self._require_functions(view, parts.functions - inside, inside)
        for each in sorted(parts.of_nothing - _OF_NOTHING):
            raise unstable(view, f"{each}()")

    def _is_column(self, name: str, parts: _Parts) -> bool:
        """Whether a name that may be a function's is a column of a table that the view reads."""
        found = self.executor.rows(Purpose.CATALOG, sql.template("duckdb/columns_named"), {"name": name})
        read = {table.casefold() for _, table in parts.tables}
        return any(str(table).casefold() in read for (table,) in found)

    def _require_functions(self, view: str, names: set[str], inside: frozenset[str]) -> None:
        """Raises SourceFault for a function that is not stable, and for a macro, which may be any."""
        if not names:
            return
        found = self._listed(names)
        for name in sorted(names - {str(each[0]).lower() for each in found} - _NOT_LISTED):
            raise unstable(view, f"{name}(), which DuckDB does not list")
        for name, kind, stability, is_own, definition in found:
            if "macro" in kind and not is_own:
                raise SourceFault(
                    f"the view {quoted(view)} uses the macro {name}(), which may be changed without it",
                    next_step="Write what the macro does into the view, or make a table of what it shows.",
                )
            if stability not in (None, _STABLE):
                raise unstable(view, f"{name}()")
            if kind == "macro" and definition and name not in inside:
                parts = _Parts()
                parsed = self._parsed(f"SELECT {definition}")
                if parsed is None:
                    raise unreadable(view)
                _gather(parsed, parts)
                if parts.tables or parts.of_tables - _OF_ROWS:
                    raise unstable(view, f"{name}()")
                for each in sorted(parts.of_orders):
                    raise of_an_order(view, f"{name}(), by {each}")
                self._require_calls(view, parts, inside | {name})


def _gather(node: Any, found: _Parts, *, is_sorted: bool = False) -> None:
    """Notes what a parsed query is made of. `is_sorted`: what it gives is sorted right away."""
    if isinstance(node, list):
        for each in node:
            _gather(each, found, is_sorted=is_sorted)
        return
    if not isinstance(node, dict):
        return
    if node.get("sample") is not None:
        found.is_sampled = True
    kind = node.get("type")
    if "sample" in node and not str(kind).endswith("_NODE") and kind not in _TABLES:
        found.unlisted.add("SHOW, DESCRIBE or SUMMARIZE" if kind == "SHOW_REF" else str(kind))
    if kind == "TABLE_FUNCTION":
        function = node["function"]
        found.of_tables.add(str(function.get("function_name", "")).lower())
        _gather({key: value for key, value in function.items() if key != "class"}, found)
        return
    if node.get("class") == "FUNCTION":
        name, given = str(node.get("function_name", "")).lower(), node.get("arguments") or node.get("children") or ()
        found.functions.add(name)
        found.of_nothing |= set() if given else {name}
        _note_order(node, name, given, found, is_sorted=is_sorted)
        found.is_age_of_today |= name == "age" and len(given) == 1
        is_sorted = name in _SORTING
    elif kind == "BASE_TABLE":
        found.tables.add((str(node.get("schema_name") or ""), str(node.get("table_name"))))
    elif kind == "COLUMN_REF":
        is_sorted = False
        names = [str(each).lower() for each in node.get("column_names", ())]
        found.columns |= set(names) if len(names) == 1 else {_ROW_NUMBER} & set(names[-1:])
    elif node.get("class") == "WINDOW":
        name = str(node.get("function_name", "")).lower()
        found.functions.add(name)
        is_framed = (node.get("start"), node.get("end")) not in _FRAMES
        if name in _OF_AN_ORDER or node.get("orders") or node.get("arg_orders") or is_framed:
            found.of_orders.add(f"{name}() OVER (ORDER BY …)")
    elif kind == "LIMIT_MODIFIER":
        found.of_orders.add("LIMIT" if node.get("limit") is not None else "OFFSET")
    elif kind == "LIMIT_PERCENT_MODIFIER":
        found.of_orders.add("LIMIT")
    elif kind == "DISTINCT_MODIFIER" and node.get("distinct_on_targets"):
        found.of_orders.add("DISTINCT ON")
    elif kind == "JOIN" and node.get("ref_type") in ("POSITIONAL", "ASOF"):
        found.of_orders.add(f"{node['ref_type']} JOIN")
    for each in (node.get("cte_map") or {}).get("map", ()):
        found.defined.add(str(each.get("key")).casefold())
    if node.get("cte_name"):
        found.defined.add(str(node["cte_name"]).casefold())
    for key, each in node.items():
        _gather(each, found, is_sorted=is_sorted and key in ("arguments", "children", "expression"))


def _note_order(node: dict[str, Any], name: str, given: Any, found: _Parts, *, is_sorted: bool) -> None:
    """Notes a function of rows in whichever order they come, unless it sorts them by all that it is given."""
    if name not in _OF_AN_ORDER or is_sorted:
        return
    orders = [_plain(each["expression"]) for each in (node.get("order_bys") or {}).get("orders", ())]
    wanted = [_plain(each.get("expression", each)) for each in given if isinstance(each, dict)]
    if not orders or any(each not in orders for each in wanted if each.get("class") != "CONSTANT"):
        found.of_orders.add(f"{name}()")


def _plain(node: Any) -> Any:
    """A parsed expression without the places that it stands at."""
    if isinstance(node, list):
        return [_plain(each) for each in node]
    if isinstance(node, dict):
        return {key: _plain(each) for key, each in node.items() if not key.startswith("query_location")}
    return node
