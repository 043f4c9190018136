"""The lessons of table C on a dataset version: its nodes in one lattice, a power law over them, their history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ordermade.catalogue.registered import level_contents
from ordermade.errors import TooLittleKnown, UnknownName
from ordermade.hierarchies.cross_refinement import LevelContent, refines
from ordermade.lattice.lattice import Axis, Lattice, LevelOrder, NodeKey
from ordermade.lattice.observation import Sizes
from ordermade.prediction.power import PowerLaw, fit, fit_scores
from ordermade.prediction.prediction import Scores
from ordermade.prediction.predictors import PredictionHistory, TrackRecord, track_record
from ordermade.records.printed import printed
from ordermade.state import datasets, observations, requests, versions
from ordermade.state.cache import Cache
from ordermade.state.database import StateFile

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection
    from ordermade.state.versions import DatasetVersion


@dataclass(frozen=True, slots=True)
class FittedLaw:
    """The power law over all measured nodes, and its fit: one point a number of classes, as in the paper."""

    law: PowerLaw = field(metadata=printed(spread=True))
    """The law."""
    scores: Scores
    """Its fit."""


@dataclass(frozen=True, slots=True)
class Learnt:
    """The evidence on one dataset version.

    `dataset`: its name, None for one described inline. `other_versions`: how many more versions of the same dataset
    table C has nodes of. `k`: the k of the last request on the version, None if no request is left. `points`:
    (classes, k) of every node, in the order they were measured. `law`: None where none can be fitted, for the reason
    `no_law`.
    """

    dataset: str | None
    version: DatasetVersion
    other_versions: int
    k: int | None
    points: tuple[tuple[int, int], ...]
    law: FittedLaw | None
    no_law: str
    history: PredictionHistory

    def track_record(self) -> TrackRecord:
        """The accuracy of the predictors on this version: see `predictors.track_record`."""
        return track_record(self.history)


@dataclass(frozen=True, slots=True)
class Learning:
    """The evidence in table C of a state, with the marginals of its cache."""

    state: StateFile
    cache: Cache

    def of(self, dataset: str | None = None, version: int | None = None) -> Learnt | None:
        """The evidence on a dataset version; by default on the last seen one that has nodes in table C.

        Returns None where table C has no node of it. Raises UnknownName for a dataset or version that is not known.
        """
        with self.state.reading() as connection:
            chosen, others = _chosen(connection, dataset, version)
            if chosen is None:
                return None
            nodes = observations.known(connection, chosen.id)
            levels = {level for key in nodes for _, level in key}
            content = level_contents(connection, levels)
            types = versions.columns(connection, chosen.id)
            name = _name_of(connection, chosen)
            ks = {each.id: each.k for each in requests.listed(connection) if each.dataset_version_id == chosen.id}
        lattice, numbers = joint_lattice(nodes, content, types)
        marginals = self.cache.marginals(chosen.id)
        points = tuple((each.divisions, each.k) for each in nodes.values())
        law, no_law = _fitted(points)
        return Learnt(
            dataset=name,
            version=chosen,
            other_versions=others,
            k=ks[max(ks)] if ks else None,
            points=points,
            law=law,
            no_law=no_law,
            history=PredictionHistory(
                lattice=lattice,
                rows=chosen.units,
                measured=tuple(
                    (_node(lattice, numbers, key), each) for key, each in nodes.items() if each.rows == chosen.units
                ),
                marginals=_marginals(lattice, numbers, marginals),
            ),
        )


LevelNumbers = Mapping[tuple[str, str], int]
"""The number of each (column, content hash of the level) in the joint lattice."""


def joint_lattice(
    nodes: Iterable[NodeKey], content: Mapping[str, LevelContent], types: Mapping[str, str]
) -> tuple[Lattice, LevelNumbers]:
    """The one lattice that all these nodes are of: the levels that occur of every column, and `*`.

    `content` of the levels by hash, `types` the SQL types of the columns; a level that is not among them refines
    nothing but `*`. Two hierarchies of one column are branches of one partial order.
    """
    found: dict[str, dict[str, None]] = {}
    for key in nodes:
        for column, level in sorted(key):
            found.setdefault(column, {})[level] = None
    axes: list[Axis] = []
    numbers: dict[tuple[str, str], int] = {}
    for column in sorted(found):
        ordered, order = _ordered(sorted(found[column]), content, types.get(column, ""))
        numbers |= {(column, level): number for number, level in enumerate(ordered)}
        axes.append(Axis(column, order, tuple(range(len(order)))))
    return Lattice(tuple(axes)), numbers


def _ordered(
    levels: Sequence[str], content: Mapping[str, LevelContent], column_type: str
) -> tuple[list[str], LevelOrder]:
    """The levels, finer ones first, and which refines which; the last of the order is `*`."""

    def known_to_refine(fine: str, coarse: str) -> bool:
        if fine == coarse:
            return True
        return fine in content and coarse in content and refines(content[fine], content[coarse], column_type)

    coarser = {level: {each for each in levels if known_to_refine(level, each)} for level in levels}
    for middle in levels:  # one hierarchy may prove the first half of a refinement, another one the second half
        for reached in coarser.values():
            if middle in reached:
                reached |= coarser[middle]
    ordered = sorted(levels, key=lambda level: (-len(coarser[level]), level))
    # Of two levels with equal classes the lower number counts as the finer one.
    rows = [
        tuple(j == len(ordered) or (i <= j and ordered[j] in coarser[fine]) for j in range(len(ordered) + 1))
        for i, fine in enumerate(ordered)
    ]
    top = tuple(j == len(ordered) for j in range(len(ordered) + 1))
    return ordered, LevelOrder((*rows, top))


def _chosen(connection: StateConnection, dataset: str | None, version: int | None) -> tuple[DatasetVersion | None, int]:
    """The version to report, and how many others of its dataset have nodes."""
    counts = observations.counts(connection)
    among = versions.listed(connection) if dataset is None else _versions_of(connection, dataset)
    if version is not None:
        if all(each.id != version for each in among):
            raise UnknownName(
                "dataset version",
                str(version),
                where="--version",
                next_step="`ordermade observations list --json` shows them as dataset_version_id.",
            )
        among = tuple(each for each in among if each.id == version)
    with_nodes = [each for each in among if counts.get(each.id)]
    if not with_nodes:
        return None, 0
    chosen = with_nodes[0]
    return chosen, sum(
        _same_dataset(each, chosen) and bool(counts.get(each.id)) for each in versions.listed(connection)
    ) - 1


def _same_dataset(one: DatasetVersion, other: DatasetVersion) -> bool:
    if one.dataset_id is None:
        return one.dataset_hash == other.dataset_hash
    return one.dataset_id == other.dataset_id


def _versions_of(connection: StateConnection, dataset: str) -> tuple[DatasetVersion, ...]:
    """The versions of every dataset that has the name or had it, the last seen first. Raises UnknownName."""
    found = {
        version.id: version
        for number in datasets.ever_named(connection, dataset)
        for version in versions.under_any_filter(connection, number)
    }
    return tuple(sorted(found.values(), key=lambda each: each.last_seen_at, reverse=True))


def _name_of(connection: StateConnection, version: DatasetVersion) -> str | None:
    """The name of the dataset, also of one that was removed; None for one that a request described inline."""
    return None if version.dataset_id is None else datasets.name_of(connection, version.dataset_id)


def _node(lattice: Lattice, numbers: LevelNumbers, key: NodeKey) -> tuple[int, ...]:
    levels = {column: numbers[column, level] for column, level in key}
    return tuple(levels.get(axis.column, axis.top) for axis in lattice.axes)


def _marginals(
    lattice: Lattice, numbers: LevelNumbers, marginals: Mapping[tuple[str, str], Sizes]
) -> tuple[dict[int, Sizes], ...]:
    of_column: dict[str, dict[int, Sizes]] = {axis.column: {} for axis in lattice.axes}
    for (column, level), sizes in marginals.items():
        if (column, level) in numbers:
            of_column[column][numbers[column, level]] = sizes
    return tuple(of_column.values())


def _fitted(points: Sequence[tuple[int, int]]) -> tuple[FittedLaw | None, str]:
    try:
        law = fit(points)
    except TooLittleKnown as error:
        return None, error.what
    return FittedLaw(law, fit_scores(law, points)), ""
