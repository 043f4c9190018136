"""Table C: every measured node by dataset version and level contents; listed, exported, pruned."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ordermade.errors import InputError
from ordermade.lattice.lattice import NodeKey
from ordermade.lattice.observation import Observation, PersonSizes, Sizes
from ordermade.state.records.observations import ListedObservation, MeasuredLevel
from ordermade.state.statements import Row, rows, run, utc_now, without_zone

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection
    from ordermade.state.records.observations import MeasuredNode

K_ALONE = ""
"""The hash of no models."""


def known(
    connection: StateConnection, version_id: int, models_hash: str = K_ALONE, *, sizes_read: bool = True
) -> dict[NodeKey, Observation]:
    """Every node measured on this dataset version, by its columns and level hashes.

    With what is known of the models of this hash: observations that were measured for others have no `failing`.
    `sizes_read`: with the histograms of class sizes, which take many times as long to read as all the rest.
    """
    figures = rows(
        connection,
        "state/observations" if sizes_read else "state/observation_figures",
        dataset_version_id=version_id,
    )
    numbers = sorted({number for _, levels, *_ in figures for number in levels})
    pairs = {
        number: (str(column), str(level))
        for number, column, level in rows(connection, "state/measured_levels_by_id", id=numbers)
    }
    besides = _besides(connection, version_id, models_hash)
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
    measured: Sequence[MeasuredNode],
    models_hash: str = K_ALONE,
) -> int:
    """Add measured nodes to table C; the number that it did not have.

    An observation is exact for its version and levels, so its figures are never changed; but figures that were not
    required then are added: a whole histogram to a shortened one, the failing classes of the models of this hash
    and what finer nodes can keep of them, the least classes of persons.
    """
    stored = {
        str(hashed): (int(number), bool(whole))
        for number, hashed, whole in rows(connection, "state/observation_hashes", dataset_version_id=version_id)
    }
    by_hash: dict[str, MeasuredNode] = {}
    for node in measured:
        by_hash.setdefault(node_hash((level.column, level.level_hash) for level in node.levels), node)
    new = {hashed: node for hashed, node in by_hash.items() if hashed not in stored}
    numbers = {hashed: number for hashed, (number, _) in stored.items()}
    numbers |= _insert(connection, version_id, request_id, new)
    _lengthen(
        connection, {stored[each][0]: by_hash[each] for each in by_hash.keys() & stored.keys() if not stored[each][1]}
    )
    _add_besides(connection, [(numbers[hashed], node.observation) for hashed, node in by_hash.items()], models_hash)
    return len(new)


def _insert(
    connection: StateConnection, version_id: int, request_id: int | None, new: Mapping[str, MeasuredNode]
) -> dict[str, int]:
    """Add nodes, by their hash, that table C does not have; their numbers."""
    if not new:
        return {}
    of_levels = _level_numbers(connection, {level for node in new.values() for level in node.levels})
    nodes = [
        (
            hashed,
            [of_levels[level] for level in sorted(node.levels, key=lambda each: each.column)],
            *_figures(node.observation),
        )
        for hashed, node in new.items()
    ]
    inserted = rows(
        connection,
        "state/observations_insert",
        dataset_version_id=version_id,
        request_id=request_id,
        measured_at=utc_now(),
        nodes=nodes,
    )
    return {str(hashed): int(number) for number, hashed in inserted}


def _figures(each: Observation) -> tuple[object, ...]:
    sizes, counts = ([place[at] for place in each.sizes] for at in (0, 1))
    return each.rows, each.divisions, each.k, str(each.sum_of_squares), sizes, counts


def _level_numbers(connection: StateConnection, levels: Collection[MeasuredLevel]) -> dict[MeasuredLevel, int]:
    """The numbers of levels, which are added where they are new."""
    found = _numbered(rows(connection, "state/measured_levels", levels=_as_lists(levels)))
    if new := sorted((each for each in levels if each not in found), key=_as_list):
        found |= _numbered(rows(connection, "state/measured_levels_insert", levels=_as_lists(new)))
    return found


def _as_list(level: MeasuredLevel) -> tuple[str, str, int, str]:
    return level.column, level.level_hash, level.level, level.level_name


def _as_lists(levels: Iterable[MeasuredLevel]) -> list[tuple[str, str, int, str]]:
    return [_as_list(each) for each in levels]


def _numbered(found: Iterable[Row]) -> dict[MeasuredLevel, int]:
    return {
        MeasuredLevel(column, level, level_name, level_hash): number
        for number, column, level_hash, level, level_name in found
    }


def _lengthen(connection: StateConnection, shortened: Mapping[int, MeasuredNode]) -> None:
    """Give nodes, by number, whose histogram an older engine cut off, what was measured of them now."""
    if shortened:
        sizes = [node.observation.sizes for node in shortened.values()]
        run(
            connection,
            "state/observation_sizes_update",
            id=list(shortened),
            class_sizes=[_sizes(each) for each in sizes],
            class_counts=[_counts(each) for each in sizes],
        )


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
        run(
            connection,
            "state/observation_models_insert",
            observation_id=[number for number, _, _ in besides],
            models_hash=[hashed for _, hashed, _ in besides],
            failing_sizes=[_sizes(each.failing) for _, _, each in besides],
            failing_counts=[_counts(each.failing) for _, _, each in besides],
            least_sizes=[_sizes(each.least) for _, _, each in besides],
            least_counts=[_counts(each.least) for _, _, each in besides],
            keepable_units=[_sizes(each.keepable) for _, _, each in besides],
            keepable_counts=[_counts(each.keepable) for _, _, each in besides],
        )


def _sizes(histogram: Sizes | None) -> str | None:
    """The sizes of a histogram as the text of a list (a million numbers bound one by one would take a second)."""
    return None if histogram is None else str([size for size, _ in histogram])


def _counts(histogram: Sizes | None) -> str | None:
    return None if histogram is None else str([count for _, count in histogram])


def _histogram(sizes: Sequence[int] | None, counts: Sequence[int] | None) -> Sizes | None:
    return None if sizes is None or counts is None else tuple(zip(sizes, counts, strict=True))


def forget(connection: StateConnection, version_id: int) -> None:
    """Forgets all nodes of a version."""
    run(connection, "state/observations_forget_models", dataset_version_id=version_id)
    run(connection, "state/observations_forget", dataset_version_id=version_id)


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
    """The number of observations forgotten, of how many dataset versions, and how many are left."""

    observations: int
    versions: int
    left: int


def listed(connection: StateConnection, selection: Selection, most: int | None = None) -> tuple[ListedObservation, ...]:
    """The observations that are meant, the latest first, `most` of them at most. Raises InputError as `prune` does."""
    return tuple(_listed(each) for each in described(connection, selection, most))


@dataclass(frozen=True, slots=True)
class DescribedObservation:
    """An observation in full, with its levels by column in order, and the registered datasets that it is of by name.

    `is_latest`: on the version that its dataset was seen with last. The sizes and counts of classes run in parallel.
    """

    observation: int
    dataset: str
    dataset_hash: str
    filter: str | None
    dataset_version: int
    is_latest: bool
    node: str
    columns: list[str] | None
    levels: list[int] | None
    level_names: list[str] | None
    level_hashes: list[str] | None
    rows: int
    divisions: int
    k: int
    sum_of_squares: int
    class_sizes: list[int]
    class_counts: list[int]
    request: int | None
    measured_at: datetime

    @property
    def measured_levels(self) -> tuple[MeasuredLevel, ...]:
        """Its levels, by column."""
        in_parallel = (self.columns, self.levels, self.level_names, self.level_hashes)
        return tuple(map(MeasuredLevel, *(each or () for each in in_parallel)))


def described(
    connection: StateConnection, selection: Selection, most: int | None = None
) -> tuple[DescribedObservation, ...]:
    """The observations that are meant in full, the latest first. Raises InputError for a time out of range."""
    _select(connection, selection)
    return tuple(DescribedObservation(*row) for row in rows(connection, "state/observations_described", most=most))


def _listed(each: DescribedObservation) -> ListedObservation:
    return ListedObservation(
        each.observation,
        each.dataset,
        each.filter,
        each.dataset_version,
        each.is_latest,
        each.measured_levels,
        each.rows,
        each.divisions,
        each.k,
        each.sum_of_squares,
        each.request,
        each.measured_at,
    )


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
    run(connection, "state/observations_prune_offers")
    run(connection, "state/observations_prune_models")
    run(connection, "state/observations_prune")
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
