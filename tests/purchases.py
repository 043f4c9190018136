"""Tables of purchases that tests ask of, at the level of the room `purchases`: a source, a plan, a request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from ordermade.counting.dataset import Dataset, relation
from ordermade.methods.histories.records import Purchases
from ordermade.methods.histories.slots import HistoryLosses, cluster_by_rank, fill_slots, losses, place_by_rank
from ordermade.methods.histories.units import PURCHASES, SHOWN
from ordermade.release.plan import Plan
from ordermade.requests.read import read_mapping
from ordermade.requests.resolve_history import ResolvedHistory, resolve_history
from ordermade.sources.duckdb_file import DuckDBFile
from ordermade.sources.limits import Limits
from tests.made import Row, write_table

COLUMNS = {"who": "VARCHAR", "day": "DATE", "item": "VARCHAR", "price": "DECIMAL(9,2)", "quantity": "INTEGER"}
HISTORY = {"customer": "who", "when": "day", "item": "item", "numbers": ["price", "quantity"], "cluster": "rank"}


def resolved_of(columns: Mapping[str, str], asked: Mapping[str, Any]) -> ResolvedHistory:
    """A request for histories of a table with these columns, which says `asked` under `history`."""
    content = {"dataset": "d", "method": "history", "k": 2, "release": {"to": "out.csv"}, "history": dict(asked)}
    return resolve_history(read_mapping(content), columns, {})


def plan_of(dataset: Dataset, resolved: ResolvedHistory) -> Plan:
    """What is to be released."""
    return Plan(
        replace(dataset, entity=resolved.customer.column),
        (),
        (),
        (),
        "rows",
        entity=resolved.customer.column,
        pseudonym=resolved.pseudonym,
        k=2,
        aggregated=tuple(each.column for each in resolved.columns),
        by_history=True,
    )


@contextmanager
def source_of(path: Path, columns: Mapping[str, str], rows: Sequence[Row]) -> Iterator[Dataset]:
    """The rows as a dataset whose source is open."""
    write_table(path, columns, rows)
    backend = DuckDBFile(path, writable=False, limits=Limits("256MB", 1))
    try:
        (table,) = backend.tables()
        yield Dataset("d", backend, relation(table.reference, None), table.columns)
    finally:
        backend.close()


@contextmanager
def stored(
    folder: Path, rows: Sequence[Row], columns: Mapping[str, str] | None = None, **asked: Any
) -> Iterator[Purchases]:
    """The purchases of a table with `columns` as `Purchases.stored` keeps them; `asked` beside what HISTORY says."""
    types = columns or COLUMNS
    with source_of(folder / "s.duckdb", types, rows) as dataset:
        resolved = resolved_of(types, {**HISTORY, "match": "rank", **asked})
        yield Purchases.stored(plan_of(dataset, resolved), resolved)


def by_rank(purchases: Purchases, k: int, *, delete_costly: bool = False) -> HistoryLosses:
    """What the paper's own way loses, its slots kept on the way."""
    cluster_by_rank(purchases, k)
    place_by_rank(purchases)
    fill_slots(purchases, delete_costly=delete_costly)
    return losses(purchases)


def shown(purchases: Purchases) -> list[tuple[Any, ...]]:
    """What is released for each slot, in order: the cluster, the slot, its customers, the values."""
    return purchases.plan.dataset.backend.connection.sql(f"FROM {SHOWN} ORDER BY ALL").fetchall()


def kept_in_units(purchases: Purchases) -> list[tuple[Any, ...]]:
    """The table of purchases."""
    return purchases.plan.dataset.backend.connection.sql(f"FROM {PURCHASES}").fetchall()
