"""Table C for its reader: observations listed, exported, pruned. The searches' access to it is in `observations`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.errors import InputError
from ordermade.state.records import ListedObservation, MeasuredLevel
from ordermade.state.statements import Row, rows, run, without_zone

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_WRITERS = {".csv": "state/export_csv", ".parquet": "state/export_parquet"}
ENDINGS = tuple(_WRITERS)
"""The permitted endings of an export's name."""


@dataclass(frozen=True, slots=True)
class Selection:
    """A selection of observations: those that meet every given condition; all of them if none is given.

    `dataset_ids`: of these registered datasets, under any row filter. `before`: measured before this time (one without
    a zone is local). `earlier_versions`: not of the version that their dataset and row filter were seen with last.
    """

    dataset_ids: tuple[int, ...] | None = None
    before: datetime | None = None
    earlier_versions: bool = False


@dataclass(frozen=True, slots=True)
class Pruned:
    """The number of observations forgotten, of how many dataset versions, and how many are left."""

    observations: int
    versions: int
    left: int


def listed(
    connection: DuckDBPyConnection, selection: Selection, most: int | None = None
) -> tuple[ListedObservation, ...]:
    """The observations that are meant, the latest first, `most` of them at most. Raises InputError as `prune` does."""
    _select(connection, selection)
    run(connection, "state/observations_describe")
    return tuple(_listed(row) for row in rows(connection, "state/observations_described", most=most))


def prepare_export(connection: DuckDBPyConnection, selection: Selection, *, by_attribute: bool) -> None:
    """Gather the observations that are meant, for `write_export`. Raises InputError for a time out of range.

    One row is an observation or, `by_attribute`, an observation and one of its attributes. The columns are listed in
    docs/how-to/table-c.md.
    """
    _select(connection, selection)
    run(connection, "state/observations_describe")
    run(connection, "state/observations_export_levels" if by_attribute else "state/observations_export")


def write_export(connection: DuckDBPyConnection, path: Path) -> int:
    """Write what was gathered to `path` (.csv or .parquet); the number of its rows. Raises duckdb.Error."""
    return int(rows(connection, _WRITERS[path.suffix.lower()], path=str(path))[0][0])


def prunable(connection: DuckDBPyConnection, selection: Selection) -> Pruned:
    """Count the observations that `prune` would forget, and leave. Raises InputError for a time out of range."""
    _select(connection, selection)
    selected, versions, observations = rows(connection, "state/observations_selected")[0]
    return Pruned(int(selected), int(versions), int(observations - selected))


def prune(connection: DuckDBPyConnection, selection: Selection) -> Pruned:
    """Forget the observations that are meant, with all that is known of them. Raises InputError as `prunable` does."""
    pruned = prunable(connection, selection)
    run(connection, "state/observations_prune_levels")
    run(connection, "state/observations_prune_models")
    run(connection, "state/observations_prune")
    return pruned


def _select(connection: DuckDBPyConnection, selection: Selection) -> None:
    ids = selection.dataset_ids
    run(
        connection,
        "state/observations_select",
        dataset_ids=None if ids is None else list(ids),
        before=None if selection.before is None else _in_utc(selection.before),
        earlier_versions=selection.earlier_versions,
    )


def _in_utc(time: datetime) -> datetime:
    try:
        return without_zone(time)
    except (OverflowError, ValueError, OSError):
        raise InputError(
            "this time is out of range", where=f"{time:%Y-%m-%d}", next_step="Give one between the years 2 and 9998."
        ) from None


def _listed(row: Row) -> ListedObservation:
    number, dataset, filter, version_id, is_latest, *nodes = row[:9]
    in_parallel = zip(*(each or () for each in nodes), strict=True)
    levels = tuple(MeasuredLevel(*each) for each in in_parallel)
    return ListedObservation(number, dataset, filter, version_id, is_latest, levels, *row[9:])
