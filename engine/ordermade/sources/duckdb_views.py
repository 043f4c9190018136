"""What the views of a DuckDB file are made of, by DuckDB's own parse of their texts: nothing of a view is run.

A view whose rows differ from one reading to the next, or come from beyond the database, is no dataset.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ordermade import sql
from ordermade.errors import SourceFault, quoted
from ordermade.sources.executor import Executor, Purpose
from ordermade.sources.unstable import WRITTEN_LIKE_COLUMNS, beyond, unstable

_NAME = r'(?:"(?:[^"]|"")*"|\w+)'
_HEAD = re.compile(rf"\s*CREATE\s+VIEW\s+{_NAME}(?:\.{_NAME})*\s*(?:\((?:{_NAME}|[,\s])*\))?\s*AS\s+", re.IGNORECASE)
"""The beginning of the text that DuckDB keeps of a view."""
_OF_ROWS = frozenset(["range", "generate_series", "unnest", "repeat", "repeat_row", "json_each", "json_tree"])
"""The functions that give a table, and nothing but what they are given."""
_BARE = WRITTEN_LIKE_COLUMNS | {"current_database"}
_STABLE = "CONSISTENT"


@dataclass(slots=True)
class _Parts:
    """What a query is made of, by name: functions in lower case, tables by schema (empty where none is named)."""

    functions: set[str] = field(default_factory=set)
    of_tables: set[str] = field(default_factory=set)
    columns: set[str] = field(default_factory=set)
    tables: set[tuple[str, str]] = field(default_factory=set)
    is_sampled: bool = False
    is_age_of_today: bool = False
    """Whether `age` is called with one moment: DuckDB notes it as stable, as it is of two."""


@dataclass(frozen=True, slots=True)
class Views:
    """The views of a database by schema and name, with their texts. `allow_external`: they may read beyond it."""

    executor: Executor
    texts: Mapping[tuple[str, str], str]
    allow_external: bool = False

    def require_stable(self, schema: str, name: str) -> None:
        """Raises SourceFault for a view that gives other rows each time, or reads beyond the database: by name.

        So do the views that it reads.
        """
        done: set[tuple[str, str]] = set()
        waiting = [(schema, name)]
        while waiting:
            at = waiting.pop()
            if at in done:
                continue
            done.add(at)
            parts = self._parts(at[1], self.texts[at])
            self._require(at[1], parts)
            waiting += self._views_of(parts, at[0])

    def _views_of(self, parts: _Parts, own: str) -> Iterator[tuple[str, str]]:
        wanted = {(schema.casefold(), table.casefold()) for schema, table in parts.tables}
        for schema, name in self.texts:
            of = [schema.casefold(), *([""] if schema in (own, "main") else [])]
            if any((each, name.casefold()) in wanted for each in of):
                yield schema, name

    def _parts(self, view: str, text: str) -> _Parts:
        head = _HEAD.match(text)
        parsed: Any = None if head is None else self._parsed(text[head.end() :].rstrip().rstrip(";"))
        if parsed is None:
            raise SourceFault(
                f"what the view {quoted(view)} is made of cannot be read", next_step="Make a table of what it shows."
            )
        found = _Parts()
        _gather(parsed, found)
        return found

    def _parsed(self, query: str) -> Any:
        ((text,),) = self.executor.rows(Purpose.CATALOG, sql.template("view_parsed"), {"query": query})
        parsed = json.loads(text)
        return None if parsed.get("error") else parsed

    def _require(self, view: str, parts: _Parts) -> None:
        if parts.is_sampled:
            raise unstable(view, "a random sample")
        for each in sorted(parts.of_tables - _OF_ROWS):
            if not self.allow_external:
                raise beyond(view, f"{each}()")
        bare = {each for each in parts.columns & _BARE if not self._is_column(each, parts)}
        for each in sorted(bare | parts.functions & _BARE | ({"age"} if parts.is_age_of_today else set())):
            raise unstable(view, f"{each}()")
        self._require_functions(view, parts.functions, frozenset())

    def _is_column(self, name: str, parts: _Parts) -> bool:
        """Whether a name that may be a function's is a column of a table that the view reads."""
        found = self.executor.rows(Purpose.CATALOG, sql.template("columns_named"), {"name": name})
        read = {table.casefold() for _, table in parts.tables}
        return any(str(table).casefold() in read for (table,) in found)

    def _require_functions(self, view: str, names: set[str], inside: frozenset[str]) -> None:
        """Raises SourceFault for a function that is not stable, and for a macro, which may be any."""
        if not names:
            return
        found = self.executor.rows(Purpose.CATALOG, sql.template("functions_named"), {"names": sorted(names)})
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
                if parsed is not None:
                    _gather(parsed, parts)
                self._require_functions(view, parts.functions - {name}, inside | {name})


def _gather(node: Any, found: _Parts) -> None:
    """Notes what a parsed query is made of."""
    if isinstance(node, list):
        for each in node:
            _gather(each, found)
        return
    if not isinstance(node, dict):
        return
    if node.get("sample") is not None:
        found.is_sampled = True
    kind = node.get("type")
    if kind == "TABLE_FUNCTION":
        function = node["function"]
        found.of_tables.add(str(function.get("function_name", "")).lower())
        _gather({key: value for key, value in function.items() if key != "class"}, found)
        return
    if node.get("class") == "FUNCTION":
        name, given = str(node.get("function_name", "")).lower(), node.get("arguments") or node.get("children") or ()
        found.functions.add(name)
        found.is_age_of_today |= name == "age" and len(given) == 1
    elif kind == "BASE_TABLE":
        found.tables.add((str(node.get("schema_name") or ""), str(node.get("table_name"))))
    elif kind == "COLUMN_REF" and len(node.get("column_names", ())) == 1:
        found.columns.add(str(node["column_names"][0]).lower())
    for each in node.values():
        _gather(each, found)
