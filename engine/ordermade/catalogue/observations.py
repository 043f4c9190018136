"""Table C: observations listed, exported, pruned; the power law and the predictors of a dataset."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.arguments import typed_methods
from ordermade.catalogue.registered import level_contents
from ordermade.display.listing import Listing
from ordermade.errors import InputError, TooLittleKnown, UnknownName
from ordermade.hierarchies.cross_refinement import LevelContent, refines
from ordermade.lattice.lattice import Axis, Lattice, LevelOrder, NodeKey
from ordermade.lattice.observation import Sizes
from ordermade.prediction.calibration import Calibration, ForecastErrors, calibration, median_error
from ordermade.prediction.power import PowerLaw, fit, fit_scores
from ordermade.prediction.prediction import Scores
from ordermade.prediction.predictors import History, TrackRecord, track_record
from ordermade.state import datasets, forecasts, observations, requests, statements, versions
from ordermade.state import observations as table_c
from ordermade.state.cache import Cache
from ordermade.state.database import StateFile
from ordermade.state.observations import ENDINGS, Pruned, Selection

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from ordermade.state.records.datasets import DatasetVersion
    from ordermade.state.records.observations import ListedObservation


_SHOWN = {
    "id": "id",
    "dataset": "dataset",
    "latest": "is_latest",
    "node": "node",
    "k": "k",
    "classes": "divisions",
    "request": "request_id",
    "measured": "measured_at",
}


@typed_methods
@dataclass(frozen=True, slots=True)
class Observations:
    """The observations of a state: every node ever measured, with its figures."""

    state: StateFile

    def list(self, dataset: str | None = None, most: int | None = None) -> tuple[ListedObservation, ...]:
        """The observations, of all datasets or of the one that has or had this name, the latest first.

        `most` of them at most, all if None. Raises UnknownName, StateFault.
        """
        with self.state.reading() as connection:
            found = table_c.listed(connection, Selection(_ids(connection, dataset)), most)
        return Listing(found, "observations", _SHOWN)

    def get(self, number: int) -> ListedObservation:
        """The observation of that number. Raises UnknownName, StateFault."""
        with self.state.reading() as connection:
            found = [each for each in table_c.listed(connection, Selection(None), None) if each.id == number]
        if not found:
            raise UnknownName(
                "observation", str(number), next_step="`ordermade observations list --json` shows their numbers."
            )
        return found[0]

    def count(self, dataset: str | None = None) -> int:
        """The number of observations, of all datasets or of the one that has or had this name. Raises UnknownName."""
        with self.state.reading() as connection:
            return table_c.prunable(connection, Selection(_ids(connection, dataset))).observations

    def export(self, path: Path, dataset: str | None = None, *, by_attribute: bool = False) -> int:
        """Writes the observations to the new file `path` (.csv or .parquet), private; the number of its rows.

        One row is an observation or, `by_attribute`, an observation and one of its attributes. The file is written
        beside its name and gets it when it is whole. Raises InputError (another ending, a file that exists, no such
        folder), UnknownName, StateFault.
        """
        from ordermade.state.backup import new_file, require_new

        if path.suffix.lower() not in ENDINGS:
            raise InputError(
                f"an export ends in {' or '.join(ENDINGS)}", where=str(path), next_step="Give it another name."
            )
        require_new(path, "export")
        with self.state.reading() as connection:
            table_c.prepare_export(connection, Selection(_ids(connection, dataset)), by_attribute=by_attribute)
            with new_file(path, "export") as made:
                return table_c.write_export(connection, made)

    def csv(self, dataset: str | None = None, *, by_attribute: bool = False) -> str:
        """The text that `export` writes to a .csv file. Raises UnknownName."""
        with tempfile.TemporaryDirectory(prefix="ordermade-") as folder:
            path = Path(folder) / "observations.csv"
            self.export(path, dataset, by_attribute=by_attribute)
            return path.read_text(encoding="utf-8")

    def calibration(self, dataset: str | None = None) -> Calibration:
        """How the noted forecasts came out whose request ran to its end: of all datasets, or of the one of this name.

        Raises UnknownName for a dataset that never was, StateFault.
        """
        with self.state.reading() as connection:
            _ids(connection, dataset)
            return calibration_of(forecasts.met(connection, dataset))

    def forecast_errors(self, dataset: str | None = None) -> ForecastErrors:
        """How near the same forecasts came in levels, k, questions and seconds. Raises as `calibration` does."""
        with self.state.reading() as connection:
            _ids(connection, dataset)
            return errors_of(forecasts.figures(connection, forecasts.met(connection, dataset)))

    def prune(
        self,
        *,
        dataset: str | None = None,
        earlier_versions: bool = False,
        before: datetime | None = None,
        everything: bool = False,
        dry_run: bool = False,
    ) -> Pruned:
        """Deletes the observations that satisfy every given condition; returns their number. They are gone for good.

        `dataset` has or had this name; `earlier_versions`: not of the version a dataset and row filter were seen with
        last; `before`: measured before this time (local, if it has no zone); `everything`, and then nothing else:
        all. With `dry_run` nothing is changed. Raises InputError (nothing given, or too much), UnknownName.
        """
        chosen = dataset is not None or earlier_versions or before is not None
        if chosen == everything:
            raise InputError(
                "everything is to be pruned, and only some of it" if everything else "nothing is given to prune",
                where="observations prune",
                next_step="Give --dataset, --earlier-versions or --before (which narrow each other), or --all alone.",
            )
        opened = self.state.reading() if dry_run else self.state.writing()
        with opened as connection:
            selection = Selection(_ids(connection, dataset), before, earlier_versions)
            if dry_run:
                return table_c.prunable(connection, selection)
            pruned = table_c.prune(connection, selection)
            if pruned.observations:
                statements.add_audit_entry(
                    connection, "observations prune", dataset or "all datasets", _summary(pruned)
                )
            return pruned


def calibration_of(met: Sequence[forecasts.MetForecast]) -> Calibration:
    """The calibration of forecasts that came out, those of an unknown chance left out."""
    known = [(each.chance, each.passed, each.proved) for each in met if each.chance is not None]
    return calibration(
        [(chance, passed) for chance, passed, proved in known if not proved],
        [(chance, passed) for chance, passed, proved in known if proved],
    )


def errors_of(met: Sequence[forecasts.MetFigures]) -> ForecastErrors:
    """The errors of what was forecast beside the chance."""
    as_expected = [each for each in met if 0 < each.levels == each.levels_right]
    return ForecastErrors(
        levels=sum(each.levels for each in met),
        levels_right=sum(each.levels_right for each in met),
        k=median_error((each.k, each.released_k) for each in as_expected),
        questions=median_error(((each.questions, each.nodes_measured) for each in met), more=1),
        seconds=median_error((each.seconds, each.took) for each in met),
    )


def _ids(connection: DuckDBPyConnection, dataset: str | None) -> tuple[int, ...] | None:
    return None if dataset is None else datasets.ever_named(connection, dataset)


def _summary(pruned: Pruned) -> str:
    return f"{pruned.observations} observations of {pruned.versions} dataset versions"


@dataclass(frozen=True, slots=True)
class FittedLaw:
    """The power law over all measured nodes, and its fit: one point a number of classes, as in the paper."""

    law: PowerLaw
    scores: Scores


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
    history: History

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
            history=History(
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


def _chosen(
    connection: DuckDBPyConnection, dataset: str | None, version: int | None
) -> tuple[DatasetVersion | None, int]:
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


def _versions_of(connection: DuckDBPyConnection, dataset: str) -> tuple[DatasetVersion, ...]:
    """The versions of every dataset that has the name or had it, the last seen first. Raises UnknownName."""
    found = {
        version.id: version
        for number in datasets.ever_named(connection, dataset)
        for version in versions.under_any_filter(connection, number)
    }
    return tuple(sorted(found.values(), key=lambda each: each.last_seen_at, reverse=True))


def _name_of(connection: DuckDBPyConnection, version: DatasetVersion) -> str | None:
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
