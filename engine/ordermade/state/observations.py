"""Table C: every measured node by dataset version and level contents; listed, exported, pruned."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from ordermade.errors import InputError
from ordermade.lattice.lattice import NodeKey
from ordermade.lattice.observation import Observation, PersonSizes, Sizes
from ordermade.state.offer_lists import OFFER_LISTS
from ordermade.state.records.observations import ListedObservation, MeasuredLevel
from ordermade.state.statements import rows, run, utc_now, without_zone
from ordermade.state.table import Among, Table

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection

Levels: TypeAlias = tuple[MeasuredLevel, ...]
"""The levels of a measured node, attributes at `*` left out."""

K_ALONE = ""
"""The hash of no models."""


@dataclass(frozen=True, slots=True)
class LevelRow:
    """A `MeasuredLevel` with its number."""

    id: int
    column_name: str
    level_hash: str
    level: int
    level_name: str


@dataclass(frozen=True, slots=True)
class ObservationRow:
    """A measured node: the numbers of its levels in the order of their columns, and its figures.

    `class_sizes` and `class_counts` run in parallel.
    """

    id: int
    dataset_version_id: int
    node_hash: str
    levels: list[int]
    rows: int
    divisions: int
    k: int
    sum_of_squares: int
    class_sizes: list[int]
    class_counts: list[int]
    request_id: int | None
    measured_at: datetime


@dataclass(frozen=True, slots=True)
class ObservationModels:
    """What else was counted at a node for the models of a hash, as histograms: sizes and counts in parallel."""

    observation_id: int
    models_hash: str
    failing_sizes: list[int] | None
    failing_counts: list[int] | None
    least_sizes: list[int] | None
    least_counts: list[int] | None
    keepable_units: list[int] | None
    keepable_counts: list[int] | None


LEVELS = Table("measured_levels", LevelRow)
OBSERVATIONS = Table("observations", ObservationRow, once=("node_hash", "measured_at"))
MODELS = Table("observation_models", ObservationModels, key=("observation_id", "models_hash"))

_FIGURES = ("id", "levels", "rows", "divisions", "k", "sum_of_squares")
_HISTOGRAM = ("class_sizes", "class_counts")


def known(
    connection: StateConnection,
    version_id: int,
    models_hash: str = K_ALONE,
    *,
    persons: bool = True,
    sizes_read: bool = True,
) -> dict[NodeKey, Observation]:
    """Every node measured on this dataset version, by its columns and level hashes.

    With what is known of the models of this hash: observations that were measured for others have no `failing`.
    `persons`: with the least classes of persons, which no version has whose units are rows. `sizes_read`: with the
    histograms of class sizes, which take many times as long to read as all the rest.
    """
    columns = (*_FIGURES, *_HISTOGRAM) if sizes_read else _FIGURES
    figures = OBSERVATIONS.read(connection, columns, dataset_version_id=version_id, order_by=("id",))
    numbers = sorted({number for _, levels, *_ in figures for number in levels})
    pairs = {
        number: (str(column), str(level))
        for number, column, level in LEVELS.read(connection, ("id", "column_name", "level_hash"), id=Among(numbers))
    }
    besides = _besides(connection, version_id, models_hash) if models_hash or persons else {}
    found: dict[NodeKey, Observation] = {}
    for number, levels, of_rows, divisions, k, squares, *histogram in figures:
        beside = besides.get((number, models_hash), _NOTHING) if models_hash else _NOTHING
        found[frozenset([pairs[each] for each in levels])] = Observation(
            of_rows,
            divisions,
            k,
            squares,
            tuple(zip(*histogram, strict=True)),
            beside.failing,
            _persons(besides, number, models_hash),
            keepable=beside.keepable,
        )
    return found


def record(
    connection: StateConnection,
    version_id: int,
    request_id: int | None,
    measured: Collection[tuple[Levels, Observation]],
    models_hash: str = K_ALONE,
) -> int:
    """Add measured nodes to table C; the number that it did not have.

    An observation is exact for its version and levels, so its figures are never changed; but figures that were not
    required then are added: a whole histogram to a shortened one, the failing classes of the models of this hash
    and what finer nodes can keep of them, the least classes of persons.
    """
    if not measured:
        return 0
    stored = {
        str(hashed): (int(number), bool(whole))
        for number, hashed, whole in rows(connection, "state/observation_hashes", dataset_version_id=version_id)
    }
    by_hash: dict[str, tuple[Levels, Observation]] = {}
    for levels, each in measured:
        by_hash.setdefault(node_hash((level.column, level.level_hash) for level in levels), (levels, each))
    new = {hashed: node for hashed, node in by_hash.items() if hashed not in stored}
    numbers = {hashed: number for hashed, (number, _) in stored.items()}
    numbers |= _insert(connection, version_id, request_id, new)
    for hashed, (_, observation) in by_hash.items():
        number, whole = stored.get(hashed, (0, True))
        if not whole:
            _lengthen(connection, number, observation.sizes)
    _add_besides(connection, [(numbers[hashed], each) for hashed, (_, each) in by_hash.items()], models_hash)
    return len(new)


def _insert(
    connection: StateConnection,
    version_id: int,
    request_id: int | None,
    new: Mapping[str, tuple[Levels, Observation]],
) -> dict[str, int]:
    """Add nodes, by their hash, that table C does not have; their numbers."""
    if not new:
        return {}
    of_levels = _level_numbers(connection, {level for levels, _ in new.values() for level in levels})
    now = utc_now()
    inserted = OBSERVATIONS.insert_all(
        connection,
        (
            {
                "dataset_version_id": version_id,
                "node_hash": hashed,
                "levels": [of_levels[level] for level in sorted(levels, key=lambda each: each.column)],
                "rows": each.rows,
                "divisions": each.divisions,
                "k": each.k,
                "sum_of_squares": str(each.sum_of_squares),
                "class_sizes": _sizes(each.sizes),
                "class_counts": _counts(each.sizes),
                "request_id": request_id,
                "measured_at": now,
            }
            for hashed, (levels, each) in new.items()
        ),
    )
    return {each.node_hash: each.id for each in inserted}


def _level_numbers(connection: StateConnection, levels: Collection[MeasuredLevel]) -> dict[MeasuredLevel, int]:
    """The numbers of levels, which are added where they are new."""
    columns, hashes = {each.column for each in levels}, {each.level_hash for each in levels}
    stored = LEVELS.select(connection, column_name=Among(columns), level_hash=Among(hashes))
    found = {_level(each): each.id for each in stored}
    new = sorted((each for each in levels if each not in found), key=astuple)
    added = LEVELS.insert_all(
        connection,
        (
            {
                "column_name": each.column,
                "level_hash": each.level_hash,
                "level": each.level,
                "level_name": each.level_name,
            }
            for each in new
        ),
    )
    return found | {_level(each): each.id for each in added}


def _level(row: LevelRow) -> MeasuredLevel:
    return MeasuredLevel(row.column_name, row.level, row.level_name, row.level_hash)


def _lengthen(connection: StateConnection, number: int, sizes: Sizes) -> None:
    """Gives a node whose histogram an older engine cut off the whole one, as it was measured now."""
    OBSERVATIONS.update(connection, {"id": number}, class_sizes=_sizes(sizes), class_counts=_counts(sizes))


@dataclass(frozen=True, slots=True)
class _Beside:
    """The further counts of a node for k alone, or for some models."""

    failing: Sizes | None = None
    least: Sizes | None = None
    keepable: Sizes | None = None


_NOTHING = _Beside()


def _besides(connection: StateConnection, version_id: int, models_hash: str) -> dict[tuple[int, str], _Beside]:
    hashes = sorted({K_ALONE, models_hash})
    found = rows(connection, "state/observation_models", dataset_version_id=version_id, models_hash=hashes)
    return {
        (number, hashed): _Beside(_histogram(failing, classes), _histogram(least, persons), _histogram(units, bounded))
        for number, hashed, failing, classes, least, persons, units, bounded in found
    }


def _persons(besides: Mapping[tuple[int, str], _Beside], number: int, models_hash: str) -> PersonSizes | None:
    alone = besides.get((number, K_ALONE), _NOTHING).least
    if alone is None:
        return None
    return PersonSizes(alone, besides.get((number, models_hash), _NOTHING).least if models_hash else None)


def _add_besides(connection: StateConnection, measured: Sequence[tuple[int, Observation]], models_hash: str) -> None:
    besides: list[tuple[int, str, _Beside]] = []
    for number, each in measured:
        if each.persons is not None:
            besides.append((number, K_ALONE, _Beside(least=each.persons.alone)))
        if models_hash and each.failing is not None:
            fitting = None if each.persons is None else each.persons.fitting
            besides.append((number, models_hash, _Beside(each.failing, fitting, each.keepable)))
    if besides:
        MODELS.run(
            connection,
            "state/observation_models_insert",
            besides=[
                (
                    *(number, hashed, _sizes(each.failing), _counts(each.failing), _sizes(each.least)),
                    *(_counts(each.least), _sizes(each.keepable), _counts(each.keepable)),
                )
                for number, hashed, each in besides
            ],
        )


def _sizes(histogram: Sizes | None) -> list[int] | None:
    return None if histogram is None else [size for size, _ in histogram]


def _counts(histogram: Sizes | None) -> list[int] | None:
    return None if histogram is None else [count for _, count in histogram]


def _histogram(sizes: Sequence[int] | None, counts: Sequence[int] | None) -> Sizes | None:
    return None if sizes is None or counts is None else tuple(zip(sizes, counts, strict=True))


def forget(connection: StateConnection, version_id: int) -> None:
    """Forgets all nodes of a version."""
    numbers = [number for (number,) in OBSERVATIONS.read(connection, ("id",), dataset_version_id=version_id)]
    MODELS.delete(connection, observation_id=Among(numbers))
    OBSERVATIONS.delete(connection, dataset_version_id=version_id)


def node_hash(levels: Iterable[tuple[str, str]]) -> str:
    """SHA-256 of a node's pairs (column, level hash), in whatever order they are given."""
    digest = hashlib.sha256()
    for column, level_hash in sorted(levels):
        # The length before the name keeps ("a", "bc") and ("ab", "c") apart, whatever the names hold.
        digest.update(f"{len(column)}:{column}={level_hash}\n".encode())
    return digest.hexdigest()


def counts(connection: StateConnection) -> dict[int, int]:
    """Count the nodes that table C has of each dataset version."""
    return {int(version): int(number) for version, number in rows(connection, "state/observation_counts")}


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
    """The measured nodes that were forgotten."""

    observations: int
    """The number of nodes forgotten."""
    versions: int
    """The dataset versions that they were of."""
    left: int
    """The number of nodes left."""


def listed(connection: StateConnection, selection: Selection, most: int | None = None) -> tuple[ListedObservation, ...]:
    """The observations that are meant, the latest first, `most` of them at most. Raises InputError as `prune` does."""
    _select(connection, selection)
    found = rows(connection, "state/observations_described", most=most)
    return tuple(ListedObservation(*(*row[:6], _levels(*row[6:10]), *row[10:])) for row in found)


def _levels(*in_parallel: list[Any] | None) -> Levels:
    """The levels of a node, of their columns, levels, names and hashes; none at `*`."""
    return tuple(map(MeasuredLevel, *(each or () for each in in_parallel)))


def prunable(connection: StateConnection, selection: Selection) -> Pruned:
    """Count the observations that `prune` would forget, and leave. Raises InputError for a time out of range."""
    _select(connection, selection)
    selected, versions, observations = rows(connection, "state/observations_selected")[0]
    return Pruned(int(selected), int(versions), int(observations - selected))


def prune(connection: StateConnection, selection: Selection) -> Pruned:
    """Forget the observations that are meant, with all that is known of them, and the offers of their versions.

    Raises InputError as `prunable` does.
    """
    pruned = prunable(connection, selection)
    OFFER_LISTS.run(connection, "state/observations_prune_offers", erased=True)
    MODELS.run(connection, "state/observations_prune_models", erased=True)
    OBSERVATIONS.run(connection, "state/observations_prune", erased=True)
    return pruned


def _select(connection: StateConnection, selection: Selection) -> None:
    ids = selection.dataset_ids
    run(connection, "state/observations_selection")
    run(connection, "state/observations_unselect")
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
