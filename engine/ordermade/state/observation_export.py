"""Table C as a file for other programs: CSV or Parquet, one row an observation, or one of its attributes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from ordermade import sql
from ordermade.state.cache_database import bare_connection, rows
from ordermade.state.faults import state_fault
from ordermade.state.new_files import new_file
from ordermade.state.statements import without_zone

if TYPE_CHECKING:
    from ordermade.state.records.observations import ListedObservation

_WRITERS = {".csv": "table_c/export_csv", ".parquet": "table_c/export_parquet"}
ENDINGS = tuple(_WRITERS)
"""The permitted endings of an export's name."""

_INTEGERS = ("observation", "dataset_version", "attributes", "rows", "divisions", "k", "request", "level")


def write_observations(found: Sequence[ListedObservation], path: Path, *, by_attribute: bool) -> int:
    """Writes the observations to `path` (.csv or .parquet); the number of rows. Raises StateFault.

    One row is an observation or, `by_attribute`, an observation and one of its attributes. The columns are listed in
    docs/experts/table-c.md.
    """
    import pandas as pd  # a third of a second, for this alone

    of_rows = [row for each in found for row in (_by_attribute(each) if by_attribute else [_whole(each)])]
    names = _ATTRIBUTES if by_attribute else _OBSERVATIONS
    arriving = pd.DataFrame.from_records(of_rows, columns=names)
    for name in names:
        arriving[name] = arriving[name].astype("Int64" if name in _INTEGERS else object)
    with new_file(path, "export") as made:
        try:
            with bare_connection() as connection:
                connection.register("arriving", arriving)
                tree = sql.template("table_c/attributes" if by_attribute else "table_c/observations")
                tree.expression.set("with_", None)
                connection.execute(sql.text(tree))
                return int(rows(connection, _WRITERS[path.suffix.lower()], path=str(made))[0][0])
        except duckdb.Error as error:
            raise state_fault(error, path, "export") from error


_OF_BOTH = ("observation", "dataset", "dataset_hash", "dataset_version", "is_latest")
_OBSERVATIONS = (
    *_OF_BOTH,
    *("node", "attributes", "rows", "divisions", "k", "sum_of_squares", "class_sizes", "class_counts"),
    *("request", "measured_at"),
)
_ATTRIBUTES = (*_OF_BOTH, "column_name", "level", "level_name", "level_hash", "rows", "divisions", "k")


def _whole(each: ListedObservation) -> tuple[Any, ...]:
    return (
        *(each.id, each.dataset, each.dataset_hash, each.dataset_version_id, each.is_latest, each.node),
        *(len(each.levels), each.rows, each.divisions, each.k, str(each.sum_of_squares)),
        *(str(each.class_sizes), str(each.class_counts), each.request_id, without_zone(each.measured_at)),
    )


def _by_attribute(each: ListedObservation) -> Iterator[tuple[Any, ...]]:
    dataset = (each.id, each.dataset, each.dataset_hash, each.dataset_version_id, each.is_latest)
    figures = (each.rows, each.divisions, each.k)
    for of_level in each.levels:
        yield (*dataset, of_level.column, of_level.level, of_level.level_name, of_level.level_hash, *figures)
    if not each.levels:
        yield (*dataset, None, None, None, None, *figures)
