"""Sums of fractions in what DuckDB answers, by its own plan: their last digits depend on the order of the rows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from sqlglot import exp

from ordermade import sql
from ordermade.sources.backend import CatalogTable
from ordermade.sources.executor import Executor, Purpose

_FRACTIONS = frozenset(["FLOAT", "DOUBLE"])
_AGGREGATES = frozenset(["BOUND_AGGREGATE", "BOUND_WINDOW"])
OF_ANY_ORDER = re.compile(
    r"count(_if|_star|if)?|regr_count|approx_count_distinct|min|max|bool_(and|or)|bit_\w+|median|quantile(_cont|_disc)?|mad|first"
    r"|any_value|arbitrary|last|list|array_agg|string_agg|listagg|group_concat|histogram(_exact)?|arg_m\w+|m(in|ax)_by"
)
"""The aggregates of fractions that sum nothing up; those that depend on the order otherwise are looked at elsewhere."""


UNPLANNED = "?"


def inexact_sum(executor: Executor, query: str) -> str:
    """The aggregate of a query that sums fractions, empty for none; UNPLANNED where it cannot be planned."""
    ((text,),) = executor.rows(Purpose.CATALOG, sql.template("duckdb/query_planned"), {"query": query})
    planned = json.loads(text)
    return UNPLANNED if planned.get("error") else next(_inexact(planned), "")


def as_empty(query: exp.Query, tables: Iterable[CatalogTable]) -> exp.Query:
    """The query over no rows of the same columns: DuckDB makes no plan of the reading of a file."""
    by_name = {(each.reference.catalog, each.reference.db, each.reference.name): each for each in tables}
    copied = query.copy()
    for node in list(copied.find_all(exp.Table)):
        table = by_name.get((node.catalog, node.db, node.name))
        if table is None:
            continue
        values = [
            exp.alias_(exp.cast(exp.null(), each.type, dialect=sql.DIALECT), each.name, quoted=True)
            for each in table.columns
        ]
        empty = exp.select(*values).subquery(exp.to_identifier(node.alias_or_name, quoted=True))
        empty.set("joins", node.args.get("joins"))
        node.replace(empty)
    return copied


def _inexact(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for each in node:
            yield from _inexact(each)
    elif isinstance(node, dict):
        name = str(((node.get("qname") or {}).get("path") or [""])[-1])
        if node.get("expression_class") in _AGGREGATES and name and not OF_ANY_ORDER.fullmatch(name):
            types = [node.get("return_type"), *(node.get("arguments") or ())]
            given = {str((each or {}).get("id")) for each in types[1:]}
            if given & _FRACTIONS or (name not in ("avg", "mean") and str((types[0] or {}).get("id")) in _FRACTIONS):
                yield name
        for each in node.values():
            yield from _inexact(each)
